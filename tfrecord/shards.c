/*
 * tfrecord/shards.c - finds the shards of a folder, and describes what is missing.
 *
 * A set is found by its names alone: <stem>[-<split>]-NNNNN-of-MMMMM, all of one total and none
 * missing. Anything else is an error that lists what is there instead, since a set that is read
 * with shards missing or mixed trains without a sign of it.
 */
#include "tfrecord/shards.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "base/file.h"

enum { NAMES_SHOWN = 5, MIN_DIGITS = 5, MAX_DIGITS = 9 };

char *tfr_shard_path(const char *dir, const char *stem, const char *split, int shard, int n_shards)
{
    char *name;
    char *path;

    T2_ASSERT(0 <= shard && shard <= n_shards); /* n_shards when counted from 1 */
    name = t2_asprintf("%s%s%s-%05d-of-%05d", stem, !split ? "" : "-", !split ? "" : split, shard,
                       n_shards);
    path = t2_path_join(dir, name);
    t2_free(name);
    return path;
}

/* Digits as %05d writes them: at least five, no more leading zeros than that needs. */
static bool parse_number(const char **s, int *value)
{
    size_t n = 0;
    int v = 0;

    while (isdigit((unsigned char) (*s)[n]) && n < MAX_DIGITS)
        v = v * 10 + ((*s)[n++] - '0');
    if (n < MIN_DIGITS || (n > MIN_DIGITS && (*s)[0] == '0') || isdigit((unsigned char) (*s)[n]))
        return false;
    *s += n;
    *value = v;
    return true;
}

/* "-NNNNN-of-MMMMM" to the end of the name.  The official Transformer counts from 1. */
static bool parse_suffix(const char *s, int *shard, int *n_shards)
{
    if (*s++ != '-' || !parse_number(&s, shard) || strncmp(s, "-of-", 4) != 0)
        return false;
    s += 4;
    return parse_number(&s, n_shards) && *s == '\0' && *shard <= *n_shards && *n_shards > 0;
}

/* The parts of the names that are looked for. */
struct wanted {
    const char *dir;
    char *prefix; /* "<stem>-<split>" */
};

static bool parse_name(const struct wanted *w, const char *name, int *shard, int *n_shards)
{
    return t2_starts_with(name, w->prefix) &&
           parse_suffix(name + strlen(w->prefix), shard, n_shards);
}

/* ---- messages ---- */

/* The first few names, "a, b, c and 7 more". */
static void list_names(struct t2_buf *b, const struct t2_strs *names)
{
    for (size_t i = 0; i < names->n && i < NAMES_SHOWN; i++)
        t2_buf_printf(b, "%s'%s'", i == 0 ? "" : ", ", names->items[i]);
    if (names->n > NAMES_SHOWN)
        t2_buf_printf(b, " and %zu more", names->n - NAMES_SHOWN);
}

/* Names of the folder with their shard suffix replaced by "-*-of-MMMMM", each once. */
static void distinct(const struct t2_strs *names, struct t2_strs *out)
{
    for (size_t i = 0; i < names->n; i++) {
        const char *name = names->items[i];
        size_t n = strlen(name);
        char *shown = NULL;
        for (size_t k = 0; k < n && !shown; k++) {
            int shard, n_shards;
            if (name[k] == '-' && parse_suffix(name + k, &shard, &n_shards))
                shown = t2_asprintf("%.*s-*-of-%05d", (int) k, name, n_shards);
        }
        if (!shown)
            shown = t2_strdup(name);
        if (out->n > 0 && strcmp(out->items[out->n - 1], shown) == 0)
            t2_free(shown);
        else
            t2_strs_take(out, shown);
    }
}

static enum t2_status fail_none(const struct wanted *w, const struct t2_strs *names,
                                struct t2_err *err)
{
    struct t2_strs there = {0};
    struct t2_strs unfinished = {0};
    struct t2_buf list = {0};
    enum t2_status st;

    for (size_t i = 0; i < names->n; i++) {
        if (t2_starts_with(names->items[i], w->prefix) &&
            t2_ends_with(names->items[i], ".incomplete"))
            t2_strs_push(&unfinished, names->items[i]);
    }
    distinct(names, &there);
    if (unfinished.n > 0) {
        list_names(&list, &unfinished);
        st = t2_fail(err, T2_ENOTFOUND,
                     "'%s': no complete shards '%s-NNNNN-of-MMMMM'; writing them was not finished "
                     "(%s): run the same command again",
                     w->dir, w->prefix, t2_buf_cstr(&list));
    } else if (there.n == 0) {
        st = t2_fail(err, T2_ENOTFOUND, "'%s': no shards '%s-NNNNN-of-MMMMM': the folder is empty",
                     w->dir, w->prefix);
    } else {
        list_names(&list, &there);
        st = t2_fail(err, T2_ENOTFOUND, "'%s': no shards '%s-NNNNN-of-MMMMM'; the folder has %s",
                     w->dir, w->prefix, t2_buf_cstr(&list));
    }
    t2_buf_release(&list);
    t2_strs_release(&unfinished);
    t2_strs_release(&there);
    return st;
}

static enum t2_status fail_mixed(const struct wanted *w, const char *a, const char *b,
                                 struct t2_err *err)
{
    return t2_fail(err, T2_EFORMAT,
                   "'%s': shards of two different sets: '%s' and '%s'; remove the old ones", w->dir,
                   a, b);
}

static enum t2_status fail_missing(const struct wanted *w, const struct t2_strs *found, int first,
                                   int n_shards, struct t2_err *err)
{
    struct t2_strs missing = {0};
    struct t2_buf list = {0};
    size_t k = 0;
    enum t2_status st;

    /* found is sorted and of one total, so it runs through the numbers in order. */
    for (int i = first; i < first + n_shards; i++) {
        int shard = -1, total;
        if (k < found->n)
            (void) parse_name(w, found->items[k], &shard, &total);
        if (shard == i) {
            k++;
            continue;
        }
        char *name = t2_asprintf("%s-%05d-of-%05d", w->prefix, i, n_shards);
        t2_strs_take(&missing, name);
    }
    list_names(&list, &missing);
    st = t2_fail(err, T2_EFORMAT, "'%s': %zu of %d shards are missing: %s", w->dir, missing.n,
                 n_shards, t2_buf_cstr(&list));
    t2_buf_release(&list);
    t2_strs_release(&missing);
    return st;
}

/* ---- looking ---- */

/* Six digits sort before five ("100000" < "99999"), so names are ordered by number. */
static int by_number(const void *a, const void *b)
{
    const char *s = *(char *const *) a;
    const char *t = *(char *const *) b;
    size_t n = strlen(s), m = strlen(t);

    return n != m ? (n > m) - (n < m) : strcmp(s, t);
}

static enum t2_status choose(const struct wanted *w, const struct t2_strs *names,
                             struct t2_strs *found, struct t2_err *err)
{
    int shard, n_shards, total = 0, first = 0, last = 0;

    for (size_t i = 0; i < names->n; i++) {
        if (!parse_name(w, names->items[i], &shard, &n_shards))
            continue;
        if (found->n > 0 && n_shards != total)
            return fail_mixed(w, found->items[0], names->items[i], err);
        total = n_shards;
        t2_strs_push(found, names->items[i]);
    }
    if (found->n == 0)
        return fail_none(w, names, err);
    qsort(found->items, found->n, sizeof *found->items, by_number);
    (void) parse_name(w, found->items[0], &first, &n_shards);
    (void) parse_name(w, found->items[found->n - 1], &last, &n_shards);
    if (first == 0 && last == total)
        return fail_mixed(w, found->items[0], found->items[found->n - 1], err);
    if (found->n != (size_t) total)
        return fail_missing(w, found, last == total, total, err);
    return T2_OK;
}

enum t2_status tfr_find_shards(const char *dir, const char *stem, const char *split,
                               struct t2_strs *paths, struct t2_err *err)
{
    struct t2_strs names = {0};
    struct t2_strs found = {0};
    struct wanted w = {dir, NULL};
    enum t2_status st;

    T2_TRY(t2_list_dir(dir, &names, err));
    w.prefix = !split ? t2_strdup(stem) : t2_asprintf("%s-%s", stem, split);
    st = choose(&w, &names, &found, err);
    for (size_t i = 0; st == T2_OK && i < found.n; i++)
        t2_strs_take(paths, t2_path_join(dir, found.items[i]));
    t2_free(w.prefix);
    t2_strs_release(&found);
    t2_strs_release(&names);
    return st;
}

enum t2_status tfr_find_other_shards(const char *dir, const char *stem, int n_shards, char **name,
                                     struct t2_err *err)
{
    struct t2_strs names = {0};
    struct wanted w = {dir, NULL};
    int shard, total;
    struct t2_file_info at;

    *name = NULL;
    T2_TRY(t2_look_at(dir, &at, err));
    if (at.kind != T2_FILE_DIR)
        return T2_OK;
    T2_TRY(t2_list_dir(dir, &names, err));
    w.prefix = t2_strdup(stem);
    for (size_t i = 0; !*name && i < names.n; i++) {
        if (parse_name(&w, names.items[i], &shard, &total) && total != n_shards)
            *name = t2_strdup(names.items[i]);
    }
    t2_free(w.prefix);
    t2_strs_release(&names);
    return T2_OK;
}

size_t tfr_shard_stem_length(const char *name)
{
    size_t n = strlen(name);
    int shard, total;

    for (size_t k = n; k-- > 1;) {
        if (name[k] == '-' && parse_suffix(name + k, &shard, &total))
            return k;
    }
    return n;
}
