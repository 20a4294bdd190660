/*
 * tests/unit/datagen/problems/test_problem_babi.c - stories, questions, the joint training file,
 * the vocabulary.
 */
#include "tests/unit/datagen/problems/samples.h"

static void test_stories(void **state)
{
    (void) state;
    s_put("tasks_1-20_v1-2/en/qa2_two-supporting-facts_train.txt",
          "1 Mary left.\n2 Where is Mary? \toff,ice\t1\n1 New story, here.\n2 So?\tyes\t1\n");
    s_put("tasks_1-20_v1-2/en/qa10_indefinite-knowledge_train.txt", "1 Ten.\n2 Q?\tno\t1\n");
    s_put("tasks_1-20_v1-2/en/qa2_two-supporting-facts_test.txt",
          "1 It's dark.\n2 Is it?\tmaybe\t1\n");
    s_check("babi_qa_concat_task2_1k", DG_TRAIN,
            "Q ?|Ten .>no\nWhere is Mary ?|Mary left .>office\nSo ?|New story , here .>yes\n");
    s_check("babi_qa_concat_task2_1k", DG_DEV, "Is it ?|It ' s dark .>maybe\n");
    s_check_vocab(
        "babi_qa_concat_task2_1k",
        "<pad>\n<EOS>\n.\n?\nMary\n'\n,\nIs\nIt\nNew\nQ\nSo\nTen\nWhere\ndark\nhere\nis\nit\nleft\n"
        "maybe\nno\noffice\ns\nstory\nyes\n");
    s_check_contains("babi_qa_concat_task3_1k", DG_DEV, "is not among the files of bAbI");
}

static void test_a_joint_file_is_taken(void **state)
{
    (void) state;
    s_put("tasks_1-20_v1-2/en/qa0_all-tasks_train.txt", "1 A.\n2 Q?\ta\t1\n");
    s_check("babi_qa_concat_all_tasks_1k", DG_TRAIN, "Q ?|A .>a\n");
    s_check("babi_qa_concat_all_tasks_1k", DG_DEV, "Is it ?|It ' s dark .>maybe\n");
}

static void test_refusals(void **state)
{
    (void) state;
    s_put("tasks_1-20_v1-2/en/qa0_all-tasks_train.txt", "1 A.\nx Q?\ta\t1\n");
    s_check_contains("babi_qa_concat_task2_1k", DG_TRAIN, "line 2: must begin with its number");
    s_put("tasks_1-20_v1-2/en/qa0_all-tasks_train.txt", "1 Q?\ta\n");
    s_check_contains("babi_qa_concat_task2_1k", DG_TRAIN, "a question has three columns");
}

T_MAIN(cmocka_unit_test(test_stories), cmocka_unit_test(test_a_joint_file_is_taken),
       cmocka_unit_test(test_refusals))
