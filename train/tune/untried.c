/*
 * train/tune/untried.c - a map of the texts of trials.
 */
#include "train/tune/untried.h"

#include <string.h>

struct t2_map *tune_tried(const struct tune_trials *t)
{
    struct t2_map *m = t2_map_new();

    for (int64_t i = 0; i < t->n; i++)
        (void) t2_map_at(m, t->items[i].hparams, strlen(t->items[i].hparams), NULL);
    return m;
}

bool tune_is_tried(const struct t2_map *tried, const struct t2_buf *hparams)
{
    return t2_map_find(tried, hparams->data, hparams->len_bytes) != NULL;
}

void tune_draw_untried(const struct tune_trials *t, const struct t2_map *tried,
                       struct t2_buf *hparams)
{
    struct tune_drawing d = tune_study_drawing(&t->study);
    uint64_t n = tune_draw_count(&d);

    if (n == UINT64_MAX) {
        tune_draw(&d, (uint64_t) t->n, hparams);
        return;
    }
    for (uint64_t k = 0; k < n; k++) {
        struct t2_buf one = {0};
        bool is_new;

        tune_draw(&d, k, &one);
        is_new = !tune_is_tried(tried, &one);
        if (is_new)
            t2_buf_append(hparams, one.data, one.len_bytes);
        t2_buf_release(&one);
        if (is_new)
            return;
    }
}
