/*
 * tests/unit/base/test_completion.c - rows of flag tables, and what each shell gets of them.
 */
#include "base/completion.h"

#include <string.h>

#include "tests/support/t.h"

static const char *text_value, *shape;
static bool flag_value;

static void list_names(struct t2_strs *names)
{
    t2_strs_push(names, "one");
    t2_strs_push(names, "two");
}

static const struct t2_flag rows[] = {
    {NULL, T2_FLAG_GROUP, NULL, NULL, "Heading", NULL},
    {"name", T2_FLAG_STRING, &text_value, "NAME", "Of a registry: it's [one]; or not.", NULL},
    {"how", T2_FLAG_STRING, &text_value, "HOW", "At v1.5 of it. Second sentence.", NULL},
    {"mode", T2_FLAG_STRING, &text_value, "N|slow|fast", "Speed.", NULL},
    {"file", T2_FLAG_STRING, &text_value, "FILE", "File.", NULL},
    {"folder", T2_FLAG_STRING, &text_value, "DIR", "Folder.", NULL},
    {"shape", T2_FLAG_OPTION, &shape, "SHAPE", "May be left out.", NULL},
    {"o", T2_FLAG_STRING, &text_value, "FILE", "The same as --file.", NULL},
    {"deep", T2_FLAG_BOOL, &flag_value, NULL, "Look deeper.", NULL},
};
static const struct t2_flag_values values[] = {{"name", NULL, list_names},
                                               {"how", "so thus", NULL},
                                               {"sort:shape", "round", NULL},
                                               {NULL, NULL, NULL}};
static const struct t2_tool tool = {.name = "a-tool",
                                    .summary = "S.",
                                    .flags = rows,
                                    .n_flags = sizeof rows / sizeof *rows};

static void write_as(const char *shell, const char *command, struct t2_buf *out)
{
    struct t2_completion c = {.tool = "a-tool"};
    struct t2_err err = T2_ERR_INIT;

    t2_completion_add(&c, command, "Says what it does. More.", &tool, values);
    assert_int_equal(t2_completion_write(&c, shell, out, &err), T2_OK);
    t2_completion_release(&c);
}

static void test_table(void **state)
{
    struct t2_buf out = {0};

    (void) state;
    write_as("table", "", &out);
    t_assert_contains(t2_buf_cstr(&out), "\tname\twords\tNAME\tone two\tOf a registry: it's [one]\n"
                                         "\thow\twords\tHOW\tso thus\tAt v1.5 of it\n"
                                         "\tmode\twords\tN|slow|fast\tslow fast\tSpeed\n"
                                         "\tfile\tfile\tFILE\t\tFile\n"
                                         "\tfolder\tfolder\tDIR\t\tFolder\n"
                                         "\tshape\ttext\tSHAPE\t\tMay be left out\n"
                                         "\to\tfile\tFILE\t\tThe same as --file\n"
                                         "\tdeep\tnone\t\t\tLook deeper\n"
                                         "\tnodeep\tnone\t\t\tLook deeper\n"
                                         "\tnum_threads\t");
    t_assert_contains(t2_buf_cstr(&out), "\thelp\tnone\t");
    t2_buf_clear(&out);
    write_as("table", "sort", &out);
    t_assert_contains(t2_buf_cstr(&out), "sort\tshape\twords\tSHAPE\tround\t");
    t2_buf_release(&out);
}

static void test_bash(void **state)
{
    struct t2_buf out = {0};

    (void) state;
    write_as("bash", "", &out);
    t_assert_contains(t2_buf_cstr(&out), "_a_tool_completion()\n");
    t_assert_contains(t2_buf_cstr(&out),
                      "--name= --how= --mode= --file= --folder= --shape --shape= "
                      "--deep --nodeep ");
    t_assert_contains(t2_buf_cstr(&out), "    :name) kind=words words='one two' ;;\n");
    t_assert_contains(t2_buf_cstr(&out), "-F _a_tool_completion a-tool\n");
    t2_buf_release(&out);
}

/* Characters that mean something to the shell are quoted. */
static void test_zsh_and_fish(void **state)
{
    struct t2_buf out = {0};

    (void) state;
    write_as("zsh", "", &out);
    t_assert_contains(t2_buf_cstr(&out), "#compdef a-tool\n");
    t_assert_contains(t2_buf_cstr(&out),
                      "'--name=[Of a registry\\: it'\\''s \\[one\\]]:NAME:(one two)'");
    t_assert_contains(t2_buf_cstr(&out), "'--shape=-[May be left out]::SHAPE:'");
    t_assert_contains(t2_buf_cstr(&out), "'--folder=[Folder]:DIR:_files -/'");
    t2_buf_clear(&out);
    write_as("fish", "sort", &out);
    t_assert_contains(t2_buf_cstr(&out), "-a sort -d 'Says what it does'\n");
    t_assert_contains(t2_buf_cstr(&out), "from sort' -l name -x -a 'one two' -d 'Of a registry: "
                                         "it\\'s [one]'\n");
    t_assert_contains(t2_buf_cstr(&out), "from sort' -s o -r -F -d");
    t2_buf_release(&out);
}

static void test_other_shell(void **state)
{
    struct t2_completion c = {.tool = "a-tool"};
    struct t2_err err = T2_ERR_INIT;
    struct t2_buf out = {0};

    (void) state;
    assert_int_equal(t2_completion_write(&c, "csh", &out, &err), T2_EUSAGE);
    t_assert_contains(err.message, "'csh' is not bash, zsh or fish");
    t2_buf_release(&out);
    assert_string_equal(t2_completion_asked("--completion=zsh"), "zsh");
    assert_null(t2_completion_asked("--completion"));
    assert_null(t2_completion_asked("--complete=zsh"));
}

T_MAIN(cmocka_unit_test(test_table), cmocka_unit_test(test_bash),
       cmocka_unit_test(test_zsh_and_fish), cmocka_unit_test(test_other_shell))
