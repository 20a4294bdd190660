/*
 * tokenizer/hf_tokenizer.h - tokenizer.json of Hugging Face's tokenizers as an encoder; inside the
 * encoders.
 *
 * Text goes: added tokens are taken out, the rest is normalised (hf_normalize.c), cut into
 * pieces (hf_pretokenize.c), pieces become ids (hf_models.c), and special ids are put around.  What
 * a file asks for and this does not know is T2_EUNSUPPORTED by name, never left out; but lines are
 * never cut short or padded ("truncation", "padding").
 */
#ifndef TOK_HF_TOKENIZER_H
#define TOK_HF_TOKENIZER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "tokenizer/byte_bpe.h"
#include "tokenizer/encoder.h"
#include "tokenizer/sentencepiece.h"
#include "tokenizer/trie.h"

struct t2_json_value;

/* ---- added tokens ---- */

struct tok_hf_added_token {
    struct t2_slice content;
    int32_t id;
    bool lstrip, rstrip, single_word, special, normalized;
};

/* Those that are "normalized" are looked for in normalised text, by their own normal forms. */
struct tok_hf_added {
    struct tok_hf_added_token *items;
    size_t n;
    struct tok_trie raw, normal; /* contents -> number */
    struct t2_buf normal_forms;  /* of those that are looked for in it: also what they decode to */
    bool has_normal;
};

/* ---- normalizers: a list of steps ---- */

enum tok_hf_step_type {
    TOK_HF_NFC,
    TOK_HF_NFD,
    TOK_HF_NFKC,
    TOK_HF_NFKD,
    TOK_HF_LOWERCASE,
    TOK_HF_STRIP_ACCENTS,
    TOK_HF_BERT_STRIP_ACCENTS,
    TOK_HF_NMT,
    TOK_HF_BERT_CLEAN,
    TOK_HF_BERT_CHINESE,
    TOK_HF_REPLACE,
    TOK_HF_REPLACE_REGEX, /* of small_regex.h */
    TOK_HF_PREPEND,
    TOK_HF_STRIP,
    TOK_HF_TRIM,       /* regular expressions \A[from]+ (left) and [from]+\z (right) -> to */
    TOK_HF_COLLAPSE,   /* from{2,} -> to */
    TOK_HF_PRECOMPILED /* SentencePiece's character map */
};

struct tok_hf_step {
    enum tok_hf_step_type type;
    struct t2_slice from, to; /* of replace, trim, collapse; prepend: to */
    bool left, right;         /* of strip and trim */
    struct tok_regex *regex;  /* owned by the tokenizer */
};

enum { TOK_HF_MAX_STEPS = 16 };

struct tok_hf_steps {
    struct tok_hf_step items[TOK_HF_MAX_STEPS];
    size_t n;
    struct t2_buf charsmap;       /* of TOK_HF_PRECOMPILED */
    struct tok_sp_normalizer map; /* into charsmap */
};

/* Replaces text by its normal form; scratch is used.  false: it is longer than this, on the way or
 * in the end, and text is of no use. */
enum { TOK_HF_MAX_NORMAL_BYTES = 64 << 20 };
bool tok_hf_normalize(const struct tok_hf_steps *steps, struct t2_buf *text,
                      struct t2_buf *scratch);

/* The same for one step of Replace. */
bool tok_hf_replace_all(const struct tok_hf_step *step, struct t2_buf *text,
                        struct t2_buf *scratch);

/* Has a character a category of the set in Unicode 8.0 (800) or 9.0 (900)? */
bool tok_hf_old_category(uint32_t code_point, uint32_t set, unsigned version);

/* ---- pre-tokenizers ---- */

enum tok_hf_cut {
    TOK_HF_CUT_NONE,
    TOK_HF_CUT_PATTERN,
    TOK_HF_CUT_BERT,
    TOK_HF_CUT_BLANKS,
    TOK_HF_CUT_SPACE,  /* at U+0020 alone */
    TOK_HF_CUT_BEHIND, /* each occurrence of a string */
    TOK_HF_CUT_METASPACE,
    TOK_HF_CUT_BLANKS_METASPACE /* at blanks of all kinds, then each piece: T5, XLM-R */
};
enum tok_hf_prepend { TOK_HF_NEVER, TOK_HF_ALWAYS, TOK_HF_FIRST };

struct tok_hf_pretokenizer {
    enum tok_hf_cut cut;
    enum tok_pattern pattern;
    bool add_prefix_space; /* byte level */
    bool is_byte_level;    /* bytes are mapped to printable characters in the vocabulary */
    enum tok_hf_prepend prepend;
    bool split;                  /* metaspace */
    struct t2_slice replacement; /* of blanks, metaspace: U+2581 */
    struct t2_slice end;         /* of pieces: TOK_HF_CUT_BEHIND */
};

/* Calls fn for the pieces of a normalised text in order; is_first: nothing stands before it. */
typedef void tok_hf_piece_fn(void *arg, const uint8_t *piece, size_t len_bytes);
void tok_hf_pretokenize(const struct tok_hf_pretokenizer *p, struct t2_slice text, bool is_first,
                        struct t2_buf *scratch, tok_hf_piece_fn *fn, void *arg);

/* ---- models ---- */

enum tok_hf_model_type { TOK_HF_BPE, TOK_HF_WORDPIECE, TOK_HF_UNIGRAM };

struct tok_hf_model {
    enum tok_hf_model_type type;
    struct t2_map *vocab; /* token -> id */
    int32_t unknown;      /* -1: none */
    /* BPE */
    struct tok_byte_bpe bpe; /* pattern and bytes are used when the pre-tokenizer is byte level */
    bool byte_fallback, fuse_unknown, ignore_merges;
    bool is_mapped; /* byte level, but bytes must be looked up as characters: for what is unknown */
    int32_t bytes[256];                  /* <0xNN>, or -1 */
    struct t2_slice end_of_word, prefix; /* end_of_word_suffix; continuing_subword_prefix */
    /* WordPiece */
    size_t max_chars;
    struct tok_trie first, rest; /* without the prefix */
    /* Unigram */
    double *scores;
    double min_score;
    struct tok_trie pieces;
};

/* Appends the ids of a piece; false: it cannot be cut, and the unknown token is none of the
 * vocabulary. */
T2_MUST_CHECK bool tok_hf_model_cut(const struct tok_hf_model *m, bool is_byte_level,
                                    const uint8_t *piece, size_t len_bytes, struct tok_ids *ids);

/* ---- decoders ---- */

enum tok_hf_decoder {
    TOK_HF_DECODE_PLAIN, /* tokens with blanks between */
    TOK_HF_DECODE_BYTE_LEVEL,
    TOK_HF_DECODE_WORDPIECE,
    TOK_HF_DECODE_METASPACE,
    TOK_HF_DECODE_BPE,   /* the suffix becomes a blank */
    TOK_HF_DECODE_STEPS, /* Llama's and Gemma's: mark to blank, bytes, fuse, perhaps strip one
                            blank */
    TOK_HF_DECODE_FUSED  /* the tokens without anything between, then steps of Replace */
};

struct tok_hf_tokenizer {
    struct t2_buf file;
    struct t2_json_doc *doc; /* strings point into it */
    struct tok_hf_added added;
    struct tok_hf_steps normalizer;
    struct tok_hf_pretokenizer pre;
    struct tok_hf_model model;
    int32_t before[4], after[4]; /* special ids around a text */
    size_t n_before, n_after;
    enum tok_hf_decoder decoder;
    struct t2_slice mark;         /* what becomes a blank: Metaspace, steps */
    bool drop_first_marks;        /* Metaspace: those of the first token */
    bool strip_blank;             /* steps: one blank in front */
    bool cleanup;                 /* of the WordPiece decoder */
    struct t2_slice prefix;       /* "##" */
    struct t2_slice suffix;       /* "</w>" */
    struct tok_hf_step *replaces; /* of TOK_HF_DECODE_FUSED */
    size_t n_replaces;
    bool *is_special; /* by id: left out when decoding */
};

/* The character that stands for a byte in a byte-level vocabulary, as UTF-8; returns its length. */
size_t tok_hf_byte_char(uint8_t byte, uint8_t out[4]);
/* Appends the bytes of such a token; false, and nothing appended: it has other characters. */
bool tok_hf_bytes_of(struct t2_slice token, struct t2_buf *bytes);

void tok_hf_decode(const struct tok_encoder *e, const int32_t *ids, size_t n, struct t2_buf *text);

/* hf_json.c: fills h from h->file; *entries (t2_free) are the tokens by id, in the file or its
 * document. */
T2_MUST_CHECK enum t2_status tok_hf_read(struct tok_hf_tokenizer *h, const char *origin,
                                         struct t2_slice **entries, size_t *n, struct t2_err *err);

/* The model of an encoder of this kind; NULL: it is of another.  Borrowed. */
const struct tok_hf_tokenizer *tok_hf_model_of(const struct tok_encoder *e);
/* The two sides of a merge as the file spells it, "a b" or ["a", "b"]; false: it is none. */
bool tok_hf_merge_sides(const struct t2_json_value *merge, struct t2_slice *left,
                        struct t2_slice *right);

bool tok_hf_looks_like(const void *data, size_t len_bytes);
T2_MUST_CHECK enum t2_status tok_hf_parse(const char *origin, const void *data, size_t len_bytes,
                                          struct tok_encoder **e, struct t2_err *err);

#endif
