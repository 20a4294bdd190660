/*
 * tests/unit/datagen/problems/samples.h - the samples of a registered problem as text.
 */
#ifndef T2_TESTS_SAMPLES_H
#define T2_TESTS_SAMPLES_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "base/log.h"
#include "datagen/fetch/fetch_files.h"
#include "datagen/problem.h"
#include "datagen/source/sample_batch.h"
#include "tests/unit/datagen/source/archives.h"

static inline struct dg_options s_options(void)
{
    static const struct dg_fetch_options offline = {.offline = true};
    struct dg_options o = {.random_seed = 429459, .invalid = DG_INVALID_FAIL, .fetch = &offline};

    o.tmp_dir = t_tmp_path("tmp");
    o.data_dir = t_tmp_path("data");
    mkdir(o.tmp_dir, 0777);
    mkdir(o.data_dir, 0777);
    return o;
}

static inline void s_print_item(const struct dg_batch *b, const struct dg_batch_item *item,
                                struct t2_buf *out)
{
    struct t2_slice numbers = dg_batch_values(b, &item->numbers[DG_TARGETS]), s;
    int64_t label;

    if (item->drop) {
        t2_buf_printf(out, "(%s)\n", item->drop);
        return;
    }
    s = dg_batch_text(b, item, DG_INPUTS);
    t2_buf_append(out, s.data, s.len_bytes);
    s = dg_batch_text(b, item, DG_CONTEXT);
    t2_buf_printf(out, s.len_bytes ? "|%.*s" : "", (int) s.len_bytes, (const char *) s.data);
    s = dg_batch_text(b, item, DG_TARGETS);
    t2_buf_puts(out, ">");
    t2_buf_append(out, s.data, s.len_bytes);
    if (numbers.len_bytes == sizeof label) {
        memcpy(&label, numbers.data, sizeof label);
        t2_buf_printf(out, "%d", (int) label);
    }
    t2_buf_push(out, '\n');
}

static inline enum t2_status s_read(struct dg_stream *stream, struct t2_buf *out,
                                    struct t2_err *err)
{
    struct dg_batcher batcher = {.stream = stream};
    struct dg_batch batch = {0};
    enum t2_status st;

    while ((st = dg_batcher_fill(&batcher, &batch, err)) == T2_OK &&
           (st = dg_batch_clean(&batch, err)) == T2_OK) {
        for (size_t i = 0; i < batch.n; i++)
            s_print_item(&batch, &batch.items[i], out);
    }
    dg_batch_release(&batch);
    return st;
}

/* "inputs|context>targets or label", a line each; "(why)" of what is left out; "!message" at a
 * failure. Reads twice, with hashes and without: the same.  Owned by the caller. */
static inline char *s_samples_with(const char *problem, enum dg_split split,
                                   const struct dg_options *o)
{
    const struct dg_problem *p = dg_find(problem);
    struct t2_err err = T2_ERR_INIT;
    struct t2_buf out[2] = {{0}, {0}};
    struct dg_stream *stream;
    enum t2_status st = p->prepare ? p->prepare(p, o, &err) : T2_OK;

    for (int i = 0; i < 2 && st != T2_ENOTFOUND && (st == T2_OK || st == T2_EOF); i++) {
        st = p->open(p, o, split, &stream, &err);
        if (st != T2_OK)
            break;
        stream->hash_on = i == 0;
        st = s_read(stream, &out[i], &err);
        if (st == T2_EOF && i == 0)
            assert_true(stream->files.n > 0);
        dg_stream_free(stream);
    }
    if (st != T2_OK && st != T2_EOF)
        t2_buf_printf(&out[0], "!%s", err.message);
    else
        assert_string_equal(t2_buf_cstr(&out[0]), t2_buf_cstr(&out[1]));
    t2_buf_release(&out[1]);
    return t2_buf_detach(&out[0]);
}

static inline void s_check(const char *problem, enum dg_split split, const char *expected)
{
    struct dg_options o = s_options();
    char *got = s_samples_with(problem, split, &o);

    assert_string_equal(got ? got : "", expected);
    t2_free(got);
}

static inline void s_check_contains(const char *problem, enum dg_split split, const char *part)
{
    struct dg_options o = s_options();
    char *got = s_samples_with(problem, split, &o);

    t_assert_contains(got ? got : "", part);
    t2_free(got);
}

/* Writes tmp/<name>; folders are made. */
static inline void s_put(const char *name, const char *text)
{
    char path[512];

    (void) s_options();
    snprintf(path, sizeof path, "%s/%s", t_tmp_path("tmp"), name);
    for (char *slash = strchr(path + strlen(t_tmp_path("tmp")) + 1, '/'); slash;
         slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(path, 0777);
        *slash = '/';
    }
    t_write_file(path, text, strlen(text));
}

/* The vocabulary that a problem makes itself. */
static inline void s_check_vocab(const char *problem, const char *expected)
{
    const struct dg_problem *p = dg_find(problem);
    struct dg_options o = s_options();
    struct t2_err err = T2_ERR_INIT;
    size_t n;
    char *got;

    if (p->vocab.make(p, &o, DG_TARGETS, t_tmp_path("vocab"), &err) != T2_OK)
        fail_msg("%s", err.message);
    got = t_read_file(t_tmp_path("vocab"), &n);
    assert_string_equal(got, expected);
    free(got);
}

#endif
