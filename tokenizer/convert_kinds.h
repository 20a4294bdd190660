/*
 * tokenizer/convert_kinds.h - inside the conversions: the writers, and what they share.
 *
 * A writer fills c->file and adds to c->differences; a new pair is a function here and a line in
 * the table of convert.c.
 */
#ifndef TOK_CONVERT_KINDS_H
#define TOK_CONVERT_KINDS_H

#include "tokenizer/bpe_order.h"
#include "tokenizer/convert.h"
#include "tokenizer/encoder_kinds.h"

/* convert_notes.c */
void tok_differs(struct tok_conversion *c, const char *format, ...) T2_PRINTF(2, 3);
void tok_note(struct tok_conversion *c, const char *format, ...) T2_PRINTF(2, 3);
/* Says which entries merging does not give, if any. */
void tok_differs_by_splits(struct tok_conversion *c, const struct tok_splits *s);

typedef enum t2_status tok_convert_fn(const struct tok_encoder *e, struct tok_conversion *c,
                                      struct t2_err *err);

tok_convert_fn tok_official_from_t2t, tok_t2t_from_official, tok_list_from_any; /* write_lines.c */
tok_convert_fn tok_wordpiece_from_hf;                                           /* write_lines.c */
tok_convert_fn tok_hf_from_tiktoken, tok_hf_from_nmt, tok_hf_from_wordpiece;    /* write_hf.c */
tok_convert_fn tok_hf_from_subwords;      /* write_hf_subwords.c */
tok_convert_fn tok_hf_from_sentencepiece; /* write_hf_sp.c */
tok_convert_fn tok_sentencepiece_from_hf; /* write_sentencepiece.c */
tok_convert_fn tok_tiktoken_from_hf;      /* write_tiktoken.c */

/*
 * hf_merge_order.c: the merges of a BPE tokenizer.json as ranks of what they make.  tokens[id] are
 * what is merged (bytes of a byte-level vocabulary, else UTF-8).  Says what differs when merging by
 * these ranks is not what the list of pairs does.
 */
struct tok_hf_tokenizer;
struct tok_hf_order {
    struct t2_buf text;
    struct t2_slice *tokens;
    int64_t *ranks; /* by id: number of the first merge that makes it, or TOK_NO_RANK */
    size_t n;
    struct tok_splits splits;
};
void tok_hf_order_init(struct tok_hf_order *o, const struct tok_encoder *e,
                       const struct tok_hf_tokenizer *h, struct tok_conversion *c);
void tok_hf_order_release(struct tok_hf_order *o);

/* write_hf.c: the frame of a tokenizer.json.  Between, in this order: normalizer, pre_tokenizer,
 * post_processor, decoder, model. */
struct t2_json;
void tok_hf_begin(struct t2_json *j, struct t2_buf *file);
void tok_hf_end(struct t2_json *j);
void tok_hf_added_tokens(struct t2_json *j, const struct t2_slice *contents, const int32_t *ids,
                         size_t n, bool special);
void tok_hf_kv_null(struct t2_json *j, const char *key);
/* {"type": "Replace", "pattern": {"String" or "Regex": from}, "content": to} */
void tok_hf_replace(struct t2_json *j, const char *how, const char *from, const char *to);
/* A pre-tokenizer that cuts where the String or Regex is; behavior: "Isolated", "Removed", ... */
void tok_hf_split(struct t2_json *j, const char *how, const char *at, const char *behavior);
/* The fields of a BPE model before vocab; unknown may be NULL. */
void tok_hf_begin_bpe(struct t2_json *j, const char *unknown, const char *suffix, bool fuse_unknown,
                      bool byte_fallback, bool ignore_merges);
/* "vocab": token -> id; empty tokens are holes. */
void tok_hf_put_vocab(struct t2_json *j, const struct t2_slice *tokens, size_t n);
/* ["left", "right"] */
void tok_hf_merge(struct t2_json *j, struct t2_slice left, struct t2_slice right);

#endif
