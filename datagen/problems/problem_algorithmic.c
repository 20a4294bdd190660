/*
 * datagen/problems/problem_algorithmic.c - T2T's algorithmic problems: the same cases for the same
 * seed.
 *
 * One generator runs through the train cases, then through the dev cases; records keep that order.
 */
#include "datagen/problems/algorithmic_cases.h"

#include <inttypes.h>

#include "base/alloc.h"
#include "datagen/problem_registry.h"
#include "datagen/stream.h"

enum { RESERVED = 2, EOS = 1 };

struct algorithmic {
    struct dg_case_rule rule;
    int train_length, dev_length;
    uint64_t train_cases, dev_cases;
    uint64_t drawn_before_dev; /* cases of train, when they are not train_cases */
    bool is_plain;             /* symbols are stored as they are, without EOS */
};

struct case_stream {
    struct dg_stream base;
    const struct algorithmic *a;
    struct dg_cases *cases;
    int max_length;
    uint64_t n_left;
    struct row {
        int64_t *items;
        size_t capacity;
    } rows[DG_N_SIDES];
};

static void store(const struct case_stream *s, struct row *row, const int64_t *symbols, size_t n,
                  struct dg_sample *sample, int side)
{
    if (n + 1 > row->capacity) {
        row->capacity = 2 * (n + 1);
        row->items = t2_realloc(row->items, row->capacity, sizeof *row->items);
    }
    for (size_t i = 0; i < n; i++)
        row->items[i] = symbols[i] + (s->a->is_plain ? 0 : RESERVED);
    if (!s->a->is_plain)
        row->items[n++] = EOS;
    sample->numbers[side] = row->items;
    sample->n_numbers[side] = n;
}

static enum t2_status case_next(struct dg_stream *base, struct dg_sample *sample,
                                struct t2_err *err)
{
    struct case_stream *s = (struct case_stream *) base;
    struct dg_case one;

    (void) err;
    if (s->n_left == 0)
        return T2_EOF;
    s->n_left--;
    dg_cases_next(s->cases, s->max_length, &one);
    store(s, &s->rows[DG_INPUTS], one.inputs, one.n_inputs, sample, DG_INPUTS);
    store(s, &s->rows[DG_TARGETS], one.targets, one.n_targets, sample, DG_TARGETS);
    return T2_OK;
}

static void case_free(struct dg_stream *base)
{
    struct case_stream *s = (struct case_stream *) base;

    dg_cases_free(s->cases);
    t2_free(s->rows[DG_INPUTS].items);
    t2_free(s->rows[DG_TARGETS].items);
    t2_free(s);
}

static enum t2_status case_describe(struct dg_stream *base, struct dg_input_sizes *sizes,
                                    struct t2_err *err)
{
    const struct case_stream *s = (const struct case_stream *) base;

    (void) err;
    t2_buf_printf(&sizes->text, "    %" PRIu64 " drawn cases of length %d at most\n", s->n_left,
                  s->max_length);
    dg_sizes_add_cases(sizes, s->n_left, (uint64_t) s->max_length);
    return T2_OK;
}

static enum t2_status case_open(const struct dg_problem *p, const struct dg_options *options,
                                enum dg_split split, struct dg_stream **stream, struct t2_err *err)
{
    const struct algorithmic *a = p->context;
    struct case_stream *s;
    struct dg_case one;
    uint64_t n = a->drawn_before_dev ? a->drawn_before_dev : a->train_cases;

    if (options->random_seed > UINT32_MAX)
        return t2_fail(err, T2_EUSAGE,
                       "'%s': --random_seed must be below 2^32, as for NumPy's generator", p->name);
    s = t2_alloc(1, sizeof *s);
    s->base.next = case_next;
    s->base.free = case_free;
    s->base.describe = case_describe;
    s->base.is_clean = true;
    s->a = a;
    s->cases = dg_cases_new(&a->rule, (uint32_t) options->random_seed);
    s->max_length = split == DG_TRAIN ? a->train_length : a->dev_length;
    s->n_left = split == DG_TRAIN ? a->train_cases : a->dev_cases;
    for (uint64_t i = 0; i < n && split == DG_DEV; i++)
        dg_cases_next(s->cases, a->train_length, &one);
    *stream = &s->base;
    return T2_OK;
}

/* symbols: how many different ones there are, in inputs and targets. */
#define PROBLEM(name_, summary_, symbols_, shards_, ...)                                           \
    {                                                                                              \
        .name = name_, .summary = summary_, .has_inputs = true, .shared_vocab = true,              \
        .targets_vocab = {.kind = DG_VOCAB_NUMBERS, .approx_size = (symbols_) + RESERVED},         \
        .n_shards = {shards_, 1, 0}, .sharding.already_shuffled = true,                            \
        .input_space_id = DG_SPACE_DIGIT_0, .target_space_id = DG_SPACE_DIGIT_1,                   \
        .revision = "cases of T2T 1.15.7", .open = case_open,                                      \
        .context = &(const struct algorithmic){__VA_ARGS__},                                       \
    }

#define IDENTITY(symbols)                                                                          \
    {                                                                                              \
        DG_CASE_IDENTITY, symbols, 0                                                               \
    }
#define REVERSE(symbols)                                                                           \
    {                                                                                              \
        DG_CASE_REVERSE, symbols, 0                                                                \
    }
#define ZIPF(symbols, alpha)                                                                       \
    {                                                                                              \
        DG_CASE_REVERSE_ZIPF, symbols, alpha                                                       \
    }
#define ADDITION(base)                                                                             \
    {                                                                                              \
        DG_CASE_ADDITION, base, 0                                                                  \
    }
#define MULTIPLICATION(base)                                                                       \
    {                                                                                              \
        DG_CASE_MULTIPLICATION, base, 0                                                            \
    }
#define SHIFT_CIPHER(symbols)                                                                      \
    {                                                                                              \
        DG_CASE_CIPHER_SHIFT, symbols, 0                                                           \
    }
#define VIGENERE(symbols)                                                                          \
    {                                                                                              \
        DG_CASE_CIPHER_VIGENERE, symbols, 0                                                        \
    }

/* clang-format off */
static const struct dg_problem problems[] = {
    PROBLEM("algorithmic_addition_binary40", "binary numbers and their sum", 3, 10,
            ADDITION(2), 40, 400, 100000, 10000, 0, false),
    PROBLEM("algorithmic_addition_decimal40", "decimal numbers and their sum", 11, 10,
            ADDITION(10), 40, 400, 100000, 10000, 0, false),
    PROBLEM("algorithmic_cipher_shift200", "200 symbols, each replaced by the one before", 200, 10,
            SHIFT_CIPHER(200), 100, 100, 100000, 10000, 0, false),
    PROBLEM("algorithmic_cipher_shift5", "5 symbols, each replaced by the one before", 5, 10,
            SHIFT_CIPHER(5), 100, 100, 100000, 10000, 0, false),
    PROBLEM("algorithmic_cipher_vigenere200", "200 symbols under the Vigenere key 1, 3", 200, 10,
            VIGENERE(200), 200, 200, 100000, 10000, 0, false),
    PROBLEM("algorithmic_cipher_vigenere5", "5 symbols under the Vigenere key 1, 3", 5, 10,
            VIGENERE(5), 200, 200, 100000, 10000, 0, false),
    PROBLEM("algorithmic_identity_binary40", "copy 2 symbols", 2, 10,
            IDENTITY(2), 40, 400, 100000, 10000, 0, false),
    PROBLEM("algorithmic_identity_decimal40", "copy 10 symbols", 10, 10,
            IDENTITY(10), 40, 400, 100000, 10000, 0, false),
    PROBLEM("algorithmic_identity_vocab95_train20_eval30", "copy 95 symbols", 95, 10,
            IDENTITY(95), 20, 30, 1000000, 10000, 0, false),
    PROBLEM("algorithmic_multiplication_binary40", "binary numbers and their product", 3, 10,
            MULTIPLICATION(2), 40, 400, 100000, 10000, 0, false),
    PROBLEM("algorithmic_multiplication_decimal40", "decimal numbers and their product", 11, 10,
            MULTIPLICATION(10), 40, 400, 100000, 10000, 0, false),
    PROBLEM("algorithmic_reverse_binary40", "reverse 2 symbols", 2, 10,
            REVERSE(2), 40, 400, 100000, 10000, 0, false),
    PROBLEM("algorithmic_reverse_binary40_test", "the same, small", 2, 1,
            REVERSE(2), 10, 10, 1000, 100, 0, false),
    PROBLEM("algorithmic_reverse_decimal40", "reverse 10 symbols", 10, 10,
            REVERSE(10), 40, 400, 100000, 10000, 0, false),
    PROBLEM("algorithmic_reverse_nlplike32k", "reverse 32000 symbols as frequent as words", 32001, 10,
            ZIPF(32000, 1.050), 70, 70, 100000, 10000, 0, false),
    PROBLEM("algorithmic_reverse_nlplike8k", "reverse 8000 symbols as frequent as words", 8001, 10,
            ZIPF(8000, 1.300), 70, 70, 100000, 10000, 0, false),
    PROBLEM("algorithmic_shift_decimal40", "10 symbols, each replaced by the one ten higher", 20, 10,
            {DG_CASE_SHIFT, 20, 0}, 40, 80, 100000, 10000, 0, false),
    PROBLEM("algorithmic_sort_problem", "sort 20 symbols", 20, 10,
            {DG_CASE_SORT, 20, 0}, 10, 20, 100000, 10000, 0, false),
    /* the 101st case is drawn before the original sees that 100 are enough */
    PROBLEM("tiny_algo", "copy 2 symbols, 100 cases", 2, 1, IDENTITY(2), 40, 400, 100, 100, 101, true),
};
/* clang-format on */

const struct dg_family dg_family_algorithmic = {"Algorithms", problems,
                                                sizeof problems / sizeof *problems};
