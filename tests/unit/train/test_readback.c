/* Tests of train/device/readback.c: what is asked for comes in order, as it was then. */
#include "train/device/readback.h"

#include "tests/support/op_check.h"
#include "tests/support/t.h"

static void check_on(const char *name)
{
    struct dev *d = op_device(name, 1);
    struct t2_err err = T2_ERR_INIT;
    struct dev_readback r;
    int64_t *on_device = d->alloc(d, sizeof *on_device);

    assert_non_null(on_device);
    assert_int_equal(dev_readback_open(&r, d, sizeof *on_device, &err), T2_OK);
    for (int64_t i = 0; i < 10; i += 2) {
        for (int64_t k = i; k < i + 2; k++) {
            d->upload_now(d, on_device, &k, sizeof k);
            dev_readback_ask(&r, on_device);
        }
        for (int64_t k = i; k < i + 2; k++)
            assert_int_equal(*(const int64_t *) dev_readback_take(&r), k);
    }
    dev_readback_ask(&r, on_device); /* and not taken */
    dev_readback_close(&r);
    d->free(d, on_device);
}

static void test_in_order(void **state)
{
    (void) state;
    check_on("reference");
    check_on("cpu");
    check_on("far");
}

static void test_nothing_to_close(void **state)
{
    struct dev_readback r = {0};

    (void) state;
    dev_readback_close(&r);
}

T_MAIN(cmocka_unit_test(test_in_order), cmocka_unit_test(test_nothing_to_close))
