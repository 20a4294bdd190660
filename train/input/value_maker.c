/*
 * train/input/value_maker.c - batches of samples of which a side is values: a row of floats each.
 */
#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "train/input/batch_maker.h"
#include "train/input/sample_reader.h"

struct values {
    const struct in_recipe *recipe;
    struct in_sample_reader *reader;
};

/* Where the rows of this rank go. */
struct rooms {
    int32_t *inputs, *labels;       /* (B, inputs_length), (B); NULL: there are none */
    float *numbers, *target_values; /* (B, n_numbers), (B, targets_vocab); likewise */
};

/* Of the longest inputs of all ranks. */
static int32_t longest(const struct values *v, const struct in_members *m)
{
    int32_t most = 1;

    for (int32_t i = 0; i < m->n_rows && v->recipe->n_numbers == 0; i++)
        if (m->places[i]->inputs_length > most)
            most = m->places[i]->inputs_length;
    return most;
}

static enum t2_status begin(const struct values *v, int32_t n, int32_t inputs_length,
                            struct in_item *item, struct rooms *to, struct t2_err *err)
{
    const struct in_recipe *r = v->recipe;
    struct mdl_batch *b = &item->batch;
    size_t rows = (size_t) n, ids = rows * (size_t) inputs_length * sizeof *to->inputs;
    bool table = r->n_numbers > 0, values = r->target != MDL_TARGET_IDS;

    *to = (struct rooms){0};
    *b = (struct mdl_batch){.batch = n, .targets_length = 1};
    if (table) {
        b->height = b->width = 1;
        b->channels = r->n_numbers;
        b->images = to->numbers =
            in_item_room(item, IN_IMAGES, rows * (size_t) r->n_numbers * sizeof *to->numbers, 0);
    } else {
        b->inputs_length = inputs_length;
        b->inputs = to->inputs = in_item_room(item, IN_INPUTS, ids, ids / 4);
    }
    if (values) {
        b->n_values = r->targets_vocab;
        b->values = to->target_values =
            in_item_room(item, IN_VALUES,
                         rows * (size_t) r->targets_vocab * sizeof *to->target_values, 0);
    } else {
        b->targets = to->labels = in_item_room(item, IN_TARGETS, rows * sizeof *to->labels, 256);
    }
    if ((!to->numbers && !to->inputs) || (!to->target_values && !to->labels))
        return t2_fail(err, T2_ENOMEM, "no memory for a batch of %" PRId32 " rows of values", n);
    if (to->inputs)
        memset(to->inputs, 0, ids);
    return T2_OK;
}

static void put_sample(const struct in_recipe *r, const struct in_sample *s, size_t row,
                       int32_t inputs_length, const struct rooms *to)
{
    size_t numbers = (size_t) r->n_numbers, values = (size_t) r->targets_vocab;

    if (to->numbers)
        memcpy(to->numbers + row * numbers, s->numbers, numbers * sizeof *s->numbers);
    else if (s->inputs_length > 0)
        memcpy(to->inputs + row * (size_t) inputs_length, s->inputs,
               (size_t) s->inputs_length * sizeof *s->inputs);
    if (to->target_values)
        memcpy(to->target_values + row * values, s->target_values,
               values * sizeof *s->target_values);
    else
        to->labels[row] = s->targets[0];
}

static enum t2_status make(void *state, const struct in_members *m, struct in_span rows,
                           struct in_item *item, struct t2_err *err)
{
    struct values *v = state;
    int32_t inputs_length = longest(v, m);
    struct rooms to;

    T2_TRY(begin(v, rows.n, inputs_length, item, &to, err));
    for (int32_t i = 0; i < rows.n; i++) {
        const struct in_sample *s;
        size_t begins;

        T2_TRY(in_sample_read(v->reader, m->places[rows.first + i], &s, &begins, err));
        put_sample(v->recipe, s, (size_t) i, inputs_length, &to);
    }
    return T2_OK;
}

static void release(void *state)
{
    struct values *v = state;

    in_sample_reader_free(v->reader);
    t2_free(v);
}

static const struct in_maker_kind kind = {.make = make, .free = release};

void in_value_maker(const struct in_index *index, const struct in_recipe *recipe,
                    struct in_batch_maker *maker)
{
    struct values *v = t2_alloc(1, sizeof *v);

    v->recipe = recipe;
    v->reader = in_sample_reader_new(index, recipe);
    *maker = (struct in_batch_maker){.kind = &kind, .state = v};
}
