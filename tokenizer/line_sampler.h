/*
 * tokenizer/line_sampler.h - which lines of a file feed a vocabulary when there is a budget per
 * file.
 *
 * Spec t2t-datagen.md §4.9 (generate_lines_for_vocab), official-transformer.md §3.6
 * (_count_tokens): the larger the file, the more lines are skipped between two that are taken.
 * Reading is the caller's work; lines count after tok_clean_line.
 */
#ifndef TOK_LINE_SAMPLER_H
#define TOK_LINE_SAMPLER_H

#include <stdint.h>

#include "base/buf.h"
#include "tokenizer/vocab_builder.h"

enum tok_line_use { TOK_LINE_SKIP, TOK_LINE_TAKE, TOK_LINE_STOP /* nothing more of this file */ };

struct tok_line_sampler {
    enum tok_dialect dialect;
    uint64_t n_skip, n_skipped;
    int64_t left; /* code points */
    uint64_t budget;
};

/* A line as the originals read it: carriage returns deleted, both ends stripped.  Borrowed from
 * line, or from text, where what had a carriage return is appended. */
struct t2_slice tok_clean_line(struct t2_slice line, struct t2_buf *text);

/* budget 0: every line is taken. */
void tok_sampler_init(struct tok_line_sampler *s, enum tok_dialect dialect, uint64_t budget,
                      uint64_t file_bytes);
/* What becomes of the next line.  line is stripped and only looked at when it is taken. */
enum tok_line_use tok_sampler_next(struct tok_line_sampler *s, struct t2_slice line);

#endif
