// A box of a volume there and back: cudaMalloc3D, cudaMemset3D, cudaMemcpy3D.
#include "check.h"
int main() {
    const int w = 20, h = 6, d = 4; static unsigned char a[d][h][w], b[d][h][w]; for (int i = 0; i < w * h * d; i++) (&a[0][0][0])[i] = i * 7;
    cudaPitchedPtr p; CALL(cudaMalloc3D(&p, make_cudaExtent(w, h, d))); CALL(cudaMemset3D(p, 9, make_cudaExtent(w, h, d)));
    cudaMemcpy3DParms c = {}; c.srcPtr = make_cudaPitchedPtr(a, w, w, h); c.dstPtr = p; c.extent = make_cudaExtent(8, 3, 2); c.kind = cudaMemcpyHostToDevice;
    c.srcPos = make_cudaPos(2, 1, 1); c.dstPos = make_cudaPos(5, 2, 0); CALL(cudaMemcpy3D(&c));
    cudaMemcpy3DParms back = {}; back.srcPtr = p; back.dstPtr = make_cudaPitchedPtr(b, w, w, h); back.extent = make_cudaExtent(w, h, d); back.kind = cudaMemcpyDeviceToHost; CALL(cudaMemcpy3D(&back));
    for (int z = 0; z < d; z++) for (int y = 0; y < h; y++) for (int x = 0; x < w; x++) {
        bool in = x >= 5 && x < 13 && y >= 2 && y < 5 && z < 2; CHECK(b[z][y][x] == (in ? a[z + 1][y - 1][x - 3] : 9));
    }
}
