/*
 * base/map.h - hash map from byte strings to 64-bit integers.
 *
 * Iteration order is insertion order, so nothing that is derived from it depends on the hash.
 */
#ifndef T2_BASE_MAP_H
#define T2_BASE_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

struct t2_map; /* keys are copied into the map */

struct t2_map *t2_map_new(void);
void t2_map_free(struct t2_map *m);
size_t t2_map_count(const struct t2_map *m);
/* NULL when absent.  The pointer is borrowed until the next insertion. */
uint64_t *t2_map_find(const struct t2_map *m, const void *key, size_t len_bytes);
/* The value's place, inserted as 0 when absent (*inserted says which; may be NULL). */
uint64_t *t2_map_at(struct t2_map *m, const void *key, size_t len_bytes, bool *inserted);
/* Entry i in insertion order, 0 <= i < count. */
struct t2_slice t2_map_key(const struct t2_map *m, size_t i);
uint64_t t2_map_value(const struct t2_map *m, size_t i);
/* Bytes held, for --max_memory accounting. */
size_t t2_map_memory(const struct t2_map *m);

#endif
