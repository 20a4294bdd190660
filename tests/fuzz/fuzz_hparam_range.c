/*
 * tests/fuzz/fuzz_hparam_range.c - ranges in YAML: refused with a message, or a range whose text is
 * read back the same, and from which trials can be drawn.
 */
#include <stdlib.h>
#include <string.h>

#include "train/tune/trial_draw.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_text(const struct tune_range *range)
{
    struct t2_buf text = {0}, again = {0};
    struct t2_err err = T2_ERR_INIT;
    struct tune_range *read;

    tune_range_text(range, &text);
    if (tune_range_parse(t2_buf_cstr(&text), text.len_bytes, "text", &read, &err) != T2_OK)
        abort();
    tune_range_text(read, &again);
    if (!t2_slice_eq(t2_buf_slice(&text), t2_buf_slice(&again)))
        abort();
    tune_range_free(read);
    t2_buf_release(&text);
    t2_buf_release(&again);
}

/* As many clauses as params. */
static void check_draw(const struct tune_range *range, bool grid)
{
    struct tune_drawing d = {.range = range, .grid = grid, .grid_points = 4, .seed = 1};
    uint64_t n = tune_draw_count(&d);

    for (uint64_t i = 0; i < 3 && i < n; i++) {
        struct t2_buf text = {0};
        size_t clauses = 1;

        tune_draw(&d, i, &text);
        for (const char *p = t2_buf_cstr(&text); *p; p++)
            clauses += *p == ',';
        if (clauses != range->n)
            abort();
        t2_buf_release(&text);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct t2_err err = T2_ERR_INIT;
    struct tune_range *range;

    if (tune_range_parse((const char *) data, size, "x.yaml", &range, &err) != T2_OK) {
        if (range || err.message[0] == '\0')
            abort();
        return 0;
    }
    check_text(range);
    check_draw(range, false);
    check_draw(range, true);
    tune_range_free(range);
    return 0;
}
