/*
 * train/decode/batch_memory.c - how long hypotheses may be, and how many sources fit into memory at
 * once, by the plan of their graphs.
 */
#include "train/decode/translator_parts.h"

/* The official Transformer pads all sources to this width (decode_max_length) before it counts;
 * longer ones, whose beginning it cuts off, stay whole here. */
enum { OFFICIAL_DECODE_MAX_LENGTH = 97 };

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

size_t dec_n_forced(const struct dec_translator *t, size_t n)
{
    if (!t->has_inputs)
        return n;
    return t->prepends ? n + 1 : 0;
}

size_t dec_longest_of(const struct dec_translator *t, size_t n)
{
    return (t->has_inputs ? counted_length(t, n) : 0) + dec_n_forced(t, n) +
           (size_t) dec_extra_length(t);
}

void dec_translator_refill(struct dec_translator *t, bool refills)
{
    t->refills = refills;
}

int32_t dec_run_sources(const struct dec_translator *t, int32_t places)
{
    return dec_refill_of(t, places) > 0 ? DEC_RUN_BATCHES * places : places;
}

bool dec_can_stream(const struct dec_translator *t, int32_t places)
{
    return dec_refill_of(t, places) > 0;
}

int32_t dec_refill_of(const struct dec_translator *t, int32_t n)
{
    enum { OF = 8 }; /* places wait until so many times fewer of them are free */

    if (!t->refills || !t->decoder || t->models.n > 1 || t->parts.map ||
        t->parts.hp->skip_eos_postprocess)
        return 0;
    return mdl_decoder_refills(t->decoder) ? n / OF : 0;
}

int32_t dec_columns_of(const struct dec_translator *t, size_t n)
{
    enum { STEP = 256 }; /* few shapes, of which each has graphs */
    struct dec_options o = dec_options_of(t);
    size_t least = (size_t) dec_choice(&o).n,
           all = (size_t) mdl_problem_of(t->parts.m)->targets_vocab;

    n = n < all ? n : all;
    n = n > least ? n : least;
    return (int32_t) ((n + STEP - 1) / STEP * STEP);
}

/* Of a search; before its lists are known, of the longest that may be. */
static int32_t shortlist_of(const struct dec_translator *t, size_t n_ids)
{
    if (!t->parts.map)
        return 0;
    return t->columns > 0 ? t->columns
                          : dec_columns_of(t, dec_vocabulary_map_most(t->parts.map, n_ids));
}

bool dec_shape_of(const struct dec_translator *t, int32_t n, size_t n_ids,
                  struct mdl_search_shape *shape)
{
    const int32_t most = INT32_MAX / 4, beam = (int32_t) t->parts.hp->beam_size;
    size_t steps = dec_longest_of(t, n_ids);

    if (n > most / beam || steps > (size_t) most)
        return false;
    *shape = (struct mdl_search_shape){.batch = n,
                                       .beam = beam,
                                       .inputs_length = t->has_inputs ? (int32_t) n_ids : 0,
                                       .max_length = (int32_t) steps,
                                       .refill = dec_refill_of(t, n),
                                       .shortlist = shortlist_of(t, n_ids)};
    return true;
}

struct dec_options dec_options_of(const struct dec_translator *t)
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

enum t2_status dec_plan_batch(struct dec_translator *t, int32_t n, size_t n_ids,
                              struct dev_bytes *needed, struct t2_err *err)
{
    struct dec_options o = dec_options_of(t);
    struct mdl_search_shape shape;

    *needed = (struct dev_bytes){0, UINT64_MAX};
    if (!dec_shape_of(t, n, n_ids, &shape))
        return T2_OK;
    if (!t->decoder)
        return plan_classes(t, n, n_ids, needed, err);
    T2_TRY(dec_models_plan(&t->models, &shape, needed, err));
    o.max_length = shape.max_length;
    o.places = n;
    needed->host += dec_search_bytes(shape.refill > 0 ? DEC_RUN_BATCHES * n : n, &o);
    return T2_OK;
}

void dec_note_planned(struct dec_translator *t, const struct dev_bytes *needed)
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
    enum t2_status st = dec_plan_batch(t, n, n_ids, &needed, &short_of);

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

    if (!t->decoder || !dec_shape_of(t, 1, n_ids, &shape))
        return T2_OK;
    return dec_models_reserve(&t->models,
                              shape.inputs_length > shape.max_length ? shape.inputs_length
                                                                     : shape.max_length,
                              err);
}

enum t2_status dec_longest_that_fits(struct dec_translator *t, size_t n_ids, size_t *longest,
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
