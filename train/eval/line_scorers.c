/*
 * train/eval/line_scorers.c - see the header.
 */
#include "train/eval/line_scorers.h"

#include <string.h>

#include "base/alloc.h"
#include "base/json_writer.h"
#include "base/signals.h"
#include "train/eval/numpy_number.h"
#include "train/eval/rouge.h"
#include "train/eval/score_lines.h"
#include "train/eval/word_error.h"

enum { DEFAULT_WIDTH = 4 };

struct files {
    struct ev_lines hypothesis, reference;
};

static void release(struct files *f)
{
    ev_lines_release(&f->hypothesis);
    ev_lines_release(&f->reference);
}

static enum t2_status read_files(const struct ev_score_flags *flags, struct files *f,
                                 struct t2_err *err)
{
    if (flags->translations.n != 1 || flags->references.n != 1)
        return t2_fail(err, T2_EUSAGE, "--scorer=%s: one --translation and one --reference",
                       flags->scorer);
    if (strcmp(flags->translations.items[0], "-") == 0 &&
        strcmp(flags->references.items[0], "-") == 0)
        return t2_fail(err, T2_EUSAGE, "only one of --translation and --reference can be stdin");
    T2_TRY(ev_lines_read(flags->translations.items[0], 1, &f->hypothesis, err));
    T2_TRY(ev_lines_read(flags->references.items[0], 1, &f->reference, err));
    T2_TRY(ev_lines_match(&f->hypothesis, &f->reference, err));
    if (f->hypothesis.n == 0)
        return t2_fail(err, T2_EFORMAT, "'%s' and '%s' are empty: nothing to score",
                       f->hypothesis.name, f->reference.name);
    return T2_OK;
}

static int width_of(const struct ev_score_flags *flags)
{
    return flags->width < 0 ? DEFAULT_WIDTH : (int) flags->width;
}

static void begin_json(const struct ev_score_flags *flags, const struct files *f,
                       struct t2_json *json, struct t2_buf *out)
{
    t2_json_init(json, out, 0);
    t2_json_object(json);
    t2_json_kv_string(json, "scorer", flags->scorer);
    t2_json_kv_string(json, "translation", f->hypothesis.name);
    t2_json_kv_string(json, "reference", f->reference.name);
    t2_json_kv_u64(json, "segments", f->hypothesis.n);
}

static void end_json(struct t2_json *json, struct t2_buf *out)
{
    t2_json_end_object(json);
    t2_buf_push(out, '\n');
}

/* ---- ROUGE ---- */

/* Means over lines; Tensor2Tensor's is one of float32. */
struct rouge_means {
    struct ev_rouge_score mean[EV_N_ROUGE];
};

static enum t2_status rouge_of_lines(const struct files *f, enum ev_rouge_variant variant,
                                     struct rouge_means *m, struct t2_err *err)
{
    struct ev_rouge *r = ev_rouge_new(variant);
    size_t n = f->hypothesis.n;
    double *all = t2_alloc(n * EV_N_ROUGE, sizeof *all); /* F-scores, (kinds, n) */
    enum t2_status st = T2_OK;

    *m = (struct rouge_means){{{0, 0, 0}}};
    for (size_t i = 0; i < n && (i % 1024 != 0 || (st = t2_check_interrupt(err)) == T2_OK); i++) {
        struct ev_rouge_score scores[EV_N_ROUGE];

        ev_rouge_line(r, ev_line(&f->hypothesis, i), ev_line(&f->reference, i), scores);
        for (int k = 0; k < EV_N_ROUGE; k++) {
            m->mean[k].precision += scores[k].precision / (double) n;
            m->mean[k].recall += scores[k].recall / (double) n;
            m->mean[k].f += scores[k].f / (double) n;
            all[(size_t) k * n + i] = scores[k].f;
        }
    }
    for (int k = 0; variant == EV_ROUGE_T2T && k < EV_N_ROUGE; k++)
        m->mean[k].f = ev_numpy_mean_as_float32(all + (size_t) k * n, n);
    t2_free(all);
    ev_rouge_free(r);
    return st;
}

static void put_rouge(const struct ev_score_flags *flags, const struct files *f,
                      const struct rouge_means *m, bool t2t, struct t2_buf *out)
{
    static const char *const t2t_names[] = {"rouge_1_fscore", "rouge_2_fscore", "rouge_L_fscore"};
    static const char *const names[] = {"rouge1", "rouge2", "rougeL"};
    int width = width_of(flags);
    struct t2_json json;

    if (flags->json)
        begin_json(flags, f, &json, out);
    for (int k = 0; k < EV_N_ROUGE; k++) {
        const struct ev_rouge_score *s = &m->mean[k];

        if (flags->json && t2t) {
            t2_json_key(&json, t2t_names[k]);
            t2_json_float9(&json, s->f);
        } else if (flags->json) {
            t2_json_key(&json, names[k]);
            t2_json_object(&json);
            t2_json_key(&json, "precision");
            t2_json_float9(&json, s->precision);
            t2_json_key(&json, "recall");
            t2_json_float9(&json, s->recall);
            t2_json_key(&json, "fmeasure");
            t2_json_float9(&json, s->f);
            t2_json_end_object(&json);
        } else if (t2t) {
            t2_buf_printf(out, "%s = %.*f\n", t2t_names[k], width, s->f);
        } else {
            t2_buf_printf(out, "%s = %.*f (precision %.*f recall %.*f)\n", names[k], width, s->f,
                          width, s->precision, width, s->recall);
        }
    }
    if (flags->json)
        end_json(&json, out);
}

enum t2_status ev_score_rouge(const struct ev_score_flags *flags, struct t2_buf *out,
                              struct t2_err *err)
{
    struct files f = {.hypothesis = {.name = NULL}};
    enum ev_rouge_variant variant = EV_ROUGE_T2T;
    struct rouge_means m;
    enum t2_status st;

    if (strcmp(flags->rouge_variant, "rouge-score") == 0)
        variant = flags->use_stemmer ? EV_ROUGE_SCORE_STEMS : EV_ROUGE_SCORE;
    else if (strcmp(flags->rouge_variant, "t2t") != 0)
        return t2_fail(err, T2_EUSAGE, "--rouge_variant='%s': t2t or rouge-score",
                       flags->rouge_variant);
    else if (flags->use_stemmer)
        return t2_fail(err, T2_EUSAGE, "--use_stemmer belongs to --rouge_variant=rouge-score");
    T2_GOTO(st, out, read_files(flags, &f, err));
    T2_GOTO(st, out, rouge_of_lines(&f, variant, &m, err));
    put_rouge(flags, &f, &m, variant == EV_ROUGE_T2T, out);
out:
    release(&f);
    return st;
}

/* ---- word error rate ---- */

static void put_edits(const struct ev_score_flags *flags, struct t2_json *json, const char *name,
                      const char *key, const struct ev_edits *e, struct t2_buf *out)
{
    double rate = ev_error_rate(e);

    if (!flags->json) {
        t2_buf_printf(out,
                      "%s = %.*f (%llu hits, %llu substitutions, %llu deletions, %llu "
                      "insertions)\n",
                      name, width_of(flags), rate, (unsigned long long) e->hits,
                      (unsigned long long) e->substitutions, (unsigned long long) e->deletions,
                      (unsigned long long) e->insertions);
        return;
    }
    t2_json_key(json, key);
    t2_json_object(json);
    t2_json_key(json, "rate");
    t2_json_float9(json, rate);
    t2_json_kv_u64(json, "hits", e->hits);
    t2_json_kv_u64(json, "substitutions", e->substitutions);
    t2_json_kv_u64(json, "deletions", e->deletions);
    t2_json_kv_u64(json, "insertions", e->insertions);
    t2_json_end_object(json);
}

enum t2_status ev_score_wer(const struct ev_score_flags *flags, struct t2_buf *out,
                            struct t2_err *err)
{
    struct files f = {.hypothesis = {.name = NULL}};
    struct ev_edits words = {0, 0, 0, 0}, characters = {0, 0, 0, 0};
    struct ev_error *e = ev_error_new();
    struct t2_json json;
    enum t2_status st;

    T2_GOTO(st, out, read_files(flags, &f, err));
    for (size_t i = 0; i < f.hypothesis.n; i++) {
        struct t2_slice h = ev_line(&f.hypothesis, i), r = ev_line(&f.reference, i);

        T2_GOTO(st, out, t2_check_interrupt(err));
        st = ev_error_line(e, h, r, false, &words, err);
        if (st == T2_OK)
            st = ev_error_line(e, h, r, true, &characters, err);
        if (st != T2_OK) {
            t2_wrap(err, "'%s', line %zu", f.hypothesis.name, i + 1);
            goto out;
        }
    }
    if (flags->json)
        begin_json(flags, &f, &json, out);
    put_edits(flags, &json, "WER", "wer", &words, out);
    put_edits(flags, &json, "CER", "cer", &characters, out);
    if (flags->json)
        end_json(&json, out);
out:
    release(&f);
    ev_error_free(e);
    return st;
}
