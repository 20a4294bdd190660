#include "vocab/word_counts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/pool.h"
#include "tests/support/t.h"
#include "tokenizer/counts.h"
#include "tokenizer/counts_file.h"

enum { N_LINES = 30000 };

/* Two files of 1.2 MB, so several blocks each: words of all files, of one, of one line. */
static struct voc_corpus open_corpus(void)
{
    struct voc_corpus c = {.field = "", .feature = ""};
    struct t2_strs paths = {NULL, 0, 0};
    struct t2_err err = T2_ERR_INIT;
    struct t2_buf text = {0};

    for (int file = 0; file < 2; file++) {
        const char *path = t_tmp_path(file ? "b.txt" : "a.txt");

        t2_buf_clear(&text);
        for (int i = 0; i < N_LINES / 2; i++)
            t2_buf_printf(&text, "all of file %d, line %d x%llx a_word_longer_than_a_slot_%d\n",
                          file, i, (unsigned long long) t_hash64((uint64_t) i) % 30000, i % 9000);
        t_write_file(path, text.data, text.len_bytes);
        t2_strs_push(&paths, path);
    }
    t2_buf_release(&text);
    assert_int_equal(voc_corpus_open(&c, &paths, &err), T2_OK);
    return c;
}

/* The file of counts for a limit, a task and a number of threads. */
static char *counted(const struct voc_corpus *c, uint64_t task, uint64_t n_tasks, int n_threads,
                     uint64_t max_memory, size_t *n_runs)
{
    struct tok_tally_limits limits = {.max_memory = max_memory, .beside = t_tmp_path("counts")};
    struct t2_pool *pool = t2_pool_new(n_threads);
    struct t2_err err = T2_ERR_INIT;
    struct tok_tally *t;
    uint64_t n_distinct;
    size_t n;
    char *text;

    assert_int_equal(voc_count_words(c, task, n_tasks, pool, &limits, &t, &err), T2_OK);
    *n_runs = tok_tally_runs(t);
    assert_int_equal(tok_tally_save(t, pool, limits.beside, &n_distinct, &err), T2_OK);
    text = t_read_file(limits.beside, &n);
    tok_tally_free(t);
    t2_pool_free(pool);
    return text;
}

static void test_limits(void **state)
{
    struct voc_corpus c = open_corpus();
    size_t n_runs;
    char *want = counted(&c, 0, 1, 1, 0, &n_runs);

    (void) state;
    assert_int_equal(n_runs, 0);
    for (int n_threads = 1; n_threads <= 3; n_threads++)
        for (uint64_t limit = 1; limit <= 1 << 24; limit <<= 12) {
            char *have = counted(&c, 0, 1, n_threads, limit, &n_runs);

            assert_string_equal(have, want);
            assert_int_equal(n_runs > 0, limit < 1 << 24);
            free(have);
        }
    free(want);
    voc_corpus_release(&c);
}

/* A table, with a limit or without, holds the same; so do the tasks' files together. */
static void test_table_and_tasks(void **state)
{
    struct voc_corpus c = open_corpus();
    size_t n_runs;
    char *want = counted(&c, 0, 1, 1, 0, &n_runs), *have;

    (void) state;
    for (int with_limit = 0; with_limit < 2; with_limit++) {
        struct tok_tally_limits limits = {.max_memory = with_limit ? 1 : 0,
                                          .beside = t_tmp_path("counts")};
        struct t2_pool *pool = t2_pool_new(2);
        struct tok_counts *counts;
        struct t2_err err = T2_ERR_INIT;
        struct tok_tally *t;
        struct tok_merge *m;
        uint64_t n_distinct;
        size_t n;

        assert_int_equal(voc_count_words(&c, 0, 1, pool, &limits, &t, &err), T2_OK);
        assert_int_equal(tok_tally_runs(t) > 0, with_limit);
        assert_int_equal(tok_tally_table(t, pool, &counts, &err), T2_OK);
        tok_tally_free(t);
        assert_int_equal(tok_merge_new(NULL, &counts, 1, &m, &err), T2_OK);
        assert_int_equal(tok_counts_save(m, limits.beside, &n_distinct, &err), T2_OK);
        have = t_read_file(limits.beside, &n);
        assert_string_equal(have, want);
        free(have);
        tok_merge_free(m);
        tok_counts_free(counts);
        t2_pool_free(pool);
    }
    for (uint64_t n_tasks = 2; n_tasks <= 7; n_tasks += 5) {
        struct tok_counts *sum = tok_counts_new();
        struct t2_err err = T2_ERR_INIT;
        struct tok_merge *m;
        uint64_t n_distinct;
        size_t n;

        for (uint64_t task = 0; task < n_tasks; task++) {
            free(counted(&c, task, n_tasks, 2, task % 2, &n_runs));
            assert_int_equal(tok_counts_load(t_tmp_path("counts"), sum, NULL, NULL, &err), T2_OK);
        }
        assert_int_equal(tok_merge_new(NULL, &sum, 1, &m, &err), T2_OK);
        assert_int_equal(tok_counts_save(m, t_tmp_path("counts"), &n_distinct, &err), T2_OK);
        have = t_read_file(t_tmp_path("counts"), &n);
        assert_string_equal(have, want);
        free(have);
        tok_merge_free(m);
        tok_counts_free(sum);
    }
    free(want);
    voc_corpus_release(&c);
}

static enum t2_status refuse(void *arg, const struct tok_counts *part, struct t2_err *err)
{
    if (tok_counts_distinct(part) < *(size_t *) arg)
        return T2_OK;
    return t2_fail(err, T2_ENOMEM, "too many words");
}

static void test_check(void **state)
{
    struct voc_corpus c = open_corpus();
    struct t2_pool *pool = t2_pool_new(2);

    (void) state;
    /* While counting; only for all together; when runs are joined. */
    for (int k = 0; k < 3; k++) {
        size_t limit = k == 0 ? 100 : 18000;
        struct tok_tally_limits limits = {.max_memory = k == 2 ? 1 << 20 : 0,
                                          .beside = t_tmp_path("counts"),
                                          .check = refuse,
                                          .check_arg = &limit};
        struct tok_counts *counts = NULL;
        struct t2_err err = T2_ERR_INIT;
        struct tok_tally *t;
        enum t2_status st = voc_count_words(&c, 0, 1, pool, &limits, &t, &err);

        if (st == T2_OK)
            st = tok_tally_table(t, pool, &counts, &err);
        assert_int_equal(st, T2_ENOMEM);
        assert_string_equal(err.message, "too many words");
        assert_null(counts);
        tok_tally_free(t);
    }
    t2_pool_free(pool);
    voc_corpus_release(&c);
}

static void test_no_room(void **state)
{
    struct voc_corpus c = open_corpus();
    struct tok_tally_limits limits = {.max_memory = 1, .beside = t_tmp_path("none/counts")};
    struct t2_pool *pool = t2_pool_new(2);
    struct t2_err err = T2_ERR_INIT;
    struct tok_tally *t;

    (void) state;
    assert_int_not_equal(voc_count_words(&c, 0, 1, pool, &limits, &t, &err), T2_OK);
    t_assert_contains(err.message, "cannot create a temporary file");
    assert_null(t);
    t2_pool_free(pool);
    voc_corpus_release(&c);
}

static void test_beside(void **state)
{
    struct t2_err err = T2_ERR_INIT;
    char *path;

    (void) state;
    assert_int_equal(voc_beside("", "x/out", &path, &err), T2_OK);
    assert_string_equal(path, "x/out");
    t2_free(path);
    assert_int_equal(voc_beside("/", "x/out", &path, &err), T2_OK);
    assert_string_equal(path, "/counts");
    t2_free(path);
    assert_int_equal(voc_beside("/no such folder", "x/out", &path, &err), T2_EUSAGE);
    assert_string_equal(err.message, "--tmp_dir: '/no such folder' is no folder");
    assert_int_equal(voc_try_output(t_tmp_path("new"), &err), T2_OK);
    assert_int_not_equal(voc_try_output("/dev/null/new", &err), T2_OK);
}

static void test_budget(void **state)
{
    struct voc_corpus c = {.field = "", .feature = ""};
    struct t2_err err = T2_ERR_INIT;

    (void) state;
    assert_int_equal(voc_set_budget(&c, "official", -1, &err), T2_OK);
    assert_true(c.file_budget == 1000000 && c.dialect == TOK_DIALECT_OFFICIAL);
    assert_int_equal(voc_set_budget(&c, "t2t", -1, &err), T2_OK);
    assert_true(c.file_budget == 0 && c.dialect == TOK_DIALECT_T2T);
    assert_int_equal(voc_set_budget(&c, "t2t", 7, &err), T2_OK);
    assert_true(c.file_budget == 7);
    assert_int_equal(voc_set_budget(&c, "official", 0, &err), T2_OK);
    assert_true(c.file_budget == 0);
    c.feature = "f";
    assert_int_equal(voc_set_budget(&c, "official", -1, &err), T2_OK);
    assert_true(c.file_budget == 0);
    assert_int_equal(voc_set_budget(&c, "t2t", 1, &err), T2_EUSAGE);
    t_assert_contains(err.message, "samples lines of text, not records");
    c.feature = "";
    assert_int_equal(voc_set_budget(&c, "t2t", -2, &err), T2_EUSAGE);
    assert_int_equal(voc_set_budget(&c, "T2T", 0, &err), T2_EUSAGE);
    assert_string_equal(err.message, "--dialect='T2T': t2t or official");
}

static void test_task(void **state)
{
    static const char *const bad[] = {"",    "1",    "/",     "1/",   "/2",
                                      "2/2", "-1/2", "1/2/3", " 1/2", "0/0"};
    uint64_t task, n;

    (void) state;
    assert_true(voc_parse_task("2/8", &task, &n));
    assert_true(task == 2 && n == 8);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_false(voc_parse_task(bad[i], &task, &n));
}

T_MAIN(cmocka_unit_test(test_limits), cmocka_unit_test(test_table_and_tasks),
       cmocka_unit_test(test_check), cmocka_unit_test(test_no_room), cmocka_unit_test(test_beside),
       cmocka_unit_test(test_budget), cmocka_unit_test(test_task))
