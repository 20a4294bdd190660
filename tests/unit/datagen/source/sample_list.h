/*
 * sample_list.h - what the tests of streams have in common: a stream of given pairs, and reading
 * one.
 */
#ifndef T2_TESTS_SAMPLE_LIST_H
#define T2_TESTS_SAMPLE_LIST_H

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "datagen/stream.h"
#include "tests/support/t.h"

/* Pairs of inputs and targets, NULL-ended. */
struct sample_list {
    struct dg_stream base;
    const char *const *texts;
    uint64_t line;
};

static inline enum t2_status sample_list_next(struct dg_stream *base, struct dg_sample *sample,
                                              struct t2_err *err)
{
    struct sample_list *s = (struct sample_list *) base;
    char sha256[65] = "";

    (void) err;
    if (!s->texts[0]) {
        if (base->hash_on)
            dg_input_files_add(&base->files, "list", "pairs", 1, s->line, sha256);
        return T2_EOF;
    }
    sample->inputs = t2_slice_of(s->texts[0]);
    sample->targets = t2_slice_of(s->texts[1]);
    sample->inputs_origin = (struct dg_origin){"list", ++s->line, 0};
    sample->targets_origin = sample->inputs_origin;
    s->texts += 2;
    return T2_OK;
}

static inline enum t2_status sample_list_describe(struct dg_stream *base,
                                                  struct dg_input_sizes *sizes, struct t2_err *err)
{
    (void) base;
    (void) err;
    t2_buf_puts(&sizes->text, "    a list\n");
    return T2_OK;
}

static inline void sample_list_free(struct dg_stream *base)
{
    t2_free(base);
}

static inline struct dg_stream *sample_list_new(const char *const *texts)
{
    struct sample_list *s = t2_alloc(1, sizeof *s);

    s->base.next = sample_list_next;
    s->base.free = sample_list_free;
    s->base.describe = sample_list_describe;
    s->texts = texts;
    return &s->base;
}

/* Reads a stream to its end: "inputs>targets" of each sample, "!reason" of those that are dropped,
 * numbers of sides in brackets, a blank between two samples.  Frees the stream. */
static inline enum t2_status read_stream(struct dg_stream *s, struct t2_buf *text,
                                         struct t2_err *err)
{
    struct dg_sample sample = {0};
    enum t2_status st;

    t2_buf_clear(text);
    while ((st = s->next(s, &sample, err)) == T2_OK) {
        t2_buf_printf(text, "%s", text->len_bytes ? " " : "");
        if (sample.drop)
            t2_buf_printf(text, "!%s", sample.drop);
        else
            t2_buf_printf(text, "%.*s>%.*s", (int) sample.inputs.len_bytes,
                          (const char *) sample.inputs.data, (int) sample.targets.len_bytes,
                          (const char *) sample.targets.data);
        for (int side = 0; side < DG_N_SIDES; side++) {
            for (size_t i = 0; i < sample.n_numbers[side]; i++)
                t2_buf_printf(text, "[%d]", (int) sample.numbers[side][i]);
        }
        memset(&sample, 0, sizeof sample);
    }
    dg_stream_free(s);
    (void) t2_buf_cstr(text);
    return st == T2_EOF ? T2_OK : st;
}

#endif
