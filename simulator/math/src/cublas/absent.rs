//! Names of cuBLAS 12.9 and of the headers up to 13.4 that have no implementation. Banded, packed and Hermitian matrices, rotations, and the
//! interface of before CUDA 4 (without handles) are among them.
#![allow(non_snake_case, reason = "the interface's names")]

crate::failure::absent! { of_cublas;
    cublasAlloc cublasAsumEx cublasAsumEx_64 cublasCaxpy cublasCbdmm cublasCcopy cublasCdotc cublasCdotu cublasCgbmv
    cublasCgbmv_v2 cublasCgbmv_v2_64 cublasCgelsBatched cublasCgemm cublasCgemm3m cublasCgemm3mBatched
    cublasCgemm3mBatched_64 cublasCgemm3mEx cublasCgemm3mEx_64 cublasCgemm3mStridedBatched
    cublasCgemm3mStridedBatched_64 cublasCgemm3m_64 cublasCgemmEx cublasCgemmEx_64 cublasCgemv cublasCgeqrfBatched
    cublasCgerc cublasCgeru cublasCgetrfBatched cublasCgetriBatched cublasCgetrsBatched cublasChbmv cublasChbmv_v2
    cublasChbmv_v2_64 cublasChemm cublasChemm_v2 cublasChemm_v2_64 cublasChemv cublasChemv_v2 cublasChemv_v2_64
    cublasCher cublasCher2 cublasCher2_v2 cublasCher2_v2_64 cublasCher2k cublasCher2k_v2 cublasCher2k_v2_64
    cublasCher_v2 cublasCher_v2_64 cublasCherk cublasCherk3mEx cublasCherk3mEx_64 cublasCherkEx cublasCherkEx_64
    cublasChpmv cublasChpmv_v2 cublasChpmv_v2_64 cublasChpr cublasChpr2 cublasChpr2_v2 cublasChpr2_v2_64 cublasChpr_v2
    cublasChpr_v2_64 cublasCmatinvBatched cublasCopyEx cublasCopyEx_64 cublasCrot cublasCrot_v2 cublasCrot_v2_64
    cublasCrotg cublasCrotg_v2 cublasCscal cublasCsrot cublasCsrot_v2 cublasCsrot_v2_64 cublasCsscal cublasCswap
    cublasCsymm cublasCsymm_v2 cublasCsymm_v2_64 cublasCsymv_v2 cublasCsymv_v2_64 cublasCsyr2_v2 cublasCsyr2_v2_64
    cublasCsyr2k cublasCsyr2k_v2 cublasCsyr2k_v2_64 cublasCsyr_v2 cublasCsyr_v2_64 cublasCsyrk cublasCsyrk3mEx
    cublasCsyrk3mEx_64 cublasCsyrkEx cublasCsyrkEx_64 cublasCtbmv cublasCtbmv_v2 cublasCtbmv_v2_64 cublasCtbsv
    cublasCtbsv_v2 cublasCtbsv_v2_64 cublasCtpmv cublasCtpmv_v2 cublasCtpmv_v2_64 cublasCtpsv cublasCtpsv_v2
    cublasCtpsv_v2_64 cublasCtpttr cublasCtrmm cublasCtrmm_v2 cublasCtrmm_v2_64 cublasCtrmv cublasCtrmv_v2
    cublasCtrmv_v2_64 cublasCtrsm cublasCtrsv cublasCtrsv_v2 cublasCtrsv_v2_64 cublasCtrttp cublasDasum cublasDaxpy
    cublasDbdmm cublasDcopy cublasDdot cublasDgbmv cublasDgbmv_v2 cublasDgbmv_v2_64 cublasDgelsBatched cublasDgemm
    cublasDgemv cublasDgeqrfBatched cublasDger cublasDgetrfBatched cublasDgetriBatched cublasDgetrsBatched
    cublasDmatinvBatched cublasDnrm2 cublasDotEx cublasDotEx_64 cublasDotcEx cublasDotcEx_64 cublasDrot cublasDrot_v2
    cublasDrot_v2_64 cublasDrotg cublasDrotg_v2 cublasDrotm cublasDrotm_v2 cublasDrotm_v2_64 cublasDrotmg
    cublasDrotmg_v2 cublasDsbmv cublasDsbmv_v2 cublasDsbmv_v2_64 cublasDscal cublasDspmv cublasDspmv_v2
    cublasDspmv_v2_64 cublasDspr cublasDspr2 cublasDspr2_v2 cublasDspr2_v2_64 cublasDspr_v2 cublasDspr_v2_64 cublasDswap
    cublasDsymm cublasDsymm_v2 cublasDsymm_v2_64 cublasDsymv cublasDsymv_v2 cublasDsymv_v2_64 cublasDsyr cublasDsyr2
    cublasDsyr2_v2 cublasDsyr2_v2_64 cublasDsyr2k cublasDsyr2k_v2 cublasDsyr2k_v2_64 cublasDsyr_v2 cublasDsyr_v2_64
    cublasDsyrk cublasDtbmv cublasDtbmv_v2 cublasDtbmv_v2_64 cublasDtbsv cublasDtbsv_v2 cublasDtbsv_v2_64 cublasDtpmv
    cublasDtpmv_v2 cublasDtpmv_v2_64 cublasDtpsv cublasDtpsv_v2 cublasDtpsv_v2_64 cublasDtpttr cublasDtrmm
    cublasDtrmm_v2 cublasDtrmm_v2_64 cublasDtrmv cublasDtrmv_v2 cublasDtrmv_v2_64 cublasDtrsm cublasDtrsv cublasDtrsv_v2
    cublasDtrsv_v2_64 cublasDtrttp cublasDzasum cublasDznrm2 cublasFree cublasGetBackdoor cublasGetEmulationStrategy
    cublasGetError cublasGetLoggerCallback cublasGetVersion cublasHSHgemvBatched
    cublasHSHgemvBatched_64 cublasHSHgemvStridedBatched cublasHSHgemvStridedBatched_64 cublasHSSgemvBatched
    cublasHSSgemvBatched_64 cublasHSSgemvStridedBatched cublasHSSgemvStridedBatched_64 cublasIamaxEx cublasIamaxEx_64
    cublasIaminEx cublasIaminEx_64 cublasIcamax cublasIcamin cublasIdamax cublasIdamin cublasInit cublasIsamax
    cublasIsamin cublasIzamax cublasIzamin cublasNrm2Ex cublasNrm2Ex_64 cublasRotEx cublasRotEx_64 cublasRotgEx
    cublasRotmEx cublasRotmEx_64 cublasRotmgEx cublasSasum cublasSaxpy cublasSbdmm cublasScasum cublasScnrm2 cublasScopy
    cublasSdot cublasSetBackdoor cublasSetBackdoorEx cublasSetEmulationStrategy
    cublasSetKernelStream cublasSgbmv cublasSgbmv_v2 cublasSgbmv_v2_64 cublasSgelsBatched cublasSgemm cublasSgemv
    cublasSgeqrfBatched cublasSger cublasSgetrfBatched cublasSgetriBatched cublasSgetrsBatched cublasShutdown
    cublasSmatinvBatched cublasSnrm2 cublasSrot cublasSrot_v2 cublasSrot_v2_64 cublasSrotg cublasSrotg_v2 cublasSrotm
    cublasSrotm_v2 cublasSrotm_v2_64 cublasSrotmg cublasSrotmg_v2 cublasSsbmv cublasSsbmv_v2 cublasSsbmv_v2_64
    cublasSscal cublasSspmv cublasSspmv_v2 cublasSspmv_v2_64 cublasSspr cublasSspr2 cublasSspr2_v2 cublasSspr2_v2_64
    cublasSspr_v2 cublasSspr_v2_64 cublasSswap cublasSsymm cublasSsymm_v2 cublasSsymm_v2_64 cublasSsymv cublasSsymv_v2
    cublasSsymv_v2_64 cublasSsyr cublasSsyr2 cublasSsyr2_v2 cublasSsyr2_v2_64 cublasSsyr2k cublasSsyr2k_v2
    cublasSsyr2k_v2_64 cublasSsyr_v2 cublasSsyr_v2_64 cublasSsyrk cublasStbmv cublasStbmv_v2 cublasStbmv_v2_64
    cublasStbsv cublasStbsv_v2 cublasStbsv_v2_64 cublasStpmv cublasStpmv_v2 cublasStpmv_v2_64 cublasStpsv cublasStpsv_v2
    cublasStpsv_v2_64 cublasStpttr cublasStrmm cublasStrmm_v2 cublasStrmm_v2_64 cublasStrmv cublasStrmv_v2
    cublasStrmv_v2_64 cublasStrsm cublasStrsv cublasStrsv_v2 cublasStrsv_v2_64 cublasStrttp cublasSwapEx cublasSwapEx_64
    cublasTSSgemvBatched cublasTSSgemvBatched_64 cublasTSSgemvStridedBatched cublasTSSgemvStridedBatched_64
    cublasTSTgemvBatched cublasTSTgemvBatched_64 cublasTSTgemvStridedBatched cublasTSTgemvStridedBatched_64
    cublasUint8gemmBias cublasXtCgemm cublasXtChemm cublasXtCher2k cublasXtCherk cublasXtCherkx cublasXtCreate
    cublasXtCspmm cublasXtCsymm cublasXtCsyr2k cublasXtCsyrk cublasXtCsyrkx cublasXtCtrmm cublasXtCtrsm cublasXtDestroy
    cublasXtDeviceSelect cublasXtDgemm cublasXtDspmm cublasXtDsymm cublasXtDsyr2k cublasXtDsyrk cublasXtDsyrkx
    cublasXtDtrmm cublasXtDtrsm cublasXtGetBlockDim cublasXtGetNumBoards cublasXtGetPinningMemMode cublasXtMaxBoards
    cublasXtSetBlockDim cublasXtSetCpuRatio cublasXtSetCpuRoutine cublasXtSetPinningMemMode cublasXtSgemm cublasXtSspmm
    cublasXtSsymm cublasXtSsyr2k cublasXtSsyrk cublasXtSsyrkx cublasXtStrmm cublasXtStrsm cublasXtZgemm cublasXtZhemm
    cublasXtZher2k cublasXtZherk cublasXtZherkx cublasXtZspmm cublasXtZsymm cublasXtZsyr2k cublasXtZsyrk cublasXtZsyrkx
    cublasXtZtrmm cublasXtZtrsm cublasZaxpy cublasZbdmm cublasZcopy cublasZdotc cublasZdotu cublasZdrot cublasZdrot_v2
    cublasZdrot_v2_64 cublasZdscal cublasZgbmv cublasZgbmv_v2 cublasZgbmv_v2_64 cublasZgelsBatched cublasZgemm
    cublasZgemm3m cublasZgemm3m_64 cublasZgemv cublasZgeqrfBatched cublasZgerc cublasZgeru cublasZgetrfBatched
    cublasZgetriBatched cublasZgetrsBatched cublasZhbmv cublasZhbmv_v2 cublasZhbmv_v2_64 cublasZhemm cublasZhemm_v2
    cublasZhemm_v2_64 cublasZhemv cublasZhemv_v2 cublasZhemv_v2_64 cublasZher cublasZher2 cublasZher2_v2
    cublasZher2_v2_64 cublasZher2k cublasZher2k_v2 cublasZher2k_v2_64 cublasZher_v2 cublasZher_v2_64 cublasZherk
    cublasZhpmv cublasZhpmv_v2 cublasZhpmv_v2_64 cublasZhpr cublasZhpr2 cublasZhpr2_v2 cublasZhpr2_v2_64 cublasZhpr_v2
    cublasZhpr_v2_64 cublasZmatinvBatched cublasZrot cublasZrot_v2 cublasZrot_v2_64 cublasZrotg cublasZrotg_v2
    cublasZscal cublasZswap cublasZsymm cublasZsymm_v2 cublasZsymm_v2_64 cublasZsymv_v2 cublasZsymv_v2_64 cublasZsyr2_v2
    cublasZsyr2_v2_64 cublasZsyr2k cublasZsyr2k_v2 cublasZsyr2k_v2_64 cublasZsyr_v2 cublasZsyr_v2_64 cublasZsyrk
    cublasZtbmv cublasZtbmv_v2 cublasZtbmv_v2_64 cublasZtbsv cublasZtbsv_v2 cublasZtbsv_v2_64 cublasZtpmv cublasZtpmv_v2
    cublasZtpmv_v2_64 cublasZtpsv cublasZtpsv_v2 cublasZtpsv_v2_64 cublasZtpttr cublasZtrmm cublasZtrmm_v2
    cublasZtrmm_v2_64 cublasZtrmv cublasZtrmv_v2 cublasZtrmv_v2_64 cublasZtrsm cublasZtrsv cublasZtrsv_v2
    cublasZtrsv_v2_64 cublasZtrttp
}
