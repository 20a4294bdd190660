/*
 * train/runs/rank_saves.c - see the header.
 */
#include "train/runs/rank_saves.h"

#include "base/alloc.h"
#include "base/log.h"
#include "train/runs/ranks.h"

struct opt_share tr_rank_writer(const struct tr_run *r)
{
    return (struct opt_share){dist_rank(r->dist), dist_size(r->dist)};
}

/* ---- where rank 0 alone sees its files ---- */

static enum t2_status receive(void *context, int from, void *to, size_t bytes, struct t2_err *err)
{
    return dist_receive(context, from, to, bytes, err);
}

static enum t2_status send_to_first(void *context, const void *data, size_t bytes,
                                    struct t2_err *err)
{
    return dist_send(context, 0, data, bytes, err);
}

static enum t2_status write_alone(struct tr_run *r, struct ckpt_draft *d, struct t2_err *err)
{
    struct t2_err failure = T2_ERR_INIT;
    bool shared = opt_share_of(r->opt).n > 1;
    enum t2_status st = T2_OK, written;

    if (!tr_ranks_writes(r)) {
        if (shared)
            st = ckpt_draft_send(d, send_to_first, r->dist, err);
        return dist_agree(r->dist, st, err);
    }
    if (!r->said_alone && dist_size(r->dist) > 1)
        t2_warn("not all ranks see the files that rank 0 writes ('%s'): it writes checkpoints "
                "alone",
                r->output_dir);
    r->said_alone = true;
    ckpt_draft_keep_alone(d);
    written = ckpt_draft_write(d, &failure);
    if (shared)
        st = ckpt_draft_receive(d, receive, r->dist, err);
    if (st == T2_OK && written != T2_OK) {
        *err = failure;
        st = written;
    }
    return dist_agree(r->dist, st, err);
}

/* ---- the parts of a save ---- */

/* Do all find the files of rank 0? */
static enum t2_status find_files(struct tr_run *r, struct ckpt_draft *d, bool *all,
                                 struct t2_err *err)
{
    struct ckpt_place *places = t2_alloc(CKPT_FILES, sizeof *places);
    int64_t found = 1;
    enum t2_status st;

    if (tr_ranks_writes(r))
        ckpt_draft_places(d, places);
    st = dist_broadcast(r->dist, places, CKPT_FILES * sizeof *places, 0, err);
    if (st == T2_OK && !tr_ranks_writes(r))
        found = ckpt_draft_open(d, r->state.step, places);
    if (st == T2_OK)
        st = dist_least(r->dist, found, &found, err);
    *all = found != 0;
    t2_free(places);
    return st;
}

enum t2_status tr_rank_save_begin(struct tr_run *r, struct ckpt_draft *d, const char *dir,
                                  enum t2_status before, bool *together, struct t2_err *err)
{
    enum t2_status st = before;

    if (tr_ranks_writes(r) && st == T2_OK)
        st = ckpt_draft_create(d, dir, &r->state, r->hp, err);
    T2_TRY(dist_agree(r->dist, st, err));
    st = find_files(r, d, together, err);
    if (st == T2_OK && !*together)
        st = write_alone(r, d, err);
    if (st != T2_OK)
        ckpt_draft_drop(d);
    return st;
}

static enum t2_status gather_runs(struct tr_run *r, const struct ckpt_runs *mine,
                                  struct ckpt_runs *all, struct t2_err *err)
{
    size_t n_ranks = (size_t) dist_size(r->dist), bytes_mine = mine->n * sizeof *mine->items;
    size_t *bytes = t2_alloc(n_ranks, sizeof *bytes), *at = t2_alloc(n_ranks, sizeof *at);
    size_t sum = 0;
    enum t2_status st;

    T2_GOTO(st, out, dist_all_gather(r->dist, &bytes_mine, sizeof bytes_mine, bytes, err));
    for (size_t k = 0; k < n_ranks; k++) {
        at[k] = sum;
        sum += bytes[k];
    }
    all->n = all->capacity = sum / sizeof *all->items;
    all->items = t2_alloc(all->n + 1, sizeof *all->items);
    st = dist_gather_parts(r->dist, mine->items, bytes_mine, 0, all->items, at, bytes, err);
out:
    t2_free(bytes);
    t2_free(at);
    return st;
}

enum t2_status tr_rank_save_meet(struct tr_run *r, struct ckpt_draft *d, enum t2_status mine,
                                 struct ckpt_runs *all, struct t2_err *err)
{
    enum t2_status st = dist_agree(r->dist, mine, err);

    *all = (struct ckpt_runs){0};
    if (st == T2_OK)
        st = gather_runs(r, ckpt_draft_runs(d), all, err);
    if (st != T2_OK || !tr_ranks_writes(r))
        ckpt_draft_drop(d);
    return st;
}

enum t2_status tr_rank_save(struct tr_run *r, const char *dir, int keep, struct t2_err *err)
{
    struct ckpt_runs all = {0};
    struct ckpt_draft *d = NULL;
    bool together;
    enum t2_status st;

    T2_TRY(ckpt_draft_new(mdl_params(r->model), r->opt, tr_rank_writer(r), false, &d, err));
    T2_GOTO(st, out, tr_rank_save_begin(r, d, dir, T2_OK, &together, err));
    st = together ? ckpt_draft_write(d, err) : T2_OK;
    T2_GOTO(st, out, tr_rank_save_meet(r, d, st, &all, err));
    st = tr_ranks_writes(r) ? ckpt_draft_commit(d, &all, keep, err) : T2_OK;
    st = dist_agree(r->dist, st, err);
out:
    ckpt_draft_free(d);
    t2_free(all.items);
    return st;
}
