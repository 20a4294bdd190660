/*
 * train/eval/bleu_tokenizer.h - sacreBLEU's tokenizers by name: 13a, intl, zh, char, none; ja-mecab
 * by MeCab, flores200, flores101, spm and spBLEU-1K by a SentencePiece model.
 */
#ifndef EV_BLEU_TOKENIZER_H
#define EV_BLEU_TOKENIZER_H

#include "base/buf.h"
#include "base/err.h"

/* The names, blanks between them. */
extern const char ev_tokenizer_names[];

struct ev_tokenizer;      /* immutable: shared by threads */
struct ev_tokenizer_work; /* working memory of one thread */

/*
 * model is the SentencePiece file; "" or NULL: where sacreBLEU keeps its own, $SACREBLEU/models or
 * ~/.sacrebleu/models.  dictionary is MeCab's folder; "" or NULL: Debian's IPA dictionary.
 *
 * T2_EUSAGE: no such name.  T2_EUNSUPPORTED: ko-mecab.  T2_ENOTFOUND: no model, no MeCab, no
 * dictionary; the message says what to install or to give.  T2_EFORMAT: another file or dictionary.
 */
T2_MUST_CHECK enum t2_status ev_tokenizer_new(const char *name, const char *model,
                                              const char *dictionary, struct ev_tokenizer **t,
                                              struct t2_err *err);
void ev_tokenizer_free(struct ev_tokenizer *t);
/* As in sacreBLEU's signature: "13a", "ja-mecab-0.996-IPA", "flores200".  Borrowed. */
const char *ev_tokenizer_signature(const struct ev_tokenizer *t);

struct ev_tokenizer_work *ev_tokenizer_work_new(const struct ev_tokenizer *t);
void ev_tokenizer_work_free(struct ev_tokenizer_work *w);
/* Appends the tokens of a line (UTF-8) to an empty buffer, joined by single blanks. */
T2_MUST_CHECK enum t2_status ev_tokenizer_cut(struct ev_tokenizer_work *w, struct t2_slice line,
                                              struct t2_buf *tokens, struct t2_err *err);

#endif
