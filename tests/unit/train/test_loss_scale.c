/* train/optim/loss_scale.h: how the scale follows what happens. */
#include "train/optim/loss_scale.h"

#include "tests/support/t.h"

static void repeat(struct opt_loss_scale *s, bool finite, int times)
{
    for (int i = 0; i < times; i++)
        opt_loss_scale_update(s, finite);
}

static void test_doubles(void **state)
{
    struct opt_loss_scale s = {.scale = 32768.0};

    (void) state;
    repeat(&s, true, 1999);
    assert_true(s.scale == 32768.0);
    repeat(&s, true, 1);
    assert_true(s.scale == 65536.0 && s.n_finite == 0);
    repeat(&s, true, 1500);
    repeat(&s, false, 1); /* begins to count again */
    repeat(&s, true, 1999);
    assert_true(s.scale == 65536.0);
    repeat(&s, true, 1);
    assert_true(s.scale == 131072.0);
    s.scale = 0x1p127;
    repeat(&s, true, 2000);
    assert_true(s.scale == 0x1p127); /* still a float32 */
}

static void test_halves(void **state)
{
    struct opt_loss_scale s = {.scale = 8.0};

    (void) state;
    repeat(&s, false, 1);
    assert_true(s.scale == 8.0);
    repeat(&s, true, 10); /* the first overflow is not forgotten */
    repeat(&s, false, 1);
    assert_true(s.scale == 4.0);
    repeat(&s, false, 10);
    assert_true(s.scale == 1.0);
}

T_MAIN(cmocka_unit_test(test_doubles), cmocka_unit_test(test_halves))
