//! Every exported function: its name and C signature, and what answers it. Names without an implementation are in [`without`].
#![allow(non_snake_case, reason = "the interface's names")]
use crate::answers::{
    self, Branch, Handle, Memory, Memory2, Pci, Pci1, Process, Process1, Utilisation, driver_version, of, ordinal, out,
    out_text, process, process_1, processes, uuid_of,
};
use crate::simulator::{self, Card, card, cards};
use crate::status;
use std::ffi::{c_char, c_int, c_uint};

macro_rules! exports {
    ($($name:ident($($argument:ident: $type:ty),*) => $body:expr;)*) => {
        $(
            /// As NVIDIA's management library defines it.
            #[unsafe(no_mangle)]
            pub unsafe extern "C" fn $name($($argument: $type),*) -> u32 {
                // SAFETY: the caller keeps the promises that the interface asks of it; what can be checked is checked.
                #[allow(unused_unsafe)]
                status::call(&mut || -> status::Outcome { unsafe { $body } })
            }
        )*
    };
}

/// The first card, which tells what all have in common: there is at least one.
fn any() -> status::Outcome<Card> {
    card(0)
}

/// `nvmlErrorString`
#[unsafe(no_mangle)]
pub extern "C" fn nvmlErrorString(code: u32) -> *const c_char {
    status::words(code)
}

exports! {
    nvmlInit() => simulator::start();
    nvmlInit_v2() => simulator::start();
    nvmlInitWithFlags(flags: c_uint) => { let _ = flags; simulator::start() };
    nvmlShutdown() => simulator::stop();
    nvmlSystemGetDriverVersion(to: *mut c_char, room: c_uint) => out_text(to, room, driver_version(any()?.interface));
    nvmlSystemGetNVMLVersion(to: *mut c_char, room: c_uint) => { let version = any()?.interface / 1000; out_text(to, room, &format!("{version}.{}", driver_version(any()?.interface))) };
    nvmlSystemGetCudaDriverVersion(version: *mut c_int) => out(version, any()?.interface as c_int);
    nvmlSystemGetCudaDriverVersion_v2(version: *mut c_int) => out(version, any()?.interface as c_int);
    nvmlSystemGetDriverBranch(to: *mut Branch, room: c_uint) => answers::driver_branch(to, room, any()?.interface);
    nvmlSystemGetProcessName(pid: c_uint, to: *mut c_char, room: c_uint) => answers::process_name(pid, to, room);
    nvmlDeviceGetCount(count: *mut c_uint) => out(count, cards()?.len() as c_uint);
    nvmlDeviceGetCount_v2(count: *mut c_uint) => out(count, cards()?.len() as c_uint);
    nvmlDeviceGetHandleByIndex(index: c_uint, device: *mut Handle) => answers::by_index(index, device);
    nvmlDeviceGetHandleByIndex_v2(index: c_uint, device: *mut Handle) => answers::by_index(index, device);
    nvmlDeviceGetHandleByUUID(uuid: *const c_char, device: *mut Handle) => answers::by_uuid(uuid, device);
    nvmlDeviceGetHandleByPciBusId(id: *const c_char, device: *mut Handle) => answers::by_pci(id, device);
    nvmlDeviceGetHandleByPciBusId_v2(id: *const c_char, device: *mut Handle) => answers::by_pci(id, device);
    nvmlDeviceGetName(device: Handle, to: *mut c_char, room: c_uint) => out_text(to, room, &of(device)?.card.name);
    nvmlDeviceGetUUID(device: Handle, to: *mut c_char, room: c_uint) => out_text(to, room, &uuid_of(&of(device)?));
    nvmlDeviceGetIndex(device: Handle, index: *mut c_uint) => out(index, ordinal(device)?);
    nvmlDeviceGetMinorNumber(device: Handle, number: *mut c_uint) => out(number, ordinal(device)?);
    nvmlDeviceGetMemoryInfo(device: Handle, to: *mut Memory) => answers::memory(device, to);
    nvmlDeviceGetMemoryInfo_v2(device: Handle, to: *mut Memory2) => answers::memory_2(device, to);
    nvmlDeviceGetUtilizationRates(device: Handle, to: *mut Utilisation) => answers::utilisation(device, to);
    nvmlDeviceGetClockInfo(device: Handle, kind: c_uint, mhz: *mut c_uint) => answers::clock(device, kind, mhz);
    nvmlDeviceGetMaxClockInfo(device: Handle, kind: c_uint, mhz: *mut c_uint) => answers::clock(device, kind, mhz);
    nvmlDeviceGetCudaComputeCapability(device: Handle, major: *mut c_int, minor: *mut c_int) => answers::capability(device, major, minor);
    nvmlDeviceGetArchitecture(device: Handle, to: *mut c_uint) => answers::architecture(device, to);
    nvmlDeviceGetPciInfo(device: Handle, to: *mut Pci1) => answers::pci_1(device, to);
    nvmlDeviceGetPciInfo_v2(device: Handle, to: *mut Pci1) => answers::pci_1(device, to);
    nvmlDeviceGetPciInfo_v3(device: Handle, to: *mut Pci) => answers::pci(device, to);
    nvmlDeviceGetCurrPcieLinkGeneration(device: Handle, to: *mut c_uint) => out(to, of(device)?.card.pcie_generation);
    nvmlDeviceGetMaxPcieLinkGeneration(device: Handle, to: *mut c_uint) => out(to, of(device)?.card.pcie_generation);
    nvmlDeviceGetCurrPcieLinkWidth(device: Handle, to: *mut c_uint) => out(to, of(device)?.card.pcie_lanes);
    nvmlDeviceGetMaxPcieLinkWidth(device: Handle, to: *mut c_uint) => out(to, of(device)?.card.pcie_lanes);
    nvmlDeviceGetMemoryBusWidth(device: Handle, bits: *mut c_uint) => out(bits, of(device)?.card.memory_bus_bits);
    nvmlDeviceGetNumGpuCores(device: Handle, count: *mut c_uint) => { let row = of(device)?.card; out(count, row.multiprocessors * row.architecture.fp32_lanes_per_multiprocessor) };
    // Every process may compute.
    nvmlDeviceGetComputeMode(device: Handle, mode: *mut c_uint) => { of(device)?; out(mode, 0) };
    nvmlDeviceIsMigDeviceHandle(device: Handle, answer: *mut c_uint) => { of(device)?; out(answer, 0) };
    nvmlDeviceGetComputeRunningProcesses(device: Handle, count: *mut c_uint, to: *mut Process1) => processes(device, count, to, Some(process_1));
    nvmlDeviceGetComputeRunningProcesses_v2(device: Handle, count: *mut c_uint, to: *mut Process) => processes(device, count, to, Some(process));
    nvmlDeviceGetComputeRunningProcesses_v3(device: Handle, count: *mut c_uint, to: *mut Process) => processes(device, count, to, Some(process));
    nvmlDeviceGetGraphicsRunningProcesses(device: Handle, count: *mut c_uint, to: *mut Process1) => processes(device, count, to, None);
    nvmlDeviceGetGraphicsRunningProcesses_v2(device: Handle, count: *mut c_uint, to: *mut Process) => processes(device, count, to, None);
    nvmlDeviceGetGraphicsRunningProcesses_v3(device: Handle, count: *mut c_uint, to: *mut Process) => processes(device, count, to, None);
}

/// Names that have no implementation, since what they tell of is not modelled. The caller's arguments are left alone: the C
/// convention lets the caller clear them away.
pub mod without {
    #![allow(non_snake_case)]
    macro_rules! absent {
        ($($name:ident)*) => {
            $(
                /// Not modelled.
                #[unsafe(no_mangle)]
                pub extern "C" fn $name() -> u32 {
                    crate::status::NOT_SUPPORTED.0
                }
            )*
        };
    }

    absent! {
        // Names that have newer versions.
        nvmlComputeInstanceGetInfo nvmlDeviceGetAttributes nvmlDeviceGetBlacklistDeviceCount
        nvmlDeviceGetBlacklistDeviceInfoByIndex nvmlDeviceGetGpuInstancePossiblePlacements
        nvmlDeviceGetGridLicensableFeatures nvmlDeviceGetGridLicensableFeatures_v2
        nvmlDeviceGetGridLicensableFeatures_v3 nvmlDeviceGetNvLinkRemotePciInfo nvmlEventSetWait
        nvmlVgpuInstanceGetLicenseInfo
        // All others.
        nvmlComputeInstanceDestroy nvmlComputeInstanceGetInfo_v2 nvmlDeviceClearAccountingPids
        nvmlDeviceClearCpuAffinity nvmlDeviceClearEccErrorCounts nvmlDeviceClearFieldValues
        nvmlDeviceCreateGpuInstance nvmlDeviceCreateGpuInstanceWithPlacement nvmlDeviceDiscoverGpus
        nvmlDeviceFreezeNvLinkUtilizationCounter nvmlDeviceGetAPIRestriction nvmlDeviceGetAccountingBufferSize
        nvmlDeviceGetAccountingMode nvmlDeviceGetAccountingPids nvmlDeviceGetAccountingStats
        nvmlDeviceGetAccountingStats_v2 nvmlDeviceGetActiveVgpus nvmlDeviceGetAdaptiveClockInfoStatus
        nvmlDeviceGetAdaptiveTgpModeInfo_v1 nvmlDeviceGetAddressingMode nvmlDeviceGetApplicationsClock
        nvmlDeviceGetAttributes_v2 nvmlDeviceGetAutoBoostedClocksEnabled
        nvmlDeviceGetBAR1MemoryInfo nvmlDeviceGetBBXTimeData_v1 nvmlDeviceGetBankRemapperStatus_v1
        nvmlDeviceGetBoardId nvmlDeviceGetBoardPartNumber nvmlDeviceGetBrand nvmlDeviceGetBridgeChipInfo
        nvmlDeviceGetBusType nvmlDeviceGetC2cModeInfoV nvmlDeviceGetCapabilities nvmlDeviceGetClkMonStatus
        nvmlDeviceGetClock nvmlDeviceGetClockOffsets nvmlDeviceGetComputeInstanceId
        nvmlDeviceGetConfComputeGpuAttestationReport nvmlDeviceGetConfComputeGpuCertificate
        nvmlDeviceGetConfComputeMemSizeInfo nvmlDeviceGetConfComputeProtectedMemoryUsage nvmlDeviceGetCoolerInfo
        nvmlDeviceGetCpuAffinity nvmlDeviceGetCpuAffinityWithinScope nvmlDeviceGetCreatableVgpus
        nvmlDeviceGetCurrentClockFreqs nvmlDeviceGetCurrentClocksEventReasons
        nvmlDeviceGetCurrentClocksThrottleReasons nvmlDeviceGetDecoderUtilization
        nvmlDeviceGetDefaultApplicationsClock nvmlDeviceGetDefaultEccMode nvmlDeviceGetDetailedEccErrors
        nvmlDeviceGetDeviceHandleFromMigDeviceHandle nvmlDeviceGetDisplayActive nvmlDeviceGetDisplayMode
        nvmlDeviceGetDramEncryptionMode nvmlDeviceGetDriverModel nvmlDeviceGetDriverModel_v2
        nvmlDeviceGetDynamicPstatesInfo nvmlDeviceGetEccMode nvmlDeviceGetEncoderCapacity nvmlDeviceGetEncoderSessions
        nvmlDeviceGetEncoderStats nvmlDeviceGetEncoderUtilization nvmlDeviceGetEnforcedPowerLimit
        nvmlDeviceGetFBCSessions nvmlDeviceGetFBCStats nvmlDeviceGetFanControlPolicy_v2 nvmlDeviceGetFanSpeed
        nvmlDeviceGetFanSpeedRPM nvmlDeviceGetFanSpeed_v2 nvmlDeviceGetFieldValues nvmlDeviceGetGpcClkMinMaxVfOffset
        nvmlDeviceGetGpcClkVfOffset nvmlDeviceGetGpuFabricInfo nvmlDeviceGetGpuFabricInfoV
        nvmlDeviceGetGpuFabricInfo_v4 nvmlDeviceGetGpuInstanceById nvmlDeviceGetGpuInstanceId
        nvmlDeviceGetGpuInstancePossiblePlacements_v2 nvmlDeviceGetGpuInstanceProfileInfo
        nvmlDeviceGetGpuInstanceProfileInfoByIdV nvmlDeviceGetGpuInstanceProfileInfoV
        nvmlDeviceGetGpuInstanceRemainingCapacity nvmlDeviceGetGpuInstances nvmlDeviceGetGpuMaxPcieLinkGeneration
        nvmlDeviceGetGpuOperationMode nvmlDeviceGetGridLicensableFeatures_v4 nvmlDeviceGetGspFirmwareMode
        nvmlDeviceGetGspFirmwareVersion nvmlDeviceGetHandleBySerial nvmlDeviceGetHandleByUUIDV
        nvmlDeviceGetHostVgpuMode nvmlDeviceGetHostname_v1 nvmlDeviceGetInforomConfigurationChecksum
        nvmlDeviceGetInforomImageVersion nvmlDeviceGetInforomVersion nvmlDeviceGetIrqNum nvmlDeviceGetJpgUtilization
        nvmlDeviceGetLastBBXFlushTime nvmlDeviceGetMPSComputeRunningProcesses_v2
        nvmlDeviceGetMPSComputeRunningProcesses_v3 nvmlDeviceGetMarginTemperature nvmlDeviceGetMaxCustomerBoostClock
        nvmlDeviceGetMaxMigDeviceCount nvmlDeviceGetMemClkMinMaxVfOffset nvmlDeviceGetMemClkVfOffset
        nvmlDeviceGetMemoryAffinity nvmlDeviceGetMemoryErrorCounter nvmlDeviceGetMemoryLimits_v1
        nvmlDeviceGetMigDeviceHandleByIndex nvmlDeviceGetMigMode nvmlDeviceGetMinMaxClockOfPState
        nvmlDeviceGetMinMaxFanSpeed nvmlDeviceGetModuleId nvmlDeviceGetMultiGpuBoard nvmlDeviceGetNumFans
        nvmlDeviceGetNumaNodeId nvmlDeviceGetNvLinkCapability nvmlDeviceGetNvLinkErrorCounter nvmlDeviceGetNvLinkInfo
        nvmlDeviceGetNvLinkRemoteDeviceType nvmlDeviceGetNvLinkRemotePciInfo_v2 nvmlDeviceGetNvLinkState
        nvmlDeviceGetNvLinkTelemetrySamples_v1 nvmlDeviceGetNvLinkUtilizationControl
        nvmlDeviceGetNvLinkUtilizationCounter nvmlDeviceGetNvLinkVersion nvmlDeviceGetNvlinkBwMode
        nvmlDeviceGetNvlinkSupportedBwModes nvmlDeviceGetOfaUtilization nvmlDeviceGetP2PStatus nvmlDeviceGetPciInfoExt
        nvmlDeviceGetPcieLinkMaxSpeed nvmlDeviceGetPcieReplayCounter nvmlDeviceGetPcieSpeed
        nvmlDeviceGetPcieThroughput nvmlDeviceGetPdi nvmlDeviceGetPerformanceModes nvmlDeviceGetPerformanceState
        nvmlDeviceGetPersistenceMode nvmlDeviceGetPgpuMetadataString nvmlDeviceGetPlatformInfo
        nvmlDeviceGetPowerManagementDefaultLimit nvmlDeviceGetPowerManagementLimit
        nvmlDeviceGetPowerManagementLimitConstraints nvmlDeviceGetPowerManagementMode nvmlDeviceGetPowerMizerMode_v1
        nvmlDeviceGetPowerSource nvmlDeviceGetPowerState nvmlDeviceGetPowerUsage nvmlDeviceGetProcessUtilization
        nvmlDeviceGetProcessesUtilizationInfo nvmlDeviceGetRemappedRows nvmlDeviceGetRemappedRows_v2
        nvmlDeviceGetRepairStatus nvmlDeviceGetRetiredPages nvmlDeviceGetRetiredPagesPendingStatus
        nvmlDeviceGetRetiredPages_v2 nvmlDeviceGetRowRemapperHistogram nvmlDeviceGetRunningProcessDetailList
        nvmlDeviceGetSamples nvmlDeviceGetSerial nvmlDeviceGetSramEccErrorStatus
        nvmlDeviceGetSramUniqueUncorrectedEccErrorCounts nvmlDeviceGetSupportedClocksEventReasons
        nvmlDeviceGetSupportedClocksThrottleReasons nvmlDeviceGetSupportedEventTypes
        nvmlDeviceGetSupportedGraphicsClocks nvmlDeviceGetSupportedMemoryClocks
        nvmlDeviceGetSupportedPerformanceStates nvmlDeviceGetSupportedVgpus nvmlDeviceGetTargetFanSpeed
        nvmlDeviceGetTemperature nvmlDeviceGetTemperatureThreshold nvmlDeviceGetTemperatureV
        nvmlDeviceGetThermalSettings nvmlDeviceGetTopologyCommonAncestor nvmlDeviceGetTopologyNearestGpus
        nvmlDeviceGetTotalEccErrors nvmlDeviceGetTotalEnergyConsumption nvmlDeviceGetUnrepairableMemoryFlag_v1
        nvmlDeviceGetVbiosVersion nvmlDeviceGetVgpuCapabilities nvmlDeviceGetVgpuHeterogeneousMode
        nvmlDeviceGetVgpuInstancesUtilizationInfo nvmlDeviceGetVgpuMetadata nvmlDeviceGetVgpuProcessUtilization
        nvmlDeviceGetVgpuProcessesUtilizationInfo nvmlDeviceGetVgpuSchedulerCapabilities nvmlDeviceGetVgpuSchedulerLog
        nvmlDeviceGetVgpuSchedulerLog_v2 nvmlDeviceGetVgpuSchedulerState nvmlDeviceGetVgpuSchedulerState_v2
        nvmlDeviceGetVgpuTypeCreatablePlacements nvmlDeviceGetVgpuTypeSupportedPlacements nvmlDeviceGetVgpuUtilization
        nvmlDeviceGetViolationStatus nvmlDeviceGetVirtualizationMode nvmlDeviceModifyDrainState nvmlDeviceOnSameBoard
        nvmlDevicePerfMetricsGetSamples_v1 nvmlDevicePowerSmoothingActivatePresetProfile
        nvmlDevicePowerSmoothingSetState nvmlDevicePowerSmoothingUpdatePresetProfileParam nvmlDeviceQueryDrainState
        nvmlDeviceReadPRMCounters_v1 nvmlDeviceReadWritePRM_v1 nvmlDeviceRegisterEvents nvmlDeviceRemoveGpu
        nvmlDeviceRemoveGpu_v2 nvmlDeviceResetApplicationsClocks nvmlDeviceResetGpuLockedClocks
        nvmlDeviceResetMemoryLockedClocks nvmlDeviceResetNvLinkErrorCounters nvmlDeviceResetNvLinkUtilizationCounter
        nvmlDeviceSetAPIRestriction nvmlDeviceSetAccountingMode nvmlDeviceSetAdaptiveTgpMode_v1
        nvmlDeviceSetApplicationsClocks nvmlDeviceSetAutoBoostedClocksEnabled nvmlDeviceSetClockOffsets
        nvmlDeviceSetComputeMode nvmlDeviceSetConfComputeUnprotectedMemSize nvmlDeviceSetCpuAffinity
        nvmlDeviceSetDefaultAutoBoostedClocksEnabled nvmlDeviceSetDefaultFanSpeed_v2 nvmlDeviceSetDramEncryptionMode
        nvmlDeviceSetDriverModel nvmlDeviceSetEccMode nvmlDeviceSetFanControlPolicy nvmlDeviceSetFanSpeed_v2
        nvmlDeviceSetGpcClkVfOffset nvmlDeviceSetGpuLockedClocks nvmlDeviceSetGpuOperationMode
        nvmlDeviceSetHostname_v1 nvmlDeviceSetMemClkVfOffset nvmlDeviceSetMemoryLimits_v1
        nvmlDeviceSetMemoryLockedClocks nvmlDeviceSetMigMode nvmlDeviceSetNvLinkDeviceLowPowerThreshold
        nvmlDeviceSetNvLinkUtilizationControl nvmlDeviceSetNvlinkBwMode nvmlDeviceSetNvlinkBwModeAsync_v1
        nvmlDeviceSetPersistenceMode nvmlDeviceSetPowerManagementLimit nvmlDeviceSetPowerManagementLimit_v2
        nvmlDeviceSetPowerMizerMode_v1 nvmlDeviceSetRusdSettings_v1 nvmlDeviceSetTemperatureThreshold
        nvmlDeviceSetVgpuCapabilities nvmlDeviceSetVgpuHeterogeneousMode nvmlDeviceSetVgpuSchedulerState
        nvmlDeviceSetVgpuSchedulerState_v2 nvmlDeviceSetVirtualizationMode nvmlDeviceValidateInforom
        nvmlDeviceVgpuForceGspUnload nvmlDeviceWorkloadPowerProfileClearRequestedProfiles
        nvmlDeviceWorkloadPowerProfileGetCurrentProfiles nvmlDeviceWorkloadPowerProfileGetProfilesInfo
        nvmlDeviceWorkloadPowerProfileSetRequestedProfiles nvmlDeviceWorkloadPowerProfileUpdateProfiles_v1
        nvmlEventSetCreate nvmlEventSetFree nvmlEventSetGetContextCount_v1 nvmlEventSetGetContextData_v1
        nvmlEventSetGetContextInfo_v1 nvmlEventSetGetGpuOperationalEventContextLegacyXid_v1
        nvmlEventSetRegisterGpuOperationalEvents_v1 nvmlEventSetWait_v2 nvmlEventSetWait_v3 nvmlGetExcludedDeviceCount
        nvmlGetExcludedDeviceInfoByIndex nvmlGetVgpuCompatibility nvmlGetVgpuDriverCapabilities nvmlGetVgpuVersion
        nvmlGpmMetricsGet nvmlGpmMigSampleGet nvmlGpmQueryDeviceSupport nvmlGpmQueryIfStreamingEnabled
        nvmlGpmSampleAlloc nvmlGpmSampleFree nvmlGpmSampleGet nvmlGpmSetStreamingEnabled
        nvmlGpuInstanceCreateComputeInstance nvmlGpuInstanceCreateComputeInstanceWithPlacement nvmlGpuInstanceDestroy
        nvmlGpuInstanceGetActiveVgpus nvmlGpuInstanceGetComputeInstanceById
        nvmlGpuInstanceGetComputeInstancePossiblePlacements nvmlGpuInstanceGetComputeInstanceProfileInfo
        nvmlGpuInstanceGetComputeInstanceProfileInfoV nvmlGpuInstanceGetComputeInstanceRemainingCapacity
        nvmlGpuInstanceGetComputeInstances nvmlGpuInstanceGetCreatableVgpus nvmlGpuInstanceGetInfo
        nvmlGpuInstanceGetVgpuHeterogeneousMode nvmlGpuInstanceGetVgpuSchedulerLog
        nvmlGpuInstanceGetVgpuSchedulerLog_v2 nvmlGpuInstanceGetVgpuSchedulerState
        nvmlGpuInstanceGetVgpuSchedulerState_v2 nvmlGpuInstanceGetVgpuTypeCreatablePlacements
        nvmlGpuInstanceSetVgpuHeterogeneousMode nvmlGpuInstanceSetVgpuSchedulerState
        nvmlGpuInstanceSetVgpuSchedulerState_v2 nvmlSetVgpuVersion nvmlSystemEventSetCreate nvmlSystemEventSetFree
        nvmlSystemEventSetWait nvmlSystemGetCPER_v1 nvmlSystemGetConfComputeCapabilities
        nvmlSystemGetConfComputeGpusReadyState nvmlSystemGetConfComputeKeyRotationThresholdInfo
        nvmlSystemGetConfComputeSettings nvmlSystemGetConfComputeState
        nvmlSystemGetHicVersion nvmlSystemGetNvlinkBwMode nvmlSystemGetTopologyGpuSet nvmlSystemRegisterEvents
        nvmlSystemSetConfComputeGpusReadyState nvmlSystemSetConfComputeKeyRotationThresholdInfo
        nvmlSystemSetNvlinkBwMode nvmlUnitGetCount nvmlUnitGetDevices nvmlUnitGetFanSpeedInfo nvmlUnitGetHandleByIndex
        nvmlUnitGetLedState nvmlUnitGetPsuInfo nvmlUnitGetTemperature nvmlUnitGetUnitInfo nvmlUnitSetLedState
        nvmlVgpuInstanceClearAccountingPids nvmlVgpuInstanceGetAccountingMode nvmlVgpuInstanceGetAccountingPids
        nvmlVgpuInstanceGetAccountingStats nvmlVgpuInstanceGetEccMode nvmlVgpuInstanceGetEncoderCapacity
        nvmlVgpuInstanceGetEncoderSessions nvmlVgpuInstanceGetEncoderStats nvmlVgpuInstanceGetFBCSessions
        nvmlVgpuInstanceGetFBCStats nvmlVgpuInstanceGetFbUsage nvmlVgpuInstanceGetFrameRateLimit
        nvmlVgpuInstanceGetGpuInstanceId nvmlVgpuInstanceGetGpuPciId nvmlVgpuInstanceGetLicenseInfo_v2
        nvmlVgpuInstanceGetLicenseStatus nvmlVgpuInstanceGetMdevUUID nvmlVgpuInstanceGetMetadata
        nvmlVgpuInstanceGetPlacementId nvmlVgpuInstanceGetRuntimeStateSize nvmlVgpuInstanceGetType
        nvmlVgpuInstanceGetUUID nvmlVgpuInstanceGetVmDriverVersion nvmlVgpuInstanceGetVmID
        nvmlVgpuInstanceSetEncoderCapacity nvmlVgpuTypeGetBAR1Info nvmlVgpuTypeGetCapabilities nvmlVgpuTypeGetClass
        nvmlVgpuTypeGetDeviceID nvmlVgpuTypeGetFbReservation nvmlVgpuTypeGetFrameRateLimit
        nvmlVgpuTypeGetFramebufferSize nvmlVgpuTypeGetGpuInstanceProfileId nvmlVgpuTypeGetGspHeapSize
        nvmlVgpuTypeGetLicense nvmlVgpuTypeGetMaxInstances nvmlVgpuTypeGetMaxInstancesPerGpuInstance
        nvmlVgpuTypeGetMaxInstancesPerVm nvmlVgpuTypeGetName nvmlVgpuTypeGetNumDisplayHeads nvmlVgpuTypeGetResolution
    }
}
