/*
 * tokenizer/sentencepiece.h - SentencePiece models (.model): what is in one, and its normaliser;
 * inside the encoders.
 *
 * Source: sentencepiece_model.proto and the library's src/{normalizer,unigram_model,bpe_model,
 * sentencepiece_processor}.cc (0.2); recorded behaviour in T2_DATA/goldens/vocabularies.
 */
#ifndef TOK_SENTENCEPIECE_H
#define TOK_SENTENCEPIECE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "tokenizer/encoder.h"
#include "tokenizer/trie.h"

enum tok_sp_type { /* ModelProto.SentencePiece.Type */
                   TOK_SP_NORMAL = 1,
                   TOK_SP_UNKNOWN = 2,
                   TOK_SP_CONTROL = 3,
                   TOK_SP_USER_DEFINED = 4,
                   TOK_SP_UNUSED = 5,
                   TOK_SP_BYTE = 6
};

enum tok_sp_model_type { TOK_SP_UNIGRAM = 1, TOK_SP_BPE = 2 };

/* Bytes of the longest key and replacement in a character map that are taken; NFKC's are 12 and
 * 33. */
enum { TOK_SP_MAX_KEY = 1024, TOK_SP_MAX_REPLACEMENT = 1024 };

/* NormalizerSpec; the character map is a double array of prefixes and their replacements. */
struct tok_sp_normalizer {
    struct t2_slice units; /* little-endian words of the double array; empty: no map */
    struct t2_slice replacements;
    bool add_dummy_prefix, remove_extra_whitespaces, escape_whitespaces;
};

struct tok_sp_model {
    struct t2_buf file; /* the model's bytes; slices point into it */
    enum tok_sp_model_type model_type;
    struct tok_sp_normalizer normalizer;
    bool treat_whitespace_as_suffix, byte_fallback;
    struct t2_slice unknown_surface;
    int32_t n;
    struct t2_slice *pieces; /* by id */
    float *scores;
    uint8_t *types;
    float min_score;                /* of the normal pieces */
    int32_t unknown, bos, eos, pad; /* -1: none */
    int32_t bytes[256];             /* ids of <0xNN>, or -1 */
    struct tok_trie trie;           /* normal, user-defined and unused pieces */
    struct tok_trie user_trie;      /* user-defined ones */
    bool has_user;
    struct t2_map *ids; /* piece -> id, those of trie */
};

/* Does a file begin like a serialised ModelProto? */
bool tok_sp_looks_like(const void *data, size_t len_bytes);
/* T2_EFORMAT names origin and what is wrong; T2_EUNSUPPORTED: WORD and CHAR models. */
T2_MUST_CHECK enum t2_status tok_sp_parse(const char *origin, const void *data, size_t len_bytes,
                                          struct tok_encoder **e, struct t2_err *err);

/* sp_model.c: fills m from m->file, as far as the file says. */
T2_MUST_CHECK enum t2_status tok_sp_read(struct tok_sp_model *m, const char *origin,
                                         struct t2_err *err);

/* sp_normalizer.c: appends the normal form of any bytes (ones that are not UTF-8 become U+FFFD);
 * stops when out has more than INT32_MAX. */
void tok_sp_normalize(const struct tok_sp_model *m, const uint8_t *text, size_t len_bytes,
                      struct t2_buf *out);

/* sp_model.c: the two parts of a precompiled_charsmap, borrowed; false: it is none. */
bool tok_sp_map_of(struct t2_slice charsmap, struct tok_sp_normalizer *n);
/* T2_EFORMAT: a replacement is longer than TOK_SP_MAX_REPLACEMENT, which would leave memory for a
 * line without a bound. */
T2_MUST_CHECK enum t2_status tok_sp_check_map(const struct tok_sp_normalizer *n, const char *origin,
                                              struct t2_err *err);
/* sp_normalizer.c: the shortest prefix that the map replaces, 0 when there is none; *to is
 * borrowed. */
size_t tok_sp_map_shortest(const struct tok_sp_normalizer *n, const uint8_t *s, size_t len_bytes,
                           struct t2_slice *to);
/* The model of an encoder of this kind; NULL: it is of another.  Borrowed. */
const struct tok_sp_model *tok_sp_model_of(const struct tok_encoder *e);

/* sp_unigram.c, sp_bpe.c: cut a normalised text that is not empty; a piece is an id and its
 * length. */
struct tok_sp_cut {
    struct tok_ids ids;
    struct tok_ids lengths; /* in bytes */
};
void tok_sp_cut_unigram(const struct tok_sp_model *m, const uint8_t *text, size_t len_bytes,
                        struct tok_sp_cut *cut);
void tok_sp_cut_bpe(const struct tok_sp_model *m, const uint8_t *text, size_t len_bytes,
                    struct tok_sp_cut *cut);

/* Length of the UTF-8 character at s by its first byte alone, at most len_bytes. */
static inline size_t tok_sp_char_bytes(const uint8_t *s, size_t len_bytes)
{
    static const uint8_t lengths[16] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 3, 4};
    size_t n = lengths[*s >> 4];

    return n < len_bytes ? n : len_bytes;
}

#endif
