/*
 * tests/oracle/test_bleu.c - scores that Tensor2Tensor's and the official Transformer's programs
 * gave.
 *
 * T2_DATA/reference-runs/bleu: t2t.tsv and official.tsv bit for bit, tokens-t2t.json.  Pairs whose
 * files are not there are counted as not looked at; at least one must be.
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
#include "train/eval/official_bleu.h"

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

static void score(const char *hypothesis, const char *reference, bool lower_case,
                  struct ev_bleu *bleu)
{
    struct t2_err err = T2_ERR_INIT;

    if (ev_bleu_files(hypothesis, reference, &lower_case, 1, bleu, &err) != T2_OK)
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

                score(hypothesis, reference, !cased, &bleu);
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

/* A score by compute_bleu's way of reading; NaN where lines have no partners. */
static double official(const char *hypothesis, const char *reference, bool lower_case)
{
    const char *const names[] = {hypothesis, reference};
    struct t2_buf texts[2] = {{0}, {0}};
    struct t2_err err = T2_ERR_INIT;
    double s = NAN;

    for (int i = 0; i < 2; i++) {
        struct t2_in *in;
        struct t2_slice line;
        const uint8_t end = '\n';

        assert_int_equal(t2_in_new(names[i], &in, &err), T2_OK);
        while (t2_in_line(in, &line, &err) == T2_OK) {
            t2_buf_append(&texts[i], line.data, line.len_bytes);
            t2_buf_append(&texts[i], &end, 1);
        }
        t2_in_free(in);
    }
    if (ev_official_bleu(t2_buf_slice(&texts[0]), t2_buf_slice(&texts[1]), names, lower_case, &s,
                         &err) != T2_OK)
        s = NAN;
    t2_buf_release(&texts[0]);
    t2_buf_release(&texts[1]);
    return s;
}

static void test_official_scores(void **state)
{
    struct t2_err err = T2_ERR_INIT;
    char hypothesis[PATH_BYTES], reference[PATH_BYTES];
    struct t2_in *in;
    struct t2_slice line;
    int n_compared = 0;

    (void) state;
    if (!find_folder())
        t_skip("no reference-runs/bleu in T2_DATA");
    snprintf(hypothesis, sizeof hypothesis, "%s/official.tsv", folder);
    assert_int_equal(t2_in_new(hypothesis, &in, &err), T2_OK);
    assert_int_equal(t2_in_line(in, &line, &err), T2_OK); /* the heading */
    while (t2_in_line(in, &line, &err) == T2_OK) {
        struct t2_strs cell = {0};
        char *text = t2_strndup((const char *) line.data, line.len_bytes);

        t2_strs_split(&cell, text, '\t');
        if (cell.n >= 4 && pair(cell.items[0], cell.items[1], hypothesis, reference))
            for (int cased = 0; cased < 2; cased++) {
                double want, got;

                if (!t2_parse_double(cell.items[2 + cased], &want))
                    continue; /* it raised an error */
                got = official(hypothesis, reference, !cased);
                if (got != want)
                    fail_msg("%s.%s, %s: %.17g, compute_bleu gave %.17g", cell.items[0],
                             cell.items[1], cased ? "cased" : "uncased", got, want);
                n_compared++;
            }
        t2_strs_release(&cell);
        t2_free(text);
    }
    t2_in_free(in);
    printf("%d scores of compute_bleu are equal\n", n_compared);
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
        t_bleu_tokens(false, t2_slice_of(line), &got);
        if (strcmp(t2_buf_cstr(&got), t2_buf_cstr(&expected)) != 0)
            fail_msg("line %zu '%s': '%s', T2T gave '%s'", i, line, t2_buf_cstr(&got),
                     t2_buf_cstr(&expected));
        t2_buf_release(&got);
        t2_buf_release(&expected);
    }
    t2_json_free(doc);
}

T_MAIN(cmocka_unit_test(test_t2t_scores), cmocka_unit_test(test_official_scores),
       cmocka_unit_test(test_t2t_tokens))
