/* Tests of train/ckpt/snappy.c: every kind of element, copies of what they make, damage. */
#include "train/ckpt/snappy.h"

#include "tests/support/t.h"

static void unpacks(const void *packed, size_t n, const char *text)
{
    struct t2_err err = T2_ERR_INIT;
    struct t2_buf out = {0};

    if (ckpt_snappy_unpack((struct t2_slice){packed, n}, &out, &err) != T2_OK)
        fail_msg("%s", err.message);
    assert_string_equal(t2_buf_cstr(&out), text);
    t2_buf_release(&out);
}

static void test_elements(void **state)
{
    char long_literal[2 + 2 + 100] = "\x64\xf0\x63", text[101] = "";

    (void) state;
    unpacks("\x00", 1, "");
    unpacks("\x03\x08"
            "abc",
            5, "abc");
    /* copies: 4 bytes one back (of what it makes), 6 by a two-byte offset, 1 by a four-byte one */
    unpacks("\x05\x00"
            "a\x01\x01",
            5, "aaaaa");
    unpacks("\x09\x08"
            "abc\x16\x03\x00",
            8, "abcabcabc");
    unpacks("\x04\x08"
            "abc\x03\x02\x00\x00\x00",
            10, "abcb");
    for (int i = 0; i < 100; i++)
        text[i] = long_literal[3 + i] = (char) ('a' + i % 26);
    unpacks(long_literal, 103, text);
}

static void test_damage(void **state)
{
    static const struct {
        const char *bytes;
        size_t n;
        const char *message;
    } cases[] = {
        {"", 0, "its length"},
        {"\xff\xff\xff\xff\x0f", 5, "its length"},
        {"\x03\x08"
         "ab",
         4, "ends in a literal"},
        {"\x02\x08"
         "abc",
         5, "more bytes than"},
        {"\x04\x08"
         "abc",
         5, "fewer bytes than"},
        {"\x05\x00"
         "a\x01\x02",
         5, "before its beginning"},
        {"\x05\x00"
         "a\x01\x00",
         5, "before its beginning"},
        {"\x05\x00"
         "a\x02\x01",
         5, "ends in an offset"},
        {"\x02\x00"
         "a\x01\x01",
         5, "more bytes than"},
        {"\x05\xf8", 2, "ends in a length"},
    };

    (void) state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct t2_err err = T2_ERR_INIT;
        struct t2_buf out = {0};

        assert_int_equal(ckpt_snappy_unpack((struct t2_slice){(const uint8_t *) cases[i].bytes,
                                                              cases[i].n},
                                            &out, &err),
                         T2_EFORMAT);
        t_assert_contains(err.message, cases[i].message);
        t2_buf_release(&out);
    }
}

T_MAIN(cmocka_unit_test(test_elements), cmocka_unit_test(test_damage))
