/*
 * Events against what TensorFlow's own protobuf recorded of them: goldens/formats/events.json,
 * every event of every file.
 */
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "tests/support/t.h"
#include "tfrec/event_row.h"
#include "tfrec/row_json.h"
#include "tfrecord/event.h"
#include "tfrecord/reader.h"

static struct t2_err err;

static const struct t2_json_value *in(const struct t2_json_value *v, const char *a, const char *b)
{
    return t2_json_get(t2_json_get(v, a), b);
}

static void assert_text(const struct t2_json_value *ours, const struct t2_json_value *theirs)
{
    assert_string_equal(t2_json_as_string(ours, ""), t2_json_as_string(theirs, ""));
}

/* Buckets: TensorBoard's conversion of the old form drops the empty ones at the ends; counts add
 * up. */
static void check_histogram(const struct t2_json_value *ours, const struct t2_json_value *histo)
{
    static const char *const same[] = {"min", "max", "num", "sum", "sum_squares"};
    const struct t2_json_value *buckets = t2_json_get(ours, "buckets");
    double sum = 0;

    for (size_t i = 0; histo && i < sizeof same / sizeof *same; i++)
        assert_true(t2_json_as_double(t2_json_get(ours, same[i]), -1) ==
                    t2_json_as_double(t2_json_get(histo, same[i]), 0));
    for (size_t i = 0; i < t2_json_size(buckets); i++) {
        const struct t2_json_value *b = t2_json_item(buckets, i);
        assert_int_equal(3, t2_json_size(b));
        sum += t2_json_as_double(t2_json_item(b, 2), 0);
    }
    assert_true(sum == t2_json_as_double(t2_json_get(ours, "num"), -1));
}

static void check_image(const struct t2_json_value *ours, const struct t2_json_value *v)
{
    struct t2_buf bytes = {0};
    const struct t2_json_value *strings = in(v, "tensor", "string_val");
    const char *encoded = t2_json_as_string(in(v, "image", "encoded_image_string"), NULL);

    if (!encoded)
        encoded = t2_json_as_string(t2_json_item(strings, 2), "");
    assert_true(t2_base64_decode(t2_slice_of(encoded), &bytes));
    assert_int_equal(bytes.len_bytes, t2_json_as_i64(t2_json_get(ours, "bytes"), -1));
    assert_int_equal(5, t2_json_as_i64(t2_json_get(ours, "width"), -1));
    assert_int_equal(4, t2_json_as_i64(t2_json_get(ours, "height"), -1));
    t2_buf_release(&bytes);
}

static void check_strings(const struct t2_json_value *ours, const struct t2_json_value *v)
{
    const struct t2_json_value *strings = in(v, "tensor", "string_val");
    const struct t2_json_value *value = t2_json_get(ours, "value");

    for (size_t i = 0; i < t2_json_size(strings); i++) {
        struct t2_buf bytes = {0};
        const struct t2_json_value *mine =
            t2_json_type(value) == T2_JSON_ARRAY ? t2_json_item(value, i) : value;
        assert_true(t2_base64_decode(t2_slice_of(t2_json_as_string(t2_json_item(strings, i), "?")),
                                     &bytes));
        assert_string_equal(t2_json_as_string(mine, ""), t2_buf_cstr(&bytes));
        t2_buf_release(&bytes);
    }
}

static double scalar_of(const struct t2_json_value *v)
{
    const char *content = t2_json_as_string(in(v, "tensor", "tensor_content"), NULL);
    struct t2_buf bytes = {0};
    float f = 0;

    if (!content)
        return t2_json_as_double(t2_json_get(v, "simple_value"), 0);
    assert_true(t2_base64_decode(t2_slice_of(content), &bytes) && bytes.len_bytes == 4);
    memcpy(&f, bytes.data, 4);
    t2_buf_release(&bytes);
    return (double) f;
}

static void check_value(const struct t2_json_value *ours, const struct t2_json_value *v)
{
    const char *kind = t2_json_as_string(t2_json_get(ours, "kind"), "");
    const struct t2_json_value *metadata = t2_json_get(v, "metadata");

    assert_text(t2_json_get(ours, "tag"), t2_json_get(v, "tag"));
    assert_text(t2_json_get(ours, "plugin"), in(metadata, "plugin_data", "plugin_name"));
    assert_text(t2_json_get(ours, "description"), t2_json_get(metadata, "summary_description"));
    if (strcmp(kind, "scalar") == 0)
        assert_true(t2_json_as_double(t2_json_get(ours, "value"), -1) == scalar_of(v));
    else if (strcmp(kind, "histogram") == 0)
        check_histogram(ours, t2_json_get(v, "histo"));
    else if (strcmp(kind, "image") == 0)
        check_image(ours, v);
    else if (strcmp(kind, "text") == 0)
        check_strings(ours, v);
    else if (strcmp(kind, "hparams") == 0)
        assert_text(t2_json_get(ours, "content"), in(metadata, "plugin_data", "content"));
    else
        fail_msg("unexpected kind %s", kind);
}

static struct t2_json_doc *show(const struct tfr_event *e, const struct tfr_summary_value *v)
{
    struct rec_event_row row = {.run = "r", .file = "f", .event = e, .value = v};
    struct t2_json_doc *doc = NULL;
    struct t2_buf line = {0};

    if (v)
        row.plugin = v->plugin;
    rec_event_json(&row, &line);
    if (t2_json_parse(t2_buf_cstr(&line), line.len_bytes, "line", &doc, &err) != T2_OK)
        fail_msg("%s", err.message);
    t2_buf_release(&line);
    return doc;
}

static void check_event(const struct t2_json_value *recorded, struct t2_slice record)
{
    const struct t2_json_value *event = t2_json_get(recorded, "event");
    const struct t2_json_value *values = in(event, "summary", "value");
    struct tfr_summary_value v;
    struct tfr_event e;
    struct t2_json_doc *doc;
    size_t n = 0;

    assert_int_equal(T2_OK, tfr_event_parse(record, &e, &err));
    assert_true(e.wall_time == t2_json_as_double(t2_json_get(event, "wall_time"), 0));
    assert_int_equal(e.step, strtoll(t2_json_as_string(t2_json_get(event, "step"), "0"), NULL, 10));
    if (e.kind != TFR_EVENT_SUMMARY) {
        doc = show(&e, NULL);
        const struct t2_json_value *version = t2_json_get(event, "file_version");
        assert_text(t2_json_get(t2_json_root(doc), "value"),
                    version ? version : in(event, "session_log", "status"));
        t2_json_free(doc);
    }
    while (e.kind == TFR_EVENT_SUMMARY && tfr_summary_next(&e.body, &v, &err) == T2_OK) {
        doc = show(&e, &v);
        check_value(t2_json_root(doc), t2_json_item(values, n++));
        t2_json_free(doc);
    }
    assert_int_equal(n, t2_json_size(values));
}

/* One event is too long for the table: event_left_out. */
static size_t check_file(const char *name, const struct t2_json_value *events)
{
    struct t2_buf path = {0};
    struct tfr_reader *r = NULL;
    struct t2_slice record;
    size_t n_checked = 0;

    t2_buf_printf(&path, "goldens/formats/events/%s", name);
    assert_non_null(t_data_path(t2_buf_cstr(&path)));
    assert_int_equal(T2_OK, tfr_reader_new(t_data_path(t2_buf_cstr(&path)), &r, &err));
    for (size_t i = 0; i < t2_json_size(events); i++) {
        assert_int_equal(T2_OK, tfr_reader_next(r, &record, &err));
        if (t2_json_get(t2_json_item(events, i), "event_left_out"))
            continue;
        check_event(t2_json_item(events, i), record);
        n_checked++;
    }
    assert_int_equal(T2_EOF, tfr_reader_next(r, &record, &err));
    tfr_reader_free(r);
    t2_buf_release(&path);
    return n_checked;
}

static void test_every_event(void **state)
{
    const char *path = t_data_path("goldens/formats/events.json");
    struct t2_json_doc *doc = NULL;
    size_t n_checked = 0;

    (void) state;
    if (!path)
        t_skip("no goldens/formats/events.json in T2_DATA");
    assert_int_equal(T2_OK, t2_json_load(path, &doc, &err));
    for (size_t i = 0; i < t2_json_size(t2_json_root(doc)); i++) {
        const struct t2_json_value *events;
        const char *name = t2_json_member(t2_json_root(doc), i, &events);
        n_checked += check_file(name, events);
    }
    assert_int_equal(t2_json_size(t2_json_root(doc)),
                     t_data_files("goldens/formats/events", ".tfevents"));
    assert_true(n_checked > 0);
    t2_json_free(doc);
}

T_MAIN(cmocka_unit_test(test_every_event))
