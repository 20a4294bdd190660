/*
 * train/models/model_batch.c - does a batch fit a model?
 */
#include <inttypes.h>

#include "train/models/model_parts.h"

struct mdl_shape mdl_shape_of(const struct mdl_batch *b)
{
    return (struct mdl_shape){.batch = b->batch,
                              .inputs_length = b->inputs_length,
                              .targets_length = b->targets_length,
                              .packed = b->targets_segmentation != NULL,
                              .height = b->height,
                              .width = b->width,
                              .channels = b->channels,
                              .mixed = b->other_labels != NULL,
                              .image_bytes = b->image_bytes != NULL,
                              .n_values = b->n_values,
                              .sentences = !b->types                ? MDL_SENTENCES_NONE
                                           : b->masked_positions    ? MDL_SENTENCES_MASKED
                                           : b->targets_length == 2 ? MDL_SENTENCES_ANSWERED
                                                                    : MDL_SENTENCES_LABELLED};
}

static enum t2_status check_positions(const int32_t *position, int64_t batch, int64_t length,
                                      const char *side, struct t2_err *err)
{
    for (int64_t i = 0; i < batch * length; i++)
        if (position[i] < 0 || position[i] >= length)
            return t2_fail(err, T2_EFORMAT,
                           "%s_position %d of a packed row of %" PRId64 " ids is not one of its "
                           "positions",
                           side, position[i], length);
    return T2_OK;
}

static enum t2_status check_packing(const struct mdl *m, const struct mdl_batch *b,
                                    struct t2_err *err)
{
    bool inputs = m->problem.has_inputs, packed = b->targets_segmentation != NULL;

    if (packed != (b->targets_position != NULL) ||
        (inputs &&
         (packed != (b->inputs_segmentation != NULL) || packed != (b->inputs_position != NULL))))
        return t2_fail(err, T2_EFORMAT,
                       "packed data needs segmentation and position of inputs and targets");
    if (packed)
        T2_TRY(check_positions(b->targets_position, b->batch, b->targets_length, "targets", err));
    if (packed && inputs)
        T2_TRY(check_positions(b->inputs_position, b->batch, b->inputs_length, "inputs", err));
    return T2_OK;
}

static enum t2_status check_below(const int32_t *values, int64_t n, int32_t limit, const char *what,
                                  struct t2_err *err)
{
    for (int64_t i = 0; i < n; i++)
        if (values[i] < 0 || values[i] >= limit)
            return t2_fail(err, T2_EFORMAT, "%s %d of a batch is not below %d", what, values[i],
                           limit);
    return T2_OK;
}

static enum t2_status check_sentences(const struct mdl *m, const struct mdl_batch *b,
                                      enum mdl_sentences sentences, struct t2_err *err)
{
    const struct mdl_problem *p = &m->problem;

    if (sentences != p->sentences || (p->sentence_label && !b->sentence_labels))
        return t2_fail(err, T2_EFORMAT, "a batch is not of sentences as the model's are");
    if (!sentences)
        return T2_OK;
    T2_TRY(
        check_below(b->types, (int64_t) b->batch * b->inputs_length, p->types_vocab, "type", err));
    if (b->sentence_labels)
        T2_TRY(check_below(b->sentence_labels, b->batch, 2, "sentence label", err));
    if (sentences == MDL_SENTENCES_ANSWERED)
        return check_below(b->targets, 2 * (int64_t) b->batch, b->inputs_length, "position", err);
    if (b->masked_positions)
        return check_below(b->masked_positions, (int64_t) b->batch * b->targets_length,
                           b->inputs_length, "masked position", err);
    return T2_OK;
}

static enum t2_status check_images(const struct mdl *m, const struct mdl_batch *b,
                                   struct t2_err *err)
{
    const struct mdl_image *p = &m->problem.image;
    int32_t height = m->problem.speech ? mdl_speech_rows(b->inputs_length) : p->height;

    if (b->height == height && b->width == p->width && b->channels == p->channels &&
        (b->images || b->image_bytes) == (height > 0))
        return T2_OK;
    return t2_fail(err, T2_EFORMAT,
                   "a batch of images of %d x %d x %d does not fit a model of %d x %d x %d",
                   b->height, b->width, b->channels, height, p->width, p->channels);
}

static enum t2_status check_classes(const struct mdl *m, const int32_t *labels, int64_t n,
                                    struct t2_err *err)
{
    for (int64_t i = 0; i < n; i++)
        if (labels[i] < 0 || labels[i] >= m->problem.targets_vocab)
            return t2_fail(err, T2_EFORMAT, "label %d is not one of the %d classes", labels[i],
                           m->problem.targets_vocab);
    return T2_OK;
}

enum t2_status mdl_check_labels(const struct mdl *m, const struct mdl_batch *b, struct t2_err *err)
{
    int64_t n = m->problem.class_labels && m->problem.image.height > 0 ? b->batch
                : m->problem.pixels.height > 0 ? (int64_t) b->batch * b->targets_length
                                               : 0;

    if (m->problem.target == MDL_TARGET_IDS)
        T2_TRY(check_classes(m, b->targets, n, err));
    return b->other_labels ? check_classes(m, b->other_labels, n, err) : T2_OK;
}

enum t2_status mdl_check_batch(const struct mdl *m, const struct mdl_batch *batch,
                               struct t2_err *err)
{
    struct mdl_shape shape = mdl_shape_of(batch);

    if (batch->batch < 1 || batch->targets_length < 1 ||
        (m->problem.has_inputs && batch->inputs_length < 1))
        return t2_fail(err, T2_EFORMAT, "a batch of %d x (%d, %d) ids has nothing in it",
                       batch->batch, batch->inputs_length, batch->targets_length);
    if (m->problem.class_labels && batch->targets_length != 1)
        return t2_fail(err, T2_EFORMAT, "%d class labels for one example", batch->targets_length);
    if (batch->n_values != (m->problem.target == MDL_TARGET_IDS ? 0 : m->problem.targets_vocab))
        return t2_fail(err, T2_EFORMAT, "%d values for an example of a model of %d",
                       batch->n_values, m->problem.targets_vocab);
    if (m->problem.pixels.height > 0 &&
        (batch->targets_length != mdl_pixels_length(&m->problem.pixels) ||
         batch->inputs_length != mdl_pixels_inputs(&m->problem)))
        return t2_fail(err, T2_EFORMAT,
                       "a batch of %d inputs and %d pixel values an example does not fit a model "
                       "that makes images of %d x %d x %d",
                       batch->inputs_length, batch->targets_length, m->problem.pixels.height,
                       m->problem.pixels.width, m->problem.pixels.channels);
    T2_TRY(check_images(m, batch, err));
    T2_TRY(check_packing(m, batch, err));
    T2_TRY(check_sentences(m, batch, shape.sentences, err));
    return m->kind->check_shape ? m->kind->check_shape(m->hp, &m->problem, &shape, err) : T2_OK;
}
