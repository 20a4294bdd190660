/*
 * train/decode/greedy.c - greedy decoding (Transformer._fast_decode with beam size 1): per step the
 * argmax, or a drawn id, of each source that has not ended.
 *
 * The score is the sum of the log-probabilities of the ids chosen, up to and including EOS, summed
 * in float32 as the original does.
 */
#include "base/alloc.h"
#include "train/decode/row_scan.h"
#include "train/decode/search_steps.h"

struct greedy {
    const struct dec_task *task;
    const float *logits; /* (batch, vocab), of this step */
    int32_t step;
    float *work;     /* (batch, dec_row_work) */
    int32_t *ids;    /* (batch), of this step */
    float *log_prob; /* (batch), of the id of this step */
    bool *ended, *broken;
    float *total;
};

static void draw(struct greedy *g, int32_t b)
{
    const struct dec_options *o = g->task->options;
    int32_t vocab = g->task->model->vocab;
    struct t2_rng r;

    dec_sample_stream(&r, o->sampling, o->sentences[b], g->step);
    g->broken[b] = !dec_row_sample(o->sampling, g->logits + (int64_t) b * vocab, vocab, &r,
                                   &g->ids[b], &g->log_prob[b]);
}

/* One row; an id that is given (the prefix) has log-probability 0. */
static void choose(void *arg, int64_t row, int worker)
{
    struct greedy *g = arg;
    int32_t b = (int32_t) row, vocab = g->task->model->vocab;
    int32_t forced = dec_forced_id(g->task, b, g->step);

    (void) worker;
    g->ids[b] = 0;
    g->log_prob[b] = 0;
    if (g->ended[b])
        return;
    if (forced >= 0)
        g->ids[b] = forced;
    else if (g->task->options->sampling)
        draw(g, b);
    else
        g->broken[b] =
            !dec_row_argmax(g->logits + row * vocab, vocab, g->work + row * dec_row_work(vocab),
                            &g->ids[b], &g->log_prob[b]);
}

/* Takes the ids of a step into the result; how many sources go on. */
static enum t2_status take_step(struct greedy *g, struct dec_result *r, int32_t *n_alive,
                                struct t2_err *err)
{
    for (int32_t b = 0; b < g->task->batch; b++) {
        if (g->ended[b])
            continue;
        if (g->broken[b])
            return dec_fail_logits(b, g->step, err);
        g->total[b] += g->log_prob[b];
        r->ids[(int64_t) b * g->task->options->max_length + g->step] = g->ids[b];
        r->lengths[b] = g->step + 1;
        g->ended[b] = g->ids[b] == DEC_EOS && dec_forced_id(g->task, b, g->step) < 0;
        *n_alive -= g->ended[b];
    }
    return T2_OK;
}

enum t2_status dec_greedy(const struct dec_task *t, struct dec_result *r, struct t2_err *err)
{
    size_t batch = (size_t) t->batch;
    struct greedy g = {.task = t};
    int32_t n_alive = t->batch;
    enum t2_status st = T2_OK;

    g.work = t2_alloc(batch * (size_t) dec_row_work(t->model->vocab), sizeof *g.work);
    g.ids = t2_alloc(batch, sizeof *g.ids);
    g.log_prob = t2_alloc(batch, sizeof *g.log_prob);
    g.ended = t2_alloc(batch, sizeof *g.ended);
    g.broken = t2_alloc(batch, sizeof *g.broken);
    g.total = t2_alloc(batch, sizeof *g.total);
    for (; g.step < t->options->max_length && n_alive > 0; g.step++) {
        T2_GOTO(st, out, t->model->step(t->model->context, g.step, g.ids, &g.logits, err));
        dec_for_rows(t, t->batch, choose, &g);
        T2_GOTO(st, out, take_step(&g, r, &n_alive, err));
    }
    r->steps = g.step;
    for (int32_t b = 0; b < t->batch; b++)
        r->scores[b] = (double) g.total[b];
out:
    t2_free(g.total);
    t2_free(g.broken);
    t2_free(g.ended);
    t2_free(g.log_prob);
    t2_free(g.ids);
    t2_free(g.work);
    return st;
}
