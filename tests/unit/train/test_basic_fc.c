/* Tests of train/models/basic_fc.c; values are compared with the original's in
 * tests/oracle/test_recorded_cnn.c. */
#include "tests/unit/train/image_model.h"

static void test_model(void **state)
{
    static const struct image_case mnist = {"basic_fc_relu", "basic_fc_small", "", 28, 1};
    static const struct image_case small = {"basic_fc_relu", "basic_fc_small",
                                            "hidden_size=24,dropout=0.1,learning_rate=5,"
                                            "learning_rate_warmup_steps=1",
                                            8, 3};
    static const struct image_case none = {"basic_fc_relu", "basic_fc_small", "hidden_size=0", 8,
                                           3};

    (void) state;
    image_count(&mnist, 10, 784 * 256 + 256 + 256 * 256 + 256 + 2570, 6);
    image_check_runs(&small);
    image_refused(&none, T2_EUSAGE, "hidden_size must be positive");
}

T_MAIN(cmocka_unit_test(test_model))
