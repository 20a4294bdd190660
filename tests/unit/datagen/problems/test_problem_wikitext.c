/*
 * test_problem_wikitext.c - WikiText-103 and Penn Treebank: lines, blocks of words, vocabularies.
 * The whole run of the original is in tests/e2e/datagen_reference_runs_slow.sh.
 */
#include "tests/support/problem_check.h"

static void put_wikitext(void)
{
    pc_put_text("tmp", "wikitext-103/wiki.train.tokens",
                " = A =  \n\n b  b\xc2\xa0"
                "c\r\n");
    pc_put_text("tmp", "wikitext-103/wiki.valid.tokens", "b\n");
    pc_put_text("tmp", "wikitext-103/wiki.test.tokens", "c c");
}

static void test_wikitext(void **state)
{
    (void) state;
    put_wikitext();
    pc_check("languagemodel_wikitext103", "tmp", DG_TRAIN, "= A =\nb b c\n");
    pc_check("languagemodel_wikitext103", "tmp", DG_DEV, "b\n");
    pc_check("languagemodel_wikitext103", "tmp", DG_TEST, "c c\n");
    pc_check_vocab("languagemodel_wikitext103", "tmp", "<pad>\n<EOS>\n=\nb\nA\nc\n");
    assert_int_equal(pc_generate("languagemodel_wikitext103", "tmp", DG_TRAIN), 2);
}

/* 4096 words: a block ends before the line that would fill it; the last one is lost; a line that is
 * too long by itself begins with an empty sample. */
static void test_blocks(void **state)
{
    struct t2_buf file = {0}, expected = {0};

    (void) state;
    put_wikitext();
    for (int i = 0; i < 5; i++) {
        for (int k = 0; k < 1000; k++) {
            t2_buf_puts(&file, "w ");
            if (i < 4)
                t2_buf_printf(&expected, "%sw", i + k ? " " : "");
        }
        t2_buf_puts(&file, "\n");
    }
    t2_buf_push(&expected, '\n');
    pc_put("tmp", "wikitext-103/wiki.train.tokens", file.data, file.len_bytes);
    pc_check("languagemodel_wikitext103_l4k", "tmp", DG_TRAIN, t2_buf_cstr(&expected));
    t2_buf_clear(&file);
    for (int k = 0; k < 4096; k++)
        t2_buf_puts(&file, "w ");
    t2_buf_puts(&file, "\nend\n");
    pc_put("tmp", "wikitext-103/wiki.train.tokens", file.data, file.len_bytes);
    t2_buf_clear(&expected);
    t2_buf_puts(&expected, "\n");
    for (int k = 0; k < 4096; k++)
        t2_buf_printf(&expected, "%sw", k ? " " : "");
    t2_buf_push(&expected, '\n');
    pc_check("languagemodel_wikitext103_l4k", "tmp", DG_TRAIN, t2_buf_cstr(&expected));
    t2_buf_release(&file);
    t2_buf_release(&expected);
}

static void test_ptb(void **state)
{
    static const char *const members[] = {"./simple-examples/data/ptb.train.txt",
                                          " no it was n't\n no\n",
                                          "./simple-examples/data/ptb.valid.txt",
                                          " it\n",
                                          "./simple-examples/data/ptb.char.train.txt",
                                          " a _ b\n",
                                          "./simple-examples/data/ptb.char.valid.txt",
                                          " c\n",
                                          NULL};

    (void) state;
    pc_put_tgz("ptb", "simple-examples.tgz", members);
    pc_check("languagemodel_ptb10k", "ptb", DG_TRAIN, "no it was n't <EOS>\nno <EOS>\n");
    pc_check("languagemodel_ptb_characters", "ptb", DG_DEV, "c <EOS>\n");
    pc_check_vocab("languagemodel_ptb10k", "ptb", "<EOS>\nno\nit\nn't\nwas");
    assert_int_equal(pc_generate("languagemodel_ptb10k", "ptb", DG_DEV), 1);
}

static void test_missing(void **state)
{
    struct dg_options options = pc_options("empty");
    const struct dg_problem *p = dg_find("languagemodel_wikitext103");
    struct dg_input_sizes sizes = {0};
    struct t2_err err = T2_ERR_INIT;

    (void) state;
    pc_check_fails("languagemodel_wikitext103", "empty", DG_TRAIN, "wikitext-103-v1.zip");
    (void) p->describe(p, &options, DG_TRAIN, &sizes, &err);
    t_assert_contains(t2_buf_cstr(&sizes.text),
                      "wikitext-103-v1.zip: wikitext-103/wiki.train.tokens (missing)");
    dg_input_sizes_release(&sizes);
}

T_MAIN(cmocka_unit_test(test_wikitext), cmocka_unit_test(test_blocks), cmocka_unit_test(test_ptb),
       cmocka_unit_test(test_missing))
