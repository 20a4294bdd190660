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

struct telling {
    struct dec_parts parts;
    struct dec_translator *translator;
    int64_t rows_left; /* of all batches */
    tr_translated_fn tell;
    void *context;
};

/* The first n rows of a batch. */
static enum t2_status translate(const struct telling *t, const struct mdl_batch *b, int32_t n,
                                struct t2_err *err)
{
    struct tok_ids *sources = t2_alloc((size_t) n, sizeof *sources);
    struct dec_hypothesis *found = t2_alloc((size_t) n, sizeof *found);
    enum t2_status st;

    for (int32_t i = 0; i < n; i++) {
        const int32_t *row = b->inputs + (int64_t) i * b->inputs_length;

        for (size_t k = 0; k < length_of(row, b->inputs_length); k++)
            tok_ids_push(&sources[i], row[k]);
    }
    st = dec_translate(t->translator, sources, n, found, err);
    for (int32_t i = 0; i < n && st == T2_OK; i++) {
        const int32_t *input = b->inputs + (int64_t) i * b->inputs_length;
        const int32_t *target = b->targets + (int64_t) i * b->targets_length;
        char *texts[] = {text_of(t->parts.inputs, input, b->inputs_length),
                         text_of(t->parts.targets, target, b->targets_length)};

        st = t->tell(t->context, i, texts[0], texts[1], t2_buf_cstr(&found[i].text), err);
        t2_free(texts[0]);
        t2_free(texts[1]);
    }
    for (int32_t i = 0; i < n; i++) {
        t2_buf_release(&found[i].text);
        tok_ids_release(&sources[i]);
    }
    t2_free(found);
    t2_free(sources);
    return st;
}

/* Nothing where rows hold several sentences, or one of them has no input. */
static enum t2_status translate_batch(struct telling *t, const struct mdl_batch *b,
                                      struct t2_err *err)
{
    int32_t n = (int32_t) (t->rows_left < b->batch ? t->rows_left : b->batch);

    if (b->inputs_segmentation)
        return T2_OK;
    if (n <= 0)
        return T2_OK;
    for (int32_t i = 0; i < n; i++)
        if (length_of(b->inputs + (int64_t) i * b->inputs_length, b->inputs_length) == 0)
            return T2_OK;
    t->rows_left -= n;
    return translate(t, b, n, err);
}

static enum t2_status translate_batches(struct tr_run *r, struct telling *t, int64_t most_batches,
                                        struct t2_err *err)
{
    mdl_forget_sent(r->model);
    T2_TRY(in_rewind(r->eval, 0, err));
    for (int64_t i = 0; i < most_batches && t->rows_left > 0; i++) {
        struct mdl_batch batch;
        uint64_t samples;
        enum t2_status st = in_next(r->eval, &batch, &samples, err);

        if (st == T2_EOF)
            return T2_OK;
        T2_TRY(st);
        T2_TRY(translate_batch(t, &batch, err));
    }
    return T2_OK;
}

enum t2_status tr_translate_eval(struct tr_run *r, int64_t most_batches, int64_t most_rows,
                                 tr_translated_fn tell, void *context, struct t2_err *err)
{
    struct tok_encoder *inputs = NULL, *targets = NULL;
    struct dec_hparams hp;
    struct telling t = {.parts = {.m = r->model,
                                  .hp = &hp,
                                  .seed = r->state.seed,
                                  .context_separator = r->data.view->context_separator},
                        .rows_left = most_rows,
                        .tell = tell,
                        .context = context};
    enum t2_status st;

    T2_TRY(dec_hparams_parse("", &hp, err));
    if (r->options.decodes)
        hp = *r->options.decodes;
    T2_GOTO(st, out, dg_side_encoder(&r->data.view->inputs, &inputs, err));
    T2_GOTO(st, out, dg_side_encoder(&r->data.view->targets, &targets, err));
    t.parts.inputs = inputs;
    t.parts.targets = targets;
    T2_GOTO(st, out, dec_translator_new(&t.parts, &t.translator, err));
    st = translate_batches(r, &t, most_batches, err);
out:
    dec_translator_free(t.translator);
    tok_free(inputs);
    tok_free(targets);
    return st;
}

static enum t2_status say(void *context, int64_t i, const char *source, const char *target,
                          const char *output, struct t2_err *err)
{
    struct tr_run *r = context;

    T2_TRY(ev_report_sample(r->report, r->state.step, source, target, output, err));
    return tr_summaries_sample(r->summaries, r, i, source, target, output, err);
}

static bool turns_text_into_text(const struct mdl_problem *p)
{
    return p->has_inputs && !p->class_labels && p->target == MDL_TARGET_IDS && !p->speech &&
           p->image.height == 0 && p->pixels.height == 0;
}

enum t2_status tr_sample_texts(struct tr_run *r, struct t2_err *err)
{
    if (r->options.eval_samples <= 0 || !r->data.view || !turns_text_into_text(&r->data.problem))
        return T2_OK;
    return tr_translate_eval(r, 1, r->options.eval_samples, say, r, err);
}
