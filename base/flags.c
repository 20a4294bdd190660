/*
 * base/flags.c - parsing command lines.  --help is written by flags_help.c.
 *
 * Forms accepted, as absl's and getopt's users type them:
 *
 *   --name=value  --name value  -name=value  -name value     '-' and '_' in names are the same
 *   --bool  --nobool  --bool=false                           --option  --option=value (never apart)
 *   -j8  -j 8                                                --  ends flags
 *
 * "-" and "-5" are arguments.
 *
 * Values are stored as they are met, so of two the last wins.
 */
#include "base/flags.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "base/completion.h"
#include "base/flags_common.h"
#include "base/flags_foreign.h"
#include "base/flags_help.h"
#include "base/log.h"
#include "base/remote_path.h"
#include "base/version.h"

enum { MAX_THREADS = 1024 };

/* '-' and '_' are the same. */
static bool same_name(const char *name, const char *s, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        char c = s[i] == '-' ? '_' : s[i];

        if (name[i] == '\0' || (name[i] == '-' ? '_' : name[i]) != c)
            return false;
    }
    return name[n] == '\0';
}

static const struct t2_flag *find_in(const struct t2_flag *flags, size_t n_flags, const char *name,
                                     size_t n)
{
    for (size_t i = 0; i < n_flags; i++) {
        if (flags[i].type != T2_FLAG_GROUP && same_name(flags[i].name, name, n))
            return &flags[i];
    }
    return NULL;
}

/* A tool's own row hides a common flag of the same name.  "j" is the short name of the first. */
static const struct t2_flag *find_flag(const struct t2_tool *tool, const char *name, size_t n)
{
    const struct t2_flag *f = find_in(tool->flags, tool->n_flags, name, n);
    size_t n_common;
    const struct t2_flag *common = t2_flags_common(&n_common);

    if (!f && n == 1 && name[0] == 'j')
        return &common[0];
    return f ? f : find_in(common, n_common, name, n);
}

static enum t2_status unknown_flag(const struct t2_tool *tool, const char *name, size_t n,
                                   struct t2_err *err)
{
    static const char *const builtin[] = {"help", "version"};
    size_t n_common, n_names = 0;
    const struct t2_flag *common = t2_flags_common(&n_common);
    const char **names =
        t2_alloc(tool->n_flags + t2_foreign_count(tool) + n_common + 2, sizeof *names);
    char *wanted = t2_strndup(name, n);
    const char *nearest;

    for (size_t i = 0; i < tool->n_flags; i++) {
        if (tool->flags[i].type != T2_FLAG_GROUP)
            names[n_names++] = tool->flags[i].name;
    }
    for (size_t i = 0; i < t2_foreign_count(tool); i++)
        names[n_names++] = t2_foreign_at(tool, i)->name;
    for (size_t i = 0; i < n_common; i++)
        names[n_names++] = common[i].name;
    for (size_t i = 0; i < 2; i++)
        names[n_names++] = builtin[i];
    for (char *c = wanted; *c; c++) {
        if (*c == '-')
            *c = '_';
    }
    nearest = t2_nearest(wanted, names, n_names);
    if (nearest)
        (void) t2_fail(err, T2_EUSAGE, "unknown flag '--%.*s'; did you mean '--%s'? (see --help)",
                       (int) n, name, nearest);
    else
        (void) t2_fail(err, T2_EUSAGE, "unknown flag '--%.*s' (see --help)", (int) n, name);
    t2_free(wanted);
    t2_free(names);
    return T2_EUSAGE;
}

static enum t2_status bad_value(const struct t2_flag *f, const char *value, const char *wanted,
                                struct t2_err *err)
{
    return t2_fail(err, T2_EUSAGE, "flag '--%s': '%s' is not %s", f->name, value, wanted);
}

/* Whether the word of n letters at `word` stands for a path or several: FILE, FILES. */
static bool means_path(const char *word, size_t n)
{
    static const char *const words[] = {"FILE", "DIR", "INPUT", "OUT", "BASE", "CORPUS", "PREFIX"};

    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        size_t len = strlen(words[i]);

        if (strncmp(word, words[i], len) == 0 && (n == len || (n == len + 1 && word[len] == 'S')))
            return true;
    }
    return false;
}

bool t2_flag_takes_path(const struct t2_flag *f)
{
    const char *at = f->meta;

    if (f->type != T2_FLAG_STRING && f->type != T2_FLAG_OPTION && f->type != T2_FLAG_LIST)
        return false;
    while (at && *at) {
        size_t n = 0;

        while (isalpha((unsigned char) at[n]))
            n++;
        if (means_path(at, n))
            return true;
        at += n + (at[n] != '\0');
    }
    return false;
}

/* Whether the tool's list of words has the flag. */
static bool is_local_only(const struct t2_tool *tool, const struct t2_flag *f)
{
    size_t n = strlen(f->name);

    for (const char *at = tool->local_flags; at && *at; at += strspn(at, " ")) {
        size_t len = strcspn(at, " ");

        if (len == n && memcmp(at, f->name, n) == 0)
            return true;
        at += len;
    }
    return false;
}

static enum t2_status set_value(const struct t2_tool *tool, const struct t2_flag *f,
                                const char *value, struct t2_err *err)
{
    if (t2_flag_takes_path(f) &&
        (is_local_only(tool, f) ? t2_refuse_remote_list : t2_check_schemes)(value, err) != T2_OK)
        return t2_wrap(err, "flag '--%s'", f->name);
    switch (f->type) {
    case T2_FLAG_STRING:
    case T2_FLAG_OPTION:
        *(const char **) f->value = value;
        break;
    case T2_FLAG_LIST:
        t2_strs_push(f->value, value);
        break;
    case T2_FLAG_INT:
        if (!t2_parse_i64(value, f->value))
            return bad_value(f, value, "an integer", err);
        break;
    case T2_FLAG_DOUBLE:
        if (!t2_parse_double(value, f->value))
            return bad_value(f, value, "a number", err);
        break;
    case T2_FLAG_BOOL:
        if (!t2_parse_bool(value, f->value))
            return bad_value(f, value, "true or false", err);
        break;
    case T2_FLAG_SIZE:
        if (!t2_parse_size(value, f->value))
            return bad_value(f, value, "a size such as 512M or 4G", err);
        break;
    case T2_FLAG_GROUP:
        break;
    }
    if (f->given)
        *f->given = true;
    return T2_OK;
}

/* "--" or "--x" or "-x", not "-" (stdin) and not "-5" (a number). */
static bool is_flag(const char *arg)
{
    if (arg[0] != '-' || arg[1] == '\0')
        return false;
    return arg[1] == '-' || (arg[1] | 0x20) >= 'a';
}

/* A flag without a row, argv[*i]; a value that is an argument of its own is taken, too. */
static enum t2_status foreign_flag(const struct t2_tool *tool, int argc, char **argv, int *i,
                                   struct t2_err *err)
{
    const char *name = argv[*i] + (argv[*i][1] == '-' ? 2 : 1);
    size_t n = strcspn(name, "=");
    const char *value = name[n] == '=' ? name + n + 1 : NULL;
    bool negated;
    const struct t2_foreign *f = t2_foreign_find(tool, name, n, &negated);

    if (!f)
        return unknown_flag(tool, name, n, err);
    if (!value && f->is_bool)
        value = negated ? "false" : "true";
    else if (!value)
        value = *i + 1 < argc && strncmp(argv[*i + 1], "--", 2) != 0 ? argv[++*i] : "";
    return t2_foreign_judge(f, value, err);
}

/* One flag, argv[*i]; steps *i when the value is an argument of its own. */
static enum t2_status parse_flag(const struct t2_tool *tool, int argc, char **argv, int *i,
                                 struct t2_err *err)
{
    const char *name = argv[*i] + (argv[*i][1] == '-' ? 2 : 1);
    size_t n = strcspn(name, "=");
    const char *value = name[n] == '=' ? name + n + 1 : NULL;
    const struct t2_flag *f = find_flag(tool, name, n);

    if (!f && argv[*i][1] != '-' && n > 1 && !value && isdigit((unsigned char) name[1])) {
        f = find_flag(tool, name, 1); /* -j8 */
        if (f && f->type == T2_FLAG_INT)
            return set_value(tool, f, name + 1, err);
        f = NULL;
    }
    if (!f && n > 2 && strncmp(name, "no", 2) == 0) {
        f = find_flag(tool, name + 2, n - 2);
        if (f && f->type == T2_FLAG_BOOL) {
            if (value)
                return t2_fail(err, T2_EUSAGE, "flag '--%.*s' takes no value", (int) n, name);
            return set_value(tool, f, "false", err);
        }
        f = NULL;
    }
    if (!f)
        return foreign_flag(tool, argc, argv, i, err);
    if (!value && f->type == T2_FLAG_BOOL)
        value = "true";
    if (!value && f->type == T2_FLAG_OPTION)
        value = "";
    if (!value) {
        /* What starts with "--" is a flag; such a value must be given with '='. */
        if (*i + 1 >= argc || strncmp(argv[*i + 1], "--", 2) == 0)
            return t2_fail(err, T2_EUSAGE, "flag '--%s' needs a value: --%s=%s", f->name, f->name,
                           t2_flags_meta(f));
        value = argv[++*i];
    }
    return set_value(tool, f, value, err);
}

static _Noreturn void exit_after_stdout(void)
{
    if (fflush(stdout) != 0 || ferror(stdout)) {
        t2_log(T2_LOG_ERROR, "cannot write to stdout");
        exit(1);
    }
    exit(0);
}

/* --completion=SHELL of a tool without commands; those have it in subcommands.c. */
static enum t2_status print_completion(const struct t2_tool *tool, const char *shell,
                                       struct t2_err *err)
{
    struct t2_completion c = {.tool = tool->name};
    struct t2_buf text = {0};
    enum t2_status st;

    t2_completion_add(&c, "", tool->summary, tool, tool->values);
    st = t2_completion_write(&c, shell, &text, err);
    if (st == T2_OK)
        fputs(t2_buf_cstr(&text), stdout);
    t2_buf_release(&text);
    t2_completion_release(&c);
    if (st == T2_OK)
        exit_after_stdout();
    return st;
}

static t2_flags_see collect_see;
static void *collect_context;

void t2_flags_collect(t2_flags_see see, void *context)
{
    collect_see = see;
    collect_context = context;
}

static bool is_one_of(const char *arg, const char *a, const char *b, const char *c)
{
    return strcmp(arg, a) == 0 || strcmp(arg, b) == 0 || strcmp(arg, c) == 0;
}

/* Before anything is parsed, so that --help shows the defaults and works with any other mistake. */
static void look_for_help(const struct t2_tool *tool, int argc, char **argv)
{
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
        if (is_one_of(argv[i], "--help", "-help", "-h")) {
            struct t2_buf text = {0};

            t2_flags_help(tool, &text);
            fputs(t2_buf_cstr(&text), stdout);
            t2_buf_release(&text);
            exit_after_stdout();
        }
        if (strcmp(argv[i], "--help=markdown") == 0) {
            struct t2_buf text = {0};

            t2_flags_markdown(tool, &text);
            fputs(t2_buf_cstr(&text), stdout);
            t2_buf_release(&text);
            exit_after_stdout();
        }
        if (is_one_of(argv[i], "--version", "-version", "-V")) {
            t2_version_print(stdout, tool->name);
            exit_after_stdout();
        }
    }
}

static enum t2_status apply_common(struct t2_err *err)
{
    enum t2_log_level level;

    if (t2_common_flags.num_threads < 0 || t2_common_flags.num_threads > MAX_THREADS)
        return t2_fail(err, T2_EUSAGE, "flag '--num_threads' must be between 0 and %d",
                       MAX_THREADS);
    if (!t2_log_parse_level(t2_common_flags.verbosity, &level))
        return t2_fail(err, T2_EUSAGE,
                       "flag '--verbosity': '%s' is not error, warning, info or debug",
                       t2_common_flags.verbosity);
    if (t2_common_flags.verbosity_given)
        t2_log_set_level(level);
    else if (t2_common_flags.quiet)
        t2_log_set_level(T2_LOG_WARNING);
    return T2_OK;
}

enum t2_status t2_flags_parse(const struct t2_tool *tool, int argc, char **argv,
                              struct t2_strs *rest, struct t2_err *err)
{
    bool flags_ended = false;

    if (collect_see) {
        collect_see(collect_context, tool);
        return t2_fail(err, T2_EUSAGE, "the flags were asked for, not what they do");
    }
    t2_log_init(tool->name);
    t2_common_flags.num_threads = 0;
    t2_common_flags.quiet = t2_common_flags.quiet_given = t2_common_flags.verbosity_given = false;
    t2_common_flags.verbosity = "info";
    look_for_help(tool, argc, argv);
    if (argc == 2 && t2_completion_asked(argv[1]))
        return print_completion(tool, t2_completion_asked(argv[1]), err);
    for (int i = 1; i < argc; i++) {
        if (flags_ended || !is_flag(argv[i])) {
            if (!tool->takes_words)
                T2_TRY(t2_check_scheme(argv[i], err));
            t2_strs_push(rest, argv[i]);
        } else if (strcmp(argv[i], "--") == 0) {
            flags_ended = true;
        } else {
            T2_TRY(parse_flag(tool, argc, argv, &i, err));
        }
    }
    return apply_common(err);
}

int t2_flags_num_threads(void)
{
    return (int) t2_common_flags.num_threads;
}

bool t2_flags_quiet(void)
{
    return t2_common_flags.quiet;
}

static bool is_plain_word(const char *s)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "_-+=./:,@%";

    return *s != '\0' && s[strspn(s, plain)] == '\0';
}

/* Words of harmless characters stay; others are quoted for sh, where ' becomes '\''. */
char *t2_flags_command_line(int argc, char **argv)
{
    struct t2_buf line = {0};

    for (int i = 0; i < argc; i++) {
        if (i > 0)
            t2_buf_push(&line, ' ');
        if (is_plain_word(argv[i])) {
            t2_buf_puts(&line, argv[i]);
            continue;
        }
        t2_buf_push(&line, '\'');
        for (const char *c = argv[i]; *c; c++) {
            if (*c == '\'')
                t2_buf_puts(&line, "'\\''");
            else
                t2_buf_push(&line, (uint8_t) *c);
        }
        t2_buf_push(&line, '\'');
    }
    return t2_buf_detach(&line);
}
