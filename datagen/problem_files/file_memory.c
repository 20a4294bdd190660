/*
 * datagen/problem_files/file_memory.c - memory that is released at once.
 */
#include "datagen/problem_files/file_memory.h"

#include "base/alloc.h"

static void *remember(struct dg_file_memory *m, void *p)
{
    if (m->n == m->capacity) {
        m->capacity = m->capacity ? 2 * m->capacity : 64;
        m->items = t2_realloc(m->items, m->capacity, sizeof *m->items);
    }
    m->items[m->n++] = p;
    return p;
}

void *dg_file_alloc(struct dg_file_memory *m, size_t n, size_t size)
{
    return remember(m, t2_alloc(n, size));
}

const char *dg_file_keep(struct dg_file_memory *m, char *s)
{
    return remember(m, s);
}

void dg_file_memory_release(struct dg_file_memory *m)
{
    for (size_t i = 0; i < m->n; i++)
        t2_free(m->items[i]);
    t2_free(m->items);
    *m = (struct dg_file_memory){0};
}
