/*
 * train/runs/saves.c - see the header.
 */
#include "train/runs/saves.h"

#include <inttypes.h>

#include "base/log.h"
#include "base/signals.h"
#include "train/ckpt/saver.h"
#include "train/runs/memory_plan.h"
#include "train/runs/milestones.h"
#include "train/runs/not_finite.h"
#include "train/runs/ranks.h"
#include "train/runs/shared_optimizer.h"

bool tr_saves_fit_aside(const struct tr_run *r)
{
    struct tr_memory m = tr_memory_of(r);

    return r->options.train && tr_ranks_writes(r) && tr_share(r).n <= 1 &&
           m.both.host + tr_memory_of_save(&m) <= r->limit.host;
}

enum t2_status tr_saves_open(struct tr_run *r, struct t2_err *err)
{
    if (!r->saves_aside)
        return T2_OK;
    return ckpt_saver_new(r->output_dir, r->options.keep_checkpoint_max, mdl_params(r->model),
                          r->opt, &r->saver, err);
}

static enum t2_status failed(const struct tr_run *r, int64_t step, struct t2_err *err)
{
    char saved[80];

    return t2_wrap(err,
                   "step %" PRId64 " could not be saved (%s; run the same command again "
                   "to continue)",
                   step, tr_saved_text(r, saved, sizeof saved));
}

/* Rank 0. */
static enum t2_status write_checkpoint(struct tr_run *r, struct t2_err *err)
{
    enum t2_status st = tr_before_save(r, err);

    if (st != T2_OK)
        return st;
    if (r->saver)
        st = ckpt_saver_begin(r->saver, &r->state, r->hp, err);
    else
        st = ckpt_save(r->output_dir, &r->state, r->hp, mdl_params(r->model), r->opt,
                       r->options.keep_checkpoint_max, err);
    return st == T2_OK ? st : failed(r, r->state.step, err);
}

enum t2_status tr_save_begin(struct tr_run *r, struct t2_err *err)
{
    if (r->saved_step == r->state.step || r->saving_step == r->state.step)
        return T2_OK;
    T2_TRY(tr_save_end(r, err));
    T2_TRY(tr_share_check_finite(r, err));
    T2_TRY(tr_share_save(r, write_checkpoint, err));
    r->saving_step = r->state.step;
    r->saved_wall_seconds = r->state.wall_seconds;
    t2_save_done();
    if (r->options.max_recoveries == 0)
        r->n_recoveries = 0;
    /* other ranks do not know how rank 0 writes: all of them wait at the same places */
    return r->saver || dist_size(r->dist) > 1 ? T2_OK : tr_save_end(r, err);
}

static enum t2_status wait(struct tr_run *r, struct t2_err *err)
{
    enum t2_status st = r->saver ? ckpt_saver_wait(r->saver, err) : T2_OK;

    return st == T2_OK ? st : failed(r, r->saving_step, err);
}

enum t2_status tr_save_end(struct tr_run *r, struct t2_err *err)
{
    int64_t step = r->saving_step;
    enum t2_status st;

    if (step < 0)
        return T2_OK;
    st = dist_agree(r->dist, wait(r, err), err);
    r->saving_step = -1;
    if (st != T2_OK)
        return st;
    r->saved_step = step;
    t2_info("step %" PRId64 "  saved to '%s'", step, r->output_dir);
    return T2_OK;
}

enum t2_status tr_save_poll(struct tr_run *r, struct t2_err *err)
{
    if (r->saving_step < 0 || dist_size(r->dist) > 1 || !ckpt_saver_done(r->saver))
        return T2_OK;
    return tr_save_end(r, err);
}
