/* Fuzz target: any bytes as a safetensors file. */
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "train/ckpt/safetensors.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct t2_err err = T2_ERR_INIT;
    struct ckpt_file *f = NULL;
    volatile uint8_t last = 0;

    if (ckpt_open_memory(data, size, "fuzz", &f, &err) != T2_OK) {
        T2_ASSERT(err.message[0] != '\0');
        return 0;
    }
    for (size_t i = 0; i < ckpt_count(f); i++) {
        const struct ckpt_tensor *t = ckpt_at(f, i);
        const uint8_t *bytes = t->data;

        T2_ASSERT(ckpt_find(f, t->name) == t);
        T2_ASSERT(bytes >= data && bytes + t->n_bytes <= data + size);
        if (t->n_bytes > 0)
            last = bytes[t->n_bytes - 1];
    }
    (void) last;
    (void) ckpt_metadata(f, "format");
    ckpt_close(f);
    return 0;
}
