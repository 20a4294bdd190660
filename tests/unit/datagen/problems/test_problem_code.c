/*
 * test_problem_code.c - programs and their descriptions: JSON lines, CSV lines, folders of tasks.
 */
#include "tests/support/problem_check.h"

static void put_gz(const char *folder, const char *name, const char *text)
{
    struct t2_buf gz = {0};

    pc_gzip(&gz, text, strlen(text));
    pc_put(folder, name, gz.data, gz.len_bytes);
    t2_buf_release(&gz);
}

static void test_algolisp(void **state)
{
    static const char train[] = "{\"text\": [\"you\", \"are\"], \"short_tree\": [\"map\", \"a\", "
                                "[\"lambda1\", [\"+\", \"arg1\"]]]}\n"
                                "{\"text\": [\"x\"], \"short_tree\": [1]}\n"
                                "not JSON\n"
                                "{\"text\": \"x\", \"short_tree\": []}\n"
                                "{\"text\": [], \"short_tree\": []}\n";
    struct dg_options options = pc_options("lisp");
    struct t2_buf text = {0};

    (void) state;
    put_gz("lisp", "metaset3.train.jsonl.gz", train);
    put_gz("lisp", "metaset3.dev.jsonl.gz", "{\"text\": [\"a\"], \"short_tree\": [\"b\"]}");
    pc_samples("program_search_algolisp", &options, DG_TRAIN, &text);
    t_assert_contains(t2_buf_cstr(&text), "you are|[ map a [ lambda1 [ + arg1 ] ] ]\n");
    pc_check("program_search_algolisp", "lisp", DG_DEV, "a|[ b ]\n");
    assert_int_equal(pc_generate("program_search_algolisp", "lisp", DG_TRAIN), 2);
    t2_buf_release(&text);
}

static void test_functions(void **state)
{
    struct dg_options options = pc_options("doc");
    struct t2_buf text = {0};

    (void) state;
    for (int i = 0; i < 100; i++) {
        char *name = t2_asprintf("func-doc-pairs-%05d-of-00100.csv", i);
        pc_put_text("doc", name,
                    i ? "a,b\n" : "adds two,\"def f(a, b): \"\"x\"\"\"\n one,two,three\nlast , y");
        t2_free(name);
    }
    pc_samples("github_function_docstring", &options, DG_TRAIN, &text);
    t_assert_contains(t2_buf_cstr(&text), "adds two|def f(a, b): \"x\"\n");
    t_assert_contains(t2_buf_cstr(&text), "last | y\n");
    assert_int_equal(pc_generate("github_function_docstring", "doc", DG_TRAIN), 100);
    t2_buf_release(&text);
}

/* Task i of 30; two have no solution in Python, one only a foreign one. */
static void put_tasks(void)
{
    for (int i = 0; i < 30; i++) {
        char *folder = t2_asprintf("description2code_current/site/t%02d", i);
        char *description = t2_asprintf("%s/description/description.txt", folder);
        char *python = t2_asprintf("%s/solutions_python/1.txt", folder);
        char *cpp = t2_asprintf("%s/solutions_c++/1.txt", folder);
        char *text = t2_asprintf("  task %d\r\nof many\n", i);
        char *code = t2_asprintf(i == 5 ? "#include <x> %d" : "if x:\n\tprint(%d)\n", i);
        pc_put_text("code", description, text);
        if (i != 3 && i != 4)
            pc_put_text("code", python, code);
        pc_put_text("code", cpp, "int  x; // a comment\n\tx = 1; // no line end");
        t2_free(folder);
        t2_free(description);
        t2_free(python);
        t2_free(cpp);
        t2_free(text);
        t2_free(code);
    }
}

static void test_tasks(void **state)
{
    struct dg_options options = pc_options("code");
    struct t2_buf train = {0}, dev = {0};

    (void) state;
    put_tasks();
    /* 28 tasks with a folder for Python: random.Random(7531) puts task 25 first, 1/25 is dev */
    pc_samples("programming_desc2code_py", &options, DG_DEV, &dev);
    pc_samples("programming_desc2code_py", &options, DG_TRAIN, &train);
    assert_string_equal(t2_buf_cstr(&dev), "task 25\r\nof many|if x:\n    print(25)\n");
    assert_null(strstr(t2_buf_cstr(&train), "task 3\r"));
    assert_null(strstr(t2_buf_cstr(&train), "include"));
    t_assert_contains(t2_buf_cstr(&train), "task 29\r\nof many|if x:\n    print(29)\n");
    t2_buf_clear(&dev);
    pc_samples("programming_desc2code_cpp", &options, DG_DEV, &dev);
    t_assert_contains(t2_buf_cstr(&dev), "of many|int x; x = 1; // no line end\n");
    assert_int_equal(pc_generate("programming_desc2code_py", "code", DG_TRAIN), 26);
    assert_true(t2_exists(t_tmp_path("data/vocab.py.4096")));
    assert_true(t2_exists(t_tmp_path("data/vocab.endefr.32768")));
    t2_buf_release(&train);
    t2_buf_release(&dev);
}

T_MAIN(cmocka_unit_test(test_algolisp), cmocka_unit_test(test_functions),
       cmocka_unit_test(test_tasks))
