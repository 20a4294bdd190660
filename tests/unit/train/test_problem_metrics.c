/*
 * tests/unit/train/test_problem_metrics.c - a name of every row of the table, and of every kind;
 * all names are compared by bench/check_eval_scores.py.
 */
#include "train/runs/problem_metrics.h"

#include <stdio.h>
#include <string.h>

#include "tests/support/t.h"
#include "train/eval/id_scores.h"
#include "train/eval/value_scores.h"

enum { TEXT = EV_APPROX_BLEU | EV_ROUGE_IDS, SPEECH = EV_EDIT_DISTANCE | EV_WORD_ERROR_RATE };

static void check(const char *name, unsigned expected)
{
    char text[80];
    struct dg_view v = {.base_name = text};

    snprintf(text, sizeof text, "%s", name);
    if (tr_problem_metrics(&v) != expected)
        fail_msg("%s: %u, expected %u", name, tr_problem_metrics(&v), expected);
}

static void test_text(void **state)
{
    (void) state;
    check("translate_ende_wmt32k", TEXT);
    check("languagemodel_lm1b32k", TEXT);
    check("sentiment_imdb", TEXT);
    check("my_own", TEXT);
    check("algorithmic_math_two_variables", TEXT);
    check("algorithmic_sort_problem", EV_EDIT_DISTANCE);
    check("algorithmic_reverse_binary40", 0);
    check("babi_qa_concat_task1_1k", 0);
    check("dialog_cornell32k", EV_APPROX_BLEU);
    check("languagemodel_en_wiki_lm_summarize_cnndm_subwords", EV_ROUGE_IDS);
    check("languagemodel_en_wiki_lm_multi_nli_subwords", 0);
    check("languagemodel_en_wiki_lm_multi_nli_subwords_v2", TEXT);
    check("languagemodel_multi_wiki_translate_packed1k", TEXT);
    check("languagemodel_wiki_xml_v8k_l1k", 0);
    check("sva_number_prediction", 0);
    check("wiki_revision", 0);
    check("wikisum_web", EV_ROUGE_IDS);
}

/* ---- what is asked for ---- */

static void ask(struct tr_metric_target of, const char *names, unsigned ids, unsigned values)
{
    struct t2_err err = T2_ERR_INIT;
    unsigned is_ids = 0, is_values = 0;

    if (tr_ask_metrics(names, &of, &is_ids, &is_values, &err) != T2_OK)
        fail_msg("%s", err.message);
    if (is_ids != ids || is_values != values)
        fail_msg("%s: %u and %u", names, is_ids, is_values);
}

static void refused(struct tr_metric_target of, const char *name, const char *says)
{
    struct t2_err err = T2_ERR_INIT;
    unsigned ids = 0, values = 0;

    assert_int_equal(tr_ask_metrics(name, &of, &ids, &values, &err), T2_EUSAGE);
    if (!strstr(err.message, says))
        fail_msg("%s: %s", name, err.message);
}

static void test_asked(void **state)
{
    const struct tr_metric_target text = {.has_inputs = true}, classes = {.class_labels = true};
    const struct tr_metric_target reals = {.values = EV_REALS, .n_values = 1};
    const struct tr_metric_target sets = {.values = EV_LABEL_SETS, .n_values = 3};
    const struct tr_metric_target pixels = {.pixels = true};
    const struct tr_metric_target mixtures = {.pixels = true, .mixtures = true};

    (void) state;
    ask(text, "", 0, 0);
    ask(text, "approx_sari_score,edit_distance", EV_APPROX_SARI | EV_EDIT_DISTANCE, 0);
    ask(text, "accuracy,neg_log_perplexity", 0, 0);
    ask(text, "sacrebleu_score", EV_SACREBLEU, 0);
    ask(reals, "log_poisson,two_class_accuracy,rmse", 0, EV_LOG_POISSON | EV_TWO_CLASSES);
    ask(sets, "sigmoid_recall_one_hot,accuracy_multilabel_match3", 0, EV_ONE_HOT | EV_MATCH_3);
    ask(pixels, "image_rmse", EV_IMAGE_RMSE, 0);
    ask(mixtures, "disc_mol_neg_log_perplexity", EV_DMOL_PERPLEXITY, 0);
    refused(text, "approx_sari", "accuracy_per_sequence, neg_log_perplexity, approx_bleu_score, ");
    refused(text, "edit_distance,image_rmse", "'image_rmse' is not said of such targets");
    refused((struct tr_metric_target){0}, "approx_sari_score", "word_error_rate");
    refused(classes, "approx_sari_score", "not said");
    refused((struct tr_metric_target){.images = true}, "edit_distance", "neg_log_perplexity");
    refused(mixtures, "image_rmse", "disc_mol_neg_log_perplexity");
    refused(pixels, "disc_mol_neg_log_perplexity", "there are accuracy, ");
    refused(sets, "roc_auc", "sigmoid_cross_entropy_one_hot, accuracy_multilabel_match3");
    ask((struct tr_metric_target){.masked = true}, "masked_neg_log_perplexity",
        EV_MASKED_PERPLEXITY, 0);
    refused(text, "masked_neg_log_perplexity", "records of text with a feature targets_mask");
    refused(reals, "masked_neg_log_perplexity", "targets_mask");
}

static void test_other_kinds(void **state)
{
    char speech[] = "my_speech", images[] = "my_images", timit[] = "audio_timit_characters_tune";
    char dmol[] = "image_cifar10_plain_gen_dmol", dialog[] = "dialog_images";

    (void) state;
    assert_int_equal(tr_problem_metrics(&(struct dg_view){.base_name = speech, .is_speech = true}),
                     SPEECH);
    assert_int_equal(tr_problem_metrics(&(struct dg_view){.base_name = timit, .is_speech = true}),
                     0);
    assert_int_equal(tr_problem_metrics(&(struct dg_view){.base_name = images, .is_images = true}),
                     0);
    assert_int_equal(tr_problem_metrics(&(struct dg_view){.base_name = dmol, .is_images = true}),
                     EV_DMOL_PERPLEXITY);
    assert_int_equal(tr_problem_metrics(&(struct dg_view){.base_name = dialog, .is_images = true}),
                     0);
}

T_MAIN(cmocka_unit_test(test_text), cmocka_unit_test(test_other_kinds),
       cmocka_unit_test(test_asked))
