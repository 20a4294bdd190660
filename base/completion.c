/*
 * base/completion.c - the rows behind the shells' completion, out of flag tables.
 */
#include "base/completion.h"

#include <string.h>

#include "base/alloc.h"
#include "base/flags_common.h"
#include "base/flags_help.h"
#include "base/str.h"

enum { ABOUT_BYTES = 72 };

/* The beginning of a help text: its first clause, or as many words as a line of a menu holds. */
static char *first_clause(const char *help)
{
    size_t n = 0;

    while (help[n] != '\0' && help[n] != ';' &&
           !(help[n] == '.' && (help[n + 1] == ' ' || help[n + 1] == '\0')))
        n++;
    if (n > ABOUT_BYTES) {
        n = ABOUT_BYTES;
        while (n > 0 && help[n] != ' ')
            n--;
    }
    while (n > 0 && strchr(" ,:", help[n - 1]))
        n--;
    return t2_strndup(help, n);
}

static enum t2_completion_kind kind_of_meta(const char *meta)
{
    static const char *const files[] = {"FILE", "FILES", "INPUT", "OUT", "CORPUS", "STEP|FILE"};

    if (strcmp(meta, "DIR") == 0)
        return T2_COMPLETE_FOLDER;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        if (strcmp(meta, files[i]) == 0)
            return T2_COMPLETE_FILE;
    }
    return T2_COMPLETE_TEXT;
}

/* "by" of any command, "sort:by" of one. */
static bool is_about(const char *name, const char *command, const char *flag)
{
    size_t n = strlen(command);

    if (strncmp(name, command, n) == 0 && name[n] == ':')
        return strcmp(name + n + 1, flag) == 0;
    return strcmp(name, flag) == 0;
}

/* The values of a flag: of the tool's list, or those that the meta names: "none|layer". */
static void add_words(struct t2_strs *words, const char *command, const struct t2_flag *f,
                      const struct t2_flag_values *values)
{
    const char *list = NULL;
    bool is_meta = false;

    for (; values && values->flag; values++) {
        if (!is_about(values->flag, command, f->name))
            continue;
        if (values->list)
            values->list(words);
        list = values->words;
    }
    if (!list && words->n == 0 && f->meta && strchr(f->meta, '|'))
        list = f->meta, is_meta = true;
    while (list && *list != '\0') {
        size_t n = strcspn(list, " |");
        char *word = t2_strndup(list, n);

        /* N of "N|auto" is a placeholder, no word to complete */
        if (n > 0 && !(is_meta && word[0] >= 'A' && word[0] <= 'Z'))
            t2_strs_push(words, word);
        t2_free(word);
        list += n + (list[n] != '\0');
    }
}

static struct t2_completion_flag *new_row(struct t2_completion_command *c, char *name,
                                          const char *help)
{
    struct t2_completion_flag *row;

    if (c->n_flags == c->capacity) {
        c->capacity = c->capacity > 0 ? 2 * c->capacity : 32;
        c->flags = t2_realloc(c->flags, c->capacity, sizeof *c->flags);
    }
    row = &c->flags[c->n_flags++];
    *row = (struct t2_completion_flag){.name = name, .about = first_clause(help)};
    return row;
}

static void add_flag(struct t2_completion_command *c, const struct t2_flag *f,
                     const struct t2_flag_values *values)
{
    struct t2_completion_flag *row;

    if (f->type == T2_FLAG_GROUP)
        return;
    for (size_t i = 0; i < c->n_flags; i++) {
        if (strcmp(c->flags[i].name, f->name) == 0)
            return; /* a tool's own row hides a common one */
    }
    row = new_row(c, t2_strdup(f->name), f->help);
    if (f->type == T2_FLAG_BOOL) {
        (void) new_row(c, t2_asprintf("no%s", f->name), f->help);
        return;
    }
    row->meta = t2_strdup(t2_flags_meta(f));
    row->is_optional = f->type == T2_FLAG_OPTION;
    row->kind = kind_of_meta(row->meta);
    add_words(&row->words, c->name, f, values);
    if (row->words.n > 0)
        row->kind = T2_COMPLETE_WORDS;
}

void t2_completion_add(struct t2_completion *c, const char *name, const char *about,
                       const struct t2_tool *tool, const struct t2_flag_values *values)
{
    static const struct t2_flag_values of_all[] = {{"verbosity", "error warning info debug", NULL},
                                                   {NULL, NULL, NULL}};
    struct t2_completion_command *command;
    size_t n_common;
    const struct t2_flag *common = t2_flags_common(&n_common);

    if (c->n == c->capacity) {
        c->capacity = c->capacity > 0 ? 2 * c->capacity : 16;
        c->commands = t2_realloc(c->commands, c->capacity, sizeof *c->commands);
    }
    command = &c->commands[c->n++];
    *command =
        (struct t2_completion_command){.name = t2_strdup(name), .about = first_clause(about)};
    for (size_t i = 0; i < tool->n_flags; i++)
        add_flag(command, &tool->flags[i], values);
    for (size_t i = 0; i < n_common; i++)
        add_flag(command, &common[i], of_all);
    (void) new_row(command, t2_strdup("help"), "Print all about it.");
    (void) new_row(command, t2_strdup("version"), "Print version, compiler and features.");
}

void t2_completion_release(struct t2_completion *c)
{
    for (size_t i = 0; i < c->n; i++) {
        for (size_t k = 0; k < c->commands[i].n_flags; k++) {
            struct t2_completion_flag *f = &c->commands[i].flags[k];

            t2_free(f->name);
            t2_free(f->meta);
            t2_free(f->about);
            t2_strs_release(&f->words);
        }
        t2_free(c->commands[i].name);
        t2_free(c->commands[i].about);
        t2_free(c->commands[i].flags);
    }
    t2_free(c->commands);
    *c = (struct t2_completion){.tool = NULL};
}

/* command, flag, kind, meta, words, about: apart by tabs. */
static void write_table(const struct t2_completion *c, struct t2_buf *out)
{
    static const char *const kinds[] = {"none", "text", "words", "file", "folder"};

    for (size_t i = 0; i < c->n; i++) {
        for (size_t k = 0; k < c->commands[i].n_flags; k++) {
            const struct t2_completion_flag *f = &c->commands[i].flags[k];

            t2_buf_printf(out, "%s\t%s\t%s\t%s\t", c->commands[i].name, f->name, kinds[f->kind],
                          f->meta ? f->meta : "");
            for (size_t w = 0; w < f->words.n; w++)
                t2_buf_printf(out, "%s%s", w > 0 ? " " : "", f->words.items[w]);
            t2_buf_printf(out, "\t%s\n", f->about);
        }
    }
}

enum t2_status t2_completion_write(const struct t2_completion *c, const char *shell,
                                   struct t2_buf *out, struct t2_err *err)
{
    static const struct {
        const char *shell;
        void (*write)(const struct t2_completion *c, struct t2_buf *out);
    } writers[] = {{"bash", t2_completion_bash},
                   {"zsh", t2_completion_zsh},
                   {"fish", t2_completion_fish},
                   {"table", write_table}};

    for (size_t i = 0; i < sizeof writers / sizeof *writers; i++) {
        if (strcmp(writers[i].shell, shell) == 0) {
            writers[i].write(c, out);
            return T2_OK;
        }
    }
    return t2_fail(err, T2_EUSAGE, "flag '--completion': '%s' is not bash, zsh or fish", shell);
}

const char *t2_completion_asked(const char *arg)
{
    static const char flag[] = "--completion=";

    return strncmp(arg, flag, sizeof flag - 1) == 0 ? arg + sizeof flag - 1 : NULL;
}
