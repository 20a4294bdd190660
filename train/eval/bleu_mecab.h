/*
 * train/eval/bleu_mecab.h - words of Japanese by MeCab and its IPA dictionary; the only user of
 * libmecab, which is opened when it is asked for.
 */
#ifndef EV_BLEU_MECAB_H
#define EV_BLEU_MECAB_H

#include "base/buf.h"
#include "base/err.h"

struct ev_mecab;        /* immutable: shared by threads */
struct ev_mecab_tagger; /* of one thread */

/* dictionary "" or NULL: Debian's.  T2_ENOTFOUND: no library, no dictionary; T2_EFORMAT: it is
 * another one than the IPA dictionary of sacreBLEU, in UTF-8. */
T2_MUST_CHECK enum t2_status ev_mecab_new(const char *dictionary, struct ev_mecab **m,
                                          struct t2_err *err);
void ev_mecab_free(struct ev_mecab *m);
const char *ev_mecab_version(const struct ev_mecab *m); /* "0.996"; borrowed */

/* NULL when memory is short. */
struct ev_mecab_tagger *ev_mecab_tagger_new(const struct ev_mecab *m);
void ev_mecab_tagger_free(struct ev_mecab_tagger *t);
/* Appends the words, blanks between them. */
T2_MUST_CHECK enum t2_status ev_mecab_cut(struct ev_mecab_tagger *t, struct t2_slice line,
                                          struct t2_buf *out, struct t2_err *err);

#endif
