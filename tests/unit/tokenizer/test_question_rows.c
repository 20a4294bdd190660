/*
 * Tests of tokenizer/question_rows.c: rows, windows and answers as Model Garden's squad_lib has
 * them (fixtures/recordings/garden_squad), and what is refused.
 */
#include "tests/support/squad_recording.h"

enum { MOST = 64 };

static struct t2_err err;

static void check_list(const struct t2_json_value *theirs, const int32_t *ours, size_t n)
{
    assert_int_equal(t2_json_size(theirs), n);
    for (size_t i = 0; i < n; i++)
        assert_int_equal(t2_json_as_i64(t2_json_item(theirs, i), -1), ours[i]);
}

static void check_row(const struct squad_recording *r, size_t k, const struct t2_json_value *row)
{
    int32_t ids[MOST], parts[MOST];
    size_t n = tok_window_row(&r->asked, k, &r->w, ids, parts);

    assert_string_equal(t2_json_as_string(t2_json_get(row, "question"), ""), squad_id(r));
    check_list(t2_json_get(row, "ids"), ids, n);
    check_list(t2_json_get(row, "parts"), parts, n);
}

static void check_best(const struct squad_recording *r, size_t k, const struct t2_json_value *row)
{
    size_t first, n = tok_window(&r->asked, k, &first), n_best = 0;
    int32_t best[MOST];

    for (size_t i = 0; i < n; i++)
        if (tok_window_is_best(&r->asked, k, first + i))
            best[n_best++] = (int32_t) (tok_window_place(&r->asked) + i);
    check_list(t2_json_get(row, "best"), best, n_best);
}

static void test_rows(void **state)
{
    const struct t2_json_value *rows;
    struct squad_recording r;
    size_t n = 0, most = 0;

    (void) state;
    squad_open(&r, "dev.json");
    rows = t2_json_get(r.root, "dev");
    while (squad_ask(&r)) {
        most = r.asked.n_windows > most ? r.asked.n_windows : most;
        for (size_t k = 0; k < r.asked.n_windows; k++, n++) {
            check_row(&r, k, t2_json_item(rows, n));
            check_best(&r, k, t2_json_item(rows, n));
        }
    }
    assert_int_equal(n, t2_json_size(rows));
    assert_true(most > 3);
    squad_close(&r);
}

static void test_answers(void **state)
{
    const struct t2_json_value *rows;
    struct squad_recording r;
    size_t n = 0, n_left_out = 0;

    (void) state;
    squad_open(&r, "train.json");
    rows = t2_json_get(r.root, "train");
    while (squad_ask(&r)) {
        size_t first = 0, last = 0;
        bool is_there;

        if (tok_asked_answer(&r.asked, &r.w, &is_there, &first, &last, &err) != T2_OK)
            fail_msg("%s", err.message);
        n_left_out += !is_there;
        for (size_t k = 0; is_there && k < r.asked.n_windows; k++, n++) {
            const struct t2_json_value *row = t2_json_item(rows, n);
            int64_t begin, end;

            check_row(&r, k, row);
            tok_window_answer(&r.asked, k, first, last, &begin, &end);
            assert_int_equal(t2_json_as_i64(t2_json_get(row, "begin"), -1), begin);
            assert_int_equal(t2_json_as_i64(t2_json_get(row, "end"), -1), end);
        }
    }
    assert_int_equal(n, t2_json_size(rows));
    assert_true(n_left_out > 0);
    squad_close(&r);
}

static void refused_answer(const char *answers, const char *said)
{
    struct squad_recording r;
    struct tok_questions q;
    size_t first, last;
    bool is_there;
    char *json = t2_asprintf("{\"data\":[{\"paragraphs\":[{\"context\":\" the ship\",\"qas\":"
                             "[{\"id\":\"7\",\"question\":\"old\",\"answers\":%s}]}]}]}",
                             answers);

    squad_open(&r, "train.json");
    if (tok_questions_parse("own", json, strlen(json), &q, &err) != T2_OK)
        fail_msg("%s", err.message);
    assert_int_equal(tok_ask(&r.asked, &q, 0, &r.w, &r.form, &err), T2_OK);
    assert_int_equal(tok_asked_answer(&r.asked, &r.w, &is_there, &first, &last, &err), T2_EFORMAT);
    if (!strstr(err.message, said))
        fail_msg("'%s' does not say '%s'", err.message, said);
    err = (struct t2_err) T2_ERR_INIT;
    tok_questions_release(&q);
    squad_close(&r);
    t2_free(json);
}

static void test_refusals(void **state)
{
    const struct tok_row_form short_rows = {.length = 10, .stride = 3, .most_question = 7},
                              no_stride = {.length = 10, .stride = 0, .most_question = 3};

    (void) state;
    refused_answer("[]", "question '7' has 0 answers");
    refused_answer("[{\"text\":\"the\",\"answer_start\":1},{\"text\":\"s\",\"answer_start\":2}]",
                   "has 2 answers");
    refused_answer("[{\"text\":\"the\",\"answer_start\":-1}]", "is not in the text");
    refused_answer("[{\"text\":\"ship\",\"answer_start\":6}]", "is not in the text");
    refused_answer("[{\"text\":\"\",\"answer_start\":2}]", "is not in the text");
    refused_answer("[{\"text\":\" the\",\"answer_start\":0}]", "is not in the text");
    assert_int_equal(tok_row_form_check(&short_rows, &err), T2_EUSAGE);
    assert_non_null(strstr(err.message, "no place for a text"));
    assert_int_equal(tok_row_form_check(&no_stride, &err), T2_EUSAGE);
}

T_MAIN(cmocka_unit_test(test_rows), cmocka_unit_test(test_answers), cmocka_unit_test(test_refusals))
