/*
 * train/input/sentence_maker.c - batches of BERT's records: ids and of which text each is, and a
 * label, what was masked where, or where an answer is.
 */
#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "train/input/batch_maker.h"
#include "train/input/sample_reader.h"

struct sentences {
    const struct in_recipe *recipe;
    struct in_sample_reader *reader;
};

/* Where the rows of this rank go; shapes are those of struct mdl_batch. */
struct rooms {
    int32_t *inputs, *types, *targets, *positions, *labels;
};

static void longest(const struct in_members *m, int32_t *inputs, int32_t *targets)
{
    *inputs = *targets = 1;
    for (int32_t i = 0; i < m->n_rows; i++) {
        if (m->places[i]->inputs_length > *inputs)
            *inputs = m->places[i]->inputs_length;
        if (m->places[i]->targets_length > *targets)
            *targets = m->places[i]->targets_length;
    }
}

/* n ids that are 0; NULL: there is no memory. */
static int32_t *zeros(struct in_item *item, enum in_block_name name, size_t n)
{
    int32_t *room = in_item_room(item, name, n * sizeof *room, n);

    if (room)
        memset(room, 0, n * sizeof *room);
    return room;
}

static enum t2_status begin(const struct in_recipe *r, struct in_item *item, struct rooms *to,
                            struct t2_err *err)
{
    struct mdl_batch *b = &item->batch;
    size_t rows = (size_t) b->batch, inputs = rows * (size_t) b->inputs_length;
    size_t targets = rows * (size_t) b->targets_length;
    bool masked = r->sentences == MDL_SENTENCES_MASKED, ok;

    *to = (struct rooms){0};
    b->inputs = to->inputs = zeros(item, IN_INPUTS, inputs);
    b->types = to->types = zeros(item, IN_TYPES, inputs);
    b->targets = to->targets = zeros(item, IN_TARGETS, targets);
    ok = to->inputs && to->types && to->targets;
    if (ok && masked) {
        b->masked_positions = to->positions = zeros(item, IN_MASKED_POSITIONS, targets);
        ok = to->positions != NULL;
    }
    if (ok && r->sentence_label) {
        b->sentence_labels = to->labels = zeros(item, IN_SENTENCE_LABELS, rows);
        ok = to->labels != NULL;
    }
    return ok ? T2_OK
              : t2_fail(err, T2_ENOMEM, "no memory for a batch of %" PRId32 " rows of sentences",
                        b->batch);
}

static void copy(int32_t *to, const int32_t *from, int32_t n)
{
    if (to && n > 0)
        memcpy(to, from, (size_t) n * sizeof *to);
}

static void put_sample(const struct in_sample *s, size_t row, const struct mdl_batch *b,
                       const struct rooms *to)
{
    size_t inputs = row * (size_t) b->inputs_length, targets = row * (size_t) b->targets_length;

    copy(to->inputs + inputs, s->inputs, s->inputs_length);
    copy(to->types + inputs, s->inputs_segmentation, s->inputs_length);
    copy(to->targets + targets, s->targets, s->targets_length);
    if (to->positions)
        copy(to->positions + targets, s->targets_position, s->targets_length);
    if (to->labels)
        to->labels[row] = s->sentence_label;
}

static enum t2_status make(void *state, const struct in_members *m, struct in_span rows,
                           struct in_item *item, struct t2_err *err)
{
    struct sentences *t = state;
    struct mdl_batch *b = &item->batch;
    struct rooms to;

    *b = (struct mdl_batch){.batch = rows.n};
    longest(m, &b->inputs_length, &b->targets_length);
    if (t->recipe->sentences == MDL_SENTENCES_MASKED && t->recipe->max_targets > 0)
        b->targets_length = t->recipe->max_targets; /* fewer shapes */
    if (t->recipe->sentences == MDL_SENTENCES_ANSWERED)
        b->inputs_length = t->recipe->max_inputs; /* the softmax is over padding, too */
    T2_TRY(begin(t->recipe, item, &to, err));
    for (int32_t i = 0; i < rows.n; i++) {
        const struct in_sample *s;
        size_t begins;

        T2_TRY(in_sample_read(t->reader, m->places[rows.first + i], &s, &begins, err));
        put_sample(s, (size_t) i, b, &to);
    }
    return T2_OK;
}

static void release(void *state)
{
    struct sentences *t = state;

    in_sample_reader_free(t->reader);
    t2_free(t);
}

static const struct in_maker_kind kind = {.make = make, .free = release};

void in_sentence_maker(const struct in_index *index, const struct in_recipe *recipe,
                       struct in_batch_maker *maker)
{
    struct sentences *t = t2_alloc(1, sizeof *t);

    t->recipe = recipe;
    t->reader = in_sample_reader_new(index, recipe);
    *maker = (struct in_batch_maker){.kind = &kind, .state = t};
}
