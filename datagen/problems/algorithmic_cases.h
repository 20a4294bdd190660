/*
 * datagen/problems/algorithmic_cases.h - the cases of T2T's algorithmic problems: rows of symbols.
 *
 * The draws, and their order, are those of the original (algorithmic.py, cipher.py; spec
 * t2t-datagen.md §8.11).  Symbols are numbers from 0; what is stored is made of them in
 * problem_algorithmic.c.
 */
#ifndef DG_ALGORITHMIC_CASES_H
#define DG_ALGORITHMIC_CASES_H

#include "base/numpy_random.h"

enum dg_case_kind {
    DG_CASE_IDENTITY,
    DG_CASE_SHIFT, /* targets: the symbol ten higher */
    DG_CASE_REVERSE,
    DG_CASE_REVERSE_ZIPF, /* the same with symbols as frequent as words */
    DG_CASE_ADDITION, /* numbers, lowest digit first; `symbols` is their base and between the two */
    DG_CASE_MULTIPLICATION,
    DG_CASE_SORT,
    DG_CASE_CIPHER_SHIFT,
    DG_CASE_CIPHER_VIGENERE
};

struct dg_case_rule {
    enum dg_case_kind kind;
    int symbols;
    double alpha; /* Zipf: exponent of the frequencies */
};

/* The symbols of a case; borrowed until the next one. */
struct dg_case {
    const int64_t *inputs, *targets;
    size_t n_inputs, n_targets;
};

struct dg_cases;
/* rule is borrowed. */
struct dg_cases *dg_cases_new(const struct dg_case_rule *rule, uint32_t seed);
void dg_cases_free(struct dg_cases *c); /* NULL is allowed */
/* The next case of at most max_length symbols (ciphers: exactly so many). */
void dg_cases_next(struct dg_cases *c, int max_length, struct dg_case *one);

#endif
