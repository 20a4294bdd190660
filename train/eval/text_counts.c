/*
 * train/eval/text_counts.c - see the header.
 */
#include "train/eval/text_counts.h"

#include <string.h>

#include "base/alloc.h"

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

static void count_kept(struct ev_text_counter *c, struct t2_buf *text)
{
    for (int32_t b = 0; b < c->n_rows; b++) {
        count_row(c->e, c->rows[b].items, NULL, (int32_t) c->rows[b].n, text, &c->counts);
        c->rows[b].n = 0;
    }
    c->n_rows = 0;
}

static void keep_rows(struct ev_text_counter *c, const struct mdl_batch *batch)
{
    if (batch->batch > c->capacity) {
        c->rows = t2_realloc(c->rows, (size_t) batch->batch, sizeof *c->rows);
        memset(c->rows + c->capacity, 0, (size_t) (batch->batch - c->capacity) * sizeof *c->rows);
        c->capacity = batch->batch;
    }
    c->n_rows = batch->batch > c->n_rows ? batch->batch : c->n_rows;
    for (int32_t b = 0; b < batch->batch; b++)
        tok_ids_append(&c->rows[b], batch->targets + (int64_t) b * batch->targets_length,
                       (size_t) batch->targets_length);
}

void ev_text_counter_add(struct ev_text_counter *c, const struct mdl_batch *batch)
{
    struct t2_buf text = {0};

    if (batch->chunk == 0)
        count_kept(c, &text);
    if (!batch->targets_segmentation)
        keep_rows(c, batch);
    for (int32_t b = 0; b < batch->batch && batch->targets_segmentation; b++) {
        int64_t at = (int64_t) b * batch->targets_length;

        count_row(c->e, batch->targets + at, batch->targets_segmentation + at,
                  batch->targets_length, &text, &c->counts);
    }
    t2_buf_release(&text);
}

struct ev_text_counts ev_text_counter_take(struct ev_text_counter *c)
{
    struct ev_text_counts counts;
    struct t2_buf text = {0};

    count_kept(c, &text);
    counts = c->counts;
    for (int32_t b = 0; b < c->capacity; b++)
        tok_ids_release(&c->rows[b]);
    t2_free(c->rows);
    t2_buf_release(&text);
    *c = (struct ev_text_counter){.e = c->e};
    return counts;
}
