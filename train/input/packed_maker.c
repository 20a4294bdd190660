/*
 * train/input/packed_maker.c - batches of rows that hold several samples, packed on the fly
 * (pack.h).  Packing is of pairs, so there are always inputs.
 */
#include "base/alloc.h"
#include "train/input/batch_maker.h"
#include "train/input/id_rows.h"
#include "train/input/sample_reader.h"

struct packed {
    int32_t length; /* of all rows */
    struct in_sample_reader *reader;
};

/* One side of a sample behind what its row has; padding inside a sample belongs to no segment. */
static void append_side(const int32_t *ids, int32_t n, int32_t segment, int32_t *to,
                        int32_t *segmentation, int32_t *position)
{
    for (int32_t i = 0; i < n; i++) {
        to[i] = ids[i];
        segmentation[i] = ids[i] != 0 ? segment : 0;
        position[i] = ids[i] != 0 ? i : 0;
    }
}

/* Row `row` of the batch of all ranks as row `to` of the item. */
static enum t2_status read_row(struct packed *p, const struct in_members *m, int32_t row,
                               int32_t to, const struct in_item *item, struct t2_err *err)
{
    size_t inputs = (size_t) to * (size_t) p->length, targets = inputs;
    int32_t segment = 1;

    for (size_t i = m->begins[row]; i < m->begins[row + 1]; i++, segment++) {
        const struct in_sample *s;
        size_t begin;

        T2_TRY(in_sample_read(p->reader, m->places[i], &s, &begin, err));
        append_side(s->inputs, s->inputs_length, segment, in_id_rows(item, IN_INPUTS) + inputs,
                    in_id_rows(item, IN_INPUTS_SEGMENTATION) + inputs,
                    in_id_rows(item, IN_INPUTS_POSITION) + inputs);
        append_side(s->targets, s->targets_length, segment, in_id_rows(item, IN_TARGETS) + targets,
                    in_id_rows(item, IN_TARGETS_SEGMENTATION) + targets,
                    in_id_rows(item, IN_TARGETS_POSITION) + targets);
        inputs += (size_t) s->inputs_length;
        targets += (size_t) s->targets_length;
    }
    return T2_OK;
}

static enum t2_status make(void *state, const struct in_members *m, struct in_span rows,
                           struct in_item *item, struct t2_err *err)
{
    struct packed *p = state;
    struct in_id_shape shape = {.n_rows = rows.n,
                                .inputs_length = p->length,
                                .targets_length = p->length,
                                .packed = true};

    T2_TRY(in_id_rows_begin(item, &shape, err));
    for (int32_t i = 0; i < rows.n; i++)
        T2_TRY(read_row(p, m, rows.first + i, i, item, err));
    return T2_OK;
}

static void release(void *state)
{
    struct packed *p = state;

    in_sample_reader_free(p->reader);
    t2_free(p);
}

static const struct in_maker_kind kind = {.make = make, .free = release};

void in_packed_maker(const struct in_index *index, const struct in_recipe *recipe,
                     struct in_batch_maker *maker)
{
    struct packed *p = t2_alloc(1, sizeof *p);

    T2_ASSERT(recipe->inputs_feature && recipe->packed_length > 0);
    p->length = recipe->packed_length;
    p->reader = in_sample_reader_new(index, recipe);
    *maker = (struct in_batch_maker){.kind = &kind, .state = p};
}
