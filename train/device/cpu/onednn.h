/*
 * train/device/cpu/onednn.h - what onednn.c and onednn_conv.c share.
 */
#ifndef DEV_CPU_ONEDNN_H
#define DEV_CPU_ONEDNN_H

#include <stdbool.h>
#include <stddef.h>

/* Puts the library's function of that name into the function pointer at `function`; after
 * dev_cpu_onednn() (gemm_lib.h), which opens it. */
bool dev_cpu_onednn_find(const char *name, void *function, size_t bytes);

/* A dnnl_status_t: is it success?  Ends the program when memory is out: other code would go on,
 * with other bits. */
bool dev_cpu_onednn_ok(int status);
#define OK(status) dev_cpu_onednn_ok((int) (status))

#endif
