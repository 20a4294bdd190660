/*
 * train/decode/row_scan.h - the inner loop of decoding: one row of logits, its best ids.
 *
 * A row is read twice: once for the largest of every 16 values, once for the sum of exponentials.
 * After that only the places whose largest value can enter the list are looked into.
 */
#ifndef DEC_ROW_SCAN_H
#define DEC_ROW_SCAN_H

#include <stdbool.h>
#include <stdint.h>

struct dec_candidate {
    float score;
    int32_t id;
};

/* Floats of working memory for one row, `work` below. */
static inline int32_t dec_row_work(int32_t vocab)
{
    return (vocab + 255) / 256 * 16;
}

/* The id of the largest logit (the lowest of equals) and its log-probability.  false: not
 * finite. */
bool dec_row_argmax(const float *logits, int32_t vocab, float *work, int32_t *id, float *log_prob);

/*
 * The n best ids by score = (log_softmax(logits)[id] + alive) / penalty, all in float32: largest
 * first, of equals the lower id first.  n <= vocab.  false: a logit is not a number, or infinite.
 */
bool dec_row_best(const float *logits, int32_t vocab, float alive, float penalty, int32_t n,
                  float *work, struct dec_candidate *best);

/* The same for a row that is forced to `id`: logits 0 for it and -1e9 for all others. */
void dec_row_forced(int32_t id, int32_t vocab, float alive, float penalty, int32_t n,
                    struct dec_candidate *best);

#endif
