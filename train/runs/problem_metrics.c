/*
 * train/runs/problem_metrics.c - see the header.
 *
 * The table has what differs from the kind's: names as patterns, the first that fits.  It was taken
 * from eval_metrics() of all problems of tensor2tensor 1.15.7; bench/check_eval_scores.py compares.
 */
#include "train/runs/problem_metrics.h"

#include <fnmatch.h>
#include <stddef.h>
#include <string.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "train/eval/report.h"

enum { OF_TEXT = EV_APPROX_BLEU | EV_ROUGE_IDS, OF_SPEECH = EV_EDIT_DISTANCE | EV_WORD_ERROR_RATE };

static const struct {
    const char *names; /* of fnmatch */
    unsigned metrics;
} differing[] = {
    {"algorithmic_sort_problem", EV_EDIT_DISTANCE},
    {"algorithmic_math_*", OF_TEXT},
    {"algorithmic_*", 0},
    {"audio_timit_*", 0},
    {"babi_qa_*", 0},
    {"dialog_*", EV_APPROX_BLEU},
    {"genomics_*", 0},
    {"github_function_docstring", 0},
    {"image_*_dmol", EV_DMOL_PERPLEXITY},
    {"image_*", 0},
    {"img2img_*", 0},
    /* several problems in one */
    {"languagemodel_en_wiki_lm_summarize_*", EV_ROUGE_IDS},
    {"languagemodel_en_wiki_lm_multi_nli_subwords_v2", OF_TEXT},
    {"languagemodel_en_wiki_lm_*", 0},
    {"languagemodel_lm1b_multi_nli*", 0},
    {"languagemodel_lm1b_sentiment_imdb", 0},
    {"languagemodel_multi_wiki_translate", EV_ROUGE_IDS},
    {"languagemodel_multi_wiki_translate_fr", 0},
    {"languagemodel_wiki_*", 0},
    {"ocr_*", 0},
    {"parsing_*", 0},
    {"sva_number_prediction", 0},
    {"timeseries_*", 0},
    {"tiny_algo", 0},
    {"video_*", 0},
    {"wiki_revision*", 0},
    {"wikisum_*", EV_ROUGE_IDS},
};

unsigned tr_problem_metrics(const struct dg_view *view)
{
    const unsigned images = EV_DMOL_PERPLEXITY;

    if (view->is_sentences || view->inputs.vocab_kind == DG_VOCAB_REALS ||
        view->targets.vocab_kind == DG_VOCAB_REALS ||
        view->targets.vocab_kind == DG_VOCAB_LABEL_SETS)
        return 0;
    for (size_t i = 0; i < sizeof differing / sizeof *differing; i++)
        if (fnmatch(differing[i].names, view->base_name, 0) == 0)
            return differing[i].metrics & (view->is_images ? images : ~images);
    return view->is_images ? 0 : view->is_speech ? OF_SPEECH : OF_TEXT;
}

enum ev_value_kind tr_value_kind(enum mdl_target_kind target)
{
    static const enum ev_value_kind kinds[] = {[MDL_TARGET_IDS] = EV_NO_VALUES,
                                               [MDL_TARGET_REALS] = EV_REALS,
                                               [MDL_TARGET_SET] = EV_LABEL_SETS};

    return kinds[target];
}

/* Is this one said of such targets?  Its bit is added. */
static bool ask(const char *name, const struct tr_metric_target *of, unsigned *ids,
                unsigned *values)
{
    static const char *const of_all_ids[] = {"accuracy", "accuracy_top5", "accuracy_per_sequence",
                                             "neg_log_perplexity"};
    unsigned known = of->images || of->mixtures ? 0 : OF_TEXT | OF_SPEECH, bit;

    if (of->values != EV_NO_VALUES)
        return ev_value_score_ask(of->values, of->n_values, name, values);
    for (size_t i = 0; i < sizeof of_all_ids / sizeof *of_all_ids; i++)
        if (strcmp(of_all_ids[i], name) == 0)
            return true;
    if (of->pixels)
        known = of->mixtures ? EV_DMOL_PERPLEXITY : EV_IMAGE_RMSE;
    else if (of->has_inputs && !of->class_labels && known != 0)
        known |= EV_APPROX_SARI | EV_SACREBLEU;
    if (of->masked)
        known |= EV_MASKED_PERPLEXITY;
    bit = ev_id_score_bit(name);
    *ids |= bit & known;
    return (bit & known) != 0;
}

static enum t2_status refuse(const char *name, const struct tr_metric_target *of,
                             struct t2_err *err)
{
    struct t2_buf there = {0};
    unsigned ids = 0, values = 0;

    for (int i = 0; ev_score_names[i]; i++)
        if (ask(ev_score_names[i], of, &ids, &values))
            t2_buf_printf(&there, "%s%s", there.len_bytes > 0 ? ", " : "", ev_score_names[i]);
    if (strcmp(name, "masked_neg_log_perplexity") == 0)
        (void) t2_fail(err, T2_EUSAGE,
                       "--eval_metrics: '%s' wants records of text with a feature targets_mask, 1 "
                       "for each target that counts, else 0, and these have none; there are %s",
                       name, t2_buf_cstr(&there));
    else
        (void) t2_fail(err, T2_EUSAGE,
                       "--eval_metrics: '%s' is not said of such targets; there are %s", name,
                       t2_buf_cstr(&there));
    t2_buf_release(&there);
    return T2_EUSAGE;
}

enum t2_status tr_ask_metrics(const char *names, const struct tr_metric_target *of, unsigned *ids,
                              unsigned *values, struct t2_err *err)
{
    enum t2_status st = T2_OK;

    while (*names != '\0' && st == T2_OK) {
        size_t n = strcspn(names, ",");
        char *name = t2_strndup(names, n);

        if (!ask(name, of, ids, values))
            st = refuse(name, of, err);
        t2_free(name);
        names += n + (names[n] == ',');
    }
    return st;
}
