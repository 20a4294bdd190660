/*
 * datagen/problems/number_words.h - numbers in English and German, in words and in figures.
 *
 * Part of the grammar of translate_ende_numbers (numbers_grammar.h).
 */
#ifndef DG_NUMBER_WORDS_H
#define DG_NUMBER_WORDS_H

#include <stdint.h>

#include "base/buf.h"

/* 0 <= n < 10000: "three hundred and forty-five". */
void dg_en_number(struct t2_buf *out, int n);
/* "dreihundertfünfundvierzig"; 1 is "eins", as in counting and clock times. */
void dg_de_number(struct t2_buf *out, int n);

/* 1 <= n < 100: "twenty-first". */
void dg_en_ordinal(struct t2_buf *out, int n);
/* "einundzwanzigst", to which an ending is added. */
void dg_de_ordinal_stem(struct t2_buf *out, int n);
/* "st", "nd", "rd", "th" of 1st, 2nd, 3rd, 11th. */
const char *dg_en_ordinal_suffix(int n);

/* "1,234,567" and "1.234.567". */
void dg_en_figures(struct t2_buf *out, int64_t n);
void dg_de_figures(struct t2_buf *out, int64_t n);
/* hundredths: "1,234.50" and "1.234,50". */
void dg_en_hundredths(struct t2_buf *out, int64_t hundredths);
void dg_de_hundredths(struct t2_buf *out, int64_t hundredths);

#endif
