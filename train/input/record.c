/*
 * train/input/record.c - record -> sample.
 */
#include "train/input/record.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/str.h"

/* Longer lists are not text; the limit keeps lengths and their sums inside int32. */
enum { MAX_IDS = 1 << 29 };

/* The original cuts the targets of a batch into batches that follow each other (chunks.h); a model
 * that does not remember the chunk before would be trained on pieces, without a word. */
static enum t2_status check_no_chunks(const struct mdl_hparams *hp, struct t2_err *err)
{
    static const char name[] = "split_targets_chunk_length";

    if (!mdl_hp_has(hp, name) || mdl_hp_int(hp, name) == 0 || mdl_hp_has(hp, "memory_type"))
        return T2_OK;
    return t2_fail(err, T2_EUNSUPPORTED,
                   "hparam %s=%" PRId64 ": chunks of targets are for sets with recurrent memory "
                   "(memory_type)",
                   name, mdl_hp_int(hp, name));
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

static enum t2_status set_packing(struct in_recipe *recipe, const struct mdl_hparams *hp,
                                  struct t2_err *err)
{
    if (!recipe->inputs_feature)
        return t2_fail(err, T2_EUSAGE,
                       "hparam pack_dataset=true packs pairs: the problem has no inputs");
    if (recipe->split > 0)
        return t2_fail(err, T2_EUSAGE,
                       "hparams pack_dataset=true and split_to_length=%" PRId32
                       " do not go together",
                       recipe->split);
    if (mdl_hp_int(hp, "max_length") < 1)
        return t2_fail(err, T2_EUSAGE,
                       "hparam pack_dataset=true needs max_length, the length of a row");
    T2_TRY(limit(hp, "max_length", &recipe->packed_length, err));
    if (mdl_hp_int(hp, "min_length") > mdl_hp_int(hp, "max_length"))
        return t2_fail(err, T2_EUSAGE, "hparam min_length=%" PRId64 " is above max_length=%" PRId64,
                       mdl_hp_int(hp, "min_length"), mdl_hp_int(hp, "max_length"));
    recipe->packing = mdl_hp_bool(hp, "use_custom_ops") ? IN_PACK_LATEST : IN_PACK_QUEUE;
    return T2_OK;
}

enum t2_status in_recipe_set(struct in_recipe *recipe, const struct mdl_hparams *hp,
                             struct t2_err *err)
{
    T2_TRY(check_no_chunks(hp, err));
    recipe->split = 0;
    recipe->packing = IN_PACK_NONE;
    if (mdl_hp_has(hp, "split_to_length"))
        T2_TRY(limit(hp, "split_to_length", &recipe->split, err));
    if (mdl_hp_has(hp, "pack_dataset") && mdl_hp_bool(hp, "pack_dataset"))
        T2_TRY(set_packing(recipe, hp, err));
    T2_TRY(limit(hp, "max_input_seq_length", &recipe->max_inputs, err));
    T2_TRY(limit(hp, "max_target_seq_length", &recipe->max_targets, err));
    recipe->prepend =
        recipe->inputs_feature && strcmp(mdl_hp_string(hp, "prepend_mode"), "none") != 0;
    return T2_OK;
}

void in_sample_release(struct in_sample *s)
{
    t2_free(s->inputs);
    t2_free(s->targets);
    t2_free(s->inputs_segmentation);
    t2_free(s->inputs_position);
    t2_free(s->targets_segmentation);
    t2_free(s->targets_position);
    t2_free(s->values);
    t2_free(s->numbers);
    t2_free(s->target_values);
    tfr_example_release(&s->example);
    *s = (struct in_sample){0};
}

static void *grown(void *p, size_t *capacity, size_t n, size_t size)
{
    if (n <= *capacity && p)
        return p;
    *capacity = n + n / 2 + 64;
    return t2_realloc(p, *capacity, size);
}

static enum t2_status bad_id(const char *feature, size_t i, int64_t id, int32_t vocab,
                             struct t2_err *err)
{
    if (vocab == 0)
        return t2_fail(err, T2_EFORMAT, "%s[%zu] is %" PRId64 ", which cannot be right", feature, i,
                       id);
    return t2_fail(err, T2_EFORMAT,
                   "%s[%zu] is %" PRId64 ", but the vocabulary has %" PRId32
                   " entries: the data was made with another vocabulary",
                   feature, i, id, vocab);
}

static enum t2_status find_list(const struct in_sample *s, const char *feature,
                                const struct tfr_view **view, struct t2_err *err)
{
    static const char *const kinds[] = {"no", "bytes", "float", "int64"};

    *view = tfr_example_find(&s->example, feature);
    if (!*view)
        return t2_fail(err, T2_EFORMAT, "it has no feature '%s'", feature);
    if ((*view)->kind != TFR_INT64 && !((*view)->kind == TFR_NONE && (*view)->n == 0))
        return t2_fail(err, T2_EFORMAT, "feature '%s' holds %s values, ids are int64", feature,
                       kinds[(*view)->kind]);
    if ((*view)->n > MAX_IDS)
        return t2_fail(err, T2_EFORMAT, "feature '%s' has %zu values", feature, (*view)->n);
    return T2_OK;
}

/* Names the first of the numbers that is no id; there is one. */
static enum t2_status name_bad_id(struct in_sample *s, const char *feature,
                                  const struct tfr_view *view, int32_t vocab, struct t2_err *err)
{
    int64_t limit = vocab > 0 ? vocab : MAX_IDS;
    size_t i = 0;

    s->values = grown(s->values, &s->values_capacity, view->n, sizeof *s->values);
    tfr_view_ints(view, s->values);
    while (s->values[i] >= 0 && s->values[i] < limit)
        i++;
    return bad_id(feature, i, s->values[i], vocab, err);
}

/* Reads a feature into *ids (grown), at most max ids (0 = all), behind `keep` places left free.
 * vocab 0: numbers that are no ids. */
static enum t2_status read_ids(struct in_sample *s, const char *feature, int32_t vocab, int32_t max,
                               int32_t keep, int32_t **ids, size_t *capacity, int32_t *length,
                               struct t2_err *err)
{
    const uint32_t limit = (uint32_t) (vocab > 0 ? vocab : MAX_IDS);
    const struct tfr_view *view;
    bool fit = true;
    size_t n;

    T2_TRY(find_list(s, feature, &view, err));
    n = view->n;
    *ids = grown(*ids, capacity, (size_t) keep + n, sizeof **ids);
    if (n > 0)
        fit = tfr_view_ids(view, *ids + keep);
    for (size_t i = 0; i < n; i++)
        fit &= (uint32_t) (*ids)[(size_t) keep + i] < limit; /* negative ones are beyond, too */
    if (!fit)
        return name_bad_id(s, feature, view, vocab, err);
    if (max > 0 && n > (size_t) max)
        n = (size_t) max;
    *length = keep + (int32_t) n;
    return T2_OK;
}

bool in_record_is_packed(const char *targets_feature, struct t2_slice record)
{
    char *name = t2_asprintf("%s_segmentation", targets_feature);
    struct tfr_example example = {0};
    struct t2_err err = T2_ERR_INIT;
    bool packed =
        tfr_example_parse(&example, record, &err) == T2_OK && tfr_example_find(&example, name);

    tfr_example_release(&example);
    t2_free(name);
    return packed;
}

/* Segment numbers or positions of a packed row: as many as it has ids. */
static enum t2_status read_extra(struct in_sample *s, const char *feature, const char *suffix,
                                 int32_t n, int32_t **values, size_t *capacity, struct t2_err *err)
{
    char *name = t2_asprintf("%s_%s", feature, suffix);
    int32_t length = 0;
    enum t2_status st;

    T2_GOTO(st, out, read_ids(s, name, 0, 0, 0, values, capacity, &length, err));
    if (length < n)
        st = t2_fail(err, T2_EFORMAT, "'%s' has %" PRId32 " values for %" PRId32 " ids", name,
                     length, n);
out:
    t2_free(name);
    return st;
}

static enum t2_status read_packed(struct in_sample *s, const struct in_recipe *r,
                                  struct t2_err *err)
{
    if (r->inputs_feature) {
        T2_TRY(read_extra(s, r->inputs_feature, "segmentation", s->inputs_length,
                          &s->inputs_segmentation, &s->extra_capacity[0], err));
        T2_TRY(read_extra(s, r->inputs_feature, "position", s->inputs_length, &s->inputs_position,
                          &s->extra_capacity[1], err));
    }
    T2_TRY(read_extra(s, r->targets_feature, "segmentation", s->targets_length,
                      &s->targets_segmentation, &s->extra_capacity[2], err));
    return read_extra(s, r->targets_feature, "position", s->targets_length, &s->targets_position,
                      &s->extra_capacity[3], err);
}

/* Cut to `length`; the original's operation then takes as many ids as are not padding. */
static int32_t length_to_pack(const struct in_recipe *r, const int32_t *ids, int32_t n)
{
    int32_t length = 0;

    if (r->packing != IN_PACK_LATEST)
        return n;
    for (int32_t i = 0; i < n && i < r->packed_length; i++)
        length += ids[i] != 0;
    return length;
}

/* Both sides in pieces of recipe->split; what one side has more of is left out. */
static enum t2_status split(struct in_sample *s, const struct in_recipe *r, struct t2_err *err)
{
    int32_t n = s->targets_length / r->split;

    if (s->targets_length % r->split != 0 || s->inputs_length % r->split != 0)
        return t2_fail(err, T2_EFORMAT,
                       "inputs of %" PRId32 " and targets of %" PRId32
                       " ids cannot be cut into pieces of %" PRId32 " (hparam split_to_length)",
                       s->inputs_length, s->targets_length, r->split);
    s->targets_length = r->split;
    if (r->inputs_feature) {
        n = s->inputs_length / r->split < n ? s->inputs_length / r->split : n;
        s->inputs_length = r->split;
    }
    s->n_pieces = n;
    return T2_OK;
}

/* As SquadConcat's and BabiQaConcat's preprocess_example. */
static enum t2_status read_context(struct in_sample *s, const struct in_recipe *recipe,
                                   struct t2_err *err)
{
    int32_t at = s->inputs_length;

    T2_TRY(read_ids(s, "context", recipe->inputs_vocab, 0, at + 1, &s->inputs, &s->inputs_capacity,
                    &s->inputs_length, err));
    s->inputs[at] = recipe->context_separator;
    return T2_OK;
}

static enum t2_status parse_image(struct in_sample *s, const struct in_recipe *recipe,
                                  struct t2_slice record, struct t2_err *err)
{
    T2_TRY(tfr_example_parse(&s->example, record, err));
    T2_TRY(in_image_parse(&s->example, recipe->images, recipe->targets_vocab, recipe->first_label,
                          &s->image, err));
    s->targets = grown(s->targets, &s->targets_capacity, 1, sizeof *s->targets);
    s->targets[0] = s->image.label;
    s->targets_length = s->n_pieces = 1;
    s->inputs_length = 0;
    return T2_OK;
}

static enum t2_status parse_speech(struct in_sample *s, const struct in_recipe *recipe,
                                   struct t2_slice record, struct t2_err *err)
{
    enum { MOST_SAMPLES = 1 << 26 };
    const struct tfr_view *view;

    T2_TRY(tfr_example_parse(&s->example, record, err));
    view = tfr_example_find(&s->example, "waveforms");
    if (!view || view->kind != TFR_FLOAT || view->n == 0 || view->n > MOST_SAMPLES)
        return t2_fail(err, T2_EFORMAT, "it has no list of floats 'waveforms' of 1 to %d samples",
                       MOST_SAMPLES);
    T2_TRY(read_ids(s, recipe->targets_feature, recipe->targets_vocab, recipe->max_targets, 0,
                    &s->targets, &s->targets_capacity, &s->targets_length, err));
    s->waveform = view;
    s->inputs_length = in_speech_frames(recipe->speech, view->n) * AUD_MEL_BANDS;
    s->n_pieces = 1;
    return T2_OK;
}

/* n finite floats. */
static enum t2_status read_numbers(const struct in_sample *s, const char *feature, int32_t n,
                                   float *values, struct t2_err *err)
{
    const struct tfr_view *view = tfr_example_find(&s->example, feature);

    if (!view || view->kind != TFR_FLOAT || view->n != (size_t) n)
        return t2_fail(err, T2_EFORMAT, "it has no list of %" PRId32 " floats '%s'", n, feature);
    tfr_view_floats(view, values);
    for (int32_t i = 0; i < n; i++)
        if (!isfinite(values[i]))
            return t2_fail(err, T2_EFORMAT, "%s[%" PRId32 "] is %f", feature, i,
                           (double) values[i]);
    return T2_OK;
}

/* Ids of labels as a 1 for each; a record that has none may be without the feature. */
static enum t2_status read_label_set(struct in_sample *s, const struct in_recipe *r,
                                     struct t2_err *err)
{
    int32_t n = 0;

    memset(s->target_values, 0, (size_t) r->targets_vocab * sizeof *s->target_values);
    if (tfr_example_find(&s->example, r->targets_feature))
        T2_TRY(read_ids(s, r->targets_feature, r->targets_vocab, 0, 0, &s->targets,
                        &s->targets_capacity, &n, err));
    for (int32_t i = 0; i < n; i++)
        s->target_values[s->targets[i]] = 1.0F;
    return T2_OK;
}

static enum t2_status read_target(struct in_sample *s, const struct in_recipe *r,
                                  struct t2_err *err)
{
    int32_t length = 0;

    if (r->target == MDL_TARGET_IDS) {
        T2_TRY(read_ids(s, r->targets_feature, r->targets_vocab, 0, 0, &s->targets,
                        &s->targets_capacity, &length, err));
        return length == 1 ? T2_OK
                           : t2_fail(err, T2_EFORMAT, "'%s' has %" PRId32 " labels, one is wanted",
                                     r->targets_feature, length);
    }
    s->target_values = grown(s->target_values, &s->target_values_capacity,
                             (size_t) r->targets_vocab, sizeof *s->target_values);
    if (r->target == MDL_TARGET_SET)
        T2_TRY(read_label_set(s, r, err));
    else
        T2_TRY(read_numbers(s, r->targets_feature, r->targets_vocab, s->target_values, err));
    s->targets = grown(s->targets, &s->targets_capacity, 1, sizeof *s->targets);
    s->targets[0] = 1; /* something is to be learned */
    return T2_OK;
}

static enum t2_status parse_values(struct in_sample *s, const struct in_recipe *r,
                                   struct t2_slice record, struct t2_err *err)
{
    T2_TRY(tfr_example_parse(&s->example, record, err));
    s->inputs_length = s->targets_length = s->n_pieces = 1;
    T2_TRY(read_target(s, r, err));
    if (r->n_numbers == 0)
        return read_ids(s, r->inputs_feature, r->inputs_vocab, r->max_inputs, 0, &s->inputs,
                        &s->inputs_capacity, &s->inputs_length, err);
    s->numbers = grown(s->numbers, &s->numbers_capacity, (size_t) r->n_numbers, sizeof *s->numbers);
    return read_numbers(s, r->inputs_feature, r->n_numbers, s->numbers, err);
}

static enum t2_status parse(struct in_sample *s, const struct in_recipe *recipe,
                            struct t2_slice record, struct t2_err *err)
{
    int32_t keep = 0, max = recipe->max_targets;

    s->inputs_length = 0;
    s->targets_length = 0;
    T2_TRY(tfr_example_parse(&s->example, record, err));
    if (recipe->inputs_feature)
        T2_TRY(read_ids(s, recipe->inputs_feature, recipe->inputs_vocab, recipe->max_inputs, 0,
                        &s->inputs, &s->inputs_capacity, &s->inputs_length, err));
    if (recipe->context_separator)
        T2_TRY(read_context(s, recipe, err));
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

enum t2_status in_sample_parse(struct in_sample *s, const struct in_recipe *recipe,
                               struct t2_slice record, struct t2_err *err)
{
    if (recipe->images)
        return parse_image(s, recipe, record, err);
    if (recipe->speech)
        return parse_speech(s, recipe, record, err);
    if (in_recipe_has_values(recipe))
        return parse_values(s, recipe, record, err);
    T2_TRY(parse(s, recipe, record, err));
    s->n_pieces = 1;
    s->inputs_length = length_to_pack(recipe, s->inputs, s->inputs_length);
    s->targets_length = length_to_pack(recipe, s->targets, s->targets_length);
    if (recipe->packed)
        T2_TRY(read_packed(s, recipe, err));
    return recipe->split > 0 ? split(s, recipe, err) : T2_OK;
}
