/*
 * tests/unit/datagen/problems/test_vqa_questions.c - questions with numbers for answers: as they
 * are drawn, by image; the same in little memory.
 */
#include <inttypes.h>

#include "base/mt19937.h"
#include "datagen/problems/vqa_questions.h"
#include "tests/unit/datagen/problems/samples.h"

#define QUESTION(image, number, text, answers)                                                     \
    "{\"image_id\": " #image ", \"question_id\": " #number ", \"question\": \"" text               \
    "\", \"answer\": [" answers "]}"

static void put_one(struct t2_buf *out, const struct dg_question *q)
{
    const int64_t *answers = (const int64_t *) (const void *) q->answers.data;

    t2_buf_printf(out, "%d %d '%s'", (int) q->image, (int) q->number, t2_buf_cstr(&q->text));
    for (size_t i = 0; i < q->answers.len_bytes / sizeof *answers; i++)
        t2_buf_printf(out, " %d", (int) answers[i]);
    t2_buf_puts(out, "\n");
}

static void check_read(enum dg_question_order order, const char *expected)
{
    struct dg_options o = s_options();
    struct dg_questions q = {.n = 0};
    struct dg_question one = {.number = 0};
    struct t2_err err = T2_ERR_INIT;
    struct t2_buf out = {NULL, 0, 0};
    struct t2_mt mt;

    t2_mt_seed_python(&mt, 7);
    if (dg_questions_read(DG_DEV, &o, NULL, order, &mt, &q, &err) != T2_OK)
        fail_msg("%s", err.message);
    assert_int_equal(q.n, 3);
    while (dg_questions_next(&q, &one, &err) == T2_OK)
        put_one(&out, &one);
    assert_string_equal(t2_buf_cstr(&out), expected);
    dg_questions_release(&q);
    dg_question_release(&one);
    t2_buf_release(&out);
}

static void test_read(void **state)
{
    struct dg_options o;
    struct dg_questions q = {.n = 0};
    struct t2_err err = T2_ERR_INIT;
    struct t2_mt drawn, expected;

    (void) state;
    s_put(DG_VQA_ANSWERS, "yes\r\n two words\nyes");
    s_put("v2_val2014_annotations.json",
          "[" QUESTION(3, 2, "q", "\"two words\", \"yes\"") ", " QUESTION(
              1, 4, "", "") ", " QUESTION(3, 1, "r", "\"yes\"") "]");
    check_read(DG_QUESTIONS_BY_IMAGE, "1 4 '' 0\n3 2 'q' 1 0\n3 1 'r' 0\n");
    /* random.seed(7); random.shuffle([0, 1, 2]) gives 2, 0, 1 */
    check_read(DG_QUESTIONS_MIXED, "3 1 'r' 0\n3 2 'q' 1 0\n1 4 '' 0\n");
    o = s_options();
    t2_mt_seed_python(&drawn, 7);
    expected = drawn;
    assert_int_equal(dg_questions_skip(DG_DEV, &o, &drawn, &err), T2_OK);
    t2_mt_skip_shuffle(&expected, 3);
    assert_memory_equal(&drawn, &expected, sizeof drawn);
    assert_int_equal(dg_questions_read(DG_TRAIN, &o, NULL, DG_QUESTIONS_BY_IMAGE, NULL, &q, &err),
                     T2_ENOTFOUND);
    dg_questions_release(&q);
    s_put("v2_train2014_annotations.json", "{}");
    err = (struct t2_err) T2_ERR_INIT;
    assert_int_equal(dg_questions_read(DG_TRAIN, &o, NULL, DG_QUESTIONS_BY_IMAGE, NULL, &q, &err),
                     T2_EFORMAT);
    t_assert_contains(err.message, "byte 0: the document is an array");
    dg_questions_release(&q);
}

static void test_index(void **state)
{
    struct dg_options o = s_options();
    struct dg_questions q = {.n = 0};
    struct dg_question_index ix = {.at = 0};
    struct dg_question one = {.number = 0};
    struct t2_err err = T2_ERR_INIT;

    (void) state;
    assert_int_equal(dg_questions_read(DG_DEV, &o, NULL, DG_QUESTIONS_BY_IMAGE, NULL, &q, &err),
                     T2_OK);
    assert_int_equal(dg_question_index_fill(&ix, &q, &o, &err), T2_OK);
    assert_false(dg_question_index_find(&ix, 2));
    assert_true(dg_question_index_find(&ix, 3));
    assert_int_equal(dg_question_index_next(&ix, &one, &err), T2_OK);
    assert_int_equal(one.number, 2);
    assert_int_equal(dg_question_index_next(&ix, &one, &err), T2_OK);
    assert_int_equal(one.number, 1);
    assert_int_equal(dg_question_index_next(&ix, &one, &err), T2_EOF);
    assert_false(dg_question_index_find(&ix, 3));
    assert_true(dg_question_index_find(&ix, 1));
    assert_int_equal(dg_question_index_next(&ix, &one, &err), T2_OK);
    assert_int_equal(dg_question_index_next(&ix, &one, &err), T2_EOF);
    dg_question_index_release(&ix);
    dg_question_release(&one);
    dg_questions_release(&q);
}

/* More than the sorters hold. */
static void test_memory(void **state)
{
    enum { N = 20000 };
    struct t2_buf text = {NULL, 0, 0};
    struct dg_options o = s_options();
    struct dg_questions q[2] = {{.n = 0}, {.n = 0}};
    struct dg_question one[2] = {{.number = 0}, {.number = 0}};
    struct t2_err err = T2_ERR_INIT;

    (void) state;
    t2_buf_puts(&text, "[");
    for (int i = 0; i < N; i++)
        t2_buf_printf(&text,
                      "%s{\"image_id\": %d, \"question_id\": %d, \"question\": \"what is "
                      "number %d?\"}",
                      i ? "," : "", i % 777, i, i);
    t2_buf_puts(&text, "]");
    s_put("v2_val2014_annotations.json", t2_buf_cstr(&text));
    for (int i = 0; i < 2; i++) {
        struct t2_mt mt;
        t2_mt_seed_python(&mt, 1);
        o.max_memory = i ? 2 << 20 : 0;
        if (dg_questions_read(DG_DEV, &o, NULL, DG_QUESTIONS_MIXED, &mt, &q[i], &err) != T2_OK)
            fail_msg("%s", err.message);
    }
    assert_int_equal(tfr_sorter_runs(q[0].sorted), 0);
    assert_true(tfr_sorter_runs(q[1].sorted) > 1);
    for (int n = 0; n < N; n++) {
        for (int i = 0; i < 2; i++)
            assert_int_equal(dg_questions_next(&q[i], &one[i], &err), T2_OK);
        assert_int_equal(one[0].number, one[1].number);
        assert_string_equal(t2_buf_cstr(&one[0].text), t2_buf_cstr(&one[1].text));
    }
    for (int i = 0; i < 2; i++) {
        dg_questions_release(&q[i]);
        dg_question_release(&one[i]);
    }
    o.max_memory = 1 << 10;
    assert_int_equal(dg_questions_read(DG_DEV, &o, NULL, DG_QUESTIONS_MIXED, NULL, &q[0], &err),
                     T2_ENOMEM);
    dg_questions_release(&q[0]);
    t2_buf_release(&text);
}

T_MAIN(cmocka_unit_test(test_read), cmocka_unit_test(test_index), cmocka_unit_test(test_memory))
