/*
 * tests/unit/train/test_problem_metrics.c - a name of every row of the table, and of every kind;
 * all names are compared by bench/check_eval_scores.py.
 */
#include "train/runs/problem_metrics.h"

#include <stdio.h>

#include "tests/support/t.h"
#include "train/eval/id_scores.h"

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

static void test_other_kinds(void **state)
{
    char speech[] = "my_speech", images[] = "my_images", timit[] = "audio_timit_characters_tune";

    (void) state;
    assert_int_equal(tr_problem_metrics(&(struct dg_view){.base_name = speech, .is_speech = true}),
                     SPEECH);
    assert_int_equal(tr_problem_metrics(&(struct dg_view){.base_name = timit, .is_speech = true}),
                     0);
    assert_int_equal(tr_problem_metrics(&(struct dg_view){.base_name = images, .is_images = true}),
                     0);
}

T_MAIN(cmocka_unit_test(test_text), cmocka_unit_test(test_other_kinds))
