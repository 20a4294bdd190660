/*
 * tokenizer/sp_write.h - the parts of a SentencePiece model, written: pieces, then trainer, then
 * normalizer.
 */
#ifndef TOK_SP_WRITE_H
#define TOK_SP_WRITE_H

#include "tokenizer/sentencepiece.h"

/* NormalizerSpec; blanks always become U+2581. */
struct tok_sp_normal {
    struct t2_slice map; /* precompiled_charsmap, or empty: identity */
    bool add_dummy_prefix, remove_extra_whitespaces;
};

/* Of the TrainerSpec what its readers look at; ids, -1: none. */
struct tok_sp_trainer {
    enum tok_sp_model_type type;
    int32_t n; /* pieces */
    bool byte_fallback;
    int32_t unknown, bos, eos, pad;
};

void tok_sp_put_piece(struct t2_buf *file, struct t2_slice piece, float score,
                      enum tok_sp_type type);
void tok_sp_put_trainer(struct t2_buf *file, const struct tok_sp_trainer *t);
void tok_sp_put_normalizer(struct t2_buf *file, const struct tok_sp_normal *n);

#endif
