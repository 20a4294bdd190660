/*
 * test_ranks.c - how many shards a run has, whose they are, who writes.
 */
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "tests/support/comm_threads.h"
#include "tests/support/t.h"
#include "train/runs/ranks.h"

/* What is asked for, and what comes of it. */
struct row {
    int ranks;
    int64_t asked, old; /* --worker_gpu; of the run that is continued, 0: a new one */
    bool given;
    int n_shards; /* 0: refused */
    const char *says;
};

static struct tr_run run_of(struct dist *dist, const struct row *row)
{
    struct tr_run r = {.dist = dist,
                       .n_shards = 1,
                       .output_dir = t2_strdup("out"),
                       .restored = row->old > 0,
                       .options = {.data_shards = row->asked, .data_shards_given = row->given},
                       .state = {.data_shards = row->old}};

    return r;
}

static enum t2_status settle(struct dist *dist, void *arg, struct t2_err *err)
{
    const struct row *row = arg;
    struct tr_run r = run_of(dist, row);
    struct dist_span span;
    enum t2_status st = tr_ranks_settle_shards(&r, err);

    t2_free(r.output_dir);
    T2_TRY(st);
    span = tr_ranks_shards(&r);
    if (r.n_shards != row->n_shards || r.state.data_shards != row->n_shards ||
        span.first != dist_rank(dist) * row->n_shards / row->ranks)
        return t2_fail(err, T2_EFORMAT, "%d shards, from %d", r.n_shards, span.first);
    return tr_ranks_writes(&r) == (dist_rank(dist) == 0) ? T2_OK
                                                         : t2_fail(err, T2_EFORMAT, "writes");
}

static void test_shards(void **state)
{
    static struct row rows[] = {
        {1, 0, 0, false, 1, NULL},
        {1, 4, 0, true, 4, NULL},
        {3, 0, 0, false, 3, NULL},
        {3, 2, 0, true, 6, NULL},
        /* continued: as many as the run has */
        {3, 0, 4, false, 4, NULL},
        {1, 0, 4, false, 4, NULL},
        {3, 0, 1, false, 1, NULL},
        {2, 2, 4, true, 4, NULL},
        {2, 1, 4, true, 0,
         "has batches of 4 data shards, and 1 (--worker_gpu, --gradient_accumulation) on 2 ranks "
         "is 2"},
        {1, 5000, 0, true, 0, "there are at most 4096 data shards, not 5000"},
    };
    struct t_rank_result results[3];

    (void) state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        t_run_ranks(rows[i].ranks, settle, &rows[i], results);
        if (rows[i].n_shards > 0)
            t_assert_ranks(rows[i].ranks, results);
        for (int r = 0; r < rows[i].ranks && rows[i].n_shards == 0; r++) {
            assert_int_equal(results[r].status, T2_EUSAGE);
            t_assert_contains(results[r].err.message, rows[i].says);
        }
    }
}

static enum t2_status path(struct dist *dist, void *arg, struct t2_err *err)
{
    static const struct row row = {.ranks = 2};
    struct tr_run r = run_of(dist, &row);
    char wanted[64], *path;

    (void) arg;
    path = tr_ranks_path(&r, "not-finite", 7);
    if (dist_size(dist) == 1)
        snprintf(wanted, sizeof wanted, "out/not-finite-7.json");
    else
        snprintf(wanted, sizeof wanted, "out/not-finite-7-rank-%d.json", dist_rank(dist));
    if (strcmp(path, wanted) != 0)
        (void) t2_fail(err, T2_EFORMAT, "%s", path);
    t2_free(path);
    t2_free(r.output_dir);
    return err->status;
}

static void test_paths(void **state)
{
    struct t_rank_result results[2];

    (void) state;
    t_run_ranks(1, path, NULL, results);
    t_assert_ranks(1, results);
    t_run_ranks(2, path, NULL, results);
    t_assert_ranks(2, results);
}

T_MAIN(cmocka_unit_test(test_shards), cmocka_unit_test(test_paths))
