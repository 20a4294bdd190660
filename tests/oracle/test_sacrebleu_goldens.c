/*
 * tests/oracle/test_sacrebleu_goldens.c - scores, signatures and lines that sacreBLEU gave:
 * T2_DATA/reference-runs/bleu/sacrebleu.jsonl.gz, a row for a set, a system, a metric and its
 * options.
 *
 * Rows whose files are not there are counted as not looked at; at least one must be.  Not looked at
 * either: other orders than 4, which have no flag, and white space that counts, which the
 * recording, made without sacreBLEU's command line, has at the ends of lines, too.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/json.h"
#include "base/text.h"
#include "tests/support/t.h"
#include "train/eval/chrf.h"
#include "train/eval/sacrebleu.h"
#include "train/eval/score_report.h"
#include "train/eval/ter.h"

enum { PATH_BYTES = 4096, MAX_REFERENCES = 4 };

static char folder[PATH_BYTES / 2];

static bool flag(const struct t2_json_value *args, const char *key)
{
    return t2_json_as_bool(t2_json_get(args, key), false);
}

static struct ev_metric *new_bleu(const struct t2_json_value *args)
{
    const char *method = t2_json_as_string(t2_json_get(args, "smooth_method"), "exp");
    struct ev_sacrebleu_options o = {.lower_case = flag(args, "lowercase"),
                                     .smooth_value = (double) NAN};
    struct t2_err err = T2_ERR_INIT;
    struct ev_tokenizer *t;

    for (int i = 0; i < 4; i++)
        if (strcmp(method, ev_smoothing_names[i]) == 0)
            o.smoothing = (enum ev_smoothing) i;
    assert_int_equal(ev_tokenizer_new(t2_json_as_string(t2_json_get(args, "tokenize"), "13a"), NULL,
                                      NULL, &t, &err),
                     T2_OK);
    return ev_sacrebleu_new(&o, t);
}

/* NULL: an option that is not here. */
static struct ev_metric *new_metric(const struct t2_json_value *row)
{
    const struct t2_json_value *args = t2_json_get(row, "args");
    const char *name = t2_json_as_string(t2_json_get(row, "metric"), "");

    if (strcmp(name, "bleu") == 0)
        return t2_json_get(args, "max_ngram_order") ? NULL : new_bleu(args);
    if (strcmp(name, "chrf") == 0 && !flag(args, "whitespace")) {
        struct ev_chrf_options o = {.char_order = 6,
                                    .word_order =
                                        (int) t2_json_as_i64(t2_json_get(args, "word_order"), 0),
                                    .beta = 2,
                                    .lower_case = flag(args, "lowercase"),
                                    .eps_smoothing = flag(args, "eps_smoothing")};

        return ev_chrf_new(&o);
    }
    if (strcmp(name, "ter") == 0) {
        struct ev_ter_options o = {.normalized = flag(args, "normalized"),
                                   .no_punct = flag(args, "no_punct"),
                                   .asian_support = flag(args, "asian_support"),
                                   .case_sensitive = flag(args, "case_sensitive")};

        return ev_ter_new(&o);
    }
    return NULL;
}

/* false: the file is not staged. */
static bool read_lines(const char *set, const char *what, struct ev_lines *l)
{
    struct t2_err err = T2_ERR_INIT;
    char path[PATH_BYTES];

    snprintf(path, sizeof path, "%s/files/%s.%s.gz", folder, set, what);
    if (!t2_exists(path))
        return false;
    if (ev_lines_read(path, 1, l, &err) != T2_OK)
        fail_msg("%s", err.message);
    return true;
}

/* Hypothesis and references of a row; returns the number of references, 0 when one is absent. */
static int read_row(const struct t2_json_value *row, struct ev_lines *hypothesis,
                    struct ev_lines *references)
{
    const char *set = t2_json_as_string(t2_json_get(row, "set"), "");
    const struct t2_json_value *names = t2_json_get(row, "references");
    int n = names ? (int) t2_json_size(names) : 1;
    char what[256];

    assert_true(n <= MAX_REFERENCES);
    snprintf(what, sizeof what, "%s.hyp", t2_json_as_string(t2_json_get(row, "system"), ""));
    if (!read_lines(set, what, hypothesis))
        return 0;
    for (int i = 0; i < n; i++)
        if (!read_lines(set, names ? t2_json_as_string(t2_json_item(names, (size_t) i), "") : "ref",
                        &references[i]))
            return 0;
    return n;
}

static void compare(const struct t2_json_value *row, const struct ev_metric *m,
                    const struct ev_lines *system, const struct ev_corpus *corpus,
                    struct t2_pool *pool)
{
    const struct ev_test_plan plan = {.test = EV_TEST_NONE};
    const struct ev_report_style style = {.width = 2};
    const char *signature = t2_json_as_string(t2_json_get(row, "signature"), "");
    double want = t2_json_as_double(t2_json_get(row, "score"), (double) NAN);
    double *stats = t2_alloc(system->n * (size_t) m->n_stats, sizeof *stats), sums[128];
    struct t2_err err = T2_ERR_INIT;
    struct t2_buf text = {NULL, 0, 0};
    struct ev_cell cell = {.sums = sums};

    if (ev_corpus_stats(m, corpus, system, pool, stats, &err) != T2_OK)
        fail_msg("%s", err.message);
    ev_corpus_sum(m, stats, system->n, sums);
    cell.score = m->kind->score(m, sums, EV_SUMS_PYTHON).v;
    if (!(fabs(cell.score - want) < 1e-12))
        fail_msg("%s, %s: %.17g, sacreBLEU gave %.17g", system->name, signature, cell.score, want);
    ev_signature(m, corpus->n_references, &plan, false, &text);
    assert_string_equal(t2_buf_cstr(&text), signature);
    t2_buf_clear(&text);
    ev_report_line(m, &cell, corpus->n_references, &plan, &style, &text);
    /* "BLEU|<signature> = ..." where the recording has "BLEU = ..." */
    assert_string_equal(strstr(t2_buf_cstr(&text), " = "),
                        strstr(t2_json_as_string(t2_json_get(row, "line"), " = "), " = "));
    t2_buf_release(&text);
    t2_free(stats);
}

static void test_recorded(void **state)
{
    const char *data = t_data_path("reference-runs/bleu");
    struct t2_pool *pool = t2_pool_new(0);
    struct t2_err err = T2_ERR_INIT;
    char path[PATH_BYTES];
    struct t2_in *in;
    struct t2_slice line;
    int n_compared = 0, n_absent = 0;

    (void) state;
    if (!data)
        t_skip("no reference-runs/bleu in T2_DATA");
    snprintf(folder, sizeof folder, "%s", data);
    snprintf(path, sizeof path, "%s/sacrebleu.jsonl.gz", folder);
    assert_int_equal(t2_in_new(path, &in, &err), T2_OK);
    while (t2_in_line(in, &line, &err) == T2_OK) {
        struct ev_lines hypothesis = {.n = 0}, references[MAX_REFERENCES] = {{.n = 0}};
        struct ev_corpus corpus = {references, 0};
        const struct t2_json_value *row;
        struct t2_json_doc *doc;
        struct ev_metric *m;

        assert_int_equal(t2_json_parse((const char *) line.data, line.len_bytes, "sacrebleu.jsonl",
                                       &doc, &err),
                         T2_OK);
        row = t2_json_root(doc);
        m = t2_json_get(row, "error") ? NULL : new_metric(row);
        if (m && (corpus.n_references = read_row(row, &hypothesis, references)) > 0) {
            compare(row, m, &hypothesis, &corpus, pool);
            n_compared++;
        } else {
            n_absent++;
        }
        ev_lines_release(&hypothesis);
        for (int i = 0; i < MAX_REFERENCES; i++)
            ev_lines_release(&references[i]);
        ev_metric_free(m);
        t2_json_free(doc);
    }
    t2_in_free(in);
    t2_pool_free(pool);
    printf("%d scores of sacreBLEU are equal; %d rows were not looked at\n", n_compared, n_absent);
    assert_true(n_compared > 0);
}

T_MAIN(cmocka_unit_test(test_recorded))
