/*
 * tests/unit/datagen/problems/test_problem_lambada.c - passages, last words, the archive in the
 * archive.
 */
#include <unistd.h>

#include "tests/unit/datagen/problems/samples.h"

static void test_passages(void **state)
{
    static const struct t_member novels[] = {{"train-novels/F/b.txt", "b one\r\n\n", NULL, NULL},
                                             {"train-novels/F/a.txt", "  a  last\n", NULL, NULL}};
    struct t_member members[] = {{"lambada-vocab-2.txt", "the\t9\nof\t3\n", NULL, NULL},
                                 {"lambada_development_plain_text.txt", "d w\n", NULL, NULL},
                                 {"lambada_control_test_data_plain_text.txt", "c w\n", NULL, NULL}};

    (void) state;
    (void) s_options();
    t_write_archive(t_tmp_path("tmp/train-novels.tar"), "ustar", "none", NULL, novels, 2);
    t_write_archive(t_tmp_path("tmp/lambada-dataset.tar.gz"), "ustar", "gzip", NULL, members, 3);
    s_check("lambada_lm", DG_TRAIN, ">a last\n>b one\n>\n");
    s_check("lambada_rc", DG_TRAIN, "a>last\nb>one\n(blank line)\n");
    s_check("lambada_rc", DG_DEV, "d>w\n");
    s_check("lambada_rc_control", DG_DEV, "c>w\n");
    s_check_vocab("lambada_rc", "<UNK>\nthe\nof");
    assert_true(dg_find("lambada_rc")->text.targets_are_labels);
}

static void test_novels_are_unpacked_once(void **state)
{
    static const struct t_member novels[] = {{"train-novels.tar", "not a tar", NULL, NULL}};

    (void) state;
    remove(t_tmp_path("tmp/train-novels.tar"));
    t_write_archive(t_tmp_path("tmp/lambada-dataset.tar.gz"), "ustar", "gzip", NULL, novels, 1);
    s_check_contains("lambada_lm", DG_TRAIN, "train-novels");
    assert_int_equal(access(t_tmp_path("tmp/train-novels.tar"), F_OK), 0);
}

T_MAIN(cmocka_unit_test(test_passages), cmocka_unit_test(test_novels_are_unpacked_once))
