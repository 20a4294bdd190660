/*
 * tests/unit/base/test_flags.c - parsing command lines: all types and spellings, every error, the
 * common flags.
 */
#include "base/flags.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/log.h"
#include "tests/unit/base/in_child.h"

static struct {
    const char *data_dir;
    int64_t train_steps;
    double rate;
    bool shuffle, no_clobber;
    uint64_t memory;
    bool steps_given;
    const char *json;
    bool json_given;
    int64_t n;
    struct t2_strs list;
} v;

static const struct t2_flag rows[] = {
    {NULL, T2_FLAG_GROUP, NULL, NULL, "Data", NULL},
    {"data_dir", T2_FLAG_STRING, &v.data_dir, "DIR", "Where.", NULL},
    {"train_steps", T2_FLAG_INT, &v.train_steps, NULL, "How long.", &v.steps_given},
    {"rate", T2_FLAG_DOUBLE, &v.rate, NULL, "How fast.", NULL},
    {"shuffle", T2_FLAG_BOOL, &v.shuffle, NULL, "Mix.", NULL},
    {"no_clobber", T2_FLAG_BOOL, &v.no_clobber, NULL, "Keep.", NULL},
    {"memory", T2_FLAG_SIZE, &v.memory, NULL, "How much.", NULL},
    {"json", T2_FLAG_OPTION, &v.json, "SHAPE", "As JSON.", &v.json_given},
    {"n", T2_FLAG_INT, &v.n, "N", "How many.", NULL},
    {"file", T2_FLAG_LIST, &v.list, "FILE", "Several.", NULL},
};
static struct t2_tool tool = {.name = "test-tool",
                              .usage = "[flags] FILE...",
                              .summary = "Tests.",
                              .examples = "  test-tool x\n",
                              .flags = rows,
                              .n_flags = sizeof rows / sizeof *rows};

enum { MAX_ARGS = 8 };

static struct t2_strs rest;

static enum t2_status parse(struct t2_err *err, const char *const *words)
{
    static char copies[MAX_ARGS][200];
    char *argv[MAX_ARGS + 2];
    int argc = 1;
    static char name[] = "test-tool";

    t2_strs_release(&v.list);
    memset(&v, 0, sizeof v);
    v.data_dir = "default";
    t2_strs_release(&rest);
    argv[0] = name;
    for (; words[argc - 1]; argc++) {
        snprintf(copies[argc - 1], sizeof copies[0], "%s", words[argc - 1]);
        argv[argc] = copies[argc - 1];
    }
    argv[argc] = NULL;
    return t2_flags_parse(&tool, argc, argv, &rest, err);
}

#define PARSE(...) parse(&err, (const char *const[]){__VA_ARGS__, NULL})
#define ASSERT_USAGE(text, ...)                                                                    \
    do {                                                                                           \
        assert_int_equal(PARSE(__VA_ARGS__), T2_EUSAGE);                                           \
        assert_int_equal(err.status, T2_EUSAGE);                                                   \
        assert_string_equal(err.message, text);                                                    \
    } while (0)

static void test_remote_paths_are_refused(void **state)
{
    static const char *const paths[] = {"FILE", "FILES", "DIR", "STEP|FILE", "OUT", "A FILE,..."};
    static const char *const others[] = {"LAYOUT", "PROFILE", "URL", "TEXT", "N", "DIRECTION"};
    struct t2_err err = T2_ERR_INIT;

    (void) state;
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
        assert_true(t2_flag_takes_path(
            &(struct t2_flag){"x", T2_FLAG_STRING, &v.json, paths[i], "", NULL}));
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        assert_false(t2_flag_takes_path(
            &(struct t2_flag){"x", T2_FLAG_STRING, &v.json, others[i], "", NULL}));
    assert_int_equal(PARSE("--data_dir=hdfs://b/x"), T2_EUNSUPPORTED);
    assert_int_equal(PARSE("--data_dir", "file:///x"), T2_EUNSUPPORTED);
    assert_int_equal(PARSE("--file=x", "--file=y,hdfs://b/x"), T2_EUNSUPPORTED);
    assert_int_equal(PARSE("hdfs://b/x"), T2_EUNSUPPORTED);
    assert_int_equal(PARSE("--", "hdfs://b/x"), T2_EUNSUPPORTED);
    assert_int_equal(PARSE("--data_dir=gs://b/x", "s3://b/y"), T2_OK);
    tool.local_flags = "file data_dir";
    assert_int_equal(PARSE("--data_dir=gs://b/x"), T2_EUNSUPPORTED);
    assert_non_null(strstr(err.message, "flag '--data_dir': 'gs://b/x': only a local path"));
    assert_int_equal(PARSE("--file=a,s3://b/x"), T2_EUNSUPPORTED);
    assert_int_equal(PARSE("gs://b/x"), T2_OK);
    tool.local_flags = NULL;
    assert_int_equal(PARSE("--json=gs://b/x"), T2_OK);
    assert_int_equal(PARSE("x/gs://b/x"), T2_OK);
}

static void test_given_several_times(void **state)
{
    struct t2_err err = T2_ERR_INIT;

    (void) state;
    assert_int_equal(PARSE("--file=a", "--n=2", "--file", "b,c"), T2_OK);
    assert_int_equal(v.list.n, 2);
    assert_string_equal(v.list.items[0], "a");
    assert_string_equal(v.list.items[1], "b,c");
    assert_int_equal(PARSE("--n=2"), T2_OK);
    assert_int_equal(v.list.n, 0);
}

static void test_nothing(void **state)
{
    struct t2_err err = T2_ERR_INIT;

    (void) state;
    assert_int_equal(parse(&err, (const char *const[]){NULL}), T2_OK);
    assert_string_equal(v.data_dir, "default");
    assert_false(v.steps_given);
    assert_int_equal(rest.n, 0);
}

static void test_every_type(void **state)
{
    struct t2_err err = T2_ERR_INIT;

    (void) state;
    assert_int_equal(PARSE("--data_dir=/d=e", "--train_steps=-5", "--rate=1e-3", "--shuffle",
                           "--memory=2K"),
                     T2_OK);
    assert_string_equal(v.data_dir, "/d=e");
    assert_int_equal(v.train_steps, -5);
    assert_true(v.steps_given);
    assert_true(v.rate == 1e-3);
    assert_true(v.shuffle);
    assert_int_equal(v.memory, 2048);
    assert_int_equal(PARSE("--data_dir="), T2_OK);
    assert_string_equal(v.data_dir, "");
}

static void test_spellings(void **state)
{
    struct t2_err err = T2_ERR_INIT;

    (void) state;
    assert_int_equal(PARSE("--data-dir", "-x", "--train-steps", "-5", "-rate=2"), T2_OK);
    assert_string_equal(v.data_dir, "-x");
    assert_int_equal(v.train_steps, -5);
    assert_true(v.rate == 2);
    assert_int_equal(PARSE("--train_steps=1", "--train_steps=2"), T2_OK);
    assert_int_equal(v.train_steps, 2);
}

static void test_bools(void **state)
{
    struct t2_err err = T2_ERR_INIT;

    (void) state;
    assert_int_equal(PARSE("--shuffle", "--noshuffle"), T2_OK);
    assert_false(v.shuffle);
    assert_int_equal(PARSE("--shuffle=yes"), T2_OK);
    assert_true(v.shuffle);
    assert_int_equal(PARSE("--shuffle", "--shuffle=false"), T2_OK);
    assert_false(v.shuffle);
    /* A bool takes no second word. */
    assert_int_equal(PARSE("--shuffle", "false"), T2_OK);
    assert_true(v.shuffle);
    assert_int_equal(rest.n, 1);
    /* A flag whose own name starts with "no". */
    assert_int_equal(PARSE("--no_clobber"), T2_OK);
    assert_true(v.no_clobber);
    assert_int_equal(PARSE("--no_clobber", "--nono-clobber"), T2_OK);
    assert_false(v.no_clobber);
}

static void test_positional(void **state)
{
    struct t2_err err = T2_ERR_INIT;

    (void) state;
    assert_int_equal(PARSE("a", "--shuffle", "-", "-5", "--", "--shuffle=x", "--"), T2_OK);
    assert_int_equal(rest.n, 5);
    assert_string_equal(rest.items[0], "a");
    assert_string_equal(rest.items[1], "-");
    assert_string_equal(rest.items[2], "-5");
    assert_string_equal(rest.items[3], "--shuffle=x");
    assert_string_equal(rest.items[4], "--");
    t2_strs_release(&rest);
}

static void test_unknown(void **state)
{
    struct t2_err err = T2_ERR_INIT;

    (void) state;
    ASSERT_USAGE("unknown flag '--tran_steps'; did you mean '--train_steps'? (see --help)",
                 "--tran_steps=5");
    ASSERT_USAGE("unknown flag '--quite'; did you mean '--quiet'? (see --help)", "--quite");
    ASSERT_USAGE("unknown flag '--hepl'; did you mean '--help'? (see --help)", "--hepl");
    ASSERT_USAGE("unknown flag '--dat-dir'; did you mean '--data_dir'? (see --help)", "--dat-dir");
    ASSERT_USAGE("unknown flag '--zzzzzz' (see --help)", "--zzzzzz");
    /* No abbreviations, no "no" for what is not a bool. */
    ASSERT_USAGE("unknown flag '--notrain_steps'; did you mean '--train_steps'? (see --help)",
                 "--notrain_steps");
}

static void test_missing_values(void **state)
{
    struct t2_err err = T2_ERR_INIT;

    (void) state;
    ASSERT_USAGE("flag '--data_dir' needs a value: --data_dir=DIR", "--data_dir");
    ASSERT_USAGE("flag '--data_dir' needs a value: --data_dir=DIR", "--data_dir", "--shuffle");
    ASSERT_USAGE("flag '--train_steps' needs a value: --train_steps=N", "--train-steps");
    ASSERT_USAGE("flag '--rate' needs a value: --rate=X", "--rate", "--");
    ASSERT_USAGE("flag '--memory' needs a value: --memory=SIZE", "--memory");
    ASSERT_USAGE("flag '--verbosity' needs a value: --verbosity=LEVEL", "--verbosity");
}

static void test_wrong_values(void **state)
{
    struct t2_err err = T2_ERR_INIT;

    (void) state;
    ASSERT_USAGE("flag '--train_steps': '1k' is not an integer", "--train_steps=1k");
    ASSERT_USAGE("flag '--train_steps': '' is not an integer", "--train_steps=");
    ASSERT_USAGE("flag '--rate': 'fast' is not a number", "--rate", "fast");
    ASSERT_USAGE("flag '--shuffle': 'maybe' is not true or false", "--shuffle=maybe");
    ASSERT_USAGE("flag '--noshuffle' takes no value", "--noshuffle=true");
    ASSERT_USAGE("flag '--memory': '5X' is not a size such as 512M or 4G", "--memory=5X");
    ASSERT_USAGE("flag '--verbosity': 'loud' is not error, warning, info or debug",
                 "--verbosity=loud");
    ASSERT_USAGE("flag '--num_threads' must be between 0 and 1024", "--num_threads=-1");
    ASSERT_USAGE("flag '--num_threads' must be between 0 and 1024", "--num_threads=5000");
}

static void test_common(void **state)
{
    struct t2_err err = T2_ERR_INIT;

    (void) state;
    assert_int_equal(PARSE("--num-threads=3", "--quiet"), T2_OK);
    assert_int_equal(t2_flags_num_threads(), 3);
    assert_true(t2_flags_quiet());
    assert_false(t2_log_enabled(T2_LOG_INFO));
    assert_true(t2_log_enabled(T2_LOG_WARNING));
    assert_int_equal(PARSE("--verbosity=debug"), T2_OK);
    assert_int_equal(t2_flags_num_threads(), 0);
    assert_false(t2_flags_quiet());
    assert_true(t2_log_enabled(T2_LOG_DEBUG));
    assert_string_equal(t2_log_tool(), "test-tool");
    t2_log_set_level(T2_LOG_INFO);
}

static void test_tool_row_hides_common_flag(void **state)
{
    int64_t own = 0;
    const struct t2_flag row = {"num_threads", T2_FLAG_INT, &own, NULL, "Mine.", NULL};
    const struct t2_tool t = {.name = "t", .summary = "T.", .flags = &row, .n_flags = 1};
    struct t2_err err = T2_ERR_INIT;
    char name[] = "t", flag[] = "--num_threads=7";
    char *argv[] = {name, flag, NULL};

    (void) state;
    assert_int_equal(t2_flags_parse(&t, 2, argv, &rest, &err), T2_OK);
    assert_int_equal(own, 7);
    assert_int_equal(t2_flags_num_threads(), 0);
}

static void parse_one(void *word)
{
    struct t2_err err = T2_ERR_INIT;

    if (PARSE("--nonsense", word) != T2_OK)
        exit(t2_report(&err));
}

static void test_help_and_version(void **state)
{
    char help[] = "--help", h[] = "-h", version[] = "--version", other[] = "x";
    const struct child *c = child_run(parse_one, help);

    (void) state;
    assert_int_equal(c->exit_code, 0);
    assert_memory_equal(c->out, "usage: test-tool [flags] FILE...\n", 33);
    assert_string_equal(c->err, "");
    assert_int_equal(child_run(parse_one, h)->exit_code, 0);
    c = child_run(parse_one, version);
    assert_int_equal(c->exit_code, 0);
    assert_memory_equal(c->out, "test-tool ", 10);
    assert_int_equal(child_run(parse_one, other)->exit_code, 2);
}

static void help_to_full_disk(void *word)
{
    if (!freopen("/dev/full", "w", stdout))
        exit(77);
    parse_one(word);
}

static void test_closing_stdout_is_checked(void **state)
{
    char help[] = "--help";
    const struct child *c = child_run(help_to_full_disk, help);

    (void) state;
    if (c->exit_code == 77)
        t_skip("no /dev/full");
    assert_int_equal(c->exit_code, 1);
    assert_string_equal(c->err, "test-tool: error: cannot write to stdout\n");
}

static void test_command_line(void **state)
{
    char a[] = "bin/tool", b[] = "--x=1,2", c[] = "a b", d[] = "it's", e[] = "", f[] = "$HOME*";
    char *argv[] = {a, b, c, d, e, f, NULL};
    char *line = t2_flags_command_line(6, argv);

    (void) state;
    assert_string_equal(line, "bin/tool --x=1,2 'a b' 'it'\\''s' '' '$HOME*'");
    t2_free(line);
    line = t2_flags_command_line(0, argv);
    assert_string_equal(line, "");
    t2_free(line);
}

/* A value only after '=': what follows is an argument of its own. */
static void test_option(void **state)
{
    struct t2_err err = T2_ERR_INIT;

    (void) state;
    assert_int_equal(PARSE("x"), T2_OK);
    assert_null(v.json);
    assert_false(v.json_given);
    assert_int_equal(PARSE("--json", "proto"), T2_OK);
    assert_string_equal(v.json, "");
    assert_true(v.json_given);
    assert_int_equal(rest.n, 1);
    assert_string_equal(rest.items[0], "proto");
    assert_int_equal(PARSE("--json=proto"), T2_OK);
    assert_string_equal(v.json, "proto");
    assert_int_equal(rest.n, 0);
    assert_int_equal(PARSE("--json="), T2_OK);
    assert_string_equal(v.json, "");
    assert_int_equal(PARSE("--json=a", "--json"), T2_OK); /* the last one wins */
    assert_string_equal(v.json, "");
    assert_int_equal(PARSE("--nojson"), T2_EUSAGE);
}

static void test_one_letter(void **state)
{
    struct t2_err err = T2_ERR_INIT;

    (void) state;
    assert_int_equal(PARSE("-n", "5", "x"), T2_OK);
    assert_int_equal(v.n, 5);
    assert_int_equal(rest.n, 1);
    assert_int_equal(PARSE("-n=6"), T2_OK);
    assert_int_equal(v.n, 6);
    assert_int_equal(PARSE("-n", "-7"), T2_OK);
    assert_int_equal(v.n, -7);
    assert_int_equal(PARSE("-n"), T2_EUSAGE);
    t_assert_contains(err.message, "'--n' needs a value");
    assert_int_equal(PARSE("-n", "x"), T2_EUSAGE);
    assert_int_equal(PARSE("-m", "5"), T2_EUSAGE);
    t_assert_contains(err.message, "unknown flag");
}

static void test_j(void **state)
{
    struct t2_err err = T2_ERR_INIT;

    (void) state;
    assert_int_equal(PARSE("-j", "3", "x"), T2_OK);
    assert_int_equal(t2_flags_num_threads(), 3);
    assert_int_equal(rest.n, 1);
    assert_int_equal(PARSE("-j=4"), T2_OK);
    assert_int_equal(t2_flags_num_threads(), 4);
    assert_int_equal(PARSE("--num_threads=2", "-j", "5"), T2_OK);
    assert_int_equal(t2_flags_num_threads(), 5);
    assert_int_equal(PARSE("x"), T2_OK);
    assert_int_equal(t2_flags_num_threads(), 0);
    assert_int_equal(PARSE("-j", "-1"), T2_EUSAGE);
    assert_int_equal(PARSE("-j", "many"), T2_EUSAGE);
    t_assert_contains(err.message, "'--num_threads': 'many' is not an integer");
}

T_MAIN(cmocka_unit_test(test_option), cmocka_unit_test(test_one_letter), cmocka_unit_test(test_j),
       cmocka_unit_test(test_nothing), cmocka_unit_test(test_remote_paths_are_refused),
       cmocka_unit_test(test_given_several_times), cmocka_unit_test(test_every_type),
       cmocka_unit_test(test_spellings), cmocka_unit_test(test_bools),
       cmocka_unit_test(test_positional), cmocka_unit_test(test_unknown),
       cmocka_unit_test(test_missing_values), cmocka_unit_test(test_wrong_values),
       cmocka_unit_test(test_common), cmocka_unit_test(test_tool_row_hides_common_flag),
       cmocka_unit_test(test_help_and_version), cmocka_unit_test(test_closing_stdout_is_checked),
       cmocka_unit_test(test_command_line))
