/*
 * datagen/problems/problem_transduction.c - rows of random words, to be copied, reversed or
 * swapped.
 *
 * T2T's transduction_problems.py, draw for draw: one stream goes round the shards of train and dev,
 * and the shuffle goes on with the generator that drew it.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/mt19937.h"
#include "datagen/problem_registry.h"
#include "datagen/stream.h"

enum change { COPY, REVERSE, SWAP_PAIRS };

struct transduction {
    enum change change;
    int symbols, min_length, max_length; /* of a row; SWAP_PAIRS: both even */
    uint64_t n_samples;
};

enum { MAX_LENGTH = 64 };

struct transduction_stream {
    struct dg_stream base;
    const struct transduction *t;
    struct t2_mt mt;
    uint64_t n_left;
    struct t2_buf text[DG_N_SIDES];
};

static int draw_row(const struct transduction *t, struct t2_mt *mt, int row[MAX_LENGTH])
{
    uint64_t n_lengths = (uint64_t) t->max_length - (uint64_t) t->min_length + 1;
    int n = t->min_length + (int) t2_mt_below(mt, n_lengths);

    if (t->change == SWAP_PAIRS)
        n -= n % 2;
    for (int i = 0; i < n; i++)
        row[i] = (int) t2_mt_below(mt, (uint64_t) t->symbols) + 1;
    return n;
}

static enum t2_status transduction_next(struct dg_stream *base, struct dg_sample *sample,
                                        struct t2_err *err)
{
    struct transduction_stream *s = (struct transduction_stream *) base;
    int row[MAX_LENGTH], n;

    (void) err;
    if (s->n_left == 0)
        return T2_EOF;
    s->n_left--;
    n = draw_row(s->t, &s->mt, row);
    t2_buf_clear(&s->text[DG_INPUTS]);
    t2_buf_clear(&s->text[DG_TARGETS]);
    for (int i = 0; i < n; i++) {
        int k = s->t->change == COPY ? i : s->t->change == REVERSE ? n - 1 - i : i ^ 1;
        t2_buf_printf(&s->text[DG_INPUTS], "%ssym_%d", i ? " " : "", row[i]);
        t2_buf_printf(&s->text[DG_TARGETS], "%ssym_%d", i ? " " : "", row[k]);
    }
    sample->inputs = t2_buf_slice(&s->text[DG_INPUTS]);
    sample->targets = t2_buf_slice(&s->text[DG_TARGETS]);
    return T2_OK;
}

static void transduction_free(struct dg_stream *base)
{
    struct transduction_stream *s = (struct transduction_stream *) base;

    t2_buf_release(&s->text[DG_INPUTS]);
    t2_buf_release(&s->text[DG_TARGETS]);
    t2_free(s);
}

static enum t2_status transduction_describe(struct dg_stream *base, struct dg_input_sizes *sizes,
                                            struct t2_err *err)
{
    const struct transduction_stream *s = (const struct transduction_stream *) base;

    (void) err;
    t2_buf_printf(&sizes->text, "    %" PRIu64 " drawn rows of %d to %d words\n", s->n_left,
                  s->t->min_length, s->t->max_length);
    dg_sizes_add_cases(sizes, s->n_left, 7 * (uint64_t) (s->t->min_length + s->t->max_length));
    return T2_OK;
}

static enum t2_status transduction_open(const struct dg_problem *p,
                                        const struct dg_options *options, enum dg_split split,
                                        struct dg_stream **stream, struct t2_err *err)
{
    struct transduction_stream *s = t2_alloc(1, sizeof *s);

    (void) split;
    (void) err;
    s->base.next = transduction_next;
    s->base.free = transduction_free;
    s->base.describe = transduction_describe;
    s->base.is_clean = true;
    s->t = p->context;
    s->n_left = s->t->n_samples;
    t2_mt_seed_python(&s->mt, options->random_seed);
    *stream = &s->base;
    return T2_OK;
}

static enum t2_status transduction_before_shuffle(const struct dg_problem *p,
                                                  const struct dg_options *options,
                                                  struct t2_mt *mt, struct t2_err *err)
{
    const struct transduction *t = p->context;
    int row[MAX_LENGTH];

    (void) options;
    (void) err;
    for (uint64_t i = 0; i < t->n_samples; i++)
        (void) draw_row(t, mt, row);
    return T2_OK;
}

/* <pad>, <EOS> and the words, sorted as text. */
static enum t2_status transduction_vocab(const struct dg_problem *p,
                                         const struct dg_options *options, enum dg_side_index side,
                                         const char *path, struct t2_err *err)
{
    const struct transduction *t = p->context;
    struct t2_strs words = {0};
    struct t2_out *out = NULL;
    enum t2_status st;

    (void) options;
    (void) side;
    for (int k = 1; k <= t->symbols; k++)
        t2_strs_take(&words, t2_asprintf("sym_%d", k));
    t2_strs_sort(&words);
    st = t2_out_new(path, &out, err);
    if (st == T2_OK) {
        t2_out_puts(out, "<pad>\n<EOS>\n");
        for (size_t i = 0; i < words.n; i++)
            t2_out_printf(out, "%s\n", words.items[i]);
        st = t2_out_commit(out, err);
    }
    t2_strs_release(&words);
    return st;
}

#define PROBLEM(name_, summary_, ...)                                                              \
    {                                                                                              \
        .name = name_, .summary = summary_, .has_inputs = true, .shared_vocab = true,              \
        .targets_vocab = {.kind = DG_VOCAB_TOKENS}, .n_shards = {100, 1, 0},                       \
        .sharding.one_stream = true, .revision = "rows of T2T 1.15.7", .open = transduction_open,  \
        .vocab.make = transduction_vocab, .sharding.before_shuffle = transduction_before_shuffle,  \
        .context = &(const struct transduction){__VA_ARGS__},                                      \
    }

/* clang-format off */
static const struct dg_problem problems[] = {
    PROBLEM("copy_sequence", "copy rows of 128 words", COPY, 128, 8, 64, 1000000),
    PROBLEM("copy_sequence_small", "copy rows of 64 words", COPY, 64, 4, 16, 100000),
    PROBLEM("flip_bi_gram_sequence", "swap the words of each pair", SWAP_PAIRS, 128, 8, 64, 1000000),
    PROBLEM("reverse_sequence", "reverse rows of 128 words", REVERSE, 128, 8, 64, 1000000),
    PROBLEM("reverse_sequence_small", "reverse rows of 64 words", REVERSE, 64, 4, 16, 100000),
};
/* clang-format on */

const struct dg_family dg_family_transduction = {"Rows of words", problems,
                                                 sizeof problems / sizeof *problems};
