/*
 * test_make_shards.c - shards that are made one by one: threads, tasks, packing, failures, what is
 * left out.
 */
#include "datagen/passes/shard_maker.h"
#include "datagen/runs/join_parts.h"
#include "tests/unit/datagen/small_set.h"

enum { RECORDS = 40 };
static int failing_shard; /* -1: none */

static enum t2_status no_inputs(const struct dg_problem *p, const struct dg_options *options,
                                enum dg_split split, struct dg_input_files *files,
                                struct t2_err *err)
{
    static const char sha256[65] =
        "0000000000000000000000000000000000000000000000000000000000000000";

    (void) p;
    (void) options;
    (void) err;
    dg_input_files_add(files, "made", dg_split_name(split), 0, 0, sha256);
    return T2_OK;
}

static enum t2_status make(struct dg_shard_job *job, struct t2_err *err)
{
    struct dg_record r = {.n = 0};
    enum t2_status st = T2_OK;

    t2_mt_seed_python(&job->mt, (uint64_t) job->shard);
    for (int i = 0; i < RECORDS && st == T2_OK; i++) {
        uint64_t n = 1 + t2_mt_below(&job->mt, 9);
        dg_record_clear(&r);
        for (uint64_t k = 0; k < n; k++) {
            dg_feature_push(k ? dg_record_find(&r, "inputs")
                              : dg_record_add(&r, "inputs", TFR_INT64),
                            i);
        }
        dg_feature_push(dg_record_add(&r, "targets", TFR_INT64), job->shard);
        st = dg_shard_put(job, &r, err);
        if (i == 20 && job->shard >= failing_shard && failing_shard >= 0)
            st = t2_fail(err, T2_EFORMAT, "shard %d is bad", job->shard);
        if (i == job->shard)
            dg_drops_add(&job->drops, "test", dg_split_name(job->split), (uint64_t) job->shard,
                         NULL);
    }
    job->n_bytes += 7;
    dg_record_release(&r);
    return st;
}

static uint64_t memory(const struct dg_problem *p)
{
    (void) p;
    return UINT64_C(40) << 20;
}

static const struct dg_shard_maker maker = {no_inputs, make, memory};
static const struct dg_problem problem = {.name = "made_shards",
                                          .summary = "test",
                                          .has_inputs = true,
                                          .shared_vocab = true,
                                          .n_shards = {5, 1, 0},
                                          .targets_vocab = {.kind = DG_VOCAB_NUMBERS,
                                                            .approx_size = 50,
                                                            .raw_ids = true},
                                          .sharding.maker = &maker};

static enum t2_status generate(const struct dg_problem *p, const char *dir, int n_threads,
                               struct dg_task_share share, uint64_t max_memory, struct t2_err *err)
{
    struct t2_pool *pool = t2_pool_new(n_threads);
    struct dg_generate g = ds_settings(dir, pool);
    struct dg_report report = {0};
    enum t2_status st;

    g.share = share;
    g.max_memory = g.options.max_memory = max_memory;
    st = dg_generate(p, &g, &report, err);
    dg_report_release(&report);
    t2_pool_free(pool);
    return st;
}

static void check_same(const char *name, const char *dir, const char *other)
{
    struct t2_buf a = {0}, b = {0};

    ds_sums(t_tmp_path(dir), name, &a);
    ds_sums(t_tmp_path(other), name, &b);
    assert_string_equal(t2_buf_cstr(&a), t2_buf_cstr(&b));
    t2_buf_release(&a);
    t2_buf_release(&b);
}

static void check_problem(const struct dg_problem *p)
{
    static const struct dg_task_share all = {0, 0, 0};
    struct dg_manifest *m = NULL;
    struct t2_err err = T2_ERR_INIT;
    char *path;

    failing_shard = -1;
    assert_int_equal(generate(p, "one", 1, all, 0, &err), T2_OK);
    assert_int_equal(generate(p, "four", 4, all, 0, &err), T2_OK);
    check_same(p->name, "one", "four");
    assert_int_equal(generate(p, "little", 3, all, 100 << 20, &err), T2_OK);
    check_same(p->name, "one", "little");
    for (int task = 1; task >= 0; task--)
        assert_int_equal(generate(p, "parts", 2, (struct dg_task_share){task, task + 1, 2}, 0,
                                  &err),
                         T2_OK);
    assert_int_equal(dg_join_parts(p->name, t_tmp_path("parts"), &err), T2_OK);
    check_same(p->name, "one", "parts");
    path = dg_manifest_path(t_tmp_path("one"), p->name);
    assert_int_equal(dg_manifest_load(path, &m, &err), T2_OK);
    assert_int_equal(m->n_dropped, 6);
    if (!p->packing.length)
        assert_int_equal(m->splits[DG_TRAIN].n_records, 5 * RECORDS);
    assert_int_equal(m->n_features, p->packing.length ? 6 : 2);
    dg_manifest_free(m);
    t2_free(path);
}

static void test_same_bytes(void **state)
{
    (void) state;
    check_problem(&problem);
}

static void test_packed(void **state)
{
    struct dg_problem packed = problem;

    (void) state;
    packed.name = "made_packed";
    packed.packing.length = 20;
    check_problem(&packed);
}

/* The first shard that fails by itself is told, whichever came first. */
static void test_failure(void **state)
{
    static const struct dg_task_share all = {0, 0, 0};
    struct t2_err err = T2_ERR_INIT;

    (void) state;
    failing_shard = 0;
    assert_int_equal(generate(&problem, "bad", 1, all, 0, &err), T2_EFORMAT);
    t_assert_contains(err.message, "shard 0 is bad");
    failing_shard = 3;
    for (int n = 2; n < 5; n++) {
        err = (struct t2_err) T2_ERR_INIT;
        assert_int_equal(generate(&problem, "bad", n, all, 0, &err), T2_EFORMAT);
        t_assert_contains(err.message, "is bad");
        assert_false(t2_exists(t_tmp_path("bad/made_shards-train-00000-of-00005")));
    }
    failing_shard = -1;
    assert_int_equal(generate(&problem, "bad", 2, all, 0, &err), T2_OK);
}

T_MAIN(cmocka_unit_test(test_same_bytes), cmocka_unit_test(test_packed),
       cmocka_unit_test(test_failure))
