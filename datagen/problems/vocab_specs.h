/*
 * datagen/problems/vocab_specs.h - what tables of problems write again and again: vocabularies,
 * labels.
 */
#ifndef DG_VOCAB_SPECS_H
#define DG_VOCAB_SPECS_H

#include "datagen/problem.h"

/* clang-format off */
/* Initialisers of a struct dg_vocab_spec. */
#define DG_SUBWORDS(size) {.kind = DG_VOCAB_SUBWORDS, .approx_size = (size)}
#define DG_BYTES {.kind = DG_VOCAB_BYTES}
#define DG_LABELS(list) \
    {.kind = DG_VOCAB_CLASSES, .approx_size = sizeof list / sizeof *(list), .classes = (list)}
/* Vocabularies of other problems, by the original's names of these. */
#define DG_OF(owner, size) {.kind = DG_VOCAB_SUBWORDS, .approx_size = (size), .of_problem = (owner)}
#define DG_OF_LM1B DG_OF("languagemodel_lm1b32k", 32768)
#define DG_OF_EN_WIKI DG_OF("languagemodel_en_wiki32k", 32000)
#define DG_OF_EN_WIKI64 DG_OF("languagemodel_en_wiki64k", 64000)
#define DG_OF_MULTI64 DG_OF("languagemodel_de_en_fr_ro_wiki64k", 64000)

#define DG_COUNT(t) (sizeof(t) / sizeof *(t))
/* clang-format on */

#endif
