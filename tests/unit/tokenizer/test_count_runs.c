#include "tokenizer/count_runs.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/map.h"
#include "tests/support/t.h"
#include "tokenizer/counts.h"

enum { N_WORDS = 3000 };

/* Words of 1 to 40 bytes, NUL and 0xFF among them, one of them again and again. */
static size_t random_word(uint64_t i, uint8_t *word)
{
    size_t len = 1 + t_hash64(i) % 40;

    for (size_t k = 0; k < len; k++)
        word[k] = "ab\0\377"[t_hash64(i * 41 + k) % 4];
    return len;
}

/* n_adds words into runs of 100 words and a rest; every count into want. */
static void fill(struct tok_runs *runs, struct tok_counts *rest, size_t n_adds, struct t2_map *want)
{
    uint8_t word[40];

    for (size_t i = 0; i < n_adds; i++) {
        uint64_t which = t_hash64(i) % N_WORDS, n = 1 + i % 3;
        size_t len = random_word(which, word);

        tok_counts_add(rest, word, len, n);
        *t2_map_at(want, word, len, NULL) += n;
        if (tok_counts_distinct(rest) == 100)
            tok_runs_add(runs, rest);
    }
}

static void assert_merged(struct tok_merge *m, const struct t2_map *want)
{
    struct t2_buf last = {0};
    struct t2_err err = T2_ERR_INIT;
    struct t2_slice word;
    enum t2_status st;
    size_t n_words = 0;
    uint64_t n;

    while ((st = tok_merge_next(m, &word, &n, &err)) == T2_OK) {
        const uint64_t *count = t2_map_find(want, word.data, word.len_bytes);

        assert_non_null(count);
        assert_true(*count == n);
        assert_true(n_words == 0 || t2_slice_cmp(t2_buf_slice(&last), word) < 0);
        t2_buf_clear(&last);
        t2_buf_append(&last, word.data, word.len_bytes);
        n_words++;
    }
    assert_int_equal(st, T2_EOF);
    assert_int_equal(n_words, t2_map_count(want));
    t2_buf_release(&last);
}

static void check(size_t n_adds)
{
    struct tok_runs *runs = tok_runs_new(t_tmp_path("counts"));
    struct tok_counts *rest = tok_counts_new();
    struct t2_map *want = t2_map_new();
    struct t2_err err = T2_ERR_INIT;
    struct tok_merge *m;

    fill(runs, rest, n_adds, want);
    assert_int_equal(tok_merge_new(runs, &rest, 1, &m, &err), T2_OK);
    assert_merged(m, want);
    tok_merge_free(m);
    tok_runs_free(runs);
    tok_counts_free(rest);
    t2_map_free(want);
}

static void test_merge(void **state)
{
    (void) state;
    check(0);
    check(1);
    check(99);
    check(5000);   /* one level */
    check(120000); /* several levels */
}

static void test_tables_alone(void **state)
{
    struct tok_counts *tables[3];
    struct t2_map *want = t2_map_new();
    struct t2_err err = T2_ERR_INIT;
    struct tok_merge *m;
    uint8_t word[40];

    (void) state;
    for (size_t k = 0; k < 3; k++)
        tables[k] = tok_counts_new();
    for (size_t i = 0; i < 900; i++) {
        size_t len = random_word(i % 400, word);

        tok_counts_add(tables[i % 2 * 2], word, len, 5); /* the middle one stays empty */
        *t2_map_at(want, word, len, NULL) += 5;
    }
    assert_int_equal(tok_merge_new(NULL, tables, 3, &m, &err), T2_OK);
    assert_merged(m, want);
    tok_merge_free(m);
    for (size_t k = 0; k < 3; k++)
        tok_counts_free(tables[k]);
    t2_map_free(want);
    tok_merge_free(NULL);
    tok_runs_free(NULL);
}

static void test_no_folder(void **state)
{
    struct tok_runs *runs = tok_runs_new(t_tmp_path("none/counts"));
    struct tok_counts *c = tok_counts_new();
    struct t2_err err = T2_ERR_INIT;
    struct tok_merge *m;

    (void) state;
    assert_int_equal(tok_runs_status(runs, &err), T2_OK);
    tok_counts_add(c, (const uint8_t *) "a", 1, 1);
    tok_runs_add(runs, c);
    assert_int_equal(tok_counts_distinct(c), 0);
    assert_int_not_equal(tok_runs_status(runs, &err), T2_OK);
    t_assert_contains(err.message, "cannot create a temporary file in '");
    err = (struct t2_err) T2_ERR_INIT;
    assert_int_not_equal(tok_merge_new(runs, &c, 1, &m, &err), T2_OK);
    assert_null(m);
    tok_counts_free(c);
    tok_runs_free(runs);
}

T_MAIN(cmocka_unit_test(test_merge), cmocka_unit_test(test_tables_alone),
       cmocka_unit_test(test_no_folder))
