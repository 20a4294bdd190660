/*
 * tests/unit/tfrec/test_record_files.c - convert to TFRecord: compressions, shards, wrong flags.
 */
#include "tests/unit/tfrec/converting.h"

static void test_compressions(void **state)
{
    static const char *const how[] = {"none", "gzip", "zlib", "bgzip"};

    (void) state;
    for (size_t i = 0; i < sizeof how / sizeof *how; i++) {
        struct rec_convert c = cv_defaults();
        c.compress = how[i];
        cv_there_and_back(c, "a.tfrecord", "{\"a\":[1]}\n{\"b\":[0.5]}\n");
    }
}

static void test_shards(void **state)
{
    struct rec_convert c = cv_defaults();

    (void) state;
    c.to = "tfrecord";
    cv_must(c, cv_put("a.jsonl", "{\"a\":1}\n{\"a\":2}\n{\"a\":3}\n"), t_tmp_path("x@2"));
    assert_true(t2_exists(t_tmp_path("x-00000-of-00002")) &&
                t2_exists(t_tmp_path("x-00001-of-00002")));
}

static void test_refused(void **state)
{
    const char *in = cv_put("a.jsonl", "{}\n"), *out = t_tmp_path("no.tfrecord");
    struct rec_convert c = cv_defaults();

    (void) state;
    c.compress = "lz4";
    assert_int_equal(cv_run(c, in, out, 1), T2_EUSAGE);
    t_assert_contains(cv_err.message, "none, gzip, zlib, bgzip");
    c.compress = "gzip";
    c.level = 10;
    assert_int_equal(cv_run(c, in, out, 1), T2_EUSAGE);
    assert_false(t2_exists(out));
}

T_MAIN(cmocka_unit_test(test_compressions), cmocka_unit_test(test_shards),
       cmocka_unit_test(test_refused))
