/*
 * tests/unit/base/test_remote_path.c - what is a remote path, and what is said of those that will
 * not do.
 */
#include "base/remote_path.h"

#include <string.h>

#include "tests/support/t.h"

static void test_grammar(void **state)
{
    static const struct {
        const char *path;
        enum t2_scheme scheme;
    } cases[] = {
        {"gs://b", T2_SCHEME_GS},
        {"GS://b/x", T2_SCHEME_GS},
        {"s3://b/x", T2_SCHEME_S3},
        {"https://h/x", T2_SCHEME_HTTP},
        {"HTTP://h", T2_SCHEME_HTTP},
        {"hdfs://n:8020/x", T2_SCHEME_OTHER},
        {"a+b-c.9://x", T2_SCHEME_OTHER},
        {"file:///x", T2_SCHEME_OTHER},
        {"x://", T2_SCHEME_OTHER},
        {"s33://b", T2_SCHEME_OTHER},
        {"", T2_SCHEME_NONE},
        {"gs", T2_SCHEME_NONE},
        {"gs:", T2_SCHEME_NONE},
        {"gs:/b", T2_SCHEME_NONE},
        {"://b", T2_SCHEME_NONE},
        {"/gs://b", T2_SCHEME_NONE},
        {"./gs://b", T2_SCHEME_NONE},
        {"9s://b", T2_SCHEME_NONE},
        {"+s://b", T2_SCHEME_NONE},
        {"g s://", T2_SCHEME_NONE},
        {"a_b://c", T2_SCHEME_NONE},
        {"a/b://c", T2_SCHEME_NONE},
        {"-", T2_SCHEME_NONE},
        {"C:\\x", T2_SCHEME_NONE},
        {"\xC3\xA9://x", T2_SCHEME_NONE},
    };
    struct t2_err err = T2_ERR_INIT;

    (void) state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        enum t2_scheme s = cases[i].scheme;

        assert_int_equal(t2_path_scheme(cases[i].path), s);
        assert_int_equal(t2_is_remote(cases[i].path), s != T2_SCHEME_NONE && s != T2_SCHEME_OTHER);
        assert_int_equal(t2_check_scheme(cases[i].path, &err),
                         s == T2_SCHEME_OTHER ? T2_EUNSUPPORTED : T2_OK);
        assert_int_equal(t2_refuse_remote(cases[i].path, &err),
                         s == T2_SCHEME_NONE ? T2_OK : T2_EUNSUPPORTED);
    }
}

static void test_messages(void **state)
{
    struct t2_err err = T2_ERR_INIT;

    (void) state;
    assert_int_equal(t2_refuse_remote("gs://b/x", &err), T2_EUNSUPPORTED);
    assert_string_equal(err.message, "'gs://b/x': only a local path will do here; copy from or to "
                                     "there with gsutil cp -r");
    assert_int_equal(t2_refuse_remote("S3://b/x", &err), T2_EUNSUPPORTED);
    assert_non_null(strstr(err.message, "aws s3 cp"));
    assert_int_equal(t2_refuse_remote("https://h/x", &err), T2_EUNSUPPORTED);
    assert_non_null(strstr(err.message, "curl"));
    assert_int_equal(t2_check_scheme("abc://h/x", &err), T2_EUNSUPPORTED);
    assert_string_equal(err.message,
                        "'abc://h/x': of remote paths only gs://, s3:// and https:// are "
                        "understood; use a local folder and copy from or to there");
    assert_int_equal(t2_check_scheme("file:///a/b", &err), T2_EUNSUPPORTED);
    assert_string_equal(err.message, "'file:///a/b': a path is wanted, not a URL; write '/a/b'");
    assert_int_equal(t2_check_scheme("file://localhost/a", &err), T2_EUNSUPPORTED);
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
    assert_int_equal(t2_check_schemes("news=gs://b/a.tsv;ted=s3://b/x", &err), T2_OK);
    assert_int_equal(t2_check_schemes("news=a.tsv;ted=hdfs://b", &err), T2_EUNSUPPORTED);
}

T_MAIN(cmocka_unit_test(test_grammar), cmocka_unit_test(test_messages),
       cmocka_unit_test(test_lists))
