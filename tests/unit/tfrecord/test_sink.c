/*
 * tests/unit/tfrecord/test_sink.c - how records are cut, what appears when, what is refused.
 */
#include "tfrecord/sink.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/hash.h"
#include "tests/support/t.h"
#include "tests/unit/tfrecord/record_files.h"
#include "tfrecord/framing.h"
#include "tfrecord/inputs.h"
#include "tfrecord/reader.h"
#include "tfrecord/shards.h"

static struct t2_err err;
static char dir[4200], base[4300];

static void begin(const char *name)
{
    snprintf(dir, sizeof dir, "%s", t_tmp_path(name));
    assert_int_equal(mkdir(dir, 0777), 0);
    snprintf(base, sizeof base, "%s/x", dir);
}

static size_t n_names(void)
{
    struct t2_strs names = {0};
    size_t n;

    assert_int_equal(t2_list_dir(dir, &names, &err), T2_OK);
    n = names.n;
    t2_strs_release(&names);
    return n;
}

static struct tfr_sink *open_ok(struct tfr_sink_options o)
{
    struct tfr_sink *s = NULL;

    o.output = base;
    assert_int_equal(tfr_sink_new(&o, &s, &err), T2_OK);
    return s;
}

static void add(struct tfr_sink *s, size_t n)
{
    for (size_t i = 0; i < n; i++)
        tfr_sink_add(s, rf_payload(i).data, rf_payload(i).len_bytes);
}

/* Records of each file of the report; all of them are rf_some, in order. */
static void check_files(const struct tfr_sink_report *r, size_t n, const size_t *counts)
{
    size_t at = 0;

    assert_int_equal(r->n, n);
    for (size_t i = 0; i < n; i++) {
        struct tfr_reader *reader = NULL;
        struct t2_slice rec;
        char sha[65];
        uint64_t bytes;

        assert_int_equal(r->files[i].n_records, counts[i]);
        assert_int_equal(tfr_reader_new(r->files[i].path, &reader, &err), T2_OK);
        while (tfr_reader_next(reader, &rec, &err) == T2_OK) {
            assert_true(t2_slice_eq(rec, rf_payload(at)));
            at++;
        }
        assert_int_equal(tfr_reader_count(reader), counts[i]);
        tfr_reader_free(reader);
        assert_int_equal(t2_sha256_file(r->files[i].path, sha, &bytes, &err), T2_OK);
        assert_string_equal(sha, r->files[i].sha256);
        assert_int_equal(bytes, r->files[i].bytes);
    }
    assert_int_equal(at, r->n_records);
}

static void test_one_file(void **state)
{
    struct tfr_sink_report report;

    (void) state;
    begin("one");
    for (int c = TFR_PLAIN; c <= TFR_BGZIP; c++) {
        struct tfr_sink *s =
            open_ok((struct tfr_sink_options){.compression = (enum tfr_compression) c});
        add(s, 50);
        assert_int_equal(tfr_sink_commit(s, &report, &err), T2_OK);
        check_files(&report, 1, (size_t[]){50});
        assert_string_equal(report.files[0].path, base);
        tfr_sink_report_release(&report);
    }
    assert_int_equal(n_names(), 1);
}

static void test_even_shards(void **state)
{
    static const size_t totals[3] = {10, 2, 0};

    (void) state;
    begin("even");
    for (size_t t = 0; t < 3; t++) {
        size_t expected[4] = {0};
        for (size_t i = 0; i < totals[t]; i++)
            expected[i * 4 / totals[t]]++;
        for (int known = 0; known < 2; known++) {
            struct tfr_sink_report report;
            struct tfr_sink *s = open_ok(
                (struct tfr_sink_options){.cut = TFR_N_SHARDS,
                                          .n_shards = 4,
                                          .n_records = known ? totals[t] : TFR_UNKNOWN_COUNT});
            add(s, totals[t]);
            if (t == 0 && !known)
                assert_int_equal(n_names(), 1); /* what is incomplete */
            assert_int_equal(tfr_sink_commit(s, &report, &err), T2_OK);
            check_files(&report, 4, expected);
            assert_int_equal(n_names(), 4);
            t_assert_contains(report.files[3].path, "/x-00003-of-00004");
            tfr_sink_report_release(&report);
        }
    }
}

static void test_other_cuts(void **state)
{
    struct tfr_sink_report report;
    struct tfr_sink *s;

    (void) state;
    begin("records");
    s = open_ok((struct tfr_sink_options){.cut = TFR_BY_RECORDS, .limit = 4});
    add(s, 9);
    assert_int_equal(tfr_sink_commit(s, &report, &err), T2_OK);
    check_files(&report, 3, (size_t[]){4, 4, 1});
    tfr_sink_report_release(&report);
    begin("records-even");
    s = open_ok((struct tfr_sink_options){.cut = TFR_BY_RECORDS, .limit = 4});
    add(s, 8);
    assert_int_equal(tfr_sink_commit(s, &report, &err), T2_OK);
    check_files(&report, 2, (size_t[]){4, 4});
    tfr_sink_report_release(&report);
    begin("bytes"); /* records have 16, 21, 26, 716, 36, 41 bytes */
    s = open_ok((struct tfr_sink_options){.cut = TFR_BY_BYTES, .limit = 63});
    add(s, 6);
    assert_int_equal(tfr_sink_commit(s, &report, &err), T2_OK);
    check_files(&report, 4, (size_t[]){3, 1, 1, 1});
    tfr_sink_report_release(&report);
    begin("none");
    s = open_ok((struct tfr_sink_options){.cut = TFR_BY_BYTES, .limit = 62, .unhashed = true});
    assert_int_equal(tfr_sink_commit(s, &report, &err), T2_OK);
    assert_int_equal(report.n, 1);
    assert_string_equal(report.files[0].sha256, "");
    tfr_sink_report_release(&report);
}

/* Records that are framed already give the same files, however they are cut and compressed. */
static void test_frames(void **state)
{
    enum { N = 12 };
    const struct tfr_sink_options cuts[] = {{.cut = TFR_ONE_FILE},
                                            {.cut = TFR_N_SHARDS, .n_shards = 3, .n_records = N},
                                            {.cut = TFR_N_SHARDS,
                                             .n_shards = 3,
                                             .n_records = TFR_UNKNOWN_COUNT},
                                            {.cut = TFR_BY_RECORDS, .limit = 5},
                                            {.cut = TFR_BY_BYTES, .limit = 800},
                                            {.cut = TFR_ONE_FILE, .compression = TFR_BGZIP}};
    struct t2_buf frames = {0};
    (void) state;

    rf_some(&frames, N);
    for (size_t i = 0; i < sizeof cuts / sizeof *cuts; i++) {
        struct tfr_sink_report want, got;
        char name[20];
        snprintf(name, sizeof name, "want%zu", i);
        begin(name);
        struct tfr_sink *s = open_ok(cuts[i]);
        add(s, N);
        assert_int_equal(tfr_sink_commit(s, &want, &err), T2_OK);
        snprintf(name, sizeof name, "got%zu", i);
        begin(name);
        s = open_ok(cuts[i]);
        size_t first = TFR_FRAME_BYTES + rf_payload(0).len_bytes;
        tfr_sink_add_frames(s, (struct t2_slice){frames.data, first}, 1);
        tfr_sink_add_frames(s, (struct t2_slice){frames.data + first, frames.len_bytes - first},
                            N - 1);
        assert_int_equal(tfr_sink_commit(s, &got, &err), T2_OK);
        assert_int_equal(got.n, want.n);
        assert_int_equal(got.n_records, N);
        for (size_t k = 0; k < got.n; k++) {
            assert_string_equal(got.files[k].sha256, want.files[k].sha256);
            assert_int_equal(got.files[k].n_records, want.files[k].n_records);
        }
        tfr_sink_report_release(&want);
        tfr_sink_report_release(&got);
    }
    t2_buf_release(&frames);
}

static void test_wrong_count(void **state)
{
    struct tfr_sink *s;

    (void) state;
    begin("count");
    s = open_ok((struct tfr_sink_options){.cut = TFR_N_SHARDS, .n_shards = 2, .n_records = 5});
    add(s, 6);
    assert_int_equal(tfr_sink_status(s, &err), T2_EFORMAT);
    assert_int_equal(tfr_sink_commit(s, NULL, &err), T2_EFORMAT);
    t_assert_contains(err.message, "more records came than the 5");
    s = open_ok((struct tfr_sink_options){.cut = TFR_N_SHARDS, .n_shards = 2, .n_records = 5});
    add(s, 4);
    assert_int_equal(tfr_sink_commit(s, NULL, &err), T2_EFORMAT);
    t_assert_contains(err.message, "4 records came, 5 were counted");
    assert_int_equal(n_names(), 0);
}

static void test_abort(void **state)
{
    struct tfr_sink *s;

    (void) state;
    begin("abort");
    t_write_file(base, "old", 3);
    s = open_ok((struct tfr_sink_options){0});
    add(s, 3);
    tfr_sink_abort(s);
    tfr_sink_abort(NULL);
    for (int known = 0; known < 2; known++) {
        s = open_ok((struct tfr_sink_options){.cut = TFR_N_SHARDS,
                                              .n_shards = 3,
                                              .n_records = known ? 9 : TFR_UNKNOWN_COUNT});
        add(s, 9);
        assert_true(n_names() > 1);
        tfr_sink_abort(s);
    }
    assert_int_equal(n_names(), 1);
}

static void test_other_set_is_there(void **state)
{
    struct tfr_sink_options o = {.output = base, .cut = TFR_N_SHARDS, .n_shards = 3};
    struct tfr_sink *s = NULL;
    char *path;

    (void) state;
    begin("mixed");
    path = tfr_shard_path(dir, "x", NULL, 0, 2);
    t_write_file(path, "", 0);
    t2_free(path);
    assert_int_equal(tfr_sink_new(&o, &s, &err), T2_EUSAGE);
    t_assert_contains(err.message, "x-00000-of-00002");
    assert_null(s);
    s = open_ok((struct tfr_sink_options){.cut = TFR_BY_RECORDS, .limit = 1});
    add(s, 3);
    assert_int_equal(tfr_sink_commit(s, NULL, &err), T2_EUSAGE);
    t_assert_contains(err.message, "x-00000-of-00002");
    assert_int_equal(n_names(), 1);
    s = open_ok((struct tfr_sink_options){.cut = TFR_BY_RECORDS, .limit = 1}); /* replaced */
    add(s, 2);
    assert_int_equal(tfr_sink_commit(s, NULL, &err), T2_OK);
    assert_int_equal(n_names(), 2);
}

/* A shard cannot take its name: the others do not stay. */
static void test_rename_fails(void **state)
{
    struct tfr_sink *s;
    char *path;

    (void) state;
    begin("rename");
    path = tfr_shard_path(dir, "x", NULL, 1, 3);
    assert_int_equal(mkdir(path, 0777), 0);
    s = open_ok((struct tfr_sink_options){.cut = TFR_N_SHARDS, .n_shards = 3, .n_records = 3});
    add(s, 3);
    assert_int_equal(tfr_sink_commit(s, NULL, &err), T2_EIO);
    t_assert_contains(err.message, "x-00001-of-00003");
    assert_int_equal(n_names(), 1);
    t2_free(path);
}

static void test_full_disk(void **state)
{
    struct tfr_sink_options o = {.output = "/dev/full"};
    struct tfr_sink *s = NULL;

    (void) state;
    for (int c = TFR_PLAIN; c <= TFR_BGZIP; c++) {
        o.compression = (enum tfr_compression) c;
        assert_int_equal(tfr_sink_new(&o, &s, &err), T2_OK);
        add(s, 20);
        assert_int_equal(tfr_sink_commit(s, NULL, &err), T2_EIO);
        t_assert_contains(err.message, "/dev/full");
    }
}

static void test_bad_options(void **state)
{
    static const struct {
        struct tfr_sink_options o;
        const char *says;
    } cases[] = {
        {{.output = ""}, "empty"},
        {{.output = "-", .cut = TFR_N_SHARDS, .n_shards = 2}, "standard output"},
        {{.output = "x", .cut = TFR_N_SHARDS}, "0 shards"},
        {{.output = "x", .cut = TFR_BY_BYTES}, "at least 1"},
        {{.output = "x", .level = 10}, "level 10"},
        {{.output = "/dev/null/x"}, "/dev/null"},
    };
    struct tfr_sink *s;

    (void) state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_not_equal(tfr_sink_new(&cases[i].o, &s, &err), T2_OK);
        t_assert_contains(err.message, cases[i].says);
        assert_null(s);
    }
}

static void test_parse_output(void **state)
{
    struct tfr_sink_options o = {0};
    char *output;

    (void) state;
    assert_int_equal(tfr_sink_parse_output("d/x@16", &output, &o, &err), T2_OK);
    assert_string_equal(output, "d/x");
    assert_int_equal(o.cut, TFR_N_SHARDS);
    assert_int_equal(o.n_shards, 16);
    t2_free(output);
    assert_int_equal(tfr_sink_parse_output("a@2/x@b", &output, &o, &err), T2_OK);
    assert_string_equal(output, "a@2/x@b");
    assert_int_equal(o.cut, TFR_ONE_FILE);
    t2_free(output);
    assert_int_equal(tfr_sink_parse_output("x@0", &output, &o, &err), T2_EUSAGE);
    assert_int_equal(tfr_sink_parse_output("d/@5", &output, &o, &err), T2_EUSAGE);
    assert_int_equal(tfr_sink_parse_output("x@1000000", &output, &o, &err), T2_EUSAGE);
    assert_int_equal(tfr_sink_parse_output("", &output, &o, &err), T2_EUSAGE);
}

T_MAIN(cmocka_unit_test(test_one_file), cmocka_unit_test(test_even_shards),
       cmocka_unit_test(test_other_cuts), cmocka_unit_test(test_frames),
       cmocka_unit_test(test_wrong_count), cmocka_unit_test(test_abort),
       cmocka_unit_test(test_other_set_is_there), cmocka_unit_test(test_rename_fails),
       cmocka_unit_test(test_full_disk), cmocka_unit_test(test_bad_options),
       cmocka_unit_test(test_parse_output))
