/*
 * train/runs/saves.c - see the header.
 */
#include "train/runs/saves.h"

#include <inttypes.h>

#include "base/alloc.h"
#include "base/log.h"
#include "base/signals.h"
#include "train/ckpt/saver.h"
#include "train/runs/memory_plan.h"
#include "train/runs/milestones.h"
#include "train/runs/not_finite.h"
#include "train/runs/rank_saves.h"
#include "train/runs/ranks.h"
#include "train/runs/shared_optimizer.h"

bool tr_saves_fit_aside(const struct tr_run *r)
{
    struct tr_memory m = tr_memory_of(r);

    return r->options.train && m.both.host + tr_memory_of_save(r, &m) <= r->limit.host;
}

enum t2_status tr_saves_open(struct tr_run *r, struct t2_err *err)
{
    return ckpt_saver_new(r->output_dir, r->options.keep_checkpoint_max, mdl_params(r->model),
                          r->opt, tr_rank_writer(r), r->saves_aside, &r->saver, err);
}

void tr_saves_close(struct tr_run *r)
{
    ckpt_saver_free(r->saver);
    t2_free(r->saving_runs.items);
}

static enum t2_status failed(const struct tr_run *r, int64_t step, struct t2_err *err)
{
    char saved[80];

    return t2_wrap(err,
                   "step %" PRId64 " could not be saved (%s; run the same command again "
                   "to continue)",
                   step, tr_saved_text(r, saved, sizeof saved));
}

/* ---- one process ---- */

static enum t2_status begin_alone(struct tr_run *r, struct t2_err *err)
{
    T2_TRY(tr_before_save(r, err));
    ckpt_saver_begin(r->saver, &r->state, r->hp);
    return T2_OK;
}

/* ---- several ranks ---- */

static enum t2_status begin_together(struct tr_run *r, struct t2_err *err)
{
    enum t2_status st = tr_ranks_writes(r) ? tr_before_save(r, err) : T2_OK;
    bool together;

    ckpt_saver_settle(r->saver);
    T2_TRY(tr_rank_save_begin(r, ckpt_saver_draft(r->saver), r->output_dir, st, &together, err));
    if (together)
        ckpt_saver_write(r->saver);
    r->parts_missing = true;
    return T2_OK;
}

/* Rank 0 completes what all have written. */
static enum t2_status meet(struct tr_run *r, struct t2_err *err)
{
    enum t2_status st = ckpt_saver_wait(r->saver, err);

    t2_free(r->saving_runs.items);
    r->parts_missing = false;
    T2_TRY(tr_rank_save_meet(r, ckpt_saver_draft(r->saver), st, &r->saving_runs, err));
    if (tr_ranks_writes(r))
        ckpt_saver_commit(r->saver, &r->saving_runs);
    return T2_OK;
}

/* ---- both ---- */

enum t2_status tr_save_begin(struct tr_run *r, struct t2_err *err)
{
    enum t2_status st;

    if (r->saved_step == r->state.step || r->saving_step == r->state.step)
        return T2_OK;
    T2_TRY(tr_save_end(r, err));
    T2_TRY(tr_share_check_finite(r, err));
    st = dist_size(r->dist) > 1 ? begin_together(r, err) : begin_alone(r, err);
    if (st != T2_OK)
        return failed(r, r->state.step, err);
    r->all_written = false;
    r->saving_step = r->state.step;
    r->saved_wall_seconds = r->state.wall_seconds;
    t2_save_done();
    if (r->options.max_recoveries == 0)
        r->n_recoveries = 0;
    /* other ranks do not know how this one writes: all of them wait at the same places */
    return r->saves_aside || dist_size(r->dist) > 1 ? T2_OK : tr_save_end(r, err);
}

static enum t2_status wait(struct tr_run *r, struct t2_err *err)
{
    if (r->parts_missing)
        T2_TRY(meet(r, err));
    return dist_agree(r->dist, ckpt_saver_wait(r->saver, err), err);
}

enum t2_status tr_save_end(struct tr_run *r, struct t2_err *err)
{
    int64_t step = r->saving_step;
    enum t2_status st;

    if (step < 0)
        return T2_OK;
    r->saving_step = -1;
    st = wait(r, err);
    if (st != T2_OK)
        return failed(r, step, err);
    r->saved_step = step;
    t2_info("step %" PRId64 "  saved to '%s'", step, r->output_dir);
    return T2_OK;
}

enum t2_status tr_save_poll(struct tr_run *r, struct t2_err *err)
{
    if (r->saving_step < 0)
        return T2_OK;
    if (dist_size(r->dist) == 1)
        return ckpt_saver_done(r->saver) ? tr_save_end(r, err) : T2_OK;
    if (!r->all_written)
        return T2_OK;
    r->all_written = false; /* said before what begins now */
    if (!r->parts_missing)
        return tr_save_end(r, err);
    if (meet(r, err) == T2_OK)
        return T2_OK;
    (void) failed(r, r->saving_step, err);
    r->saving_step = -1;
    return err->status;
}
