/*
 * tests/unit/base/remote/test_s3_listing.c - pages of ListObjectsV2.
 */
#include "base/remote/s3_listing.h"

#include <string.h>

#include "base/alloc.h"
#include "tests/support/t.h"

static struct t2_buf seen;

static enum t2_status note(void *context, const char *name, const struct t2_object *o,
                           struct t2_err *err)
{
    (void) context, (void) err;
    if (o)
        t2_buf_printf(&seen, "%s %d %d %s;", name, (int) o->bytes, (int) o->changed_s, o->version);
    else
        t2_buf_printf(&seen, "%s/;", name);
    return T2_OK;
}

static enum t2_status read_page(const char *xml, char **token, struct t2_err *err)
{
    static char prefix[] = "x/";
    struct t2_s3_page page = {.prefix = prefix};
    enum t2_status st;

    t2_buf_clear(&seen);
    st = t2_s3_page_read(&page, xml, strlen(xml), "s3://b/x", note, NULL, err);
    *token = page.next_token;
    return st;
}

#define ENTRY(key)                                                                                 \
    "<Contents><Key>" key "</Key><LastModified>1970-01-01T00:00:05.000Z</LastModified>"            \
    "<ETag>&quot;e&quot;</ETag><Size>12</Size></Contents>"

static void test_reads(void **state)
{
    struct t2_err err = T2_ERR_INIT;
    char *token;

    (void) state;
    assert_int_equal(read_page("<ListBucketResult><IsTruncated>false</IsTruncated>" ENTRY(
                                   "x/a") "<CommonPrefixes><Prefix>x/d/</Prefix></"
                                          "CommonPrefixes>" ENTRY("x/") "<NextContinuationToken>t</"
                                                                        "NextContinuationToken>"
                                                                        "</ListBucketResult>",
                               &token, &err),
                     T2_OK);
    assert_string_equal(t2_buf_cstr(&seen), "a 12 5 \"e\";d/;");
    assert_null(token);
    assert_int_equal(
        read_page("<ListBucketResult>" ENTRY(
                      "x/a%20b%2Bc") "<EncodingType>url"
                                     "</EncodingType><IsTruncated>true</IsTruncated>"
                                     "<NextContinuationToken>a/=+</NextContinuationToken>"
                                     "</ListBucketResult>",
                  &token, &err),
        T2_OK);
    assert_string_equal(t2_buf_cstr(&seen), "a b+c 12 5 \"e\";");
    assert_string_equal(token, "a/=+");
    t2_free(token);
    t2_buf_release(&seen);
}

static void test_refuses(void **state)
{
    static const char *const cases[][2] = {
        {"<html/>", "is no listing"},
        {"<ListBucketResult><Contents/></ListBucketResult>", "without a name"},
        {"<ListBucketResult>" ENTRY("y/a") "</ListBucketResult>", "was not asked for"},
        {"<ListBucketResult>" ENTRY("x/a/b") "</ListBucketResult>", "deeper"},
        {"<ListBucketResult><Contents><Key>x/a</Key><Size>-1</Size></Contents></ListBucketResult>",
         "size '-1'"},
        {"<ListBucketResult><IsTruncated>true</IsTruncated></ListBucketResult>", "goes on"},
        {"<ListBucketResult>", "XML, offset"},
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

T_MAIN(cmocka_unit_test(test_reads), cmocka_unit_test(test_refuses))
