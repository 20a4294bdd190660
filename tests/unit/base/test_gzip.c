/*
 * tests/unit/base/test_gzip.c - decompression in steps of any size, and what is wrong with bad
 * data.
 */
#include "base/gzip.h"

#include "tests/support/t.h"
#include "tests/unit/base/gzip_bytes.h"

/* "hello hello hello hello\n" by gzip -9n: a dynamic stream, not only stored blocks. */
static const uint8_t hello[] = {0x1f, 0x8b, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0xff,
                                0xcb, 0x48, 0xcd, 0xc9, 0xc9, 0x57, 0xc8, 0x40, 0x27, 0xb9,
                                0x00, 0x00, 0x88, 0x59, 0x0b, 0x18, 0x00, 0x00, 0x00};

/* Decompresses in pieces; NULL when all went well. */
static const char *inflate_all(bool is_gzip, const uint8_t *in, size_t n, size_t in_step,
                               size_t out_step, struct t2_buf *out, bool *ended)
{
    struct t2_inflater *z = t2_inflater_new(is_gzip);
    const char *problem = NULL;
    uint8_t piece[64];
    size_t at = 0;

    *ended = false;
    t2_buf_clear(out);
    while (!problem && !*ended) {
        size_t used, made, k = n - at < in_step ? n - at : in_step;

        problem = t2_inflater_step(z, in + at, k, piece, out_step, &used, &made, ended);
        at += used;
        t2_buf_append(out, piece, made);
        if (used == 0 && made == 0 && at == n)
            break;
    }
    t2_inflater_free(z);
    return problem;
}

static void test_steps_of_any_size(void **state)
{
    struct t2_buf out = {0};
    bool ended;

    (void) state;
    for (size_t in_step = 1; in_step <= sizeof hello; in_step++) {
        for (size_t out_step = 1; out_step <= 64; out_step *= 2) {
            assert_null(inflate_all(true, hello, sizeof hello, in_step, out_step, &out, &ended));
            assert_true(ended);
            assert_string_equal(t2_buf_cstr(&out), "hello hello hello hello\n");
        }
    }
    t2_buf_release(&out);
}

static void test_stored_and_zlib(void **state)
{
    struct t2_buf in = {0}, out = {0};
    bool ended;

    (void) state;
    gzip_member(&in, "abc", 3);
    assert_null(inflate_all(true, in.data, in.len_bytes, 1000, 64, &out, &ended));
    assert_true(ended);
    assert_string_equal(t2_buf_cstr(&out), "abc");
    t2_buf_clear(&in);
    zlib_member(&in, "", 0);
    assert_null(inflate_all(false, in.data, in.len_bytes, 1000, 64, &out, &ended));
    assert_true(ended);
    assert_int_equal(out.len_bytes, 0);
    t2_buf_release(&in);
    t2_buf_release(&out);
}

static void test_cut_short_does_not_end(void **state)
{
    struct t2_buf out = {0};
    bool ended;

    (void) state;
    for (size_t n = 0; n < sizeof hello; n++) {
        assert_null(inflate_all(true, hello, n, 1000, 64, &out, &ended));
        assert_false(ended);
    }
    t2_buf_release(&out);
}

static const char *broken(size_t at, uint8_t with)
{
    static struct t2_buf out;
    uint8_t copy[sizeof hello];
    bool ended;

    memcpy(copy, hello, sizeof hello);
    copy[at] ^= with;
    return inflate_all(true, copy, sizeof copy, 1000, 64, &out, &ended);
}

static void test_problems_have_names(void **state)
{
    (void) state;
    assert_string_equal(broken(0, 1), "incorrect header check");
    assert_string_equal(broken(2, 1), "unknown compression method");
    assert_string_equal(broken(10, ~hello[10] & 6), "invalid block type");
    assert_string_equal(broken(sizeof hello - 8, 1), "incorrect data check");
    assert_string_equal(broken(sizeof hello - 4, 1), "incorrect length check");
}

static void test_preset_dictionary(void **state)
{
    static const uint8_t wants_dictionary[] = {0x78, 0xbb, 0, 0, 0, 1, 3, 0};
    struct t2_buf out = {0};
    bool ended;

    (void) state;
    assert_string_equal(inflate_all(false, wants_dictionary, sizeof wants_dictionary, 1000, 64,
                                    &out, &ended),
                        "needs a preset dictionary");
    t2_buf_release(&out);
}

static void test_reset(void **state)
{
    struct t2_inflater *z = t2_inflater_new(true);
    uint8_t out[64];
    size_t used, made;
    bool ended;

    (void) state;
    for (int i = 0; i < 3; i++) {
        assert_null(
            t2_inflater_step(z, hello, sizeof hello, out, sizeof out, &used, &made, &ended));
        assert_true(ended);
        assert_int_equal(used, sizeof hello);
        assert_int_equal(made, 24);
        t2_inflater_reset(z);
    }
    t2_inflater_free(z);
    t2_inflater_free(NULL);
}

/* Compresses in pieces, and back. */
static void test_deflate(void **state)
{
    static uint8_t data[5000], back[5001];
    struct t2_buf out = {0}, first = {0};
    size_t used, made;
    bool ended;

    (void) state;
    for (size_t i = 0; i < sizeof data; i++)
        data[i] = (uint8_t) (t_hash64(i / 3) & 15);
    for (int kind = T2_DEFLATE_GZIP; kind <= T2_DEFLATE_ZLIB; kind++) {
        struct t2_deflater *z = t2_deflater_new((enum t2_deflate_kind) kind, 6);
        t2_buf_clear(&first);
        for (size_t step = 1; step <= sizeof data; step *= 7) { /* the same for all steps */
            uint8_t piece[100];
            size_t at = 0;
            t2_buf_clear(&out);
            do {
                size_t n = sizeof data - at < step ? sizeof data - at : step;
                t2_deflater_step(z, data + at, n, at + n == sizeof data, piece, sizeof piece, &used,
                                 &made, &ended);
                at += used;
                t2_buf_append(&out, piece, made);
            } while (!ended);
            assert_int_equal(at, sizeof data);
            if (first.len_bytes == 0)
                t2_buf_append(&first, out.data, out.len_bytes);
            assert_true(t2_slice_eq(t2_buf_slice(&first), t2_buf_slice(&out)));
            t2_deflater_reset(z);
        }
        assert_true(out.len_bytes < sizeof data * 3 / 4);
        struct t2_inflater *i = t2_inflater_new(kind == T2_DEFLATE_GZIP);
        assert_null(
            t2_inflater_step(i, out.data, out.len_bytes, back, sizeof back, &used, &made, &ended));
        assert_true(ended);
        assert_int_equal(made, sizeof data);
        assert_memory_equal(back, data, sizeof data);
        t2_inflater_free(i);
        t2_deflater_free(z);
    }
    t2_deflater_free(NULL);
    t2_buf_release(&out);
    t2_buf_release(&first);
}

static void test_crc32(void **state)
{
    (void) state;
    assert_int_equal(t2_crc32(0, "123456789", 9), 0xcbf43926);
    assert_int_equal(t2_crc32(t2_crc32(0, "1234", 4), "56789", 5), 0xcbf43926);
    assert_int_equal(t2_crc32(0, NULL, 0), 0);
}

T_MAIN(cmocka_unit_test(test_steps_of_any_size), cmocka_unit_test(test_stored_and_zlib),
       cmocka_unit_test(test_cut_short_does_not_end), cmocka_unit_test(test_problems_have_names),
       cmocka_unit_test(test_preset_dictionary), cmocka_unit_test(test_reset),
       cmocka_unit_test(test_deflate), cmocka_unit_test(test_crc32))
