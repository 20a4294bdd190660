/*
 * train/input/id_rows.c - matrices of ids.
 */
#include "train/input/id_rows.h"

#include <inttypes.h>
#include <string.h>

static enum t2_status zeros(struct in_item *item, enum in_block_name name, int32_t n_rows,
                            int32_t length, const int32_t **matrix, struct t2_err *err)
{
    size_t bytes = (size_t) n_rows * (size_t) length * sizeof **matrix;
    void *room = in_item_room(item, name, bytes, bytes / 4 + 256);

    if (!room)
        return t2_fail(err, T2_ENOMEM,
                       "no memory for a batch of %" PRId32 " rows of %" PRId32 " ids", n_rows,
                       length);
    memset(room, 0, bytes);
    *matrix = room;
    return T2_OK;
}

enum t2_status in_id_rows_begin(struct in_item *item, const struct in_id_shape *s,
                                struct t2_err *err)
{
    struct mdl_batch *b = &item->batch;

    *b = (struct mdl_batch){.batch = s->n_rows,
                            .inputs_length = s->inputs_length,
                            .targets_length = s->targets_length};
    T2_TRY(zeros(item, IN_TARGETS, s->n_rows, s->targets_length, &b->targets, err));
    if (s->packed) {
        T2_TRY(zeros(item, IN_TARGETS_SEGMENTATION, s->n_rows, s->targets_length,
                     &b->targets_segmentation, err));
        T2_TRY(zeros(item, IN_TARGETS_POSITION, s->n_rows, s->targets_length, &b->targets_position,
                     err));
    }
    if (s->masked)
        T2_TRY(zeros(item, IN_TARGETS_MASK, s->n_rows, s->targets_length, &b->targets_mask, err));
    if (s->inputs_length == 0)
        return T2_OK;
    T2_TRY(zeros(item, IN_INPUTS, s->n_rows, s->inputs_length, &b->inputs, err));
    if (!s->packed)
        return T2_OK;
    T2_TRY(zeros(item, IN_INPUTS_SEGMENTATION, s->n_rows, s->inputs_length, &b->inputs_segmentation,
                 err));
    return zeros(item, IN_INPUTS_POSITION, s->n_rows, s->inputs_length, &b->inputs_position, err);
}

void in_id_rows_copy(const struct in_item *item, enum in_block_name name, size_t at,
                     const int32_t *from, int32_t n)
{
    if (n > 0)
        memcpy(in_id_rows(item, name) + at, from, (size_t) n * sizeof *from);
}
