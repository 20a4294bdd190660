/*
 * datagen/problems/numbers_phrases.h - the phrases of translate_ende_numbers: counted things,
 * times, dates.
 *
 * Each function draws at random and appends the same meaning to an English and a German buffer.
 */
#ifndef DG_NUMBERS_PHRASES_H
#define DG_NUMBERS_PHRASES_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/rng.h"
#include "datagen/problems/numbers_lexicon.h"

/* A sentence that grows on both sides. */
struct dg_pair {
    struct t2_rng *rng;
    struct t2_buf en, de;
};
void dg_pair_clear(struct dg_pair *s);
void dg_pair_release(struct dg_pair *s);
void dg_put(struct dg_pair *s, const char *en, const char *de);

/* lo <= result <= hi */
int dg_draw(struct dg_pair *s, int lo, int hi);
bool dg_chance(struct dg_pair *s, int percent);
#define DG_PICK(s, table) (&dg_##table[dg_draw((s), 0, (int) dg_n_##table - 1)])

/* The subject at the beginning of the sentence, and forms of its verb. */
const struct dg_subject *dg_put_subject(struct dg_pair *s);
const char *dg_verb_en(const struct dg_verb *v, enum dg_person person);

/* "three red apples", "one cat": "drei rote Äpfel", "eine Katze".  Returns how many. */
int dg_put_counted(struct dg_pair *s, enum dg_case de_case);
/* "the new table", "the new tables"; first: at the beginning of a sentence.  Returns the noun. */
const struct dg_noun *dg_put_definite(struct dg_pair *s, enum dg_case de_case, bool plural,
                                      bool first);
/* "two kilos of apples", "half a liter of milk" in the accusative. */
void dg_put_measured(struct dg_pair *s);
/* "at half past seven": "um halb acht". */
void dg_put_time(struct dg_pair *s);
/* "on March 3rd": "am 3. März"; with_year only at the end of a sentence. */
void dg_put_date(struct dg_pair *s, bool with_year);
/* "12.50 euros": "12,50 Euro". */
void dg_put_price(struct dg_pair *s);
/* "three hours" in the accusative; with a preposition and the dative see dg_put_span. */
void dg_put_duration(struct dg_pair *s, const struct dg_time_unit *unit, int n, bool dative);
/* A sensible unit and number for "in ...", "for ...", "... ago". */
void dg_put_span(struct dg_pair *s);

#endif
