/*
 * test_official_text.c - which words are counted, and what the compiled files hold.
 */
#include "datagen/official/official_text.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "tests/support/t.h"
#include "tokenizer/counts.h"

static struct dg_text_parts two_sources(void)
{
    struct dg_text_parts parts = {0};
    char path[4096];

    t_write_file(t_tmp_path("a.en"), "one two\n  a\rb \n", 15);
    t_write_file(t_tmp_path("a.de"), "\n\xc2\xa0x\xe2\x80\xa8\n", 8);
    t_write_file(t_tmp_path("b.en"), "three", 5);
    t_write_file(t_tmp_path("b.de"), "\r\ny\r\nz", 6);
    snprintf(path, sizeof path, "%s", t_tmp_path("a.en"));
    dg_text_parts_add(&parts, path, t_tmp_path("a.de"));
    snprintf(path, sizeof path, "%s", t_tmp_path("b.en"));
    dg_text_parts_add(&parts, path, t_tmp_path("b.de"));
    return parts;
}

static void check_file(const char *path, const char *want)
{
    struct t2_err err = T2_ERR_INIT;
    struct t2_buf text = {0};

    assert_int_equal(t2_read_file(path, 0, &text, &err), T2_OK);
    assert_string_equal(t2_buf_cstr(&text), want);
    t2_buf_release(&text);
}

/* Both ends stripped of all that Python calls white, CR deleted, a LF behind each line. */
static void test_compile(void **state)
{
    struct dg_text_parts parts = two_sources();
    struct t2_pool *pool = t2_pool_new(2);
    struct t2_err err = T2_ERR_INIT;
    char *paths[2] = {t2_strdup(t_tmp_path("x.lang1")), t2_strdup(t_tmp_path("x.lang2"))};

    (void) state;
    assert_int_equal(dg_official_compile(&parts, paths, pool, &err), T2_OK);
    check_file(paths[0], "one two\nab\nthree\n");
    check_file(paths[1], "\nx\n\ny\nz\n");
    dg_text_parts_add(&parts, t_tmp_path("absent.en"), t_tmp_path("a.de"));
    assert_int_equal(dg_official_compile(&parts, paths, pool, &err), T2_ENOTFOUND);
    t_assert_contains(err.message, "absent.en");
    check_file(paths[0], "one two\nab\nthree\n"); /* the old one stays */
    t2_free(paths[0]);
    t2_free(paths[1]);
    t2_pool_free(pool);
    dg_text_parts_release(&parts);
}

static uint64_t count_of(const struct tok_counts *counts, const char *word)
{
    struct t2_slice w;
    size_t cursor = 0;
    uint64_t n;

    while (tok_counts_next(counts, &cursor, &w, &n))
        if (t2_slice_eq(w, t2_slice_of(word)))
            return n;
    return 0;
}

static void check_counts(int n_threads, uint64_t budget, size_t distinct, uint64_t n_last)
{
    struct dg_text_parts parts = two_sources();
    struct t2_pool *pool = t2_pool_new(n_threads);
    struct t2_err err = T2_ERR_INIT;
    const struct tok_tally_limits limits = {0};
    struct tok_counts *counts = NULL;

    assert_int_equal(dg_official_count(&parts, budget, &limits, pool, &counts, &err), T2_OK);
    assert_int_equal(tok_counts_distinct(counts), distinct);
    assert_int_equal(count_of(counts, "one"), budget > 3 ? 1 : 0);
    assert_int_equal(count_of(counts, "z"), n_last);
    tok_counts_free(counts);
    t2_pool_free(pool);
    dg_text_parts_release(&parts);
}

/* Spec §3.6: with a budget of 3, two lines of a file of 15 bytes are skipped before one is taken,
 * one of files of 8 and 6 bytes. */
static void test_count(void **state)
{
    (void) state;
    check_counts(1, DG_OFFICIAL_BUDGET, 7, 1);
    check_counts(3, DG_OFFICIAL_BUDGET, 7, 1);
    check_counts(2, 3, 3, 0);
}

static void test_count_fails(void **state)
{
    struct dg_text_parts parts = {0};
    struct t2_pool *pool = t2_pool_new(1);
    struct t2_err err = T2_ERR_INIT;
    const struct tok_tally_limits limits = {0};
    struct tok_counts *counts = NULL;

    (void) state;
    dg_text_parts_add(&parts, t_tmp_path("absent.en"), t_tmp_path("absent.de"));
    assert_int_equal(dg_official_count(&parts, 10, &limits, pool, &counts, &err), T2_ENOTFOUND);
    assert_null(counts);
    t_assert_contains(err.message, "absent.en");
    t2_pool_free(pool);
    dg_text_parts_release(&parts);
}

T_MAIN(cmocka_unit_test(test_compile), cmocka_unit_test(test_count),
       cmocka_unit_test(test_count_fails))
