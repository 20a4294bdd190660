/*
 * train/decode/model_set.c - see the header.
 */
#include "train/decode/model_set.h"

#include "base/alloc.h"

/* Models of an ensemble read and write the same ids. */
static enum t2_status check_alike(const struct mdl *a, const struct mdl *b, struct t2_err *err)
{
    const struct mdl_problem *p = mdl_problem_of(a), *q = mdl_problem_of(b);

    if (p->class_labels || p->speech || p->describes || q->class_labels || q->speech ||
        q->describes)
        return t2_fail(err, T2_EUNSUPPORTED, "an ensemble is of models that write texts of texts");
    if (q->has_inputs != p->has_inputs || q->inputs_vocab != p->inputs_vocab ||
        q->targets_vocab != p->targets_vocab)
        return t2_fail(err, T2_EUSAGE,
                       "the models of an ensemble are of problems that differ: vocabularies of %d "
                       "and %d, and of %d and %d",
                       p->inputs_vocab, p->targets_vocab, q->inputs_vocab, q->targets_vocab);
    if (mdl_official_search(a) != mdl_official_search(b))
        return t2_fail(err, T2_EUSAGE,
                       "an ensemble of official_transformer and others has no one search");
    return T2_OK;
}

enum t2_status dec_models_new(struct mdl *first, struct mdl *const *others, int n_others,
                              const struct dev_bytes *limit, const struct mdl_choice *choice,
                              struct dec_model_set *s, struct t2_err *err)
{
    *s = (struct dec_model_set){.n = 1 + n_others};
    s->decoders = t2_alloc((size_t) s->n, sizeof(struct mdl_decoder *));
    s->models = t2_alloc((size_t) s->n, sizeof(struct mdl *));
    for (int i = 0; i < s->n; i++) {
        s->models[i] = i == 0 ? first : others[i - 1];
        if (i > 0)
            T2_TRY(check_alike(first, s->models[i], err));
        T2_TRY(mdl_decoder_new(s->models[i], limit, &s->decoders[i], err));
        mdl_decoder_set_choice(s->decoders[i], choice);
    }
    return T2_OK;
}

void dec_models_release(struct dec_model_set *s)
{
    for (int i = 0; s->decoders && i < s->n; i++)
        mdl_decoder_free(s->decoders[i]);
    t2_free(s->decoders);
    t2_free(s->models);
    *s = (struct dec_model_set){.n = 0};
}

/* More than UINT64_MAX stays that. */
static uint64_t sum_of(uint64_t a, uint64_t b)
{
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

enum t2_status dec_models_plan(const struct dec_model_set *s, const struct mdl_search_shape *shape,
                               struct dev_bytes *needed, struct t2_err *err)
{
    /* columns of logits, about: a table of the softmax may have a few more rows */
    uint64_t mean = mdl_decoder_mean_bytes(shape->batch * shape->beam,
                                           mdl_problem_of(s->models[0])->targets_vocab);

    T2_TRY(mdl_decoder_plan(s->decoders[0], shape, needed, err));
    for (int i = 1; i < s->n; i++) {
        struct dev_bytes other;

        T2_TRY(mdl_decoder_plan(s->decoders[i], shape, &other, err));
        needed->device = sum_of(needed->device, other.device);
        needed->host = sum_of(needed->host, sum_of(other.host, mean));
    }
    if (s->n > 1)
        dev_bytes_add(mdl_params(s->models[0])->dev, needed, mean, 0);
    return T2_OK;
}

enum t2_status dec_models_begin(const struct dec_model_set *s, const struct mdl_search_shape *shape,
                                const int32_t *inputs, struct t2_err *err)
{
    int32_t V = 0;

    for (int i = 0; i < s->n; i++) {
        T2_TRY(mdl_decoder_begin(s->decoders[i], shape, inputs, err));
        if (i == 0)
            V = mdl_decoder_vocab(s->decoders[i]);
        else if (mdl_decoder_vocab(s->decoders[i]) != V)
            return t2_fail(err, T2_EUSAGE,
                           "the models of an ensemble have logits of %d and of %d symbols", V,
                           mdl_decoder_vocab(s->decoders[i]));
    }
    return T2_OK;
}

enum t2_status dec_models_choose(const struct dec_model_set *s, int32_t step, const int32_t *ids,
                                 const struct dev_ask *asks, struct dev_candidate *best,
                                 struct t2_err *err)
{
    if (s->n == 1)
        return mdl_decoder_choose(s->decoders[0], step, ids, asks, best, err);
    return mdl_decoder_choose_mean(s->decoders, s->n, step, ids, asks, best, err);
}

enum t2_status dec_models_reorder(const struct dec_model_set *s, const int32_t *from,
                                  struct t2_err *err)
{
    for (int i = 0; i < s->n; i++)
        T2_TRY(mdl_decoder_reorder(s->decoders[i], from, err));
    return T2_OK;
}

enum t2_status dec_models_reserve(const struct dec_model_set *s, int32_t positions,
                                  struct t2_err *err)
{
    for (int i = 0; i < s->n; i++)
        T2_TRY(mdl_reserve_positions(s->models[i], positions, err));
    return T2_OK;
}
