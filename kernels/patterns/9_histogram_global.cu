// out[b] = how many of n elements lie in bin b of 256, counted in global memory.
//
// Element x of [-1, 1) lies in bin ⌊256·x²⌋: the low bins, where most of a picture's pixels would lie too, get far more than the high ones.
// Thread t of block b owns the element 256·b + t.
//
// Launch: grid ⌈n/256⌉, block (256). out is zero before the launch. Counts are whole numbers in f32, exact up to 2²⁴.
// Napkin: an atomic addition for every 4 bytes. A warp's 32 go to 256 words of 8·128 bytes; one element in 16 goes to out[0].

__device__ int bin_of(float x) {
    return min(int(x * x * 256), 255);
}

extern "C" __global__ void histogram_global_f32(float* out, const float* in, int n) {
    const int i = blockIdx.x * 256 + threadIdx.x;
    if (i < n) {
        atomicAdd(&out[bin_of(in[i])], 1.0f);
    }
}
