/*
 * train/optim/slots.c - device memory, arenas of slots and their names: what the update rules,
 * lookahead and moving averages ask for.
 */
#include "train/optim/method.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "train/device/device.h"

void *opt_alloc(struct opt_optimizer *o, size_t bytes, struct t2_err *err)
{
    char what[64];
    void *block;

    snprintf(what, sizeof what, "the state of optimizer '%s'", o->method->name);
    o->planned_bytes += bytes;
    if (o->planning)
        return o;
    T2_ASSERT(o->n_blocks < OPT_MAX_BLOCKS);
    block = o->params->dev->alloc(o->params->dev, bytes);
    if (!block)
        dev_fail_memory(o->params->dev, bytes, what, NULL, err);
    else
        o->blocks[o->n_blocks++] = block;
    return block;
}

void *opt_upload(struct opt_optimizer *o, const void *from, size_t bytes, struct t2_err *err)
{
    void *block = opt_alloc(o, bytes, err);

    if (block && !o->planning)
        o->params->dev->upload_now(o->params->dev, block, from, bytes);
    return block;
}

/* Takes ownership of name. */
static struct opt_slot *push_slot(struct opt_optimizer *o, char *name, int rank,
                                  const int64_t *dims, float *block, int64_t at)
{
    struct opt_slot *s;

    if (o->n_named_slots == o->named_slots_capacity) {
        o->named_slots_capacity = o->named_slots_capacity ? 2 * o->named_slots_capacity : 256;
        o->named_slots =
            t2_realloc(o->named_slots, o->named_slots_capacity, sizeof *o->named_slots);
    }
    s = &o->named_slots[o->n_named_slots++];
    memset(s, 0, sizeof *s);
    t2_strs_take(&o->slot_names, name);
    s->name = name;
    s->rank = rank;
    s->n = 1;
    for (int i = 0; i < rank; i++) {
        s->dims[i] = dims[i];
        s->n *= dims[i];
    }
    s->n_here = s->n;
    s->values = o->planning ? NULL : block + at;
    return s;
}

void opt_add_slot(struct opt_optimizer *o, const struct gr_variable *v, enum opt_sign sign,
                  int rank, const int64_t *dims, float *block, int64_t at)
{
    struct opt_slot *s;
    char *first = t2_asprintf("training/%s/%s", v->name, o->method->slot);
    size_t earlier = 0, length = strlen(first);

    for (size_t i = 0; i < o->n_named_slots; i++) {
        const char *name = o->named_slots[i].name;

        earlier +=
            strncmp(name, first, length) == 0 && (name[length] == '\0' || name[length] == '_');
    }
    s = push_slot(o, earlier ? t2_asprintf("%s_%zu", first, earlier) : t2_strdup(first), rank, dims,
                  block, at);
    s->n_unsigned = sign == OPT_UNSIGNED ? s->n : 0;
    t2_free(first);
}

void opt_add_named_slot(struct opt_optimizer *o, const char *name, int64_t n, int64_t n_unsigned,
                        float *block)
{
    push_slot(o, t2_strdup(name), 1, &n, block, 0)->n_unsigned = n_unsigned;
}

/* The slot is of a variable, in an arena of the share's part. */
static void place(const struct opt_optimizer *o, struct opt_slot *s, const struct gr_variable *v,
                  float *block)
{
    int64_t first = v->offset > o->first ? v->offset : o->first;
    int64_t end = v->offset + v->n < o->end ? v->offset + v->n : o->end;

    s->like = v;
    s->first = first < end ? first - v->offset : 0;
    s->n_here = first < end ? end - first : 0;
    s->values = o->planning || first >= end ? NULL : block + (first - o->first);
}

void opt_add_shaped_slot(struct opt_optimizer *o, const char *name, const struct gr_variable *v,
                         float *block)
{
    place(o, push_slot(o, t2_strdup(name), v->rank, v->dims, block, 0), v, block);
}

/* n floats of device memory that are `x`. */
static void fill(struct dev *d, float *to, int64_t n, float x)
{
    float piece[1024];
    const int64_t size = (int64_t) (sizeof piece / sizeof *piece);

    for (int64_t i = 0; i < size; i++)
        piece[i] = x;
    for (int64_t at = 0; at < n; at += size)
        d->upload_now(d, to + at, piece, (size_t) (n - at < size ? n - at : size) * sizeof *piece);
}

enum t2_status opt_add_slots(struct opt_optimizer *o, int i, enum opt_sign sign, float initial,
                             struct t2_err *err)
{
    const struct gr_params *params = o->params;

    T2_ASSERT(i < DEV_MAX_SLOTS && !o->slots[i] && (i == 0 || o->slots[i - 1]));
    o->slots[i] = opt_alloc(o, (size_t) opt_trained_part_floats(o) * sizeof(float), err);
    if (!o->slots[i])
        return T2_ENOMEM;
    for (int k = 0; k < params->n_variables; k++) {
        const struct gr_variable *v = &params->variables[k];
        struct opt_slot *s;

        if (!v->trainable)
            continue;
        opt_add_slot(o, v, sign, v->rank, v->dims, o->slots[i], 0);
        s = &o->named_slots[o->n_named_slots - 1];
        place(o, s, v, o->slots[i]);
        if (initial != 0.0F && s->values)
            fill(params->dev, s->values, s->n_here, initial);
    }
    return T2_OK;
}

size_t opt_slot_count(const struct opt_optimizer *o)
{
    return o->n_named_slots;
}

struct opt_slot opt_slot_at(const struct opt_optimizer *o, size_t i)
{
    T2_ASSERT(i < o->n_named_slots);
    return o->named_slots[i];
}
