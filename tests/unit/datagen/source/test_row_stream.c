/*
 * tests/unit/datagen/source/test_row_stream.c - several files, headers, further samples of a line,
 * failures.
 */
#include "datagen/source/row_stream.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "tests/unit/datagen/source/archives.h"

static const struct dg_source_file file = {.name = "x.zip", .gone = "it was sold"};
static const struct dg_source source = {.file = &file, .sign = "a"};
static const char *const members[] = {"a", "b"};

struct state {
    int left;
};

static enum t2_status line(struct dg_row_stream *s, struct t2_slice text, struct dg_sample *sample,
                           struct t2_err *err)
{
    struct state *state = s->state;

    if (text.len_bytes == 0)
        return T2_EOF;
    if (text.data[0] == '!')
        return dg_row_fail(s, err, "no %d", 7);
    sample->inputs = text;
    state->left = text.data[0] == '2';
    return T2_OK;
}

static enum t2_status again(struct dg_row_stream *s, struct dg_sample *sample)
{
    struct state *state = s->state;

    if (state->left-- <= 0)
        return T2_EOF;
    sample->inputs = t2_slice_of("again");
    return T2_OK;
}

static struct dg_stream *open_stream(const struct dg_options *o)
{
    struct dg_row_stream *s = t2_alloc(1, sizeof *s);

    s->source = &source;
    s->members = members;
    s->n_members = 2;
    s->role = "rows";
    s->n_header = 1;
    s->options = o;
    s->state = t2_alloc(1, sizeof(struct state));
    s->release = t2_free;
    s->line = line;
    s->again = again;
    dg_row_stream_init(s);
    return &s->base;
}

static void check(const char *expected, const char *message)
{
    struct dg_options o = {.tmp_dir = t_tmp_path(".")};
    struct dg_stream *s = open_stream(&o);
    struct t2_err err = T2_ERR_INIT;
    struct dg_sample sample = {0};
    struct t2_buf out = {0};
    enum t2_status st;

    s->hash_on = true;
    while ((st = s->next(s, &sample, &err)) == T2_OK) {
        t2_buf_printf(&out, "%.*s@%d+%d ", (int) sample.inputs.len_bytes,
                      (const char *) sample.inputs.data, (int) sample.inputs_origin.line,
                      (int) sample.inputs_origin.offset);
        memset(&sample, 0, sizeof sample);
    }
    assert_string_equal(t2_buf_cstr(&out), expected);
    if (message)
        t_assert_contains(err.message, message);
    else
        assert_int_equal(s->files.n, 2);
    if (!message)
        assert_int_equal(s->next(s, &sample, &err), T2_EOF);
    dg_stream_free(s);
    t2_buf_release(&out);
}

static void test_files(void **state)
{
    (void) state;
    t_write_file(t_tmp_path("a"), "head\n1\n\n2x\n", 11);
    t_write_file(t_tmp_path("b"), "head\n3", 6);
    check("1@2+5 2x@4+8 again@4+11 3@2+5 ", NULL);
}

static void test_failures(void **state)
{
    struct dg_options o = {.tmp_dir = t_tmp_path(".")};
    struct t2_err err = T2_ERR_INIT;
    struct dg_input_sizes sizes = {0};
    struct dg_stream *s = open_stream(&o);

    (void) state;
    t_write_file(t_tmp_path("b"), "head\n!", 6);
    check("1@2+5 2x@4+8 again@4+11 ", "/b': line 2: no 7");
    assert_int_equal(s->describe(s, &sizes, &err), T2_OK);
    t_assert_contains(t2_buf_cstr(&sizes.text), "rows: '");
    remove(t_tmp_path("b"));
    t2_buf_clear(&sizes.text);
    assert_int_equal(s->describe(s, &sizes, &err), T2_ENOTFOUND);
    t_assert_contains(t2_buf_cstr(&sizes.text), "(missing; it was sold)");
    dg_stream_free(s);
    dg_input_sizes_release(&sizes);
}

T_MAIN(cmocka_unit_test(test_files), cmocka_unit_test(test_failures))
