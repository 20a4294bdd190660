/*
 * tests/oracle/test_bleu.c - scores that Tensor2Tensor's and sacreBLEU's own programs gave.
 *
 * T2_DATA/reference-runs/bleu: t2t.tsv bit for bit, sacrebleu.jsonl.gz (13a, smoothing exp) with
 * all counts and the printed line, tokens-t2t.json.  Pairs whose files are not there are counted as
 * not looked at; at least one must be.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/json.h"
#include "base/str.h"
#include "base/text.h"
#include "tests/support/bleu_tokens.h"
#include "tests/support/t.h"
#include "train/eval/bleu.h"

enum { PATH_BYTES = 4096 };

static char folder[PATH_BYTES / 2];

static bool find_folder(void)
{
    const char *path = t_data_path("reference-runs/bleu");

    if (path)
        snprintf(folder, sizeof folder, "%s", path);
    return path != NULL;
}

/* Paths of a pair; false when one of the files is not staged. */
static bool pair(const char *set, const char *system, char *hypothesis, char *reference)
{
    snprintf(hypothesis, PATH_BYTES, "%s/files/%s.%s.hyp.gz", folder, set, system);
    snprintf(reference, PATH_BYTES, "%s/files/%s.ref.gz", folder, set);
    return t2_exists(hypothesis) && t2_exists(reference);
}

static void score(enum ev_bleu_kind kind, const char *hypothesis, const char *reference,
                  bool lower_case, struct ev_bleu *bleu)
{
    struct t2_err err = T2_ERR_INIT;

    if (ev_bleu_files(kind, hypothesis, reference, &lower_case, 1, bleu, &err) != T2_OK)
        fail_msg("%s", err.message);
}

static void test_t2t_scores(void **state)
{
    struct t2_err err = T2_ERR_INIT;
    char hypothesis[PATH_BYTES], reference[PATH_BYTES];
    struct t2_in *in;
    struct t2_slice line;
    int n_compared = 0, n_absent = 0;

    (void) state;
    if (!find_folder())
        t_skip("no reference-runs/bleu in T2_DATA");
    snprintf(hypothesis, sizeof hypothesis, "%s/t2t.tsv", folder);
    assert_int_equal(t2_in_new(hypothesis, &in, &err), T2_OK);
    assert_int_equal(t2_in_line(in, &line, &err), T2_OK); /* the heading */
    while (t2_in_line(in, &line, &err) == T2_OK) {
        struct t2_strs cell = {0};
        char *text = t2_strndup((const char *) line.data, line.len_bytes);

        t2_strs_split(&cell, text, '\t');
        assert_int_equal(cell.n, 5);
        if (!pair(cell.items[0], cell.items[1], hypothesis, reference)) {
            n_absent++;
        } else {
            for (int cased = 0; cased < 2; cased++) {
                struct ev_bleu bleu;
                float want = strtof(cell.items[2 + cased], NULL);

                score(EV_BLEU_T2T, hypothesis, reference, !cased, &bleu);
                if ((float) (bleu.score / 100) != want)
                    fail_msg("%s.%s, %s: %.9g, T2T gave %.9g", cell.items[0], cell.items[1],
                             cased ? "cased" : "uncased", bleu.score / 100, (double) want);
                n_compared++;
            }
        }
        t2_strs_release(&cell);
        t2_free(text);
    }
    t2_in_free(in);
    printf("%d scores of Tensor2Tensor are equal; %d pairs are not staged\n", n_compared, n_absent);
    assert_true(n_compared > 0);
}

static void compare_counts(const char *name, const struct t2_json_value *row, const char *key,
                           const uint64_t *got)
{
    const struct t2_json_value *list = t2_json_get(row, key);

    for (size_t i = 0; i < t2_json_size(list); i++)
        if (t2_json_as_i64(t2_json_item(list, i), -1) != (int64_t) got[i])
            fail_msg("%s: %s[%zu] is %llu, sacreBLEU has %lld", name, key, i,
                     (unsigned long long) got[i],
                     (long long) t2_json_as_i64(t2_json_item(list, i), -1));
}

/* One row of the recording that our scorer can repeat; returns the difference of the scores. */
static double compare_sacrebleu(const struct t2_json_value *row, const char *hypothesis,
                                const char *reference)
{
    bool lower = t2_json_as_bool(t2_json_get(t2_json_get(row, "args"), "lowercase"), false);
    double want = t2_json_as_double(t2_json_get(row, "score"), (double) NAN);
    const char *signature = t2_json_as_string(t2_json_get(row, "signature"), "");
    const char *printed = t2_json_as_string(t2_json_get(row, "line"), "");
    struct t2_buf line = {0};
    struct ev_bleu bleu;
    char name[256];

    snprintf(name, sizeof name, "%s.%s lowercase=%d",
             t2_json_as_string(t2_json_get(row, "set"), ""),
             t2_json_as_string(t2_json_get(row, "system"), ""), lower);
    score(EV_BLEU_SACREBLEU, hypothesis, reference, lower, &bleu);
    compare_counts(name, row, "counts", bleu.matches);
    compare_counts(name, row, "totals", bleu.possible);
    assert_int_equal(bleu.hypothesis_length, t2_json_as_i64(t2_json_get(row, "sys_len"), -1));
    assert_int_equal(bleu.reference_length, t2_json_as_i64(t2_json_get(row, "ref_len"), -1));
    if (!(fabs(bleu.score - want) < 1e-9))
        fail_msg("%s: %.12f, sacreBLEU gave %.12f", name, bleu.score, want);
    /* "BLEU|<signature> = ..." where the recording has "BLEU = ..." */
    ev_sacrebleu_line(&bleu, lower, 2, &line);
    t_assert_contains(ev_sacrebleu_signature(lower), signature);
    assert_string_equal(strstr(t2_buf_cstr(&line), " = "), strstr(printed, " = "));
    t2_buf_release(&line);
    return fabs(bleu.score - want);
}

static bool is_default_bleu(const struct t2_json_value *row)
{
    const struct t2_json_value *args = t2_json_get(row, "args");

    return strcmp(t2_json_as_string(t2_json_get(row, "metric"), ""), "bleu") == 0 && args &&
           strcmp(t2_json_as_string(t2_json_get(args, "tokenize"), "13a"), "13a") == 0 &&
           !t2_json_get(args, "smooth_method") && !t2_json_get(args, "max_ngram_order");
}

static void test_sacrebleu_scores(void **state)
{
    struct t2_err err = T2_ERR_INIT;
    char hypothesis[PATH_BYTES], reference[PATH_BYTES];
    struct t2_in *in;
    struct t2_slice line;
    double largest = 0;
    int n_compared = 0;

    (void) state;
    if (!find_folder())
        t_skip("no reference-runs/bleu in T2_DATA");
    snprintf(hypothesis, sizeof hypothesis, "%s/sacrebleu.jsonl.gz", folder);
    assert_int_equal(t2_in_new(hypothesis, &in, &err), T2_OK);
    while (t2_in_line(in, &line, &err) == T2_OK) {
        struct t2_json_doc *doc;
        const struct t2_json_value *row;

        assert_int_equal(t2_json_parse((const char *) line.data, line.len_bytes, "sacrebleu.jsonl",
                                       &doc, &err),
                         T2_OK);
        row = t2_json_root(doc);
        if (is_default_bleu(row) && !t2_json_get(row, "error") &&
            pair(t2_json_as_string(t2_json_get(row, "set"), ""),
                 t2_json_as_string(t2_json_get(row, "system"), ""), hypothesis, reference)) {
            largest = fmax(largest, compare_sacrebleu(row, hypothesis, reference));
            n_compared++;
        }
        t2_json_free(doc);
    }
    t2_in_free(in);
    printf("%d scores of sacreBLEU, largest difference %.1e\n", n_compared, largest);
    assert_true(n_compared > 0);
}

static void test_t2t_tokens(void **state)
{
    struct t2_err err = T2_ERR_INIT;
    struct t2_json_doc *doc;
    const struct t2_json_value *rows;
    char path[PATH_BYTES];

    (void) state;
    if (!find_folder())
        t_skip("no reference-runs/bleu in T2_DATA");
    snprintf(path, sizeof path, "%s/tokens-t2t.json", folder);
    assert_int_equal(t2_json_load(path, &doc, &err), T2_OK);
    rows = t2_json_root(doc);
    assert_true(t2_json_size(rows) > 0);
    for (size_t i = 0; i < t2_json_size(rows); i++) {
        const struct t2_json_value *row = t2_json_item(rows, i), *want = t2_json_item(row, 2);
        const char *line = t2_json_as_string(t2_json_item(row, 0), "");
        struct t2_buf got = {0}, expected = {0};

        for (size_t k = 0; k < t2_json_size(want); k++) {
            if (k)
                t2_buf_push(&expected, ' ');
            t2_buf_puts(&expected, t2_json_as_string(t2_json_item(want, k), ""));
        }
        t_bleu_tokens(EV_BLEU_T2T, false, t2_slice_of(line), &got);
        if (strcmp(t2_buf_cstr(&got), t2_buf_cstr(&expected)) != 0)
            fail_msg("line %zu '%s': '%s', T2T gave '%s'", i, line, t2_buf_cstr(&got),
                     t2_buf_cstr(&expected));
        t2_buf_release(&got);
        t2_buf_release(&expected);
    }
    t2_json_free(doc);
}

T_MAIN(cmocka_unit_test(test_t2t_scores), cmocka_unit_test(test_sacrebleu_scores),
       cmocka_unit_test(test_t2t_tokens))
