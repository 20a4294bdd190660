/*
 * tests/unit/base/test_isal.c - ISA-L gives what zlib gives, however input and output are cut, and
 * uses not a byte more than the member has.
 */
#include "base/isal.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "base/gzip.h"
#include "tests/support/t.h"

/* Appends a member of n bytes that are between random and repeated. */
static void add_member(struct t2_buf *packed, struct t2_buf *plain, size_t n, int level,
                       uint64_t seed)
{
    struct t2_deflater *z = t2_deflater_new(T2_DEFLATE_GZIP, level);
    size_t from = plain->len_bytes, used, made;
    uint8_t out[1000];
    bool ended = false;

    for (size_t i = 0; i < n; i++) {
        uint64_t r = t_hash64(seed + i);
        t2_buf_push(plain, i > 600 && r % 8 ? plain->data[plain->len_bytes - 1 - r % 600]
                                            : (uint8_t) (r >> 32));
    }
    while (!ended) {
        t2_deflater_step(z, plain->data + from, plain->len_bytes - from, true, out, sizeof out,
                         &used, &made, &ended);
        from += used;
        t2_buf_append(packed, out, made);
    }
    t2_deflater_free(z);
}

/* All members of packed, input and output cut into pieces; NULL, or what is wrong. */
static const char *unpack(struct t2_isal *z, const struct t2_buf *packed, size_t piece_in,
                          size_t piece_out, struct t2_buf *plain, size_t *n_members)
{
    uint8_t *out = t2_alloc(piece_out, 1);
    const char *problem = NULL;
    size_t at = 0, used, made;
    bool ended = false;

    *n_members = 0;
    t2_isal_reset(z);
    for (;;) {
        size_t n = packed->len_bytes - at;
        n = n < piece_in ? n : piece_in;
        problem = t2_isal_step(z, packed->data + at, n, out, piece_out, &used, &made, &ended);
        assert_true(used <= n && made <= piece_out);
        at += used;
        t2_buf_append(plain, out, made);
        if (problem || (!ended && used == 0 && made == 0))
            break;
        if (ended) {
            ++*n_members;
            t2_isal_reset(z);
            if (at == packed->len_bytes)
                break;
        }
    }
    t2_free(out);
    return problem;
}

static struct t2_isal *isal_or_skip(void)
{
    struct t2_isal *z = t2_isal_new();

    if (!z)
        t_skip("this build is without ISA-L");
    return z;
}

static void test_members(void **state)
{
    static const size_t sizes[] = {0, 1, 5, 1000, 70000, 300000, 3};
    static const size_t pieces[] = {1, 2, 7, 100, 4096, 1 << 20};
    struct t2_isal *z = isal_or_skip();
    struct t2_buf packed = {0}, plain = {0}, got = {0};
    size_t n;

    (void) state;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        add_member(&packed, &plain, sizes[i], (int) (i % 4) * 3, i);
    for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++) {
        for (size_t k = 1; k < sizeof pieces / sizeof *pieces; k++) {
            t2_buf_clear(&got);
            assert_null(unpack(z, &packed, pieces[i], pieces[k], &got, &n));
            assert_int_equal(n, sizeof sizes / sizeof *sizes);
            assert_true(t2_slice_eq(t2_buf_slice(&got), t2_buf_slice(&plain)));
        }
    }
    t2_isal_free(z);
    t2_buf_release(&packed);
    t2_buf_release(&plain);
    t2_buf_release(&got);
}

/* Cut anywhere no member ends; with any byte changed nothing wrong is taken for good. */
static void test_damage(void **state)
{
    struct t2_isal *z = isal_or_skip();
    struct t2_buf packed = {0}, plain = {0}, got = {0}, cut = {0};
    size_t n;

    (void) state;
    add_member(&packed, &plain, 900, 6, 1);
    for (size_t i = 0; i < packed.len_bytes; i++) {
        t2_buf_clear(&got);
        cut = packed;
        cut.len_bytes = i;
        assert_null(unpack(z, &cut, 64, 64, &got, &n));
        assert_int_equal(n, 0);
        if (i >= 3 && i < 10) /* flags and what zlib does not look at either */
            continue;
        t2_buf_clear(&got);
        packed.data[i] ^= 0x10;
        if (!unpack(z, &packed, 64, 64, &got, &n) && n > 0 &&
            !t2_slice_eq(t2_buf_slice(&got), t2_buf_slice(&plain)))
            fail_msg("byte %zu changed is not noticed", i);
        packed.data[i] ^= 0x10;
    }
    t2_isal_free(z);
    t2_buf_release(&packed);
    t2_buf_release(&plain);
    t2_buf_release(&got);
}

static void test_switched_off(void **state)
{
    (void) state;
    assert_int_equal(setenv("T2_ISAL", "0", 1), 0);
    assert_null(t2_isal_new());
    t2_isal_free(NULL);
    assert_int_equal(unsetenv("T2_ISAL"), 0);
}

T_MAIN(cmocka_unit_test(test_members), cmocka_unit_test(test_damage),
       cmocka_unit_test(test_switched_off))
