/*
 * tests/unit/train/table_entries.h - tables made and read, for the tests of
 * train/ckpt/block_table*.c. Include it after tests/support/t.h.
 */
#ifndef T2_TESTS_UNIT_TRAIN_TABLE_ENTRIES_H
#define T2_TESTS_UNIT_TRAIN_TABLE_ENTRIES_H

#include <stdio.h>

#include "base/alloc.h"
#include "tests/support/t.h"
#include "train/ckpt/block_table.h"

/* "key 00042": n of them ascend. */
static inline const char *table_key(int i)
{
    static char key[32];

    snprintf(key, sizeof key, "key %05d", i);
    return key;
}

/* n entries; the value of the i-th has i % 7 bytes, or `large` of one in the middle. */
static inline void table_make(int n, size_t large, struct t2_buf *out)
{
    struct ckpt_table *t = ckpt_table_new();
    uint8_t *value = t2_alloc(large + 7, 1);

    for (int i = 0; i < n; i++)
        ckpt_table_add(t, t2_slice_of(table_key(i)),
                       (struct t2_slice){value, i == n / 2 && large ? large : (size_t) (i % 7)});
    ckpt_table_finish(t, out);
    t2_free(value);
}

struct table_seen {
    int n;
    size_t largest;
};

static inline enum t2_status table_see(void *context, struct t2_slice key, struct t2_slice value,
                                       struct t2_err *err)
{
    struct table_seen *seen = context;

    (void) err;
    assert_true(t2_slice_eq(key, t2_slice_of(table_key(seen->n))));
    if (value.len_bytes > seen->largest)
        seen->largest = value.len_bytes;
    seen->n++;
    return T2_OK;
}

#endif
