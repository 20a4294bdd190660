/*
 * fuzz_manifest.c - any bytes as a manifest: a data set or a message, never a crash.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "datagen/problem.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct dg_manifest *m = NULL;
    struct t2_err err = T2_ERR_INIT;
    enum t2_status st = dg_manifest_parse((const char *) data, size, "input", &m, &err);

    if ((st == T2_OK) != (m != NULL) || (st != T2_OK && err.message[0] == '\0'))
        abort();
    dg_manifest_free(m);
    return 0;
}
