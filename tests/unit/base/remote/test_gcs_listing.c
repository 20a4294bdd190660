/*
 * tests/unit/base/remote/test_gcs_listing.c - objects and pages of Google Cloud Storage.
 */
#include "base/remote/gcs_listing.h"

#include <string.h>

#include "base/alloc.h"
#include "tests/support/t.h"

static struct t2_buf seen;

static enum t2_status note(void *context, const char *name, const struct t2_object *o,
                           struct t2_err *err)
{
    (void) context, (void) err;
    t2_buf_printf(&seen, o ? "%s %d;" : "%s/;", name, o ? (int) o->bytes : 0);
    return T2_OK;
}

static enum t2_status read_page(const char *json, char **token, struct t2_err *err)
{
    t2_buf_clear(&seen);
    return t2_gcs_page_read(json, strlen(json), "x/", "gs://b/x", note, NULL, token, err);
}

static void test_object(void **state)
{
    static const char json[] =
        "{\"size\": \"7\", \"generation\": \"12\", \"crc32c\": \"4waSgw==\", "
        "\"md5Hash\": \"kAFQmDzST7DWlj99KOF/cg==\", \"updated\": \"1970-01-01T00:01:00Z\"}";
    struct t2_err err = T2_ERR_INIT;
    struct t2_object o;

    (void) state;
    assert_int_equal(t2_gcs_object_read(json, strlen(json), "g", &o, &err), T2_OK);
    assert_true(o.is_there && o.has_crc32c && o.has_md5);
    assert_int_equal(o.bytes, 7);
    assert_int_equal(o.crc32c, 0xE3069283);
    assert_int_equal(o.changed_s, 60);
    assert_string_equal(o.version, "12");
    assert_int_equal(t2_gcs_object_read("{}", 2, "g", &o, &err), T2_EFORMAT);
    t_assert_contains(err.message, "without a size");
}

static void test_pages(void **state)
{
    struct t2_err err = T2_ERR_INIT;
    char *token;

    (void) state;
    assert_int_equal(read_page("{}", &token, &err), T2_OK);
    assert_null(token);
    assert_int_equal(read_page("{\"items\": [{\"name\": \"x/a\", \"size\": \"3\"}, "
                               "{\"name\": \"x/\", \"size\": \"0\"}], \"prefixes\": [\"x/d/\"], "
                               "\"nextPageToken\": \"t\"}",
                               &token, &err),
                     T2_OK);
    assert_string_equal(t2_buf_cstr(&seen), "a 3;d/;");
    assert_string_equal(token, "t");
    t2_free(token);
    t2_buf_release(&seen);
}

static void test_refuses(void **state)
{
    static const char *const cases[][2] = {
        {"[]", "is no listing"},
        {"{", "gs://b/x:1:"},
        {"{\"items\": [{\"size\": \"3\"}]}", "without a name"},
        {"{\"items\": [{\"name\": \"x/a\"}]}", "without a size"},
        {"{\"items\": [{\"name\": \"x/a\", \"size\": \"1e3\"}]}", "without a size"},
        {"{\"items\": [{\"name\": \"y\", \"size\": \"3\"}]}", "was not asked for"},
        {"{\"prefixes\": [3]}", "without a name"},
        {"{\"prefixes\": [\"x/a/b/\"]}", "deeper"},
    };
    struct t2_err err = T2_ERR_INIT;
    char *token;

    (void) state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(read_page(cases[i][0], &token, &err), T2_EFORMAT);
        t_assert_contains(err.message, cases[i][1]);
        assert_null(token);
    }
    t2_buf_release(&seen);
}

T_MAIN(cmocka_unit_test(test_object), cmocka_unit_test(test_pages), cmocka_unit_test(test_refuses))
