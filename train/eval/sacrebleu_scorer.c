/*
 * train/eval/sacrebleu_scorer.c - see the header.
 */
#include "train/eval/sacrebleu_scorer.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/json_writer.h"
#include "base/log.h"
#include "train/eval/chrf.h"
#include "train/eval/sacrebleu.h"
#include "train/eval/score_report.h"
#include "train/eval/score_table.h"
#include "train/eval/ter.h"

enum { BLEU, CHRF, TER, N_METRICS, MAX_SAMPLES = 10 * 1000 * 1000, MAX_NUM_REFS = 1000 };
enum { TOKENIZED_LINES = 100 }; /* ends of lines that look cut already, until it is said */

struct run {
    const struct ev_score_flags *flags;
    struct ev_report_style style;
    struct ev_test_plan plan;
    struct ev_metric *metrics[N_METRICS];
    size_t n_metrics;
    struct ev_lines *systems, *references;
    size_t n_systems, n_references;
    struct t2_pool *pool;
};

/* ---- flags ---- */

static enum t2_status check_orders(const struct ev_score_flags *f, struct t2_err *err)
{
    if (f->chrf_char_order < 0 || f->chrf_char_order > EV_CHRF_MAX_ORDER ||
        f->chrf_word_order < 0 || f->chrf_word_order > EV_CHRF_MAX_ORDER ||
        f->chrf_char_order + f->chrf_word_order == 0)
        return t2_fail(err, T2_EUSAGE,
                       "--chrf_char_order and --chrf_word_order must be 0 to %d, not both 0",
                       EV_CHRF_MAX_ORDER);
    if (f->chrf_beta < 0 || f->chrf_beta > 1000)
        return t2_fail(err, T2_EUSAGE, "--chrf_beta must be 0 to 1000");
    if (f->num_refs < 1 || f->num_refs > MAX_NUM_REFS)
        return t2_fail(err, T2_EUSAGE, "--num_refs must be 1 to %d", MAX_NUM_REFS);
    return T2_OK;
}

static enum t2_status read_form(struct run *r, struct t2_err *err)
{
    const struct ev_score_flags *f = r->flags;
    bool several = f->translations.n > 1;

    r->style.width = f->width < 0 ? 2 : (int) f->width;
    r->style.score_only = f->score_only;
    r->style.short_signature = f->short_signature;
    if (strcmp(f->format, "text") == 0)
        r->style.form = EV_REPORT_TEXT;
    else if (strcmp(f->format, "json") == 0)
        r->style.form = EV_REPORT_JSON;
    else if (strcmp(f->format, "latex") == 0)
        r->style.form = EV_REPORT_LATEX;
    else
        return t2_fail(err, T2_EUSAGE, "--format='%s': text, json or latex", f->format);
    if (r->style.form == EV_REPORT_LATEX && !several)
        return t2_fail(err, T2_EUSAGE, "--format=latex is a table of several --translation");
    if (f->json && (several || r->n_metrics > 1 || f->sentence_level))
        return t2_fail(err, T2_EUSAGE, "--json is for one score; here use --format=json");
    return T2_OK;
}

static enum t2_status read_test(struct run *r, struct t2_err *err)
{
    const struct ev_score_flags *f = r->flags;
    bool several = f->translations.n > 1;
    int64_t n = f->confidence ? f->confidence_n : f->paired_bs ? f->paired_bs_n : f->paired_ar_n;

    if (f->confidence + f->paired_bs + f->paired_ar > 1)
        return t2_fail(err, T2_EUSAGE, "one of --confidence, --paired_bs and --paired_ar");
    if (f->sentence_level &&
        (several || r->n_metrics > 1 || f->confidence + f->paired_bs + f->paired_ar))
        return t2_fail(err, T2_EUSAGE,
                       "--sentence_level is for one --translation and one metric, without tests");
    if (f->confidence && several)
        return t2_fail(err, T2_EUSAGE,
                       "--confidence is for one --translation; here use --paired_bs");
    if ((f->paired_bs || f->paired_ar) && !several)
        return t2_fail(err, T2_EUSAGE, "paired tests compare several --translation");
    if (n < 1 || n > MAX_SAMPLES)
        return t2_fail(err, T2_EUSAGE, "resamples and trials must be 1 to %d", MAX_SAMPLES);
    r->plan.n_samples = (size_t) n;
    r->plan.test = f->confidence  ? EV_TEST_CONFIDENCE
                   : f->paired_bs ? EV_TEST_PAIRED_BOOTSTRAP
                   : f->paired_ar ? EV_TEST_PAIRED_AR
                                  : EV_TEST_NONE;
    /* One resample is none. */
    if (r->plan.test == EV_TEST_CONFIDENCE && n == 1)
        r->plan.test = EV_TEST_NONE;
    return ev_test_plan_seed(&r->plan, err);
}

static enum t2_status new_bleu(const struct ev_score_flags *f, struct ev_metric **m,
                               struct t2_err *err)
{
    struct ev_sacrebleu_options o = {.lower_case = f->lowercase || f->lc,
                                     .effective_order = f->effective_order || f->sentence_level,
                                     .smooth_value = (double) NAN};
    struct ev_tokenizer *tokenizer;
    int i = 0;

    while (i < 4 && strcmp(f->smooth_method, ev_smoothing_names[i]) != 0)
        i++;
    if (i == 4)
        return t2_fail(err, T2_EUSAGE, "--smooth_method='%s': none, floor, add-k or exp",
                       f->smooth_method);
    o.smoothing = (enum ev_smoothing) i;
    if (f->smooth_value[0] && !t2_parse_double(f->smooth_value, &o.smooth_value))
        return t2_fail(err, T2_EUSAGE, "--smooth_value='%s' is no number", f->smooth_value);
    T2_TRY(ev_tokenizer_new(f->tokenize, f->spm_model, f->mecab_dictionary, &tokenizer, err));
    *m = ev_sacrebleu_new(&o, tokenizer);
    return T2_OK;
}

static struct ev_metric *new_chrf(const struct ev_score_flags *f)
{
    struct ev_chrf_options o = {.char_order = (int) f->chrf_char_order,
                                .word_order = (int) f->chrf_word_order,
                                .beta = (int) f->chrf_beta,
                                .lower_case = f->chrf_lowercase,
                                .whitespace = f->chrf_whitespace,
                                .eps_smoothing = f->chrf_eps_smoothing};

    return ev_chrf_new(&o);
}

static struct ev_metric *new_ter(const struct ev_score_flags *f)
{
    struct ev_ter_options o = {.normalized = f->ter_normalized,
                               .no_punct = f->ter_no_punct,
                               .asian_support = f->ter_asian_support,
                               .case_sensitive = f->ter_case_sensitive};

    return ev_ter_new(&o);
}

/* In the order of their names, whatever the order of the flag. */
static enum t2_status make_metrics(struct run *r, struct t2_err *err)
{
    static const char *const names[N_METRICS] = {"bleu", "chrf", "ter"};
    struct t2_strs asked = {NULL, 0, 0};
    enum t2_status st = T2_OK;
    bool wanted[N_METRICS] = {false};

    t2_strs_split(&asked, r->flags->metrics, ',');
    for (size_t i = 0; i < asked.n && st == T2_OK; i++) {
        int k = 0;

        while (k < N_METRICS && strcmp(asked.items[i], names[k]) != 0)
            k++;
        if (k < N_METRICS)
            wanted[k] = true;
        else
            st = t2_fail(err, T2_EUSAGE, "--metrics: '%s' is none of bleu, chrf, ter",
                         asked.items[i]);
    }
    if (st == T2_OK && asked.n == 0)
        st = t2_fail(err, T2_EUSAGE, "--metrics is empty: bleu, chrf or ter");
    t2_strs_release(&asked);
    T2_TRY(st);
    T2_TRY(check_orders(r->flags, err));
    if (wanted[BLEU]) {
        T2_TRY(new_bleu(r->flags, &r->metrics[0], err));
        r->n_metrics = 1;
    }
    if (wanted[CHRF])
        r->metrics[r->n_metrics++] = new_chrf(r->flags);
    if (wanted[TER])
        r->metrics[r->n_metrics++] = new_ter(r->flags);
    return T2_OK;
}

/* ---- files ---- */

static enum t2_status check_files(const struct ev_score_flags *f, struct t2_err *err)
{
    int n_stdin = 0;

    if (f->translations.n == 0 || f->references.n == 0)
        return t2_fail(err, T2_EUSAGE, "--translation and --reference are needed");
    for (size_t i = 0; i < f->translations.n; i++) {
        n_stdin += strcmp(f->translations.items[i], "-") == 0;
        for (size_t k = 0; k < i; k++)
            if (strcmp(f->translations.items[i], f->translations.items[k]) == 0)
                return t2_fail(err, T2_EUSAGE, "--translation='%s' is given twice",
                               f->translations.items[i]);
    }
    for (size_t i = 0; i < f->references.n; i++)
        n_stdin += strcmp(f->references.items[i], "-") == 0;
    if (n_stdin > 1)
        return t2_fail(err, T2_EUSAGE, "only one of --translation and --reference can be stdin");
    if (f->num_refs > 1 && f->references.n > 1)
        return t2_fail(err, T2_EUSAGE, "--num_refs is for one --reference");
    return T2_OK;
}

static enum t2_status read_files(struct run *r, struct t2_err *err)
{
    const struct ev_score_flags *f = r->flags;
    size_t n_fields = (size_t) f->num_refs;

    r->n_systems = f->translations.n;
    r->systems = t2_alloc(r->n_systems, sizeof *r->systems);
    r->n_references = f->references.n * n_fields;
    r->references = t2_alloc(r->n_references, sizeof *r->references);
    for (size_t i = 0; i < r->n_systems; i++)
        T2_TRY(ev_lines_read(f->translations.items[i], 1, &r->systems[i], err));
    for (size_t i = 0; i < f->references.n; i++)
        T2_TRY(ev_lines_read(f->references.items[i], (int) n_fields, &r->references[i * n_fields],
                             err));
    return T2_OK;
}

/* sacreBLEU's warning: detokenised text is what its tokenizers expect. */
static void warn_of_tokens(const struct run *r)
{
    for (size_t s = 0; s < r->n_systems; s++) {
        const struct ev_lines *l = &r->systems[s];
        size_t n = 0;

        for (size_t i = 0; i < l->n; i++) {
            struct t2_slice line = ev_line(l, i);

            n += line.len_bytes > 2 && memcmp(line.data + line.len_bytes - 2, " .", 2) == 0;
        }
        if (n >= TOKENIZED_LINES)
            t2_warn("'%s': %zu lines end with a period that stands alone; BLEU is for text that "
                    "is not cut into tokens",
                    l->name, n);
    }
}

/* ---- what is printed ---- */

static void put_json(const struct run *r, const struct ev_score_table *t, struct t2_buf *out)
{
    const struct ev_metric *m = t->metrics[0];
    const struct ev_cell *cell = ev_cell(t, 0, 0);
    struct t2_buf text = {NULL, 0, 0};
    struct t2_json json;

    t2_json_init(&json, out, 0);
    t2_json_object(&json);
    t2_json_kv_string(&json, "scorer", "sacrebleu");
    t2_json_kv_string(&json, "translation", t->systems[0].name);
    t2_json_kv_string(&json, "reference", r->references[0].name);
    t2_json_kv_u64(&json, "segments", t->systems[0].n);
    m->kind->name(m, &text);
    t2_buf_push(&text, '|');
    ev_signature(m, t->n_references, t->plan, false, &text);
    t2_json_kv_string(&json, "signature", t2_buf_cstr(&text));
    t2_json_key(&json, "score");
    t2_json_float9(&json, cell->score);
    if (cell->has_estimate) {
        t2_json_key(&json, "confidence_mean");
        t2_json_float9(&json, cell->estimate.mean);
        t2_json_key(&json, "confidence_var");
        t2_json_float9(&json, cell->estimate.interval);
    }
    m->kind->json(m, cell->sums, &json);
    t2_json_end_object(&json);
    t2_buf_push(out, '\n');
    t2_buf_release(&text);
}

static enum t2_status put_sentences(struct run *r, const struct ev_corpus *corpus,
                                    struct t2_buf *out, struct t2_err *err)
{
    const struct ev_metric *m = r->metrics[0];
    size_t n = r->systems[0].n;
    double *stats = t2_alloc(n * (size_t) m->n_stats, sizeof *stats);
    enum t2_status st = ev_corpus_stats(m, corpus, &r->systems[0], r->pool, stats, err);

    for (size_t i = 0; i < n && st == T2_OK; i++) {
        struct ev_cell cell = {.sums = stats + i * (size_t) m->n_stats};

        cell.score = m->kind->score(m, cell.sums, EV_SUMS_PYTHON).v;
        ev_report_line(m, &cell, corpus->n_references, &r->plan, &r->style, out);
        t2_buf_push(out, '\n');
    }
    t2_free(stats);
    return st;
}

static enum t2_status put_table(struct run *r, const struct ev_corpus *corpus, struct t2_buf *out,
                                struct t2_err *err)
{
    struct ev_score_table t = {.systems = r->systems,
                               .n_systems = r->n_systems,
                               .metrics = r->metrics,
                               .n_metrics = r->n_metrics,
                               .plan = &r->plan};
    enum t2_status st = ev_score_table_fill(&t, corpus, r->pool, err);

    if (st != T2_OK)
        ;
    else if (r->flags->json)
        put_json(r, &t, out);
    else if (t.n_systems > 1)
        ev_report_systems(&t, &r->style, out);
    else
        ev_report_single(&t, &r->style, out);
    ev_score_table_release(&t);
    return st;
}

static enum t2_status run(struct run *r, struct t2_buf *out, struct t2_err *err)
{
    struct ev_corpus corpus;

    T2_TRY(check_files(r->flags, err));
    T2_TRY(make_metrics(r, err));
    T2_TRY(read_form(r, err));
    T2_TRY(read_test(r, err));
    T2_TRY(read_files(r, err));
    warn_of_tokens(r);
    corpus = (struct ev_corpus){r->references, (int) r->n_references};
    r->pool = t2_pool_new(t2_flags_num_threads());
    return r->flags->sentence_level ? put_sentences(r, &corpus, out, err)
                                    : put_table(r, &corpus, out, err);
}

enum t2_status ev_score_sacrebleu(const struct ev_score_flags *flags, struct t2_buf *out,
                                  struct t2_err *err)
{
    struct run r = {.flags = flags};
    enum t2_status st = run(&r, out, err);

    t2_pool_free(r.pool);
    for (size_t i = 0; r.systems && i < r.n_systems; i++)
        ev_lines_release(&r.systems[i]);
    for (size_t i = 0; r.references && i < r.n_references; i++)
        ev_lines_release(&r.references[i]);
    t2_free(r.systems);
    t2_free(r.references);
    for (int i = 0; i < N_METRICS; i++)
        ev_metric_free(r.metrics[i]);
    return st;
}
