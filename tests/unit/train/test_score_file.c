/*
 * tests/unit/train/test_score_file.c - the losses of given translations are those of their logits.
 */
#include "train/decode/score_file.h"

#include <math.h>
#include <stdlib.h>

#include "tests/unit/train/small_translator.h"

static enum t2_status score(struct small_translator *s, bool has_inputs, const char *input,
                            struct dec_score_report *report, struct t2_err *err)
{
    const struct dec_scored scored = {s->m, has_inputs ? s->bytes : NULL, s->bytes, NULL};
    char from[512], to[512];

    snprintf(from, sizeof from, "%s", t_tmp_path("in"));
    snprintf(to, sizeof to, "%s", t_tmp_path("out"));
    t_write_file(from, input, strlen(input));
    return dec_score_file(&scored, from, to, 0, report, err);
}

/* Mean of -log p of "ab" and EOS behind "xy" and EOS, by the logits. */
static double by_hand(struct small_translator *s, bool has_inputs)
{
    static float logits[3 * 258];
    int32_t inputs[] = {'x' + 2, 'y' + 2, 1}, targets[] = {'a' + 2, 'b' + 2, 1};
    struct mdl_batch b = {.batch = 1,
                          .inputs_length = has_inputs ? 3 : 0,
                          .targets_length = 3,
                          .inputs = inputs,
                          .targets = targets};
    struct t2_err err = T2_ERR_INIT;
    double loss = 0;

    assert_int_equal(mdl_logits(s->m, &b, logits, &err), T2_OK);
    for (int i = 0; i < 3; i++) {
        double sum = 0;

        for (int v = 0; v < 258; v++)
            sum += exp((double) logits[i * 258 + v]);
        loss += log(sum) - (double) logits[i * 258 + targets[i]];
    }
    return loss / 3;
}

static void test_losses(void **state)
{
    (void) state;
    for (int has_inputs = 0; has_inputs < 2; has_inputs++) {
        struct small_translator s;
        struct dec_score_report report;
        struct t2_err err = T2_ERR_INIT;
        double first, last;
        char *text, *end;
        size_t n;

        small_open_as(&s, "", 0, 1, ",label_smoothing=0.1", has_inputs);
        assert_int_equal(score(&s, has_inputs,
                               has_inputs ? " xy \t ab\nlonger\t\nxy\tab" : "ab \n\n ab", &report,
                               &err),
                         T2_OK);
        assert_int_equal(report.n_lines, 3);
        assert_int_equal(report.n_target_ids, 7); /* an empty text is EOS alone */
        text = t_read_file(t_tmp_path("out"), &n);
        first = strtod(text, &end);
        assert_int_equal(*end, '\n');
        assert_true(fabs(first - by_hand(&s, has_inputs)) < 2e-6);
        (void) strtod(end, &end);
        last = strtod(end, &end);
        assert_true(first == last);
        assert_string_equal(end, "\n");
        free(text);
        small_close(&s);
    }
}

static void test_errors(void **state)
{
    static const struct {
        bool has_inputs;
        const char *input, *says;
    } rows[] = {{true, "a\tb\na\n", "line 2 has 0 tabs; it must be source, TAB, translation"},
                {true, "a\tb\tc\n", "line 1 has 2 tabs"},
                {false, "a\tb\n", "line 1 has 1 tabs; it must be a text alone"},
                {true, "", "is empty: nothing to score"},
                {true, "a\tb\xff\n", "line 1, byte 4: not UTF-8 (0xff)"}};
    struct dec_score_report report;

    (void) state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct small_translator s;
        struct t2_err err = T2_ERR_INIT;

        small_open_as(&s, "", 0, 1, "", rows[i].has_inputs);
        assert_int_equal(score(&s, rows[i].has_inputs, rows[i].input, &report, &err), T2_EFORMAT);
        t_assert_contains(err.message, rows[i].says);
        small_close(&s);
    }
}

T_MAIN(cmocka_unit_test(test_losses), cmocka_unit_test(test_errors))
