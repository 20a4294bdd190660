/*
 * tests/unit/datagen/problem_files/test_problem_draft.c - each key goes with its kinds.
 */
#include "datagen/problem_files/problem_draft.h"

#include "tests/unit/datagen/problem_files/problem_text.h"

static void test_kinds(void **state)
{
    static const struct t_refused cases[] = {
        {"refusal: r\nvocab_size: 1\nmix: a:1\n", "key 'mix' does not go with refusal"},
        {"members: [a, b]\ntrain: x\n", "key 'train' does not go with members"},
        {"kind: rows\nclean_text: true\n", "key 'clean_text' does not go with kind: rows"},
        {"kind: translation\nclasses: [a]\n", "key 'classes' does not go with kind: translation"},
        {"train: x\ncolumns: {}\n", "key 'columns' does not go with text of one's own"},
        {"train: x\nfamily: F\n", "key 'family' does not go with text of one's own"},
        {"train: x\nkind: lines\n", "--kind='lines': must be text2text"},
        {"trian: x\n", "key 'trian' is not known; did you mean 'train'?"},
        {"problem: []\n", "key 'problem' is not known; did you mean 'problems'?"},
        {"refusal: r\nvocab_size: 5000000000\n", "vocab_size must be a smaller number"},
    };

    (void) state;
    T_CHECK_REFUSED(cases);
}

T_MAIN(cmocka_unit_test(test_kinds))
