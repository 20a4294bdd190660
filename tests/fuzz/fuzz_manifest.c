/*
 * fuzz_manifest.c - any bytes as a manifest: a data set or a message, never a crash; what was
 * accepted is written again and accepted again, the same.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "datagen/problem.h"
#include "tests/fuzz/memory_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_by_datagen(const uint8_t *data, size_t size)
{
    struct dg_manifest *m = NULL;
    struct t2_err err = T2_ERR_INIT;
    char path[T_PATH_BYTES];
    int fd = t_memory_file(data, size, path);
    enum t2_status st = dg_manifest_load(path, &m, &err);

    t_memory_file_close(fd);
    if ((st == T2_OK) != (m != NULL) || (st != T2_OK && err.message[0] == '\0'))
        abort();
    dg_manifest_free(m);
}

/* false: too deep to be written. */
static bool write_again(const uint8_t *data, size_t size, const struct tfr_manifest_edit *edit,
                        struct t2_buf *out)
{
    struct tfr_manifest *m = NULL;
    struct t2_err err = T2_ERR_INIT;
    enum t2_status st = tfr_manifest_parse((const char *) data, size, "input", &m, &err);

    if ((st == T2_OK) != (m != NULL) || (st != T2_OK && err.message[0] == '\0'))
        abort();
    t2_buf_clear(out);
    if (st == T2_OK)
        st = tfr_manifest_text(m, NULL, NULL, edit, out, &err);
    tfr_manifest_free(m);
    return st == T2_OK;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct tfr_manifest_edit edit = {"tfrec append x", "0.1", "", 3, 4};
    struct t2_buf first = {0}, second = {0};

    read_by_datagen(data, size);
    if (write_again(data, size, &edit, &first)) {
        if (!write_again(first.data, first.len_bytes, NULL, &second) ||
            !t2_slice_eq(t2_buf_slice(&first), t2_buf_slice(&second)))
            abort();
    }
    t2_buf_release(&first);
    t2_buf_release(&second);
    return 0;
}
