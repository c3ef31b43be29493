#include <cublas_v2.h>
#include <cstdio>
#include <vector>
#include <algorithm>
int main() {
  cublasHandle_t h; cublasCreate(&h);
  cudaEvent_t a,b; cudaEventCreate(&a); cudaEventCreate(&b);
  for (int n : {1024, 4096}) {
    float *A,*B,*C; cudaMalloc(&A,4l*n*n); cudaMalloc(&B,4l*n*n); cudaMalloc(&C,4l*n*n); cudaMemset(A,0,4l*n*n); cudaMemset(B,0,4l*n*n);
    float one=1,zero=0; int k = n==1024?200:30; std::vector<float> t, v;
    for (int r=0;r<7;r++) { cudaEventRecord(a); for(int i=0;i<k;i++) cublasSgemm(h,CUBLAS_OP_N,CUBLAS_OP_N,n,n,n,&one,A,n,B,n,&zero,C,n); cudaEventRecord(b); cudaEventSynchronize(b); float ms; cudaEventElapsedTime(&ms,a,b); t.push_back(ms/k);
      cudaEventRecord(a); for(int i=0;i<k;i++) cublasSgemv(h,CUBLAS_OP_T,n,n,&one,A,n,B,1,&zero,C,1); cudaEventRecord(b); cudaEventSynchronize(b); cudaEventElapsedTime(&ms,a,b); v.push_back(ms/k); }
    std::sort(t.begin(),t.end()); std::sort(v.begin(),v.end());
    printf("back to back n=%d sgemm %.1f TFLOP/s sgemv %.0f GB/s\n", n, 2.0*n*n*n/t[0]/1e9, 4.0*n*n/v[0]/1e6);
  }
}
