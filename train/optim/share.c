/*
 * train/optim/share.c - a part of an optimizer's state, where ranks share it (optimizer.h).
 *
 * The part of the arena that is trained is cut where a piece of a variable begins, so a piece has
 * one owner; what lies behind it (frozen variables and states) is the last share's.  The kernels
 * that work from element to element get their arenas from the first float of the part on, and
 * pieces whose offsets begin there.
 */
#include "base/alloc.h"
#include "train/device/device.h"
#include "train/graph/layouts.h"
#include "train/optim/method.h"

/* ---- parts ---- */

static int64_t trained_floats(const struct gr_params *p)
{
    return p->n_trained_floats > 0 ? p->n_trained_floats : p->n_floats;
}

/* Where parts may meet, at or in front of a float; between variables anywhere. */
static int64_t cut_before(const struct gr_params *p, int64_t at)
{
    for (int i = 0; i < p->n_variables; i++) {
        const struct gr_variable *v = &p->variables[i];
        int64_t inside = at - v->offset;

        if (inside <= 0 || inside >= v->n)
            continue;
        if (!gr_is_laid(p, v))
            return v->offset + inside / DEV_PIECE_FLOATS * DEV_PIECE_FLOATS;
        return 2 * inside > v->n ? v->offset + v->n : v->offset;
    }
    return at;
}

/* The first float of share k of n; k == n: the end of the arena. */
static int64_t part_begin(const struct gr_params *p, int k, int n)
{
    int64_t trained = trained_floats(p);

    return k == n ? p->n_floats : cut_before(p, (trained / n) * k + trained % n * k / n);
}

void opt_share_floats(const struct gr_params *params, struct opt_share share, int64_t *first,
                      int64_t *end)
{
    *first = part_begin(params, share.index, share.n);
    *end = part_begin(params, share.index + 1, share.n);
}

struct opt_share opt_share_of(const struct opt_optimizer *o)
{
    return o->share;
}

void opt_cut_arena(struct opt_optimizer *o)
{
    o->cuts = t2_alloc((size_t) o->share.n + 1, sizeof *o->cuts);
    for (int k = 0; k <= o->share.n; k++)
        o->cuts[k] = part_begin(o->params, k, o->share.n);
    o->first = o->cuts[o->share.index];
    o->end = o->cuts[o->share.index + 1];
}

/* At least one, as no memory is no address. */
static int64_t floats_up_to(const struct opt_optimizer *o, int64_t end)
{
    return end > o->first ? end - o->first : 1;
}

int64_t opt_part_floats(const struct opt_optimizer *o)
{
    return floats_up_to(o, o->end);
}

int64_t opt_trained_part_floats(const struct opt_optimizer *o)
{
    int64_t trained = trained_floats(o->params);

    return floats_up_to(o, o->end < trained ? o->end : trained);
}

/* ---- slots ---- */

static int64_t within(int64_t at, int64_t n)
{
    return at < 0 ? 0 : at > n ? n : at;
}

void opt_part_of_slot(const struct opt_optimizer *o, size_t i, int share, int64_t *first,
                      int64_t *end)
{
    const struct opt_slot *s = &o->named_slots[i];

    *first = 0;
    *end = share == 0 ? s->n : 0; /* nobody's: every share has it */
    if (o->share.n == 1 || !s->like)
        return;
    *first = within(o->cuts[share] - s->like->offset, s->n);
    *end = within(o->cuts[share + 1] - s->like->offset, s->n);
}
