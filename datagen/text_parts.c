/*
 * datagen/text_parts.c - the value of --train, --dev, --test: which files belong together.
 */
#include <string.h>

#include "base/alloc.h"
#include "datagen/stream.h"

void dg_text_parts_add(struct dg_text_parts *l, const char *inputs, const char *targets)
{
    if (l->n == l->capacity) {
        l->capacity = l->capacity ? 2 * l->capacity : 4;
        l->items = t2_realloc(l->items, l->capacity, sizeof *l->items);
    }
    l->items[l->n].inputs = t2_strdup(inputs);
    l->items[l->n].targets = targets ? t2_strdup(targets) : NULL;
    ++l->n;
}

void dg_text_parts_release(struct dg_text_parts *l)
{
    size_t i;

    for (i = 0; i < l->n; ++i) {
        t2_free(l->items[i].inputs);
        t2_free(l->items[i].targets);
    }
    t2_free(l->items);
    memset(l, 0, sizeof *l);
}

static bool is_tsv(const char *path)
{
    return t2_ends_with(path, ".tsv") || t2_ends_with(path, ".tsv.gz");
}

/* Splits at ',' and ';' outside of '\'; empty items are kept, so that they can be complained of. */
static void split_files(const char *value, struct t2_strs *files)
{
    struct t2_buf item = {0};
    const char *s;

    for (s = value; *s != '\0'; ++s) {
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
    size_t i;

    split_files(value, &files);
    for (i = 0; i < files.n && st == T2_OK; ++i) {
        const char *f = files.items[i];
        if (*f == '\0') {
            st = t2_fail(err, T2_EUSAGE, "--%s='%s': empty file name", flag, value);
        } else if (waiting) {
            dg_text_parts_add(parts, waiting, f);
            waiting = NULL;
        } else if (is_tsv(f)) {
            dg_text_parts_add(parts, f, NULL);
        } else {
            waiting = f;
        }
    }
    if (st == T2_OK && waiting)
        st = t2_fail(err, T2_EUSAGE,
                     "--%s: '%s' has no partner: give source and target files in turn "
                     "(--%s=a.en,a.de) or one file named .tsv",
                     flag, waiting, flag);
    t2_strs_release(&files);
    return st;
}
