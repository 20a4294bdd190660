/*
 * train/decode/beam.c - beam search as tensor2tensor/utils/beam_search.py does it, and by the rules
 * of official/nlp/transformer/beam_search.py, which is a variant of it (decode.h).
 *
 * B places of sources with K = beam_size hypotheses each, rows p * K + k.  A step:
 *   1. the model makes logits (B*K, V) from the last ids; they stay where they are
 *   2. of each row it gives the 2K best continuations (struct dev_best_ids_args)
 *   3. grow_topk: the 2K best over the rows of a source; at most K of them end, so K that go on
 *      remain
 *   4. grow_alive: the K best that do not end
 *   5. grow_finished: the K best of those that had ended and those that end now
 *   6. the model's caches are reordered by `from`
 * until every source has reached its length, or no alive hypothesis of it can beat a finished one
 * any more.  A source that is done rests: its rows are not asked for, and nothing of it changes, so
 * that its result does not depend on the others of the batch (but with settle_together); or it
 * leaves its place to the next.  Score = log-probability / penalty, penalty = ((5 + length) /
 * 6)^alpha.
 *
 * Names and order of operations are the original's.  All scores are float32 and computed in its
 * order, INF is its 1e7: a hypothesis that must not be chosen gets INF subtracted and stays in the
 * comparison, so ties and near-ties fall as they do there.
 */
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "train/decode/repeated_ngrams.h"
#include "train/decode/search_steps.h"

static const float inf = 1e7f;

/* One of the 2K continuations of a source's hypotheses: hypothesis `beam` and one more id. */
struct continuation {
    float score; /* with length penalty */
    float log_prob;
    int32_t beam, id;
    bool is_eos;
};

/* A place for a hypothesis that has ended; flag false: it is empty, and its score -INF. */
struct finished {
    float score;
    int32_t length;
    bool flag;
};

struct beam {
    const struct dec_task *task;
    bool official;                         /* the rules */
    int32_t K, V;                          /* beam size, vocabulary */
    int32_t n_asked;                       /* candidates that the model gives per row */
    int32_t n_row;                         /* candidates kept per row: min(2K, V) */
    int32_t n_grow;                        /* continuations per source: min(2K, K * V) */
    int32_t step, max;                     /* steps of the search so far; decode_length */
    struct dec_seats seats;                /* places: their sources, and ids so far */
    float *penalty;                        /* (B): of the hypotheses of this step */
    struct dev_ask *asks;                  /* (B,K) */
    struct dev_candidate *candidates;      /* (B,K,n_asked), then (B,K,n_row) */
    float *alive;                          /* (B,K) log-probabilities */
    int32_t *alive_ids, *alive_next;       /* (B,K,max) */
    int32_t *last_ids, *from;              /* (B,K): input of the next step, new order of rows */
    struct finished *finished;             /* (B,K), best first */
    int32_t *finished_ids, *finished_next; /* (B,K,max) */
    bool *busy;                            /* (B): its source is not done */
    bool *owes;                            /* (B): its source's result was not given */
    int32_t n_done;
    struct continuation *grown; /* (n_grow), of the source in hand */
    struct finished *pool;      /* (K + n_grow), of the source in hand */
};

static void *floats_or_ids(size_t n)
{
    return t2_try_alloc(n ? n : 1, 4);
}

/* One empty hypothesis is alive, and none has ended. */
static void begin_place(struct beam *s, int32_t p)
{
    float dead = s->official ? -INFINITY : -inf;

    s->busy[p] = s->owes[p] = true;
    for (int32_t k = 0; k < s->K; k++) {
        int64_t r = (int64_t) p * s->K + k;

        s->alive[r] = k ? dead : 0;
        s->finished[r] = (struct finished){.score = -inf};
        s->last_ids[r] = 0;
    }
}

static enum t2_status beam_init(struct beam *s, const struct dec_task *t, struct t2_err *err)
{
    int32_t K = t->options->beam_size, V = t->model->vocab, max = t->options->max_length;
    size_t places = (size_t) t->places, rows = places * (size_t) K, n_ids;

    *s = (struct beam){.task = t, .K = K, .V = V, .max = max};
    s->n_row = 2 * K < V ? 2 * K : V;
    s->n_asked = s->n_row;
    if (t->options->no_repeat_ngram > 0)
        s->n_asked = 2 * K + DEC_SPARE_CANDIDATES < V ? 2 * K + DEC_SPARE_CANDIDATES : V;
    s->n_grow = 2 * K < (int64_t) K * V ? 2 * K : K * V;
    s->asks = t2_alloc(rows, sizeof *s->asks);
    s->candidates = t2_alloc(rows * (size_t) s->n_asked, sizeof *s->candidates);
    s->alive = t2_alloc(rows, sizeof *s->alive);
    s->last_ids = t2_alloc(rows, sizeof *s->last_ids);
    s->from = t2_alloc(rows, sizeof *s->from);
    s->finished = t2_alloc(rows, sizeof *s->finished);
    dec_seats_init(&s->seats, t);
    s->penalty = t2_alloc(places, sizeof *s->penalty);
    s->busy = t2_alloc(places, sizeof *s->busy);
    s->owes = t2_alloc(places, sizeof *s->owes);
    s->grown = t2_alloc((size_t) s->n_grow, sizeof *s->grown);
    s->pool = t2_alloc((size_t) K + (size_t) s->n_grow, sizeof *s->pool);
    if (!t2_mul_size(rows, (size_t) max, &n_ids) || !(s->alive_ids = floats_or_ids(n_ids)) ||
        !(s->alive_next = floats_or_ids(n_ids)) || !(s->finished_ids = floats_or_ids(n_ids)) ||
        !(s->finished_next = floats_or_ids(n_ids)))
        return t2_fail(err, T2_ENOMEM, "no memory for %zu hypotheses of up to %d ids", rows, max);
    s->official = t->options->rules == DEC_RULES_OFFICIAL;
    s->n_done = dec_streams(t) ? t->places : 0;
    for (int32_t p = 0; p < t->places && !dec_streams(t); p++)
        begin_place(s, p);
    return T2_OK;
}

static void beam_release(struct beam *s)
{
    t2_free(s->asks);
    t2_free(s->candidates);
    t2_free(s->alive);
    t2_free(s->alive_ids);
    t2_free(s->alive_next);
    t2_free(s->last_ids);
    t2_free(s->from);
    t2_free(s->finished);
    t2_free(s->finished_ids);
    t2_free(s->finished_next);
    dec_seats_release(&s->seats);
    t2_free(s->penalty);
    t2_free(s->busy);
    t2_free(s->owes);
    t2_free(s->grown);
    t2_free(s->pool);
}

/* Wu et al. 2016; the original's float32 powf. */
static float length_penalty(const struct beam *s, int32_t n_ids)
{
    return powf((5.0f + (float) n_ids) / 6.0f, (float) s->task->options->alpha);
}

/* dec_forced_id of the source in place p. */
static int32_t forced_id(const struct beam *s, int32_t p)
{
    return dec_forced_id(s->task, s->seats.source[p], s->seats.step[p]);
}

/* Before its first id a source has K times the empty hypothesis: the first row's candidates are
 * those of all, and the others' rows rest. */
static bool is_twin(const struct beam *s, int32_t r)
{
    int32_t p = r / s->K;

    return r % s->K > 0 && s->busy[p] && s->seats.step[p] == 0 && forced_id(s, p) < 0;
}

/* T2T ranks by score (divided by the penalty), the official search by log-probability.  A row that
 * can never be chosen again (official: -infinity) and a row whose next id is given are not asked
 * for. */
static void ask_rows(struct beam *s)
{
    for (int32_t r = 0; r < s->task->places * s->K; r++) {
        int32_t p = r / s->K;

        s->asks[r] = (struct dev_ask){.alive = s->alive[r],
                                      .penalty = s->official ? 1.0f : s->penalty[p],
                                      .rests = !s->busy[p] || is_twin(s, r),
                                      .wanted = s->busy[p] && !isinf(s->alive[r]) &&
                                                !is_twin(s, r) && forced_id(s, p) < 0};
    }
}

/* The candidates of a row that was not asked for: equally hopeless ones, or the given id and, far
 * behind, others (as of logits 0 and -1e9). */
static void fill_row(struct beam *s, int32_t r)
{
    int32_t forced = forced_id(s, r / s->K), n = 0;
    struct dev_candidate *best = s->candidates + (int64_t) r * s->n_row;
    float penalty = s->asks[r].penalty, others = (-1e9f + s->alive[r]) / penalty;

    if (isinf(s->alive[r])) {
        forced = -1;
        others = s->alive[r];
    } else {
        best[n++] = (struct dev_candidate){s->alive[r] / penalty, forced};
    }
    for (int32_t id = 0; n < s->n_row; id++)
        if (id != forced)
            best[n++] = (struct dev_candidate){others, id};
}

/* The candidates of a twin: the first row's, as far behind as it is itself; of equals, which may be
 * more then, the lower id is first. */
static void fill_twin(struct beam *s, int32_t r)
{
    const struct dev_candidate *first = s->candidates + (int64_t) (r - r % s->K) * s->n_row;
    struct dev_candidate *best = s->candidates + (int64_t) r * s->n_row;
    float penalty = s->asks[r].penalty;

    for (int32_t i = 0; i < s->n_row; i++) {
        float score = (first[i].score * penalty + s->alive[r]) / penalty;
        int32_t at = i;

        while (at > 0 && (best[at - 1].score < score ||
                          (best[at - 1].score == score && best[at - 1].id > first[i].id))) {
            best[at] = best[at - 1];
            at--;
        }
        best[at] = (struct dev_candidate){score, first[i].id};
    }
}

/* Of the n_asked candidates of row r the best that repeat nothing become its n_row ones, in their
 * order; where there are too few, hopeless ones.  Rows are taken in ascending order, so that what
 * is written lies in front of what is still to be read. */
static void keep_candidates(struct beam *s, int32_t r)
{
    const struct dev_candidate *all = s->candidates + (int64_t) r * s->n_asked;
    struct dev_candidate *kept = s->candidates + (int64_t) r * s->n_row;
    int32_t n = 0;
    float hopeless = (-1e9f + s->alive[r]) / s->asks[r].penalty;
    int32_t p = r / s->K;

    for (int32_t i = 0; i < s->n_asked && n < s->n_row; i++) {
        struct dev_candidate c = all[i];

        if (!dec_repeats(s->task, s->seats.source[p], s->alive_ids + (int64_t) r * s->max,
                         s->seats.step[p], c.id))
            kept[n++] = c;
    }
    for (int32_t id = 0; n < s->n_row; id++)
        if (id != DEC_EOS)
            kept[n++] = (struct dev_candidate){hopeless, id};
}

/* The best continuations of the source in place p over all its rows; of equals the lower row, then
 * the lower id: the order of the flattened (K, V) scores.  Rows come sorted, so this is a merge of
 * K lists; `taken` counts what each has given. */
static void grow_topk(struct beam *s, int32_t p)
{
    const struct dev_candidate *rows = s->candidates + (int64_t) p * s->K * s->n_row;
    int32_t *taken = s->from + (int64_t) p * s->K; /* free until grow_alive */
    bool may_end = forced_id(s, p) != DEC_EOS;

    memset(taken, 0, (size_t) s->K * sizeof *taken);
    for (int32_t i = 0; i < s->n_grow; i++) {
        struct dev_candidate best = {0, -1};
        int32_t beam = 0;

        for (int32_t k = 0; k < s->K; k++) {
            const struct dev_candidate *head = rows + (int64_t) k * s->n_row + taken[k];

            if (taken[k] < s->n_row && (best.id < 0 || head->score > best.score)) {
                best = *head;
                beam = k;
            }
        }
        taken[beam]++;
        s->grown[i] = (struct continuation){best.score, best.score, beam, best.id,
                                            best.id == DEC_EOS && may_end};
        if (s->official)
            s->grown[i].score /= s->penalty[p];
        else
            s->grown[i].log_prob *= s->penalty[p];
    }
}

/* Position of the largest value that is not taken; the lowest of equals. */
static int32_t next_best(const float *values, const bool *taken, int32_t n)
{
    int32_t best = -1;

    for (int32_t i = 0; i < n; i++)
        if (!taken[i] && (best < 0 || values[i] > values[best]))
            best = i;
    return best;
}

/* The K best continuations that do not end. */
static void grow_alive(struct beam *s, int32_t p, float *values, bool *taken)
{
    int64_t row0 = (int64_t) p * s->K;
    int32_t step = s->seats.step[p];

    for (int32_t i = 0; i < s->n_grow; i++) {
        values[i] = (s->official ? s->grown[i].log_prob : s->grown[i].score) -
                    (s->grown[i].is_eos ? inf : 0);
        taken[i] = false;
    }
    for (int32_t k = 0; k < s->K; k++) {
        int32_t at = next_best(values, taken, s->n_grow);
        const struct continuation *c = &s->grown[at];
        int32_t *ids = s->alive_next + (row0 + k) * s->max;

        taken[at] = true;
        memcpy(ids, s->alive_ids + (row0 + c->beam) * s->max, (size_t) step * sizeof *ids);
        ids[step] = c->id;
        /* Only a vocabulary smaller than the beam brings an ended one here.  The original then
         * keeps its log-probability, and ids follow EOS; here it stays as hopeless as it was
         * chosen. */
        s->alive[row0 + k] = c->log_prob - (c->is_eos ? inf : 0);
        s->last_ids[row0 + k] = c->id;
        s->from[row0 + k] = (int32_t) row0 + (step == 0 ? 0 : c->beam); /* twins have no state */
    }
}

/* The K best of those that had ended and those that end now. */
static void grow_finished(struct beam *s, int32_t p, float *values, bool *taken)
{
    int64_t row0 = (int64_t) p * s->K;
    int32_t n = s->K + s->n_grow, step = s->seats.step[p];

    for (int32_t i = 0; i < n; i++) {
        taken[i] = false;
        if (i < s->K) {
            s->pool[i] = s->finished[row0 + i];
        } else {
            const struct continuation *c = &s->grown[i - s->K];

            s->pool[i] = (struct finished){c->score - (c->is_eos ? 0 : inf), step + 1, c->is_eos};
        }
        values[i] = s->pool[i].score;
    }
    for (int32_t k = 0; k < s->K; k++) {
        int32_t at = next_best(values, taken, n);
        int32_t *ids = s->finished_next + (row0 + k) * s->max;

        taken[at] = true;
        s->finished[row0 + k] = s->pool[at];
        if (at < s->K) {
            memcpy(ids, s->finished_ids + (row0 + at) * s->max, (size_t) s->max * sizeof *ids);
        } else {
            const struct continuation *c = &s->grown[at - s->K];

            memset(ids, 0, (size_t) s->max * sizeof *ids);
            memcpy(ids, s->alive_ids + (row0 + c->beam) * s->max, (size_t) step * sizeof *ids);
            ids[step] = c->id;
        }
    }
}

static void swap(int32_t **a, int32_t **b)
{
    int32_t *t = *a;

    *a = *b;
    *b = t;
}

/* The worst of those of a source that have ended; an empty place counts as 0, which is above any
 * score, so it never is the worst. */
static float worst_finished(const struct finished *finished, int32_t n)
{
    bool any = false;
    float worst = HUGE_VALF;

    for (int32_t k = 0; k < n; k++) {
        any |= finished[k].flag;
        worst = fminf(worst, finished[k].flag ? finished[k].score : 0);
    }
    return worst - (any ? 0 : inf);
}

/* Ids that the hypotheses in place p may have. */
static int32_t longest_of(const struct beam *s, int32_t p)
{
    const int32_t *lengths = s->task->options->lengths;

    return lengths ? lengths[s->seats.source[p]] : s->max;
}

/* The score that what is alive in place p must beat to be of use. */
static float worst_kept(const struct beam *s, int32_t p)
{
    const struct finished *finished = s->finished + (int64_t) p * s->K; /* best first */
    float worst = finished[s->K - 1].score;

    if (s->official)
        return worst_finished(finished, s->K);
    if (s->task->options->n_best == 1)
        return finished[0].score;
    for (int32_t i = 0; s->task->options->settle_together && i < s->task->batch; i++)
        worst = fminf(worst, s->finished[(int64_t) i * s->K + s->K - 1].score);
    return worst;
}

/* Log-probabilities only fall, so alive / max_penalty is the best score that the alive hypothesis
 * may still have.  A source is done when that of its best is below its finished ones: T2T below the
 * first where only that is asked for, else below its lowest; the official search below its
 * worst. */
static bool is_done(const struct beam *s, int32_t p)
{
    return s->seats.step[p] >= longest_of(s, p) ||
           worst_kept(s, p) > s->alive[(int64_t) p * s->K] / length_penalty(s, longest_of(s, p));
}

static void note_done(struct beam *s)
{
    const int32_t places = s->task->places;

    for (int32_t p = 0; s->task->options->settle_together && p < places; p++)
        if (!is_done(s, p))
            return;
    for (int32_t p = 0; p < places; p++)
        if (s->busy[p] && is_done(s, p)) {
            s->busy[p] = false;
            s->n_done++;
        }
}

/* A source that is done: what it has goes along, as it is. */
static void rest(struct beam *s, int32_t p)
{
    int64_t row0 = (int64_t) p * s->K;
    size_t bytes = (size_t) s->K * (size_t) s->max * sizeof *s->alive_ids;

    memcpy(s->alive_next + row0 * s->max, s->alive_ids + row0 * s->max, bytes);
    memcpy(s->finished_next + row0 * s->max, s->finished_ids + row0 * s->max, bytes);
    for (int32_t k = 0; k < s->K; k++) {
        s->last_ids[row0 + k] = 0;
        s->from[row0 + k] = (int32_t) row0 + k;
    }
}

static enum t2_status beam_step(struct beam *s, float *values, bool *taken, struct t2_err *err)
{
    const struct dec_model *m = s->task->model;
    int32_t places = s->task->places, rows = places * s->K;

    for (int32_t p = 0; p < places; p++)
        s->penalty[p] = length_penalty(s, s->seats.step[p] + 1);
    ask_rows(s);
    T2_TRY(m->choose(m->context, s->step, s->last_ids, s->asks, s->candidates, err));
    for (int32_t r = 0; r < rows; r++)
        if (s->asks[r].wanted && s->candidates[(int64_t) r * s->n_asked].id < 0)
            return dec_fail_logits(r, s->step, err);
    for (int32_t r = 0; r < rows; r++)
        if (!s->busy[r / s->K])
            continue;
        else if (is_twin(s, r) && !isinf(s->alive[r]))
            fill_twin(s, r);
        else if (!s->asks[r].wanted)
            fill_row(s, r);
        else if (s->n_asked > s->n_row || s->task->options->no_repeat_ngram > 0)
            keep_candidates(s, r);
    for (int32_t p = 0; p < places; p++) {
        if (!s->busy[p]) {
            rest(s, p);
            continue;
        }
        grow_topk(s, p);
        grow_alive(s, p, values, taken);
        grow_finished(s, p, values, taken);
        s->seats.step[p]++;
    }
    swap(&s->alive_ids, &s->alive_next);
    swap(&s->finished_ids, &s->finished_next);
    s->step++;
    note_done(s);
    return T2_OK;
}

/* Of the source in place p. */
static void give_result(struct beam *s, int32_t p, struct dec_result *r)
{
    const struct dec_model *m = s->task->model;
    int32_t n_best = s->task->options->n_best;
    int64_t row0 = (int64_t) p * s->K;
    bool any = false;

    for (int32_t k = 0; k < s->K; k++)
        any |= s->finished[row0 + k].flag;
    for (int32_t k = 0; k < n_best; k++) {
        int64_t out = (int64_t) s->seats.source[p] * n_best + k;
        const int32_t *ids = (any ? s->finished_ids : s->alive_ids) + (row0 + k) * s->max;

        r->scores[out] = (double) (any ? s->finished[row0 + k].score : s->alive[row0 + k]);
        r->lengths[out] = any ? s->finished[row0 + k].length : s->seats.step[p];
        memcpy(r->ids + out * s->max, ids, (size_t) r->lengths[out] * sizeof *ids);
        if (s->task->options->beyond_eos && r->lengths[out] > 0)
            r->lengths[out] = s->step;
    }
    s->owes[p] = false;
    if (dec_streams(s->task))
        m->ended(m->context, p, r);
}

/* Sources that are done leave their places to the next ones. */
static enum t2_status refill(struct beam *s, struct dec_result *r, struct t2_err *err)
{
    const struct dec_task *t = s->task;
    int32_t n;

    for (int32_t p = 0; (dec_streams(t) || s->seats.next < t->batch) && p < t->places; p++)
        if (s->owes[p] && !s->busy[p])
            give_result(s, p, r);
    do {
        T2_TRY(dec_seats_refill(&s->seats, t, s->busy, s->n_done, &n, err));
        for (int32_t i = 0; i < n; i++)
            begin_place(s, s->seats.free[i]);
        s->n_done -= n;
    } while (n > 0);
    return T2_OK;
}

enum t2_status dec_beam(const struct dec_task *t, struct dec_result *r, struct t2_err *err)
{
    size_t n_pool = 3 * (size_t) t->options->beam_size;
    float *values = t2_alloc(n_pool, sizeof *values);
    bool *taken = t2_alloc(n_pool, sizeof *taken);
    struct beam s;
    enum t2_status st = beam_init(&s, t, err);

    if (st == T2_OK)
        note_done(&s);
    if (st == T2_OK && dec_streams(t))
        st = refill(&s, r, err);
    while (st == T2_OK && s.n_done < t->places) {
        st = beam_step(&s, values, taken, err);
        if (st == T2_OK && s.n_done < t->places)
            st = t->model->reorder(t->model->context, s.from, err);
        if (st == T2_OK)
            st = refill(&s, r, err);
    }
    for (int32_t p = 0; st == T2_OK && p < t->places; p++)
        if (s.owes[p])
            give_result(&s, p, r);
    r->steps = s.step;
    beam_release(&s);
    t2_free(taken);
    t2_free(values);
    return st;
}
