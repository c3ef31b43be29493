template<typename F>__device__ void add(F*y,const F*A,const F*x,int h,int w){long long i=(long long)blockIdx.y*blockDim.y+threadIdx.y;
long long j=(long long)blockIdx.x*blockDim.x+threadIdx.x;if(i>=h||j>=w)return;F p=A[i*w+j];p*=x[j];atomicAdd(y+i,p);}
extern "C" __global__ void atomic_f32(float*b,const float*a,const float*x,int m,int n){add(b,a,x,m,n);}
