#include "base/base64.h"
#include "tests/support/t.h"

static void encodes(const char *bytes, const char *want)
{
    struct t2_buf out = {0};

    t2_buf_puts(&out, "> ");
    t2_base64_encode(t2_slice_of(bytes), &out);
    assert_string_equal(t2_buf_cstr(&out) + 2, want); /* appended */
    assert_int_equal(out.data[out.len_bytes], 0);
    t2_buf_release(&out);
}

/* The vectors of RFC 4648. */
/* The CRC-32C of "123456789" as object stores write it. */
static void test_checksum(void **state)
{
    struct t2_buf out = {0};

    (void) state;
    t2_base64_encode_u32(0xe3069283, &out);
    assert_string_equal(t2_buf_cstr(&out), "4waSgw==");
    t2_buf_release(&out);
}

static void test_encode(void **state)
{
    (void) state;
    encodes("", "");
    encodes("f", "Zg==");
    encodes("fo", "Zm8=");
    encodes("foo", "Zm9v");
    encodes("foob", "Zm9vYg==");
    encodes("fooba", "Zm9vYmE=");
    encodes("foobar", "Zm9vYmFy");
    encodes("\xFB\xFF\xFE", "+//+");
}

static void test_comes_back(void **state)
{
    struct t2_buf text = {0}, back = {0};
    uint8_t bytes[40];

    (void) state;
    for (size_t n = 0; n <= sizeof bytes; n++) {
        for (size_t i = 0; i < n; i++)
            bytes[i] = (uint8_t) t_hash64(n * 100 + i);
        t2_buf_clear(&text);
        t2_buf_clear(&back);
        t2_base64_encode(((struct t2_slice){bytes, n}), &text);
        assert_int_equal(text.len_bytes, (n + 2) / 3 * 4);
        assert_true(t2_base64_decode(t2_buf_slice(&text), &back));
        assert_true(t2_slice_eq(t2_buf_slice(&back), (struct t2_slice){bytes, n}));
        while (text.len_bytes > 0 && text.data[text.len_bytes - 1] == '=')
            text.len_bytes--;
        t2_buf_clear(&back);
        assert_true(t2_base64_decode(t2_buf_slice(&text), &back)); /* padding may be left out */
        assert_true(t2_slice_eq(t2_buf_slice(&back), (struct t2_slice){bytes, n}));
    }
    t2_buf_release(&back);
    t2_buf_release(&text);
}

static void test_url_alphabet(void **state)
{
    struct t2_buf back = {0};

    (void) state;
    assert_true(t2_base64_decode(t2_slice_of("-__-+//+"), &back));
    assert_int_equal(back.len_bytes, 6);
    assert_memory_equal(back.data, "\xFB\xFF\xFE\xFB\xFF\xFE", 6);
    t2_buf_release(&back);
}

static void test_refused(void **state)
{
    static const char *const refused[] = {"A",
                                          "AAAAA",
                                          "AA=A",
                                          "A===",
                                          "AA=",
                                          "AAAA=",
                                          "A A=",
                                          "AA$=",
                                          "====",
                                          "\xC3\xA4"
                                          "A",
                                          "AAA\n"};
    struct t2_buf back = {0};

    (void) state;
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        if (t2_base64_decode(t2_slice_of(refused[i]), &back))
            fail_msg("'%s' was read", refused[i]);
    assert_false(t2_base64_decode((struct t2_slice){(const uint8_t *) "AA\0A", 4}, &back));
    t2_buf_release(&back);
}

T_MAIN(cmocka_unit_test(test_checksum), cmocka_unit_test(test_encode),
       cmocka_unit_test(test_comes_back), cmocka_unit_test(test_url_alphabet),
       cmocka_unit_test(test_refused))
