/*
 * tests/unit/base/remote/test_location.c - remote paths taken apart.
 */
#include "base/remote/location.h"

#include <string.h>

#include "tests/support/t.h"

static void test_parts(void **state)
{
    static const char *const cases[][4] = {
        {"gs://b", "b", "", "gs://b"},
        {"gs://b/", "b", "", "gs://b"},
        {"S3://b.c/x//y/", "b.c", "x/y", "s3://b.c/x/y"},
        {"s3://B_1//x", "B_1", "x", "s3://B_1/x"},
        {"gs://b/a b?c#d", "b", "a b?c#d", "gs://b/a b?c#d"},
        {"https://h/x//y/?q", "", "https://h/x//y/?q", "https://h/x//y/?q"},
    };
    struct t2_err err = T2_ERR_INIT;

    (void) state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct t2_location l;

        assert_int_equal(t2_location_parse(cases[i][0], &l, &err), T2_OK);
        assert_string_equal(l.path, cases[i][0]);
        assert_string_equal(l.bucket, cases[i][1]);
        assert_string_equal(l.key, cases[i][2]);
        assert_string_equal(l.name, cases[i][3]);
        t2_location_release(&l);
    }
}

static void test_refused(void **state)
{
    static const char *const cases[] = {"gs://",
                                        "gs:///x",
                                        "s3://a b/x",
                                        "s3://a%41/x",
                                        "http:///x",
                                        "https://me:secret@h/x",
                                        "https://h/x?X-Amz-Signature=secret",
                                        "https://h/x?a=b&X-Goog-Signature=secret",
                                        "https://h/x?sig=secret",
                                        "https://h/x?access_token=secret"};

    (void) state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct t2_err err = T2_ERR_INIT;
        struct t2_location l;

        assert_int_equal(t2_location_parse(cases[i], &l, &err), T2_EUSAGE);
        assert_null(strstr(err.message, "secret"));
        t2_location_release(&l);
    }
}

static void test_encode(void **state)
{
    struct t2_buf out = {0};

    (void) state;
    t2_url_encode("aZ09-._~/ +%&\xC3\xA9", "/", &out);
    t2_url_encode("/", "", &out);
    assert_string_equal(t2_buf_cstr(&out), "aZ09-._~/%20%2B%25%26%C3%A9%2F");
    t2_buf_release(&out);
}

T_MAIN(cmocka_unit_test(test_parts), cmocka_unit_test(test_refused), cmocka_unit_test(test_encode))
