/*
 * train/eval/scores_text.c - see the header.
 */
#include "train/eval/scores_text.h"

#include <inttypes.h>

static void put_values(const struct ev_scores *s, int64_t step, const char *split,
                       struct t2_buf *text)
{
    const char *name;
    double value;

    t2_buf_printf(text, "step %" PRId64 " %s: loss = %.6f", step, split, s->loss);
    if (s->values.kind == EV_LABEL_SETS)
        t2_buf_printf(text, ", accuracy = %.6f", s->accuracy);
    for (int i = 0; (name = ev_more_score(s, i, &value)); i++)
        t2_buf_printf(text, ", %s = %.6f", name, value);
    t2_buf_printf(text, ", samples = %" PRIu64 "\n", s->n_sequences);
}

void ev_scores_text(const struct ev_scores *s, int64_t step, const char *split, bool images,
                    struct t2_buf *text)
{
    const char *name;
    double value;

    if (s->values.kind != EV_NO_VALUES) {
        put_values(s, step, split, text);
        return;
    }
    t2_buf_printf(text, "step %" PRId64 " %s: loss = %.6f, accuracy = %.6f, ", step, split, s->loss,
                  s->accuracy);
    if (images) {
        t2_buf_printf(text,
                      "accuracy_top5 = %.6f, neg_log_perplexity = %.6f, images = %" PRIu64 "\n",
                      s->accuracy_top5, s->neg_log_perplexity, s->n_sequences);
        return;
    }
    t2_buf_printf(text, "accuracy_per_sequence = %.6f, neg_log_perplexity = %.6f",
                  s->accuracy_per_sequence, s->neg_log_perplexity);
    for (int i = 0; (name = ev_more_score(s, i, &value)); i++)
        t2_buf_printf(text, ", %s = %.6f", name, value);
    t2_buf_printf(text, ", sequences = %" PRIu64 "\n", s->n_sequences);
    if (s->text.bytes > 0)
        t2_buf_printf(text,
                      "step %" PRId64 " %s: perplexity = %.6f, word_perplexity = %.6f, "
                      "byte_perplexity = %.6f, bits_per_byte = %.6f, ids = %.0f, words = %" PRIu64
                      ", bytes = %" PRIu64 "\n",
                      step, split, s->perplexity, s->word_perplexity, s->byte_perplexity,
                      s->bits_per_byte, s->n_tokens, s->text.words, s->text.bytes);
}
