/*
 * test_word_list.c - order, reserved entries, the last line.
 */
#include "datagen/problems/word_list.h"

#include <stdlib.h>

#include "tests/support/t.h"

static void check(const char *text, size_t most, bool reserved, const char *expected)
{
    const struct dg_options options = {.data_dir = t_tmp_path(".")};
    struct dg_ranked_words *words = dg_ranked_words_new(&options, DG_EQUALS_BY_BYTES);
    struct t2_err err = T2_ERR_INIT;
    char *found;
    size_t n;

    dg_ranked_words_add_text(words, t2_slice_of(text));
    assert_int_equal(dg_write_word_list(words, most, reserved, t_tmp_path("list"), &err), T2_OK);
    found = t_read_file(t_tmp_path("list"), &n);
    assert_string_equal(found, expected);
    free(found);
    dg_ranked_words_free(words);
}

static void test_order(void **state)
{
    (void) state;
    check("b a\tb \xc3\xa4 c  b a\r\n", 0, false, "b\na\nc\n\xc3\xa4");
    check("b a b c b a", 2, false, "b\na");
    check("b <EOS> a <EOS> <pad> b", 0, true, "<pad>\n<EOS>\nb\na\n");
    check("<EOS> <EOS> x", 0, false, "<EOS>\nx");
    check("", 0, true, "<pad>\n<EOS>\n");
    check(" \n", 0, false, "");
}

static void test_no_folder(void **state)
{
    const struct dg_options options = {.data_dir = t_tmp_path(".")};
    struct dg_ranked_words *words = dg_ranked_words_new(&options, DG_EQUALS_BY_BYTES);
    struct t2_err err = T2_ERR_INIT;

    (void) state;
    assert_int_not_equal(dg_write_word_list(words, 0, true, "/dev/null/list", &err), T2_OK);
    dg_ranked_words_free(words);
}

T_MAIN(cmocka_unit_test(test_order), cmocka_unit_test(test_no_folder))
