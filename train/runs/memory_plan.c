/*
 * train/runs/memory_plan.c - the memory that a run needs, and the batch size that fits.
 *
 * sum = variables + gradients + slots + arena + data + program.  All but the last are known
 * exactly: the graphs of all batch shapes are built and planned without running them.  The
 * program's own part is measured when the device is open, plus what is allocated later: stacks and
 * packing per thread, code that oneDNN writes.  --batch_size=auto is a search over multiples of a
 * step, doubling and then halving the interval, with the same sum; nothing is tried out.
 */
#include "train/runs/memory_plan.h"

#include <inttypes.h>

#include "base/alloc.h"
#include "base/memory_available.h"
#include "base/progress.h"
#include "base/signals.h"

static uint64_t data_bytes(const struct tr_run *r)
{
    return (r->train ? in_stats_of(r->train).memory_bytes : 0) +
           (r->eval ? in_stats_of(r->eval).memory_bytes : 0);
}

/* The part of data_bytes that is allocated with the first batch; hp: with another batch_size, or
 * NULL. */
static uint64_t later_bytes(const struct tr_run *r, const struct mdl_hparams *hp)
{
    const struct in_input *const inputs[] = {r->train, r->eval};
    uint64_t bytes = 0;

    for (int i = 0; i < 2; i++)
        if (inputs[i])
            bytes += hp ? in_later_bytes(inputs[i], hp) : in_stats_of(inputs[i]).later_bytes;
    return bytes;
}

uint64_t tr_program_bytes(const struct dev *dev, uint64_t now_bytes)
{
    enum { MIB = 1 << 20 };
    /* stacks and what products pack; and graphs, buffers of files, code that oneDNN writes */
    enum { PER_THREAD = MIB, ONCE = 7 * MIB };

    return ONCE + (now_bytes + MIB - 1) / MIB * MIB +
           (uint64_t) (dev->pool ? t2_pool_threads(dev->pool) : 1) * PER_THREAD +
           (dev->library_bytes ? dev->library_bytes(dev) : 0);
}

void tr_measure_program(struct tr_run *r)
{
    uint64_t now = t2_memory_resident(), data = data_bytes(r) - later_bytes(r, NULL);

    r->program_bytes = tr_program_bytes(r->dev, now > data ? now - data : 0);
}

struct tr_memory tr_memory_of(const struct tr_run *r)
{
    struct tr_memory m = {.parameters = (uint64_t) mdl_params(r->model)->n_floats * sizeof(float),
                          .optimizer = r->optimizer_bytes,
                          .activations = r->arena_bytes,
                          .data = data_bytes(r),
                          .program = r->program_bytes};

    if (r->options.train)
        m.gradients = m.parameters;
    m.sum = m.parameters + m.gradients + m.optimizer + m.activations + m.data + m.program;
    return m;
}

static enum t2_status arena_of(struct tr_run *r, enum mdl_mode mode, const struct in_input *in,
                               const struct mdl_hparams *hp, uint64_t *arena_bytes,
                               struct t2_err *err)
{
    struct mdl_shape *shapes;
    enum t2_status st;
    size_t n;

    *arena_bytes = 0;
    if (!in)
        return T2_OK;
    T2_TRY(in_shapes(in, hp, &shapes, &n, err));
    st = mdl_plan_bytes(r->model, mode, shapes, n, arena_bytes, err);
    t2_free(shapes);
    return st;
}

enum t2_status tr_arena_bytes(struct tr_run *r, const struct mdl_hparams *hp, uint64_t *arena_bytes,
                              struct t2_err *err)
{
    uint64_t of_eval;

    T2_TRY(arena_of(r, MDL_TRAIN, r->train, hp, arena_bytes, err));
    T2_TRY(arena_of(r, MDL_EVAL, r->eval, hp, &of_eval, err));
    if (of_eval > *arena_bytes)
        *arena_bytes = of_eval;
    return T2_OK;
}

/* A batch of training must not be larger than an epoch: neither in samples nor in ids. */
static enum t2_status is_within_epoch(struct tr_run *r, const struct mdl_hparams *hp, bool *within,
                                      struct t2_err *err)
{
    struct mdl_shape *shapes;
    size_t n;

    *within = true;
    if (!r->train)
        return T2_OK;
    if (r->data.problem.image.height == 0 &&
        (uint64_t) mdl_hp_int(hp, "batch_size") > in_stats_of(r->train).n_longer_tokens)
        *within = false;
    T2_TRY(in_shapes(r->train, hp, &shapes, &n, err));
    for (size_t i = 0; i < n; i++)
        *within &= (uint64_t) shapes[i].batch <= in_stats_of(r->train).n_kept;
    t2_free(shapes);
    return T2_OK;
}

/* Sets *may to false if this batch size does not fit; no graph is built for more than an epoch. */
static enum t2_status may_choose(struct tr_run *r, int64_t batch_size, bool *may,
                                 struct t2_err *err)
{
    struct mdl_hparams *hp = mdl_hparams_copy(r->hp);
    uint64_t arena = 0, sum;
    enum t2_status st;

    mdl_hp_set_int(hp, "batch_size", batch_size);
    st = is_within_epoch(r, hp, may, err);
    if (batch_size == tr_batch_size_step(r)) /* there is no smaller one */
        *may = true;
    if (st == T2_OK && *may) {
        st = tr_arena_bytes(r, hp, &arena, err);
        sum = tr_memory_of(r).sum - r->arena_bytes + arena - later_bytes(r, NULL) +
              later_bytes(r, hp);
        *may = sum <= r->memory_limit;
    }
    mdl_hparams_free(hp);
    return st == T2_OK ? t2_check_interrupt(err) : st;
}

int64_t tr_batch_size_step(const struct tr_run *r)
{
    return r->data.problem.image.height > 0 ? 1 : TR_BATCH_SIZE_STEP;
}

enum t2_status tr_fit_batch_size(struct tr_run *r, int64_t *batch_size, struct t2_err *err)
{
    enum { MOST = 1 << 14 };     /* steps: a million tokens */
    int64_t fits = 0, fails = 1; /* in steps */
    const int64_t step = tr_batch_size_step(r);
    bool may;

    for (; fails <= MOST; fails *= 2) {
        T2_TRY(may_choose(r, fails * step, &may, err));
        if (!may)
            break;
        fits = fails;
    }
    while (fails - fits > 1) {
        int64_t middle = fits + (fails - fits) / 2;

        T2_TRY(may_choose(r, middle * step, &may, err));
        if (may)
            fits = middle;
        else
            fails = middle;
    }
    *batch_size = fits * step;
    return T2_OK;
}

static enum t2_status fail_model(const struct tr_run *r, uint64_t needed_bytes, struct t2_err *err)
{
    char needed[32], limit[32];

    return t2_fail(err, T2_ENOMEM,
                   "the model needs %s before the first batch, and there are %s of memory; take a "
                   "smaller --hparams_set",
                   t2_human_bytes(needed_bytes, needed, sizeof needed),
                   t2_human_bytes(r->memory_limit, limit, sizeof limit));
}

enum t2_status tr_check_variables(const struct tr_run *r, struct t2_err *err)
{
    struct tr_memory m = tr_memory_of(r);

    return m.sum <= r->memory_limit ? T2_OK : fail_model(r, m.sum, err);
}

enum t2_status tr_check_memory(struct tr_run *r, struct t2_err *err)
{
    struct tr_memory m = tr_memory_of(r);
    char needed[32], limit[32];
    int64_t fits;

    if (m.sum <= r->memory_limit)
        return T2_OK;
    T2_TRY(tr_fit_batch_size(r, &fits, err));
    t2_human_bytes(m.sum, needed, sizeof needed);
    t2_human_bytes(r->memory_limit, limit, sizeof limit);
    if (fits > 0)
        return t2_fail(err, T2_ENOMEM,
                       "batch_size=%" PRId64 " needs %s of memory, and there are %s; "
                       "--batch_size=%" PRId64 " fits (auto finds it)%s",
                       mdl_hp_int(r->hp, "batch_size"), needed, limit, fits,
                       r->options.train && !r->options.remat
                           ? ", or more with --remat=layer, which needs less and takes longer"
                           : "");
    return fail_model(r, m.sum - m.activations, err);
}
