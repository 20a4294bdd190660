/*
 * train/optim/slots.c - arenas of slots and their names, and the loop over pieces: what the update
 * rules, lookahead and moving averages ask for.
 */
#include "train/optim/method.h"

#include <string.h>

#include "base/alloc.h"
#include "base/pool.h"
#include "train/device/device.h"

float *opt_alloc(struct opt_optimizer *o, int64_t n_floats, struct t2_err *err)
{
    size_t bytes = (size_t) n_floats * sizeof(float);
    float *arena = o->params->dev->alloc(o->params->dev, bytes);
    char human[32];

    if (!arena)
        t2_fail(err, T2_ENOMEM, "not enough memory for the state of optimizer '%s' (%s more)",
                o->method->name, t2_human_bytes(bytes, human, sizeof human));
    return arena;
}

/* Takes ownership of name. */
static struct opt_slot *push_slot(struct opt_optimizer *o, char *name, int rank,
                                  const int64_t *dims, float *values)
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
    s->values = values;
    return s;
}

void opt_add_slot(struct opt_optimizer *o, const struct gr_variable *v, enum opt_sign sign,
                  int rank, const int64_t *dims, float *values)
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
                  values);
    s->n_unsigned = sign == OPT_UNSIGNED ? s->n : 0;
    t2_free(first);
}

void opt_add_named_slot(struct opt_optimizer *o, const char *name, int64_t n, int64_t n_unsigned,
                        float *values)
{
    push_slot(o, t2_strdup(name), 1, &n, values)->n_unsigned = n_unsigned;
}

void opt_add_shaped_slot(struct opt_optimizer *o, const char *name, int rank, const int64_t *dims,
                         float *values)
{
    (void) push_slot(o, t2_strdup(name), rank, dims, values);
}

enum t2_status opt_add_slots(struct opt_optimizer *o, int i, enum opt_sign sign, float initial,
                             struct t2_err *err)
{
    const struct gr_params *params = o->params;

    T2_ASSERT(i < OPT_MAX_SLOTS && !o->slots[i] && (i == 0 || o->slots[i - 1]));
    o->slots[i] = opt_alloc(o, params->n_floats, err);
    if (!o->slots[i])
        return T2_ENOMEM;
    for (int k = 0; k < params->n_variables; k++) {
        const struct gr_variable *v = &params->variables[k];
        float *values = o->slots[i] + v->offset;

        if (!v->trainable)
            continue;
        if (initial != 0.0F) {
            for (int64_t j = 0; j < v->n; j++)
                values[j] = initial;
        }
        opt_add_slot(o, v, sign, v->rank, v->dims, values);
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

void opt_run(const struct opt_optimizer *o, int64_t n, void (*fn)(void *arg, int64_t i, int worker),
             void *arg)
{
    struct t2_pool *pool = o->params->dev->pool;

    if (pool) {
        t2_pool_run(pool, n, fn, arg);
    } else {
        for (int64_t i = 0; i < n; i++)
            fn(arg, i, 0);
    }
}
