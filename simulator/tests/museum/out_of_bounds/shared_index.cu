// A tile of 32 columns is written at column 32 of its last row.
// launch: grid 1 block 33
// arg: float out[33]
// finds: out of bounds
extern "C" __global__ void tile(float* out) {
    __shared__ float row[32];
    row[threadIdx.x] = threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = row[32 - threadIdx.x];
}
