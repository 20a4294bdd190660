/*
 * base/alloc.h - memory with overflow checks.
 *
 * A program here cannot recover from running out of memory for small objects: t2_alloc and its
 * relatives report it and end the program.  Sizes that come from a file or a flag are checked by
 * the caller before (see t2_try_alloc), so that a hostile size is an error message, not the end.
 */
#ifndef T2_BASE_ALLOC_H
#define T2_BASE_ALLOC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Zeroed memory for n objects of size bytes; never NULL (n == 0 gives a unique pointer).  Owned by
 * the caller, released with t2_free. */
void *t2_alloc(size_t n, size_t size) __attribute__((malloc, alloc_size(1, 2), returns_nonnull));

/* As t2_alloc, but NULL when memory is short or n * size overflows. */
void *t2_try_alloc(size_t n, size_t size);

/* Grows or shrinks; new bytes are not zeroed.  Never NULL. */
void *t2_realloc(void *p, size_t n, size_t size) __attribute__((returns_nonnull));

/* Memory aligned to 64 bytes (cache line, AVX-512), zeroed, page-aligned when large.  Released with
 * t2_free_aligned.  NULL when memory is short. */
void *t2_alloc_aligned(size_t size_bytes);
void t2_free_aligned(void *p);
/* Pages of such memory that are used from now on are huge, as they are where nothing is said, or
 * small, for memory of which little is used. */
void t2_advise_pages(void *p, size_t size_bytes, bool huge);

void t2_free(void *p);

/* The one end of a program that has no memory: "<tool>: error: out of memory: <for what>" and exit
 * code 1, after what is registered with at_quick_exit().  Also for foreign libraries that report
 * it. */
_Noreturn void t2_out_of_memory(const char *format, ...) __attribute__((format(printf, 1, 2)));

char *t2_strdup(const char *s) __attribute__((malloc, returns_nonnull));
char *t2_strndup(const char *s, size_t len_bytes) __attribute__((malloc, returns_nonnull));
/* A copy of all len_bytes, NUL bytes among them included, with a NUL behind; data may be NULL when
 * len_bytes is 0. */
char *t2_bytes_dup(const void *data, size_t len_bytes) __attribute__((malloc, returns_nonnull));

/* As malloc, calloc and realloc, for foreign libraries that take such functions: they end the
 * program as t2_alloc does.  Libraries whose memory is refused crash, lose data, or call good input
 * damaged. */
void *t2_library_malloc(size_t size_bytes);
void *t2_library_calloc(size_t n, size_t size);
void *t2_library_realloc(void *p, size_t size_bytes);

/* false on overflow. */
bool t2_mul_size(size_t a, size_t b, size_t *product);
bool t2_add_size(size_t a, size_t b, size_t *sum);

/* Test hook: the n-th t2_try_alloc / t2_alloc_aligned from now fails (1 = the next); 0 = off. */
void t2_alloc_fail_after(uint64_t n);

#endif
