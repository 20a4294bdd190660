/*
 * Tests of train/input/scheme.c: check values of the specification, the bucket of a length, values
 * that make no table.  The tables of the original are in tests/oracle/test_batching.c.
 */
#include "train/input/scheme.h"

#include "tests/support/t.h"

static struct t2_err err;

static void test_check_values_of_the_specification(void **state)
{
    static const int32_t boundaries[] = {8,   9,   10,  11,  12,  13,  14,  15, 16, 17,  18,
                                         19,  20,  22,  24,  26,  28,  30,  33, 36, 39,  42,
                                         46,  50,  55,  60,  66,  72,  79,  86, 94, 103, 113,
                                         124, 136, 149, 163, 179, 196, 215, 236};
    static const int32_t sizes[] = {420, 420, 315, 315, 315, 315, 252, 252, 252, 210, 210,
                                    210, 180, 180, 140, 140, 140, 126, 105, 105, 105, 90,
                                    84,  70,  70,  63,  60,  45,  45,  45,  42,  36,  36,
                                    30,  30,  21,  21,  21,  20,  18,  15,  15};
    struct in_scheme s;

    (void) state;
    assert_int_equal(in_scheme_new(4096, 256, 8, 1.1, true, 1, 1, 0, &s, &err), T2_OK);
    assert_int_equal(s.n_boundaries, 41);
    assert_memory_equal(s.boundaries, boundaries, sizeof boundaries);
    assert_memory_equal(s.batch_sizes, sizes, sizeof sizes);
    assert_int_equal(s.min_length, 0);
    assert_int_equal(s.max_length, 256);
    in_scheme_release(&s);
}

static void test_bucket_bounds_are_exclusive(void **state)
{
    struct in_scheme s;

    (void) state;
    assert_int_equal(in_scheme_new(1024, 64, 8, 1.1, true, 1, 1, 0, &s, &err), T2_OK);
    for (int32_t length = 0; length < 100; length++) {
        int b = in_scheme_bucket(&s, length);

        assert_true(b == s.n_boundaries || length < s.boundaries[b]);
        assert_true(b == 0 || length >= s.boundaries[b - 1]);
    }
    assert_int_equal(in_scheme_bucket(&s, 7), 0);
    assert_int_equal(in_scheme_bucket(&s, 8), 1);
    assert_int_equal(in_scheme_bucket(&s, INT32_MAX), s.n_boundaries);
    in_scheme_release(&s);
}

static void refused(int64_t batch, int64_t max, int64_t bucket, double step, int64_t min,
                    const char *says)
{
    struct in_scheme s;

    assert_int_equal(in_scheme_new(batch, max, bucket, step, true, 1, 1, min, &s, &err), T2_EUSAGE);
    t_assert_contains(err.message, says);
    in_scheme_release(&s); /* nothing to give back */
}

static void test_values_that_make_no_table(void **state)
{
    (void) state;
    refused(0, 256, 8, 1.1, 0, "batch_size=0");
    refused(-5, 256, 8, 1.1, 0, "batch_size=-5");
    refused(1024, -1, 8, 1.1, 0, "max_length=-1");
    refused(1024, 10, 8, 1.1, 11, "must be greater or equal to min_length=11");
    refused(10, 0, 8, 1.1, 11, "max_length=10 must be");
    refused(1024, 256, 0, 1.1, 0, "min_length_bucket=0");
    refused(1024, 256, 8, 1.0, 0, "length_bucket_step=1");
    refused(1024, 1000000000, 8, 1.0000001, 0, "length buckets");
}

static void test_steep_and_short_tables(void **state)
{
    struct in_scheme s;

    (void) state;
    assert_int_equal(in_scheme_new(1024, 1000000000, 8, 1e300, true, 1, 1, 0, &s, &err), T2_OK);
    assert_int_equal(s.n_boundaries, 1);
    in_scheme_release(&s);
    assert_int_equal(in_scheme_new(1, 1, 8, 1.1, true, 1, 1, 0, &s, &err), T2_OK);
    assert_int_equal(s.n_boundaries, 0);
    assert_int_equal(s.batch_sizes[0], 1);
    assert_int_equal(in_scheme_bucket(&s, 5), 0);
    in_scheme_release(&s);
}

/* official-transformer.md §4.3 */
static void test_official(void **state)
{
    static const int32_t first[] = {512, 455, 409, 372}, last[] = {19, 17, 15};
    struct mdl_hparams *hp = NULL;
    struct in_scheme s;

    (void) state;
    assert_int_equal(in_scheme_official(4096, 256, 1, false, &s, &err), T2_OK);
    assert_int_equal(s.n_boundaries, 41);
    assert_memory_equal(s.batch_sizes, first, sizeof first);
    assert_memory_equal(s.batch_sizes + 39, last, sizeof last);
    in_scheme_release(&s);
    assert_int_equal(in_scheme_official(4096, 0, 1, false, &s, &err), T2_EUSAGE);
    t_assert_contains(err.message, "max_length=0 must be at least 1");
    assert_int_equal(in_scheme_official(0, 256, 1, false, &s, &err), T2_EUSAGE);
    assert_int_equal(in_scheme_official(10, 256, 1, false, &s, &err),
                     T2_OK); /* 10 / 257 sentences */
    assert_int_equal(s.batch_sizes[41], 1);
    in_scheme_release(&s);

    assert_int_equal(mdl_hparams_new("official_transformer_base", &hp, &err), T2_OK);
    assert_int_equal(in_scheme_of(hp, false, 1, &s, &err), T2_OK);
    assert_int_equal(s.batch_sizes[1], 227);
    assert_int_equal(s.max_length, 256); /* in evaluation too */
    in_scheme_release(&s);
    mdl_hparams_free(hp);
}

static void test_of_hparams(void **state)
{
    struct mdl_hparams *hp = NULL;
    struct in_scheme s, one;

    (void) state;
    assert_int_equal(mdl_hparams_new("transformer_base", &hp, &err), T2_OK);
    mdl_hp_set_int(hp, "batch_size", 1024);
    mdl_hp_set_int(hp, "max_length", 64);
    assert_int_equal(in_scheme_of(hp, true, 1, &s, &err), T2_OK);
    assert_int_equal(s.max_length, 64);
    in_scheme_release(&s);
    assert_int_equal(in_scheme_of(hp, false, 1, &s, &err), T2_OK);
    assert_int_equal(s.max_length, 1000000000); /* evaluation keeps long samples */
    in_scheme_release(&s);
    mdl_hp_set_bool(hp, "eval_drop_long_sequences", true);
    mdl_hp_set_bool(hp, "use_fixed_batch_size", true);
    assert_int_equal(in_scheme_of(hp, false, 1, &s, &err), T2_OK);
    assert_int_equal(s.max_length, 64);
    assert_int_equal(s.n_boundaries, 0);
    assert_int_equal(s.batch_sizes[0], 1024);
    in_scheme_release(&s);
    /* batch_size is of one replica */
    assert_int_equal(in_scheme_of(hp, false, 3, &s, &err), T2_OK);
    assert_int_equal(s.batch_sizes[0], 3072);
    in_scheme_release(&s);
    mdl_hp_set_bool(hp, "use_fixed_batch_size", false);
    assert_int_equal(in_scheme_of(hp, true, 1, &one, &err), T2_OK);
    assert_int_equal(in_scheme_of(hp, true, 3, &s, &err), T2_OK);
    assert_int_equal(s.n_boundaries, one.n_boundaries);
    for (int i = 0; i <= s.n_boundaries; i++)
        assert_int_equal(s.batch_sizes[i], 3 * one.batch_sizes[i]);
    in_scheme_release(&one);
    in_scheme_release(&s);
    mdl_hparams_free(hp);
}

/* batching_scheme with a length_multiplier of 256; what is kept goes by Problem.max_length. */
static void test_described(void **state)
{
    struct mdl_hparams *hp = NULL;
    struct in_scheme s;

    (void) state;
    assert_int_equal(mdl_hparams_new("slicenet_1", &hp, &err), T2_OK);
    assert_int_equal(in_scheme_described(hp, true, 1, &s, &err), T2_OK);
    assert_int_equal(s.boundaries[0], 8 * 256);
    assert_int_equal(s.batch_sizes[in_scheme_bucket(&s, 299)], 1);
    assert_int_equal(s.max_length, 1024);
    in_scheme_release(&s);
    assert_int_equal(in_scheme_described(hp, false, 1, &s, &err), T2_OK);
    assert_int_equal(s.max_length, 1000000000);
    in_scheme_release(&s);
    mdl_hp_set_int(hp, "batch_size", 3 * 2048);
    mdl_hp_set_int(hp, "max_length", 400);
    assert_int_equal(in_scheme_described(hp, true, 2, &s, &err), T2_OK);
    assert_int_equal(s.batch_sizes[in_scheme_bucket(&s, 299)], 3 * 2);
    assert_int_equal(s.max_length, 400);
    in_scheme_release(&s);
    mdl_hp_set_bool(hp, "use_fixed_batch_size", true);
    mdl_hp_set_int(hp, "batch_size", 5);
    assert_int_equal(in_scheme_described(hp, true, 2, &s, &err), T2_OK);
    assert_true(s.n_boundaries == 0 && s.batch_sizes[0] == 10 && s.max_length == 400);
    in_scheme_release(&s);
    mdl_hparams_free(hp);
}

T_MAIN(cmocka_unit_test(test_check_values_of_the_specification),
       cmocka_unit_test(test_bucket_bounds_are_exclusive),
       cmocka_unit_test(test_values_that_make_no_table),
       cmocka_unit_test(test_steep_and_short_tables), cmocka_unit_test(test_of_hparams),
       cmocka_unit_test(test_described), cmocka_unit_test(test_official))
