/*
 * test_split_overlap.c - counting samples that splits share.
 */
#include "datagen/passes/split_overlap.h"

#include "tests/support/t.h"

/* Samples first .. last - 1. */
static void add(struct dg_hashes *h, uint64_t first, uint64_t last)
{
    for (uint64_t i = first; i < last; i++)
        dg_hashes_add(h, dg_hash_of(&i, sizeof i));
}

static void release(struct dg_hashes h[DG_N_SPLITS])
{
    for (int i = 0; i < DG_N_SPLITS; i++)
        dg_hashes_release(&h[i]);
}

static void test_counts(void **state)
{
    struct dg_hashes h[DG_N_SPLITS] = {{0}};
    struct dg_shared shared[DG_N_SHARED];
    struct t2_buf text = {0};

    (void) state;
    add(&h[DG_TRAIN], 0, 1000);
    add(&h[DG_TRAIN], 0, 10); /* twice in train counts once */
    add(&h[DG_DEV], 990, 1490);
    add(&h[DG_DEV], 991, 993); /* twice in dev counts twice */
    dg_count_shared(h, shared);
    assert_int_equal(shared[0].in, DG_DEV);
    assert_int_equal(shared[0].of, DG_TRAIN);
    assert_int_equal(shared[0].n_shared, 12);
    assert_int_equal(shared[0].n_looked_at, 502);
    assert_int_equal(shared[1].n_shared + shared[2].n_shared, 0);
    assert_true(dg_any_shared(shared) && dg_shares_much(&shared[0]));
    dg_shared_put(&shared[0], &text);
    assert_string_equal(t2_buf_cstr(&text), "12 of the 502 dev samples (2.39 %) are in train, too");
    t2_buf_release(&text);
    shared[0].n_shared = 5;
    assert_false(dg_shares_much(&shared[0]));
    release(h);
}

static void test_nothing(void **state)
{
    struct dg_hashes h[DG_N_SPLITS] = {{0}};
    struct dg_shared shared[DG_N_SHARED];

    (void) state;
    dg_count_shared(h, shared);
    assert_false(dg_any_shared(shared));
    add(&h[DG_TRAIN], 0, 100);
    add(&h[DG_TEST], 100, 200);
    dg_count_shared(h, shared);
    assert_false(dg_any_shared(shared));
    assert_int_equal(shared[1].n_looked_at, 100);
    release(h);
}

/* More than are kept: about as many of dev as of train are looked at, and all that are shared are
 * found. */
static void test_bounded(void **state)
{
    struct dg_hashes h[DG_N_SPLITS] = {{0}};
    struct dg_shared shared[DG_N_SHARED];
    const uint64_t n = DG_HASHES_KEPT + DG_HASHES_KEPT / 4;

    (void) state;
    add(&h[DG_TRAIN], 0, n);
    assert_int_equal(h[DG_TRAIN].shift, 1);
    assert_true(h[DG_TRAIN].n <= DG_HASHES_KEPT && h[DG_TRAIN].capacity <= DG_HASHES_KEPT);
    add(&h[DG_DEV], n - 4000, n);
    dg_count_shared(h, shared);
    assert_false(shared[0].is_all);
    assert_int_equal(shared[0].n_shared, shared[0].n_looked_at);
    assert_in_range(shared[0].n_looked_at, 1700, 2300);
    release(h);
    for (uint64_t i = 0, zero = 0; i < DG_HASHES_KEPT + 5; i++) /* nothing can be thinned */
        dg_hashes_add(&h[DG_DEV], zero);
    assert_int_equal(h[DG_DEV].n, DG_HASHES_KEPT);
    release(h);
}

/* Every bit of the text reaches the hash. */
static void test_hash(void **state)
{
    uint8_t text[37] = {0};
    uint64_t h = dg_hash_of(text, sizeof text);

    (void) state;
    for (size_t bit = 0; bit < 8 * sizeof text; bit++) {
        text[bit / 8] ^= (uint8_t) (1U << bit % 8);
        assert_int_not_equal(dg_hash_of(text, sizeof text), h);
        text[bit / 8] ^= (uint8_t) (1U << bit % 8);
    }
    assert_int_not_equal(dg_hash_of(text, 36), h);
    assert_int_not_equal(dg_hash_of(text, 0), dg_hash_of(text, 1));
}

T_MAIN(cmocka_unit_test(test_counts), cmocka_unit_test(test_nothing),
       cmocka_unit_test(test_bounded), cmocka_unit_test(test_hash))
