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
    struct dec_seats seats;
    int32_t step;         /* of the search */
    int32_t n_alive;      /* places whose sources have not ended */
    struct dev_ask *asks; /* (places) */
    int32_t n_asked;      /* candidates of a source: 1, but where n-grams are not repeated */
    struct dev_candidate *chosen; /* (places, n_asked), of this step: log-probability and id */
    int32_t *ids;                 /* (places), of this step */
    bool *alive;                  /* (places) */
    float *total;                 /* (batch), of sources */
};

/* Sources that have ended are not asked for (but with beyond_eos), nor those whose id is given (the
 * prefix), which has log-probability 0. */
static void ask_rows(struct greedy *g)
{
    const struct dec_options *o = g->task->options;

    for (int32_t p = 0; p < g->task->places; p++) {
        int32_t b = g->seats.source[p], step = g->seats.step[p];
        int32_t forced = dec_forced_id(g->task, b, step);

        g->asks[p] = (struct dev_ask){.penalty = 1, .rests = !g->alive[p] && !o->beyond_eos};
        g->asks[p].wanted = !g->asks[p].rests && forced < 0;
        if (o->sampling && g->asks[p].wanted)
            g->asks[p].draw = dec_draw(o->sampling, o->sentences[b], step);
    }
}

/* The best candidate of the source in place p that repeats nothing; the best one where all do. */
static const struct dev_candidate *best_of(const struct greedy *g, const struct dec_result *r,
                                           int32_t p)
{
    const struct dec_options *o = g->task->options;
    const struct dev_candidate *all = g->chosen + (int64_t) p * g->n_asked;
    int32_t b = g->seats.source[p];

    for (int32_t i = 0; i < g->n_asked; i++)
        if (!dec_repeats(g->task, b, r->ids + (int64_t) b * o->max_length, g->seats.step[p],
                         all[i].id))
            return &all[i];
    return all;
}

/* Takes the ids of a step into the result. */
static enum t2_status take_step(struct greedy *g, struct dec_result *r, struct t2_err *err)
{
    const struct dec_options *o = g->task->options;

    for (int32_t p = 0; p < g->task->places; p++) {
        int32_t b = g->seats.source[p], step = g->seats.step[p];
        int32_t forced = dec_forced_id(g->task, b, step);
        const struct dev_candidate *best;

        g->ids[p] = 0;
        if (g->asks[p].rests)
            continue;
        if (forced < 0 && g->chosen[(int64_t) p * g->n_asked].id < 0)
            return dec_fail_logits(p, g->step, err);
        best = best_of(g, r, p);
        g->ids[p] = forced < 0 ? best->id : forced;
        r->ids[(int64_t) b * o->max_length + step] = g->ids[p];
        r->lengths[b] = g->seats.step[p] = step + 1;
        if (!g->alive[p])
            continue;
        g->total[b] += forced < 0 ? best->score : 0;
        g->alive[p] = !(g->ids[p] == DEC_EOS && forced < 0) &&
                      !(o->lengths && !o->beyond_eos && step + 1 >= o->lengths[b]);
        g->n_alive -= !g->alive[p];
        if (dec_streams(g->task) && !g->alive[p]) {
            r->scores[b] = (double) g->total[b];
            g->task->model->ended(g->task->model->context, p, r);
        }
    }
    g->step++;
    return T2_OK;
}

static enum t2_status refill(struct greedy *g, struct t2_err *err)
{
    int32_t n;

    do {
        T2_TRY(
            dec_seats_refill(&g->seats, g->task, g->alive, g->task->places - g->n_alive, &n, err));
        for (int32_t i = 0; i < n; i++) {
            g->alive[g->seats.free[i]] = true;
            g->ids[g->seats.free[i]] = 0;
            g->total[g->seats.taken[i]] = 0;
        }
        g->n_alive += n;
    } while (n > 0);
    return T2_OK;
}

/* Is there another step?  Where places are filled again, or sources come, lengths end it. */
static bool goes_on(const struct greedy *g)
{
    const struct dec_task *t = g->task;

    if (t->places == t->batch && !dec_streams(t) && g->step >= t->options->max_length)
        return false;
    return g->n_alive > 0 || t->options->to_the_end;
}

enum t2_status dec_greedy(const struct dec_task *t, struct dec_result *r, struct t2_err *err)
{
    size_t places = (size_t) t->places;
    struct greedy g = {.task = t, .n_alive = dec_streams(t) ? 0 : t->places};
    enum t2_status st = T2_OK;

    dec_seats_init(&g.seats, t);
    g.asks = t2_alloc(places, sizeof *g.asks);
    g.n_asked = 1;
    if (t->options->no_repeat_ngram > 0)
        g.n_asked =
            1 + DEC_SPARE_CANDIDATES < t->model->vocab ? 1 + DEC_SPARE_CANDIDATES : t->model->vocab;
    g.chosen = t2_alloc(places * (size_t) g.n_asked, sizeof *g.chosen);
    g.ids = t2_alloc(places, sizeof *g.ids);
    g.alive = t2_alloc(places, sizeof *g.alive);
    g.total = t2_alloc((size_t) t->batch, sizeof *g.total);
    for (size_t p = 0; p < places; p++)
        g.alive[p] = !dec_streams(t);
    if (dec_streams(t))
        T2_GOTO(st, out, refill(&g, err));
    while (goes_on(&g)) {
        ask_rows(&g);
        T2_GOTO(st, out, t->model->choose(t->model->context, g.step, g.ids, g.asks, g.chosen, err));
        T2_GOTO(st, out, take_step(&g, r, err));
        T2_GOTO(st, out, refill(&g, err));
    }
    r->steps = g.step;
    for (int32_t b = 0; b < t->batch; b++)
        r->scores[b] = (double) g.total[b];
out:
    dec_seats_release(&g.seats);
    t2_free(g.total);
    t2_free(g.alive);
    t2_free(g.ids);
    t2_free(g.chosen);
    t2_free(g.asks);
    return st;
}
