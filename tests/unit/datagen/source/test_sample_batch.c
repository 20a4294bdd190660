/*
 * test_sample_batch.c - filling, cleaning, drop report.
 */
#include "datagen/source/sample_batch.h"

#include <string.h>

#include "tests/support/t.h"

/* A stream over an array. */
struct list_stream {
    struct dg_stream base;
    const struct dg_sample *samples;
    size_t n, at;
};

static enum t2_status list_next(struct dg_stream *base, struct dg_sample *sample,
                                struct t2_err *err)
{
    struct list_stream *s = (struct list_stream *) base;

    (void) err;
    if (s->at == s->n)
        return T2_EOF;
    *sample = s->samples[s->at++];
    return T2_OK;
}

static struct dg_sample sample_of(const char *inputs, const char *targets, const char *path,
                                  uint64_t line)
{
    struct dg_sample s = {0};

    s.inputs = t2_slice_of(inputs);
    s.targets = t2_slice_of(targets);
    s.inputs_origin.path = s.targets_origin.path = path;
    s.inputs_origin.line = s.targets_origin.line = line;
    s.inputs_origin.offset = 100;
    s.targets_origin.offset = 200;
    return s;
}

static void fill_one(const struct dg_sample *sample, bool drop_blank, struct dg_batch *b)
{
    struct list_stream stream = {{0}, sample, 1, 0};
    struct dg_batcher r = {.stream = &stream.base};
    struct t2_err err = T2_ERR_INIT;

    stream.base.next = list_next;
    stream.base.drop_blank = drop_blank;
    assert_int_equal(dg_batcher_fill(&r, b, &err), T2_OK);
    assert_int_equal(b->n, 1);
}

static void check_clean(const char *raw, const char *expected)
{
    struct dg_sample sample = sample_of(raw, "t", "f", 1);
    struct dg_batch b = {0};
    struct t2_err err = T2_ERR_INIT;
    struct t2_slice text;

    fill_one(&sample, false, &b);
    assert_int_equal(dg_batch_clean(&b, &err), T2_OK);
    text = dg_batch_text(&b, &b.items[0], DG_INPUTS);
    assert_int_equal(text.len_bytes, strlen(expected));
    assert_memory_equal(text.data, expected, text.len_bytes);
    text = dg_batch_text(&b, &b.items[0], DG_TARGETS);
    assert_int_equal(text.len_bytes, 1);
    dg_batch_release(&b);
}

static void test_clean(void **state)
{
    (void) state;
    check_clean("", "");
    check_clean("plain", "plain");
    check_clean("\r", "");
    check_clean("inner\rreturn\r", "innerreturn");
    check_clean(" \t both ends \v", "both ends");
    check_clean("\r \r x \r y\r \r", "x  y");
    check_clean("\xc2\xa0no-break\xe3\x80\x80", "no-break"); /* U+00A0, U+3000 */
    check_clean("\xe2\x80\x8bzero\xef\xbb\xbf", "\xe2\x80\x8bzero\xef\xbb\xbf"); /* not blanks */
    check_clean("a\xe2\x80\xa8z", "a\xe2\x80\xa8z"); /* U+2028 stays inside */
}

static void test_blanks_may_be_kept(void **state)
{
    struct dg_sample sample = sample_of(" a\rb ", "t", "f", 1);
    struct list_stream stream = {{0}, &sample, 1, 0};
    struct dg_batcher r = {.stream = &stream.base};
    struct dg_batch b = {0};
    struct t2_err err = T2_ERR_INIT;
    struct t2_slice text;

    (void) state;
    stream.base.next = list_next;
    stream.base.keep_blanks = true;
    assert_int_equal(dg_batcher_fill(&r, &b, &err), T2_OK);
    assert_int_equal(dg_batch_clean(&b, &err), T2_OK);
    text = dg_batch_text(&b, &b.items[0], DG_INPUTS);
    assert_int_equal(text.len_bytes, 4);
    assert_memory_equal(text.data, " ab ", 4);
    dg_batch_release(&b);
}

static void test_invalid_utf8(void **state)
{
    struct dg_sample sample = sample_of("ab\xff", "ok", "bad.txt", 7);
    struct dg_batch b = {0};
    struct t2_err err = T2_ERR_INIT;

    (void) state;
    fill_one(&sample, false, &b);
    assert_int_equal(dg_batch_clean(&b, &err), T2_EFORMAT);
    t_assert_contains(err.message, "'bad.txt': line 7: byte 0xFF at offset 102 of the file");
    dg_batch_release(&b);

    sample = sample_of("ok", "\xed\xa0\x80", "bad.txt", 8); /* a surrogate */
    fill_one(&sample, false, &b);
    assert_int_equal(dg_batch_clean(&b, &err), T2_EFORMAT);
    t_assert_contains(err.message, "line 8: byte 0xED at offset 200");
    dg_batch_release(&b);
}

static void test_clean_streams_are_left_alone(void **state)
{
    struct dg_sample sample = sample_of(" x ", " y ", NULL, 0);
    struct dg_batch b = {0};
    struct t2_err err = T2_ERR_INIT;

    (void) state;
    fill_one(&sample, false, &b);
    b.is_clean = true;
    assert_int_equal(dg_batch_clean(&b, &err), T2_OK);
    assert_int_equal(b.items[0].text[DG_INPUTS].len_bytes, 3);
    dg_batch_release(&b);
}

static void check_policy(enum dg_invalid invalid, const char *inputs_lines, uint64_t n_dropped,
                         uint64_t n_replaced)
{
    struct dg_sample samples[3];
    struct list_stream stream = {{0}, samples, 3, 0};
    struct dg_batcher r = {.stream = &stream.base, .invalid = invalid};
    struct dg_batch b = {0};
    struct dg_drops drops = {0};
    struct t2_err err = T2_ERR_INIT;
    struct t2_slice lines;

    samples[0] = sample_of(" first\r", "1", "f", 1);
    samples[1] = sample_of("a\xff\xf0\x9f\x98z\r", "2", "f", 2);
    samples[2] = sample_of("last ", "3", "f", 3);
    stream.base.next = list_next;
    assert_int_equal(dg_batcher_fill(&r, &b, &err), T2_OK);
    assert_int_equal(dg_batch_clean(&b, &err), T2_OK);
    dg_drops_add_batch(&drops, &b);
    assert_int_equal(drops.total, n_dropped);
    assert_int_equal(b.n_kept, 3 - n_dropped);
    assert_int_equal(b.n_replaced, n_replaced);
    lines = dg_batch_lines(&b, DG_INPUTS, b.n);
    assert_int_equal(lines.len_bytes, strlen(inputs_lines));
    assert_memory_equal(lines.data, inputs_lines, lines.len_bytes);
    assert_int_equal(dg_batch_lines(&b, DG_TARGETS, 1).len_bytes, 2);
    dg_drops_release(&drops);
    dg_batch_release(&b);
}

/* As bytes.decode("utf-8", "replace") of Python: one for 0xFF, one for the broken emoji. */
static void test_invalid_policies(void **state)
{
    (void) state;
    check_policy(DG_INVALID_REPLACE, "first\na\xef\xbf\xbd\xef\xbf\xbdz\nlast\n", 0, 1);
    check_policy(DG_INVALID_DROP, "first\nlast\n", 1, 0);
}

/* A text with a line feed of its own is no line. */
static void test_feeds(void **state)
{
    struct dg_sample sample = sample_of("one\ntwo", "t", NULL, 0);
    struct dg_batch b = {0};

    (void) state;
    fill_one(&sample, false, &b);
    assert_true(b.has_feeds);
    dg_batch_release(&b);
}

static void test_drops(void **state)
{
    struct dg_sample sample = sample_of("x", " \r", "f.tsv", 3);
    struct dg_drops drops = {0};
    struct dg_batch b = {0};
    struct t2_err err = T2_ERR_INIT;

    (void) state;
    fill_one(&sample, true, &b);
    assert_int_equal(dg_batch_clean(&b, &err), T2_OK);
    assert_string_equal(b.items[0].drop, "blank column");
    for (int i = 0; i < DG_DROP_EXAMPLES + 3; i++)
        dg_drops_add_batch(&drops, &b);
    b.items[0].drop = "another reason";
    dg_drops_add_batch(&drops, &b);
    assert_int_equal(drops.n, 2);
    assert_int_equal(drops.total, DG_DROP_EXAMPLES + 4);
    assert_int_equal(drops.items[0].n, DG_DROP_EXAMPLES + 3);
    assert_int_equal(drops.items[0].n_examples, DG_DROP_EXAMPLES);
    assert_string_equal(drops.items[0].examples[0].path, "f.tsv");
    assert_int_equal(drops.items[0].examples[0].line, 3);
    assert_string_equal(drops.items[0].examples[0].text, "x");
    dg_drops_release(&drops);
    dg_batch_release(&b);
    /* a blank side is a sample where the files are pairs */
    fill_one(&sample, false, &b);
    assert_int_equal(dg_batch_clean(&b, &err), T2_OK);
    assert_null(b.items[0].drop);
    dg_batch_release(&b);
}

static void test_each_sample_knows_its_file(void **state)
{
    static const char first[] = "one", second[] = "two";
    struct dg_sample samples[3];
    struct list_stream stream = {{0}, samples, 3, 0};
    struct dg_batcher r = {.stream = &stream.base};
    struct dg_batch b = {0};
    struct t2_err err = T2_ERR_INIT;

    (void) state;
    samples[0] = sample_of("a", "b", first, 1);
    samples[1] = sample_of("c", "d", first, 2);
    samples[2] = sample_of("e", "f", second, 1);
    stream.base.next = list_next;
    assert_int_equal(dg_batcher_fill(&r, &b, &err), T2_OK);
    assert_int_equal(b.n, 3);
    assert_ptr_equal(b.items[0].inputs_path, first);
    assert_ptr_equal(b.items[2].inputs_path, second);
    assert_int_equal(dg_batcher_fill(&r, &b, &err), T2_EOF);
    dg_batch_release(&b);
}

static void test_max_cases(void **state)
{
    struct dg_sample samples[5];
    struct list_stream stream = {{0}, samples, 5, 0};
    struct dg_batcher r = {.stream = &stream.base, .max_cases = 3};
    struct dg_batch b = {0};
    struct t2_err err = T2_ERR_INIT;

    (void) state;
    for (size_t i = 0; i < 5; i++)
        samples[i] = sample_of("a", "b", "f", i + 1);
    stream.base.next = list_next;
    assert_int_equal(dg_batcher_fill(&r, &b, &err), T2_OK);
    assert_int_equal(b.n, 3);
    assert_int_equal(stream.at, 3);
    assert_int_equal(dg_batcher_fill(&r, &b, &err), T2_EOF);
    assert_int_equal(stream.at, 3);
    r.drain = true;
    assert_int_equal(dg_batcher_fill(&r, &b, &err), T2_EOF);
    assert_int_equal(stream.at, 5);
    dg_batch_release(&b);
}

T_MAIN(cmocka_unit_test(test_blanks_may_be_kept), cmocka_unit_test(test_clean),
       cmocka_unit_test(test_invalid_utf8), cmocka_unit_test(test_clean_streams_are_left_alone),
       cmocka_unit_test(test_invalid_policies), cmocka_unit_test(test_feeds),
       cmocka_unit_test(test_drops), cmocka_unit_test(test_each_sample_knows_its_file),
       cmocka_unit_test(test_max_cases))
