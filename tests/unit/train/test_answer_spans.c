/*
 * Tests of train/eval/answer_spans.c and answer_scores.c: answers, their probabilities and scores
 * as Model Garden's squad_lib and SQuAD's program have them (fixtures/recordings/garden_squad).
 */
#include <math.h>
#include <stdio.h>

#include "tests/support/squad_recording.h"
#include "train/eval/answer_scores.h"
#include "train/eval/answer_spans.h"

enum { MOST = 64 };

static struct t2_err err;

static void read_logits(const struct t2_json_value *both, size_t length, float logits[2][MOST])
{
    for (size_t i = 0; i < 2; i++)
        for (size_t k = 0; k < length; k++)
            logits[i][k] =
                (float) t2_json_as_double(t2_json_item(t2_json_item(both, i), k), (double) NAN);
}

static void compare(const struct squad_recording *r, const struct ev_spans *s,
                    const struct t2_json_value *nbest)
{
    const struct t2_json_value *all = t2_json_get(nbest, squad_id(r));

    assert_int_equal(t2_json_size(all), s->n);
    for (size_t i = 0; i < s->n; i++) {
        const struct t2_json_value *one = t2_json_item(all, i);

        assert_string_equal(t2_json_as_string(t2_json_get(one, "text"), "?"), s->items[i].text);
        assert_true(fabs(t2_json_as_double(t2_json_get(one, "probability"), -1.0) -
                         s->items[i].probability) < 1e-15);
        assert_true(t2_json_as_double(t2_json_get(one, "start_logit"), -1.0) == s->items[i].begin);
        assert_true(t2_json_as_double(t2_json_get(one, "end_logit"), -1.0) == s->items[i].end);
    }
}

static struct ev_answer_rules rules_of(const struct squad_recording *r)
{
    return (struct ev_answer_rules){.n_best = squad_number(r, "n_best"),
                                    .most_pieces = squad_number(r, "most_pieces")};
}

static void test_recorded(void **state)
{
    const struct t2_json_value *rows, *scores;
    struct t2_json_doc *nbest = NULL;
    struct ev_answer_sums sums = {0};
    struct ev_answer_rules rules;
    struct ev_spans s = {0};
    struct squad_recording r;
    float logits[2][MOST];
    size_t n = 0;

    (void) state;
    squad_open(&r, "dev.json");
    assert_int_equal(t2_json_load(SQUAD_FOLDER "nbest_predictions.json", &nbest, &err), T2_OK);
    rules = rules_of(&r);
    rows = t2_json_get(r.root, "dev");
    while (squad_ask(&r)) {
        ev_spans_begin(&s);
        for (size_t k = 0; k < r.asked.n_windows; k++, n++) {
            read_logits(t2_json_get(t2_json_item(rows, n), "logits"), (size_t) r.form.length,
                        logits);
            ev_spans_add(&s, &rules, &r.asked, k, logits[0], logits[1], (size_t) r.form.length);
        }
        assert_int_equal(ev_spans_end(&s, &rules, &r.asked, &r.w, &err), T2_OK);
        compare(&r, &s, t2_json_root(nbest));
        assert_true(s.answer == s.items[0].text);
        ev_answer_add(&sums, &r.questions.items[r.asked.number], s.answer);
    }
    scores = t2_json_get(r.root, "scores");
    assert_true(sums.n > 10 && sums.n_unknown == 1);
    assert_true(fabs(t2_json_as_double(t2_json_get(scores, "exact_match"), -1.0) -
                     sums.exact / (double) sums.n) < 1e-12);
    assert_true(fabs(t2_json_as_double(t2_json_get(scores, "final_f1"), -1.0) -
                     sums.f1 / (double) sums.n) < 1e-12);
    ev_spans_release(&s);
    t2_json_free(nbest);
    squad_close(&r);
}

static double score(const struct t2_json_value *scores, const char *key)
{
    return t2_json_as_double(t2_json_get(scores, key), (double) NAN);
}

static void check_sums(const struct t2_json_value *scores, const char *part,
                       const struct ev_answer_sums *sums)
{
    const double per_cent = 100.0 / (double) sums->n;
    char key[32];

    snprintf(key, sizeof key, "%sexact", part);
    assert_true(fabs(score(scores, key) - sums->exact * per_cent) < 1e-12);
    snprintf(key, sizeof key, "%sf1", part);
    assert_true(fabs(score(scores, key) - sums->f1 * per_cent) < 1e-12);
    snprintf(key, sizeof key, "%stotal", part);
    assert_true(score(scores, key) == (double) sums->n);
}

static void check_scores(const struct t2_json_value *scores, struct ev_negative_scores *sums)
{
    const double per_cent = 100.0 / (double) sums->all.n;
    struct ev_best_threshold exact = ev_negative_best(sums, EV_ANSWER_EXACT),
                             f1 = ev_negative_best(sums, EV_ANSWER_F1);

    check_sums(scores, "", &sums->all);
    check_sums(scores, "HasAns_", &sums->answered);
    check_sums(scores, "NoAns_", &sums->unanswered);
    assert_true(fabs(score(scores, "final_exact") - exact.sum * per_cent) < 1e-12);
    assert_true(score(scores, "final_exact_thresh") == exact.threshold);
    assert_true(fabs(score(scores, "final_f1") - f1.sum * per_cent) < 1e-12);
    assert_true(score(scores, "final_f1_thresh") == f1.threshold);
}

/* Questions of which some have no answer, by threshold i; returns how many seem to have none. */
static size_t check_negative(size_t i)
{
    const struct t2_json_value *logits, *predictions;
    struct ev_negative_scores sums = {0};
    struct ev_answer_rules rules;
    struct ev_spans s = {0};
    struct squad_recording r;
    float row[2][MOST];
    size_t n = 0, n_none = 0;

    squad_open(&r, "negative_dev.json");
    rules = rules_of(&r);
    rules.with_negative = true;
    rules.null_threshold =
        t2_json_as_double(t2_json_item(t2_json_get(r.root, "thresholds"), i), (double) NAN);
    predictions = t2_json_item(t2_json_get(r.root, "predictions"), i);
    logits = t2_json_get(r.root, "logits");
    while (squad_ask(&r)) {
        ev_spans_begin(&s);
        for (size_t k = 0; k < r.asked.n_windows; k++, n++) {
            read_logits(t2_json_item(logits, n), (size_t) r.form.length, row);
            ev_spans_add(&s, &rules, &r.asked, k, row[0], row[1], (size_t) r.form.length);
        }
        assert_int_equal(ev_spans_end(&s, &rules, &r.asked, &r.w, &err), T2_OK);
        compare(&r, &s, t2_json_get(r.root, "nbest"));
        assert_true(score(t2_json_get(r.root, "odds"), squad_id(&r)) == s.null_odds);
        assert_string_equal(t2_json_as_string(t2_json_get(predictions, squad_id(&r)), "?"),
                            s.answer);
        n_none += s.answer[0] == '\0';
        ev_negative_add(&sums, &r.questions.items[r.asked.number], s.answer, s.null_odds);
    }
    assert_int_equal(n, t2_json_size(logits));
    assert_int_equal(sums.all.n_unknown, 0);
    check_scores(t2_json_item(t2_json_get(r.root, "scores"), i), &sums);
    ev_negative_release(&sums);
    ev_spans_release(&s);
    squad_close(&r);
    return n_none;
}

static void test_negative(void **state)
{
    size_t n[3];

    (void) state;
    for (size_t i = 0; i < 3; i++)
        n[i] = check_negative(i);
    assert_true(n[1] < n[0] && n[0] < n[2]); /* the thresholds are 0, more, less */
}

/* A text without words, of which the original cannot be asked, has no answer. */
static void test_no_window(void **state)
{
    const struct ev_answer_rules rules = {.n_best = 3, .most_pieces = 3, .with_negative = true};
    static const char json[] = "{\"data\":[{\"paragraphs\":[{\"context\":\" \",\"qas\":"
                               "[{\"id\":\"7\",\"question\":\"old\"}]}]}]}";
    struct ev_negative_scores sums = {0};
    struct ev_spans s = {0};
    struct squad_recording r;
    struct tok_questions q;

    (void) state;
    squad_open(&r, "negative_dev.json");
    assert_int_equal(tok_questions_parse("own", json, strlen(json), &q, &err), T2_OK);
    assert_int_equal(tok_ask(&r.asked, &q, 0, &r.w, &r.form, &err), T2_OK);
    assert_int_equal(ev_spans_end(&s, &rules, &r.asked, &r.w, &err), T2_OK);
    assert_int_equal(s.n, 1);
    assert_string_equal(s.answer, "");
    assert_true(s.items[0].probability == 1.0 && s.null_odds == 1e6);
    ev_negative_add(&sums, &q.items[0], s.answer, s.null_odds); /* nobody said anything of it */
    assert_true(sums.all.n == 0 && sums.all.n_unknown == 1);
    ev_negative_release(&sums);
    ev_spans_release(&s);
    tok_questions_release(&q);
    squad_close(&r);
}

static void test_final_text(void **state)
{
    /* pieces, the paragraph's words, what is shown: the original's own comments, and what cannot be
     * found */
    static const char *const rows[][3] = {{"steve smith", "Steve Smith's", "Steve Smith"},
                                          {"cafe", "(Caf\xC3\xA9)", "Caf\xC3\xA9"},
                                          {"smythe", "Steve Smith's", "Steve Smith's"},
                                          {"", "Steve", "Steve"},
                                          {"a", "A\xC2\xAD", "A\xC2\xAD"}};
    struct squad_recording r;

    (void) state;
    squad_open(&r, "dev.json");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct t2_buf text = {0};

        assert_int_equal(ev_final_text(&r.w, rows[i][0], rows[i][1], &text, &err), T2_OK);
        assert_string_equal(t2_buf_cstr(&text), rows[i][2]);
        t2_buf_release(&text);
    }
    squad_close(&r);
}

T_MAIN(cmocka_unit_test(test_recorded), cmocka_unit_test(test_negative),
       cmocka_unit_test(test_no_window), cmocka_unit_test(test_final_text))
