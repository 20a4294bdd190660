/*
 * train/eval/text_counts.c - see the header.
 */
#include "train/eval/text_counts.h"

static bool is_blank(uint8_t c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static uint64_t count_words(const struct t2_buf *text)
{
    const uint8_t *data = text->data;
    uint64_t n = 0;

    for (size_t i = 0; i < text->len_bytes; i++)
        n += !is_blank(data[i]) && (i == 0 || is_blank(data[i - 1]));
    return n;
}

/* ids (n), segments (n) or NULL: a row. */
static void count_row(const struct tok_encoder *e, const int32_t *ids, const int32_t *segments,
                      int32_t n, struct t2_buf *text, struct ev_text_counts *counts)
{
    int32_t begin = 0;

    for (int32_t i = 0; i <= n; i++) {
        bool ends = i == n || ids[i] == TOK_PAD || ids[i] == TOK_EOS;

        if (!ends && !(segments && i > begin && segments[i] != segments[i - 1]))
            continue;
        t2_buf_clear(text);
        tok_decode(e, ids + begin, (size_t) (i - begin), text);
        counts->words += count_words(text);
        counts->bytes += text->len_bytes;
        if (i < n && ids[i] == TOK_EOS) {
            counts->words++;
            counts->bytes++;
        }
        begin = ends ? i + 1 : i;
    }
}

void ev_count_texts(const struct tok_encoder *e, const struct mdl_batch *batch,
                    struct ev_text_counts *counts)
{
    struct t2_buf text = {0};

    for (int32_t b = 0; b < batch->batch; b++) {
        int64_t at = (int64_t) b * batch->targets_length;
        const int32_t *segments = batch->targets_segmentation;

        count_row(e, batch->targets + at, segments ? segments + at : NULL, batch->targets_length,
                  &text, counts);
    }
    t2_buf_release(&text);
}
