/*
 * tfrec/sort_keys.h - --by of sort: expressions as keys whose bytes are in order.
 *
 * `expr[:desc],...`.  Order of values: numbers (int64 and double compared exactly, -0 equal to 0,
 * NaN after all others), then bytes (bytewise), then what is missing; :desc turns numbers and bytes
 * round, what is missing stays last.
 */
#ifndef REC_SORT_KEYS_H
#define REC_SORT_KEYS_H

#include "base/buf.h"
#include "tfrec/where.h"

struct rec_sort_keys; /* immutable: shared by threads */

T2_MUST_CHECK enum t2_status rec_sort_keys_parse(const char *text, struct rec_sort_keys **k,
                                                 struct t2_err *err);
void rec_sort_keys_free(struct rec_sort_keys *k);
bool rec_sort_keys_need_example(const struct rec_sort_keys *k);
/* Appends the key of a record. */
void rec_sort_keys_put(const struct rec_sort_keys *k, struct rec_where_scratch *scratch,
                       const struct tfr_example *example, struct t2_slice record, uint64_t number,
                       struct t2_buf *key);
/* Appends the key of one value. */
void rec_sort_key_of(const struct rec_value *v, bool descending, struct t2_buf *key);

#endif
