__global__ void k(float* c, int n) {
    for (int block = 0; block < n; ++block) {
        int p = 0;
        while (p < n && c[p] != limit(n)) {  // for as long as it takes
            c[p] += 1;
        }
    }
}
