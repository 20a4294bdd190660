#include "tokenizer/counts_file.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "tests/support/t.h"
#include "tokenizer/counts.h"

static void add(struct tok_counts *c, const char *word, uint64_t n)
{
    tok_counts_add(c, (const uint8_t *) word, strlen(word), n);
}

static void save(struct tok_counts *c, const char *path, uint64_t *n_distinct)
{
    struct t2_err err = T2_ERR_INIT;
    struct tok_merge *m;

    assert_int_equal(tok_merge_new(NULL, &c, 1, &m, &err), T2_OK);
    assert_int_equal(tok_counts_save(m, path, n_distinct, &err), T2_OK);
    tok_merge_free(m);
}

static void test_there_and_back(void **state)
{
    static const char want[] = "t2t.c word counts 1\n"
                               "18446744073709551000 \\\\\\n\\r\\t\n"
                               "7  \n"
                               "2 \\n\n"
                               "3 a\n"
                               "1 a b\n"
                               "5 a_word_longer_than_a_slot_of_the_table\n"
                               "4 \303\274\n";
    const char *path = t_tmp_path("counts");
    struct tok_counts *c = tok_counts_new(), *back = tok_counts_new();
    struct t2_err err = T2_ERR_INIT;
    uint64_t n_distinct;
    size_t n;
    char *text;

    (void) state;
    add(c, "a_word_longer_than_a_slot_of_the_table", 5);
    add(c, "\\\n\r\t", UINT64_C(18446744073709551000));
    add(c, "\303\274", 4);
    add(c, "a", 3);
    add(c, "\n", 2);
    add(c, " ", 7);
    add(c, "a b", 1);
    save(c, path, &n_distinct);
    assert_int_equal(n_distinct, 7);
    text = t_read_file(path, &n);
    assert_int_equal(n, sizeof want - 1);
    /* "\\\n\r\t" begins with a backslash, behind letters of ASCII's first half */
    assert_non_null(strstr(text, "18446744073709551000 \\\\\\n\\r\\t\n"));
    free(text);
    assert_int_equal(tok_counts_load(path, back, NULL, NULL, &err), T2_OK);
    assert_int_equal(tok_counts_distinct(back), 7);
    save(back, t_tmp_path("again"), &n_distinct);
    text = t_read_file(t_tmp_path("again"), &n);
    assert_int_equal(n, sizeof want - 1);
    free(text);
    tok_counts_free(c);
    tok_counts_free(back);
}

static void test_sums(void **state)
{
    const char *path = t_tmp_path("sums");
    struct tok_counts *c = tok_counts_new();
    struct t2_err err = T2_ERR_INIT;
    struct t2_slice word;
    size_t cursor = 0;
    uint64_t n;

    (void) state;
    t_write_file(path, "t2t.c word counts 1\n2 a\n3 a", 27);
    for (int i = 0; i < 2; i++)
        assert_int_equal(tok_counts_load(path, c, NULL, NULL, &err), T2_OK);
    assert_true(tok_counts_next(c, &cursor, &word, &n));
    assert_true(n == 10);
    assert_false(tok_counts_next(c, &cursor, &word, &n));
    tok_counts_free(c);
}

static void test_damage(void **state)
{
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"", "holds no word counts: its first line is not 't2t.c word counts 1'"},
        {"1 a\n", "holds no word counts"},
        {"t2t.c word counts 2\n1 a\n", "holds no word counts"},
        {"t2t.c word counts 1\n1 a\n\n", "line 3 is not '<count> <word>'"},
        {"t2t.c word counts 1\na\n", "line 2 is not"},
        {"t2t.c word counts 1\n1\n", "line 2 is not"},
        {"t2t.c word counts 1\n1 \n", "line 2 is not"},
        {"t2t.c word counts 1\n1\ta\n", "line 2 is not"},
        {"t2t.c word counts 1\n0 a\n", "line 2 is not"},
        {"t2t.c word counts 1\n-1 a\n", "line 2 is not"},
        {"t2t.c word counts 1\n99999999999999999999 a\n", "line 2 is not"},
        {"t2t.c word counts 1\n1 a\\\n", "line 2 is not"},
        {"t2t.c word counts 1\n1 a\\x\n", "line 2 is not"},
    };

    (void) state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *path = t_tmp_path("bad");
        struct tok_counts *c = tok_counts_new();
        struct t2_err err = T2_ERR_INIT;

        t_write_file(path, cases[i].text, strlen(cases[i].text));
        assert_int_equal(tok_counts_load(path, c, NULL, NULL, &err), T2_EFORMAT);
        t_assert_contains(err.message, cases[i].message);
        t_assert_contains(err.message, path);
        tok_counts_free(c);
    }
}

static enum t2_status refuse(void *arg, const struct tok_counts *c, struct t2_err *err)
{
    ++*(int *) arg;
    return tok_counts_distinct(c) > 30000 ? t2_fail(err, T2_ENOMEM, "too many") : T2_OK;
}

static void test_check(void **state)
{
    const char *path = t_tmp_path("many");
    struct tok_counts *c = tok_counts_new();
    struct t2_err err = T2_ERR_INIT;
    struct t2_buf text = {0};
    int n_asked = 0;

    (void) state;
    t2_buf_puts(&text, "t2t.c word counts 1\n");
    for (int i = 0; i < 60000; i++)
        t2_buf_printf(&text, "1 w%d\n", i);
    t_write_file(path, text.data, text.len_bytes);
    assert_int_equal(tok_counts_load(path, c, refuse, &n_asked, &err), T2_ENOMEM);
    assert_int_equal(n_asked, 2);
    tok_counts_free(c);
    t2_buf_release(&text);
}

T_MAIN(cmocka_unit_test(test_there_and_back), cmocka_unit_test(test_sums),
       cmocka_unit_test(test_damage), cmocka_unit_test(test_check))
