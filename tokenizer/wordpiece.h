/*
 * tokenizer/wordpiece.h - BERT's tokenizer over its vocab.txt: words, and their pieces as ids.
 *
 * Mirrors FullTokenizer of Model Garden's official/nlp/tools/tokenization.py; the rules are those
 * of a tokenizer.json (hf_tokenizer.h).  [CLS] and other specials in a text are text.
 */
#ifndef TOK_WORDPIECE_H
#define TOK_WORDPIECE_H

#include "tokenizer/encoder.h"

struct tok_wordpiece {
    int32_t cls, sep; /* [CLS], [SEP] */
    /* private */
    struct tok_encoder *e;
    struct t2_buf text, scratch;
};

/* cased: case and accents are kept.  T2_EUNSUPPORTED: an entry that every row needs is missing.
 * One thread each; released by the caller, also after a failure. */
T2_MUST_CHECK enum t2_status tok_wordpiece_load(const char *path, bool cased,
                                                struct tok_wordpiece *w, struct t2_err *err);
void tok_wordpiece_release(struct tok_wordpiece *w);
int32_t tok_wordpiece_size(const struct tok_wordpiece *w);

/* Appends the ids of a text.  T2_EFORMAT: it is longer than a text may be when it is normalised. */
T2_MUST_CHECK enum t2_status tok_wordpiece_ids(struct tok_wordpiece *w, struct t2_slice text,
                                               struct tok_ids *ids, struct t2_err *err);
/* Appends the words of a text, before they are cut into pieces, a blank between two. */
T2_MUST_CHECK enum t2_status tok_wordpiece_words(struct tok_wordpiece *w, struct t2_slice text,
                                                 struct t2_buf *words, struct t2_err *err);
/* Appends pieces as one text: "##" joins, a blank parts the others. */
void tok_wordpiece_text(const struct tok_wordpiece *w, const int32_t *ids, size_t n,
                        struct t2_buf *text);

#endif
