/*
 * train/eval/common_subsequence.h - the length of the longest common subsequence of two texts.
 */
#ifndef EV_COMMON_SUBSEQUENCE_H
#define EV_COMMON_SUBSEQUENCE_H

#include <stddef.h>
#include <stdint.h>

struct ev_lcs; /* working memory, reused; belongs to one thread */

struct ev_lcs *ev_lcs_new(void);
void ev_lcs_free(struct ev_lcs *l);
/* Equal numbers are equal words; numbers are below n_a + n_b (word_ids.h). */
uint64_t ev_lcs(struct ev_lcs *l, const uint32_t *a, size_t n_a, const uint32_t *b, size_t n_b);

#endif
