// Pairs of kernels of which the second has one thing mended: see pairs.txt. All take (in, out, n). Each thread owns one element unless it says otherwise.
#define KERNEL extern "C" __global__ void
#define AT(row, column) ((row) * n + (column))

template <int Pad, int Rows> __device__ void transpose(const float* in, float* out, int n) {
    __shared__ float tile[32][32 + Pad];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += Rows) tile[threadIdx.y + j][threadIdx.x] = in[AT(y + j, x)];
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x, y = blockIdx.x * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += Rows) out[AT(y + j, x)] = tile[threadIdx.x][threadIdx.y + j];
}
KERNEL transpose_8(const float* in, float* out, int n) { transpose<0, 8>(in, out, n); }
KERNEL transpose_8_padded(const float* in, float* out, int n) { transpose<1, 8>(in, out, n); }
KERNEL transpose_32(const float* in, float* out, int n) { transpose<0, 32>(in, out, n); }
KERNEL transpose_32_padded(const float* in, float* out, int n) { transpose<1, 32>(in, out, n); }
KERNEL transpose_even(const float* in, float* out, int n) { transpose<2, 8>(in, out, n); }
KERNEL copy_rows(const float* in, float* out, int n) { int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y; for (int j = 0; j < 32; j += 8) out[AT(y + j, x)] = in[AT(y + j, x)]; }
KERNEL scattered_store(const float* in, float* out, int n) { int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y; for (int j = 0; j < 32; j += 8) out[AT(x, y + j)] = in[AT(y + j, x)]; }
KERNEL scattered_load(const float* in, float* out, int n) { int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y; for (int j = 0; j < 32; j += 8) out[AT(y + j, x)] = in[AT(x, y + j)]; }

template <int Stride> __device__ void from_shared(const float* in, float* out, int n) {
    __shared__ float words[256 * 8];
    int t = threadIdx.x;
    for (int i = t; i < 2048; i += 256) words[i] = in[i];
    __syncthreads();
    float sum = 0;
    for (int turn = 0; turn < n; turn++) sum += words[(t * Stride + turn) & 2047];
    out[blockIdx.x * 256 + t] = sum;
}
KERNEL shared_stride_1(const float* in, float* out, int n) { from_shared<1>(in, out, n); }
KERNEL shared_stride_2(const float* in, float* out, int n) { from_shared<2>(in, out, n); }
KERNEL shared_stride_8(const float* in, float* out, int n) { from_shared<8>(in, out, n); }

template <int Stride> __device__ void to_shared(const float* in, float* out, int n) {
    __shared__ float words[256 * 8];
    int t = threadIdx.x;
    for (int turn = 0; turn < n; turn++) words[(t * Stride + turn) & 2047] = float(turn);
    __syncthreads();
    out[blockIdx.x * 256 + t] = words[t];
}
KERNEL store_stride_1(const float* in, float* out, int n) { to_shared<1>(in, out, n); }
KERNEL store_stride_4(const float* in, float* out, int n) { to_shared<4>(in, out, n); }

template <int Fields> __device__ void one_field(const float* in, float* out, int n) { int i = blockIdx.x * 256 + threadIdx.x; out[i] = 2 * in[i * Fields]; }
KERNEL field_of_1(const float* in, float* out, int n) { one_field<1>(in, out, n); }
KERNEL field_of_4(const float* in, float* out, int n) { one_field<4>(in, out, n); }
KERNEL field_of_8(const float* in, float* out, int n) { one_field<8>(in, out, n); }
template <int Fields> __device__ void to_field(const float* in, float* out, int n) { int i = blockIdx.x * 256 + threadIdx.x; out[i * Fields] = 2 * in[i]; }
KERNEL to_field_of_8(const float* in, float* out, int n) { to_field<8>(in, out, n); }

// A row of the matrix, or a column, for each thread.
KERNEL sum_of_row(const float* in, float* out, int n) { int i = blockIdx.x * 128 + threadIdx.x; float sum = 0; for (int k = 0; k < n; k++) sum += in[AT(i, k)]; out[i] = sum; }
KERNEL sum_of_column(const float* in, float* out, int n) { int i = blockIdx.x * 128 + threadIdx.x, rows = gridDim.x * 128; float sum = 0; for (int k = 0; k < n; k++) sum += in[k * rows + i]; out[i] = sum; }

KERNEL product(const float* in, float* out, int n) { int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y; const float* b = in + n * n; float sum = 0; for (int k = 0; k < n; k++) sum += in[AT(y, k)] * b[AT(k, x)]; out[AT(y, x)] = sum; }
KERNEL product_crossed(const float* in, float* out, int n) { int y = blockIdx.x * 16 + threadIdx.x, x = blockIdx.y * 16 + threadIdx.y; const float* b = in + n * n; float sum = 0; for (int k = 0; k < n; k++) sum += in[AT(y, k)] * b[AT(k, x)]; out[AT(y, x)] = sum; }
template <int Edge> __device__ void tiled(const float* in, float* out, int n) {
    __shared__ float a[Edge][Edge], b[Edge][Edge];
    int tx = threadIdx.x, ty = threadIdx.y, x = blockIdx.x * Edge + tx, y = blockIdx.y * Edge + ty;
    float sum = 0;
    for (int k = 0; k < n; k += Edge) {
        a[ty][tx] = in[AT(y, k + tx)], b[ty][tx] = in[n * n + AT(k + ty, x)];
        __syncthreads();
        for (int i = 0; i < Edge; i++) sum += a[ty][i] * b[i][tx];
        __syncthreads();
    }
    out[AT(y, x)] = sum;
}
KERNEL product_16(const float* in, float* out, int n) { tiled<16>(in, out, n); }
KERNEL product_32(const float* in, float* out, int n) { tiled<32>(in, out, n); }
KERNEL product_naive_32(const float* in, float* out, int n) { int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y; const float* b = in + n * n; float sum = 0; for (int k = 0; k < n; k++) sum += in[AT(y, k)] * b[AT(k, x)]; out[AT(y, x)] = sum; }

__device__ float sum_of_block(float own) {
    __shared__ float of_warps[8];
    for (int by = 16; by; by /= 2) own += __shfl_down_sync(~0u, own, by);
    if (threadIdx.x % 32 == 0) of_warps[threadIdx.x / 32] = own;
    __syncthreads();
    if (threadIdx.x < 8) for (int by = 4; by; by /= 2) of_warps[threadIdx.x] += __shfl_down_sync(255u, of_warps[threadIdx.x], by);
    return of_warps[0];
}
KERNEL sum_by_atomics(const float* in, float* out, int n) { atomicAdd(out, in[blockIdx.x * 256 + threadIdx.x]); }
KERNEL sum_by_blocks(const float* in, float* out, int n) { float sum = sum_of_block(in[blockIdx.x * 256 + threadIdx.x]); if (threadIdx.x == 0) out[blockIdx.x] = sum; }
KERNEL bins_few(const float* in, float* out, int n) { int i = blockIdx.x * 256 + threadIdx.x; atomicAdd(&out[i % 4], in[i]); }
KERNEL bins_many(const float* in, float* out, int n) { int i = blockIdx.x * 256 + threadIdx.x; atomicAdd(&out[i], in[i]); }
template <int Bins> __device__ void shared_bins(const float* in, float* out, int n) {
    __shared__ float bins[256];
    int t = threadIdx.x;
    float own = in[t];
    bins[t] = 0;
    __syncthreads();
    for (int k = 0; k < n; k++) atomicAdd(&bins[(t + k) % Bins], own);
    __syncthreads();
    out[blockIdx.x * 256 + t] = bins[t];
}
KERNEL shared_bins_2(const float* in, float* out, int n) { shared_bins<2>(in, out, n); }
KERNEL shared_bins_256(const float* in, float* out, int n) { shared_bins<256>(in, out, n); }

template <bool Meets> __device__ void turns(const float* in, float* out, int n) {
    __shared__ volatile float words[256];
    int t = threadIdx.x, i = blockIdx.x * 256 + t;
    float own = in[i];
    #pragma unroll 1
    for (int k = 0; k < n; k++) {
        words[t] = own;
        if (Meets) __syncthreads();
        own = own * 0.5f + words[t];
    }
    out[i] = own;
}
KERNEL turns_that_meet(const float* in, float* out, int n) { turns<true>(in, out, n); }
KERNEL turns_alone(const float* in, float* out, int n) { turns<false>(in, out, n); }
// Every warp has more to do in another turn.
template <bool Meets> __device__ void uneven(const float* in, float* out, int n) {
    int t = threadIdx.x, i = blockIdx.x * 256 + t, warp = t / 32;
    float own = in[i];
    #pragma unroll 1
    for (int k = 0; k < n; k++) {
        if (k % 8 == warp) for (int j = 0; j < 64; j++) own = own * 0.5f + 1.0f;
        if (Meets) __syncthreads();
    }
    out[i] = own;
}
KERNEL uneven_that_meet(const float* in, float* out, int n) { uneven<true>(in, out, n); }
KERNEL uneven_alone(const float* in, float* out, int n) { uneven<false>(in, out, n); }

template <bool Ahead> __device__ void chase(const float* in, float* out, int n) {
    int i = blockIdx.x * 64 + threadIdx.x, step = gridDim.x * 64;
    float sum = 0, next = in[i];
    #pragma unroll 1
    for (int k = 0; k < n; k++) {
        i += step;
        float own = Ahead ? next : in[i];
        if (Ahead) next = in[i];
        for (int j = 0; j < 64; j++) own = own * 0.5f + sum;
        sum += own;
    }
    out[blockIdx.x * 64 + threadIdx.x] = sum + next;
}
KERNEL loaded_late(const float* in, float* out, int n) { chase<false>(in, out, n); }
KERNEL loaded_ahead(const float* in, float* out, int n) { chase<true>(in, out, n); }

// So many turns are written out.
template <int Turns, int Sums> __device__ void counted(const float* in, float* out, int n) {
    int i = blockIdx.x * 256 + threadIdx.x;
    float sums[Sums];
    for (int s = 0; s < Sums; s++) sums[s] = in[i] + s;
    #pragma unroll Turns
    for (int k = 0; k < n; k++) for (int s = 0; s < Sums; s++) sums[s] = sums[s] * 0.5f + 1.0f;
    for (int s = 1; s < Sums; s++) sums[0] += sums[s];
    out[i] = sums[0];
}
KERNEL counted_1(const float* in, float* out, int n) { counted<1, 1>(in, out, n); }
KERNEL counted_16(const float* in, float* out, int n) { counted<16, 1>(in, out, n); }
KERNEL two_counted_1(const float* in, float* out, int n) { counted<1, 2>(in, out, n); }
KERNEL two_counted_16(const float* in, float* out, int n) { counted<16, 2>(in, out, n); }
template <int Turns> __device__ void words_counted(const float* in, float* out, int n) {
    __shared__ float words[2048];
    int t = threadIdx.x;
    for (int i = t; i < 2048; i += 256) words[i] = in[i];
    __syncthreads();
    float sum = 0;
    #pragma unroll Turns
    for (int k = 0; k < n; k++) sum += words[t + k * 32];
    out[blockIdx.x * 256 + t] = sum;
}
KERNEL words_counted_1(const float* in, float* out, int n) { words_counted<1>(in, out, n); }
KERNEL words_counted_8(const float* in, float* out, int n) { words_counted<8>(in, out, n); }

// Words that no longer row would spread, and turns that nothing counts.
KERNEL words_by_data(const float* in, float* out, int n) {
    __shared__ float words[1024];
    int t = threadIdx.x;
    for (int i = t; i < 1024; i += 256) words[i] = in[i];
    __syncthreads();
    int j = (t * t * 37 + t * 11) % 97 * 32 + t / 4;
    float sum = 0;
    for (int k = 0; k < n; k++) sum += words[(j + k) & 1023];
    out[blockIdx.x * 256 + t] = sum;
}
KERNEL turns_by_data(const float* in, float* out, int n) {
    int i = blockIdx.x * 256 + threadIdx.x;
    float own = in[i];
    #pragma unroll 1
    while (own > 1e-3f) own *= 0.97f;
    out[i] = own;
}

__device__ float one_way(float own, int n) { for (int k = 0; k < n; k++) own = own * 0.5f + 1.0f; return own; }
__device__ float other_way(float own, int n) { for (int k = 0; k < n; k++) own = own * own - 0.25f; return own; }
KERNEL lanes_part(const float* in, float* out, int n) { int t = threadIdx.x, i = blockIdx.x * 256 + t; float own = in[i]; if (t % 2) own = one_way(own, n); else own = other_way(own, n); out[i] = own; }
KERNEL warps_part(const float* in, float* out, int n) { int t = threadIdx.x, i = blockIdx.x * 256 + t; float own = in[i]; if (t / 32 % 2) own = one_way(own, n); else own = other_way(own, n); out[i] = own; }
KERNEL lanes_of_lengths(const float* in, float* out, int n) { int t = threadIdx.x, i = blockIdx.x * 256 + t; out[i] = one_way(in[i], n * (t % 8)); }
KERNEL warps_of_lengths(const float* in, float* out, int n) { int t = threadIdx.x, i = blockIdx.x * 256 + t; out[i] = one_way(in[i], n * (t / 32)); }
// A sum of the block in shared memory, by every other thread or by the first ones.
KERNEL reduce_near(const float* in, float* out, int n) {
    __shared__ float words[256];
    int t = threadIdx.x;
    words[t] = in[blockIdx.x * 256 + t];
    __syncthreads();
    for (int s = 1; s < 256; s *= 2) {
        if (t % (2 * s) == 0) words[t] += words[t + s];
        __syncthreads();
    }
    if (t == 0) out[blockIdx.x] = words[0];
}
KERNEL reduce_front(const float* in, float* out, int n) {
    __shared__ float words[256];
    int t = threadIdx.x;
    words[t] = in[blockIdx.x * 256 + t];
    __syncthreads();
    for (int s = 128; s; s /= 2) {
        if (t < s) words[t] += words[t + s];
        __syncthreads();
    }
    if (t == 0) out[blockIdx.x] = words[0];
}

// Shared memory that nobody needs.
template <int Words> __device__ void held(const float* in, float* out, int n) {
    __shared__ float words[Words];
    int t = threadIdx.x, i = blockIdx.x * 64 + t, step = gridDim.x * 64;
    words[t] = in[i];
    float sum = words[t];
    #pragma unroll 1
    for (int k = 0; k < n; k++) sum = sum * 0.5f + in[i + k * step];
    out[i] = sum;
}
KERNEL held_much(const float* in, float* out, int n) { held<10240>(in, out, n); }
KERNEL held_little(const float* in, float* out, int n) { held<64>(in, out, n); }
KERNEL held_some(const float* in, float* out, int n) { held<3000>(in, out, n); }
// The block has any number of threads.
KERNEL any_block(const float* in, float* out, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x, step = gridDim.x * blockDim.x; float sum = 0;
    #pragma unroll 1
    for (int k = 0; k < n; k++) sum = sum * 0.5f + in[i + k * step];
    out[i] = sum; }
KERNEL by_the_grid(const float* in, float* out, int n) { float sum = 0;
    for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) { float own = in[i]; for (int j = 0; j < 32; j++) own = own * 0.5f + 1.0f; sum += own; }
    out[blockIdx.x * 256 + threadIdx.x] = sum; }
// A block has as much to do as its number says, or as much as all.
KERNEL blocks_of_lengths(const float* in, float* out, int n) { int i = blockIdx.x * 256 + threadIdx.x; out[i] = one_way(in[i], n * 2 * (blockIdx.x % 24 == 5 ? 12 : 1)); }
KERNEL blocks_alike(const float* in, float* out, int n) { int i = blockIdx.x * 256 + threadIdx.x; out[i] = one_way(in[i], n * 35 / 12); }
