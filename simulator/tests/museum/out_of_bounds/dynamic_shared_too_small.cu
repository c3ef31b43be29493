// The launch asks for bytes where the kernel needs as many floats.
// launch: grid 1 block 64 shared 64
// arg: float out[64]
// finds: out of bounds
extern "C" __global__ void tile(float* out) {
    extern __shared__ float row[];
    row[threadIdx.x] = threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = row[63 - threadIdx.x];
}
