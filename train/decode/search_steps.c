/*
 * train/decode/search_steps.c - see the header.
 */
#include "train/decode/search_steps.h"

#include "base/alloc.h"
#include "train/decode/repeated_ngrams.h"

void dec_seats_init(struct dec_seats *s, const struct dec_task *t)
{
    size_t n = (size_t) t->places;

    *s = (struct dec_seats){.next = t->places};
    s->source = t2_alloc(n, sizeof *s->source);
    s->step = t2_alloc(n, sizeof *s->step);
    s->free = t2_alloc(n, sizeof *s->free);
    s->taken = t2_alloc(n, sizeof *s->taken);
    for (int32_t p = 0; p < t->places; p++)
        s->source[p] = p;
}

void dec_seats_release(struct dec_seats *s)
{
    t2_free(s->source);
    t2_free(s->step);
    t2_free(s->free);
    t2_free(s->taken);
}

static void seat(struct dec_seats *s, int32_t p, int32_t source)
{
    s->source[p] = source;
    s->step[p] = 0;
}

/* Whoever has come sits down. */
static enum t2_status seat_more(struct dec_seats *s, const struct dec_task *t, const bool *busy,
                                int32_t *n, struct t2_err *err)
{
    int32_t n_free = 0;

    for (int32_t p = 0; p < t->places && n_free < t->options->refill; p++)
        if (!busy[p])
            s->free[n_free++] = p;
    if (n_free == 0)
        return T2_OK;
    T2_TRY(t->model->more(t->model->context, n_free, s->free, n, err));
    T2_ASSERT(*n >= 0 && *n <= n_free);
    for (int32_t i = 0; i < *n; i++)
        seat(s, s->free[i], s->taken[i] = s->free[i]);
    return T2_OK;
}

enum t2_status dec_seats_refill(struct dec_seats *s, const struct dec_task *t, const bool *busy,
                                int32_t n_idle, int32_t *n, struct t2_err *err)
{
    int32_t left = t->batch - s->next, most = t->options->refill;

    *n = 0;
    if (dec_streams(t))
        return seat_more(s, t, busy, n, err);
    if (left == 0 || n_idle < (left < most ? left : most))
        return T2_OK;
    for (int32_t p = 0; p < t->places && *n < most && s->next < t->batch; p++)
        if (!busy[p]) {
            s->free[*n] = p;
            s->taken[(*n)++] = s->next;
            seat(s, p, s->next++);
        }
    return t->model->refill(t->model->context, *n, s->free, s->taken, err);
}

bool dec_repeats(const struct dec_task *t, int32_t b, const int32_t *ids, int32_t step, int32_t id)
{
    int32_t first = 0;

    while (first < step && dec_forced_id(t, b, first) >= 0)
        first++;
    return id != DEC_EOS &&
           dec_repeats_ngram(ids + first, step - first, id, t->options->no_repeat_ngram);
}

enum t2_status dec_fail_logits(int32_t row, int32_t step, struct t2_err *err)
{
    return t2_fail(err, T2_EFORMAT,
                   "decoding step %d, hypothesis %d: the model gives logits that are not finite "
                   "(has training diverged?)",
                   step, row);
}
