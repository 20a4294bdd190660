/*
 * train/decode/translator.c - a translator's life and its settings; see the header.
 */
#include "train/decode/translator.h"

#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "base/memory_available.h"
#include "train/decode/translator_parts.h"

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

/* The least of a list is EOS; 0, which none has, is what a table has no row for. */
static enum t2_status check_map(const struct dec_translator *t, struct t2_err *err)
{
    if (!t->parts.map ||
        (t->decoder && t->has_inputs && t->models.n == 1 && mdl_decoder_shortlists(t->decoder)))
        return T2_OK;
    return t2_fail(err, T2_EUNSUPPORTED,
                   "a shortlist is for one model that translates with caches, an id a step");
}

static enum t2_status make_decoders(struct dec_translator *t, struct t2_err *err)
{
    struct dec_options o = dec_options_of(t);
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
    if (!(*t)->has_inputs || mdl_problem_of(parts->m)->speech ||
        mdl_problem_of(parts->m)->describes)
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
    if (st == T2_OK)
        st = check_map(*t, err);
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
