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

/* ---- slots of all shares ---- */

void opt_set_peers(struct opt_optimizer *o, const struct opt_peers *peers)
{
    o->peers = peers ? *peers : (struct opt_peers){0};
}

enum t2_status opt_begin_reading(const struct opt_optimizer *o, struct t2_err *err)
{
    return o->share.n > 1 ? o->peers.begin(o->peers.context, err) : T2_OK;
}

/* Elements of a slot. */
struct elements {
    int64_t first, end;
};

/* Those of a slot that are among a and belong to a share. */
static struct elements part_of(const struct opt_optimizer *o, const struct opt_slot *s, int share,
                               struct elements a)
{
    int64_t first, end;

    if (!s->like) /* nobody's: every share has it */
        return share == o->share.index ? a : (struct elements){0, 0};
    first = o->cuts[share] - s->like->offset;
    end = o->cuts[share + 1] - s->like->offset;
    return (struct elements){first > a.first ? first : a.first, end < a.end ? end : a.end};
}

static void read_own(const struct opt_optimizer *o, const struct opt_slot *s, struct elements part,
                     float *to)
{
    gr_download(o->params, s->like, s->values, part.first - s->first, to, part.end - part.first);
}

enum t2_status opt_read_slot(const struct opt_optimizer *o, size_t i, int64_t at, int64_t n,
                             float *to, struct t2_err *err)
{
    const struct opt_slot *s = &o->named_slots[i];

    for (int k = 0; k < o->share.n; k++) {
        struct elements part = part_of(o, s, k, (struct elements){at, at + n});

        if (part.first >= part.end)
            continue;
        if (k == o->share.index)
            read_own(o, s, part, to + (part.first - at));
        else
            T2_TRY(o->peers.receive(o->peers.context, k, to + (part.first - at),
                                    (size_t) (part.end - part.first) * sizeof *to, err));
    }
    return T2_OK;
}

int64_t opt_own_part(const struct opt_optimizer *o, size_t i, int64_t at, int64_t n, float *to)
{
    const struct opt_slot *s = &o->named_slots[i];
    struct elements part = part_of(o, s, o->share.index, (struct elements){at, at + n});

    if (part.first >= part.end)
        return 0;
    read_own(o, s, part, to);
    return part.end - part.first;
}
