/*
 * tests/unit/base/test_remote_path.c - what is a remote path, and what is said of it.
 */
#include "base/remote_path.h"

#include <string.h>

#include "tests/support/t.h"

static void test_grammar(void **state)
{
    static const char *const remote[] = {"gs://b",          "s3://b/x",
                                         "https://h/x",     "HTTP://h",
                                         "hdfs://n:8020/x", "a+b-c.9://x",
                                         "file:///x",       "x://"};
    static const char *const local[] = {"",        "gs",       "gs:",    "gs:/b",  "://b",
                                        "/gs://b", "./gs://b", "9s://b", "+s://b", "g s://",
                                        "a_b://c", "a/b://c",  "-",      "C:\\x",  "\xC3\xA9://x"};
    struct t2_err err = T2_ERR_INIT;

    (void) state;
    for (size_t i = 0; i < sizeof remote / sizeof *remote; i++)
        assert_int_equal(t2_refuse_remote(remote[i], &err), T2_EUNSUPPORTED);
    for (size_t i = 0; i < sizeof local / sizeof *local; i++)
        assert_int_equal(t2_refuse_remote(local[i], &err), T2_OK);
}

static void test_messages(void **state)
{
    struct t2_err err = T2_ERR_INIT;

    (void) state;
    assert_int_equal(t2_refuse_remote("data/x", &err), T2_OK);
    assert_int_equal(t2_refuse_remote("gs://b/x", &err), T2_EUNSUPPORTED);
    assert_string_equal(err.message, "'gs://b/x': remote paths are not supported yet; use a local "
                                     "folder and copy from or to there with gsutil cp -r");
    assert_int_equal(t2_refuse_remote("S3://b/x", &err), T2_EUNSUPPORTED);
    assert_non_null(strstr(err.message, "aws s3 cp"));
    assert_int_equal(t2_refuse_remote("https://h/x", &err), T2_EUNSUPPORTED);
    assert_non_null(strstr(err.message, "curl"));
    assert_int_equal(t2_refuse_remote("abc://h/x", &err), T2_EUNSUPPORTED);
    assert_string_equal(err.message, "'abc://h/x': remote paths are not supported yet; use a local "
                                     "folder and copy from or to there");
    assert_int_equal(t2_refuse_remote("file:///a/b", &err), T2_EUNSUPPORTED);
    assert_string_equal(err.message, "'file:///a/b': a path is wanted, not a URL; write '/a/b'");
    assert_int_equal(t2_refuse_remote("file://localhost/a", &err), T2_EUNSUPPORTED);
    assert_non_null(strstr(err.message, "write '/a'"));
}

static void test_lists(void **state)
{
    struct t2_err err = T2_ERR_INIT;

    (void) state;
    assert_int_equal(t2_refuse_remote_list("", &err), T2_OK);
    assert_int_equal(t2_refuse_remote_list("a.en,a.de;x=b,,", &err), T2_OK);
    assert_int_equal(t2_refuse_remote_list("a.en,gs://b/a.de", &err), T2_EUNSUPPORTED);
    assert_int_equal(t2_refuse_remote_list("news=gs://b/a.tsv;ted=b.tsv", &err), T2_EUNSUPPORTED);
    assert_int_equal(t2_refuse_remote_list("news=a.tsv;ted=gs://b", &err), T2_EUNSUPPORTED);
}

T_MAIN(cmocka_unit_test(test_grammar), cmocka_unit_test(test_messages),
       cmocka_unit_test(test_lists))
