/*
 * tests/fuzz/fuzz_bleu.c - any bytes as hypothesis and reference (cut at the first LF), both
 * tokenizers: tokens stand apart by one blank, counts and scores stay in their bounds.
 */
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "tests/support/bleu_tokens.h"
#include "train/eval/bleu.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_tokens(enum ev_bleu_kind kind, bool lower_case, struct t2_slice line)
{
    struct t2_buf tokens = {NULL, 0, 0};
    const char *text;

    t_bleu_tokens(kind, lower_case, line, &tokens);
    text = t2_buf_cstr(&tokens);
    if (tokens.len_bytes > 0) {
        T2_ASSERT(tokens.data[0] != ' ' && tokens.data[tokens.len_bytes - 1] != ' ');
        T2_ASSERT(strlen(text) < tokens.len_bytes || !strstr(text, "  "));
    }
    t2_buf_release(&tokens);
}

static void check_score(enum ev_bleu_kind kind, bool lower_case, struct t2_slice hypothesis,
                        struct t2_slice reference)
{
    struct ev_bleu_sum *sum = ev_bleu_sum_new(kind, lower_case);
    struct ev_bleu b;

    ev_bleu_sum_add(sum, hypothesis, reference);
    ev_bleu_sum_add(sum, reference, hypothesis);
    ev_bleu_sum_add(sum, reference, reference);
    ev_bleu_sum_score(sum, &b);
    T2_ASSERT(b.score >= 0 && b.score <= 100.0001);
    T2_ASSERT(b.brevity_penalty >= 0 && b.brevity_penalty <= 1);
    for (int k = 0; k < 4; k++)
        T2_ASSERT(b.matches[k] <= b.possible[k]);
    for (int k = 1; k < 4; k++)
        T2_ASSERT(b.matches[k] <= b.matches[k - 1]);
    ev_bleu_sum_free(sum);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const uint8_t *end = size ? memchr(data, '\n', size) : NULL;
    size_t n = end ? (size_t) (end - data) : size;
    struct t2_slice hypothesis = {data, n};
    struct t2_slice reference = {end ? end + 1 : data, end ? size - n - 1 : size};

    for (int i = 0; i < 4; i++) {
        enum ev_bleu_kind kind = i & 1 ? EV_BLEU_SACREBLEU : EV_BLEU_T2T;

        check_tokens(kind, i & 2, hypothesis);
        check_tokens(kind, i & 2, reference);
        check_score(kind, i & 2, hypothesis, reference);
    }
    return 0;
}
