/*
 * datagen/problems/algorithmic_cases.c - rows of symbols.
 */
#include "datagen/problems/algorithmic_cases.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/err.h"

enum { SHIFT = 10, SKEWED_SYMBOLS = 5 };

struct row {
    int64_t *items;
    size_t n, capacity;
};

struct dg_cases {
    const struct dg_case_rule *rule;
    struct t2_numpy random;
    double *frequencies; /* cumulative; of symbols that are not equally frequent */
    struct row inputs, targets;
};

static bool is_cipher(const struct dg_case_rule *rule)
{
    return rule->kind == DG_CASE_CIPHER_SHIFT || rule->kind == DG_CASE_CIPHER_VIGENERE;
}

/* zipf_distribution: 0, then the cumulative weights 1^-alpha, 2^-alpha ... */
static double *zipf(int symbols, double alpha)
{
    double *f = t2_alloc((size_t) symbols + 1, sizeof *f), sum = 0;

    for (int i = 1; i <= symbols; i++) {
        sum += pow(i, -alpha);
        f[i] = sum;
    }
    for (int i = 1; i <= symbols; i++)
        f[i] /= sum;
    return f;
}

/* Five symbols have these weights, more are as frequent as their numbers are high. */
static double *cipher_frequencies(int symbols)
{
    static const double skewed[SKEWED_SYMBOLS] = {0.4, 0.3, 0.2, 0.08, 0.02};
    double *f = t2_alloc((size_t) symbols, sizeof *f);
    double sum = (double) symbols * (symbols - 1) / 2;

    for (int i = 0; i < symbols; i++)
        f[i] = symbols == SKEWED_SYMBOLS ? skewed[i] : i / sum;
    t2_numpy_cumulate(f, (size_t) symbols);
    return f;
}

struct dg_cases *dg_cases_new(const struct dg_case_rule *rule, uint32_t seed)
{
    struct dg_cases *c = t2_alloc(1, sizeof *c);

    c->rule = rule;
    if (rule->kind == DG_CASE_REVERSE_ZIPF)
        c->frequencies = zipf(rule->symbols, rule->alpha);
    else if (is_cipher(rule))
        c->frequencies = cipher_frequencies(rule->symbols);
    t2_numpy_seed(&c->random, seed);
    return c;
}

void dg_cases_free(struct dg_cases *c)
{
    if (!c)
        return;
    t2_free(c->frequencies);
    t2_free(c->inputs.items);
    t2_free(c->targets.items);
    t2_free(c);
}

static void push(struct row *r, int64_t symbol)
{
    if (r->n == r->capacity) {
        r->capacity = r->capacity ? 2 * r->capacity : 1024;
        r->items = t2_realloc(r->items, r->capacity, sizeof *r->items);
    }
    r->items[r->n++] = symbol;
}

static int below(struct dg_cases *c, int n)
{
    return (int) t2_numpy_randint(&c->random, (uint32_t) n);
}

static void draw_symbols(struct dg_cases *c, int n, int symbols)
{
    for (int i = 0; i < n; i++)
        push(&c->inputs, below(c, symbols));
}

/* The first i with frequencies[i] >= u: searchsorted(side='left'). */
static int zipf_symbol(struct dg_cases *c)
{
    double u = t2_numpy_random(&c->random);
    int low = 0, high = c->rule->symbols + 1;

    while (low < high) {
        int middle = (low + high) / 2;
        if (c->frequencies[middle] < u)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void draw_zipf(struct dg_cases *c, int max_length)
{
    double length = t2_numpy_normal(&c->random, max_length / 2.0, max_length / 10.0);
    int n = (int) (fabs(length) + 1);

    for (int i = 0; i < n; i++)
        push(&c->inputs, zipf_symbol(c));
}

static void draw_cipher(struct dg_cases *c, int length)
{
    static const int key[] = {1, 3};
    int symbols = c->rule->symbols;

    for (int i = 0; i < length; i++) {
        int plain = (int) t2_numpy_choice(&c->random, c->frequencies, (size_t) c->rule->symbols);
        int shift = c->rule->kind == DG_CASE_CIPHER_SHIFT ? 1 : key[i % 2];
        push(&c->inputs, plain);
        push(&c->targets, (plain - shift + symbols) % symbols);
    }
}

/* ---- numbers ---- */

static void draw_number(struct dg_cases *c, int n_digits)
{
    int base = c->rule->symbols;

    if (n_digits == 1) {
        push(&c->inputs, below(c, base));
        return;
    }
    draw_symbols(c, n_digits - 1, base);
    push(&c->inputs, below(c, base - 1) + 1); /* the highest is not 0 */
}

static void add_at(struct row *sum, size_t place, int64_t value, int base)
{
    for (; value > 0; place++) {
        value += sum->items[place];
        sum->items[place] = value % base;
        value /= base;
    }
}

static void calculate(struct dg_cases *c, size_t n1)
{
    const int64_t *a = c->inputs.items, *b = a + n1 + 1;
    size_t n2 = c->inputs.n - n1 - 1;
    int base = c->rule->symbols;

    for (size_t i = 0; i < n1 + n2 + 1; i++)
        push(&c->targets, 0);
    for (size_t i = 0; i < n1; i++) {
        if (c->rule->kind == DG_CASE_ADDITION)
            add_at(&c->targets, i, a[i], base);
        for (size_t k = 0; k < n2 && c->rule->kind == DG_CASE_MULTIPLICATION; k++)
            add_at(&c->targets, i + k, a[i] * b[k], base);
    }
    for (size_t k = 0; k < n2 && c->rule->kind == DG_CASE_ADDITION; k++)
        add_at(&c->targets, k, b[k], base);
    while (c->targets.n > 1 && c->targets.items[c->targets.n - 1] == 0)
        c->targets.n--;
}

static void draw_numbers(struct dg_cases *c, int max_length)
{
    int n1 = below(c, max_length / 2) + 1;
    int n2 = below(c, max_length - n1 - 1) + 1;

    draw_number(c, n1);
    push(&c->inputs, c->rule->symbols);
    draw_number(c, n2);
    calculate(c, (size_t) n1);
}

/* ---- rows ---- */

static int compare(const void *a, const void *b)
{
    int64_t x = *(const int64_t *) a, y = *(const int64_t *) b;

    return (x > y) - (x < y);
}

static void copy_to_targets(struct dg_cases *c)
{
    size_t n = c->inputs.n;

    for (size_t i = 0; i < n; i++) {
        switch (c->rule->kind) {
        case DG_CASE_REVERSE:
        case DG_CASE_REVERSE_ZIPF:
            push(&c->targets, c->inputs.items[n - 1 - i]);
            break;
        case DG_CASE_SHIFT:
            push(&c->targets, c->inputs.items[i] + SHIFT);
            break;
        default:
            push(&c->targets, c->inputs.items[i]);
            break;
        }
    }
    if (c->rule->kind == DG_CASE_SORT)
        qsort(c->targets.items, n, sizeof *c->targets.items, compare);
}

void dg_cases_next(struct dg_cases *c, int max_length, struct dg_case *one)
{
    int symbols = c->rule->symbols;

    c->inputs.n = c->targets.n = 0;
    switch (c->rule->kind) {
    case DG_CASE_ADDITION:
    case DG_CASE_MULTIPLICATION:
        draw_numbers(c, max_length);
        break;
    case DG_CASE_CIPHER_SHIFT:
    case DG_CASE_CIPHER_VIGENERE:
        draw_cipher(c, max_length);
        break;
    case DG_CASE_REVERSE_ZIPF:
        draw_zipf(c, max_length);
        copy_to_targets(c);
        break;
    case DG_CASE_SHIFT:
    case DG_CASE_IDENTITY:
    case DG_CASE_REVERSE:
    case DG_CASE_SORT:
        if (c->rule->kind == DG_CASE_SHIFT)
            symbols -= SHIFT;
        draw_symbols(c, below(c, max_length) + 1, symbols);
        copy_to_targets(c);
        break;
    }
    *one = (struct dg_case){c->inputs.items, c->targets.items, c->inputs.n, c->targets.n};
}
