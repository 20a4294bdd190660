/*
 * train/models/pixel_sampler.c - see the header.
 *
 * A graph of one position, and for each layer keys and values of two blocks of local attention:
 * what a query sees.  The first fills up with the first block; when the second is full its rows
 * become the first, so that a cache's row is not the position but the place in the two blocks.
 * Attentions that reach further, or in two dimensions, keep all positions, in the order in which
 * they are written, and say of each which it sees.
 * Logits come to the host, where a value is drawn: 256 numbers an image, less than what a step
 * computes for them by a factor of thousands.
 */
#include "train/models/pixel_sampler.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/rng.h"
#include "base/signals.h"
#include "train/models/model_parts.h"
#include "train/models/positions.h"

enum { COLOURS = 3, PER_MIXTURE = 10 };

struct mdl_pixel_sampler {
    struct mdl *m;
    struct mdl_pixel_draw draw;
    struct mdl_pixel_step step;
    struct gr_graph *g;
    void *arena, *caches;
    int64_t n_positions;
    int32_t *ids;   /* (rows): what is uploaded */
    int32_t *seen;  /* (rows, positions), likewise; NULL where a step sees all that is kept */
    int64_t *place; /* (positions): which is written n-th */
    float *pixels;  /* (rows, 3) */
    float *keep;    /* (rows) */
    float *logits;  /* (rows, columns) */
    int64_t columns;
};

/* ---- life ---- */

static size_t cache_bytes(const struct mdl_pixel_sampler *s)
{
    size_t bytes = 0;

    for (int32_t i = 0; i < s->step.n_layers; i++)
        bytes += gr_bytes(s->step.k[i]) + gr_bytes(s->step.v[i]);
    return bytes;
}

static void place_caches(struct mdl_pixel_sampler *s)
{
    char *at = s->caches;

    for (int32_t i = 0; i < s->step.n_layers; i++) {
        s->step.k[i]->value = at;
        at += gr_bytes(s->step.k[i]);
        s->step.v[i]->value = at;
        at += gr_bytes(s->step.v[i]);
    }
}

static enum t2_status build(struct mdl_pixel_sampler *s, struct t2_err *err)
{
    struct mdl *m = s->m;
    const struct mdl_tables *tables = mdl_positions_plan(&m->positions, s->n_positions);
    const struct mdl_build b = {.model = m->kind->name,
                                .hp = m->eval_hp,
                                .problem = &m->problem,
                                .tables = tables,
                                .g = gr_new(m->dev, &m->params, false)};
    size_t bytes;

    s->g = b.g;
    T2_TRY(mdl_positions_make(&m->positions, tables, err));
    m->kind->build_pixel_step(&b, &s->step);
    T2_TRY(gr_finish(s->g, NULL, &s->step.logits, 1, err));
    bytes = cache_bytes(s);
    s->caches = m->dev->alloc(m->dev, bytes);
    if (!s->caches)
        return dev_fail_memory(m->dev, bytes, "keys and values of images that are drawn",
                               "make batch_size smaller", err);
    s->arena = m->dev->alloc(m->dev, s->g->arena_bytes);
    if (!s->arena)
        return dev_fail_memory(m->dev, s->g->arena_bytes, "activations", "make batch_size smaller",
                               err);
    place_caches(s);
    gr_bind(s->g, s->arena);
    return T2_OK;
}

enum t2_status mdl_pixel_sampler_check(const struct mdl *m, struct t2_err *err)
{
    if (!m->kind->image_positions)
        return t2_fail(err, T2_EUNSUPPORTED, "model '%s' makes no images", m->kind->name);
    if (!m->kind->build_pixel_step)
        return t2_fail(err, T2_EUNSUPPORTED,
                       "model '%s' does not draw images position by position; imagetransformer "
                       "does",
                       m->kind->name);
    if (m->kind->check_decoding)
        T2_TRY(m->kind->check_decoding(m->hp, err));
    return m->kind->check_drawn_image(m->hp, &m->problem.pixels, err);
}

enum t2_status mdl_pixel_sampler_new(struct mdl *m, const struct mdl_pixel_draw *draw,
                                     struct mdl_pixel_sampler **sampler, struct t2_err *err)
{
    struct mdl_pixel_sampler *s;
    size_t rows = (size_t) draw->rows;
    enum t2_status st;

    *sampler = NULL;
    T2_ASSERT(draw->rows > 0 && draw->temperature > 0.0);
    T2_TRY(mdl_pixel_sampler_check(m, err));
    s = t2_alloc(1, sizeof *s);
    s->m = m;
    s->draw = *draw;
    s->step.rows = draw->rows;
    s->n_positions = m->kind->image_positions(m->hp, &m->problem.pixels);
    st = build(s, err);
    if (st != T2_OK) {
        mdl_pixel_sampler_free(s);
        return st;
    }
    s->columns = s->step.logits->n / draw->rows;
    s->ids = t2_alloc(rows, sizeof *s->ids);
    s->keep = t2_alloc(rows, sizeof *s->keep);
    s->pixels = t2_alloc(rows * COLOURS, sizeof *s->pixels);
    s->logits = t2_alloc(rows * (size_t) s->columns, sizeof *s->logits);
    s->place = t2_alloc((size_t) s->n_positions, sizeof *s->place);
    for (int64_t n = 0; n < s->n_positions; n++)
        s->place[n] = m->kind->pixel_place(m->hp, &m->problem.pixels, n);
    if (s->step.seen[0])
        s->seen = t2_alloc(rows * (size_t) s->n_positions, sizeof *s->seen);
    *sampler = s;
    return T2_OK;
}

void mdl_pixel_sampler_free(struct mdl_pixel_sampler *s)
{
    if (!s)
        return;
    if (s->g)
        gr_free(s->g);
    s->m->dev->free(s->m->dev, s->arena);
    s->m->dev->free(s->m->dev, s->caches);
    t2_free(s->ids);
    t2_free(s->keep);
    t2_free(s->pixels);
    t2_free(s->logits);
    t2_free(s->place);
    t2_free(s->seen);
    t2_free(s);
}

/* ---- a step ---- */

/* The last block's keys and values become the block before. */
static void turn_block(struct mdl_pixel_sampler *s)
{
    struct dev *dev = s->m->dev;

    for (int32_t i = 0; i < 2 * s->step.n_layers; i++) {
        struct gr_tensor *cache = i % 2 ? s->step.v[i / 2] : s->step.k[i / 2];
        size_t block = gr_bytes(cache) / (size_t) s->step.rows / 2;

        for (int32_t r = 0; r < s->step.rows; r++) {
            char *row = (char *) cache->value + 2 * block * (size_t) r;

            dev->copy(dev, row, row + block, block);
        }
    }
}

static int64_t place_of(struct mdl_pixel_sampler *s, int64_t position)
{
    int64_t n = s->step.block, block = position / n;

    if (s->step.cache_rows < 2 * n || block == 0) /* one block for all, or the first */
        return position;
    if (block > 1 && position % n == 0)
        turn_block(s);
    return n + position % n;
}

static void upload_ids(const struct mdl_pixel_sampler *s, struct gr_tensor *t)
{
    if (t)
        s->m->dev->upload_now(s->m->dev, t->ids, s->ids, (size_t) s->step.rows * sizeof *s->ids);
}

static void upload_floats(const struct mdl_pixel_sampler *s, struct gr_tensor *t, const float *x)
{
    if (t)
        s->m->dev->upload_now(s->m->dev, t->value, x, gr_bytes(t));
}

/* What each layer sees of the n + 1 positions that are written with this one. */
static void feed_seen(struct mdl_pixel_sampler *s, int64_t n)
{
    const struct mdl *m = s->m;
    size_t bytes = (size_t) (n + 1) * sizeof *s->seen;

    for (int layer = 0; layer < s->step.n_layers; layer++) {
        m->kind->pixel_seen(m->hp, &m->problem.pixels, layer, s->place, n, s->seen);
        for (int32_t r = 1; r < s->step.rows; r++)
            memcpy(s->seen + r * (n + 1), s->seen, bytes);
        m->dev->upload_now(m->dev, s->step.seen[layer]->ids, s->seen,
                           bytes * (size_t) s->step.rows);
    }
}

/* Of the position that is written n-th what stands in front of it: a value of its channel, or three
 * of a pixel. */
static void feed(struct mdl_pixel_sampler *s, int64_t n, const int32_t *values)
{
    int64_t fed = s->m->kind->pixel_fed(s->m->hp, &s->m->problem.pixels, n);
    int64_t channels = s->m->problem.pixels.channels;
    int64_t per_image = mdl_pixels_length(&s->m->problem.pixels);

    for (int32_t r = 0; r < s->step.rows; r++) {
        const int32_t *image = values + r * per_image;

        s->keep[r] = fed >= 0 ? 1.0F : 0.0F;
        if (s->step.pixels)
            for (int c = 0; c < COLOURS; c++)
                s->pixels[COLOURS * r + c] =
                    fed >= 0 ? (float) image[COLOURS * fed + c] / 127.5F - 1.0F : 0.0F;
        else
            s->ids[r] = fed >= 0 ? (int32_t) (fed % channels * 256) + image[fed] : -1;
    }
    upload_ids(s, s->step.values);
    upload_floats(s, s->step.pixels, s->pixels);
    upload_floats(s, s->step.keep, s->keep);
    for (int32_t r = 0; r < s->step.rows; r++)
        s->ids[r] = (int32_t) s->place[n];
    upload_ids(s, s->step.position);
    if (s->seen)
        feed_seen(s, n);
}

/* ---- drawing ---- */

/* Which of n logits: in proportion to exp(logit / temperature), by u in [0, 1). */
static int64_t choose(const struct mdl_pixel_draw *draw, const float *logits, int64_t n, double u)
{
    double sum = 0.0, at = 0.0, largest = (double) logits[0];
    int64_t best = 0;

    for (int64_t i = 1; i < n; i++)
        if ((double) logits[i] > largest) {
            largest = (double) logits[i];
            best = i;
        }
    if (!draw->random)
        return best;
    for (int64_t i = 0; i < n; i++)
        sum += exp(((double) logits[i] - largest) / draw->temperature);
    for (int64_t i = 0; i < n; i++) {
        at += exp(((double) logits[i] - largest) / draw->temperature);
        if (at > u * sum)
            return i;
    }
    return best;
}

static int32_t level_of(double x)
{
    double clipped = x < -1.0 ? -1.0 : x > 1.0 ? 1.0 : x;

    return (int32_t) lrint((clipped + 1.0) * 127.5);
}

/* A pixel of a mixture (struct dev_mixture_loss): one of its logistics, then red, green by red,
 * blue by both. */
static void draw_mixture(const struct mdl_pixel_draw *draw, const float *params, int64_t columns,
                         struct t2_rng *rng, int32_t *pixel)
{
    int64_t K = columns / PER_MIXTURE;
    int64_t m = choose(draw, params, K, t2_rng_uniform_double(rng));
    const float *mean = params + K + 3 * m, *scale = params + 4 * K + 3 * m;
    const float *a = params + 7 * K + 3 * m;
    double x[COLOURS];

    for (int c = 0; c < COLOURS; c++) {
        double u = t2_rng_uniform_double(rng), log_scale = fmax((double) scale[c], -7.0);

        x[c] = (double) mean[c];
        if (c == 1)
            x[c] += tanh((double) a[0]) * x[0];
        if (c == 2)
            x[c] += tanh((double) a[1]) * x[0] + tanh((double) a[2]) * x[1];
        if (draw->random) {
            u = fmin(fmax(u, 1e-5), 1.0 - 1e-5); /* as PixelCNN++ cuts the tails */
            x[c] += draw->temperature * exp(log_scale) * (log(u) - log1p(-u));
        }
        pixel[c] = level_of(x[c]);
        x[c] = pixel[c] / 127.5 - 1.0;
    }
}

static void draw_values(struct mdl_pixel_sampler *s, int64_t position, uint64_t first,
                        int32_t *values)
{
    int64_t per_image = mdl_pixels_length(&s->m->problem.pixels);

    for (int32_t r = 0; r < s->step.rows; r++) {
        const float *logits = s->logits + r * s->columns;
        int32_t *image = values + r * per_image;
        struct t2_rng rng;

        t2_rng_init(&rng, s->draw.seed, T2_RNG_SAMPLE, (uint64_t) position, first + (uint64_t) r);
        if (s->step.pixels)
            draw_mixture(&s->draw, logits, s->columns, &rng, image + COLOURS * position);
        else
            image[position] =
                (int32_t) choose(&s->draw, logits, s->columns, t2_rng_uniform_double(&rng));
    }
}

/* A run that has lost its way makes no images. */
static enum t2_status check_logits(const struct mdl_pixel_sampler *s, int64_t position,
                                   struct t2_err *err)
{
    for (int64_t i = 0; i < s->step.rows * s->columns; i++)
        if (!isfinite(s->logits[i]))
            return t2_fail(err, T2_EFORMAT,
                           "the model gives position %lld of an image a value that is no finite "
                           "number",
                           (long long) position);
    return T2_OK;
}

enum t2_status mdl_pixel_sampler_draw(struct mdl_pixel_sampler *s, const int32_t *labels,
                                      uint64_t first, int32_t *values, void (*step)(void *context),
                                      void *context, struct t2_err *err)
{
    struct dev *dev = s->m->dev;

    for (int64_t n = 0; n < s->n_positions; n++) {
        struct gr_context now = {.position = place_of(s, n), .may_stop = true};
        int64_t position = s->place[n];

        if (s->step.labels)
            dev->upload_now(dev, s->step.labels->ids, labels, gr_bytes(s->step.labels));
        feed(s, n, values);
        gr_run_forward(s->g, &now);
        T2_TRY(t2_check_interrupt(err));
        dev->download(dev, s->logits, s->step.logits->value, gr_bytes(s->step.logits));
        T2_TRY(dev_check(dev, err));
        T2_TRY(check_logits(s, position, err));
        draw_values(s, position, first, values);
        if (step)
            step(context);
    }
    return T2_OK;
}
