// A small GPT for the tests of llm.c, whose own is a download of 500 MB: writes a checkpoint of random weights and, from llm.c's reference on the
// processor (train_gpt2.c), the logits, the loss and the gradients that its test on the card compares with. Prints the losses of ten steps.
#define TESTING
#include "train_gpt2.c"

enum { LENGTH = 64, WORDS = 500, PADDED = 512, LAYERS = 2, HEADS = 4, CHANNELS = 128, BATCH = 4 };

static unsigned long long state = 1;

// A number from -1 to 1.
static float next(void) {
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    return (float)(state >> 40) / (1 << 23) - 1.0f;
}

static void checkpoint(const char *path) {
    int header[256] = {20240326, 3, LENGTH, WORDS, LAYERS, HEADS, CHANNELS, PADDED};
    GPT2Config config = {LENGTH, WORDS, PADDED, LAYERS, HEADS, CHANNELS};
    size_t sizes[NUM_PARAMETER_TENSORS];
    fill_in_parameter_sizes(sizes, config);
    FILE *file = fopenCheck(path, "wb");
    fwrite(header, sizeof(int), 256, file);
    for (int tensor = 0; tensor < NUM_PARAMETER_TENSORS; tensor++) {
        // The scales of the norms lie around 1.
        float centre = tensor == 2 || tensor == 8 || tensor == 14 ? 1.0f : 0.0f;
        for (size_t i = 0; i < sizes[tensor]; i++) {
            // The rows of words that only fill up the table are zero, as the kernels take them to be.
            int fills_up = tensor == 0 && i >= WORDS * CHANNELS;
            float value = fills_up ? 0.0f : centre + 0.1f * next();
            fwrite(&value, sizeof(float), 1, file);
        }
    }
    fcloseCheck(file);
}

int main(void) {
    checkpoint("gpt2_124M.bin");
    GPT2 model;
    gpt2_build_from_checkpoint(&model, "gpt2_124M.bin");
    int x[BATCH * LENGTH], y[BATCH * LENGTH];
    for (int i = 0; i < BATCH * LENGTH; i++) { x[i] = (int)((next() + 1) * 0.4999f * WORDS); }
    for (int i = 0; i < BATCH * LENGTH; i++) { y[i] = x[(i * 7 + 1) % (BATCH * LENGTH)]; }
    for (int step = 0; step < 10; step++) {
        gpt2_forward(&model, x, y, BATCH, LENGTH);
        gpt2_zero_grad(&model);
        gpt2_backward(&model);
        if (step == 0) {
            int header[256] = {20240327, 2, BATCH, LENGTH};
            FILE *file = fopenCheck("gpt2_124M_debug_state.bin", "wb");
            fwrite(header, sizeof(int), 256, file);
            fwrite(x, sizeof(int), BATCH * LENGTH, file);
            fwrite(y, sizeof(int), BATCH * LENGTH, file);
            for (int i = 0; i < BATCH * LENGTH; i++) { fwrite(model.acts.logits + i * PADDED, sizeof(float), WORDS, file); }
            fwrite(&model.mean_loss, sizeof(float), 1, file);
            fwrite(model.grads_memory, sizeof(float), model.num_parameters, file);
            fcloseCheck(file);
        }
        gpt2_update(&model, 1e-4f, 0.9f, 0.999f, 1e-8f, 0.01f, step + 1);
        printf("expected %.7f\n", model.mean_loss);
    }
    return 0;
}
