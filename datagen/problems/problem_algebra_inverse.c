/*
 * datagen/problems/problem_algebra_inverse.c - algorithmic_algebra_inverse: one of the seven names
 * that T2T serves without registering them (spec t2t-datagen.md §1.5).
 */
#include <inttypes.h>

#include "base/alloc.h"
#include "datagen/problem_registry.h"
#include "datagen/problems/algebra_inverse.h"
#include "datagen/stream.h"

enum { TRAIN_CASES = 100000, DEV_CASES = 10000, TRAIN_DEPTH = 2, DEV_DEPTH = 3 };

struct algebra_stream {
    struct dg_stream base;
    struct t2_mt mt;
    enum dg_split split;
    uint64_t n_left;
    struct t2_buf text[DG_N_SIDES], symbols[DG_N_SIDES];
};

static void draw(struct t2_mt *mt, enum dg_split split, struct t2_buf text[DG_N_SIDES])
{
    if (split == DG_TRAIN)
        dg_algebra_draw(mt, 0, TRAIN_DEPTH, &text[DG_INPUTS], &text[DG_TARGETS]);
    else
        dg_algebra_draw(mt, DEV_DEPTH, DEV_DEPTH, &text[DG_INPUTS], &text[DG_TARGETS]);
}

static void draw_all(struct t2_mt *mt, enum dg_split split, uint64_t n)
{
    struct t2_buf text[DG_N_SIDES] = {{0}};

    while (n-- > 0)
        draw(mt, split, text);
    t2_buf_release(&text[DG_INPUTS]);
    t2_buf_release(&text[DG_TARGETS]);
}

/* The original sees that there were max_cases when it holds one more. */
static uint64_t train_draws(const struct dg_options *options)
{
    return options->max_cases && options->max_cases < TRAIN_CASES ? options->max_cases + 1
                                                                  : TRAIN_CASES;
}

static enum t2_status algebra_next(struct dg_stream *base, struct dg_sample *sample,
                                   struct t2_err *err)
{
    struct algebra_stream *s = (struct algebra_stream *) base;

    (void) err;
    if (s->n_left == 0)
        return T2_EOF;
    s->n_left--;
    draw(&s->mt, s->split, s->text);
    for (int side = 0; side < DG_N_SIDES; side++) {
        t2_buf_clear(&s->symbols[side]);
        for (size_t i = 0; i < s->text[side].len_bytes; i++) {
            int64_t symbol = dg_algebra_symbol((char) s->text[side].data[i]);
            t2_buf_append(&s->symbols[side], &symbol, sizeof symbol);
        }
        sample->numbers[side] = (const int64_t *) (const void *) s->symbols[side].data;
        sample->n_numbers[side] = s->text[side].len_bytes;
    }
    return T2_OK;
}

static void algebra_free(struct dg_stream *base)
{
    struct algebra_stream *s = (struct algebra_stream *) base;

    for (int side = 0; side < DG_N_SIDES; side++) {
        t2_buf_release(&s->text[side]);
        t2_buf_release(&s->symbols[side]);
    }
    t2_free(s);
}

static enum t2_status algebra_describe(struct dg_stream *base, struct dg_input_sizes *sizes,
                                       struct t2_err *err)
{
    (void) err;
    t2_buf_printf(&sizes->text, "    %" PRIu64 " drawn equations\n",
                  ((const struct algebra_stream *) base)->n_left);
    dg_sizes_add_cases(sizes, ((const struct algebra_stream *) base)->n_left, 60);
    return T2_OK;
}

static enum t2_status algebra_open(const struct dg_problem *p, const struct dg_options *options,
                                   enum dg_split split, struct dg_stream **stream,
                                   struct t2_err *err)
{
    struct algebra_stream *s = t2_alloc(1, sizeof *s);

    (void) p;
    (void) err;
    s->base.next = algebra_next;
    s->base.free = algebra_free;
    s->base.describe = algebra_describe;
    s->base.is_clean = true;
    s->split = split;
    s->n_left = split == DG_TRAIN ? TRAIN_CASES : DEV_CASES;
    t2_mt_seed_python(&s->mt, options->random_seed);
    if (split == DG_DEV)
        draw_all(&s->mt, DG_TRAIN, train_draws(options));
    *stream = &s->base;
    return T2_OK;
}

static enum t2_status algebra_before_shuffle(const struct dg_problem *p,
                                             const struct dg_options *options, struct t2_mt *mt,
                                             struct t2_err *err)
{
    (void) p;
    (void) err;
    draw_all(mt, DG_TRAIN, train_draws(options));
    draw_all(mt, DG_DEV, DEV_CASES);
    return T2_OK;
}

static const struct dg_problem algebra_inverse = {
    .name = "algorithmic_algebra_inverse",
    .summary = "an equation and a letter, solved for it",
    .has_inputs = true,
    .shared_vocab = true,
    .targets_vocab = {.kind = DG_VOCAB_NUMBERS, .approx_size = DG_ALGEBRA_SYMBOLS},
    .n_shards = {10, 1, 0},
    .revision = "equations of T2T 1.15.7",
    .open = algebra_open,
    .sharding.before_shuffle = algebra_before_shuffle,
};

const struct dg_family dg_family_algebra = {"Algebra", &algebra_inverse, 1};
