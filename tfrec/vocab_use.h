/*
 * tfrec/vocab_use.h - checks that ids belong to a vocabulary and counts the unknown ones.
 *
 * Unknown is, by the kind of the vocabulary:
 *
 *   tokens    the id of the entry for unknown words (<UNK>, UNK or <unk>, the first there is)
 *   models    of other programs: the id they have for what is unknown
 *   subwords  the ids of a character written by its number (\228;), from the piece with the
 *             backslash to the one with the semicolon: Tensor2Tensor's escape for characters
 *             outside the alphabet
 *   bytes     nothing
 */
#ifndef REC_VOCAB_USE_H
#define REC_VOCAB_USE_H

#include <stddef.h>
#include <stdint.h>

struct tok_encoder;

struct rec_vocab;                                             /* immutable: shared by threads */
struct rec_vocab *rec_vocab_new(const struct tok_encoder *e); /* e stays the caller's */
void rec_vocab_free(struct rec_vocab *v);

/* Zero-initialise; sums only. */
struct rec_vocab_use {
    uint64_t n_ids;
    uint64_t n_unknown;
    uint64_t n_out_of_range;
    uint64_t n_special; /* <pad>, <EOS> */
};
/* The ids of one record. */
void rec_vocab_see(const struct rec_vocab *v, const int64_t *ids, size_t n,
                   struct rec_vocab_use *use);
void rec_vocab_join(struct rec_vocab_use *into, const struct rec_vocab_use *from);

#endif
