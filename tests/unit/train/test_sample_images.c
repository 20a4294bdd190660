/*
 * Tests of train/runs/sample_images.c: nothing is asked of a run that makes no images.  What is
 * drawn is in tests/e2e/generate_images.sh.
 */
#include "train/runs/sample_images.h"

#include "tests/unit/train/small_run.h"

static void test_no_images(void **state)
{
    const char *data = t_tmp_path("data"), *dir = t_tmp_path("run");
    char *page = t2_path_join(dir, "samples-0.png");
    struct t2_err err = T2_ERR_INIT;
    struct tr_run *r;

    (void) state;
    small_data(data);
    r = small_run(data, dir, "", 4, 1);
    r->options.eval_samples = 1000; /* sentences, of which there may be as many */
    assert_int_equal(tr_check_sample_images(r, &err), T2_OK);
    assert_int_equal(tr_sample_images(r, &err), T2_OK);
    assert_false(t2_exists(page));
    tr_run_free(r);
    t2_free(page);
}

T_MAIN(cmocka_unit_test(test_no_images))
