/*
 * tests/support/image_goldens.c - the containers of T2_DATA/goldens/images.
 */
#include "tests/support/image_goldens.h"

#include <stdio.h>
#include <string.h>

#include "tests/support/t.h"
#include "tests/support/texts.h"

struct ckpt_file *t_golden_open(const char *name)
{
    struct t2_buf all = {NULL, 0, 0};
    struct t2_err err = T2_ERR_INIT;
    struct ckpt_file *f = NULL;
    char full[512];
    static int n_opened;
    const char *path;

    snprintf(full, sizeof full, "goldens/images/%s", name);
    path = t_data_path(full);
    if (!path)
        return NULL;
    t_read_unpacked(path, &all);
    /* files stay mapped: each has its own */
    snprintf(full, sizeof full, "%d.safetensors", n_opened++);
    path = t_tmp_path(full);
    t_write_file(path, all.data, all.len_bytes);
    t2_buf_release(&all);
    if (ckpt_open(path, &f, &err) != T2_OK)
        fail_msg("%s", err.message);
    return f;
}

struct aug_image t_golden_image(const struct ckpt_tensor *t)
{
    assert_int_equal(t->type, CKPT_U8);
    assert_true(t->rank == 2 || t->rank == 3);
    /* only read: const is lost on the way through a struct that also writes */
    union {
        const void *in;
        uint8_t *out;
    } data = {.in = t->data};
    return aug_image_of(data.out, (int32_t) t->dims[0], (int32_t) t->dims[1],
                        t->rank == 3 ? (int32_t) t->dims[2] : 1);
}

const struct ckpt_tensor *t_golden_find(const struct ckpt_file *f, const char *name)
{
    for (size_t i = 0; i < ckpt_count(f); i++)
        if (strcmp(ckpt_at(f, i)->name, name) == 0)
            return ckpt_at(f, i);
    return NULL;
}
