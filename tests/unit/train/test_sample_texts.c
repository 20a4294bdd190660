/*
 * Tests of train/runs/sample_texts.c: nothing is asked of a run without texts.  What is written is
 * in tests/e2e/train_samples.sh.
 */
#include "train/runs/sample_texts.h"

#include "tests/unit/train/small_run.h"

static void test_no_texts(void **state)
{
    const char *data = t_tmp_path("data"), *dir = t_tmp_path("run");
    char *path = t2_path_join(dir, "metrics.jsonl");
    struct t2_err err = T2_ERR_INIT;
    struct t2_buf text = {0};
    struct tr_run *r;

    (void) state;
    small_data(data);
    r = small_run(data, dir, "", 4, 1);
    r->options.eval_samples = 3;
    assert_int_equal(tr_sample_texts(r, &err), T2_OK);
    assert_int_equal(t2_read_file(path, 0, &text, &err), T2_OK);
    assert_int_equal(text.len_bytes, 0);
    tr_run_free(r);
    t2_buf_release(&text);
    t2_free(path);
}

T_MAIN(cmocka_unit_test(test_no_texts))
