/*
 * tests/support/cuda_on_host/watched.cpp - are the kernels of this program compiled with the calls
 * that watch.cpp has?  Compiled both ways, as they are (mk/cuda.mk).
 */
#include "tests/support/cuda_on_host/internal.h"

namespace cuda_on_host
{

#ifdef CUDA_ON_HOST_WATCHED
const bool kernels_are_watched = true;
#else
const bool kernels_are_watched = false;
#endif

} /* namespace cuda_on_host */
