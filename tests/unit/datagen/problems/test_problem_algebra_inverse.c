/*
 * test_problem_algebra_inverse.c - the stream of equations, and where its draws end.
 */
#include "base/mt19937.h"
#include "datagen/stream.h"
#include "tests/unit/datagen/small_set.h"

static struct dg_stream *open_split(enum dg_split split)
{
    const struct dg_problem *p = dg_find("algorithmic_algebra_inverse");
    struct dg_options options = {.data_dir = "", .tmp_dir = "", .random_seed = 429459};
    struct t2_err err = T2_ERR_INIT;
    struct dg_stream *s = NULL;

    assert_int_equal(p->open(p, &options, split, &s, &err), T2_OK);
    return s;
}

static void check_first(enum dg_split split, const int64_t *targets, size_t n)
{
    struct dg_stream *s = open_split(split);
    struct dg_sample sample = {0};
    struct t2_err err = T2_ERR_INIT;

    assert_int_equal(s->next(s, &sample, &err), T2_OK);
    assert_int_equal(sample.n_numbers[DG_TARGETS], n);
    assert_memory_equal(sample.numbers[DG_TARGETS], targets, n * sizeof *targets);
    dg_stream_free(s);
}

static void test_first(void **state)
{
    static const int64_t m_minus_a[] = {21, 6, 9};
    struct dg_stream *s = open_split(DG_DEV);
    struct dg_input_sizes sizes = {0};
    struct t2_err err = T2_ERR_INIT;

    (void) state;
    check_first(DG_TRAIN, m_minus_a, 3);
    assert_int_equal(s->describe(s, &sizes, &err), T2_OK);
    t_assert_contains(t2_buf_cstr(&sizes.text), "10000 drawn equations");
    dg_input_sizes_release(&sizes);
    dg_stream_free(s);
}

static void test_draws(void **state)
{
    const struct dg_problem *p = dg_find("algorithmic_algebra_inverse");
    struct dg_options options = {.data_dir = "", .tmp_dir = "", .random_seed = 429459};
    struct t2_err err = T2_ERR_INIT;
    struct t2_mt mt, few;

    (void) state;
    t2_mt_seed_python(&mt, 429459);
    assert_int_equal(p->sharding.before_shuffle(p, &options, &mt, &err), T2_OK);
    assert_int_equal(t2_mt_u32(&mt), UINT32_C(1985928496));
    options.max_cases = 10;
    t2_mt_seed_python(&few, 429459);
    assert_int_equal(p->sharding.before_shuffle(p, &options, &few, &err), T2_OK);
    assert_int_not_equal(t2_mt_u32(&few), UINT32_C(1985928496));
}

T_MAIN(cmocka_unit_test(test_first), cmocka_unit_test(test_draws))
