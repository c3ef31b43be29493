// The headers of CUDA ask for this one, which its packages leave out; an editor alone reads it.
#include "../cuda.h"
