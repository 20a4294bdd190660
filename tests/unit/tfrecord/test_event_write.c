/*
 * tests/unit/tfrecord/test_event_write.c - events as TensorFlow's writer makes them, byte by byte,
 * and read back.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "tests/support/t.h"
#include "tfrecord/event.h"
#include "tfrecord/event_write.h"
#include "tfrecord/writer.h"

enum { HEADER = 12, FOOTER = 4 };

static void test_version(void **state)
{
    static const uint8_t want[] = "\x09\x00\x00\x00\x00\x00\x00\xf0\x3f\x1a\x0d"
                                  "brain.Event:2";
    struct t2_buf file = {NULL, 0, 0};

    (void) state;
    tfr_put_event_version(&file, 1.0, NULL);
    assert_true(tfr_frame_is_sound(t2_buf_slice(&file)));
    assert_int_equal(file.len_bytes, HEADER + sizeof want - 1 + FOOTER);
    assert_memory_equal(file.data + HEADER, want, sizeof want - 1);
    t2_buf_release(&file);
}

static void test_scalars(void **state)
{
    static const char *const tags[] = {"a", "b/c"};
    static const float values[] = {0, 12.5f};
    struct t2_err err = T2_ERR_INIT;
    struct t2_buf file = {NULL, 0, 0};
    struct tfr_event e;
    struct tfr_summary_value v;

    (void) state;
    for (int64_t step = 0; step < 1000000; step = step * 1000 + 7) {
        t2_buf_clear(&file);
        tfr_put_event_scalars(&file, 981173106.5, step, tags, values, 2);
        assert_true(tfr_frame_is_sound(t2_buf_slice(&file)));
        assert_int_equal(tfr_event_parse((struct t2_slice){file.data + HEADER,
                                                           file.len_bytes - HEADER - FOOTER},
                                         &e, &err),
                         T2_OK);
        assert_true(e.wall_time == 981173106.5);
        assert_int_equal(e.step, step);
        assert_int_equal(e.kind, TFR_EVENT_SUMMARY);
        for (int i = 0; i < 2; i++) {
            assert_int_equal(tfr_summary_next(&e.body, &v, &err), T2_OK);
            assert_true(t2_slice_eq(v.tag, t2_slice_of(tags[i])));
            assert_int_equal(v.form, TFR_VALUE_SIMPLE);
            assert_true(v.simple == values[i]);
        }
        assert_int_equal(tfr_summary_next(&e.body, &v, &err), T2_EOF);
    }
    t2_buf_release(&file);
}

/* The event of the one frame in file. */
static struct tfr_event event_of(const struct t2_buf *file)
{
    struct t2_err err = T2_ERR_INIT;
    struct tfr_event e;

    assert_true(tfr_frame_is_sound(t2_buf_slice(file)));
    if (tfr_event_parse((struct t2_slice){file->data + HEADER, file->len_bytes - HEADER - FOOTER},
                        &e, &err) != T2_OK)
        fail_msg("%s", err.message);
    return e;
}

static void test_writer_and_start(void **state)
{
    struct t2_buf file = {NULL, 0, 0};
    struct t2_slice source, writer;
    struct tfr_event e;
    uint64_t status;

    (void) state;
    tfr_put_event_version(&file, 1.0, "us");
    e = event_of(&file);
    assert_int_equal(e.kind, TFR_EVENT_FILE_VERSION);
    assert_true(
        tfr_field_bytes((struct t2_slice){file.data + HEADER, file.len_bytes - HEADER - FOOTER}, 10,
                        &source));
    assert_true(tfr_field_bytes(source, 1, &writer));
    assert_true(t2_slice_eq(writer, t2_slice_of("us")));
    t2_buf_clear(&file);
    tfr_put_event_start(&file, 1.0, 7);
    e = event_of(&file);
    assert_int_equal(e.kind, TFR_EVENT_SESSION);
    assert_int_equal(e.step, 7);
    assert_true(tfr_field_varint(e.body, 1, &status));
    assert_int_equal(status, 1);
    t2_buf_release(&file);
}

/* The one value of a summary that went through an event. */
static struct tfr_summary_value value_of(struct t2_buf *file, const struct t2_buf *summary)
{
    struct t2_err err = T2_ERR_INIT;
    struct tfr_summary_value v, none;
    struct tfr_event e;

    t2_buf_clear(file);
    tfr_put_event_summary(file, 1.0, 3, t2_buf_slice(summary));
    e = event_of(file);
    assert_int_equal(tfr_summary_next(&e.body, &v, &err), T2_OK);
    assert_int_equal(tfr_summary_next(&e.body, &none, &err), T2_EOF);
    return v;
}

static void test_texts(void **state)
{
    static const char *const cells[] = {"a", "1", "b", ""};
    struct t2_buf summary = {NULL, 0, 0}, file = {NULL, 0, 0};
    struct tfr_summary_value v;
    struct t2_slice strings[5];
    struct t2_err err = T2_ERR_INIT;
    struct tfr_tensor t;

    (void) state;
    tfr_put_texts(&summary, "table", false, cells, 4, 2);
    v = value_of(&file, &summary);
    assert_true(t2_slice_eq(v.plugin, t2_slice_of("text")));
    assert_int_equal(tfr_tensor_parse(v.body, &t, &err), T2_OK);
    assert_int_equal(t.n_dims, 2);
    assert_int_equal(t.dims[0], 2);
    assert_int_equal(t.dims[1], 2);
    assert_int_equal(tfr_tensor_strings(&t, strings, 5), 4);
    for (int i = 0; i < 4; i++)
        assert_true(t2_slice_eq(strings[i], t2_slice_of(cells[i])));
    t2_buf_clear(&summary);
    tfr_put_texts(&summary, "checkpoint_path", true, cells, 1, 0);
    v = value_of(&file, &summary);
    assert_int_equal(v.plugin.len_bytes, 0);
    assert_int_equal(tfr_tensor_parse(v.body, &t, &err), T2_OK);
    assert_int_equal(t.n_dims, 0);
    t2_buf_release(&summary);
    t2_buf_release(&file);
}

/* Every value lies in the bucket that ends above it; empty runs are one bucket; counts add up. */
static void test_histogram(void **state)
{
    static const float values[] = {-1, 0, 0, 0, 0.1f, 2.5f, 1e21f, (float) NAN, (float) INFINITY};
    static const double counts[] = {0, 1, 0, 3, 0, 1, 0, 1, 0, 1};
    struct tfr_histogram *h = t2_alloc(1, sizeof *h);
    struct t2_buf summary = {NULL, 0, 0}, file = {NULL, 0, 0};
    struct tfr_summary_value v;
    double ends[20], found[20], n, least;

    (void) state;
    tfr_histogram_init(h);
    tfr_histogram_add(h, values, 5);
    tfr_histogram_add(h, values + 5, 4);
    tfr_put_histogram(&summary, "weights", h);
    v = value_of(&file, &summary);
    assert_int_equal(v.form, TFR_VALUE_HISTO);
    assert_int_equal(tfr_field_doubles(v.body, 6, ends, 20), 10);
    assert_int_equal(tfr_field_doubles(v.body, 7, found, 20), 10);
    for (int i = 0; i < 10; i++)
        assert_true(found[i] == counts[i]);
    assert_true(ends[0] < -1 && ends[1] > -1 && ends[2] == 0.0 && ends[3] == 1e-12);
    assert_true(ends[4] <= 0.1 && ends[5] > 0.1 && ends[6] <= 2.5 && ends[7] > 2.5);
    assert_true(ends[8] < 1e20 && ends[9] == DBL_MAX);
    assert_true(tfr_field_double(v.body, 3, &n) && n == 7);
    assert_true(tfr_field_double(v.body, 1, &least) && least == -1);
    t2_buf_clear(&summary);
    tfr_histogram_init(h); /* of nothing */
    tfr_put_histogram(&summary, "none", h);
    v = value_of(&file, &summary);
    assert_int_equal(tfr_field_doubles(v.body, 6, ends, 20), 1);
    assert_true(ends[0] == DBL_MAX);
    t2_free(h);
    t2_buf_release(&summary);
    t2_buf_release(&file);
}

static void test_hparams(void **state)
{
    static const struct tfr_hparam hparams[] = {{"name", "base", 0, false},
                                                {"lr", NULL, 0.1, false},
                                                {"bias", NULL, 1, true}};
    static const struct tfr_hparam_metric metrics[] = {{"eval", "loss"}};
    struct t2_buf summary = {NULL, 0, 0};
    struct t2_slice rest, info, entry, field, value;
    struct tfr_summary_value v;
    struct t2_err err = T2_ERR_INIT;
    uint64_t number;
    double lr;

    (void) state;
    tfr_put_hparams(&summary, hparams, 3, metrics, 1, "run", 5.0);
    rest = t2_buf_slice(&summary);
    assert_int_equal(tfr_summary_next(&rest, &v, &err), T2_OK);
    assert_true(t2_slice_eq(v.tag, t2_slice_of("_hparams_/experiment")));
    assert_true(t2_slice_eq(v.plugin, t2_slice_of("hparams")));
    assert_true(tfr_field_bytes(v.content, 2, &info));
    for (uint64_t i = 0; i < 3; i++) { /* kinds: text 1, bool 2, number 3 */
        static const uint64_t kinds[] = {1, 3, 2};

        assert_true(tfr_field_next_bytes(&info, 4, &entry));
        assert_true(tfr_field_varint(entry, 4, &number) && number == kinds[i]);
    }
    assert_int_equal(tfr_summary_next(&rest, &v, &err), T2_OK);
    assert_true(t2_slice_eq(v.tag, t2_slice_of("_hparams_/session_start_info")));
    assert_true(tfr_field_bytes(v.content, 3, &info));
    assert_true(tfr_field_next_bytes(&info, 1, &entry) && tfr_field_bytes(entry, 2, &value));
    assert_true(tfr_field_bytes(value, 3, &field) && t2_slice_eq(field, t2_slice_of("base")));
    assert_true(tfr_field_next_bytes(&info, 1, &entry) && tfr_field_bytes(entry, 2, &value));
    assert_true(tfr_field_double(value, 2, &lr) && lr == 0.1);
    assert_true(tfr_field_next_bytes(&info, 1, &entry) && tfr_field_bytes(entry, 2, &value));
    assert_true(tfr_field_varint(value, 4, &number) && number == 1);
    assert_int_equal(tfr_summary_next(&rest, &v, &err), T2_EOF);
    t2_buf_release(&summary);
}

T_MAIN(cmocka_unit_test(test_version), cmocka_unit_test(test_scalars),
       cmocka_unit_test(test_writer_and_start), cmocka_unit_test(test_texts),
       cmocka_unit_test(test_histogram), cmocka_unit_test(test_hparams))
