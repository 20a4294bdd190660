/*
 * test_words_vocab.c - words by how often they occur.
 */
#include "datagen/vocabs/words_vocab.h"

#include "tests/unit/datagen/small_set.h"

static void check(int64_t size, const char *expected)
{
    struct dg_problem p = *dg_find("text2text_tmpdir");
    struct dg_options options = {.data_dir = "", .tmp_dir = t_tmp_path(".")};
    struct t2_err err = T2_ERR_INIT;
    const char *path = t_tmp_path("words");
    char *text;
    size_t n;

    p.targets_vocab =
        (struct dg_vocab_spec){.kind = DG_VOCAB_TOKENS, .approx_size = size, .oov_token = "<UNK>"};
    assert_int_equal(dg_make_words_vocab(&p, &options, DG_TARGETS, path, &err), T2_OK);
    text = t_read_file(path, &n);
    assert_string_equal(text, expected);
    free(text);
}

static void test_order_and_size(void **state)
{
    (void) state;
    ds_write_tmpdir(2);
    check(100, "<pad>\n<EOS>\n<UNK>\n0\n1\nTest\na\nein\nkleiner\nsmall\ntest\n");
    check(5, "<pad>\n<EOS>\n<UNK>\n0\n1\n");
    t_write_file(t_tmp_path("inputs.train.txt"),
                 "b <UNK>\xc2\xa0"
                 "b\n\n",
                 12);
    t_write_file(t_tmp_path("targets.train.txt"), "c b\nc\n", 6);
    check(100, "<pad>\n<EOS>\n<UNK>\nb\nc\n");
}

T_MAIN(cmocka_unit_test(test_order_and_size))
