/*
 * train/eval/t2t_scorer.c - see the header; folders are scored by bleu_watch.c.
 */
#include "train/eval/t2t_scorer.h"

#include <string.h>

#include "base/json_writer.h"
#include "train/eval/bleu.h"
#include "train/eval/bleu_watch.h"

/* The keys of one score in the object that is open. */
static void put_score(const struct ev_bleu *b, struct t2_json *json)
{
    t2_json_key(json, "score");
    t2_json_float9(json, b->score);
    t2_json_key(json, "precisions");
    t2_json_array(json);
    for (int k = 0; k < 4; k++)
        t2_json_float9(json, b->precisions[k]);
    t2_json_end_array(json);
    t2_json_key(json, "brevity_penalty");
    t2_json_float9(json, b->brevity_penalty);
    t2_json_kv_u64(json, "hypothesis_length", b->hypothesis_length);
    t2_json_kv_u64(json, "reference_length", b->reference_length);
    t2_json_key(json, "matches");
    t2_json_array(json);
    for (int k = 0; k < 4; k++)
        t2_json_u64(json, b->matches[k]);
    t2_json_end_array(json);
    t2_json_key(json, "possible");
    t2_json_array(json);
    for (int k = 0; k < 4; k++)
        t2_json_u64(json, b->possible[k]);
    t2_json_end_array(json);
}

static void put_json(const char *translation, const char *reference,
                     const struct ev_bleu_variants *v, const struct ev_bleu *bleu,
                     struct t2_buf *out)
{
    struct t2_json json;

    t2_json_init(&json, out, 0);
    t2_json_object(&json);
    t2_json_kv_string(&json, "scorer", "t2t");
    t2_json_kv_string(&json, "translation", translation);
    t2_json_kv_string(&json, "reference", reference);
    t2_json_kv_u64(&json, "segments", bleu[0].n_segments);
    for (int i = 0; i < v->n; i++) {
        t2_json_key(&json, v->lower_case[i] ? "uncased" : "cased");
        t2_json_object(&json);
        put_score(&bleu[i], &json);
        t2_json_end_object(&json);
    }
    t2_json_end_object(&json);
    t2_buf_push(out, '\n');
}

static enum t2_status score_file(const struct ev_score_flags *f, const struct ev_bleu_variants *v,
                                 struct t2_buf *out, struct t2_err *err)
{
    const char *translation = f->translations.items[0], *reference = f->references.items[0];
    struct ev_bleu bleu[EV_BLEU_VARIANTS];

    T2_TRY(ev_bleu_files(translation, reference, v->lower_case, v->n, bleu, err));
    if (f->json) {
        put_json(translation, reference, v, bleu, out);
        return T2_OK;
    }
    for (int i = 0; i < v->n; i++)
        t2_buf_printf(out, "%s = %6.2f\n", ev_bleu_variant_name(v->lower_case[i]), bleu[i].score);
    return T2_OK;
}

static enum t2_status read_variants(const char *name, struct ev_bleu_variants *v,
                                    struct t2_err *err)
{
    *v = (struct ev_bleu_variants){{true, false}, 2};
    if (strcmp(name, "both") == 0)
        return T2_OK;
    v->n = 1;
    v->lower_case[0] = strcmp(name, "uncased") == 0;
    if (v->lower_case[0] || strcmp(name, "cased") == 0)
        return T2_OK;
    return t2_fail(err, T2_EUSAGE, "--bleu_variant='%s': cased, uncased or both", name);
}

/* What belongs to one of the two ways only. */
static enum t2_status check_flags(const struct ev_score_flags *f, bool folder, struct t2_err *err)
{
    if (folder && f->translations.n > 0)
        return t2_fail(err, T2_EUSAGE, "--translation and --translations_dir exclude each other");
    if (!folder && f->translations.n == 0)
        return t2_fail(err, T2_EUSAGE, "--translation or --translations_dir is needed");
    if (f->references.n == 0)
        return t2_fail(err, T2_EUSAGE, "--reference is needed");
    if (f->translations.n > 1 || f->references.n > 1)
        return t2_fail(err, T2_EUSAGE,
                       "several --translation or --reference belong to --scorer=sacrebleu");
    if (folder && !f->event_dir[0])
        return t2_fail(err, T2_EUSAGE, "--translations_dir needs --event_dir");
    if (folder && f->json)
        return t2_fail(err, T2_EUSAGE,
                       "--json is for one --translation; tfrec events reads the event file");
    if (!folder && (f->event_dir[0] || f->tag_suffix[0] || f->min_steps != -1 ||
                    f->wait_minutes != 0 || f->report_zero_given))
        return t2_fail(err, T2_EUSAGE,
                       "--event_dir, --tag_suffix, --min_steps, --wait_minutes and --report_zero "
                       "belong to --translations_dir");
    if (!folder && strcmp(f->translations.items[0], "-") == 0 &&
        strcmp(f->references.items[0], "-") == 0)
        return t2_fail(err, T2_EUSAGE, "only one of --translation and --reference can be stdin");
    return T2_OK;
}

enum t2_status ev_score_t2t(const struct ev_score_flags *f, struct t2_buf *out, struct t2_err *err)
{
    bool folder = f->translations_dir[0] != '\0';
    struct ev_bleu_variants variants;
    struct ev_bleu_watch watch;

    T2_TRY(check_flags(f, folder, err));
    T2_TRY(read_variants(f->bleu_variant, &variants, err));
    if (!folder)
        return score_file(f, &variants, out, err);
    watch = (struct ev_bleu_watch){.translations_dir = f->translations_dir,
                                   .event_dir = f->event_dir,
                                   .reference = f->references.items[0],
                                   .tag_suffix = f->tag_suffix,
                                   .variants = variants,
                                   .min_steps = f->min_steps,
                                   .wait_minutes = f->wait_minutes,
                                   .report_zero = EV_ZERO_AT_START};
    if (f->report_zero_given)
        watch.report_zero = f->report_zero ? EV_ZERO_ALWAYS : EV_ZERO_NEVER;
    return ev_bleu_watch(&watch, err);
}
