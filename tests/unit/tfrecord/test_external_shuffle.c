/* The shuffled order: a permutation, uniform, the same for any memory, threads and guess of the
 * size. */
#include "tfrecord/external_shuffle.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/pool.h"
#include "tests/support/t.h"
#include "tfrecord/framing.h"
#include "tfrecord/record_stream.h"

enum { MAX_STEP = 107 };

struct drained {
    unsigned *order;
    unsigned n;
    size_t large; /* bytes of every tenth record */
};

static size_t bytes_of(const struct drained *d, unsigned i)
{
    return i % 10 == 0 ? d->large : sizeof i + i % 30;
}

static enum t2_status put(void *context, struct t2_slice frames, uint64_t n_records,
                          struct t2_err *err)
{
    struct drained *d = context;
    const uint8_t *p = frames.data;
    unsigned i;

    for (; n_records > 0; n_records--) {
        size_t n = (size_t) tfr_get_le64(p);
        memcpy(&i, p + TFR_HEADER_BYTES, sizeof i);
        d->order[d->n++] = i;
        if (n != bytes_of(d, i))
            return t2_fail(err, T2_EFORMAT, "record %u has %zu bytes", i, n);
        if (p[TFR_HEADER_BYTES + n] != (uint8_t) i)
            return t2_fail(err, T2_EFORMAT, "record %u has another footer", i);
        p += TFR_FRAME_BYTES + n;
    }
    return p == frames.data + frames.len_bytes ? T2_OK : t2_fail(err, T2_EFORMAT, "bytes are left");
}

/* Record i begins with i; the four bytes behind it are not its CRC here, nobody looks at them. */
static void add(struct tfr_shuffle *s, const struct drained *d, unsigned first, unsigned n)
{
    struct tfr_record records[MAX_STEP];
    struct tfr_batch batch = {.first = first, .records = records, .n = n};
    struct tfr_shuffle_hand hand = {.n = 0};
    struct t2_buf frames = {NULL, 0, 0};
    struct t2_err err = T2_ERR_INIT;
    size_t at[MAX_STEP];

    for (unsigned k = 0; k < n; k++) {
        unsigned i = first + k;
        size_t len_bytes = bytes_of(d, i);
        uint8_t *p = t2_buf_reserve(&frames, TFR_FRAME_BYTES + len_bytes);
        at[k] = frames.len_bytes + TFR_HEADER_BYTES;
        frames.len_bytes += TFR_FRAME_BYTES + len_bytes;
        memset(p, (uint8_t) i, TFR_FRAME_BYTES + len_bytes);
        tfr_put_header(p, len_bytes);
        memcpy(p + TFR_HEADER_BYTES, &i, sizeof i);
    }
    for (unsigned k = 0; k < n; k++)
        records[k] = (struct tfr_record){{frames.data + at[k], bytes_of(d, first + k)}, 0};
    tfr_shuffle_prepare(s, &batch, &hand);
    if (tfr_shuffle_add(s, &hand, &err) != T2_OK)
        fail_msg("%s", err.message);
    tfr_shuffle_hand_release(&hand);
    t2_buf_release(&frames);
}

/* Owned by the caller. */
static unsigned *shuffled(uint64_t seed, unsigned n, uint64_t memory, uint64_t expected,
                          int threads, size_t large, bool spills)
{
    const struct tfr_shuffle_options o = {seed, memory, t_tmp_path(""), expected};
    struct drained d = {.order = t2_alloc(n, sizeof *d.order), .large = large};
    struct t2_pool *pool = t2_pool_new(threads);
    struct tfr_shuffle *s = NULL;
    struct t2_err err = T2_ERR_INIT;
    unsigned step = 1;

    assert_int_equal(tfr_shuffle_new(&o, &s, &err), T2_OK);
    for (unsigned i = 0; i < n; i += step, step = step % 100 + 7)
        add(s, &d, i, step < n - i ? step : n - i);
    if (tfr_shuffle_drain(s, pool, put, &d, &err) != T2_OK)
        fail_msg("%s", err.message);
    assert_int_equal(tfr_shuffle_spilled_bytes(s) > 0, spills);
    assert_int_equal(d.n, n);
    tfr_shuffle_free(s);
    t2_pool_free(pool);
    return d.order;
}

static void assert_permutation(const unsigned *order, unsigned n)
{
    bool *seen = t2_alloc(n, sizeof *seen);

    for (unsigned i = 0; i < n; i++) {
        assert_true(order[i] < n && !seen[order[i]]);
        seen[order[i]] = true;
    }
    t2_free(seen);
}

static void assert_same(unsigned *order, const unsigned *want, unsigned n)
{
    assert_memory_equal(order, want, n * sizeof *want);
    t2_free(order);
}

static void test_same(void **state)
{
    enum { N = 50000, LARGE = 1000, MEMORY = 1 << 20 };
    unsigned *want = shuffled(5, N, 64 << 20, 0, 1, LARGE, false);
    unsigned *other = shuffled(6, N, 64 << 20, 0, 1, LARGE, false);
    (void) state;

    assert_permutation(want, N);
    assert_memory_not_equal(want, other, N * sizeof *want);
    t2_free(other);
    assert_same(shuffled(5, N, 64 << 20, 7000000, 1, LARGE, false), want, N);
    assert_same(shuffled(5, N, MEMORY, 0, 1, LARGE, true), want, N);
    assert_same(shuffled(5, N, MEMORY, 7000000, 2, LARGE, true), want, N);
    /* A wrong guess: buckets are dealt again. */
    assert_same(shuffled(5, N, MEMORY, 1, 1, LARGE, true), want, N);
    assert_same(shuffled(5, N, MEMORY, 1, 3, LARGE, true), want, N);
    assert_same(shuffled(5, N, 3 * MEMORY, UINT64_MAX, 2, LARGE, true), want, N);
    t2_free(want);
}

static void test_large_records(void **state)
{
    enum { N = 60, LARGE = 3 << 20 };
    unsigned *want = shuffled(1, N, 1 << 30, 0, 1, LARGE, false);
    (void) state;

    assert_permutation(want, N);
    assert_same(shuffled(1, N, 1 << 20, 0, 2, LARGE, true), want, N);
    assert_same(shuffled(1, N, 1 << 20, 18 << 20, 1, LARGE, true), want, N);
    t2_free(want);
}

static void test_few(void **state)
{
    (void) state;
    for (unsigned n = 0; n < 4; n++)
        t2_free(shuffled(1, n, 0, 0, 1, 4, false));
}

/* Every order of three records comes equally often over many seeds. */
static void test_uniform(void **state)
{
    enum { SEEDS = 6000 };
    unsigned counts[27] = {0};
    double chi2 = 0;
    (void) state;

    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        unsigned *o = shuffled(seed, 3, 0, 100, 1, 4, false);
        counts[o[0] * 9 + o[1] * 3 + o[2]]++;
        t2_free(o);
    }
    for (int i = 0; i < 27; i++) {
        if (counts[i] > 0)
            chi2 += (counts[i] - SEEDS / 6.0) * (counts[i] - SEEDS / 6.0) / (SEEDS / 6.0);
    }
    assert_true(chi2 < 20.5); /* 5 degrees of freedom: p = 0.001; the seeds are fixed */
}

T_MAIN(cmocka_unit_test(test_same), cmocka_unit_test(test_large_records),
       cmocka_unit_test(test_few), cmocka_unit_test(test_uniform))
