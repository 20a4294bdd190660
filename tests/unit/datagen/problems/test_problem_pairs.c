/*
 * tests/unit/datagen/problems/test_problem_pairs.c - which columns of which files.
 */
#include "datagen/vocabs/problem_vocab.h"
#include "tests/unit/datagen/problems/samples.h"

static void test_columns(void **state)
{
    (void) state;
    s_put("CoLA/dev.tsv", "x\t0\t*\tno sense it\nx\t1\t\tgood\n");
    s_check("cola", DG_DEV, "no sense it>0\ngood>1\n");
    s_put("SST-2/train.tsv", "sentence\tlabel\nnice \t1\n");
    s_check("sentiment_sst_binary_characters", DG_TRAIN, "nice >1\n");
    s_put("QNLI/train.tsv", "h\n0\tq?\ts.\tnot_entailment\n");
    s_check("question_nli", DG_TRAIN, "q?|s.>0\n");
    s_put("MNLI/dev_matched.tsv", "h\n0\t1\t2\t3\t4\t5\t6\t7\tP\tH\tentailment\tneutral\n");
    s_check("multi_nli", DG_DEV, "P|H>2\n");
    s_check("multi_nli_text2text", DG_DEV, "multinli premise: P hypothesis: H>neutral\n");
    s_put("snli_1.0/snli_1.0_train.txt",
          "h\n-\t1\t2\t3\t4\tA\tB\t7\ncontradiction\t1\t2\t3\t4\tA\tB\t7\n");
    s_check("stanford_nli", DG_TRAIN, "(no label)\nA|B>0\n");
    s_put("SciTailV1.1/tsv_format/scitail_1.0_dev.tsv", "a\tb\tentails\n");
    s_check("sci_tail", DG_DEV, "a|b>1\n");
}

static void test_vocabularies(void **state)
{
    static const char *const names[][2] = {{"winograd_nli", "vocab.wnli.8192"},
                                           {"cola", "vocab.cola.8192.subwords"},
                                           {"sci_tail_shared_vocab",
                                            "vocab.languagemodel_lm1b32k.32768.subwords"},
                                           {"multi_nli_text2text",
                                            "vocab.multi_nli_text2text.32768.subwords"}};

    (void) state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char *file = dg_vocab_file_name(dg_find(names[i][0]), DG_INPUTS);
        assert_string_equal(file, names[i][1]);
        t2_free(file);
    }
}

T_MAIN(cmocka_unit_test(test_columns), cmocka_unit_test(test_vocabularies))
