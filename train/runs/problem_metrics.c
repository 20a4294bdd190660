/*
 * train/runs/problem_metrics.c - see the header.
 *
 * The table has what differs from the kind's: names as patterns, the first that fits.  It was taken
 * from eval_metrics() of all problems of tensor2tensor 1.15.7; bench/check_eval_scores.py compares.
 */
#include "train/runs/problem_metrics.h"

#include <fnmatch.h>
#include <stddef.h>

#include "train/eval/id_scores.h"

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
    if (view->is_images || view->is_sentences || view->inputs.vocab_kind == DG_VOCAB_REALS ||
        view->targets.vocab_kind == DG_VOCAB_REALS ||
        view->targets.vocab_kind == DG_VOCAB_LABEL_SETS)
        return 0;
    for (size_t i = 0; i < sizeof differing / sizeof *differing; i++)
        if (fnmatch(differing[i].names, view->base_name, 0) == 0)
            return differing[i].metrics;
    return view->is_speech ? OF_SPEECH : OF_TEXT;
}
