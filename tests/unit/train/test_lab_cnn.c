/* Tests of train/models/lab_cnn.c; the flowers network is compared with the original's in
 * tests/oracle/test_recorded_flowers.c. */
#include "tests/unit/train/image_model.h"

static void test_sizes(void **state)
{
    static const struct image_case flowers = {"flowers_cnn", "flowers_cnn", "", 299, 3};
    static const struct image_case mnist = {"mnist_cnn", "mnist_cnn", "", 28, 1};

    (void) state;
    image_count(&flowers, 5, 32863585, 8); /* spec image-pipelines.md §4.2 */
    image_count(&mnist, 10, 832 + 25632 + 1568 * 1024 + 1024 + 10250, 8);
}

static void test_runs(void **state)
{
    static const struct image_case flowers = {"flowers_cnn", "flowers_cnn_batch_norm",
                                              "hidden_size=30,learning_rate_constant=0.003", 11, 3};
    static const struct image_case mnist = {"mnist_cnn", "mnist_cnn",
                                            "hidden_size=64,learning_rate_constant=0.5", 12, 1};

    (void) state;
    image_check_runs(&flowers);
    image_check_runs(&mnist);
}

static void test_refusals(void **state)
{
    static const struct image_case tiny = {"flowers_cnn", "flowers_cnn", "", 3, 3};
    static const struct image_case none = {"flowers_cnn", "flowers_cnn", "nfil2=0", 8, 3};
    static const struct image_case other = {"flowers_cnn", "mnist_cnn", "", 8, 3};

    (void) state;
    image_refused(&tiny, T2_EUNSUPPORTED, "at least 4 x 4 pixels");
    image_refused(&none, T2_EUSAGE, "nfil2 must be positive");
    image_refused(&other, T2_EUSAGE, "--hparams_set=flowers_cnn");
}

T_MAIN(cmocka_unit_test(test_sizes), cmocka_unit_test(test_runs), cmocka_unit_test(test_refusals))
