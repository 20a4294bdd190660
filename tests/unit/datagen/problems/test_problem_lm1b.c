/*
 * test_problem_lm1b.c - the 99 files of the One Billion Word Benchmark in order, unknown words as
 * UNK.
 */
#include "tests/support/problem_check.h"

#define FOLDER "1-billion-word-language-modeling-benchmark-r13output"
#define TRAIN FOLDER "/training-monolingual.tokenized.shuffled/news.en-"

/* File i holds "word i"; number 0 is not for training. */
static void put_files(const char *folder, int n)
{
    for (int i = 0; i < n; i++) {
        char *name = t2_asprintf(TRAIN "%05d-of-00100", i);
        char *text = t2_asprintf("word  %d\n", i);
        pc_put_text(folder, name, text);
        t2_free(name);
        t2_free(text);
    }
    pc_put_text(folder,
                FOLDER "/heldout-monolingual.tokenized.shuffled/news.en.heldout-00000-of-00050",
                "word x 7\n\n");
    pc_put_text(folder, "vocab-2016-09-10.txt.en", "<S>\n word \n7\n42\n");
}

static void test_files(void **state)
{
    struct t2_buf expected = {0};

    (void) state;
    put_files("tmp", 100);
    for (int i = 1; i < 100; i++)
        t2_buf_puts(&expected, i == 7 ? "word 7\n" : i == 42 ? "word 42\n" : "word UNK\n");
    pc_check("languagemodel_lm1b32k", "tmp", DG_TRAIN, t2_buf_cstr(&expected));
    pc_check("languagemodel_lm1b32k", "tmp", DG_DEV, "word UNK 7\n\n");
    t2_buf_release(&expected);
    assert_int_equal(pc_generate("languagemodel_lm1b8k_packed", "tmp", DG_DEV), 1);
}

/* Out of the archive, in whatever order it has them. */
static void test_archive(void **state)
{
    struct t2_strs texts = {0};
    const char *members[2 * 101 + 1] = {NULL};
    struct t2_buf expected = {0};

    (void) state;
    for (int i = 1; i < 100; i++) {
        t2_strs_take(&texts, t2_asprintf(TRAIN "%05d-of-00100", 100 - i));
        t2_strs_take(&texts, t2_asprintf("word %d\n", 100 - i));
    }
    for (int i = 0; i < 2 * 99; i++)
        members[i] = texts.items[i];
    pc_put_tgz("tgz", FOLDER ".tar.gz", members);
    pc_put_text("tgz", "vocab-2016-09-10.txt.en", "1\n2\n99\n");
    for (int i = 1; i < 100; i++) {
        if (i < 3 || i == 99)
            t2_buf_printf(&expected, "UNK %d\n", i);
        else
            t2_buf_puts(&expected, "UNK UNK\n");
    }
    pc_check("languagemodel_lm1b32k", "tgz", DG_TRAIN, t2_buf_cstr(&expected));
    t2_buf_release(&expected);
    t2_strs_release(&texts);
}

static void test_incomplete(void **state)
{
    (void) state;
    put_files("few", 5);
    pc_check_fails("languagemodel_lm1b32k", "few", DG_TRAIN, "there should be 99");
    pc_check_fails("languagemodel_lm1b32k", "none", DG_TRAIN, "r13output.tar.gz");
}

T_MAIN(cmocka_unit_test(test_files), cmocka_unit_test(test_archive),
       cmocka_unit_test(test_incomplete))
