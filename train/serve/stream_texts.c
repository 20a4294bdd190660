/*
 * train/serve/stream_texts.c - texts that wait, and those that come while others are translated.
 *
 * A stream has places for texts of up to so many ids.  It ends when nobody is left.  So that it
 * ends, nobody else begins when
 *   - the oldest that waits is too long for it, or so short that it would be padded for nothing;
 *   - more wait than it has places, and another might have more;
 *   - most of its places have been free for long: they cost something, too;
 *   - the server wants it (a newer checkpoint), or after very many steps.
 */
#include "train/serve/row_work.h"

#include <string.h>

#include "base/alloc.h"
#include "base/progress.h"

enum {
    WIDTHS = 32, /* few shapes, of which each has graphs; of places the powers of 2 are enough */
    /* Up to this width all go together: a step costs the same, and to encode a short text among
     * long ones pads it to a quarter of the width (mdl_refill), 32 ids here. */
    TOGETHER = 128,
    FEW_PLACES = 8,
    FEW_STEPS = 256, /* long */
    GATHER_STEPS = 4,
    GATHER_OF = 16,
    MOST_STEPS = 1 << 24
};

/* A place in the stream: an instance in the model, since when. */
struct seat {
    struct srv_row row;
    double since_s;
    bool taken;
};

struct stream {
    struct srv_batches *b;
    size_t width, n_places, most_places, n_taken;
    int64_t n_steps, n_idle; /* n_idle: the last so many steps had few texts */
    int64_t n_held; /* those that wait have waited so many steps, where there were places */
    bool scarce;    /* memory has fewer places of this width than the settings allow */
    bool closing;   /* nobody else begins */
    struct seat *seats;
};

/* Does a text of n ids have a place among those of this width? */
static bool suits(size_t width, bool scarce, size_t n)
{
    return n <= width && ((width <= TOGETHER && !scarce) || srv_similar(width, n));
}

static size_t free_seat(const struct stream *s)
{
    size_t k = 0;

    while (s->seats[k].taken)
        k++;
    return k;
}

static bool should_close(struct stream *s)
{
    const struct srv_batches *b = s->b;
    bool idle = s->n_places > FEW_PLACES && 8 * (s->n_taken + b->n) <= s->n_places;

    s->n_idle = idle ? s->n_idle + 1 : 0;
    s->n_steps++;
    return (b->n > 0 && !suits(s->width, s->scarce, b->rows[0].ids.n)) ||
           (b->n > s->n_places - s->n_taken && s->n_places < s->most_places) ||
           s->n_idle > FEW_STEPS || s->n_steps > MOST_STEPS;
}

/* Where most places are taken it is worth to wait some steps for company: a few sources cost the
 * encoder as much as some more. */
static bool should_gather(struct stream *s)
{
    bool holds = s->b->n > 0 && 2 * s->n_taken > s->n_places && s->b->n < s->n_places / GATHER_OF &&
                 s->n_held < GATHER_STEPS;

    s->n_held = holds ? s->n_held + 1 : 0;
    return holds;
}

static int32_t more(void *context, int32_t n, struct tok_ids *sources, size_t *numbers)
{
    struct stream *s = context;
    struct srv_batches *b = s->b;
    int32_t given = 0;

    if (b->between && !b->between(b->context, b))
        s->closing = true;
    s->closing = s->closing || should_close(s);
    if (s->closing || should_gather(s))
        return 0;
    for (size_t i = 0; i < b->n && given < n;) {
        size_t k = free_seat(s);

        if (!suits(s->width, s->scarce, b->rows[i].ids.n)) {
            i++;
            continue;
        }
        s->seats[k] = (struct seat){srv_take_row(b, i), t2_now_s(), true};
        s->n_taken++;
        sources[given] = s->seats[k].row.ids; /* borrowed */
        numbers[given++] = k;
    }
    if (given > 0)
        srv_metrics_began(b->metrics, (int32_t) s->n_taken);
    return given;
}

static void ended(void *context, size_t number, const struct dec_hypothesis *h)
{
    struct stream *s = context;
    struct seat *seat = &s->seats[number];
    size_t n_best = (size_t) dec_n_best(s->b->hp);

    srv_metrics_ended(s->b->metrics, h[0].n_ids, t2_now_s() - seat->since_s);
    memcpy(seat->row.job->outputs + seat->row.at * n_best, h, n_best * sizeof *h);
    seat->taken = false;
    s->n_taken--;
    srv_finish_row(s->b, &seat->row);
}

/* Those that are in the model share its failure. */
static void give_up(struct stream *s, const struct t2_err *err)
{
    struct srv_row *rows = t2_alloc(s->n_taken, sizeof *rows);
    size_t n = 0;

    for (size_t k = 0; k < s->n_places; k++)
        if (s->seats[k].taken)
            rows[n++] = s->seats[k].row;
    srv_give_up(s->b, rows, n, err);
    for (size_t k = 0; k < n; k++)
        tok_ids_release(&rows[k].ids);
    t2_free(rows);
}

/* Of the longest that the oldest can go with; not below that of the last stream, where the oldest
 * suits it, so that a short text among longer ones does not make a stream of its own. */
static size_t width_for(const struct srv_batches *b, bool scarce)
{
    size_t n = b->rows[0].ids.n, width = n, few;

    for (size_t i = 1; i < b->n; i++)
        if (b->rows[i].ids.n > width && suits(b->rows[i].ids.n, scarce, n))
            width = b->rows[i].ids.n;
    few = (width + WIDTHS - 1) / WIDTHS * WIDTHS;
    width = suits(few, scarce, n) ? few : width;
    return b->width > width && suits(b->width, scarce, n) ? b->width : width;
}

/* For twice as many as wait now, n of the most there may be.  false: no stream. */
static bool find_places(const struct srv_batches *b, size_t width, int32_t *n, int32_t *most)
{
    struct t2_err none = T2_ERR_INIT;

    *most = (int32_t) srv_text_rows.most(b);
    if (!dec_can_stream(b->t, *most) || dec_fit(b->t, width, *most, most, &none) != T2_OK)
        return false;
    for (*n = FEW_PLACES; *n < *most && (size_t) *n < 2 * b->n;)
        *n *= 2;
    *n = *n < *most ? *n : *most;
    return dec_can_stream(b->t, *n);
}

enum t2_status srv_stream_texts(struct srv_batches *b, bool *streamed, struct t2_err *err)
{
    struct stream s = {.b = b, .width = width_for(b, false)};
    struct dec_stream of;
    int32_t places, most;
    enum t2_status st;

    dec_translator_refill(b->t, true);
    *streamed = find_places(b, s.width, &places, &most);
    s.scarce = *streamed && (size_t) most < srv_text_rows.most(b);
    if (s.scarce) {
        s.width = width_for(b, true);
        *streamed = find_places(b, s.width, &places, &most);
    }
    if (!*streamed)
        return T2_OK;
    b->width = s.width;
    s.n_places = (size_t) places;
    s.most_places = (size_t) most;
    s.seats = t2_alloc(s.n_places, sizeof *s.seats);
    of = (struct dec_stream){&s, s.width, places, more, ended};
    st = dec_translate_stream(b->t, &of, err);
    if (st != T2_OK)
        give_up(&s, err);
    t2_free(s.seats);
    return st;
}
