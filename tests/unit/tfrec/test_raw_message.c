/*
 * tests/unit/tfrec/test_raw_message.c - wire level as `protoc --decode_raw` prints it (libprotoc of
 * grpcio-tools 1.85.1 gave these texts; bench/check_rows.py compares many more).
 */
#include <string.h>

#include "tests/support/t.h"
#include "tfrec/raw_message.h"

static const char *text(const char *message, size_t n)
{
    static struct t2_buf out;
    struct t2_err err = T2_ERR_INIT;

    t2_buf_clear(&out);
    if (rec_raw_text((struct t2_slice){(const uint8_t *) message, n}, &out, &err) != T2_OK) {
        assert_int_equal(0, out.len_bytes);
        return NULL;
    }
    return t2_buf_cstr(&out);
}
#define TEXT(s) text(s, sizeof(s) - 1)

static void test_types(void **state)
{
    (void) state;
    assert_string_equal(TEXT(""), "");
    assert_string_equal(TEXT("\x08\x05\x10\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"),
                        "1: 5\n2: 18446744073709551615\n");
    assert_string_equal(TEXT("\x0d\x00\x00\xc0\x3f\x11\x00\x00\x00\x00\x00\x00\x04\x40"),
                        "1: 0x3fc00000\n2: 0x4004000000000000\n");
    assert_string_equal(TEXT("\x0a\x05'x\"\n\xff"), "1: \"\\'x\\\"\\n\\377\"\n");
    assert_string_equal(TEXT("\x0a\x00"), "1: \"\"\n");
    assert_string_equal(TEXT("\x12\x02\x08\x01"), "2 {\n  1: 1\n}\n");
    assert_string_equal(TEXT("\x0b\x08\x01\x13\x14\x0c"), "1 {\n  1: 1\n  2 {\n  }\n}\n");
}

static void test_refused(void **state)
{
    (void) state;
    assert_null(TEXT("\x0b"));
    assert_null(TEXT("\x0c"));
    assert_null(TEXT("\x0b\x14"));
    assert_null(TEXT("\x00\x01"));
    assert_null(TEXT("\x0e\x01"));
    assert_null(TEXT("\x0a\x05x"));
    assert_null(TEXT("hello"));
}

/* Messages are guessed ten deep, groups of a record taken a hundred deep, never more. */
static void test_deep(void **state)
{
    uint8_t message[4096];
    size_t n = 0;
    struct t2_buf out = {0};
    struct t2_err err = T2_ERR_INIT;

    (void) state;
    for (size_t i = 0; i < 60; i++) { /* from inside out */
        memmove(message + 2, message, n);
        message[0] = 0x0a;
        message[1] = (uint8_t) n;
        n += 2;
    }
    assert_int_equal(T2_OK, rec_raw_text((struct t2_slice){message, n}, &out, &err));
    const char *string = strchr(t2_buf_cstr(&out), '"');
    assert_non_null(string);
    size_t n_open = 0;
    for (const char *p = t2_buf_cstr(&out); p < string; p++)
        n_open += *p == '{';
    assert_int_equal(10, n_open);
    memset(message, 0x0b, sizeof message);
    assert_int_equal(T2_EFORMAT,
                     rec_raw_text((struct t2_slice){message, sizeof message}, &out, &err));
    memset(message + 100, 0x0c, 100);
    t2_buf_clear(&out);
    assert_int_equal(T2_OK, rec_raw_text((struct t2_slice){message, 200}, &out, &err));
    memset(message + 101, 0x0c, 101);
    message[100] = 0x0b;
    assert_int_equal(T2_EFORMAT, rec_raw_text((struct t2_slice){message, 202}, &out, &err));
    t2_buf_release(&out);
}

static void test_json(void **state)
{
    struct t2_buf out = {0};
    struct t2_err err = T2_ERR_INIT;

    (void) state;
    assert_int_equal(T2_OK, rec_raw_json(t2_slice_of("\x08\x05\x12\x02\x08\x01\x0b\x0c\x1a\x01\xff"
                                                     "\x22\x03hi!\x0d\x01\x01\x01\x01"),
                                         &out, &err));
    assert_string_equal(
        t2_buf_cstr(&out),
        "[{\"field\":1,\"type\":\"varint\",\"value\":5},{\"field\":2,\"type\":\"message\","
        "\"fields\":"
        "[{\"field\":1,\"type\":\"varint\",\"value\":1}]},{\"field\":1,\"type\":\"group\","
        "\"fields\":"
        "[]},{\"field\":3,\"type\":\"bytes\",\"base64\":\"/w==\"},{\"field\":4,\"type\":\"bytes\","
        "\"text\":\"hi!\"},{\"field\":1,\"type\":\"fixed32\",\"value\":16843009}]");
    t2_buf_release(&out);
}

T_MAIN(cmocka_unit_test(test_types), cmocka_unit_test(test_refused), cmocka_unit_test(test_deep),
       cmocka_unit_test(test_json))
