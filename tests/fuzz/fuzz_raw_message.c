/*
 * tests/fuzz/fuzz_raw_message.c - any bytes at wire level, and as an event of TensorBoard.
 */
#include <stdint.h>
#include <string.h>

#include "base/json.h"
#include "tfrec/event_row.h"
#include "tfrec/raw_message.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct t2_buf text;
static struct t2_err err;

/* What is printed as JSON is JSON (jansson does not take NUL in strings, nor numbers beyond
 * int64). */
static void check_json(void)
{
    struct t2_json_doc *doc = NULL;
    struct t2_err bad = T2_ERR_INIT;

    if (t2_json_parse(t2_buf_cstr(&text), text.len_bytes, "output", &doc, &bad) == T2_OK)
        t2_json_free(doc);
    else
        T2_ASSERT(strstr(bad.message, "NUL") || strstr(bad.message, "\\u0000") ||
                  strstr(bad.message, "big") || strstr(bad.message, "depth"));
}

static void check_event(struct t2_slice record)
{
    const struct t2_slice plugins[] = {{NULL, 0},
                                       t2_slice_of("scalars"),
                                       t2_slice_of("histograms"),
                                       t2_slice_of("images"),
                                       t2_slice_of("hparams")};
    struct tfr_summary_value value;
    struct tfr_event event;
    struct rec_event_row row = {.run = "run", .file = "file", .event = &event};

    if (tfr_event_parse(record, &event, &err) != T2_OK)
        return;
    if (event.kind != TFR_EVENT_SUMMARY) {
        t2_buf_clear(&text);
        rec_event_json(&row, &text);
        check_json();
        return;
    }
    row.value = &value;
    while (tfr_summary_next(&event.body, &value, &err) == T2_OK) {
        for (size_t i = 0; i < sizeof plugins / sizeof *plugins; i++) {
            struct t2_slice images[4];
            row.plugin = i == 0 ? value.plugin : plugins[i];
            t2_buf_clear(&text);
            rec_event_line(&row, &text);
            t2_buf_clear(&text);
            rec_event_json(&row, &text);
            check_json();
            (void) rec_event_images(&row, images, 4);
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct t2_slice message = {data, size};

    t2_buf_clear(&text);
    if (rec_raw_text(message, &text, &err) != T2_OK) {
        T2_ASSERT(text.len_bytes == 0);
        return 0;
    }
    t2_buf_clear(&text);
    T2_ASSERT(rec_raw_json(message, &text, &err) == T2_OK);
    check_json();
    check_event(message);
    return 0;
}
