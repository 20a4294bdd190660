/*
 * datagen/problem_files/file_memory.h - what the problems of a file are made of, released at once.
 */
#ifndef DG_PROBLEM_FILES_FILE_MEMORY_H
#define DG_PROBLEM_FILES_FILE_MEMORY_H

#include <stddef.h>

/* Zero-initialise. */
struct dg_file_memory {
    void **items;
    size_t n, capacity;
};

/* Zeroed memory for n objects of size bytes, borrowed until the release. */
void *dg_file_alloc(struct dg_file_memory *m, size_t n, size_t size);
/* Takes a string (t2_free) over and gives it back. */
const char *dg_file_keep(struct dg_file_memory *m, char *s);
void dg_file_memory_release(struct dg_file_memory *m);

#endif
