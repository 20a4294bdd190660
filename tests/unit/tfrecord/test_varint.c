/*
 * Runs of varints: the plain form against one number at a time, what runs here against the plain
 * form.
 */
#include "tfrecord/varint.h"

#include <stdlib.h>
#include <string.h>

#include "tests/support/t.h"
#include "tests/support/wire_bytes.h"

enum { MAX_N = 150 };

/* Kinds of numbers: all short, mixed up to three bytes, up to four, up to ten, with negative
 * ones. */
enum { N_MIXES = 6 };

static int64_t number(uint64_t mix, uint64_t seed)
{
    static const unsigned bits[N_MIXES] = {7, 15, 21, 28, 31, 63};
    uint64_t v = t_hash64(seed * N_MIXES + mix) >> (64 - bits[mix]);

    v >>= mix == 0 ? 0 : t_hash64(seed) % bits[mix];
    return mix >= 4 && t_hash64(seed + 5) % 5 == 0 ? -(int64_t) v : (int64_t) v;
}

static void check_ids(const struct tfr_varint_ops *ops, uint64_t mix, uint64_t seed, size_t n)
{
    int32_t *ids = t_guarded_alloc(n * sizeof *ids + (n == 0));
    struct t2_buf want = {0};

    for (size_t i = 0; i < n; i++) {
        ids[i] = (int32_t) number(mix < 5 ? mix : 4, seed + i);
        wb_varint(&want, (uint64_t) (int64_t) ids[i]);
    }
    assert_int_equal(ops->ids_bytes(ids, n), want.len_bytes);
    uint8_t *out = t_guarded_alloc(want.len_bytes + TFR_PUT_SLACK_BYTES);
    assert_int_equal(ops->put_ids(out, ids, n) - out, want.len_bytes);
    if (want.len_bytes > 0)
        assert_memory_equal(out, want.data, want.len_bytes);
    t_guarded_free(out, want.len_bytes + TFR_PUT_SLACK_BYTES);
    t_guarded_free(ids, n * sizeof *ids + (n == 0));
    t2_buf_release(&want);
}

/* Neither the run nor the result may be left at either end. */
static void check_get(const struct tfr_varint_ops *ops, uint64_t mix, uint64_t seed, size_t n)
{
    int64_t *ints = t_guarded_alloc(n * sizeof *ints + (n == 0));
    int32_t *ids = t_guarded_alloc(n * sizeof *ids + (n == 0));
    struct t2_buf b = {0};
    bool fit = true;

    for (size_t i = 0; i < n; i++) {
        int64_t v = number(mix, seed + i);
        fit = fit && v >= INT32_MIN && v <= INT32_MAX;
        wb_varint(&b, (uint64_t) v);
    }
    uint8_t *run = t_guarded_alloc(b.len_bytes + (n == 0));
    if (n > 0)
        memcpy(run, b.data, b.len_bytes);
    size_t room = (b.len_bytes + TFR_READ_SLACK) * sizeof *ints;
    int64_t *read = t_guarded_alloc(room);
    assert_int_equal(ops->read_ints(run, b.len_bytes, read), n);
    ops->get_ints(run, b.len_bytes, ints, n);
    if (n > 0)
        assert_memory_equal(read, ints, n * sizeof *ints);
    t_guarded_free(read, room);
    assert_int_equal(ops->get_ids(run, b.len_bytes, ids, n), fit);
    for (size_t i = 0; i < n; i++) {
        assert_true(ints[i] == number(mix, seed + i));
        assert_true(ids[i] == (int32_t) (uint32_t) (uint64_t) ints[i]);
    }
    t_guarded_free(run, b.len_bytes + (n == 0));
    t_guarded_free(ids, n * sizeof *ids + (n == 0));
    t_guarded_free(ints, n * sizeof *ints + (n == 0));
    t2_buf_release(&b);
}

static void check(const struct tfr_varint_ops *ops)
{
    for (uint64_t mix = 0; mix < N_MIXES; mix++) {
        for (size_t n = 0; n <= MAX_N; n += n < 70 ? 1 : 11) {
            check_ids(ops, mix, n * 1000, n);
            check_get(ops, mix, n * 1000, n);
        }
    }
}

static void test_plain(void **state)
{
    (void) state;
    check(&tfr_varint_plain);
}

static void test_here(void **state)
{
    (void) state;
    assert_non_null(tfr_varint_ops());
    assert_true(tfr_varint_ops() == tfr_varint_ops());
    check(tfr_varint_ops());
}

static void test_avx512(void **state)
{
    (void) state;
#ifdef TFR_VARINT_X86
    if (tfr_varint_has_avx512()) {
        check(&tfr_varint_avx512);
        return;
    }
#endif
    t_skip("this machine or build has no AVX-512 VBMI2");
}

/* Forms that no writer of ours makes: longer than needed, bits beyond 64. */
static void test_odd_forms(void **state)
{
    static const uint8_t run[] =
        "\x85\x80\x80\x00\x01\x82\x00\xff\xff\xff\xff\xff\xff\xff\xff\xff\x7f\x03";
    static const int64_t want[] = {5, 1, 2, -1, 3};
    const struct tfr_varint_ops *all[] = {&tfr_varint_plain, tfr_varint_ops()};
    (void) state;

    for (int k = 0; k < 2; k++) {
        int64_t out[5];
        int32_t ids[5];
        all[k]->get_ints(run, sizeof run - 1, out, 5);
        assert_memory_equal(out, want, sizeof want);
        assert_true(all[k]->get_ids(run, sizeof run - 1, ids, 5));
        for (int i = 0; i < 5; i++)
            assert_int_equal(ids[i], want[i]);
    }
}

/* read_ints finds what is cut or too long, wherever it stands. */
static void test_refuses(void **state)
{
    const struct tfr_varint_ops *all[] = {&tfr_varint_plain, tfr_varint_ops()};
    int64_t out[200 + TFR_READ_SLACK];
    (void) state;

    for (int k = 0; k < 2; k++) {
        for (size_t before = 0; before < 140; before++) {
            for (size_t n_more = 0; n_more < 14; n_more++) {
                struct t2_buf b = {0};
                for (size_t i = 0; i < before; i++)
                    t2_buf_push(&b, 1);
                for (size_t i = 0; i < n_more; i++)
                    t2_buf_push(&b, 0x81);
                assert_true(all[k]->read_ints(b.data, b.len_bytes, out) ==
                            (n_more == 0 ? before : SIZE_MAX));
                t2_buf_push(&b, 0);
                assert_true(all[k]->read_ints(b.data, b.len_bytes, out) ==
                            (n_more > 9 ? SIZE_MAX : before + 1));
                t2_buf_release(&b);
            }
        }
    }
}

T_MAIN(cmocka_unit_test(test_plain), cmocka_unit_test(test_here), cmocka_unit_test(test_avx512),
       cmocka_unit_test(test_odd_forms), cmocka_unit_test(test_refuses))
