//! Names of cuFFT that have no implementation.
#![allow(non_snake_case, reason = "the interface's names")]

crate::failure::absent! { of_cufft;
    cufftDebug cufftEstimate1d cufftEstimate2d cufftEstimate3d cufftEstimateMany cufftGetPlanPropertyInt64 cufftGetSize1d cufftGetSize2d
    cufftGetSize3d cufftGetSizeMany cufftGetSizeMany64 cufftResetPlanProperty cufftSetPlanPropertyInt64 cufftXtClearCallback cufftXtExec
    cufftXtExecDescriptor cufftXtExecDescriptorC2C cufftXtExecDescriptorC2R cufftXtExecDescriptorD2Z cufftXtExecDescriptorR2C
    cufftXtExecDescriptorZ2D cufftXtExecDescriptorZ2Z cufftXtFree cufftXtGetSizeMany cufftXtMakePlanGuru64 cufftXtMakePlanMany cufftXtMalloc
    cufftXtMemcpy cufftXtQueryPlan cufftXtSetCallback cufftXtSetCallbackSharedSize cufftXtSetGPUs cufftXtSetJITCallback cufftXtSetWorkArea
    cufftXtSetWorkAreaPolicy
}
