/*
 * train/device/own_kernels.h - a kernel that a plug-in brings (models/model_plugin.h).
 */
#ifndef DEV_OWN_KERNELS_H
#define DEV_OWN_KERNELS_H

#include <stdint.h>

enum { DEV_OWN_BYTES = 256 };

/*
 * Calls run(arguments, piece) for the pieces 0 .. n_pieces - 1, in any order and on any thread.  A
 * piece is a function of the arguments and its number alone, and writes what no other piece reads
 * or writes, so that the number of threads changes no bit.
 *
 * It is code for the host's processor: devices whose memory that cannot read fail with T2_EDEVICE
 * and the name.
 */
struct dev_own_args {
    const char *name; /* of the operator; lives as long as the program */
    void (*run)(const void *arguments, int64_t piece);
    int64_t n_pieces;
    /* A struct of the plug-in's: sizes, and pointers into device memory.  It is copied. */
    uint64_t arguments[DEV_OWN_BYTES / 8];
};

#endif
