// out = the elements above 0, in any order, and after the room for all n the number of them: a counter in global memory says where each goes.
//
// Thread t of block b owns the element 256·b + t. The word of `out` after its n elements is the counter, an unsigned number.
//
// Launch: grid ⌈n/256⌉, block (256). out is zero before the launch, the counter too.
// Napkin: n/2 atomic additions to one address, which takes them one after the other. (A compiler may aggregate those of a warp; the PTX has them all.)

extern "C" __global__ void compact_atomic_f32(float* out, const float* in, int n) {
    unsigned* kept = reinterpret_cast<unsigned*>(out + n);
    const int i = blockIdx.x * 256 + threadIdx.x;
    if (i < n && in[i] > 0) {
        out[atomicAdd(kept, 1)] = in[i];
    }
}
