/*
 * train/decode/translator.c - see the header.
 */
#include "train/decode/translator.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "base/signals.h"
#include "tokenizer/unicode.h"
#include "train/decode/decode.h"
#include "train/decode/row_scan.h"

struct dec_translator {
    struct dec_parts parts;
    struct tok_cache *cache;
    struct mdl_decoder *decoder;                 /* NULL before the first batch */
    int32_t rows, inputs_length, length;         /* that decoder has room for */
    double hidden, filter, heads, layers, vocab; /* of the model, for what a batch needs */
    bool has_inputs;
    bool prepends; /* hypotheses begin with the source */
    dec_step_fn on_step;
    void *on_step_context;
    int32_t max_steps; /* of the search that runs */
    struct dec_sampling sampling;
};

enum { LENGTH_STEP = 32 }; /* room is made in such steps, so that it is seldom made anew */
/* The official Transformer pads all sources to this width (decode_max_length) before it counts;
 * longer ones, whose beginning it cuts off, stay whole here. */
enum { OFFICIAL_DECODE_MAX_LENGTH = 97 };

/* ---- memory ---- */

static void note_sizes(struct dec_translator *t)
{
    const struct mdl_hparams *hp = mdl_hparams_of(t->parts.m);

    t->hidden = (double) mdl_hp_int(hp, "hidden_size");
    if (mdl_hp_has(hp, "filter_size"))
        t->filter = (double) mdl_hp_int(hp, "filter_size");
    t->vocab = (double) mdl_problem_of(t->parts.m)->targets_vocab;
    if (mdl_hp_has(hp, "vocab_size"))
        t->vocab = fmax(t->vocab, (double) mdl_hp_int(hp, "vocab_size"));
    if (mdl_hp_has(hp, "num_heads"))
        t->heads = (double) mdl_hp_int(hp, "num_heads");
    if (mdl_hp_has(hp, "num_decoder_layers"))
        t->layers = (double) mdl_hp_int(hp, "num_decoder_layers");
    if (t->layers <= 0)
        t->layers = (double) mdl_hp_int(hp, "num_hidden_layers");
}

/* Ids that the limit of a batch is counted from. */
static double counted_length(const struct dec_translator *t, double n)
{
    return mdl_official_search(t->parts.m) ? fmax(n, OFFICIAL_DECODE_MAX_LENGTH) : n;
}

int32_t dec_extra_length(const struct dec_translator *t)
{
    if (t->parts.hp->extra_length >= 0)
        return (int32_t) t->parts.hp->extra_length;
    return mdl_official_search(t->parts.m) ? 50 : 100;
}

/* Bytes that one source of n ids takes in a batch: about right, and never much too small. */
static double bytes_per_source(const struct dec_translator *t, double n)
{
    double K = (double) t->parts.hp->beam_size;
    double longest = counted_length(t, n) * (t->has_inputs && t->prepends ? 2 : 1) +
                     (double) dec_extra_length(t) + LENGTH_STEP;
    /* keys and values, each twice: hypotheses are reordered from one to the other */
    double caches = K * longest * 4 * t->layers * t->hidden;
    double encoder = n * (8 * t->hidden + t->filter + 2 * t->layers * t->hidden) + t->heads * n * n;
    double step = K * (8 * t->hidden + t->filter + t->vocab);

    /* without caches: activations of the longer side, logits of all positions here and there */
    if (mdl_decodes_prefixes(t->parts.m))
        return 4 * K * (fmax(longest, 1.5 * n) + 50) * (16 * t->hidden + 2 * t->vocab);
    return 4 * (caches + encoder + step);
}

int32_t dec_fit(const struct dec_translator *t, size_t n_ids)
{
    double n = (double) t->parts.max_memory / bytes_per_source(t, (double) n_ids);
    double most = (double) (INT32_MAX / 4 / t->parts.hp->beam_size);

    return n < 1 ? 1 : n > most ? (int32_t) most : (int32_t) n;
}

/* The longest source of which one fits; at least 2. */
static size_t longest_that_fits(const struct dec_translator *t, size_t n_ids)
{
    size_t low = 2, high = n_ids;

    while (low < high) {
        size_t middle = low + (high - low + 1) / 2;

        if (bytes_per_source(t, (double) middle) <= (double) t->parts.max_memory)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
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

enum t2_status dec_translator_new(const struct dec_parts *parts, struct dec_translator **t,
                                  struct t2_err *err)
{
    struct dec_sampling sampling;

    *t = NULL;
    T2_TRY(dec_sampling_of(mdl_hparams_of(parts->m), parts->seed, &sampling, err));
    T2_TRY(check_sampling(parts, &sampling, err));
    *t = t2_alloc(1, sizeof **t);
    (*t)->parts = *parts;
    (*t)->sampling = sampling;
    (*t)->has_inputs = mdl_problem_of(parts->m)->has_inputs;
    if (!(*t)->has_inputs)
        (*t)->parts.inputs = parts->targets;
    (*t)->prepends = strcmp(mdl_hp_string(mdl_hparams_of(parts->m), "prepend_mode"), "none") != 0;
    if (parts->max_memory == 0)
        (*t)->parts.max_memory =
            (uint64_t) sysconf(_SC_PHYS_PAGES) * (uint64_t) sysconf(_SC_PAGESIZE) / 2;
    note_sizes(*t);
    (*t)->cache = tok_cache_new((*t)->parts.inputs, 16 << 20);
    return T2_OK;
}

void dec_translator_free(struct dec_translator *t)
{
    if (!t)
        return;
    mdl_decoder_free(t->decoder);
    tok_cache_free(t->cache);
    t2_free(t);
}

void dec_translator_on_step(struct dec_translator *t, dec_step_fn fn, void *context)
{
    t->on_step = fn;
    t->on_step_context = context;
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
    else
        T2_TRY(tok_encode(t->parts.inputs, t->cache, s, n, ids, err));
    limit = longest_that_fits(t, ids->n - before + 1);
    if (t->parts.hp->max_input_size > 0 && (size_t) t->parts.hp->max_input_size < limit)
        limit = (size_t) t->parts.hp->max_input_size;
    if (ids->n - before > limit - 1) {
        *n_cut = ids->n - before - (limit - 1);
        ids->n = before + limit - 1;
    }
    if (t->has_inputs)
        tok_ids_push(ids, TOK_EOS);
    return T2_OK;
}

/* ---- one batch ---- */

static int32_t round_up(int32_t n)
{
    return (n + LENGTH_STEP - 1) / LENGTH_STEP * LENGTH_STEP;
}

/* A decoder with room for so much. */
static enum t2_status make_room(struct dec_translator *t, int32_t rows, int32_t inputs_length,
                                int32_t length, struct t2_err *err)
{
    if (t->decoder && rows <= t->rows && inputs_length <= t->inputs_length && length <= t->length)
        return T2_OK;
    mdl_decoder_free(t->decoder);
    t->decoder = NULL;
    t->rows = rows;
    t->inputs_length = round_up(inputs_length);
    t->length = round_up(length);
    return mdl_decoder_new(t->parts.m, t->rows, t->inputs_length, t->length, &t->decoder, err);
}

static enum t2_status step(void *context, int32_t at, const int32_t *ids, const float **logits,
                           struct t2_err *err)
{
    struct dec_translator *t = context;

    T2_TRY(t2_check_interrupt(err));
    if (t->on_step)
        t->on_step(t->on_step_context, at, t->max_steps);
    return mdl_decoder_step(t->decoder, at, ids, logits, err);
}

static enum t2_status reorder(void *context, const int32_t *from, struct t2_err *err)
{
    struct dec_translator *t = context;

    return mdl_decoder_reorder(t->decoder, from, err);
}

/* A hypothesis is one line, and one column where several stand side by side. */
static void keep_on_one_line(struct t2_buf *text, bool columns)
{
    for (size_t i = 0; i < text->len_bytes; i++)
        if (text->data[i] == '\n' || text->data[i] == '\r' || (columns && text->data[i] == '\t'))
            text->data[i] = ' ';
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
    if (n > 0 && ids[n - 1] == DEC_EOS && !mdl_problem_of(t->parts.m)->class_labels)
        n--;
    tok_decode(t->parts.targets, ids, (size_t) n, text);
    keep_on_one_line(text, hp->return_beams || hp->write_beam_scores);
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

/* How many ids every hypothesis of a source begins with. */
static int32_t n_forced(const struct dec_translator *t, const struct tok_ids *source)
{
    if (!t->has_inputs)
        return (int32_t) source->n;
    return t->prepends ? (int32_t) source->n + 1 : 0;
}

/* What hypotheses begin with, (n, *longest), free behind the end of a shorter one; NULL:
 * nothing. */
static int32_t *forced_ids(const struct dec_translator *t, const struct tok_ids *sources, int32_t n,
                           int32_t *longest)
{
    int32_t *ids;

    *longest = 0;
    for (int32_t i = 0; i < n; i++)
        *longest = n_forced(t, &sources[i]) > *longest ? n_forced(t, &sources[i]) : *longest;
    if (*longest == 0)
        return NULL;
    ids = t2_alloc((size_t) n * (size_t) *longest, sizeof *ids);
    for (int32_t i = 0; i < n; i++) {
        int32_t *row = ids + (int64_t) i * *longest;

        memcpy(row, sources[i].items, sources[i].n * sizeof *ids);
        for (int32_t k = (int32_t) sources[i].n; k < *longest; k++)
            row[k] = k < n_forced(t, &sources[i]) ? 0 : -1; /* the 0 behind prepended inputs */
    }
    return ids;
}

/* ---- class labels: no search, one row of logits a text ---- */

static enum t2_status best_labels(const struct dec_translator *t, const float *row, int32_t source,
                                  struct dec_hypothesis *out, struct t2_err *err)
{
    int32_t n_classes = mdl_problem_of(t->parts.m)->targets_vocab;
    int32_t n_best = dec_n_best(t->parts.hp), n = n_best < n_classes ? n_best : n_classes;
    float *work = t2_alloc((size_t) dec_row_work(n_classes), sizeof *work);
    struct dec_candidate *best = t2_alloc((size_t) n, sizeof *best);
    bool ok = n == 1 ? dec_row_argmax(row, n_classes, work, &best[0].id, &best[0].score)
                     : dec_row_best(row, n_classes, 0, 1, n, work, best);

    for (int32_t i = 0; ok && i < n; i++) {
        out[i].score = (double) best[i].score;
        out[i].n_ids = 1;
        to_text(t, &best[i].id, 1, &out[i].text);
    }
    t2_free(best);
    t2_free(work);
    if (!ok)
        return t2_fail(err, T2_EFORMAT,
                       "the model gives text %d of a batch a value that is not a number",
                       (int) source + 1);
    return T2_OK;
}

static enum t2_status classify(struct dec_translator *t, const struct tok_ids *sources, int32_t n,
                               struct dec_hypothesis *out, struct t2_err *err)
{
    int32_t longest, width = mdl_problem_of(t->parts.m)->targets_vocab,
                     *inputs = pad(sources, n, &longest);
    int32_t *targets = t2_alloc((size_t) n, sizeof *targets);
    float *logits = t2_alloc((size_t) n * (size_t) width, sizeof *logits);
    struct mdl_batch batch = {.batch = n,
                              .inputs_length = longest,
                              .targets_length = 1,
                              .inputs = inputs,
                              .targets = targets};
    enum t2_status st = t2_check_interrupt(err);

    if (st == T2_OK)
        st = mdl_class_logits(t->parts.m, &batch, logits, err);
    for (int32_t i = 0; i < n && st == T2_OK; i++)
        st = best_labels(t, logits + (size_t) i * (size_t) width, i,
                         out + i * dec_n_best(t->parts.hp), err);
    t2_free(logits);
    t2_free(targets);
    t2_free(inputs);
    return st;
}

/* ---- translating ---- */

static enum t2_status translate(struct dec_translator *t, const struct tok_ids *sources, int32_t n,
                                struct dec_hypothesis *out, struct t2_err *err)
{
    const struct dec_hparams *hp = t->parts.hp;
    struct dec_model model = {t, 0, step, reorder};
    struct dec_options o = {.beam_size = (int32_t) hp->beam_size,
                            .alpha = hp->alpha,
                            .n_best = dec_n_best(hp),
                            .rules = mdl_official_search(t->parts.m) ? DEC_RULES_OFFICIAL
                                                                     : DEC_RULES_T2T,
                            .pool = t->parts.pool};
    uint64_t *sentences = NULL;
    struct dec_result r = {NULL, NULL, NULL, 0};
    int32_t longest, prefix_length, *inputs = pad(sources, n, &longest);
    int32_t *prefix = forced_ids(t, sources, n, &prefix_length);
    enum t2_status st;

    if (t->sampling.random) {
        sentences = t2_alloc((size_t) n, sizeof *sentences);
        for (int32_t i = 0; i < n; i++)
            sentences[i] = t2_hash64(sources[i].items, sources[i].n * sizeof *sources[i].items, 0);
        o.sampling = &t->sampling;
        o.sentences = sentences;
    }
    o.max_length = (t->has_inputs ? (int32_t) counted_length(t, longest) : 0) + prefix_length +
                   dec_extra_length(t);
    t->max_steps = o.max_length;
    if (!t->has_inputs)
        longest = 0;
    T2_GOTO(st, out, make_room(t, n * o.beam_size, longest, o.max_length, err));
    T2_GOTO(st, out, mdl_decoder_begin(t->decoder, inputs, n, longest, o.beam_size, err));
    model.vocab = mdl_decoder_vocab(t->decoder);
    T2_GOTO(st, out, dec_search(&model, n, &o, prefix, prefix_length, &r, err));
    for (int32_t i = 0; i < n * o.n_best; i++) {
        int32_t skip = n_forced(t, &sources[i / o.n_best]);

        out[i].score = r.scores[i];
        out[i].n_ids = r.lengths[i] > skip ? r.lengths[i] - skip : 0;
        to_text(t, r.ids + (int64_t) i * o.max_length + skip, out[i].n_ids, &out[i].text);
    }
out:
    dec_result_release(&r);
    t2_free(sentences);
    t2_free(prefix);
    t2_free(inputs);
    return st;
}

enum t2_status dec_translate(struct dec_translator *t, const struct tok_ids *sources, int32_t n,
                             struct dec_hypothesis *out, struct t2_err *err)
{
    if (mdl_problem_of(t->parts.m)->class_labels)
        return classify(t, sources, n, out, err);
    return translate(t, sources, n, out, err);
}
