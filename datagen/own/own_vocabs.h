/*
 * datagen/own/own_vocabs.h - the vocabularies of text of one's own, by the flags of t2t-datagen.
 */
#ifndef DG_OWN_VOCABS_H
#define DG_OWN_VOCABS_H

#include "datagen/own/own_kinds.h"
#include "datagen/own/problem_own_text.h"
#include "tokenizer/encoder.h"

/* What the vocabularies of a problem borrow.  Zero-initialise. */
struct dg_own_vocabs {
    char suffix[DG_N_SIDES][TOK_FILE_SUFFIX_BYTES];
    char *oov_token[DG_N_SIDES];
};

/*
 * Sets p->shared_vocab and the two vocabularies for text; of a kind with one side of text both are
 * that side's.  p->has_inputs is set before.  No member of flags is NULL.  T2_EUSAGE: flags that
 * contradict each other, or the kind; a vocabulary that is given is read.
 */
T2_MUST_CHECK enum t2_status dg_own_vocabs_choose(const struct dg_own_text *flags,
                                                  const struct dg_own_kind *kind,
                                                  struct dg_problem *p, struct dg_own_vocabs *v,
                                                  struct t2_err *err);
void dg_own_vocabs_release(struct dg_own_vocabs *v);

#endif
