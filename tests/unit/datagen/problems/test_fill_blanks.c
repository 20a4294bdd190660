/*
 * test_fill_blanks.c - what T2T 1.15.7 makes after random.seed(429459).
 */
#include "datagen/problems/fill_blanks.h"

#include "base/gzip.h"
#include "tests/support/t.h"

static void test_as_original(void **state)
{
    static const char expected[] = "The quick brown fox jumps over the X|X lazy dog.\n"
                                   "X quick brown X jumps over the X|The X fox X lazy dog.\n"
                                   "X quick brown fox jumps over the lazy dog.|The X\n";
    struct t2_buf a = {0}, b = {0}, text = {0}, words = {0};
    struct t2_mt mt;

    (void) state;
    t2_mt_seed_python(&mt, 429459);
    for (int i = 0; i < 3; i++) {
        dg_fill_blanks(&mt, t2_slice_of("The quick brown fox jumps over the lazy dog."), &a, &b);
        t2_buf_printf(&text, "%s|%s\n", t2_buf_cstr(&a), t2_buf_cstr(&b));
    }
    assert_string_equal(t2_buf_cstr(&text), expected);
    t2_buf_clear(&text);
    for (int i = 0; i < 300; i++) {
        t2_buf_clear(&words);
        for (int k = 0; k < i % 40; k++)
            t2_buf_printf(&words, "%sw%d", k ? " " : "", k);
        dg_fill_blanks(&mt, t2_buf_slice(&words), &a, &b);
        t2_buf_printf(&text, "%s|%s\n", t2_buf_cstr(&a), t2_buf_cstr(&b));
    }
    assert_int_equal(t2_crc32(0, text.data, text.len_bytes), 0x7fa9d075);
    t2_buf_release(&a);
    t2_buf_release(&b);
    t2_buf_release(&text);
    t2_buf_release(&words);
}

T_MAIN(cmocka_unit_test(test_as_original))
