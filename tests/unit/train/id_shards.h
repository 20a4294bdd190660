/*
 * tests/unit/train/id_shards.h - shards of id sequences for tests: record i is known by its number.
 *
 * Inputs of record i are all 2 + i % 97 followed by EOS, targets 2 + i % 89 and EOS; lengths follow
 * from i and a seed.
 */
#ifndef T2_TESTS_UNIT_TRAIN_ID_SHARDS_H
#define T2_TESTS_UNIT_TRAIN_ID_SHARDS_H

#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "tests/support/record_writer.h"
#include "tests/support/t.h"
#include "tfrecord/example.h"
#include "tfrecord/shards.h"

enum { IDS_VOCAB = 100, IDS_MAX = 4096 };

struct ids_record {
    int32_t inputs[IDS_MAX], targets[IDS_MAX];
    size_t n_inputs, n_targets;
};

static inline size_t ids_length(uint64_t i, uint64_t seed, uint64_t longest)
{
    return 2 + (size_t) (t_hash64(i * 2 + seed) % (longest - 1));
}

static inline void ids_make(uint64_t i, uint64_t longest, struct ids_record *r)
{
    r->n_inputs = ids_length(i, 1000, longest);
    r->n_targets = ids_length(i, 2000000, longest);
    for (size_t k = 0; k < r->n_inputs; k++)
        r->inputs[k] = k + 1 < r->n_inputs ? 2 + (int32_t) (i % 97) : 1;
    for (size_t k = 0; k < r->n_targets; k++)
        r->targets[k] = k + 1 < r->n_targets ? 2 + (int32_t) (i % 89) : 1;
}

static inline void ids_add(struct t_writer *w, const struct ids_record *r)
{
    static const char *const names[] = {"inputs", "targets"};
    const int32_t *const ids[] = {r->inputs, r->targets};
    const size_t n[] = {r->n_inputs, r->n_targets};
    struct t2_buf b = {0};

    tfr_example_build_ids(&b, 2, names, ids, n);
    t_writer_add(w, b.data, b.len_bytes);
    t2_buf_release(&b);
}

/* n records of `longest` at most over n_shards shards, one after the other. */
static inline void ids_write(const char *dir, const char *split, uint64_t n, int n_shards,
                             uint64_t longest)
{
    struct t2_err err = T2_ERR_INIT;
    struct ids_record *r = t2_alloc(1, sizeof *r);
    uint64_t i = 0;

    assert_int_equal(t2_make_dirs(dir, &err), T2_OK);
    for (int s = 0; s < n_shards; s++) {
        char *path = tfr_shard_path(dir, "ids", split, s, n_shards);
        struct t_writer *w = NULL;

        if (t_writer_new(path, &w, &err) != T2_OK)
            fail_msg("%s", err.message);
        for (uint64_t end = n * (uint64_t) (s + 1) / (uint64_t) n_shards; i < end; i++) {
            ids_make(i, longest, r);
            ids_add(w, r);
        }
        if (t_writer_commit(w, &err) != T2_OK)
            fail_msg("%s", err.message);
        t2_free(path);
    }
    t2_free(r);
}

#endif
