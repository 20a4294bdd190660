/*
 * datagen/source/text_parts.c - the value of --train, --dev, --test: which files belong together.
 */
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/match_files.h"
#include "datagen/source/column_table.h"

void dg_text_parts_add(struct dg_text_parts *l, const char *inputs, const char *targets)
{
    if (l->n == l->capacity) {
        l->capacity = l->capacity ? 2 * l->capacity : 4;
        l->items = t2_realloc(l->items, l->capacity, sizeof *l->items);
    }
    l->items[l->n].inputs = t2_strdup(inputs);
    l->items[l->n].targets = targets ? t2_strdup(targets) : NULL;
    l->items[l->n].name = NULL;
    l->n++;
}

void dg_text_parts_release(struct dg_text_parts *l)
{
    for (size_t i = 0; i < l->n; i++) {
        t2_free(l->items[i].inputs);
        t2_free(l->items[i].targets);
        t2_free(l->items[i].name);
    }
    t2_free(l->items);
    dg_columns_release(&l->columns);
    memset(l, 0, sizeof *l);
}

void dg_text_parts_copy(const struct dg_text_parts *from, const char *name,
                        struct dg_text_parts *to)
{
    *to = (struct dg_text_parts){.one_side = from->one_side, .max_memory = from->max_memory};
    dg_columns_copy(&from->columns, &to->columns);
    for (size_t i = 0; i < from->n; i++) {
        const struct dg_text_part *part = &from->items[i];
        if (!name || (part->name && strcmp(part->name, name) == 0))
            dg_text_parts_add(to, part->inputs, part->targets);
    }
}

enum dg_format dg_format_of_name(const char *path)
{
    static const struct {
        const char *end;
        enum dg_format format;
    } ends[] = {{".tsv", DG_FORMAT_TSV}, {".csv", DG_FORMAT_CSV}, {".jsonl", DG_FORMAT_JSONL}};
    size_t len = strlen(path);

    if (t2_ends_with(path, ".gz"))
        len -= 3;
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        size_t n = strlen(ends[i].end);
        if (len > n && memcmp(path + len - n, ends[i].end, n) == 0)
            return ends[i].format;
    }
    return DG_FORMAT_LINES;
}

/* True for a file that is a source by itself. */
static bool is_alone(const struct dg_text_parts *parts, const char *path)
{
    return parts->one_side || parts->columns.format != DG_FORMAT_LINES ||
           dg_format_of_name(path) != DG_FORMAT_LINES;
}

/* Takes "name=" off an item; names are made of letters, digits and '_'. */
static const char *take_name(const char *item, char **name)
{
    static const char allowed[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
    size_t n = strspn(item, allowed);

    if (n == 0 || item[n] != '=')
        return item;
    t2_free(*name);
    *name = t2_strndup(item, n);
    return item + n + 1;
}

/* Splits at ',' and ';' outside of '\'; empty items are kept, so that they can be complained of. */
static void split_files(const char *value, struct t2_strs *files)
{
    struct t2_buf item = {0};

    for (const char *s = value; *s != '\0'; s++) {
        if (*s == '\\' && s[1] != '\0') {
            t2_buf_push(&item, (uint8_t) * ++s);
        } else if (*s == ',' || *s == ';') {
            t2_strs_push(files, t2_buf_cstr(&item));
            t2_buf_clear(&item);
        } else {
            t2_buf_push(&item, (uint8_t) *s);
        }
    }
    t2_strs_push(files, t2_buf_cstr(&item));
    t2_buf_release(&item);
}

enum t2_status dg_text_parts_parse(const char *flag, const char *value, struct dg_text_parts *parts,
                                   struct t2_err *err)
{
    struct t2_strs files = {0};
    enum t2_status st = T2_OK;
    const char *waiting = NULL; /* source side whose partner comes next */
    char *name = NULL;

    split_files(value, &files);
    for (size_t i = 0; i < files.n && st == T2_OK; i++) {
        const char *f = waiting ? files.items[i] : take_name(files.items[i], &name);
        if (*f == '\0') {
            st = t2_fail(err, T2_EUSAGE, "--%s='%s': empty file name", flag, value);
            continue;
        }
        if (!waiting && !is_alone(parts, f)) {
            waiting = f;
            continue;
        }
        dg_text_parts_add(parts, waiting ? waiting : f, waiting ? f : NULL);
        if (name)
            parts->items[parts->n - 1].name = t2_strdup(name);
        waiting = NULL;
    }
    if (st == T2_OK && waiting)
        st = t2_fail(err, T2_EUSAGE,
                     "--%s: '%s' has no partner: give source and target files in turn "
                     "(--%s=a.en,a.de) or one file named .tsv",
                     flag, waiting, flag);
    t2_strs_release(&files);
    t2_free(name);
    return st;
}

/* A name, or the files of a pattern, unless there is a file of that very name. */
static enum t2_status expand(const char *item, struct t2_strs *files, struct t2_err *err)
{
    char *path;

    if (!t2_is_pattern(item) || t2_exists(item)) {
        t2_strs_push(files, item);
        return T2_OK;
    }
    path = t2_path_expand(item);
    if (t2_match_files(path, files, err) == T2_OK && files->n == 0)
        (void) t2_fail(err, T2_ENOTFOUND, "'%s': no file matches", item);
    t2_free(path);
    return err->status;
}

static enum t2_status expand_part(const struct dg_text_part *part, struct dg_text_parts *to,
                                  struct t2_err *err)
{
    struct t2_strs in = {0}, out = {0};
    enum t2_status st = expand(part->inputs, &in, err);

    if (st == T2_OK && part->targets)
        st = expand(part->targets, &out, err);
    if (st == T2_OK && part->targets && in.n != out.n)
        st = t2_fail(err, T2_EUSAGE,
                     "'%s' means %zu file%s, '%s' %zu: they are paired in the order of their names",
                     part->inputs, in.n, in.n == 1 ? "" : "s", part->targets, out.n);
    for (size_t i = 0; i < in.n && st == T2_OK; i++) {
        dg_text_parts_add(to, in.items[i], part->targets ? out.items[i] : NULL);
        to->items[to->n - 1].name = part->name ? t2_strdup(part->name) : NULL;
    }
    t2_strs_release(&in);
    t2_strs_release(&out);
    return st;
}

enum t2_status dg_text_parts_expand(struct dg_text_parts *parts, struct t2_err *err)
{
    struct dg_text_parts to = {.one_side = parts->one_side,
                               .columns = parts->columns,
                               .max_memory = parts->max_memory};
    enum t2_status st = T2_OK;

    for (size_t i = 0; i < parts->n && st == T2_OK; i++)
        st = expand_part(&parts->items[i], &to, err);
    parts->columns = (struct dg_columns){.n = 0}; /* to has them */
    dg_text_parts_release(parts);
    *parts = to;
    return st;
}
