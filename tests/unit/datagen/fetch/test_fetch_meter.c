/*
 * tests/unit/datagen/fetch/test_fetch_meter.c - sums of files that come, start again, or have no
 * known size.
 */
#include "datagen/fetch/fetch_meter.h"

#include "tests/support/t.h"

static void test_sums(void **state)
{
    struct dg_fetch_share a = {0}, b = {0};
    struct dg_fetch_meter m;

    (void) state;
    dg_meter_init(&m, 2, 0);
    dg_meter_begin(&m, &a, 100);
    dg_meter_add(&m, &a, 30);
    assert_int_equal(m.progress.total, 0); /* b is not known yet */
    dg_meter_begin(&m, &b, 50);
    dg_meter_add(&m, &b, 5);
    assert_int_equal(m.progress.total, 150);
    assert_int_equal(m.progress.done, 35);
    dg_meter_begin(&m, &a, 70); /* goes on at byte 30 */
    assert_int_equal(m.progress.total, 120);
    assert_int_equal(m.progress.done, 5);
    dg_meter_begin(&m, &b, 0); /* again, without a length */
    assert_int_equal(m.progress.total, 0);
    assert_int_equal(m.have_bytes, 0);
    dg_meter_release(&m);
}

static void test_rate(void **state)
{
    struct dg_fetch_share a = {0}, b = {0};
    struct dg_fetch_meter m;
    double wait;

    (void) state;
    dg_meter_init(&m, 2, 0);
    assert_true(dg_meter_add(&m, &a, 1 << 30) == 0);
    dg_meter_release(&m);
    dg_meter_init(&m, 2, 1000);
    wait = dg_meter_add(&m, &a, 50000);
    assert_true(wait > 49.9 && wait <= 50);
    wait = dg_meter_add(&m, &b, 50000); /* behind those of a */
    assert_true(wait > 99 && wait <= 100);
    dg_meter_release(&m);
}

T_MAIN(cmocka_unit_test(test_sums), cmocka_unit_test(test_rate))
