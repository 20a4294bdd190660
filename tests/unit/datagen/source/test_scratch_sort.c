/*
 * test_scratch_sort.c - items by two numbers, more than the memory holds; places as Python's
 * shuffle gives them.
 */
#include "datagen/source/scratch_sort.h"

#include <string.h>

#include "base/alloc.h"
#include "base/mt19937.h"
#include "tests/support/t.h"

static void check_sort(uint64_t max_memory, bool has_runs)
{
    enum { N = 40000 };
    const struct dg_options o = {.data_dir = t_tmp_path("."), .max_memory = max_memory};
    struct tfr_sorter *s = NULL;
    struct t2_err err = T2_ERR_INIT;
    struct dg_place place;
    struct t2_slice data;

    assert_int_equal(dg_sorter_new(&o, &s, &err), T2_OK);
    for (uint64_t i = 0; i < N; i++) {
        uint64_t n = i * 7919 % N;
        place = (struct dg_place){n / 300 << 40, n % 300};
        assert_int_equal(dg_sorter_add(s, place, (struct t2_slice){(uint8_t *) &n, sizeof n}, &err),
                         T2_OK);
    }
    assert_int_equal(tfr_sorter_finish(s, &err), T2_OK);
    assert_int_equal(tfr_sorter_runs(s) > 0, has_runs);
    for (uint64_t i = 0, n; i < N; i++) {
        assert_int_equal(dg_sorter_next(s, &place, &data, &err), T2_OK);
        memcpy(&n, data.data, sizeof n);
        assert_int_equal(n, i);
        assert_int_equal(place.major, i / 300 << 40);
        assert_int_equal(place.minor, i % 300);
    }
    assert_int_equal(dg_sorter_next(s, &place, &data, &err), T2_EOF);
    tfr_sorter_free(s);
}

static void test_sort(void **state)
{
    (void) state;
    check_sort(0, false);
    check_sort(1 << 20, true);
}

static void test_places(void **state)
{
    enum { N = 1000 };
    struct dg_options o = {.data_dir = t_tmp_path(".")};
    struct t2_err err = T2_ERR_INIT;
    uint32_t order[N], *places = NULL;
    struct t2_mt mt;

    (void) state;
    for (uint32_t n = 0; n <= N; n += n < 5 ? 1 : 199) {
        t2_mt_seed_python(&mt, 3);
        for (uint32_t i = 0; i < n; i++)
            order[i] = i;
        t2_mt_shuffle_u32(&mt, order, n);
        t2_mt_seed_python(&mt, 3);
        assert_int_equal(dg_draw_places(&o, &mt, n, &places, &err), T2_OK);
        for (uint32_t i = 0; i < n; i++)
            assert_int_equal(places[order[i]], i);
        t2_free(places);
    }
    o.max_memory = 8 * 4 * 10;
    assert_int_equal(dg_draw_places(&o, &mt, 10, &places, &err), T2_OK);
    t2_free(places);
    assert_int_equal(dg_draw_places(&o, &mt, 11, &places, &err), T2_ENOMEM);
    t_assert_contains(err.message, "the order of 11 items is drawn as in the original");
}

T_MAIN(cmocka_unit_test(test_sort), cmocka_unit_test(test_places))
