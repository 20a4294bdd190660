/*
 * tests/unit/datagen/problems/image_samples.h - the records of an image problem as text.
 */
#ifndef T2_TESTS_IMAGE_SAMPLES_H
#define T2_TESTS_IMAGE_SAMPLES_H

#include <inttypes.h>

#include "datagen/feature_list.h"
#include "datagen/vocabs/problem_vocab.h"
#include "tests/unit/datagen/images/images_here.h"
#include "tests/unit/datagen/problems/samples.h"

/* An image of width x height at tmp/<name>. */
static inline void p_put(const char *name, int width, int height)
{
    (void) s_options();
    t2_free(here_image(t_tmp_path("tmp"), name, width, height));
}

static inline void p_print_feature(const struct dg_feature *f, struct t2_buf *out)
{
    t2_buf_printf(out, "%s=", f->name);
    if (f->kind == TFR_BYTES && f->bytes.len_bytes < 40) {
        t2_buf_append(out, f->bytes.data, f->bytes.len_bytes);
    } else if (f->kind == TFR_BYTES) {
        struct aug_info info = {.width = 0};
        struct t2_err err = T2_ERR_INIT;
        assert_int_equal(aug_probe(f->bytes.data, f->bytes.len_bytes, &info, &err), T2_OK);
        t2_buf_printf(out, "%s:%dx%d", aug_kind_name(info.kind), info.width, info.height);
    }
    for (size_t i = 0; i < f->n && f->kind == TFR_INT64; i++)
        t2_buf_printf(out, "%s%" PRId64, i ? "," : "", f->ints[i]);
    for (size_t i = 0; i < f->n && f->kind == TFR_FLOAT; i++)
        t2_buf_printf(out, "%s%g", i ? "," : "", (double) f->floats[i]);
}

/* What the encoder makes of a sample before finish. */
static inline void p_add_side(const struct dg_problem *p, const struct dg_sample *sample, int side,
                              struct tok_encoder *encoder, struct dg_record *r)
{
    struct t2_slice text = side == DG_INPUTS ? sample->inputs : sample->targets;
    const char *name = side == DG_INPUTS ? "inputs" : "targets";
    struct t2_err err = T2_ERR_INIT;
    struct tok_ids ids = {0};

    if (sample->n_numbers[side]) {
        struct dg_feature *f = dg_record_add(r, name, TFR_INT64);
        for (size_t i = 0; i < sample->n_numbers[side]; i++)
            dg_feature_push(f, sample->numbers[side][i]);
    } else if (encoder) {
        assert_int_equal(tok_encode(encoder, NULL, text.data, text.len_bytes, &ids, &err), T2_OK);
        if (!p->text.no_eos[side])
            tok_ids_push(&ids, TOK_EOS);
        dg_feature_append_ids(dg_record_add(r, name, TFR_INT64), ids.items, ids.n);
    }
    tok_ids_release(&ids);
}

static inline enum t2_status p_read(const struct dg_problem *p, struct dg_stream *stream,
                                    struct tok_encoder *const encoders[DG_N_SIDES],
                                    struct t2_buf *out, struct t2_err *err)
{
    struct dg_record r = {.n = 0};
    struct dg_sample sample;
    enum t2_status st;

    for (;;) {
        memset(&sample, 0, sizeof sample);
        if ((st = stream->next(stream, &sample, err)) != T2_OK)
            break;
        if (sample.drop) {
            t2_buf_printf(out, "(%s)\n", sample.drop);
            continue;
        }
        dg_record_clear(&r);
        for (int side = 0; side < DG_N_SIDES; side++)
            p_add_side(p, &sample, side, encoders[side], &r);
        st = p->record.finish(p,
                              &(struct dg_texts){
                                  .text = {sample.inputs, sample.targets, sample.context}},
                              &r, err);
        if (st != T2_OK)
            break;
        for (size_t i = 0; i < r.n; i++) {
            t2_buf_puts(out, i ? " " : "");
            p_print_feature(&r.features[i], out);
        }
        t2_buf_push(out, '\n');
    }
    dg_record_release(&r);
    return st;
}

/* The records of a split, a line each; "(why)" of what is left out, "!message" at a failure.  Owned
 * by the caller. */
static inline char *p_records(const char *problem, enum dg_split split, const struct dg_options *o)
{
    const struct dg_problem *p = dg_find(problem);
    struct tok_encoder *encoders[DG_N_SIDES] = {NULL, NULL};
    struct t2_err err = T2_ERR_INIT;
    struct t2_buf out = {NULL, 0, 0};
    struct dg_stream *stream = NULL;
    enum t2_status st = p->prepare ? p->prepare(p, o, &err) : T2_OK;

    if (st == T2_OK && p->inputs_vocab.kind == DG_VOCAB_TOKENS) {
        char *path = t2_path_join(o->data_dir, p->inputs_vocab.file);
        st = p->vocab.make(p, o, DG_INPUTS, path, &err);
        if (st == T2_OK)
            st = dg_vocab_open(path, DG_VOCAB_TOKENS, &encoders[DG_INPUTS], &err);
        if (st == T2_OK)
            st = dg_vocab_replace(path, encoders[DG_INPUTS], p->inputs_vocab.oov_token, &err);
        t2_free(path);
    }
    if (p->targets_vocab.kind == DG_VOCAB_BYTES)
        encoders[DG_TARGETS] = tok_bytes_new();
    if (st == T2_OK)
        st = p->open(p, o, split, &stream, &err);
    if (st == T2_OK) {
        stream->hash_on = true;
        st = p_read(p, stream, encoders, &out, &err);
    }
    if (st == T2_EOF)
        assert_true(stream->files.n > 0);
    else
        t2_buf_printf(&out, "!%s", err.message);
    dg_stream_free(stream);
    tok_free(encoders[DG_INPUTS]);
    tok_free(encoders[DG_TARGETS]);
    return t2_buf_detach(&out);
}

static inline void p_check(const char *problem, enum dg_split split, const char *expected)
{
    struct dg_options o = s_options();
    char *got = p_records(problem, split, &o);

    assert_string_equal(got ? got : "", expected);
    t2_free(got);
}

static inline void p_check_contains(const char *problem, enum dg_split split, const char *part)
{
    struct dg_options o = s_options();
    char *got = p_records(problem, split, &o);

    t_assert_contains(got ? got : "", part);
    t2_free(got);
}

#endif
