/*
 * Tests of train/runs/run_flags.c: flag files.
 */
#include "train/runs/run_flags.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "tests/support/t.h"

static struct t2_err err;
static void test_flag_files(void **state)
{
    const char *text = "with space", *none = NULL;
    int64_t n = 300;
    bool yes = true, no = false;
    const struct t2_flag flags[] = {
        {NULL, T2_FLAG_GROUP, NULL, NULL, "Heading", NULL},
        {"output_dir", T2_FLAG_STRING, &text, NULL, "", NULL},
        {"model", T2_FLAG_STRING, &none, NULL, "", NULL},
        {"train_steps", T2_FLAG_INT, &n, NULL, "", NULL},
        {"eval_use_test_set", T2_FLAG_BOOL, &no, NULL, "", NULL},
        {"resume", T2_FLAG_BOOL, &yes, NULL, "", NULL},
    };
    const char *dir = t_tmp_path("flags");
    char *all = t2_path_join(dir, "flags.txt"), *common = t2_path_join(dir, "flags_t2t.txt");
    char *content;
    size_t size;

    (void) state;
    assert_int_equal(t2_make_dirs(dir, &err), T2_OK);
    assert_int_equal(tr_flags_write(dir, flags, 6, &err), T2_OK);
    content = t_read_file(all, &size);
    assert_string_equal(content, "--output_dir=with space\n--train_steps=300\n"
                                 "--noeval_use_test_set\n--resume\n");
    free(content);
    content = t_read_file(common, &size);
    assert_string_equal(content, "--model=None\n--train_steps=300\n--eval_use_test_set=False");
    free(content);
    t2_free(all);
    t2_free(common);
}

T_MAIN(cmocka_unit_test(test_flag_files))
