/*
 * tokenizer/named_encoders.h - T2T's small encoders, and opening any encoder by a word.
 *
 * Spec t2t-datagen.md §4.10.  Words are in tokens.h.  Images are
 * no vocabulary: augment/ reads them.
 */
#ifndef TOK_NAMED_ENCODERS_H
#define TOK_NAMED_ENCODERS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/err.h"
#include "tokenizer/encoder.h"

/* TextEncoder: whitespace-separated integers + 2; the size is not known: 0. */
struct tok_encoder *tok_integers_new(void);
/* The same without the 2: ids of a tokenizer that is not here. */
struct tok_encoder *tok_raw_ids_new(void);
/* ByteTextEncoderWithEos of speech: bytes + 2, then <EOS>. */
struct tok_encoder *tok_bytes_eos_new(void);

/*
 * ClassLabelEncoder: a whole text is a label, its id the first place in the list, from 0; ids
 * decode to labels (a blank between two).  one_hot: OneHotClassLabelEncoder, the ids of a text are
 * a 0 for each label and 1 for its own.  Labels are copied; none: T2_EFORMAT.
 */
T2_MUST_CHECK enum t2_status tok_labels_new(const struct t2_slice *labels, size_t n, bool one_hot,
                                            struct tok_encoder **e, struct t2_err *err);
/* The same of a file: a label a line, without blanks at its ends. */
T2_MUST_CHECK enum t2_status tok_labels_load(const char *path, bool one_hot, struct tok_encoder **e,
                                             struct t2_err *err);

/*
 * DNAEncoder: chunk_size bases of A C T G N an id, from 2; the last chunk of a text is padded.
 * is_delimited: DelimitedDNAEncoder, parts between commas are chunks of their own, a comma is an
 * id.
 */
enum { TOK_DNA_MAX_CHUNK = 8 };
struct tok_encoder *tok_dna_new(int chunk_size, bool is_delimited);

/*
 * Opens an encoder by a word:
 *   bytes, bytes_eos, integers
 *   dna:K, delimited_dna:K          K = 1 ... TOK_DNA_MAX_CHUNK
 *   labels:FILE, one_hot:FILE       class labels
 *   tokens:FILE                     a list of words, whatever else it looks like
 *   anything else                   a vocabulary file, its kind found by content (tok_load)
 */
T2_MUST_CHECK enum t2_status tok_open(const char *word, struct tok_encoder **e, struct t2_err *err);

#endif
