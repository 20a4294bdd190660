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
    t2_free(s->targets_mask);
    tfr_example_release(&s->example);
    aug_image_release(&s->pixels);
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

static enum t2_status parse_described(struct in_sample *s, const struct in_recipe *recipe,
                                      struct t2_slice record, struct t2_err *err)
{
    T2_TRY(tfr_example_parse(&s->example, record, err));
    T2_TRY(in_image_find(&s->example, recipe->images, &s->image, err));
    T2_TRY(read_ids(s, recipe->targets_feature, recipe->targets_vocab, recipe->max_targets, 0,
                    &s->targets, &s->targets_capacity, &s->targets_length, err));
    s->inputs_length = recipe->images->size;
    s->n_pieces = 1;
    return T2_OK;
}

enum t2_status in_sample_check_image(struct in_sample *s, const struct in_recipe *recipe,
                                     struct t2_err *err)
{
    const struct aug_decode how = {.channels = recipe->images->channels};

    return aug_decode(s->image.encoded.data, s->image.encoded.len_bytes, &how, &s->pixels, NULL,
                      err);
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

/* Lists are as long as the original asks of them, or as long as each other. */
static enum t2_status check_list(const char *feature, int32_t n, int32_t wanted, struct t2_err *err)
{
    if (n == wanted)
        return T2_OK;
    return t2_fail(err, T2_EFORMAT, "'%s' has %" PRId32 " values, not %" PRId32, feature, n,
                   wanted);
}

static const char mask_feature[] = "targets_mask";

/* As numbers, to targets_mask where they are int64, else to numbers: Tensor2Tensor multiplies
 * weights by them, so its records have floats. */
static enum t2_status read_mask_values(struct in_sample *s, int32_t n, bool *floats,
                                       struct t2_err *err)
{
    const struct tfr_view *view = tfr_example_find(&s->example, mask_feature);
    int32_t length = 0;

    *floats = view && view->kind == TFR_FLOAT;
    s->targets_mask =
        grown(s->targets_mask, &s->mask_capacity, (size_t) n, sizeof *s->targets_mask);
    if (*floats) {
        s->numbers = grown(s->numbers, &s->numbers_capacity, (size_t) n, sizeof *s->numbers);
        return read_numbers(s, mask_feature, n, s->numbers, err);
    }
    T2_TRY(read_ids(s, mask_feature, 0, 0, 0, &s->targets_mask, &s->mask_capacity, &length, err));
    return check_list(mask_feature, length, n, err);
}

/* 0 or 1 for each target, before they are cut.  Padding is never learned, so it cannot count. */
static enum t2_status read_mask(struct in_sample *s, const struct in_recipe *r, struct t2_err *err)
{
    const int32_t n = (int32_t) tfr_example_find(&s->example, r->targets_feature)->n;
    bool floats;

    T2_TRY(read_mask_values(s, n, &floats, err));
    for (int32_t i = 0; i < n; i++) {
        double value = floats ? (double) s->numbers[i] : s->targets_mask[i];

        if (value != 0.0 && value != 1.0)
            return t2_fail(err, T2_EFORMAT, "%s[%" PRId32 "] is %g, not 0 or 1", mask_feature, i,
                           value);
        if (value != 0.0 && s->targets[i] == 0)
            return t2_fail(err, T2_EFORMAT, "%s[%" PRId32 "] is 1, but %s[%" PRId32 "] is padding",
                           mask_feature, i, r->targets_feature, i);
        s->targets_mask[i] = value != 0.0;
    }
    return T2_OK;
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
    if (recipe->targets_mask)
        T2_TRY(read_mask(s, recipe, err));
    if (!recipe->prepend)
        return T2_OK;
    if (s->inputs_length > 0)
        memcpy(s->targets, s->inputs, (size_t) s->inputs_length * sizeof *s->targets);
    s->targets[keep - 1] = 0;
    if (max > 0 && s->targets_length > max) /* the limit is for the joined sequence */
        s->targets_length = max;
    return T2_OK;
}

/* ---- Model Garden's records of BERT ---- */

static const char *either(const struct in_sample *s, const char *old, const char *name)
{
    return tfr_example_find(&s->example, old) ? old : name;
}

/* Ids, and of which text each is; padding, which input_mask says, is cut off.  What reads the ids
 * takes 0 for padding and nothing else. */
static enum t2_status read_sentences(struct in_sample *s, const struct in_recipe *r,
                                     struct t2_err *err)
{
    const char *ids = r->inputs_feature, *types = either(s, "segment_ids", "input_type_ids");
    int32_t n, n_mask, n_types, filled = 0;

    T2_TRY(read_ids(s, ids, r->inputs_vocab, 0, 0, &s->inputs, &s->inputs_capacity, &n, err));
    if (r->max_inputs > 0)
        T2_TRY(check_list(ids, n, r->max_inputs, err));
    T2_TRY(read_ids(s, "input_mask", 2, 0, 0, &s->inputs_position, &s->extra_capacity[1], &n_mask,
                    err));
    T2_TRY(check_list("input_mask", n_mask, n, err));
    T2_TRY(read_ids(s, types, r->types_vocab, 0, 0, &s->inputs_segmentation, &s->extra_capacity[0],
                    &n_types, err));
    T2_TRY(check_list(types, n_types, n, err));
    while (filled < n && s->inputs_position[filled])
        filled++;
    for (int32_t i = 0; i < n; i++)
        if ((s->inputs[i] != 0) != (i < filled) || s->inputs_position[i] != (i < filled))
            return t2_fail(err, T2_EFORMAT,
                           "input_mask[%" PRId32 "] is %" PRId32 " and %s[%" PRId32 "] %" PRId32
                           ": the mask must be 1 as far as there are ids, and 0 where they are 0",
                           i, s->inputs_position[i], ids, i, s->inputs[i]);
    s->inputs_length = filled;
    return filled > 0 ? T2_OK : t2_fail(err, T2_EFORMAT, "'%s' are all padding", ids);
}

static enum t2_status read_position(struct in_sample *s, const char *feature, int32_t *position,
                                    struct t2_err *err)
{
    int32_t n = 0;

    T2_TRY(read_ids(s, feature, 0, 0, 0, &s->targets_position, &s->extra_capacity[3], &n, err));
    T2_TRY(check_list(feature, n, 1, err));
    *position = s->targets_position[0];
    if (*position < s->inputs_length)
        return T2_OK;
    return t2_fail(err, T2_EFORMAT, "%s[0] is %" PRId32 ", but there are %" PRId32 " ids", feature,
                   *position, s->inputs_length);
}

/* Where in the ids the answer begins and ends; both 0 where there is none. */
static enum t2_status read_answer(struct in_sample *s, const struct in_recipe *r,
                                  struct t2_err *err)
{
    s->targets = grown(s->targets, &s->targets_capacity, 2, sizeof *s->targets);
    s->targets_length = 2;
    T2_TRY(read_position(s, r->targets_feature, &s->targets[0], err));
    return read_position(s, "end_positions", &s->targets[1], err);
}

/* masked_lm_weights: 1 for what was masked, then 0, where the ids are 0. */
static enum t2_status cut_masked(struct in_sample *s, const struct in_recipe *r, int32_t n,
                                 struct t2_err *err)
{
    static const char weights[] = "masked_lm_weights";
    int32_t masked = 0;

    s->numbers = grown(s->numbers, &s->numbers_capacity, (size_t) n, sizeof *s->numbers);
    T2_TRY(read_numbers(s, weights, n, s->numbers, err));
    while (masked < n && s->targets[masked] != 0)
        masked++;
    for (int32_t i = 0; i < n; i++)
        if (s->numbers[i] != (i < masked ? 1.0F : 0.0F) || (i >= masked && s->targets[i] != 0))
            return t2_fail(err, T2_EFORMAT,
                           "%s[%" PRId32 "] is %g and %s[%" PRId32 "] %" PRId32
                           ": weights must be 1 as far as there are ids, and 0 where they are 0",
                           weights, i, (double) s->numbers[i], r->targets_feature, i,
                           s->targets[i]);
    for (int32_t i = 0; i < masked; i++)
        if (s->targets_position[i] >= s->inputs_length)
            return t2_fail(err, T2_EFORMAT,
                           "masked_lm_positions[%" PRId32 "] is %" PRId32 ", but there are %" PRId32
                           " ids",
                           i, s->targets_position[i], s->inputs_length);
    s->targets_length = masked;
    return T2_OK;
}

static enum t2_status parse_sentences(struct in_sample *s, const struct in_recipe *r,
                                      struct t2_slice record, struct t2_err *err)
{
    int32_t n, n_positions;

    T2_TRY(tfr_example_parse(&s->example, record, err));
    T2_TRY(read_sentences(s, r, err));
    s->targets_length = 1;
    if (r->sentences == MDL_SENTENCES_LABELLED)
        return read_target(s, r, err);
    if (r->sentences == MDL_SENTENCES_ANSWERED)
        return read_answer(s, r, err);
    T2_TRY(read_ids(s, r->targets_feature, r->targets_vocab, 0, 0, &s->targets,
                    &s->targets_capacity, &n, err));
    if (r->max_targets > 0)
        T2_TRY(check_list(r->targets_feature, n, r->max_targets, err));
    T2_TRY(read_ids(s, "masked_lm_positions", 0, 0, 0, &s->targets_position, &s->extra_capacity[3],
                    &n_positions, err));
    T2_TRY(check_list("masked_lm_positions", n_positions, n, err));
    T2_TRY(cut_masked(s, r, n, err));
    if (!r->sentence_label)
        return T2_OK;
    /* the segmentation of targets is not used otherwise */
    T2_TRY(read_ids(s, "next_sentence_labels", 2, 0, 0, &s->targets_segmentation,
                    &s->extra_capacity[2], &n, err));
    T2_TRY(check_list("next_sentence_labels", n, 1, err));
    s->sentence_label = s->targets_segmentation[0];
    return T2_OK;
}

static int32_t least(int32_t n, int32_t limit)
{
    return limit > 0 && n > limit ? limit : n;
}

/* The task's id in place of the last one. */
static void mark_inputs(struct in_sample *s, int32_t task_id)
{
    s->inputs = grown(s->inputs, &s->inputs_capacity, 1, sizeof *s->inputs);
    s->inputs_length = s->inputs_length > 0 ? s->inputs_length : 1;
    s->inputs[s->inputs_length - 1] = task_id;
}

static void fix_length(struct in_sample *s, int32_t length)
{
    s->targets = grown(s->targets, &s->targets_capacity, (size_t) length, sizeof *s->targets);
    for (int32_t i = s->targets_length; i < length; i++)
        s->targets[i] = 0;
    s->targets_length = length;
}

static enum t2_status parse_task(struct in_sample *s, const struct in_recipe *r,
                                 struct t2_slice record, struct t2_err *err)
{
    int32_t n_before = 0, n_targets;

    s->inputs_length = s->targets_length = 0;
    T2_TRY(tfr_example_parse(&s->example, record, err));
    if (r->inputs_feature)
        T2_TRY(read_ids(s, r->inputs_feature, r->inputs_vocab, r->max_inputs, 0, &s->inputs,
                        &s->inputs_capacity, &s->inputs_length, err));
    if (r->task_joins && s->inputs_length > 0)
        n_before = least(s->inputs_length - 1, r->task_max_inputs);
    T2_TRY(read_ids(s, r->targets_feature, r->targets_vocab, r->max_targets,
                    r->task_joins ? n_before + 1 : 0, &s->targets, &s->targets_capacity,
                    &s->targets_length, err));
    if (!r->task_joins) {
        mark_inputs(s, r->task_id);
        return T2_OK;
    }
    n_targets = least(s->targets_length - n_before - 1, r->task_max_targets);
    if (n_before > 0)
        memcpy(s->targets, s->inputs, (size_t) n_before * sizeof *s->targets);
    s->targets[n_before] = r->task_id;
    for (int32_t i = 0; i < n_targets; i++)
        s->targets[n_before + 1 + i] += r->task_label_offset;
    s->targets_length = n_before + 1 + n_targets;
    s->inputs_length = 0;
    if (r->task_fixed_length > 0)
        fix_length(s, r->task_fixed_length);
    return T2_OK;
}

enum t2_status in_sample_parse(struct in_sample *s, const struct in_recipe *recipe,
                               struct t2_slice record, struct t2_err *err)
{
    s->n_pieces = 1;
    if (recipe->task_id > 0)
        return parse_task(s, recipe, record, err);
    if (recipe->sentences)
        return parse_sentences(s, recipe, record, err);
    if (recipe->images)
        return recipe->describes ? parse_described(s, recipe, record, err)
                                 : parse_image(s, recipe, record, err);
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
