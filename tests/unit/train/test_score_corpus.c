/*
 * tests/unit/train/test_score_corpus.c - every line gets its statistics, whatever the number of
 * threads; a failure names the first line that fails.
 */
#include <stdlib.h>
#include <string.h>

#include "tests/support/t.h"
#include "train/eval/score_corpus.h"

enum { N = 1000 };

static void *work_new(const struct ev_metric *m)
{
    (void) m;
    return calloc(1, 1);
}

/* Lengths of the hypothesis and of both references; a hypothesis "!" fails. */
static enum t2_status lengths(const struct ev_metric *m, void *work, const struct ev_segment *s,
                              double *stats, struct t2_err *err)
{
    (void) m;
    assert_non_null(work);
    assert_int_equal(s->n_references, 2);
    if (s->hypothesis.len_bytes == 1 && s->hypothesis.data[0] == '!')
        return t2_fail(err, T2_EFORMAT, "an exclamation");
    stats[0] = (double) s->hypothesis.len_bytes;
    stats[1] = (double) s->references[0].len_bytes;
    stats[2] = (double) s->references[1].len_bytes;
    return T2_OK;
}

static const struct ev_metric_kind kind = {.work_new = work_new,
                                           .work_free = free,
                                           .segment = lengths};
static const struct ev_metric metric = {&kind, 3};

static void make(struct ev_lines *l, const char *name, size_t modulus)
{
    struct t2_err err = T2_ERR_INIT;
    struct t2_buf text = {NULL, 0, 0};

    for (size_t i = 0; i < N; i++) {
        for (size_t k = 0; k < i % modulus; k++)
            t2_buf_push(&text, 'x');
        t2_buf_push(&text, '\n');
    }
    t_write_file(t_tmp_path(name), text.data, text.len_bytes);
    assert_int_equal(ev_lines_read(t_tmp_path(name), 1, l, &err), T2_OK);
    t2_buf_release(&text);
}

static void test_statistics(void **state)
{
    static double stats[3 * N];
    struct ev_lines system = {.n = 0}, references[2] = {{.n = 0}, {.n = 0}};
    const struct ev_corpus corpus = {references, 2};
    struct t2_err err = T2_ERR_INIT;
    double sums[3], want[3] = {0, 0, 0};

    (void) state;
    make(&system, "system", 7);
    make(&references[0], "first", 11);
    make(&references[1], "second", 13);
    for (int n_threads = 1; n_threads <= 4; n_threads += 3) {
        struct t2_pool *pool = t2_pool_new(n_threads);

        memset(stats, 0xff, sizeof stats);
        assert_int_equal(ev_corpus_stats(&metric, &corpus, &system, pool, stats, &err), T2_OK);
        for (size_t i = 0; i < N; i++)
            assert_true(stats[3 * i] == (double) (i % 7) && stats[3 * i + 1] == (double) (i % 11) &&
                        stats[3 * i + 2] == (double) (i % 13));
        t2_pool_free(pool);
    }
    for (size_t i = 0; i < N; i++) {
        want[0] += (double) (i % 7);
        want[1] += (double) (i % 11);
        want[2] += (double) (i % 13);
    }
    ev_corpus_sum(&metric, stats, N, sums);
    assert_memory_equal(sums, want, sizeof sums);
    ev_lines_release(&system);
    ev_lines_release(&references[0]);
    ev_lines_release(&references[1]);
}

static void test_failures(void **state)
{
    double stats[9];
    struct ev_lines system = {.n = 0}, references[2] = {{.n = 0}, {.n = 0}};
    const struct ev_corpus corpus = {references, 2};
    struct t2_pool *pool = t2_pool_new(2);
    struct t2_err err = T2_ERR_INIT;

    (void) state;
    t_write_file(t_tmp_path("a"), "x\n!\n!\n", 6);
    t_write_file(t_tmp_path("b"), "x\n\n", 3);
    assert_int_equal(ev_lines_read(t_tmp_path("a"), 1, &system, &err), T2_OK);
    assert_int_equal(ev_lines_read(t_tmp_path("a"), 1, &references[0], &err), T2_OK);
    assert_int_equal(ev_lines_read(t_tmp_path("a"), 1, &references[1], &err), T2_OK);
    assert_int_equal(ev_corpus_stats(&metric, &corpus, &system, pool, stats, &err), T2_EFORMAT);
    t_assert_contains(err.message, "line 2: an exclamation");
    ev_lines_release(&references[1]);
    assert_int_equal(ev_lines_read(t_tmp_path("b"), 1, &references[1], &err), T2_OK);
    assert_int_equal(ev_corpus_stats(&metric, &corpus, &system, pool, stats, &err), T2_EFORMAT);
    t_assert_contains(err.message, "is the first without a partner");
    ev_lines_release(&system);
    ev_lines_release(&references[0]);
    ev_lines_release(&references[1]);
    t2_pool_free(pool);
}

T_MAIN(cmocka_unit_test(test_statistics), cmocka_unit_test(test_failures))
