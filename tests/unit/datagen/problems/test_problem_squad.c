/*
 * tests/unit/datagen/problems/test_problem_squad.c - questions, contexts, first answers; positions
 * of answers.
 */
#include "datagen/feature_list.h"
#include "tests/unit/datagen/problems/samples.h"

static const char json[] =
    "{\"data\": [{\"paragraphs\": []}, {\"paragraphs\": [{\"context\": \" C one\\nD \", \"qas\": ["
    "{\"question\": \" Q1? \", \"answers\": [{\"text\": \" A \"}, {\"text\": \"B\"}]},"
    "{\"question\": \"Q2\", \"answers\": []}]}]}]}";

static void test_samples(void **state)
{
    (void) state;
    s_put("train-v1.1.json", json);
    s_put("dev-v1.1.json", "{\"data\": [{\"paragraphs\": [{\"qas\": [{\"question\": \"x\"}]}]}]}");
    s_check("squad_concat", DG_TRAIN, "Q1?|C one\nD>A\n(no answer)\n");
    s_check("squad_text2text", DG_TRAIN, "squad context: C one\nD question: Q1?>A\n(no answer)\n");
    s_check_contains("squad", DG_DEV,
                     "article 1, paragraph 1, question 1: no 'question' or no 'context'");
    s_put("dev-v1.1.json", "{\"data\": [");
    s_check_contains("squad", DG_DEV, "dev-v1.1.json");
}

static void check_positions(const char *answer, const char *context, const char *expected)
{
    const struct dg_problem *p = dg_find("squad_concat_positioned");
    struct dg_record r = {0};
    struct t2_err err = T2_ERR_INIT;
    struct t2_buf got = {0};
    struct dg_feature *f = dg_record_add(&r, "context", TFR_INT64);

    for (; *context; context++)
        dg_feature_push(f, *context);
    f = dg_record_add(&r, "targets", TFR_INT64);
    for (; *answer; answer++)
        dg_feature_push(f, *answer);
    assert_int_equal(p->record.finish(p, NULL, &r, &err), T2_OK);
    for (size_t i = 0; i < f->n; i++)
        t2_buf_printf(&got, "%d ", (int) f->ints[i]);
    assert_string_equal(r.drop ? r.drop : t2_buf_cstr(&got), expected);
    t2_buf_release(&got);
    dg_record_release(&r);
}

static void test_positions(void **state)
{
    (void) state;
    check_positions("bc.", "abcbc.", "1 2 3 2 ");
    check_positions("c.", "abc.", "2 1 ");
    check_positions("x.", "abc.", "the ids of the answer are not in those of the context");
    check_positions("abc..", "abc.", "the ids of the answer are not in those of the context");
}

T_MAIN(cmocka_unit_test(test_samples), cmocka_unit_test(test_positions))
