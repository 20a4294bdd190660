/*
 * Tests of train/input/order.c: every sample once per epoch, full batches, any position can be
 * entered, order of evaluation.
 */
#include "train/input/order.h"

#include <string.h>

#include "base/alloc.h"
#include "tests/support/t.h"

static struct t2_err err;

static const int32_t sizes[] = {7, 4, 3, 5, 2};
static const uint64_t counts[] = {30, 0, 1, 12, 61}; /* one empty, one smaller than its batch */
enum { N_BUCKETS = 5, N_SAMPLES = 104 };

static struct in_order make(uint64_t seed)
{
    struct in_order o;

    in_order_init(&o, seed, N_BUCKETS, sizes, counts);
    return o;
}

static struct in_cursor at(const struct in_order *o, uint64_t samples)
{
    struct in_cursor c;

    if (in_order_seek(o, samples, &c, &err) != T2_OK)
        fail_msg("%s", err.message);
    return c;
}

static void test_every_sample_comes_equally_often(void **state)
{
    struct in_order o = make(5);
    struct in_cursor c = at(&o, 0);
    int seen[N_BUCKETS][61] = {{0}};
    uint64_t next[N_BUCKETS] = {0}, n = 0;

    (void) state;
    assert_int_equal(in_order_samples(&o), N_SAMPLES);
    for (int k = 0; k < 1000; k++) {
        struct in_batch_name name = in_order_next(&o, &c);
        uint64_t epochs;

        /* pieces of each bucket's stream, without a hole, in any order within an epoch */
        for (int32_t i = 0; i < sizes[name.bucket]; i++)
            seen[name.bucket][in_order_sample(&o, name.bucket, name.first + (uint64_t) i)]++;
        next[name.bucket] += (uint64_t) sizes[name.bucket];
        n += (uint64_t) sizes[name.bucket];
        assert_int_equal(c.samples, n);
        if (c.batch != c.n_batches)
            continue;
        /* at the end of an epoch, each sample has come epochs or epochs + 1 times, less the rest
         * that waits for a full batch */
        epochs = c.epoch + 1;
        for (int b = 0; b < N_BUCKETS; b++) {
            uint64_t rest = counts[b] * epochs - next[b];

            assert_true(rest < (uint64_t) sizes[b]);
            for (uint64_t i = 0; i < counts[b]; i++) {
                assert_true((uint64_t) seen[b][i] <= epochs);
                assert_true((uint64_t) seen[b][i] + rest / counts[b] + 1 >= epochs);
            }
        }
    }
    assert_true(c.epoch > 10);
    in_order_release(&o);
}

static void test_one_epoch_of_a_bucket_is_a_permutation(void **state)
{
    struct in_order o = make(6);
    bool differs = false;

    (void) state;
    for (uint64_t epoch = 0; epoch < 20; epoch++) {
        bool seen[61] = {false};

        for (uint64_t i = 0; i < 61; i++) {
            uint64_t s = in_order_sample(&o, 4, epoch * 61 + i);

            assert_true(s < 61 && !seen[s]);
            seen[s] = true;
            differs = differs || s != in_order_sample(&o, 4, i);
        }
    }
    assert_true(differs);
    in_order_release(&o);
}

static void test_any_batch_can_be_entered(void **state)
{
    struct in_order o = make(7);
    struct in_cursor straight = at(&o, 0);

    (void) state;
    for (int k = 0; k < 300; k++) {
        struct in_cursor entered = at(&o, straight.samples);
        struct in_batch_name a = in_order_next(&o, &straight), b = in_order_next(&o, &entered);

        assert_int_equal(a.bucket, b.bucket);
        assert_int_equal(a.first, b.first);
        assert_int_equal(straight.samples, entered.samples);
        assert_int_equal(straight.epoch, entered.epoch);
    }
    in_order_release(&o);
}

static void test_positions_that_cannot_be(void **state)
{
    struct in_order o = make(8);
    struct in_cursor c;

    (void) state;
    assert_int_equal(in_order_seek(&o, 1, &c, &err), T2_EFORMAT);
    t_assert_contains(err.message, "position 1 of the sample order is inside a batch");
    assert_int_equal(in_order_seek(&o, UINT64_MAX, &c, &err), T2_EFORMAT);
    t_assert_contains(err.message, "cannot be right");
    in_order_release(&o);
}

static void test_seeds_differ(void **state)
{
    struct in_order a = make(1), b = make(2), same = make(1);
    struct in_cursor ca = at(&a, 0), cb = at(&b, 0), cs = at(&same, 0);
    int n_equal = 0;

    (void) state;
    for (int k = 0; k < 40; k++) {
        struct in_batch_name x = in_order_next(&a, &ca), y = in_order_next(&b, &cb),
                             z = in_order_next(&same, &cs);

        assert_int_equal(x.bucket, z.bucket);
        assert_int_equal(x.first, z.first);
        n_equal += x.bucket == y.bucket && x.first == y.first;
    }
    assert_true(n_equal < 40);
    in_order_release(&a);
    in_order_release(&b);
    in_order_release(&same);
}

static void test_fewer_samples_than_a_batch(void **state)
{
    static const int32_t size = 420;
    static const uint64_t count = 5;
    struct in_order o;
    struct in_cursor c;
    int seen[5] = {0};

    (void) state;
    in_order_init(&o, 1, 1, &size, &count);
    c = at(&o, 0);
    for (int k = 0; k < 3; k++) {
        struct in_batch_name name = in_order_next(&o, &c);

        for (uint64_t i = 0; i < 420; i++)
            seen[in_order_sample(&o, 0, name.first + i)]++;
    }
    for (int i = 0; i < 5; i++)
        assert_int_equal(seen[i], 3 * 84);
    assert_int_equal(at(&o, 840).samples, 840);
    in_order_release(&o);
}

static void test_lengths_are_mixed(void **state)
{
    static const int32_t many_sizes[] = {10, 10};
    static const uint64_t many_counts[] = {5000, 5000};
    struct in_order o;
    struct in_cursor c;
    int run = 0, longest = 0, last = -1;

    (void) state;
    in_order_init(&o, 3, 2, many_sizes, many_counts);
    c = at(&o, 0);
    for (int k = 0; k < 1000; k++) {
        int b = in_order_next(&o, &c).bucket;

        run = b == last ? run + 1 : 1;
        last = b;
        longest = run > longest ? run : longest;
    }
    assert_true(longest < 25); /* of 1000 coin tosses: about 10 */
    in_order_release(&o);
}

static void test_pass(void **state)
{
    static const uint16_t bucket_of[] = {1, 0, 1, 1, 0, 2, 1, 0, 0, 2, 1};
    static const int32_t of[] = {3, 2, 4};
    static const uint32_t order[] = {0, 2, 3, 6, 1, 4, 7, 8, 10, 5, 9};
    static const uint64_t begins[] = {0, 2, 4, 7, 8, 9, 11};
    struct in_pass p;

    (void) state;
    in_pass_init(&p, 11, bucket_of, 3, of);
    assert_int_equal(p.n_batches, 6);
    assert_memory_equal(p.begins, begins, sizeof begins);
    assert_memory_equal(p.samples, order, sizeof order);
    in_pass_release(&p);
    in_pass_init(&p, 0, NULL, 3, of);
    assert_int_equal(p.n_batches, 0);
    in_pass_release(&p);
}

T_MAIN(cmocka_unit_test(test_every_sample_comes_equally_often),
       cmocka_unit_test(test_one_epoch_of_a_bucket_is_a_permutation),
       cmocka_unit_test(test_any_batch_can_be_entered),
       cmocka_unit_test(test_positions_that_cannot_be), cmocka_unit_test(test_seeds_differ),
       cmocka_unit_test(test_fewer_samples_than_a_batch), cmocka_unit_test(test_lengths_are_mixed),
       cmocka_unit_test(test_pass))
