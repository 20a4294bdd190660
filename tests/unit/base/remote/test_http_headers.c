/*
 * tests/unit/base/remote/test_http_headers.c - dates, ranges, names: good ones, and what servers
 * send.
 */
#include "base/remote/http_headers.h"

#include <string.h>

#include "base/alloc.h"
#include "tests/support/t.h"

static void test_dates(void **state)
{
    static const struct {
        const char *text;
        int64_t unix_s; /* -1: refused */
    } cases[] = {
        {"Sun, 06 Nov 1994 08:49:37 GMT", 784111777},
        {"Sunday, 06-Nov-94 08:49:37 GMT", 784111777},
        {"Sun Nov  6 08:49:37 1994", 784111777},
        {"Thu, 01 Jan 1970 00:00:00 GMT", 0},
        {"Tue, 29 Feb 2000 12:00:00 GMT", 951825600},
        {"Wed, 01 Mar 2000 00:00:00 GMT", 951868800},
        {"Tue, 19 Jan 2038 03:14:08 GMT", INT64_C(2147483648)},
        {"Fri, 31 Dec 2100 23:59:60 GMT", INT64_C(4133980800)},
        {"Sunday, 06-Nov-37 08:49:37 GMT", INT64_C(2141110177)},
        {"", -1},
        {"Sun, 06 Nov 1994 08:49:37", -1},
        {"Sun, 06 Nov 1994 08:49:37 GMT x", -1},
        {"Sun, 06 Nov 1994 24:49:37 GMT", -1},
        {"Sun, 06 Nov 1994 08:61:37 GMT", -1},
        {"Sun, 32 Nov 1994 08:49:37 GMT", -1},
        {"Sun, 00 Nov 1994 08:49:37 GMT", -1},
        {"Sun, 06 Nox 1994 08:49:37 GMT", -1},
        {"Sun, 06 Nov 19944 08:49:37 GMT", -1},
        {"Sun, 06 Nov 1800 08:49:37 GMT", -1},
        {"Sun, ", -1},
        {"Sun Nov", -1},
        {"1994-11-06T08:49:37Z", -1},
    };

    (void) state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int64_t s = -1;
        assert_int_equal(t2_http_date(cases[i].text, &s), cases[i].unix_s >= 0);
        assert_int_equal(s, cases[i].unix_s);
    }
}

static void test_retry_after(void **state)
{
    int64_t wait;

    (void) state;
    assert_true(t2_http_retry_after("120", 0, &wait));
    assert_int_equal(wait, 120);
    assert_true(t2_http_retry_after(" 0 ", 0, &wait));
    assert_int_equal(wait, 0);
    assert_true(t2_http_retry_after("Sun, 06 Nov 1994 08:49:37 GMT", 784111770, &wait));
    assert_int_equal(wait, 7);
    assert_true(t2_http_retry_after("Sun, 06 Nov 1994 08:49:37 GMT", 884111770, &wait));
    assert_int_equal(wait, 0);
    assert_false(t2_http_retry_after("soon", 0, &wait));
    assert_false(t2_http_retry_after("-1", 0, &wait));
    assert_false(t2_http_retry_after("1.5", 0, &wait));
    assert_false(t2_http_retry_after("99999999999999999999", 0, &wait));
}

static void test_content_range(void **state)
{
    static const char *const wrong[] = {"",
                                        "bytes",
                                        "bytes 10-19",
                                        "bytes 19-10/100",
                                        "bytes 10-100/100",
                                        "bytes 1-/100",
                                        "bytes -5/100",
                                        "bytes */*",
                                        "lines 10-19/100",
                                        "bytes 10-19/100 x",
                                        "bytes 10-19/99999999999999999999999",
                                        "bytes 0x1-2/3"};
    struct t2_http_content_range r;

    (void) state;
    assert_true(t2_http_content_range("bytes 10-19/100", &r));
    assert_true(r.has_bytes && r.has_total && r.first == 10 && r.last == 19 && r.total == 100);
    assert_true(t2_http_content_range("Bytes 0-0/*", &r));
    assert_true(r.has_bytes && !r.has_total && r.first == 0 && r.last == 0);
    assert_true(t2_http_content_range("bytes */100", &r));
    assert_true(!r.has_bytes && r.has_total && r.total == 100);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_false(t2_http_content_range(wrong[i], &r));
}

static void test_types_and_tags(void **state)
{
    (void) state;
    assert_true(t2_is_html_type("text/html"));
    assert_true(t2_is_html_type(" Text/HTML; charset=utf-8"));
    assert_true(t2_is_html_type("application/xhtml+xml"));
    assert_false(t2_is_html_type("text/htmlish"));
    assert_false(t2_is_html_type("application/octet-stream"));
    assert_false(t2_is_html_type(""));
    assert_true(t2_is_strong_etag("\"abc\""));
    assert_true(t2_is_strong_etag("\"\""));
    assert_false(t2_is_strong_etag("W/\"abc\""));
    assert_false(t2_is_strong_etag("\""));
    assert_false(t2_is_strong_etag("abc"));
}

static void test_names(void **state)
{
    char long_name[300];

    (void) state;
    assert_string_equal(t2_url_name("http://h/a/training.tgz"), "training.tgz");
    assert_string_equal(t2_url_name("http://h/download.php?f=SETIMES/v2/en-ro.txt.zip"),
                        "en-ro.txt.zip");
    assert_string_equal(t2_url_name("local"), "local");
    assert_null(t2_url_name("http://h/a/"));
    assert_null(t2_url_name("http://h/.."));
    assert_null(t2_url_name("http://h/a\nb"));
    assert_null(t2_url_name(""));
    memset(long_name, 'x', sizeof long_name - 1);
    long_name[sizeof long_name - 1] = '\0';
    assert_null(t2_url_name(long_name));
    long_name[200] = '\0';
    assert_non_null(t2_url_name(long_name));
}

static void test_schemes(void **state)
{
    char scheme[16];

    (void) state;
    t2_url_scheme("HTTPS://h", scheme);
    assert_string_equal(scheme, "https");
    t2_url_scheme("a/b://c", scheme);
    assert_string_equal(scheme, "");
    t2_url_scheme("averyveryverylongscheme://c", scheme);
    assert_string_equal(scheme, "");
    assert_true(t2_is_http_url("http://h/x"));
    assert_false(t2_is_http_url("ftp://h/x"));
    assert_false(t2_is_http_url("x"));
}

static void check_path(const char *url, const char *want)
{
    char *path = t2_url_local_path(url);

    if (want)
        assert_string_equal(path, want);
    else
        assert_null(path);
    t2_free(path);
}

static void test_local_paths(void **state)
{
    (void) state;
    check_path("a/b c", "a/b c");
    check_path("/a/%20", "/a/%20");
    check_path("file:///a/b%20c", "/a/b c");
    check_path("file://localhost/a", "/a");
    check_path("file:///a%00b%4", "/a%00b%4");
    check_path("file://other/a", NULL);
    check_path("http://h/a", NULL);
    check_path("ftp://h/a", NULL);
}

static void check_mirror(const char *mirror, const char *name, const char *want)
{
    char *url = t2_mirror_url(mirror, name);

    assert_string_equal(url, want);
    t2_free(url);
}

static void test_mirrors(void **state)
{
    (void) state;
    check_mirror("http://m/d/", "a b%.tgz", "http://m/d/a%20b%25.tgz");
    check_mirror("/folder//", "a b%.tgz", "/folder/a b%.tgz");
    check_mirror("file:///folder", "a?b", "file:///folder/a%3Fb");
}

T_MAIN(cmocka_unit_test(test_dates), cmocka_unit_test(test_retry_after),
       cmocka_unit_test(test_content_range), cmocka_unit_test(test_types_and_tags),
       cmocka_unit_test(test_names), cmocka_unit_test(test_schemes),
       cmocka_unit_test(test_local_paths), cmocka_unit_test(test_mirrors))
