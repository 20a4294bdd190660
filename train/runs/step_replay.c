/*
 * train/runs/step_replay.c - see the header.
 */
#include "train/runs/step_replay.h"

#include <inttypes.h>
#include <math.h>

#include "base/log.h"
#include "base/progress.h"
#include "base/signals.h"
#include "train/runs/next_batch.h"
#include "train/runs/not_finite.h"

/* A step as the loop makes it, without a word; one that was not finite is left out. */
static enum t2_status make_step(struct tr_run *r, struct t2_err *err)
{
    struct t2_err bad = T2_ERR_INIT;
    struct opt_loss_scale *scale = &r->state.loss_scale;
    struct opt_report report;
    struct mdl_batch batch;
    struct mdl_loss loss;
    enum t2_status st;

    T2_TRY(t2_check_interrupt(err));
    T2_TRY(tr_next_batch(r->train, r->model, &batch, &r->state.samples, err));
    if (scale->scale > 0.0)
        mdl_set_loss_scale(r->model, scale->scale);
    T2_TRY(mdl_train_step(r->model, &batch, r->state.seed, (uint64_t) r->state.step, &loss, err));
    st = opt_step(r->opt, r->state.step, r->options.train_steps, &report, &bad);
    if (st == T2_EFORMAT && scale->scale > 1.0) {
        opt_loss_scale_update(scale, false);
        return T2_OK;
    }
    if (st == T2_EFORMAT)
        return t2_fail(err, T2_EFORMAT,
                       "step %" PRId64 " is not finite already: %s; replay that one",
                       r->state.step + 1, bad.message);
    if (st != T2_OK) {
        *err = bad;
        return st;
    }
    if (scale->scale > 0.0)
        opt_loss_scale_update(scale, true);
    r->state.step++;
    return T2_OK;
}

static void put_table(const struct gr_watch *w, struct t2_buf *text)
{
    t2_buf_printf(text, "%12s  %12s  %10s  %10s  %s\n", "least", "most", "elements", "not finite",
                  "tensor");
    for (size_t i = 0; i < w->n; i++) {
        const struct gr_range *g = &w->ranges[i];

        t2_buf_printf(text, "%12.5g  %12.5g  %10" PRId64 "  %10" PRId64 "  ", g->least, g->most,
                      g->n, g->n_not_finite);
        gr_range_name(g, text);
        t2_buf_push(text, '\n');
    }
}

enum t2_status tr_replay(struct tr_run *r, struct t2_buf *text, struct t2_err *err)
{
    const int64_t last = r->options.replay_step - 1;
    uint64_t first_sample;
    struct gr_watch watch = {0};
    struct t2_progress progress;
    const struct gr_range *bad;
    struct mdl_batch batch;
    struct mdl_loss loss;
    enum t2_status st = T2_OK;

    T2_TRY(tr_check_alone(r, err));
    t2_progress_start(&progress, "training to the step", "steps",
                      (uint64_t) (last - r->state.step));
    opt_watch_loss(r->opt, mdl_loss_on_device(r->model));
    while (st == T2_OK && r->state.step < last)
        st = make_step(r, err);
    t2_progress_end(&progress);
    T2_TRY(st);
    first_sample = r->state.samples;
    T2_TRY(tr_next_batch(r->train, r->model, &batch, &r->state.samples, err));
    tr_plant(r, r->options.replay_step, first_sample);
    st = tr_watch_step(r, &batch, &watch, &loss, err);
    tr_plant_end(r);
    if (st == T2_OK) {
        put_table(&watch, text);
        t2_buf_printf(text, "step %" PRId64 ": loss %.6g of %.0f targets\n", r->options.replay_step,
                      loss.numerator / fmax(1.0, loss.denominator), loss.denominator);
        bad = gr_watch_first_bad(&watch);
        t2_buf_puts(text, bad ? "the first that is not finite: " : "all is finite");
        if (bad)
            gr_range_name(bad, text);
        t2_buf_push(text, '\n');
    }
    gr_watch_release(&watch);
    return st;
}
