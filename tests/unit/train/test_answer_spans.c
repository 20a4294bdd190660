/*
 * Tests of train/eval/answer_spans.c and answer_scores.c: answers, their probabilities and scores
 * as Model Garden's squad_lib and SQuAD's program have them (fixtures/recordings/garden_squad).
 */
#include <math.h>

#include "tests/support/squad_recording.h"
#include "train/eval/answer_scores.h"
#include "train/eval/answer_spans.h"

enum { MOST = 64 };

static struct t2_err err;

static void read_logits(const struct t2_json_value *row, size_t length, float logits[2][MOST])
{
    for (size_t i = 0; i < 2; i++)
        for (size_t k = 0; k < length; k++)
            logits[i][k] = (float) t2_json_as_double(
                t2_json_item(t2_json_item(t2_json_get(row, "logits"), i), k), (double) NAN);
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
    rules = (struct ev_answer_rules){squad_number(&r, "n_best"), squad_number(&r, "most_pieces")};
    rows = t2_json_get(r.root, "dev");
    while (squad_ask(&r)) {
        ev_spans_begin(&s);
        for (size_t k = 0; k < r.asked.n_windows; k++, n++) {
            read_logits(t2_json_item(rows, n), (size_t) r.form.length, logits);
            ev_spans_add(&s, &rules, &r.asked, k, logits[0], logits[1], (size_t) r.form.length);
        }
        assert_int_equal(ev_spans_end(&s, &rules, &r.asked, &r.w, &err), T2_OK);
        compare(&r, &s, t2_json_root(nbest));
        ev_answer_add(&sums, &r.questions.items[r.asked.number], s.items[0].text);
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

T_MAIN(cmocka_unit_test(test_recorded), cmocka_unit_test(test_final_text))
