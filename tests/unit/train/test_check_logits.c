/* Tests of train/exchange/check_logits.c. */
#include <math.h>
#include <string.h>

#include "tests/unit/train/exchanged.h"
#include "train/exchange/check_logits.h"

static void test_texts(void **state)
{
    const char *path = t_tmp_path("check.safetensors");
    struct t2_err err = T2_ERR_INIT;
    struct xch_check a, b;
    struct ckpt_file *f;
    struct exchanged e;
    double most, largest;

    (void) state;
    exchanged_open(&e, "");
    assert_int_equal(xch_check_run(e.s.m, &a, &err), T2_OK);
    assert_int_equal(xch_check_run(e.s.m, &b, &err), T2_OK);
    assert_int_equal(xch_check_compare(&a, &b, &most, &largest, &err), T2_OK);
    assert_true(most == 0.0 && largest > 0.0);
    b.logits[17] += 0.5f;
    assert_int_equal(xch_check_compare(&a, &b, &most, &largest, &err), T2_OK);
    assert_true(fabs(most - 0.5) < 1e-6);
    b.columns--;
    assert_int_equal(xch_check_compare(&a, &b, &most, &largest, &err), T2_EFORMAT);
    xch_check_release(&b);

    assert_int_equal(xch_check_write(&a, path, &err), T2_OK);
    assert_int_equal(ckpt_open(path, &f, &err), T2_OK);
    assert_int_equal(ckpt_count(f), 3);
    assert_int_equal(ckpt_find(f, "logits")->dims[2], 258);
    assert_memory_equal(ckpt_find(f, "inputs")->data, a.inputs, 4 * 12 * sizeof *a.inputs);
    /* the last row is the shortest, ends with EOS, and is padded */
    assert_int_equal(a.targets[3 * 12 + 8], 1);
    assert_int_equal(a.targets[3 * 12 + 9], 0);
    ckpt_close(f);
    xch_check_release(&a);
    exchanged_close(&e);
}

T_MAIN(cmocka_unit_test(test_texts))
