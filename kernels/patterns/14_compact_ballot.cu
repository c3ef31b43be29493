// out = the elements above 0, in any order, and after the room for all n the number of them: a warp asks for all its places at once.
//
// Thread t of block b owns the element 256·b + t. A ballot tells each lane which lanes of its warp keep their element: its own place among the warp's
// is the number of those below it.
//
// Launch: grid ⌈n/256⌉, block (256). out is zero before the launch, its counter out[n] too.
// Napkin: an atomic addition for 32 elements, where `compact_atomic` makes 16. The kept ones of a warp are neighbours in `out`.

extern "C" __global__ void compact_ballot_f32(float* out, const float* in, int n) {
    // TASK: __ballot_sync gives the mask of the lanes that keep theirs, __popc counts its bits. One lane adds that number to the counter, which is the
    // unsigned word at out + n, and __shfl_sync hands the old value to the others.
    // BEGIN SOLUTION
    unsigned* kept = reinterpret_cast<unsigned*>(out + n);
    const int i = blockIdx.x * 256 + threadIdx.x;
    const int lane = threadIdx.x % 32;
    const float x = i < n ? in[i] : 0;
    const unsigned keep = __ballot_sync(0xffffffff, x > 0);
    unsigned first = 0;
    if (lane == 0 && keep != 0) {
        first = atomicAdd(kept, __popc(keep));
    }
    first = __shfl_sync(0xffffffff, first, 0);
    if (x > 0) {
        out[first + __popc(keep & ((1u << lane) - 1))] = x;
    }
    // END SOLUTION
}
