/*
 * datagen/problems/numbers_grammar.h - a grammar that writes English sentences about numbers with
 * their German translations.
 *
 * Counted things, clock times, dates, prices, quantities, ages, distances, sums.  German inflects
 * as it should: einundzwanzig, am 3. März, Viertel nach sieben, 1.234,50 Euro, einen roten Apfel,
 * mit drei Hunden, in einer Stunde.
 */
#ifndef DG_NUMBERS_GRAMMAR_H
#define DG_NUMBERS_GRAMMAR_H

#include <stdint.h>

#include "base/buf.h"

/* Replaces *en and *de by sentence `index` of the seed.  A pure function: any thread, any order. */
void dg_numbers_sentence(uint64_t seed, uint64_t index, struct t2_buf *en, struct t2_buf *de);

#endif
