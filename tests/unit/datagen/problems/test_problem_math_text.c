/*
 * test_problem_math_text.c - questions and answers, line by line; equations with a colon.
 */
#include "tests/support/problem_check.h"

/* Out of the archive, under T2T's name of the folder; a question without an answer is left. */
static void test_deepmind(void **state)
{
    static const char *const members[] = {"v1.0/train-hard/z.txt",
                                          "hard?\n7\n",
                                          "v1.0/train-easy/b.txt",
                                          " q3 \n a3\nlost\n",
                                          "v1.0/train-easy/a.txt",
                                          "q1\na1\nq2\na2",
                                          "v1.0/train-medium/m.txt",
                                          "m?\n5\n",
                                          "v1.0/extrapolate/e.txt",
                                          "big?\n100\n",
                                          "v1.0/interpolate/i.txt",
                                          "small?\n1\n",
                                          "v1.0/train-easy/notes.md",
                                          "not\nquestions\n",
                                          NULL};

    (void) state;
    pc_put_tgz("math", "mathematics_dataset-v1.0.tar.gz", members);
    pc_check("algorithmic_math_deepmind_all", "math", DG_TRAIN,
             "q1|a1\nq2|a2\nq3|a3\nm?|5\nhard?|7\n");
    pc_check("algorithmic_math_deepmind_all", "math", DG_DEV, "small?|1\nbig?|100\n");
    assert_int_equal(pc_generate("algorithmic_math_deepmind_all", "math", DG_TRAIN), 5);
}

/* The name that the public archive has. */
static void test_unpacked(void **state)
{
    (void) state;
    pc_put_text("plain", "mathematics_dataset-v1.0/train-easy/a.txt", "q\na\n");
    pc_put_text("plain", "mathematics_dataset-v1.0/train-medium/a.txt", "r\nb\n");
    pc_put_text("plain", "mathematics_dataset-v1.0/train-hard/a.txt", "s\nc\n");
    pc_check("algorithmic_math_deepmind_all", "plain", DG_TRAIN, "q|a\nr|b\ns|c\n");
}

/* Every eleventh goes to dev. */
static void test_two_variables(void **state)
{
    struct t2_buf text = {0};

    (void) state;
    for (int i = 0; i < 21; i++)
        t2_buf_printf(&text, "y=%d,x=2,y*x:%d\n", i, 2 * i);
    t2_buf_puts(&text, "a:b:c\nno colon\n");
    pc_put("two", "symbolic_math_train.txt", text.data, text.len_bytes);
    assert_int_equal(pc_generate("algorithmic_math_two_variables", "two", DG_TRAIN), 20);
    assert_int_equal(pc_generate("algorithmic_math_two_variables", "two", DG_DEV), 1);
    t2_buf_release(&text);
}

T_MAIN(cmocka_unit_test(test_deepmind), cmocka_unit_test(test_unpacked),
       cmocka_unit_test(test_two_variables))
