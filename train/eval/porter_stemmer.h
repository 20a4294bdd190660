/*
 * train/eval/porter_stemmer.h - stems of English words (Porter 1980), with the changes of NLTK's
 * PorterStemmer in its default mode, which rouge-score uses.
 */
#ifndef EV_PORTER_STEMMER_H
#define EV_PORTER_STEMMER_H

#include <stddef.h>

/* Bytes that a stem may have more than its word. */
enum { EV_STEM_EXTRA_BYTES = 1 };

/* Replaces a word of lower case ASCII letters and digits by its stem; returns the new length. There
 * is room for EV_STEM_EXTRA_BYTES more. */
size_t ev_porter_stem(char *word, size_t len_bytes);

#endif
