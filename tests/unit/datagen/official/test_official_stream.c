/*
 * test_official_stream.c - several sources in lock step; unequal sides in the middle and at the
 * end.
 */
#include "datagen/official/official_stream.h"

#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "tests/support/t.h"

static void add(struct dg_text_parts *parts, const char *name, const char *inputs,
                const char *targets)
{
    char in[64], out[64], in_path[4096];

    snprintf(in, sizeof in, "%s.en", name);
    snprintf(out, sizeof out, "%s.de", name);
    t_write_file(t_tmp_path(in), inputs, strlen(inputs));
    t_write_file(t_tmp_path(out), targets, strlen(targets));
    snprintf(in_path, sizeof in_path, "%s", t_tmp_path(in));
    dg_text_parts_add(parts, in_path, t_tmp_path(out));
}

/* "inputs|targets;" of each sample, "!" in front of those that are dropped. */
static enum t2_status read_all(struct dg_stream *s, struct t2_buf *text, struct t2_err *err)
{
    enum t2_status st;

    for (;;) {
        struct dg_sample sample = {.drop = NULL};
        st = s->next(s, &sample, err);
        if (st != T2_OK)
            return st;
        t2_buf_printf(text, "%s%.*s|%.*s;", sample.drop ? "!" : "", (int) sample.inputs.len_bytes,
                      (const char *) sample.inputs.data, (int) sample.targets.len_bytes,
                      (const char *) sample.targets.data);
    }
}

static void test_lines_and_hashes(void **state)
{
    struct dg_text_parts parts = {0};
    struct t2_buf text = {0};
    struct t2_err err = T2_ERR_INIT;
    struct dg_stream *s;
    char want[65];

    (void) state;
    add(&parts, "a", "1\n2\n", "eins\nzwei\n");
    add(&parts, "b", "3", "drei");
    s = dg_official_stream_new(&parts);
    s->hash_on = true;
    assert_int_equal(read_all(s, &text, &err), T2_EOF);
    assert_string_equal(t2_buf_cstr(&text), "1|eins;2|zwei;3|drei;");
    assert_int_equal(s->next(s, &(struct dg_sample){.drop = NULL}, &err), T2_EOF);
    assert_int_equal(s->files.n, 4);
    assert_int_equal(s->files.items[1].lines, 2);
    assert_int_equal(s->files.items[1].bytes, 10);
    assert_string_equal(s->files.items[1].role, "targets");
    t2_sha256_of("eins\nzwei\n", 10, want);
    assert_string_equal(s->files.items[1].sha256, want);
    dg_stream_free(s);
    dg_text_parts_release(&parts);
    t2_buf_release(&text);
}

static void check_surplus(const char *inputs, const char *targets, const char *want, size_t longer)
{
    struct dg_text_parts parts = {0};
    struct t2_buf text = {0};
    struct t2_err err = T2_ERR_INIT;
    struct dg_stream *s;

    add(&parts, "a", "1\n", "eins\n");
    add(&parts, "b", inputs, targets);
    s = dg_official_stream_new(&parts);
    s->hash_on = true;
    assert_int_equal(read_all(s, &text, &err), T2_EOF);
    assert_string_equal(t2_buf_cstr(&text), want);
    assert_int_equal(s->files.n, 4);
    assert_int_equal(s->files.items[2 + longer].lines, 3);
    dg_stream_free(s);
    dg_text_parts_release(&parts);
    t2_buf_release(&text);
}

static void test_last_is_unequal(void **state)
{
    (void) state;
    check_surplus("2\n", "zwei\ndrei\nvier", "1|eins;2|zwei;!|drei;!|vier;", 1);
    check_surplus("2\n3\n4\n", "zwei\n", "1|eins;2|zwei;!3|;!4|;", 0);
}

static void test_middle_is_unequal(void **state)
{
    struct dg_text_parts parts = {0};
    struct t2_buf text = {0};
    struct t2_err err = T2_ERR_INIT;
    struct dg_stream *s;

    (void) state;
    add(&parts, "a", "1\n2\n3\n4\n", "eins\n");
    add(&parts, "b", "5\n", "fuenf\n");
    s = dg_official_stream_new(&parts);
    assert_int_equal(read_all(s, &text, &err), T2_EFORMAT);
    t_assert_contains(err.message, "a.en' has 4 lines but '");
    t_assert_contains(err.message, "a.de' has 1: all pairs of the sources behind them");
    dg_stream_free(s);
    dg_text_parts_release(&parts);
    t2_buf_release(&text);
}

static void test_describe(void **state)
{
    struct dg_text_parts parts = {0};
    struct dg_input_sizes sizes = {0};
    struct t2_err err = T2_ERR_INIT;
    struct dg_stream *s;

    (void) state;
    add(&parts, "a", "1\n", "eins\n");
    dg_text_parts_add(&parts, "no_such.en", "no_such.de");
    s = dg_official_stream_new(&parts);
    assert_int_equal(s->describe(s, &sizes, &err), T2_ENOTFOUND);
    t_assert_contains(t2_buf_cstr(&sizes.text), "a.en' (2 B)");
    t_assert_contains(t2_buf_cstr(&sizes.text), "targets: 'no_such.de' (missing)");
    dg_stream_free(s);
    dg_text_parts_release(&parts);
    dg_input_sizes_release(&sizes);
}

T_MAIN(cmocka_unit_test(test_lines_and_hashes), cmocka_unit_test(test_last_is_unequal),
       cmocka_unit_test(test_middle_is_unequal), cmocka_unit_test(test_describe))
