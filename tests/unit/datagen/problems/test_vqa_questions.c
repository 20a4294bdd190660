/*
 * tests/unit/datagen/problems/test_vqa_questions.c - questions with numbers for answers; what is drawn for them.
 */
#include "base/mt19937.h"
#include "datagen/problems/vqa_questions.h"
#include "tests/unit/datagen/problems/samples.h"

static void test_read(void **state)
{
    struct dg_options o;
    struct dg_questions q = {.n = 0};
    struct t2_err err = T2_ERR_INIT;
    struct t2_mt drawn, expected;

    (void) state;
    s_put(DG_VQA_ANSWERS, "yes\r\n two words\nyes");
    s_put("v2_val2014_annotations.json",
          "[{\"image_id\": 1, \"question_id\": 2, \"question\": \"q\", \"answer\": [\"two words\", "
          "\"yes\"]},"
          " {\"image_id\": 3, \"question_id\": 4, \"question\": \"\", \"answer\": []}]");
    o = s_options();
    assert_int_equal(dg_questions_read(DG_DEV, &o, NULL, &q, &err), T2_OK);
    assert_int_equal(q.n, 2);
    assert_int_equal(q.items[0].picture, 1);
    assert_int_equal(q.items[0].n_answers, 2);
    assert_int_equal(q.answers[0], 1);
    assert_int_equal(q.answers[1], 0);
    assert_int_equal(q.items[1].number, 4);
    assert_int_equal(q.items[1].n_answers, 1);
    assert_int_equal(q.answers[q.items[1].first], 0);
    dg_questions_release(&q);
    t2_mt_seed_python(&drawn, 7);
    expected = drawn;
    assert_int_equal(dg_questions_skip(DG_DEV, &o, &drawn, &err), T2_OK);
    t2_mt_skip_shuffle(&expected, 2);
    assert_memory_equal(&drawn, &expected, sizeof drawn);
    assert_int_equal(dg_questions_read(DG_TRAIN, &o, NULL, &q, &err), T2_ENOTFOUND);
    dg_questions_release(&q);
}

T_MAIN(cmocka_unit_test(test_read))
