/*
 * train/runs/estimate.c - what a step takes, from a few that are tried (loop.h).
 */
#include <math.h>

#include "base/progress.h"
#include "base/signals.h"
#include "train/runs/loop.h"
#include "train/runs/next_batch.h"
#include "train/runs/run_profile.h"

/*
 * Batches are cut to their first rows until a step is long enough to be measured: of batches that
 * take minutes the first would not end before somebody gives up.  What a step costs beside its rows
 * (gradients of tables) is found from steps of a quarter of them.
 */
struct estimate {
    double began; /* t2_now_s() */
    int32_t rows; /* of a batch that are taken; all are when it has not more */
    bool settled; /* no longer growing: what follows is measured */
    bool cut;     /* some batch has more rows */
    struct {
        double seconds, tokens, n;
    } of[2]; /* steps of all these rows, and of a quarter */
};

/* Long enough, or so slow that more rows are not tried: of a model that needs a second for one row
 * four have to do, from which the line of seconds_of can be drawn; in proportion to one row alone
 * a batch would take several times what it does. */
static bool is_settled(const struct estimate *e, double seconds)
{
    enum { FEW_ROWS = 4, SOME_ROWS = 16 };

    return (seconds > 0.5 && e->rows >= SOME_ROWS) || seconds > 15.0 ||
           (e->rows >= FEW_ROWS && t2_now_s() - e->began > 2.5);
}

static enum t2_status estimate_step(struct tr_run *r, struct estimate *e, uint64_t step,
                                    struct t2_err *err)
{
    int quarter = e->settled && e->cut && e->rows >= 4 && step % 2 == 1;
    int32_t rows = quarter ? e->rows / 4 : e->rows;
    struct mdl_batch batch;
    struct mdl_loss loss;
    uint64_t samples;
    double at_s[4];
    int32_t most;
    bool whole;

    T2_TRY(t2_check_interrupt(err));
    at_s[0] = t2_now_s();
    T2_TRY(tr_next_batch(r->train, r->model, &batch, &samples, err));
    at_s[1] = t2_now_s();
    most = in_rank_most_rows((struct in_rank){0, r->n_shards}, batch.all_rows);
    whole = most <= rows; /* a step of shards is that of one, again and again */
    if (!whole || batch.batch > most)
        batch.batch = whole ? most : rows;
    if (r->state.loss_scale.scale > 0.0)
        mdl_set_loss_scale(r->model, r->state.loss_scale.scale);
    T2_TRY(mdl_train_step(r->model, &batch, r->state.seed, step, &loss, err));
    at_s[2] = at_s[3] = t2_now_s();
    tr_profile_step(r, at_s);
    if (e->settled) {
        e->of[quarter].tokens += loss.denominator;
        e->of[quarter].seconds += at_s[2] - at_s[0];
        e->of[quarter].n++;
    } else if (whole || is_settled(e, at_s[2] - at_s[1])) {
        e->settled = true; /* the first of its shape is also the slowest */
        e->cut = !whole;
    } else {
        e->rows = e->rows < INT32_MAX / 4 ? 4 * e->rows : INT32_MAX;
    }
    return T2_OK;
}

/* Of a batch of so many tokens: in proportion, or, where steps of two sizes are known, by the line
 * through both. */
static double seconds_of(const struct estimate *e, double tokens)
{
    double at = e->of[0].tokens / e->of[0].n, took = e->of[0].seconds / e->of[0].n;
    double less = e->of[1].tokens / fmax(1, e->of[1].n),
           less_s = e->of[1].seconds / fmax(1, e->of[1].n);
    double a_token = (took - less_s) / (at - less), beside = took - a_token * at;

    if (e->of[1].n == 0 || !(at > less) || !(a_token > 0) || !(beside > 0))
        return tokens * took / at;
    return beside + a_token * tokens;
}

enum t2_status tr_estimate(struct tr_run *r, double *seconds_per_step, double *target_tokens_per_s,
                           struct t2_err *err)
{
    enum { MOST = 40 };
    const double enough_s = 3.0;
    struct in_stats in = in_stats_of(r->train);
    struct estimate e = {.began = t2_now_s(), .rows = 1};
    double tokens = (double) in.n_target_tokens / in.batches_per_epoch;

    for (uint64_t i = 0;
         (i < MOST && e.of[0].seconds + e.of[1].seconds < enough_s) || e.of[0].seconds == 0; i++)
        T2_TRY(estimate_step(r, &e, i, err));
    *seconds_per_step = (double) r->n_shards / dist_size(r->dist) *
                        seconds_of(&e, tokens / r->n_shards); /* a rank's shards, one by one */
    *target_tokens_per_s = tokens / *seconds_per_step;
    return T2_OK;
}
