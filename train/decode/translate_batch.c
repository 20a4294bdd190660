/*
 * train/decode/translate_batch.c - sources of one batch become hypotheses: by a search, or, where
 * the targets are class labels, by one row of logits each.
 */
#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "base/signals.h"
#include "train/decode/translator_parts.h"

/* For whoever wants to see more than the text. */
static void keep_ids(const struct dec_translator *t, const int32_t *ids, struct dec_hypothesis *h)
{
    if (!t->parts.keep_ids || h->n_ids == 0)
        return;
    h->ids = t2_alloc((size_t) h->n_ids, sizeof *h->ids);
    memcpy(h->ids, ids, (size_t) h->n_ids * sizeof *ids);
}

static enum t2_status choose(void *context, int32_t at, const int32_t *ids,
                             const struct dev_ask *asks, struct dev_candidate *best,
                             struct t2_err *err)
{
    struct dec_translator *t = context;

    T2_TRY(t2_check_interrupt(err));
    if (t->on_step)
        t->on_step(t->on_step_context, at, t->max_steps);
    return dec_models_choose(&t->models, at, ids, asks, best, err);
}

static enum t2_status reorder(void *context, const int32_t *from, struct t2_err *err)
{
    struct dec_translator *t = context;

    return dec_models_reorder(&t->models, from, err);
}

static enum t2_status refill(void *context, int32_t n, const int32_t *places,
                             const int32_t *sources, struct t2_err *err)
{
    struct dec_translator *t = context;
    const size_t width = (size_t) t->width;
    int32_t *inputs = t2_alloc((size_t) t->room * width, sizeof *inputs);
    enum t2_status st;

    for (int32_t i = 0; i < n; i++)
        memcpy(inputs + (size_t) i * width, t->padded + (size_t) sources[i] * width,
               width * sizeof *inputs);
    st = mdl_decoder_refill(t->decoder, n, places, inputs, err);
    t2_free(inputs);
    return st;
}

/* A hypothesis is one line where lines are records, and one column where several stand side by
 * side. */
static void keep_together(struct t2_buf *text, bool lines, bool columns)
{
    for (size_t i = 0; i < text->len_bytes; i++) {
        bool ends = text->data[i] == '\n' || text->data[i] == '\r';

        if ((lines && ends) || (columns && text->data[i] == '\t'))
            text->data[i] = ' ';
    }
}

void dec_put_text(const struct dec_translator *t, bool of_inputs, const int32_t *ids, size_t n,
                  struct t2_buf *text)
{
    const struct dec_hparams *hp = t->parts.hp;

    if (hp->identity_output) {
        for (size_t i = 0; i < n; i++)
            t2_buf_printf(text, i ? " %d" : "%d", ids[i]);
        return;
    }
    tok_decode(of_inputs ? t->parts.inputs : t->parts.targets, ids, n, text);
    keep_together(text, strcmp(hp->delimiter, "\n") == 0,
                  hp->return_beams || hp->write_beam_scores);
}

/* Without EOS at its end. */
static void to_text(const struct dec_translator *t, const int32_t *ids, int32_t n,
                    struct t2_buf *text)
{
    const struct dec_hparams *hp = t->parts.hp;
    bool cuts = !hp->identity_output && !mdl_problem_of(t->parts.m)->class_labels &&
                !hp->skip_eos_postprocess;

    dec_put_text(t, false, ids, (size_t) n - (cuts && n > 0 && ids[n - 1] == DEC_EOS), text);
}

/* (n, longest) ids, padded with 0. */
static int32_t *pad(const struct tok_ids *sources, int32_t n, int32_t *longest)
{
    size_t width = 0;
    int32_t *ids;

    for (int32_t i = 0; i < n; i++)
        width = sources[i].n > width ? sources[i].n : width;
    ids = t2_alloc((size_t) n * width, sizeof *ids);
    for (int32_t i = 0; i < n; i++)
        memcpy(ids + (size_t) i * width, sources[i].items, sources[i].n * sizeof *ids);
    *longest = (int32_t) width;
    return ids;
}

/* What hypotheses begin with, (n, *longest), free behind the end of a shorter one; NULL:
 * nothing. */
static int32_t *forced_ids(const struct dec_translator *t, const struct tok_ids *sources, int32_t n,
                           int32_t *longest)
{
    int32_t *ids;

    *longest = 0;
    for (int32_t i = 0; i < n; i++) {
        int32_t forced = (int32_t) dec_n_forced(t, sources[i].n);

        *longest = forced > *longest ? forced : *longest;
    }
    if (*longest == 0)
        return NULL;
    ids = t2_alloc((size_t) n * (size_t) *longest, sizeof *ids);
    for (int32_t i = 0; i < n; i++) {
        int32_t *row = ids + (int64_t) i * *longest;

        memcpy(row, sources[i].items, sources[i].n * sizeof *ids);
        for (int32_t k = (int32_t) sources[i].n; k < *longest; k++)
            row[k] = k < (int32_t) dec_n_forced(t, sources[i].n)
                         ? 0
                         : -1; /* the 0 behind prepended inputs */
    }
    return ids;
}

/* ---- class labels: no search, one row of logits a text ---- */

static enum t2_status classify(struct dec_translator *t, const struct tok_ids *sources, int32_t n,
                               struct dec_hypothesis *out, struct t2_err *err)
{
    int32_t n_classes = mdl_problem_of(t->parts.m)->targets_vocab;
    int32_t n_best = dec_n_best(t->parts.hp), per_row = n_best < n_classes ? n_best : n_classes;
    int32_t longest, *inputs = pad(sources, n, &longest);
    int32_t *targets = t2_alloc((size_t) n, sizeof *targets);
    struct dev_candidate *best = t2_alloc((size_t) n * (size_t) per_row, sizeof *best);
    struct mdl_batch batch = {.batch = n,
                              .inputs_length = longest,
                              .targets_length = 1,
                              .inputs = inputs,
                              .targets = targets};
    struct dev_bytes needed = {0, 0};
    enum t2_status st = t2_check_interrupt(err);

    if (st == T2_OK)
        st = dec_plan_batch(t, n, (size_t) longest, &needed, err);
    dec_note_planned(t, &needed);
    if (st == T2_OK)
        st = mdl_class_best(t->parts.m, &batch, per_row, best, err);
    for (int32_t i = 0; i < n * per_row && st == T2_OK; i++) {
        struct dec_hypothesis *h = &out[i / per_row * n_best + i % per_row];

        h->score = (double) best[i].score;
        h->n_ids = 1;
        keep_ids(t, &best[i].id, h);
        to_text(t, &best[i].id, 1, &h->text);
    }
    t2_free(best);
    t2_free(targets);
    t2_free(inputs);
    return st;
}

/* ---- translating ---- */

/* Starts the decoder; o->max_length is found here. */
static enum t2_status begin(struct dec_translator *t, int32_t n, int32_t longest,
                            const int32_t *inputs, struct dec_options *o, struct t2_err *err)
{
    struct mdl_search_shape shape;
    struct dev_bytes needed;

    if (!dec_shape_of(t, n, (size_t) longest, &shape))
        return t2_fail(err, T2_ENOMEM, "%d sources of %d ids are too many for one batch", n,
                       longest);
    t->max_steps = o->max_length = shape.max_length;
    T2_TRY(dec_plan_batch(t, n, (size_t) longest, &needed, err));
    dec_note_planned(t, &needed);
    return dec_models_begin(&t->models, &shape, inputs, err);
}

/* What each of n sources may have by the map. */
struct lists {
    struct tok_ids ids;
    size_t *ends; /* (n) */
};

static void make_lists(struct dec_translator *t, const struct tok_ids *sources, int32_t n,
                       struct lists *l)
{
    size_t most = 0;

    l->ends = t2_alloc((size_t) n, sizeof *l->ends);
    for (int32_t i = 0; i < n; i++) {
        size_t before = l->ids.n;

        dec_vocabulary_map_ids(t->parts.map, sources[i].items, sources[i].n, &l->ids);
        l->ends[i] = l->ids.n;
        most = l->ids.n - before > most ? l->ids.n - before : most;
    }
    t->columns = dec_columns_of(t, most);
}

static void give_lists(const struct dec_translator *t, int32_t n, const struct lists *l)
{
    for (int32_t i = 0; i < n; i++) {
        size_t first = i > 0 ? l->ends[i - 1] : 0;

        mdl_decoder_shortlist(t->decoder, i, l->ids.items + first, (int32_t) (l->ends[i] - first));
    }
}

static enum t2_status translate(struct dec_translator *t, const struct tok_ids *sources, int32_t n,
                                int32_t places, struct dec_hypothesis *out, struct t2_err *err)
{
    struct dec_model model = {t, 0, choose, reorder, refill};
    struct dec_options o = dec_options_of(t);
    uint64_t *sentences = NULL;
    struct dec_result r = {NULL, NULL, NULL, 0};
    int32_t *lengths = t2_alloc((size_t) n, sizeof *lengths);
    int32_t longest, prefix_length, *inputs = pad(sources, n, &longest);
    int32_t *prefix = forced_ids(t, sources, n, &prefix_length);
    struct lists lists = {.ends = NULL};
    const bool refills = t->refills;
    enum t2_status st;

    t->refills = refills && n > places; /* else the graph for it is not needed */
    if (t->sampling.random) {
        sentences = t2_alloc((size_t) n, sizeof *sentences);
        for (int32_t i = 0; i < n; i++)
            sentences[i] =
                t2_hash64(sources[i].items, sources[i].n * sizeof *sources[i].items, t->repetition);
        o.sentences = sentences;
    }
    if (t->parts.map)
        make_lists(t, sources, n, &lists);
    T2_GOTO(st, out, begin(t, places, longest, inputs, &o, err));
    if (t->parts.map)
        give_lists(t, n, &lists);
    t->padded = inputs;
    t->width = longest;
    o.places = places;
    o.refill = t->room = dec_refill_of(t, places);
    t->max_steps *= (n + places - 1) / places;
    for (int32_t i = 0; i < n; i++)
        lengths[i] = (int32_t) dec_longest_of(t, sources[i].n); /* at most that of the longest */
    o.lengths = lengths;
    model.vocab = mdl_decoder_vocab(t->decoder);
    T2_GOTO(st, out, dec_search(&model, n, &o, prefix, prefix_length, &r, err));
    for (int32_t i = 0; i < n * o.n_best; i++) {
        int32_t skip = (int32_t) dec_n_forced(t, sources[i / o.n_best].n);

        out[i].score = r.scores[i];
        out[i].n_ids = r.lengths[i] > skip ? r.lengths[i] - skip : 0;
        keep_ids(t, r.ids + (int64_t) i * o.max_length + skip, &out[i]);
        to_text(t, r.ids + (int64_t) i * o.max_length + skip, out[i].n_ids, &out[i].text);
    }
out:
    dec_result_release(&r);
    t2_free(lengths);
    t2_free(sentences);
    t2_free(prefix);
    t2_free(inputs);
    t2_free(lists.ends);
    tok_ids_release(&lists.ids);
    t->padded = NULL;
    t->columns = 0;
    t->refills = refills;
    return st;
}

enum t2_status dec_transcribe(struct dec_translator *t, const float *features, int32_t positions,
                              struct dec_hypothesis *out, struct t2_err *err)
{
    struct dec_model model = {t, 0, choose, reorder, NULL};
    struct dec_options o = dec_options_of(t);
    struct dec_result r = {NULL, NULL, NULL, 0};
    size_t n_floats = (size_t) mdl_speech_rows(positions) *
                      (size_t) mdl_problem_of(t->parts.m)->image.width *
                      (size_t) mdl_problem_of(t->parts.m)->image.channels;
    uint64_t sentence = t2_hash64(features, n_floats * sizeof *features, t->repetition);
    enum t2_status st;

    o.sentences = t->sampling.random ? &sentence : NULL;
    mdl_decoder_hear(t->decoder, features);
    T2_GOTO(st, out, begin(t, 1, positions, NULL, &o, err));
    model.vocab = mdl_decoder_vocab(t->decoder);
    T2_GOTO(st, out, dec_search(&model, 1, &o, NULL, 0, &r, err));
    for (int32_t i = 0; i < o.n_best; i++) {
        out[i].score = r.scores[i];
        out[i].n_ids = r.lengths[i];
        to_text(t, r.ids + (int64_t) i * o.max_length, out[i].n_ids, &out[i].text);
    }
out:
    dec_result_release(&r);
    return st;
}

int32_t dec_n_best_of(const struct dec_translator *t)
{
    return dec_n_best(t->parts.hp);
}

enum t2_status dec_translate(struct dec_translator *t, const struct tok_ids *sources, int32_t n,
                             struct dec_hypothesis *out, struct t2_err *err)
{
    if (mdl_problem_of(t->parts.m)->class_labels)
        return classify(t, sources, n, out, err);
    return translate(t, sources, n, n, out, err);
}

enum t2_status dec_translate_run(struct dec_translator *t, const struct tok_ids *sources, int32_t n,
                                 int32_t places, struct dec_hypothesis *out, struct t2_err *err)
{
    if (n <= places)
        return dec_translate(t, sources, n, out, err);
    T2_ASSERT(n <= dec_run_sources(t, places));
    return translate(t, sources, n, places, out, err);
}
