/*
 * train/runs/sample_texts.c - see the header.
 */
#include "train/runs/sample_texts.h"

#include "base/alloc.h"
#include "tokenizer/encoder.h"
#include "train/decode/decode.h"
#include "train/decode/translator.h"
#include "train/runs/summaries.h"

/* Ids of a row without its padding. */
static size_t length_of(const int32_t *ids, int32_t width)
{
    size_t n = (size_t) width;

    while (n > 0 && ids[n - 1] == 0)
        n--;
    return n;
}

static char *text_of(const struct tok_encoder *e, const int32_t *ids, int32_t width)
{
    size_t n = length_of(ids, width);
    struct t2_buf text = {0};

    n -= n > 0 && ids[n - 1] == DEC_EOS;
    tok_decode(e, ids, n, &text);
    return t2_buf_detach(&text);
}

/* The first n rows of a batch. */
static enum t2_status translate(struct tr_run *r, const struct dec_parts *parts,
                                const struct mdl_batch *b, int32_t n, struct t2_err *err)
{
    struct tok_ids *sources = t2_alloc((size_t) n, sizeof *sources);
    struct dec_hypothesis *found = t2_alloc((size_t) n, sizeof *found);
    struct dec_translator *t = NULL;
    enum t2_status st;

    for (int32_t i = 0; i < n; i++) {
        const int32_t *row = b->inputs + (int64_t) i * b->inputs_length;

        for (size_t k = 0; k < length_of(row, b->inputs_length); k++)
            tok_ids_push(&sources[i], row[k]);
    }
    T2_GOTO(st, out, dec_translator_new(parts, &t, err));
    T2_GOTO(st, out, dec_translate(t, sources, n, found, err));
    for (int32_t i = 0; i < n && st == T2_OK; i++) {
        char *source =
            text_of(parts->inputs, b->inputs + (int64_t) i * b->inputs_length, b->inputs_length);
        char *target = text_of(parts->targets, b->targets + (int64_t) i * b->targets_length,
                               b->targets_length);

        st = ev_report_sample(r->report, r->state.step, source, target, t2_buf_cstr(&found[i].text),
                              err);
        if (st == T2_OK)
            st = tr_summaries_sample(r->summaries, r, i, source, target,
                                     t2_buf_cstr(&found[i].text), err);
        t2_free(source);
        t2_free(target);
    }
out:
    for (int32_t i = 0; i < n; i++) {
        t2_buf_release(&found[i].text);
        tok_ids_release(&sources[i]);
    }
    dec_translator_free(t);
    t2_free(found);
    t2_free(sources);
    return st;
}

static enum t2_status with_encoders(struct tr_run *r, const struct mdl_batch *b, struct t2_err *err)
{
    struct tok_encoder *inputs = NULL, *targets = NULL;
    struct dec_hparams hp;
    struct dec_parts parts = {.m = r->model,
                              .hp = &hp,
                              .seed = r->state.seed,
                              .context_separator = r->data.view->context_separator};
    int32_t n = (int32_t) r->options.eval_samples;
    enum t2_status st;

    n = n < b->batch ? n : b->batch;
    for (int32_t i = 0; i < n; i++)
        if (length_of(b->inputs + (int64_t) i * b->inputs_length, b->inputs_length) == 0)
            return T2_OK;
    T2_TRY(dec_hparams_parse("", &hp, err));
    T2_GOTO(st, out, dg_side_encoder(&r->data.view->inputs, &inputs, err));
    T2_GOTO(st, out, dg_side_encoder(&r->data.view->targets, &targets, err));
    parts.inputs = inputs;
    parts.targets = targets;
    st = translate(r, &parts, b, n, err);
out:
    tok_free(inputs);
    tok_free(targets);
    return st;
}

enum t2_status tr_sample_texts(struct tr_run *r, struct t2_err *err)
{
    const struct mdl_problem *p = &r->data.problem;
    struct mdl_batch batch;
    uint64_t samples;
    enum t2_status st;

    if (r->options.eval_samples <= 0 || !r->data.view || !p->has_inputs || p->class_labels)
        return T2_OK;
    mdl_forget_sent(r->model);
    T2_TRY(in_rewind(r->eval, 0, err));
    st = in_next(r->eval, &batch, &samples, err);
    if (st == T2_EOF)
        return T2_OK;
    T2_TRY(st);
    return batch.inputs_segmentation ? T2_OK : with_encoders(r, &batch, err);
}
