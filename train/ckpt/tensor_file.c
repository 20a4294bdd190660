/*
 * train/ckpt/tensor_file.c - what files of tensors have in common, whichever format was read.
 */
#include "train/ckpt/tensor_file.h"

#include <string.h>

#include "base/alloc.h"

struct ckpt_file *ckpt_file_new(const char *path)
{
    struct ckpt_file *f = t2_alloc(1, sizeof *f);

    f->path = t2_strdup(path);
    f->index = t2_map_new();
    return f;
}

void ckpt_file_keep_map(struct ckpt_file *f, struct t2_mapped *map)
{
    f->maps = t2_realloc(f->maps, f->n_maps + 1, sizeof *f->maps);
    f->maps[f->n_maps++] = *map;
    *map = (struct t2_mapped){0};
}

void *ckpt_file_keep(struct ckpt_file *f, void *bytes)
{
    f->pieced = t2_realloc(f->pieced, f->n_pieced + 1, sizeof *f->pieced);
    f->pieced[f->n_pieced++] = bytes;
    return bytes;
}

void ckpt_close(struct ckpt_file *f)
{
    if (!f)
        return;
    t2_map_free(f->index);
    t2_free(f->tensors);
    t2_json_free(f->header);
    for (size_t i = 0; i < f->n_pieced; i++)
        t2_free(f->pieced[i]);
    t2_free(f->pieced);
    for (size_t i = 0; i < f->n_maps; i++)
        t2_unmap_file(&f->maps[i]);
    t2_free(f->maps);
    t2_strs_release(&f->names);
    t2_strs_release(&f->others);
    t2_free(f->path);
    t2_free(f);
}

/* Bytes that were put together in memory stay. */
void ckpt_forget(const struct ckpt_file *f, const void *data, size_t n_bytes)
{
    for (size_t i = 0; i < f->n_maps && !f->stays; i++) {
        const struct t2_mapped *m = &f->maps[i];
        uintptr_t at = (uintptr_t) data, begin = (uintptr_t) m->data;

        if (m->data && at >= begin && at - begin < m->len_bytes)
            t2_mapped_forget(m, data, n_bytes);
    }
}

size_t ckpt_count(const struct ckpt_file *f)
{
    return f->n_tensors;
}

const struct ckpt_tensor *ckpt_at(const struct ckpt_file *f, size_t i)
{
    T2_ASSERT(i < f->n_tensors);
    return &f->tensors[i];
}

const struct ckpt_tensor *ckpt_find(const struct ckpt_file *f, const char *name)
{
    const uint64_t *i = t2_map_find(f->index, name, strlen(name));

    return i ? &f->tensors[*i] : NULL;
}
