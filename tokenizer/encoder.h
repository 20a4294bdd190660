/*
 * tokenizer/encoder.h - one interface for every kind of vocabulary: text <-> ids.
 *
 * Ids 0 and 1 are <pad> and <EOS>; encoders never append EOS (the problem does).
 */
#ifndef TOK_ENCODER_H
#define TOK_ENCODER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"

enum { TOK_PAD = 0, TOK_EOS = 1 };

/* Growable list of ids; zero-initialise. */
struct tok_ids {
    int32_t *items;
    size_t n;
    size_t capacity;
};
void tok_ids_reserve(struct tok_ids *ids, size_t extra); /* room for so many more */
void tok_ids_push(struct tok_ids *ids, int32_t id);
void tok_ids_append(struct tok_ids *ids, const int32_t *items, size_t n);
void tok_ids_release(struct tok_ids *ids);

/* Growable list of places in a list of ids; zero-initialise. */
struct tok_ends {
    size_t *items;
    size_t n;
    size_t capacity;
};
void tok_ends_push(struct tok_ends *ends, size_t end);
void tok_ends_release(struct tok_ends *ends);

struct tok_encoder; /* immutable after loading: shared by threads */
struct tok_cache;   /* word cache of one thread; optional */

/*
 * Loads a vocabulary file; one entry a line, the line number is the id.  The kind is found by
 * content:
 *
 *   quoted subwords   the first line is in quotes ('<pad>_'); then every line must be
 *   plain subwords    the first line is <pad>_, or it is <pad> and the file holds each escape
 *                     character (\_u;0..9) as a line of its own and some longer line with _ at
 *                     its end
 *   tokens            anything else; a line is one word.  Unknown words become the first of <UNK>,
 *                     UNK, <unk> that is an entry; without one they are an error.
 *
 * T2_EFORMAT names the line that is not UTF-8, not quoted like the others, or holds more than one
 * word.  As in the original carriage returns are dropped, and blanks at the end of a line.
 */
T2_MUST_CHECK enum t2_status tok_load(const char *path, struct tok_encoder **e, struct t2_err *err);
/* The same of a file's bytes; origin is its name in messages. */
T2_MUST_CHECK enum t2_status tok_parse(const char *origin, const void *data, size_t len_bytes,
                                       struct tok_encoder **e, struct t2_err *err);
/* Subwords of entries in memory (id order); copied. */
struct tok_encoder *tok_subwords_new(const struct t2_slice *entries, size_t n);
/* UTF-8 bytes + 2; no file. */
struct tok_encoder *tok_bytes_new(void);
void tok_free(struct tok_encoder *e);

/* max_bytes 0 = 64 MiB; at least 1 MiB.  A cache that is full begins anew; ids never depend on
 * it. */
struct tok_cache *tok_cache_new(const struct tok_encoder *e, size_t max_bytes);
void tok_cache_free(struct tok_cache *c);

/* Appends the ids of text (valid UTF-8; a byte that is not counts as U+FFFD for subwords).  cache
 * may be NULL.  T2_EFORMAT when a word cannot be encoded: hand-made subwords, tokens without an
 * entry for unknown words; ids is then as before. */
T2_MUST_CHECK enum t2_status tok_encode(const struct tok_encoder *e, struct tok_cache *cache,
                                        const uint8_t *text, size_t len_bytes, struct tok_ids *ids,
                                        struct t2_err *err);
/*
 * tok_encode for each line of a text, faster than one call for each: appends the ids of all lines,
 * and to ends, line by line, what ids->n is behind it.  A line ends before a line feed, the last
 * one at the end of the text; no other character separates lines.  T2_EFORMAT as above, of the
 * first line that cannot be encoded; ids and ends then hold the lines in front of it.
 */
T2_MUST_CHECK enum t2_status tok_encode_lines(const struct tok_encoder *e, struct tok_cache *cache,
                                              const uint8_t *text, size_t len_bytes,
                                              struct tok_ids *ids, struct tok_ends *ends,
                                              struct t2_err *err);
/* Appends the pieces of a text as people read them, a blank between two. */
T2_MUST_CHECK enum t2_status tok_pieces(const struct tok_encoder *e, struct tok_cache *cache,
                                        const uint8_t *text, size_t len_bytes, struct t2_buf *out,
                                        struct t2_err *err);
/* Appends the text of ids.  Out of range ids decode to nothing (tokens: to ID_n), as in the
 * original. */
void tok_decode(const struct tok_encoder *e, const int32_t *ids, size_t n, struct t2_buf *text);

/* Ids with a meaning of their own; -1: the vocabulary has none. */
struct tok_special {
    int32_t pad, eos, unknown, bos;
};
struct tok_special tok_special(const struct tok_encoder *e);

/*
 * Makes a vocabulary fit for data sets, where 0 is <pad>, 1 is <EOS>, and each text ends with
 * <EOS>, which the maker of the data adds: kinds whose own 0 and 1 are something else
 * (SentencePiece, byte-level BPE,
 * ...) get all ids raised by 2, as T2T's byte encoder does, and the special ids that a
 * tokenizer.json puts around a text are left out.  Kinds of T2T stay as they are.  The result
 * depends on the content alone, so it is the same wherever the vocabulary of a data set is opened.
 * Call it before the encoder is shared.
 */
void tok_shift(struct tok_encoder *e);
int32_t tok_offset(const struct tok_encoder *e); /* how much ids are raised: 0 or 2 */

/*
 * Name of a kind in file names, without blanks and capitals: "subwords", "sentencepiece",
 * "tokenizer.json", "tiktoken", "subword-nmt".  The vocabulary of a data set is kept as
 * vocab.<data set>.<size>.<this>[.source|.target].
 */
enum { TOK_FILE_SUFFIX_BYTES = 32 };
void tok_file_suffix(const struct tok_encoder *e, char suffix[TOK_FILE_SUFFIX_BYTES]);
/* Is this the name of a file that t2t-datagen keeps such a vocabulary in?  Its ids in records are
 * those after tok_shift. */
bool tok_is_data_set_file(const struct tok_encoder *e, const char *path);

int32_t tok_size(const struct tok_encoder *e); /* number of ids, for the embedding */
/* The raw piece; empty when out of range.  Borrowed for the life of e. */
struct t2_slice tok_entry(const struct tok_encoder *e, int32_t id);
const char *tok_kind(const struct tok_encoder *e);          /* "subwords", "tokens", "bytes" */
void tok_sha256(const struct tok_encoder *e, char hex[65]); /* of the file it was loaded from, or
                                                               of what tok_save would write */
/* Appends the bytes of the vocabulary file; nothing for bytes. */
void tok_write(const struct tok_encoder *e, struct t2_buf *file);
/* Writes the vocabulary file.  An entry that holds a line feed takes two lines, as in the original:
 * what encodes for others must be loaded from the file again.  T2_EUSAGE for bytes. */
T2_MUST_CHECK enum t2_status tok_save(const struct tok_encoder *e, const char *path,
                                      struct t2_err *err);

#endif
