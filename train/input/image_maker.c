/*
 * train/input/image_maker.c - batches of images, in training mixed of two where the recipe says so;
 * with labels, or with the ids of their texts.
 */
#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "train/input/batch_maker.h"
#include "train/input/image_batch.h"

struct images {
    const struct in_index *index;
    const struct in_image_recipe *recipe;
    struct in_images *reader;
    bool mixed, describes;
    uint64_t seed;
    float *byte_values; /* (C, 256); NULL: images are floats */
    /* partners of this rank's rows that other ranks have; made and forgotten */
    struct in_partners {
        float *images;   /* (capacity, H, W, C); NULL until a batch is mixed with them */
        int32_t *labels; /* (label_capacity) */
        int32_t capacity, label_capacity;
    } partners;
};

static size_t values_of(const struct in_image_recipe *r)
{
    return (size_t) r->size * (size_t) r->size * (size_t) r->channels;
}

static enum t2_status no_memory(const struct in_image_recipe *r, int32_t n, struct t2_err *err)
{
    return t2_fail(err, T2_ENOMEM,
                   "no memory for a batch of %" PRId32 " images of %" PRId32 " x %" PRId32
                   " x %" PRId32,
                   n, r->size, r->size, r->channels);
}

/* Of the longest text of all ranks. */
static int32_t longest_text(const struct in_members *m)
{
    int32_t longest = 1;

    for (int32_t i = 0; i < m->n_rows; i++)
        if (m->places[i]->targets_length > longest)
            longest = m->places[i]->targets_length;
    return longest;
}

/* Room for labels (n, 1), or for texts, full of zeros. */
static enum t2_status begin_targets(struct images *p, struct in_item *item,
                                    struct in_image_rows *to, int32_t **labels, struct t2_err *err)
{
    struct mdl_batch *b = &item->batch;
    size_t n_bytes = (size_t) b->batch * (size_t) b->targets_length * sizeof **labels;
    int32_t *targets = in_item_room(item, IN_TARGETS, n_bytes, 256);

    b->targets = targets;
    if (!targets)
        return no_memory(p->recipe, b->batch, err);
    if (!p->describes) {
        *labels = targets;
        return T2_OK;
    }
    memset(targets, 0, n_bytes);
    to->ids = targets;
    to->ids_length = b->targets_length;
    return T2_OK;
}

/* item->batch with room for its images, and where they go. */
static enum t2_status begin(struct images *p, const struct in_members *m, int32_t n,
                            struct in_item *item, struct in_image_rows *to, int32_t **labels,
                            struct t2_err *err)
{
    const struct in_image_recipe *r = p->recipe;
    size_t values = (size_t) n * values_of(r);
    struct mdl_batch *b = &item->batch;

    *b = (struct mdl_batch){.batch = n,
                            .inputs_length = p->describes ? r->size * r->size : 0,
                            .targets_length = p->describes ? longest_text(m) : 1,
                            .height = r->size,
                            .width = r->size,
                            .channels = r->channels};
    if (p->byte_values) {
        size_t table = (size_t) r->channels * 256 * sizeof *p->byte_values;
        float *copy = in_item_room(item, IN_BYTE_VALUES, table, 0);

        b->image_bytes = to->bytes = in_item_room(item, IN_IMAGE_BYTES, values, 0);
        b->mirrored = to->mirrored = in_item_room(item, IN_MIRRORED, (size_t) n, 0);
        if (!copy || !b->mirrored)
            return no_memory(r, n, err);
        memcpy(copy, p->byte_values, table);
        b->byte_values = copy;
    } else {
        b->images = to->floats = in_item_room(item, IN_IMAGES, values * sizeof(float), 0);
    }
    if (!b->images && !b->image_bytes)
        return no_memory(r, n, err);
    return begin_targets(p, item, to, labels, err);
}

/* Partners that other ranks have: their labels, and their images where the batch is mixed. */
static enum t2_status read_partners(struct images *p, const struct in_members *m,
                                    struct in_span rows, bool pixels, struct t2_err *err)
{
    struct in_partners *q = &p->partners;

    if (rows.n > q->label_capacity) {
        q->label_capacity = rows.n;
        q->labels = t2_realloc(q->labels, (size_t) rows.n, sizeof *q->labels);
    }
    if (pixels && rows.n > q->capacity) {
        t2_free(q->images);
        q->images = t2_try_alloc((size_t) rows.n * values_of(p->recipe), sizeof *q->images);
        q->capacity = q->images ? rows.n : 0;
        if (!q->images)
            return no_memory(p->recipe, rows.n, err);
    }
    if (rows.n == 0)
        return T2_OK;
    return in_images_read(p->reader, m->places + rows.first, m->epochs + rows.first, rows.n,
                          (struct in_image_rows){.floats = pixels ? q->images : NULL}, q->labels,
                          err);
}

static enum t2_status mix(struct images *p, const struct in_members *m, struct in_span rows,
                          float *images, struct in_item *item, struct t2_err *err)
{
    const struct in_image_recipe *r = p->recipe;
    const struct in_mix_name name = {p->seed, m->epochs[0],
                                     (uint64_t) (m->places[0] - p->index->places)};
    struct in_mix_batch mixed = {.n_all = m->n_rows,
                                 .size = r->size,
                                 .channels = r->channels,
                                 .own = rows,
                                 .partners = in_mix_partners(m->n_rows, rows),
                                 .images = images,
                                 .labels = item->batch.targets};
    size_t n = (size_t) rows.n;

    T2_TRY(read_partners(p, m, mixed.partners, in_mix_happens(&r->mix, &name), err));
    mixed.partner_images = p->partners.images;
    mixed.partner_labels = p->partners.labels;
    mixed.other = in_item_room(item, IN_OTHER_LABELS, n * sizeof *mixed.other, 256);
    mixed.weights = in_item_room(item, IN_LABEL_WEIGHTS, n * sizeof *mixed.weights, 256);
    if (!mixed.other || !mixed.weights)
        return no_memory(r, rows.n, err);
    in_mix_images(&r->mix, &name, &mixed);
    item->batch.other_labels = mixed.other;
    item->batch.label_weights = mixed.weights;
    return T2_OK;
}

static enum t2_status make(void *state, const struct in_members *m, struct in_span rows,
                           struct in_item *item, struct t2_err *err)
{
    struct images *p = state;
    struct in_image_rows to = {0};
    int32_t *labels = NULL;

    T2_TRY(begin(p, m, rows.n, item, &to, &labels, err));
    if (rows.n > 0)
        T2_TRY(in_images_read(p->reader, m->places + rows.first, m->epochs + rows.first, rows.n, to,
                              labels, err));
    return p->mixed ? mix(p, m, rows, to.floats, item, err) : T2_OK;
}

static void release(void *state)
{
    struct images *p = state;

    in_images_free(p->reader);
    t2_free(p->byte_values);
    t2_free(p->partners.images);
    t2_free(p->partners.labels);
    t2_free(p);
}

static const struct in_maker_kind kind = {.make = make, .free = release};

bool in_image_rule_bytes(const struct in_image_recipe *r, const struct in_image_rule *rule)
{
    bool mixed = rule->training && in_mix_wanted(&r->mix);

    return rule->as_bytes && !mixed && in_image_has_bytes(r, rule->training);
}

void in_image_maker(const struct in_index *index, const struct in_recipe *recipe,
                    const struct in_image_rule *rule, struct in_batch_maker *maker)
{
    const struct in_image_recipe *r = recipe->images;
    struct images *p = t2_alloc(1, sizeof *p);

    if (in_image_rule_bytes(r, rule)) {
        p->byte_values = t2_alloc((size_t) r->channels * 256, sizeof *p->byte_values);
        in_image_byte_values(r, rule->training, p->byte_values);
    }
    p->index = index;
    p->recipe = r;
    p->reader = in_images_new(index, recipe, rule->training, rule->seed, rule->num_threads);
    p->mixed = rule->training && in_mix_wanted(&r->mix);
    p->describes = recipe->describes;
    p->seed = rule->seed;
    *maker = (struct in_batch_maker){.kind = &kind, .state = p};
}
