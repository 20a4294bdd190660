/*
 * base/isal.h - gzip members decompressed by ISA-L, faster than by zlib; for gzip.c.
 */
#ifndef T2_BASE_ISAL_H
#define T2_BASE_ISAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct t2_isal;

/* NULL: this build or this machine is without ISA-L, or T2_ISAL=0 is in the environment. */
struct t2_isal *t2_isal_new(void);
void t2_isal_free(struct t2_isal *z); /* NULL is allowed */
/* The contracts of t2_inflater_reset and t2_inflater_step. */
void t2_isal_reset(struct t2_isal *z);
const char *t2_isal_step(struct t2_isal *z, const uint8_t *in, size_t in_bytes, uint8_t *out,
                         size_t out_bytes, size_t *n_used, size_t *n_made, bool *member_ended);

#endif
