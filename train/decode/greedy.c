/*
 * train/decode/greedy.c - greedy decoding (Transformer._fast_decode with beam size 1): per step the
 * argmax, or a drawn id, of each source that has not ended.
 *
 * The score is the sum of the log-probabilities of the ids chosen, up to and including EOS, summed
 * in float32 as the original does.
 */
#include "base/alloc.h"
#include "train/decode/repeated_ngrams.h"
#include "train/decode/search_steps.h"

struct greedy {
    const struct dec_task *task;
    int32_t step;
    struct dev_ask *asks; /* (batch) */
    int32_t n_asked;      /* candidates of a source: 1, but where n-grams are not repeated */
    struct dev_candidate *chosen; /* (batch, n_asked), of this step: log-probability and id */
    int32_t *ids;                 /* (batch), of this step */
    bool *ended;
    float *total;
};

/* Sources that have ended are not asked for (but with beyond_eos), nor those whose id is given (the
 * prefix), which has log-probability 0. */
static void ask_rows(struct greedy *g)
{
    const struct dec_options *o = g->task->options;

    for (int32_t b = 0; b < g->task->batch; b++) {
        int32_t forced = dec_forced_id(g->task, b, g->step);

        g->asks[b] = (struct dev_ask){.penalty = 1, .rests = g->ended[b] && !o->beyond_eos};
        g->asks[b].wanted = !g->asks[b].rests && forced < 0;
        if (o->sampling && g->asks[b].wanted)
            g->asks[b].draw = dec_draw(o->sampling, o->sentences[b], g->step);
    }
}

/* The best candidate of source b that repeats nothing; the best one where all do. */
static const struct dev_candidate *best_of(const struct greedy *g, const struct dec_result *r,
                                           int32_t b)
{
    const struct dec_options *o = g->task->options;
    const struct dev_candidate *all = g->chosen + (int64_t) b * g->n_asked;

    for (int32_t i = 0; i < g->n_asked; i++)
        if (!dec_repeats(g->task, b, r->ids + (int64_t) b * o->max_length, g->step, all[i].id))
            return &all[i];
    return all;
}

/* Takes the ids of a step into the result; how many sources go on. */
static enum t2_status take_step(struct greedy *g, struct dec_result *r, int32_t *n_alive,
                                struct t2_err *err)
{
    const struct dec_options *o = g->task->options;

    for (int32_t b = 0; b < g->task->batch; b++) {
        int32_t forced = dec_forced_id(g->task, b, g->step);
        const struct dev_candidate *best;

        g->ids[b] = 0;
        if (g->ended[b] && !o->beyond_eos)
            continue;
        if (forced < 0 && g->chosen[(int64_t) b * g->n_asked].id < 0)
            return dec_fail_logits(b, g->step, err);
        best = best_of(g, r, b);
        g->ids[b] = forced < 0 ? best->id : forced;
        r->ids[(int64_t) b * o->max_length + g->step] = g->ids[b];
        r->lengths[b] = g->step + 1;
        if (g->ended[b])
            continue;
        g->total[b] += forced < 0 ? best->score : 0;
        g->ended[b] = (g->ids[b] == DEC_EOS && forced < 0) ||
                      (o->lengths && !o->beyond_eos && g->step + 1 >= o->lengths[b]);
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

    g.asks = t2_alloc(batch, sizeof *g.asks);
    g.n_asked = 1;
    if (t->options->no_repeat_ngram > 0)
        g.n_asked =
            1 + DEC_SPARE_CANDIDATES < t->model->vocab ? 1 + DEC_SPARE_CANDIDATES : t->model->vocab;
    g.chosen = t2_alloc(batch * (size_t) g.n_asked, sizeof *g.chosen);
    g.ids = t2_alloc(batch, sizeof *g.ids);
    g.ended = t2_alloc(batch, sizeof *g.ended);
    g.total = t2_alloc(batch, sizeof *g.total);
    for (; g.step < t->options->max_length && (n_alive > 0 || t->options->to_the_end); g.step++) {
        ask_rows(&g);
        T2_GOTO(st, out, t->model->choose(t->model->context, g.step, g.ids, g.asks, g.chosen, err));
        T2_GOTO(st, out, take_step(&g, r, &n_alive, err));
    }
    r->steps = g.step;
    for (int32_t b = 0; b < t->batch; b++)
        r->scores[b] = (double) g.total[b];
out:
    t2_free(g.total);
    t2_free(g.ended);
    t2_free(g.ids);
    t2_free(g.chosen);
    t2_free(g.asks);
    return st;
}
