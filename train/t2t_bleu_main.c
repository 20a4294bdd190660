/*
 * train/t2t_bleu_main.c - t2t-bleu: corpus BLEU of a translation, as T2T or as sacreBLEU count it.
 */
#include <stdio.h>
#include <string.h>

#include "base/json_writer.h"
#include "base/log.h"
#include "base/run_tool.h"
#include "train/eval/bleu.h"

static struct {
    const char *translation, *reference, *scorer, *bleu_variant;
    bool lowercase, lc, json;
    int64_t width;
    /* accepted by the original */
    const char *source, *translations_dir, *event_dir, *tag_suffix;
    int64_t min_steps, wait_minutes;
    bool report_zero;
} flags = {
    .translation = "",
    .reference = "",
    .scorer = "t2t",
    .bleu_variant = "both",
    .width = 2,
    .source = "",
    .translations_dir = "",
    .event_dir = "",
    .tag_suffix = "",
    .min_steps = -1,
};

/* Flags of directory mode, which is not here. */
static bool given_dir, given_events, given_suffix, given_steps, given_wait, given_zero;
static bool given_source, given_variant, given_width;

/* clang-format off */
static const struct t2_flag table[] = {
    {NULL, T2_FLAG_GROUP, NULL, NULL, "What to compare", NULL},
    {"translation", T2_FLAG_STRING, &flags.translation, "FILE",
     "The program's translation, one sentence a line; .gz is understood.", NULL},
    {"reference", T2_FLAG_STRING, &flags.reference, "FILE",
     "The translation by people, line by line.", NULL},
    {"source", T2_FLAG_STRING, &flags.source, "FILE", "Not used, as in the original.", &given_source},
    {NULL, T2_FLAG_GROUP, NULL, NULL, "How to count", NULL},
    {"scorer", T2_FLAG_STRING, &flags.scorer, "NAME",
     "t2t: Tensor2Tensor's own numbers. sacrebleu: those of sacreBLEU (13a, the ones to "
     "publish), with its signature.", NULL},
    {"bleu_variant", T2_FLAG_STRING, &flags.bleu_variant, "NAME",
     "With --scorer=t2t: cased, uncased or both.", &given_variant},
    {"lowercase", T2_FLAG_BOOL, &flags.lowercase, NULL,
     "With --scorer=sacrebleu: compare in lower case.", NULL},
    {"lc", T2_FLAG_BOOL, &flags.lc, NULL, "The same; also -lc.", NULL},
    {"width", T2_FLAG_INT, &flags.width, "N",
     "With --scorer=sacrebleu: decimals of the score.", &given_width},
    {"json", T2_FLAG_BOOL, &flags.json, NULL,
     "Print one JSON object with scores, precisions and counts.", NULL},
    {NULL, T2_FLAG_GROUP, NULL, NULL,
     "Scoring folders, as the original can: not in this version, an error", NULL},
    {"translations_dir", T2_FLAG_STRING, &flags.translations_dir, "DIR", "Files to score.",
     &given_dir},
    {"event_dir", T2_FLAG_STRING, &flags.event_dir, "DIR", "Where events would go.",
     &given_events},
    {"tag_suffix", T2_FLAG_STRING, &flags.tag_suffix, "TEXT", "Part of the events' tags.",
     &given_suffix},
    {"min_steps", T2_FLAG_INT, &flags.min_steps, "N", "First step to score.", &given_steps},
    {"wait_minutes", T2_FLAG_INT, &flags.wait_minutes, "N", "How long to wait for files.",
     &given_wait},
    {"report_zero", T2_FLAG_BOOL, &flags.report_zero, NULL, "Whether to report 0 at step 0.",
     &given_zero},
};
static const struct t2_flag_values values[] = {
    {"scorer", "t2t sacrebleu", NULL},
    {"bleu_variant", "cased uncased both", NULL},
    {NULL, NULL, NULL},
};
/* clang-format on */

static const struct t2_tool tool = {
    .name = "t2t-bleu",
    .usage = "--translation=FILE --reference=FILE [flags]",
    .summary = "Scores a translation against a reference with corpus BLEU.",
    .examples = "  t2t-bleu --translation=out.de --reference=ref.de\n"
                "  t2t-bleu --translation=out.de --reference=ref.de --scorer=sacrebleu -lc\n",
    .flags = table,
    .n_flags = sizeof table / sizeof *table,
    .values = values,
};

enum variant { UNCASED, CASED, BOTH };

static enum t2_status check_flags(enum ev_bleu_kind *kind, enum variant *variant,
                                  struct t2_err *err)
{
    if (given_dir || given_events || given_suffix || given_steps || given_wait || given_zero)
        return t2_fail(err, T2_EUNSUPPORTED,
                       "scoring a folder (--translations_dir, --event_dir and what goes with them) "
                       "is not supported yet; give --translation and --reference");
    if (!flags.translation[0] || !flags.reference[0])
        return t2_fail(err, T2_EUSAGE, "--translation and --reference are needed");
    if (strcmp(flags.translation, "-") == 0 && strcmp(flags.reference, "-") == 0)
        return t2_fail(err, T2_EUSAGE, "only one of --translation and --reference can be stdin");
    if (strcmp(flags.scorer, "t2t") != 0 && strcmp(flags.scorer, "sacrebleu") != 0)
        return t2_fail(err, T2_EUSAGE, "--scorer='%s': t2t or sacrebleu", flags.scorer);
    if (given_source)
        t2_warn("--source means nothing here and is passed over");
    *kind = flags.scorer[0] == 't' ? EV_BLEU_T2T : EV_BLEU_SACREBLEU;
    flags.lowercase = flags.lowercase || flags.lc;
    if (*kind == EV_BLEU_T2T && (flags.lowercase || given_width))
        return t2_fail(err, T2_EUSAGE,
                       "--lowercase and --width belong to --scorer=sacrebleu; here "
                       "use --bleu_variant=uncased");
    if (*kind == EV_BLEU_SACREBLEU && given_variant)
        return t2_fail(err, T2_EUSAGE,
                       "--bleu_variant belongs to --scorer=t2t; here use --lowercase");
    if (flags.width < 0 || flags.width > 15)
        return t2_fail(err, T2_EUSAGE, "--width must be 0 to 15");
    if (strcmp(flags.bleu_variant, "both") == 0)
        *variant = BOTH;
    else if (strcmp(flags.bleu_variant, "cased") == 0)
        *variant = CASED;
    else if (strcmp(flags.bleu_variant, "uncased") == 0)
        *variant = UNCASED;
    else
        return t2_fail(err, T2_EUSAGE, "--bleu_variant='%s': cased, uncased or both",
                       flags.bleu_variant);
    return T2_OK;
}

/* The keys of one score in the object that is open. */
static void score_json(const struct ev_bleu *b, struct t2_json *json)
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

static void start_json(struct t2_json *json, struct t2_buf *out, uint64_t n_segments)
{
    t2_json_init(json, out, 0);
    t2_json_object(json);
    t2_json_kv_string(json, "scorer", flags.scorer);
    t2_json_kv_string(json, "translation", flags.translation);
    t2_json_kv_string(json, "reference", flags.reference);
    t2_json_kv_u64(json, "segments", n_segments);
}

static enum t2_status score_t2t(enum variant variant, struct t2_buf *out, struct t2_err *err)
{
    static const char *const names[] = {"BLEU_uncased", "BLEU_cased"};
    static const bool lower_case[] = {true, false};
    int first = variant == CASED, n = variant == BOTH ? 2 : 1;
    struct ev_bleu bleu[2];
    struct t2_json json;

    T2_TRY(ev_bleu_files(EV_BLEU_T2T, flags.translation, flags.reference, lower_case + first, n,
                         bleu, err));
    if (!flags.json) {
        for (int i = 0; i < n; i++)
            t2_buf_printf(out, "%s = %6.2f\n", names[first + i], bleu[i].score);
        return T2_OK;
    }
    start_json(&json, out, bleu[0].n_segments);
    for (int i = 0; i < n; i++) {
        t2_json_key(&json, first + i ? "cased" : "uncased");
        t2_json_object(&json);
        score_json(&bleu[i], &json);
        t2_json_end_object(&json);
    }
    t2_json_end_object(&json);
    t2_buf_push(out, '\n');
    return T2_OK;
}

static enum t2_status score_sacrebleu(struct t2_buf *out, struct t2_err *err)
{
    struct ev_bleu bleu;
    struct t2_json json;

    T2_TRY(ev_bleu_files(EV_BLEU_SACREBLEU, flags.translation, flags.reference, &flags.lowercase, 1,
                         &bleu, err));
    if (flags.json) {
        start_json(&json, out, bleu.n_segments);
        t2_json_kv_string(&json, "signature", ev_sacrebleu_signature(flags.lowercase));
        score_json(&bleu, &json);
        t2_json_end_object(&json);
    } else {
        ev_sacrebleu_line(&bleu, flags.lowercase, (int) flags.width, out);
    }
    t2_buf_push(out, '\n');
    return T2_OK;
}

static enum t2_status run(struct t2_err *err)
{
    enum ev_bleu_kind kind = EV_BLEU_T2T;
    enum variant variant = BOTH;
    struct t2_buf out = {NULL, 0, 0};
    enum t2_status st;

    T2_TRY(check_flags(&kind, &variant, err));
    st = kind == EV_BLEU_T2T ? score_t2t(variant, &out, err) : score_sacrebleu(&out, err);
    if (st == T2_OK)
        (void) fputs(t2_buf_cstr(&out), stdout);
    t2_buf_release(&out);
    return st;
}

int main(int argc, char **argv)
{
    return t2_run_tool(&tool, argc, argv, run);
}
