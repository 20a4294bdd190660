/*
 * tests/unit/train/test_predicted.c - rows of parts of a batch, and labels.
 */
#include "train/runs/predicted.h"

#include "tests/unit/train/tiny_model.h"

static struct t2_err err;

/* Two parts of a batch give what the whole gives. */
static void test_parts(void **state)
{
    enum { ROWS = 5, LENGTH = 6, FIRST = 2 };
    struct mdl *m = tiny_model(op_device("cpu", 1), "", &tiny_translation, MDL_EVAL);
    struct tr_predicted whole = {0}, parts = {0};
    struct mdl_batch all, part;
    struct mdl_loss loss;
    struct tiny_batch t;

    (void) state;
    all = *tiny_batch(&t, ROWS, 4, LENGTH, 3);
    all.all_rows = ROWS;
    mdl_set_predicts(m, true);
    tr_predicted_start(&whole, &all);
    assert_int_equal(mdl_evaluate(m, &all, &loss, &err), T2_OK);
    assert_int_equal(tr_predicted_take(&whole, m, &all, &err), T2_OK);
    assert_int_equal(whole.rows, ROWS);
    assert_int_equal(whole.length, LENGTH);
    assert_memory_equal(whole.labels, t.targets, ROWS * LENGTH * sizeof *whole.labels);
    tr_predicted_start(&parts, &all);
    for (int32_t first = 0; first < ROWS; first += FIRST + first) {
        part = all;
        part.first_row = first;
        part.batch = first == 0 ? FIRST : ROWS - first;
        part.inputs += (ptrdiff_t) first * 4;
        part.targets += (ptrdiff_t) first * LENGTH;
        assert_int_equal(mdl_evaluate(m, &part, &loss, &err), T2_OK);
        assert_int_equal(tr_predicted_take(&parts, m, &part, &err), T2_OK);
        if (first > 0)
            break;
    }
    assert_memory_equal(parts.ids, whole.ids, ROWS * LENGTH * sizeof *whole.ids);
    assert_memory_equal(parts.labels, whole.labels, ROWS * LENGTH * sizeof *whole.labels);
    tr_predicted_release(&whole);
    tr_predicted_release(&parts);
    mdl_free(m);
}

static void test_labels(void **state)
{
    struct tr_predicted p = {0};
    int n_right = 0;

    (void) state;
    tr_predicted_labels(&p, 7, 3);
    assert_int_equal(p.rows, 7);
    assert_int_equal(p.length, 1);
    for (int i = 0; i < 7; i++)
        n_right += p.ids[i] == p.labels[i];
    assert_int_equal(n_right, 3);
    tr_predicted_release(&p);
}

T_MAIN(cmocka_unit_test(test_parts), cmocka_unit_test(test_labels))
