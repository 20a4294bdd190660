/* Fuzz target: any text as a condition, run on one record with every kind of feature. */
#include <stddef.h>
#include <stdint.h>

#include "base/alloc.h"
#include "tfrec/where.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void build(struct t2_buf *record)
{
    static const int64_t ids[] = {3, INT64_MAX, INT64_MIN, 0};
    static const float scores[] = {0.5F, -2.0F};
    static const struct t2_slice names[] = {{(const uint8_t *) "b\0c", 3}, {NULL, 0}};
    const struct tfr_feature features[] = {
        {.name = "a", .kind = TFR_INT64, .n = 4, .ints = ids},
        {.name = "e", .kind = TFR_INT64},
        {.name = "f", .kind = TFR_FLOAT, .n = 2, .floats = scores},
        {.name = "n", .kind = TFR_NONE},
        {.name = "s", .kind = TFR_BYTES, .n = 2, .bytes = names},
    };

    tfr_example_build(record, features, sizeof features / sizeof *features);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const uint64_t offsets[] = {0, 100};
    const struct tfr_index ix = {.n_records = 1, .offsets = offsets};
    struct t2_err err = T2_ERR_INIT;
    struct rec_where *w = NULL;
    struct t2_buf record = {NULL, 0, 0};
    struct tfr_example example = {0};
    struct rec_where_scratch scratch = {{NULL, 0, 0}};
    char *text = t2_strndup((const char *) data, size);

    build(&record);
    T2_ASSERT(tfr_example_parse(&example, t2_buf_slice(&record), &err) == T2_OK);
    if (rec_where_parse(text, &w, &err) == T2_OK) {
        bool matched = rec_where_match(w, &scratch, &example, t2_buf_slice(&record), 5);
        T2_ASSERT(matched == rec_where_match(w, &scratch, &example, t2_buf_slice(&record), 5));
        if (rec_where_fits_index(w, &ix))
            (void) rec_where_match_index(w, &scratch, &ix, 0, 5);
    } else {
        T2_ASSERT(err.status == T2_EUSAGE && err.message[0] != '\0');
    }
    rec_where_free(w);
    rec_where_scratch_release(&scratch);
    tfr_example_release(&example);
    t2_buf_release(&record);
    t2_free(text);
    return 0;
}
