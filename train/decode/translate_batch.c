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

/* What hypotheses of a source begin with, free behind its end. */
static void force_row(const struct dec_translator *t, const struct tok_ids *source, int32_t *row,
                      int32_t longest)
{
    memcpy(row, source->items, source->n * sizeof *row);
    for (int32_t k = (int32_t) source->n; k < longest; k++)
        row[k] =
            k < (int32_t) dec_n_forced(t, source->n) ? 0 : -1; /* the 0 behind prepended inputs */
}

/* What hypotheses begin with, (n, *longest); NULL: nothing. */
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
    for (int32_t i = 0; i < n; i++)
        force_row(t, &sources[i], ids + (int64_t) i * *longest, *longest);
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

/* What is drawn for a source depends on its ids alone. */
static uint64_t sentence_of(const struct dec_translator *t, const struct tok_ids *source)
{
    return t2_hash64(source->items, source->n * sizeof *source->items, t->repetition);
}

/* What was found for source number b, which has n_ids ids, out (n_best). */
static void put_hypotheses(const struct dec_translator *t, const struct dec_options *o,
                           const struct dec_result *r, int32_t b, size_t n_ids,
                           struct dec_hypothesis *out)
{
    int32_t skip = (int32_t) dec_n_forced(t, n_ids);

    for (int32_t k = 0; k < o->n_best; k++) {
        int64_t i = (int64_t) b * o->n_best + k;
        const int32_t *ids = r->ids + i * o->max_length + skip;

        out[k].score = r->scores[i];
        out[k].n_ids = r->lengths[i] > skip ? r->lengths[i] - skip : 0;
        keep_ids(t, ids, &out[k]);
        to_text(t, ids, out[k].n_ids, &out[k].text);
    }
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
    struct dec_model model = {.context = t, .choose = choose, .reorder = reorder, .refill = refill};
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
            sentences[i] = sentence_of(t, &sources[i]);
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
    for (int32_t i = 0; i < n; i++)
        put_hypotheses(t, &o, &r, i, sources[i].n, out + (int64_t) i * o.n_best);
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

/* ---- sources that come while others are translated ---- */

struct dec_flow {
    const struct dec_stream *s;
    struct dec_options o;
    size_t *numbers, *n_ids; /* (places), of the sources in them */
    int32_t *lengths;        /* (places): as dec_options.lengths */
    uint64_t *sentences;     /* (places) */
    int32_t *prefix;         /* (places, prefix_length); NULL: none */
    int32_t prefix_length;
    struct tok_ids *come;        /* (room): those of one call of s->more, */
    size_t *come_numbers;        /* and (room) */
    int32_t *inputs;             /* (room, longest) */
    struct dec_hypothesis *best; /* (n_best) */
};

static enum t2_status take_more(void *context, int32_t n, const int32_t *places, int32_t *taken,
                                struct t2_err *err)
{
    struct dec_translator *t = context;
    struct dec_flow *f = t->flow;
    const size_t width = f->s->longest;

    *taken = f->s->more(f->s->context, n, f->come, f->come_numbers);
    if (*taken == 0)
        return T2_OK;
    memset(f->inputs, 0, (size_t) t->room * width * sizeof *f->inputs);
    for (int32_t i = 0; i < *taken; i++) {
        const struct tok_ids *source = &f->come[i];
        int32_t p = places[i];

        T2_ASSERT(source->n > 0 && source->n <= width);
        memcpy(f->inputs + (size_t) i * width, source->items, source->n * sizeof *f->inputs);
        f->numbers[p] = f->come_numbers[i];
        f->n_ids[p] = source->n;
        f->lengths[p] = (int32_t) dec_longest_of(t, source->n);
        f->sentences[p] = sentence_of(t, source);
        if (f->prefix)
            force_row(t, source, f->prefix + (int64_t) p * f->prefix_length, f->prefix_length);
    }
    return mdl_decoder_refill(t->decoder, *taken, places, f->inputs, err);
}

static void give(void *context, int32_t place, const struct dec_result *r)
{
    struct dec_translator *t = context;
    struct dec_flow *f = t->flow;

    memset(f->best, 0, (size_t) f->o.n_best * sizeof *f->best);
    put_hypotheses(t, &f->o, r, place, f->n_ids[place], f->best);
    f->s->ended(f->s->context, f->numbers[place], f->best);
}

static void make_flow(const struct dec_translator *t, const struct dec_stream *s,
                      struct dec_flow *f)
{
    const size_t places = (size_t) s->places, room = (size_t) dec_refill_of(t, s->places);

    *f = (struct dec_flow){.s = s, .o = dec_options_of(t)};
    f->prefix_length = (int32_t) dec_n_forced(t, s->longest);
    f->numbers = t2_alloc(places, sizeof *f->numbers);
    f->n_ids = t2_alloc(places, sizeof *f->n_ids);
    f->lengths = t2_alloc(places, sizeof *f->lengths);
    f->sentences = t2_alloc(places, sizeof *f->sentences);
    if (f->prefix_length > 0)
        f->prefix = t2_alloc(places * (size_t) f->prefix_length, sizeof *f->prefix);
    f->come = t2_alloc(room, sizeof *f->come);
    f->come_numbers = t2_alloc(room, sizeof *f->come_numbers);
    f->inputs = t2_alloc(room * s->longest, sizeof *f->inputs);
    f->best = t2_alloc((size_t) f->o.n_best, sizeof *f->best);
    f->o.places = s->places;
    f->o.refill = (int32_t) room;
    f->o.lengths = f->lengths;
    f->o.sentences = f->sentences;
}

static void release_flow(struct dec_flow *f)
{
    t2_free(f->best);
    t2_free(f->inputs);
    t2_free(f->come_numbers);
    t2_free(f->come);
    t2_free(f->prefix);
    t2_free(f->sentences);
    t2_free(f->lengths);
    t2_free(f->n_ids);
    t2_free(f->numbers);
}

enum t2_status dec_translate_stream(struct dec_translator *t, const struct dec_stream *s,
                                    struct t2_err *err)
{
    struct dec_model model = {
        .context = t, .choose = choose, .reorder = reorder, .more = take_more, .ended = give};
    struct dec_result r = {NULL, NULL, NULL, 0};
    struct dec_flow f;
    enum t2_status st;

    T2_ASSERT(dec_can_stream(t, s->places) && s->longest > 0 && s->longest <= INT32_MAX);
    make_flow(t, s, &f);
    t->flow = &f;
    t->room = f.o.refill;
    T2_GOTO(st, out, begin(t, s->places, (int32_t) s->longest, NULL, &f.o, err));
    model.vocab = mdl_decoder_vocab(t->decoder);
    st = dec_search(&model, s->places, &f.o, f.prefix, f.prefix_length, &r, err);
out:
    dec_result_release(&r);
    t->flow = NULL;
    release_flow(&f);
    return st;
}

/* Of one source, whose n_floats are not ids; n_ids: how many the original counts it as. */
static enum t2_status search_floats(struct dec_translator *t, const float *features,
                                    size_t n_floats, int32_t n_ids, struct dec_hypothesis *out,
                                    struct t2_err *err)
{
    struct dec_model model = {.context = t, .choose = choose, .reorder = reorder};
    struct dec_options o = dec_options_of(t);
    struct dec_result r = {NULL, NULL, NULL, 0};
    uint64_t sentence = t2_hash64(features, n_floats * sizeof *features, t->repetition);
    enum t2_status st;

    o.sentences = t->sampling.random ? &sentence : NULL;
    mdl_decoder_hear(t->decoder, features);
    T2_GOTO(st, out, begin(t, 1, n_ids, NULL, &o, err));
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

enum t2_status dec_transcribe(struct dec_translator *t, const float *features, int32_t positions,
                              struct dec_hypothesis *out, struct t2_err *err)
{
    const struct mdl_image *p = &mdl_problem_of(t->parts.m)->image;

    return search_floats(t, features,
                         (size_t) mdl_speech_rows(positions) * (size_t) p->width *
                             (size_t) p->channels,
                         positions, out, err);
}

enum t2_status dec_describe(struct dec_translator *t, const float *image,
                            struct dec_hypothesis *out, struct t2_err *err)
{
    const struct mdl_image *p = &mdl_problem_of(t->parts.m)->image;

    return search_floats(t, image, (size_t) p->height * (size_t) p->width * (size_t) p->channels,
                         p->height, out, err);
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
