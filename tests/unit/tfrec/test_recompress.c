/*
 * tests/unit/tfrec/test_recompress.c - from every compression to every other, cut and in place.
 */
#include "tfrec/recompress.h"

#include "base/file.h"
#include "tests/unit/tfrecord/index_files.h"
#include "tfrecord/reader.h"

static void check_records(const char *path, size_t first, size_t n)
{
    struct tfr_reader *r = NULL;
    struct t2_buf want = {0};
    struct t2_slice rec;

    assert_int_equal(tfr_reader_new(path, &r, &err), T2_OK);
    for (size_t i = 0; i < n; i++) {
        xf_payload(first + i, &want);
        assert_int_equal(tfr_reader_next(r, &rec, &err), T2_OK);
        assert_true(t2_slice_eq(rec, t2_buf_slice(&want)));
    }
    assert_int_equal(tfr_reader_next(r, &rec, &err), T2_EOF);
    tfr_reader_free(r);
    t2_buf_release(&want);
}

static enum t2_status run(char *path, struct tfr_sink_options o, struct tfr_sink_report *report)
{
    char split[] = "";
    struct tfr_input_file f = {.path = path, .split = split, .n_records = TFR_UNKNOWN_COUNT};
    struct tfr_inputs in = {&f, 1, 0};
    struct t2_pool *pool = t2_pool_new(2);
    enum t2_status st;

    f.bytes = 1;
    o.n_records = TFR_UNKNOWN_COUNT;
    st = rec_recompress(&in, &o, "testing", pool, report, &err);
    t2_pool_free(pool);
    return st;
}

static void test_all_pairs(void **state)
{
    char from[5000], to[5000];

    (void) state;
    snprintf(from, sizeof from, "%s", t_tmp_path("from"));
    snprintf(to, sizeof to, "%s", t_tmp_path("to"));
    for (int a = TFR_PLAIN; a <= TFR_BGZIP; a++) {
        for (int b = TFR_PLAIN; b <= TFR_BGZIP; b++) {
            struct tfr_sink_report report;
            enum tfr_compression c;
            xf_write(from, 2000, (enum tfr_compression) a);
            assert_int_equal(run(from,
                                 (struct tfr_sink_options){.output = to,
                                                           .compression = (enum tfr_compression) b},
                                 &report),
                             T2_OK);
            assert_int_equal(report.n_records, 2000);
            tfr_sink_report_release(&report);
            check_records(to, 0, 2000);
            assert_int_equal(tfr_compression_of(to, &c, &err), T2_OK);
            assert_int_equal(c, b);
            /* in place */
            assert_int_equal(run(to,
                                 (struct tfr_sink_options){.output = to,
                                                           .compression = (enum tfr_compression) a},
                                 NULL),
                             T2_OK);
            check_records(to, 0, 2000);
        }
    }
}

/* Counted first (plain) or held until they are counted (gzip): the same shards. */
static void test_shards(void **state)
{
    char from[5000];

    (void) state;
    snprintf(from, sizeof from, "%s", t_tmp_path("whole"));
    for (int c = TFR_PLAIN; c <= TFR_GZIP; c++) {
        struct tfr_sink_report report;
        xf_write(from, 1001, (enum tfr_compression) c);
        assert_int_equal(run(from,
                             (struct tfr_sink_options){.output = t_tmp_path("part"),
                                                       .cut = TFR_N_SHARDS,
                                                       .n_shards = 2},
                             &report),
                         T2_OK);
        assert_int_equal(report.n, 2);
        check_records(report.files[0].path, 0, 501);
        check_records(report.files[1].path, 501, 500);
        tfr_sink_report_release(&report);
    }
}

static void test_damage_leaves_the_old_file(void **state)
{
    char from[5000];
    const char *to = t_tmp_path("old");
    size_t n;

    (void) state;
    snprintf(from, sizeof from, "%s", t_tmp_path("cut"));
    xf_write(from, 100, TFR_PLAIN);
    char *bytes = t_read_file(from, &n);
    t_write_file(from, bytes, n - 1);
    free(bytes);
    t_write_file(to, "old", 3);
    assert_int_equal(run(from, (struct tfr_sink_options){.output = to}, NULL), T2_EFORMAT);
    t_assert_contains(err.message, "record 99 ");
    bytes = t_read_file(to, &n);
    assert_string_equal(bytes, "old");
    free(bytes);
}

T_MAIN(cmocka_unit_test(test_all_pairs), cmocka_unit_test(test_shards),
       cmocka_unit_test(test_damage_leaves_the_old_file))
