/*
 * train/input/text_maker.c - batches of samples that have a row each: ids, or rows that were packed
 * when the data set was made.
 */
#include "base/alloc.h"
#include "train/input/batch_maker.h"
#include "train/input/id_rows.h"
#include "train/input/sample_reader.h"

struct text {
    const struct in_recipe *recipe;
    int32_t fixed_length; /* 0: as long as the longest */
    struct in_sample_reader *reader;
};

/* The lengths are those of the longest members of all ranks, whose rows are one matrix. */
static struct in_id_shape shape_of(const struct text *t, const struct in_members *m, int32_t n_rows)
{
    struct in_id_shape s = {.n_rows = n_rows,
                            .packed = t->recipe->packed,
                            .masked = t->recipe->targets_mask};

    for (int32_t i = 0; i < m->n_rows; i++) {
        if (m->places[i]->inputs_length > s.inputs_length)
            s.inputs_length = m->places[i]->inputs_length;
        if (m->places[i]->targets_length > s.targets_length)
            s.targets_length = m->places[i]->targets_length;
    }
    if (t->fixed_length > 0)
        s.inputs_length = s.targets_length = t->fixed_length;
    if (s.targets_length == 0)
        s.targets_length = 1;
    if (!t->recipe->inputs_feature)
        s.inputs_length = 0;
    else if (s.inputs_length == 0)
        s.inputs_length = 1;
    return s;
}

static void put_sample(const struct text *t, const struct in_sample *s, size_t begin, size_t row,
                       const struct in_item *item)
{
    size_t inputs = row * (size_t) item->batch.inputs_length;
    size_t targets = row * (size_t) item->batch.targets_length;
    bool has_inputs = t->recipe->inputs_feature != NULL;

    if (has_inputs)
        in_id_rows_copy(item, IN_INPUTS, inputs, s->inputs + begin, s->inputs_length);
    in_id_rows_copy(item, IN_TARGETS, targets, s->targets + begin, s->targets_length);
    if (t->recipe->targets_mask)
        in_id_rows_copy(item, IN_TARGETS_MASK, targets, s->targets_mask, s->targets_length);
    if (!t->recipe->packed)
        return;
    if (has_inputs) {
        in_id_rows_copy(item, IN_INPUTS_SEGMENTATION, inputs, s->inputs_segmentation,
                        s->inputs_length);
        in_id_rows_copy(item, IN_INPUTS_POSITION, inputs, s->inputs_position, s->inputs_length);
    }
    in_id_rows_copy(item, IN_TARGETS_SEGMENTATION, targets, s->targets_segmentation,
                    s->targets_length);
    in_id_rows_copy(item, IN_TARGETS_POSITION, targets, s->targets_position, s->targets_length);
}

static enum t2_status make(void *state, const struct in_members *m, struct in_span rows,
                           struct in_item *item, struct t2_err *err)
{
    struct text *t = state;
    struct in_id_shape shape = shape_of(t, m, rows.n);

    T2_TRY(in_id_rows_begin(item, &shape, err));
    for (int32_t i = 0; i < rows.n; i++) {
        const struct in_sample *s;
        size_t begin;

        T2_TRY(in_sample_read(t->reader, m->places[rows.first + i], &s, &begin, err));
        put_sample(t, s, begin, (size_t) i, item);
    }
    return T2_OK;
}

static void release(void *state)
{
    struct text *t = state;

    in_sample_reader_free(t->reader);
    t2_free(t);
}

static const struct in_maker_kind kind = {.make = make, .free = release};

void in_text_maker(const struct in_index *index, const struct in_recipe *recipe,
                   int32_t fixed_length, struct in_batch_maker *maker)
{
    struct text *t = t2_alloc(1, sizeof *t);

    t->recipe = recipe;
    t->fixed_length = fixed_length;
    t->reader = in_sample_reader_new(index, recipe);
    *maker = (struct in_batch_maker){.kind = &kind, .state = t};
}
