// Calls of cuSOLVER and cuSPARSE, and what they leave: printed to seven digits, to be compared line by line between a card and `sim`.
//   nvcc -arch=sm_90 -o solver solver.cu -lcusolver -lcusparse && ./solver > card.txt && sim ./solver > sim.txt
#include <cmath>
#include <cstdio>
#include <cusolverDn.h>
#include <cusparse.h>
#include <vector>

using Numbers = std::vector<double>;

static cusolverDnHandle_t handle;
static int* info;
static double* work;  // more than any call asks for
static int room;

static Numbers random_numbers(int count) {
    static unsigned state = 1;
    Numbers numbers(count);
    for (double& number : numbers) {
        state = state * 1664525u + 1013904223u;
        number = (state >> 8) / double(1 << 24) - 0.5;
    }
    return numbers;
}

template <typename T> static T* on_card(const std::vector<T>& values) {
    T* place;
    cudaMalloc(&place, values.size() * sizeof(T));
    cudaMemcpy(place, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice);
    return place;
}

template <typename T> static std::vector<T> from_card(const T* place, size_t count) {
    std::vector<T> values(count);
    cudaMemcpy(values.data(), place, count * sizeof(T), cudaMemcpyDeviceToHost);
    return values;
}

static double* numbers_of(int count) { return on_card(Numbers(count)); }

static void print(const char* name, const double* place, int count, bool without_sign = false) {
    printf("%s", name);
    for (double value : from_card(place, count)) {
        printf(" %.7f", std::fabs(value) < 5e-9 ? 0.0 : without_sign ? std::fabs(value) : value);
    }
    puts("");
}

static void print(const char* name, const int* place, int count) {
    printf("%s", name);
    for (int value : from_card(place, count)) printf(" %d", value);
    puts("");
}

static void ended(const char* call, int which, int status) {
    printf("%s %d: %d\n", call, which, status);
    print(" info", info, 1);
}

// A product with its transpose, and a tenth on the diagonal.
static Numbers definite(int n) {
    Numbers g = random_numbers(n * n), a(n * n, 0);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            for (int k = 0; k < n; k++) a[i + j * n] += g[i + k * n] * g[j + k * n] + (i == j && k == 0 ? 0.1 : 0);
    return a;
}

static void lu(int m, int n) {
    const int sizes[][2] = {{n, n}, {m, n}, {n, m}};
    for (int which = 0; which < 3; which++) {
        auto [rows, columns] = sizes[which];
        double* a = on_card(random_numbers(rows * columns));
        int* pivots = on_card(std::vector<int>(n));
        ended("getrf", which, cusolverDnDgetrf(handle, rows, columns, a, rows, work, pivots, info));
        print(" pivots", pivots, n);
        print(" lu", a, rows * columns);
        if (which != 0) continue;
        double* b = on_card(random_numbers(2 * n));
        for (int turned = 0; turned < 2; turned++) {
            ended("getrs", turned, cusolverDnDgetrs(handle, cublasOperation_t(turned), n, 2, a, n, pivots, b, n, info));
            print(" x", b, 2 * n);
        }
    }
    Numbers singular = random_numbers(n * n);
    for (int i = 0; i < n; i++) singular[i + 2 * n] = 0;
    ended("getrf of a column of zeros", 0, cusolverDnDgetrf(handle, n, n, on_card(singular), n, work, on_card(std::vector<int>(n)), info));
    double* a = on_card(random_numbers(n * n));
    ended("getrf without pivots", 0, cusolverDnDgetrf(handle, n, n, a, n, work, nullptr, info));
    print(" lu", a, n * n);
    printf("of -1 rows: %d\n", cusolverDnDgetrf(handle, -1, n, a, n, work, nullptr, info));
    printf("of a leading dimension too small: %d\n", cusolverDnDgetrf(handle, n, n, a, n - 1, work, nullptr, info));
}

static void cholesky(int n) {
    for (auto fill : {CUBLAS_FILL_MODE_LOWER, CUBLAS_FILL_MODE_UPPER}) {
        for (bool is_definite : {true, false}) {
            Numbers values = definite(n);
            if (!is_definite) values[3 + 3 * n] = -1;
            double* a = on_card(values);
            cusolverDnDpotrf_bufferSize(handle, fill, n, a, n, &room);
            ended("potrf", fill, cusolverDnDpotrf(handle, fill, n, a, n, work, room, info));
            if (!is_definite) continue;
            print(" a", a, n * n);
            double* b = on_card(random_numbers(2 * n));
            ended("potrs", fill, cusolverDnDpotrs(handle, fill, n, 2, a, n, b, n, info));
            print(" x", b, 2 * n);
        }
    }
}

static void orthogonal(int m, int n) {
    for (auto [rows, columns] : {std::pair{m, n}, std::pair{n, m}}) {
        double *a = on_card(random_numbers(rows * columns)), *tau = numbers_of(n);
        cusolverDnDgeqrf_bufferSize(handle, rows, columns, a, rows, &room);
        ended("geqrf", rows, cusolverDnDgeqrf(handle, rows, columns, a, rows, tau, work, room, info));
        print(" a", a, rows * columns);
        print(" tau", tau, n);
        double* b = on_card(random_numbers(2 * rows));
        cusolverDnDormqr_bufferSize(handle, CUBLAS_SIDE_LEFT, CUBLAS_OP_T, rows, 2, n, a, rows, tau, b, rows, &room);
        ended("ormqr", rows, cusolverDnDormqr(handle, CUBLAS_SIDE_LEFT, CUBLAS_OP_T, rows, 2, n, a, rows, tau, b, rows, work, room, info));
        print(" b", b, 2 * rows);
        cusolverDnDorgqr_bufferSize(handle, rows, n, n, a, rows, tau, &room);
        ended("orgqr", rows, cusolverDnDorgqr(handle, rows, n, n, a, rows, tau, work, room, info));
        print(" q", a, rows * n);
    }
}

static void spectrum(int m, int n) {
    for (auto fill : {CUBLAS_FILL_MODE_LOWER, CUBLAS_FILL_MODE_UPPER}) {
        double *a = on_card(random_numbers(n * n)), *values = numbers_of(n);
        cusolverDnDsyevd_bufferSize(handle, CUSOLVER_EIG_MODE_VECTOR, fill, n, a, n, values, &room);
        ended("syevd", fill, cusolverDnDsyevd(handle, CUSOLVER_EIG_MODE_VECTOR, fill, n, a, n, values, work, room, info));
        print(" values", values, n);
        print(" vectors", a, n * n, true);
    }
    for (char job : {'A', 'S', 'N'}) {
        double *a = on_card(random_numbers(m * n)), *s = numbers_of(n), *u = numbers_of(m * m), *v = numbers_of(n * n);
        cusolverDnDgesvd_bufferSize(handle, m, n, &room);
        ended("gesvd", job, cusolverDnDgesvd(handle, job, job, m, n, a, m, s, u, m, v, n, work, room, numbers_of(m * n), info));
        print(" s", s, n);
        if (job == 'S') print(" u", u, m * n, true);
    }
}

static void least_squares(int m, int n) {
    double *a = on_card(random_numbers(m * n)), *b = on_card(random_numbers(2 * m)), *x = numbers_of(2 * n);
    size_t bytes = 0;
    int turns = 0;
    cusolverDnDDgels_bufferSize(handle, m, n, 2, a, m, b, m, x, n, nullptr, &bytes);
    ended("gels", 0, cusolverDnDDgels(handle, m, n, 2, a, m, b, m, x, n, work, bytes, &turns, info));
    print(" x", x, 2 * n);
}

static void sparse() {
    cusparseHandle_t own;
    cusparseCreate(&own);
    int *rows = on_card(std::vector<int>{0, 2, 3, 3, 5}), *columns = on_card(std::vector<int>{2, 0, 1, 3, 0});
    double *values = on_card(Numbers{1, 2, 3, 4, 5}), *x = on_card(Numbers{1, 2, 3, 4}), *y = on_card(Numbers{1, 1, 1, 1});
    cusparseSpMatDescr_t a;
    cusparseDnVecDescr_t of_x, of_y;
    cusparseCreateCsr(&a, 4, 4, 5, rows, columns, values, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_64F);
    cusparseCreateDnVec(&of_x, 4, x, CUDA_R_64F);
    cusparseCreateDnVec(&of_y, 4, y, CUDA_R_64F);
    const double alpha = 2, beta = 3;
    for (auto turned : {CUSPARSE_OPERATION_NON_TRANSPOSE, CUSPARSE_OPERATION_TRANSPOSE}) {
        int status = cusparseSpMV(own, turned, &alpha, a, of_x, &beta, of_y, CUDA_R_64F, CUSPARSE_SPMV_ALG_DEFAULT, work);
        printf("spmv %d: %d\n", turned, status);
        print(" y", y, 4);
    }
}

int main() {
    cusolverDnCreate(&handle);
    cudaMalloc(&info, sizeof(int));
    cudaMalloc(&work, 1 << 26);
    lu(7, 5);
    cholesky(5);
    orthogonal(7, 5);
    spectrum(7, 5);
    least_squares(7, 5);
    sparse();
    puts("end");
}
