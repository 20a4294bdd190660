/*
 * train/input/record.c - record -> sample.
 */
#include "train/input/record.h"

#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"

/* Longer lists are not text; the limit keeps lengths and their sums inside int32. */
enum { MAX_IDS = 1 << 29 };

static enum t2_status unsupported_int(const struct mdl_hparams *hp, const char *name,
                                      struct t2_err *err)
{
    if (!mdl_hp_has(hp, name) || mdl_hp_int(hp, name) == 0)
        return T2_OK;
    return t2_fail(err, T2_EUNSUPPORTED, "hparam %s=%" PRId64 " is not supported yet", name,
                   mdl_hp_int(hp, name));
}

static enum t2_status limit(const struct mdl_hparams *hp, const char *name, int32_t *value,
                            struct t2_err *err)
{
    int64_t v = mdl_hp_int(hp, name);

    if (v < 0 || v > MAX_IDS)
        return t2_fail(err, T2_EUSAGE, "hparam %s=%" PRId64 " is out of range", name, v);
    *value = (int32_t) v;
    return T2_OK;
}

enum t2_status in_recipe_set(struct in_recipe *recipe, const struct mdl_hparams *hp,
                             struct t2_err *err)
{
    T2_TRY(unsupported_int(hp, "split_to_length", err));
    T2_TRY(unsupported_int(hp, "split_targets_chunk_length", err));
    if (mdl_hp_has(hp, "pack_dataset") && mdl_hp_bool(hp, "pack_dataset"))
        return t2_fail(err, T2_EUNSUPPORTED, "hparam pack_dataset=true is not supported yet");
    T2_TRY(limit(hp, "max_input_seq_length", &recipe->max_inputs, err));
    T2_TRY(limit(hp, "max_target_seq_length", &recipe->max_targets, err));
    recipe->prepend =
        recipe->inputs_feature != NULL && strcmp(mdl_hp_string(hp, "prepend_mode"), "none") != 0;
    return T2_OK;
}

void in_sample_release(struct in_sample *s)
{
    t2_free(s->inputs);
    t2_free(s->targets);
    t2_free(s->values);
    tfr_example_release(&s->example);
    *s = (struct in_sample){0};
}

static void *grown(void *p, size_t *capacity, size_t n, size_t size)
{
    if (n <= *capacity && p != NULL)
        return p;
    *capacity = n + n / 2 + 64;
    return t2_realloc(p, *capacity, size);
}

static enum t2_status find_list(const struct in_sample *s, const char *feature,
                                const struct tfr_view **view, struct t2_err *err)
{
    static const char *const kinds[] = {"no", "bytes", "float", "int64"};

    *view = tfr_example_find(&s->example, feature);
    if (*view == NULL)
        return t2_fail(err, T2_EFORMAT, "it has no feature '%s'", feature);
    if ((*view)->kind != TFR_INT64 && !((*view)->kind == TFR_NONE && (*view)->n == 0))
        return t2_fail(err, T2_EFORMAT, "feature '%s' holds %s values, ids are int64", feature,
                       kinds[(*view)->kind]);
    if ((*view)->n > MAX_IDS)
        return t2_fail(err, T2_EFORMAT, "feature '%s' has %zu values", feature, (*view)->n);
    return T2_OK;
}

/* Reads a feature into *ids (grown), at most max ids (0 = all), behind `keep` places left free. */
static enum t2_status read_ids(struct in_sample *s, const char *feature, int32_t vocab, int32_t max,
                               int32_t keep, int32_t **ids, size_t *capacity, int32_t *length,
                               struct t2_err *err)
{
    const struct tfr_view *view;
    size_t n;

    T2_TRY(find_list(s, feature, &view, err));
    n = view->n;
    s->values = grown(s->values, &s->values_capacity, n, sizeof *s->values);
    if (n > 0)
        tfr_view_ints(view, s->values);
    for (size_t i = 0; i < n; i++)
        if (s->values[i] < 0 || s->values[i] >= vocab)
            return t2_fail(err, T2_EFORMAT,
                           "%s[%zu] is %" PRId64 ", but the vocabulary has %" PRId32
                           " entries: the data was made with another vocabulary",
                           feature, i, s->values[i], vocab);
    if (max > 0 && n > (size_t) max)
        n = (size_t) max;
    *ids = grown(*ids, capacity, (size_t) keep + n, sizeof **ids);
    for (size_t i = 0; i < n; i++)
        (*ids)[(size_t) keep + i] = (int32_t) s->values[i];
    *length = keep + (int32_t) n;
    return T2_OK;
}

enum t2_status in_sample_parse(struct in_sample *s, const struct in_recipe *recipe,
                               struct t2_slice record, struct t2_err *err)
{
    int32_t keep = 0, max = recipe->max_targets;

    s->inputs_length = 0;
    s->targets_length = 0;
    T2_TRY(tfr_example_parse(&s->example, record, err));
    if (recipe->inputs_feature != NULL)
        T2_TRY(read_ids(s, recipe->inputs_feature, recipe->inputs_vocab, recipe->max_inputs, 0,
                        &s->inputs, &s->inputs_capacity, &s->inputs_length, err));
    if (recipe->prepend)
        keep = s->inputs_length + 1;
    T2_TRY(read_ids(s, recipe->targets_feature, recipe->targets_vocab, recipe->prepend ? 0 : max,
                    keep, &s->targets, &s->targets_capacity, &s->targets_length, err));
    if (!recipe->prepend)
        return T2_OK;
    if (s->inputs_length > 0)
        memcpy(s->targets, s->inputs, (size_t) s->inputs_length * sizeof *s->targets);
    s->targets[keep - 1] = 0;
    if (max > 0 && s->targets_length > max) /* the limit is for the joined sequence */
        s->targets_length = max;
    return T2_OK;
}
