/*
 * train/runs/shared_optimizer.c - see the header.
 */
#include "train/runs/shared_optimizer.h"

#include "base/alloc.h"
#include "train/runs/data_shards.h"
#include "train/runs/not_finite.h"
#include "train/runs/ranks.h"

struct opt_share tr_share(const struct tr_run *r)
{
    if (!r->options.shard_optimizer || !r->options.train)
        return (struct opt_share){0, 1};
    return (struct opt_share){dist_rank(r->dist), dist_size(r->dist)};
}

static bool is_shared(const struct tr_run *r)
{
    return tr_share(r).n > 1;
}

/* ---- values ---- */

enum t2_status tr_share_gather_values(struct tr_run *r, struct t2_err *err)
{
    struct opt_share share = tr_share(r);
    size_t *at, *bytes;
    enum t2_status st;

    if (share.n == 1)
        return T2_OK;
    at = t2_alloc((size_t) share.n, sizeof *at);
    bytes = t2_alloc((size_t) share.n, sizeof *bytes);
    for (int k = 0; k < share.n; k++) {
        int64_t first, end;

        opt_share_floats(mdl_params(r->model), (struct opt_share){k, share.n}, &first, &end);
        at[k] = (size_t) first * sizeof(float);
        bytes[k] = (size_t) (end - first) * sizeof(float);
    }
    st = tr_shards_gather_values(r->shards, at, bytes, err);
    t2_free(at);
    t2_free(bytes);
    return st;
}

enum t2_status tr_share_swap_averages(struct tr_run *r, struct t2_err *err)
{
    if (!r->opt || !opt_swap_averages(r->opt))
        return T2_OK;
    return tr_share_gather_values(r, err);
}

/* ---- checkpoints ---- */

enum t2_status tr_share_check_finite(struct tr_run *r, struct t2_err *err)
{
    enum t2_status st = tr_check_finite(r, err);

    return is_shared(r) ? dist_agree(r->dist, st, err) : st;
}
