/*
 * tests/unit/datagen/problems/test_problem_dialog.c - text files in data_dir, whose they are, the
 * vocabulary.
 */
#include "base/file.h"
#include "tests/unit/datagen/problems/samples.h"

static void check_file(const char *name, const char *expected)
{
    char path[300];
    size_t n;
    char *got;

    snprintf(path, sizeof path, "%s/%s", t_tmp_path("data"), name);
    got = t_read_file(path, &n);
    assert_string_equal(got, expected);
    free(got);
}

static void test_text_files(void **state)
{
    struct t2_buf text = {0};

    (void) state;
    for (int i = 0; i < 100; i++)
        t2_buf_printf(&text, "a%d __eou__ b __eou__\n", i);
    s_put("ijcnlp_dailydialog/dialogues_text.txt", t2_buf_cstr(&text));
    s_check_contains("dialog_dailydialog16k", DG_TRAIN, "a0>b\na1>b\n");
    check_file("dialog_text.problem", "dialog_dailydialog16k\n");
    s_check("dialog_dailydialog16k", DG_DEV,
            "a80>b\na81>b\na82>b\na83>b\na84>b\na85>b\na86>b\na87>b\na88>b\na89>b\n");
    s_check_contains("dialog_dailydialog16k", DG_TEST, "a99>b\n");
    t2_buf_release(&text);
}

static void test_of_another_problem(void **state)
{
    (void) state;
    s_check_contains("dialog_personachat16k", DG_TRAIN,
                     "holds trainSource.txt and others of 'dialog_dailydialog16k'");
}

static void test_line_cache_is_used(void **state)
{
    (void) state;
    s_put("../data/trainSource.txt", "mine\n");
    s_put("../data/trainTarget.txt", "yours\n");
    s_check("dialog_dailydialog16k", DG_TRAIN, "mine>yours\n");
}

/* Beside data_dir, in raw_data, as the original keeps them. */
static void test_vocabulary(void **state)
{
    (void) state;
    s_put("../raw_data/ijcnlp_dailydialog/dialogues_text.txt",
          "z b __eou__ b z a __eou__ c__eou__\n");
    s_check_vocab("dialog_dailydialog16k", "<pad>\n<EOS>\nz\nb\na\nc\n<unk>");
}

T_MAIN(cmocka_unit_test(test_text_files), cmocka_unit_test(test_of_another_problem),
       cmocka_unit_test(test_line_cache_is_used), cmocka_unit_test(test_vocabulary))
