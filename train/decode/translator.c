/*
 * train/decode/translator.c - see the header.
 */
#include "train/decode/translator.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "base/memory_available.h"
#include "base/signals.h"
#include "tokenizer/unicode.h"
#include "train/decode/decode.h"
#include "train/decode/model_set.h"

struct dec_translator {
    struct dec_parts parts;
    struct tok_cache *cache;
    struct dec_model_set models;
    struct mdl_decoder *decoder; /* the first of them; NULL where the targets are class labels */
    bool has_inputs;
    bool prepends;                   /* hypotheses begin with the source */
    size_t fits_alone;               /* the longest source that is known to fit, in ids */
    struct dev_bytes limit, planned; /* planned: the most so far */
    const struct dev *dev;
    dec_step_fn on_step;
    void *on_step_context;
    int32_t max_steps; /* of the search that runs */
    struct dec_sampling sampling;
    uint64_t repetition; /* of the same sources */
};

/* The official Transformer pads all sources to this width (decode_max_length) before it counts;
 * longer ones, whose beginning it cuts off, stay whole here. */
enum { OFFICIAL_DECODE_MAX_LENGTH = 97 };

/* ---- memory ---- */

/* Ids that the limit of a batch is counted from. */
static size_t counted_length(const struct dec_translator *t, size_t n)
{
    size_t least = t->parts.hp->padded_length > 0 ? (size_t) t->parts.hp->padded_length
                                                  : OFFICIAL_DECODE_MAX_LENGTH;

    return mdl_official_search(t->parts.m) && n < least ? least : n;
}

int32_t dec_extra_length(const struct dec_translator *t)
{
    if (t->parts.hp->extra_length >= 0)
        return (int32_t) t->parts.hp->extra_length;
    return mdl_official_search(t->parts.m) ? 50 : 100;
}

/* How many ids every hypothesis of a source of n ids begins with. */
static size_t n_forced(const struct dec_translator *t, size_t n)
{
    if (!t->has_inputs)
        return n;
    return t->prepends ? n + 1 : 0;
}

/* Ids that a hypothesis of a source of n ids may have. */
static size_t longest_of(const struct dec_translator *t, size_t n)
{
    return (t->has_inputs ? counted_length(t, n) : 0) + n_forced(t, n) +
           (size_t) dec_extra_length(t);
}

/* Of n sources, the longest of n_ids ids.  false: no plan can be of so much. */
static bool shape_of(const struct dec_translator *t, int32_t n, size_t n_ids,
                     struct mdl_search_shape *shape)
{
    const int32_t most = INT32_MAX / 4, beam = (int32_t) t->parts.hp->beam_size;
    size_t steps = longest_of(t, n_ids);

    if (n > most / beam || steps > (size_t) most)
        return false;
    *shape = (struct mdl_search_shape){.batch = n,
                                       .beam = beam,
                                       .inputs_length = t->has_inputs ? (int32_t) n_ids : 0,
                                       .max_length = (int32_t) steps};
    return true;
}

/* Of a search, but for its length. */
static struct dec_options options_of(const struct dec_translator *t)
{
    const struct dec_hparams *hp = t->parts.hp;

    return (struct dec_options){.beam_size = (int32_t) hp->beam_size,
                                .alpha = hp->alpha,
                                .n_best = dec_n_best(hp),
                                .rules = mdl_official_search(t->parts.m) ? DEC_RULES_OFFICIAL
                                                                         : DEC_RULES_T2T,
                                .sampling = t->sampling.random ? &t->sampling : NULL,
                                .no_repeat_ngram = (int32_t) hp->no_repeat_ngram_size,
                                .beyond_eos = hp->skip_eos_postprocess,
                                .to_the_end = hp->skip_eos_postprocess && hp->force_decode_length};
}

static enum t2_status plan_classes(struct dec_translator *t, int32_t n, size_t n_ids,
                                   struct dev_bytes *needed, struct t2_err *err)
{
    struct mdl_shape shape = {.batch = n, .inputs_length = (int32_t) n_ids, .targets_length = 1};
    uint64_t classes = (uint64_t) mdl_problem_of(t->parts.m)->targets_vocab;
    uint64_t arena;

    T2_TRY(mdl_plan_logits(t->parts.m, &shape, &arena, err));
    *needed = (struct dev_bytes){0, 0};
    dev_bytes_add(t->dev, needed, arena,
                  2 * (uint64_t) n * (classes + n_ids) * sizeof(float)); /* ids, and the choice */
    return T2_OK;
}

static enum t2_status plan(struct dec_translator *t, int32_t n, size_t n_ids,
                           struct dev_bytes *needed, struct t2_err *err)
{
    struct dec_options o = options_of(t);
    struct mdl_search_shape shape;

    *needed = (struct dev_bytes){0, UINT64_MAX};
    if (!shape_of(t, n, n_ids, &shape))
        return T2_OK;
    if (!t->decoder)
        return plan_classes(t, n, n_ids, needed, err);
    T2_TRY(dec_models_plan(&t->models, &shape, needed, err));
    o.max_length = shape.max_length;
    needed->host += dec_search_bytes(n, &o);
    return T2_OK;
}

static void note_planned(struct dec_translator *t, const struct dev_bytes *needed)
{
    if (needed->device > t->planned.device)
        t->planned.device = needed->device;
    if (needed->host > t->planned.host)
        t->planned.host = needed->host;
}

static enum t2_status fits(struct dec_translator *t, int32_t n, size_t n_ids, bool *it_does,
                           struct t2_err *err)
{
    struct t2_err short_of = T2_ERR_INIT;
    struct dev_bytes needed;
    enum t2_status st = plan(t, n, n_ids, &needed, &short_of);

    *it_does = st == T2_OK && dev_bytes_fit(&needed, &t->limit);
    if (st == T2_OK || st == T2_ENOMEM)
        return T2_OK;
    *err = short_of;
    return st;
}

enum t2_status dec_fit(struct dec_translator *t, size_t n_ids, int32_t n_wanted, int32_t *n,
                       struct t2_err *err)
{
    int32_t low = 1, high = n_wanted;
    bool all;

    T2_TRY(fits(t, n_wanted, n_ids, &all, err));
    if (all)
        low = high;
    while (low < high) {
        int32_t middle = low + (high - low + 1) / 2;
        bool ok;

        T2_TRY(fits(t, middle, n_ids, &ok, err));
        if (ok)
            low = middle;
        else
            high = middle - 1;
    }
    *n = low;
    return T2_OK;
}

enum t2_status dec_reserve(struct dec_translator *t, size_t n_ids, struct t2_err *err)
{
    struct mdl_search_shape shape;

    if (!t->decoder || !shape_of(t, 1, n_ids, &shape))
        return T2_OK;
    return dec_models_reserve(&t->models,
                              shape.inputs_length > shape.max_length ? shape.inputs_length
                                                                     : shape.max_length,
                              err);
}

/* The longest source, of up to n_ids ids, of which one fits; at least 2. */
static enum t2_status longest_that_fits(struct dec_translator *t, size_t n_ids, size_t *longest,
                                        struct t2_err *err)
{
    size_t low = t->fits_alone, high = n_ids;
    bool ok;

    *longest = n_ids;
    if (n_ids <= low)
        return T2_OK;
    T2_TRY(fits(t, 1, n_ids, &ok, err));
    if (ok)
        low = high;
    while (low < high) {
        size_t middle = low + (high - low + 1) / 2;

        T2_TRY(fits(t, 1, middle, &ok, err));
        if (ok)
            low = middle;
        else
            high = middle - 1;
    }
    *longest = t->fits_alone = low;
    return T2_OK;
}

struct dev_bytes dec_planned_bytes(const struct dec_translator *t)
{
    return t->planned;
}

int64_t dec_n_graphs_built(const struct dec_translator *t)
{
    return t->decoder ? mdl_decoder_n_built(t->decoder) : 0;
}

struct dist *dec_dist(const struct dec_translator *t)
{
    return t->parts.dist && dist_size(t->parts.dist) > 1 ? t->parts.dist : NULL;
}

/* The least of all ranks, so that all make the same batches. */
static enum t2_status least_bytes(struct dist *dist, uint64_t *bytes, struct t2_err *err)
{
    int64_t mine = *bytes < INT64_MAX ? (int64_t) *bytes : INT64_MAX, least;

    T2_TRY(dist_least(dist, mine, &least, err));
    if (least < INT64_MAX)
        *bytes = (uint64_t) least;
    return T2_OK;
}

/* ---- life ---- */

static enum t2_status check_sampling(const struct dec_parts *parts, const struct dec_sampling *s,
                                     struct t2_err *err)
{
    if (!s->random)
        return T2_OK;
    if (mdl_problem_of(parts->m)->class_labels)
        return t2_fail(err, T2_EUSAGE,
                       "hparam sampling_method=random: class labels are not drawn; leave it out");
    if (parts->hp->no_repeat_ngram_size > 0)
        return t2_fail(err, T2_EUSAGE,
                       "--decode_hparams: no_repeat_ngram_size is for searches; hparam "
                       "sampling_method=random draws");
    if (mdl_official_search(parts->m))
        return t2_fail(err, T2_EUNSUPPORTED,
                       "hparam sampling_method=random is not supported with official_transformer, "
                       "which searches with beams; leave it out");
    if (parts->hp->beam_size != 1)
        return t2_fail(err, T2_EUSAGE,
                       "hparam sampling_method=random draws one hypothesis, and beam search draws "
                       "none: add --decode_hparams=beam_size=1");
    return T2_OK;
}

static enum t2_status check_task(const struct dec_parts *parts, struct t2_err *err)
{
    const struct mdl_problem *p = mdl_problem_of(parts->m);
    int32_t vocab = p->has_inputs ? p->inputs_vocab : p->targets_vocab;

    if (parts->hp->multiproblem_task_id < vocab)
        return T2_OK;
    return t2_fail(err, T2_EUSAGE,
                   "--decode_hparams: multiproblem_task_id=%" PRId64
                   " is not below the %d ids of the %s",
                   parts->hp->multiproblem_task_id, vocab, p->has_inputs ? "inputs" : "targets");
}

static enum t2_status make_decoders(struct dec_translator *t, struct t2_err *err)
{
    struct dec_options o = options_of(t);
    struct mdl_choice choice = dec_choice(&o);

    T2_TRY(dec_models_new(t->parts.m, t->parts.others, t->parts.n_others, &t->limit, &choice,
                          &t->models, err));
    t->decoder = t->models.decoders[0];
    return T2_OK;
}

enum t2_status dec_translator_new(const struct dec_parts *parts, struct dec_translator **t,
                                  struct t2_err *err)
{
    struct dec_sampling sampling;
    enum t2_status st = T2_OK;

    *t = NULL;
    T2_TRY(dec_sampling_of(mdl_hparams_of(parts->m), parts->seed, &sampling, err));
    T2_TRY(check_sampling(parts, &sampling, err));
    T2_TRY(check_task(parts, err));
    if (parts->n_others > 0 && mdl_problem_of(parts->m)->class_labels)
        return t2_fail(err, T2_EUNSUPPORTED, "class labels are not chosen by an ensemble");
    *t = t2_alloc(1, sizeof **t);
    (*t)->parts = *parts;
    (*t)->sampling = sampling;
    (*t)->has_inputs = mdl_problem_of(parts->m)->has_inputs;
    if (!(*t)->has_inputs || mdl_problem_of(parts->m)->speech)
        (*t)->parts.inputs = parts->targets;
    (*t)->prepends = strcmp(mdl_hp_string(mdl_hparams_of(parts->m), "prepend_mode"), "none") != 0;
    (*t)->dev = mdl_params(parts->m)->dev;
    (*t)->limit.device = dev_memory_left((*t)->dev);
    (*t)->limit.host = parts->max_memory ? parts->max_memory : t2_memory_available();
    if (dec_dist(*t))
        st = least_bytes(parts->dist, &(*t)->limit.device, err);
    if (dec_dist(*t) && st == T2_OK)
        st = least_bytes(parts->dist, &(*t)->limit.host, err);
    (*t)->fits_alone = 2;
    (*t)->cache = tok_cache_new((*t)->parts.inputs, 16 << 20);
    if (st == T2_OK && !mdl_problem_of(parts->m)->class_labels)
        st = make_decoders(*t, err);
    if (st != T2_OK) {
        dec_translator_free(*t);
        *t = NULL;
    }
    return st;
}

void dec_translator_free(struct dec_translator *t)
{
    if (!t)
        return;
    dec_models_release(&t->models);
    tok_cache_free(t->cache);
    t2_free(t);
}

void dec_translator_on_step(struct dec_translator *t, dec_step_fn fn, void *context)
{
    t->on_step = fn;
    t->on_step_context = context;
}

void dec_translator_repeat(struct dec_translator *t, uint64_t repetition)
{
    t->repetition = repetition;
}

bool dec_continues(const struct dec_translator *t)
{
    return !t->has_inputs;
}

int64_t dec_trained_length(const struct dec_translator *t)
{
    const struct mdl_hparams *hp = mdl_hparams_of(t->parts.m);

    return mdl_hp_has(hp, "max_length") ? mdl_hp_int(hp, "max_length") : 0;
}

int32_t dec_n_best(const struct dec_hparams *hp)
{
    return hp->return_beams ? (int32_t) hp->beam_size : 1;
}

/* ---- text to ids ---- */

static enum t2_status encode_stripped(struct dec_translator *t, const uint8_t *s, size_t n,
                                      struct tok_ids *ids, struct t2_err *err)
{
    tok_strip(&s, &n);
    return n > 0 ? tok_encode(t->parts.inputs, t->cache, s, n, ids, err) : T2_OK;
}

/* Question, EOS, separator, context: what the trainer makes of the two features of a record. */
static enum t2_status encode_with_context(struct dec_translator *t, const uint8_t *s, size_t n,
                                          struct tok_ids *ids, struct t2_err *err)
{
    const uint8_t *tab = memchr(s, '\t', n);
    size_t at;

    if (!tab)
        return t2_fail(err, T2_EFORMAT,
                       "the model reads a question and its context: a line must be question, TAB, "
                       "context");
    at = (size_t) (tab - s);
    T2_TRY(encode_stripped(t, s, at, ids, err));
    tok_ids_push(ids, TOK_EOS);
    tok_ids_push(ids, t->parts.context_separator);
    return encode_stripped(t, tab + 1, n - at - 1, ids, err);
}

/* What a language model continues ends with a word or, behind punctuation, a space
 * (decoding.get_language_modeling_inputs). */
static enum t2_status encode_with_space(struct dec_translator *t, const uint8_t *s, size_t n,
                                        struct tok_ids *ids, struct t2_err *err)
{
    struct t2_buf longer = {NULL, 0, 0};
    enum t2_status st;

    t2_buf_append(&longer, s, n);
    t2_buf_push(&longer, ' ');
    st = tok_encode(t->parts.inputs, t->cache, longer.data, longer.len_bytes, ids, err);
    t2_buf_release(&longer);
    return st;
}

enum t2_status dec_encode(struct dec_translator *t, struct t2_slice text, struct tok_ids *ids,
                          size_t *n_cut, struct t2_err *err)
{
    const uint8_t *s = text.data;
    size_t n = text.len_bytes, before = ids->n, limit;

    *n_cut = 0;
    tok_strip(&s, &n);
    if (n == 0)
        return T2_OK;
    if (t->parts.context_separator != 0)
        T2_TRY(encode_with_context(t, text.data, text.len_bytes, ids, err));
    else if (!t->has_inputs && ispunct(s[n - 1]))
        T2_TRY(encode_with_space(t, s, n, ids, err));
    else
        T2_TRY(tok_encode(t->parts.inputs, t->cache, s, n, ids, err));
    limit = ids->n - before + 1;
    if (t->parts.hp->max_input_size > 0 && (size_t) t->parts.hp->max_input_size < limit)
        limit = (size_t) t->parts.hp->max_input_size;
    T2_TRY(longest_that_fits(t, limit, &limit, err));
    if (ids->n - before > limit - 1) {
        *n_cut = ids->n - before - (limit - 1);
        ids->n = before + limit - 1;
    }
    if (t->has_inputs || t->parts.hp->multiproblem_task_id >= 0)
        tok_ids_push(ids, t->parts.hp->multiproblem_task_id >= 0
                              ? (int32_t) t->parts.hp->multiproblem_task_id
                              : TOK_EOS);
    return T2_OK;
}

enum t2_status dec_take_ids(struct dec_translator *t, const int32_t *items, size_t n,
                            struct tok_ids *ids, size_t *n_cut, struct t2_err *err)
{
    const struct mdl_problem *p = mdl_problem_of(t->parts.m);
    int32_t vocab = t->has_inputs ? p->inputs_vocab : p->targets_vocab;
    size_t limit = n;

    *n_cut = 0;
    for (size_t i = 0; i < n; i++)
        if (items[i] < 0 || items[i] >= vocab)
            return t2_fail(err, T2_EFORMAT, "id %d is not one of the %d of the vocabulary",
                           items[i], vocab);
    if (n == 0)
        return T2_OK;
    if (t->parts.hp->max_input_size > 0 && (size_t) t->parts.hp->max_input_size < limit)
        limit = (size_t) t->parts.hp->max_input_size;
    T2_TRY(longest_that_fits(t, limit, &limit, err));
    *n_cut = n - limit;
    tok_ids_append(ids, items, limit - 1);
    tok_ids_push(ids, items[n - 1]);
    return T2_OK;
}

/* ---- one batch ---- */

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

static void to_text(const struct dec_translator *t, const int32_t *ids, int32_t n,
                    struct t2_buf *text)
{
    const struct dec_hparams *hp = t->parts.hp;

    if (hp->identity_output) {
        for (int32_t i = 0; i < n; i++)
            t2_buf_printf(text, i ? " %d" : "%d", ids[i]);
        return;
    }
    if (n > 0 && ids[n - 1] == DEC_EOS && !mdl_problem_of(t->parts.m)->class_labels &&
        !hp->skip_eos_postprocess)
        n--;
    tok_decode(t->parts.targets, ids, (size_t) n, text);
    keep_together(text, strcmp(hp->delimiter, "\n") == 0,
                  hp->return_beams || hp->write_beam_scores);
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
        int32_t forced = (int32_t) n_forced(t, sources[i].n);

        *longest = forced > *longest ? forced : *longest;
    }
    if (*longest == 0)
        return NULL;
    ids = t2_alloc((size_t) n * (size_t) *longest, sizeof *ids);
    for (int32_t i = 0; i < n; i++) {
        int32_t *row = ids + (int64_t) i * *longest;

        memcpy(row, sources[i].items, sources[i].n * sizeof *ids);
        for (int32_t k = (int32_t) sources[i].n; k < *longest; k++)
            row[k] = k < (int32_t) n_forced(t, sources[i].n)
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
        st = plan(t, n, (size_t) longest, &needed, err);
    note_planned(t, &needed);
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

    if (!shape_of(t, n, (size_t) longest, &shape))
        return t2_fail(err, T2_ENOMEM, "%d sources of %d ids are too many for one batch", n,
                       longest);
    t->max_steps = o->max_length = shape.max_length;
    T2_TRY(plan(t, n, (size_t) longest, &needed, err));
    note_planned(t, &needed);
    return dec_models_begin(&t->models, &shape, inputs, err);
}

static enum t2_status translate(struct dec_translator *t, const struct tok_ids *sources, int32_t n,
                                struct dec_hypothesis *out, struct t2_err *err)
{
    struct dec_model model = {t, 0, choose, reorder};
    struct dec_options o = options_of(t);
    uint64_t *sentences = NULL;
    struct dec_result r = {NULL, NULL, NULL, 0};
    int32_t *lengths = t2_alloc((size_t) n, sizeof *lengths);
    int32_t longest, prefix_length, *inputs = pad(sources, n, &longest);
    int32_t *prefix = forced_ids(t, sources, n, &prefix_length);
    enum t2_status st;

    if (t->sampling.random) {
        sentences = t2_alloc((size_t) n, sizeof *sentences);
        for (int32_t i = 0; i < n; i++)
            sentences[i] =
                t2_hash64(sources[i].items, sources[i].n * sizeof *sources[i].items, t->repetition);
        o.sentences = sentences;
    }
    T2_GOTO(st, out, begin(t, n, longest, inputs, &o, err));
    for (int32_t i = 0; i < n; i++)
        lengths[i] = (int32_t) longest_of(t, sources[i].n); /* at most that of the longest */
    o.lengths = lengths;
    model.vocab = mdl_decoder_vocab(t->decoder);
    T2_GOTO(st, out, dec_search(&model, n, &o, prefix, prefix_length, &r, err));
    for (int32_t i = 0; i < n * o.n_best; i++) {
        int32_t skip = (int32_t) n_forced(t, sources[i / o.n_best].n);

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
    return st;
}

enum t2_status dec_transcribe(struct dec_translator *t, const float *features, int32_t positions,
                              struct dec_hypothesis *out, struct t2_err *err)
{
    struct dec_model model = {t, 0, choose, reorder};
    struct dec_options o = options_of(t);
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
    return translate(t, sources, n, out, err);
}
