/*
 * train/device/cuda/cudnn.h - convolutions of NVIDIA's cuDNN, opened at run time.
 */
#ifndef DEV_CUDA_CUDNN_H
#define DEV_CUDA_CUDNN_H

#include "train/device/cuda/cuda_device.h"

#ifdef __cplusplus
extern "C" {
#endif

/* NULL where the library is not; T2_CUDNN=no leaves it out. */
struct dev_cuda_dnn *dev_cuda_dnn_open(void);
void dev_cuda_dnn_close(struct dev_cuda_dnn *l);             /* NULL is nothing */
const char *dev_cuda_dnn_name(const struct dev_cuda_dnn *l); /* "cuDNN 9.10.2", "no cuDNN" */

/*
 * Bytes of workspace that a pass of a convolution needs, 0 or more; negative where the library is
 * not or cannot do it: other types than the device's precision, channels by themselves, more zeros
 * behind the image than before it, no algorithm that gives the same bits every time.  The algorithm
 * is the heuristic's first of those that do, chosen once for each shape.
 */
int64_t dev_cuda_dnn_workspace(struct dev *d, const struct dev_conv2d *a,
                               enum dev_conv2d_pass pass);

/* x (B,H,W,C), w (N,kh,kw,C) and y (B,Ho,Wo,N) of a->type: one of them is the result of the pass.
 * accumulate: the result is added to what is there. */
struct dev_dnn_conv {
    const struct dev_conv2d *of;
    enum dev_conv2d_pass pass;
    void *x, *w, *y;
    bool accumulate;
    void *workspace;
};

/* Where dev_cuda_dnn_workspace is not negative. */
void dev_cuda_dnn_conv(struct dev *d, const struct dev_dnn_conv *c);

#ifdef __cplusplus
}
#endif

#endif
