// Everything is a macro.

#define ZEILE (blockIdx.y * (long long)blockDim.y + threadIdx.y)
#define SPALTE (blockIdx.x * (long long)blockDim.x + threadIdx.x)
#define IN(matrix, i, j, breite) (matrix)[(i) * (long long)(breite) + (j)]

template <class Zahl>
__device__ void product(Zahl* c, const Zahl* a, const Zahl* b, int m, int n, int k) {
    const long long zeile = ZEILE, spalte = SPALTE;
    if (zeile < m && spalte < n) {
        Zahl summe = 0;
        int laufend = k;
        while (laufend-- > 0) {
            summe = IN(a, zeile, laufend, k) * IN(b, laufend, spalte, n) + summe;
        }
        IN(c, zeile, spalte, n) = summe;
    }
}

#define KERNEL(T, dtype)                                                                                     \
    extern "C" __global__ void naive_##dtype(T* c, const T* a, const T* b, int m, int n, int k) {             \
        product<T>(c, a, b, m, n, k);                                                                        \
    }

KERNEL(float, f32)
KERNEL(double, f64)
