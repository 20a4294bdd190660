/*
 * datagen/problem_registry.c - which problems there are, and which of them a command line means.
 */
#include "datagen/problem_registry.h"

#include <string.h>

#include "base/alloc.h"
#include "base/log.h"
#include "datagen/problem_files/builtin_files.h"

enum { MAX_REGISTERED = 1024, MAX_NAME_BYTES = 128 };

/* A family that is a table, or all those of a problem file. */
static const struct {
    const struct dg_family *family;
    enum dg_builtin_file file;
} families[] = {
    /* clang-format off */
    {.family = &dg_family_own_text},
    {.family = &dg_family_numbers},
    {.family = &dg_family_official},
    {.family = &dg_family_algorithmic},
    {.family = &dg_family_algebra},
    {.family = &dg_family_transduction},
    {.family = &dg_family_lm1b},
    {.family = &dg_family_wikitext},
    {.family = &dg_family_wiki_lm},
    {.family = &dg_family_wiki_dump},
    {.family = &dg_family_wiki_revision},
    {.family = &dg_family_enwik8},
    {.family = &dg_family_math_text},
    {.file = DG_FILE_MIXTURES},
    {.family = &dg_family_tagging},
    {.family = &dg_family_code},
    {.family = &dg_family_snli_trees},
    {.file = DG_FILE_PAIRS},
    {.family = &dg_family_sentiment},
    {.family = &dg_family_squad},
    {.family = &dg_family_summarize},
    {.family = &dg_family_style},
    {.family = &dg_family_captions},
    {.file = DG_FILE_TRANSLATE},
    {.family = &dg_family_translate_bpe},
    {.family = &dg_family_translate_small},
    {.family = &dg_family_babi},
    {.family = &dg_family_dialog},
    {.family = &dg_family_lambada},
    {.family = &dg_family_agreement},
    {.file = DG_FILE_UNMADE_TEXT},
    {.family = &dg_family_mnist},
    {.family = &dg_family_cifar},
    {.family = &dg_family_imagenet},
    {.family = &dg_family_celeba},
    {.family = &dg_family_image_text},
    {.family = &dg_family_lsun},
    {.family = &dg_family_vqa},
    {.family = &dg_family_fsns},
    {.family = &dg_family_allen_brain},
    {.family = &dg_family_flowers},
    {.family = &dg_family_librispeech},
    {.family = &dg_family_common_voice},
    {.file = DG_FILE_UNMADE_OTHERS},
    /* clang-format on */
};
enum { N_FAMILIES = sizeof families / sizeof *families };
static const struct dg_problem *registered[MAX_REGISTERED];
static size_t n_registered;

enum t2_status dg_check_name(const char *name, struct t2_err *err)
{
    size_t len = strlen(name);

    if (name[0] < 'a' || name[0] > 'z' || len > MAX_NAME_BYTES ||
        strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_") != len)
        return t2_fail(err, T2_EUSAGE,
                       "'%s' cannot name a problem: use lower-case letters, digits and '_', "
                       "beginning with a letter (my_corpus)",
                       name);
    if (t2_ends_with(name, "_rev") || t2_ends_with(name, "_copy"))
        return t2_fail(err, T2_EUSAGE,
                       "'%s' cannot name a problem: _rev and _copy are views of a problem that the "
                       "trainer makes while reading",
                       name);
    return T2_OK;
}

enum t2_status dg_register(const struct dg_problem *p, struct t2_err *err)
{
    T2_TRY(dg_check_name(p->name, err));
    if (dg_find(p->name))
        return t2_fail(err, T2_EUSAGE, "problem '%s' is registered already", p->name);
    if (n_registered == MAX_REGISTERED)
        return t2_fail(err, T2_EUSAGE, "problem '%s': too many problems", p->name);
    registered[n_registered++] = p;
    return T2_OK;
}

const struct dg_family *dg_family_at(size_t i)
{
    for (size_t k = 0; k < N_FAMILIES; k++) {
        const struct dg_family *f = families[k].family;

        if (f && i-- == 0)
            return f;
        for (size_t m = 0; !f && (f = dg_builtin_family(families[k].file, m)) != NULL; m++) {
            if (i-- == 0)
                return f;
            f = NULL;
        }
    }
    return NULL;
}

static bool is_in(const struct dg_family *f, const struct dg_problem *p)
{
    return p >= f->problems && p < f->problems + f->n;
}

const struct dg_family *dg_family_of(const struct dg_problem *p)
{
    for (size_t i = 0; i < N_FAMILIES; i++) {
        if (families[i].family && is_in(families[i].family, p))
            return families[i].family;
    }
    for (size_t i = 0; i < n_registered; i++) {
        if (registered[i] == p)
            return NULL;
    }
    return dg_builtin_family_of(p);
}

static const struct dg_problem *find_in(const struct dg_family *f, const char *name)
{
    for (size_t i = 0; i < f->n; i++) {
        if (strcmp(f->problems[i].name, name) == 0)
            return &f->problems[i];
    }
    return NULL;
}

/* Problem files last: those that may have the name are read for it. */
const struct dg_problem *dg_find(const char *base_name)
{
    const struct dg_problem *found = NULL;

    for (size_t i = 0; i < N_FAMILIES && !found; i++)
        found = families[i].family ? find_in(families[i].family, base_name) : NULL;
    for (size_t i = 0; i < n_registered && !found; i++)
        found = strcmp(registered[i]->name, base_name) == 0 ? registered[i] : NULL;
    return found ? found : dg_builtin_find(base_name);
}

void dg_names(struct t2_strs *names)
{
    const struct dg_family *f;

    for (size_t i = 0; (f = dg_family_at(i)) != NULL; i++) {
        for (size_t k = 0; k < f->n; k++)
            t2_strs_push(names, f->problems[k].name);
    }
    for (size_t i = 0; i < n_registered; i++)
        t2_strs_push(names, registered[i]->name);
    t2_strs_sort(names);
}

static bool cut_suffix(char *name, const char *suffix)
{
    size_t len = strlen(name), cut = strlen(suffix);

    if (len <= cut || !t2_ends_with(name, suffix))
        return false;
    name[len - cut] = '\0';
    return true;
}

void dg_parse_name(const char *name, char **base, bool *was_reversed, bool *was_copy)
{
    bool more = true;

    *base = t2_strdup(name);
    *was_reversed = *was_copy = false;
    while (more) {
        more = false;
        if (!*was_reversed && cut_suffix(*base, "_rev"))
            more = *was_reversed = true;
        if (!*was_copy && cut_suffix(*base, "_copy"))
            more = *was_copy = true;
    }
}

/* ---- selection ---- */

/* The problems that --exclude_problems leaves.  `all` is filled when it is needed: the names of
 * problem files take longer than to find one problem. */
struct candidates {
    struct t2_strs excluded; /* parts of names */
    struct t2_strs all;
};

static bool is_excluded(const struct candidates *c, const char *name)
{
    for (size_t i = 0; i < c->excluded.n; i++) {
        if (c->excluded.items[i][0] != '\0' && strstr(name, c->excluded.items[i]))
            return true;
    }
    return false;
}

static bool is_candidate(const struct candidates *c, const char *name)
{
    return dg_find(name) && !is_excluded(c, name);
}

static const struct t2_strs *all_candidates(struct candidates *c)
{
    struct t2_strs names = {0};

    if (c->all.n > 0)
        return &c->all;
    dg_names(&names);
    for (size_t i = 0; i < names.n; i++) {
        if (!is_excluded(c, names.items[i]))
            t2_strs_push(&c->all, names.items[i]);
    }
    t2_strs_release(&names);
    return &c->all;
}

static enum t2_status unknown(const char *name, struct candidates *c, struct t2_err *err)
{
    const struct t2_strs *all = all_candidates(c);
    const char *near = t2_nearest(name, (const char *const *) all->items, all->n);

    if (dg_find(name))
        return t2_fail(err, T2_EUSAGE, "problem '%s' is left out by --exclude_problems", name);
    if (near)
        return t2_fail(err, T2_EUSAGE, "there is no problem '%s'; did you mean '%s'?", name, near);
    if (*name)
        return t2_fail(err, T2_EUSAGE,
                       "there is no problem '%s'; --only_list shows those there are; for text of "
                       "your own use --train and --dev",
                       name);
    return t2_fail(err, T2_EUSAGE,
                   "name a problem with --problem; for text of your own use --train and --dev");
}

static enum t2_status select_one(const char *item, struct candidates *c, struct t2_strs *selected,
                                 struct t2_err *err)
{
    bool was_reversed, was_copy;
    char *base;
    enum t2_status st = T2_OK;

    if (is_candidate(c, item)) {
        if (!t2_strs_contains(selected, item))
            t2_strs_push(selected, item);
        return T2_OK;
    }
    dg_parse_name(item, &base, &was_reversed, &was_copy);
    if ((was_reversed || was_copy) && is_candidate(c, base)) {
        t2_info("'%s' is a view of '%s', made by the trainer while reading: generating '%s'", item,
                base, base);
        if (!t2_strs_contains(selected, base))
            t2_strs_push(selected, base);
    } else {
        st = unknown(item, c, err);
    }
    t2_free(base);
    return st;
}

static enum t2_status select_prefix(const char *problem, struct candidates *c,
                                    struct t2_strs *selected, struct t2_err *err)
{
    const struct t2_strs *all = all_candidates(c);
    char *prefix = t2_strndup(problem, strlen(problem) - 1);
    enum t2_status st = T2_OK;

    for (size_t i = 0; i < all->n; i++) {
        if (t2_starts_with(all->items[i], prefix))
            t2_strs_push(selected, all->items[i]);
    }
    if (selected->n == 0)
        st = t2_fail(err, T2_EUSAGE, "no problem begins with '%s'", prefix);
    t2_free(prefix);
    return st;
}

enum t2_status dg_select(const char *problem, const char *exclude_problems,
                         struct t2_strs *selected, struct t2_err *err)
{
    struct candidates c = {0};
    struct t2_strs items = {0};
    enum t2_status st = T2_OK;

    t2_strs_split(&c.excluded, exclude_problems, ',');
    if (problem[0] == '\0') {
        st = unknown("", &c, err);
    } else if (t2_ends_with(problem, "*")) {
        st = select_prefix(problem, &c, selected, err);
    } else {
        t2_strs_split(&items, problem, ',');
        for (size_t i = 0; i < items.n && st == T2_OK; i++)
            st = select_one(items.items[i], &c, selected, err);
    }
    t2_strs_sort(selected);
    t2_strs_release(&items);
    t2_strs_release(&c.all);
    t2_strs_release(&c.excluded);
    return st;
}

void dg_list_grouped(const struct t2_strs *names, struct t2_buf *text)
{
    const char *group = "";
    size_t group_len = 0;

    for (size_t i = 0; i < names->n; i++) {
        const char *name = names->items[i];
        size_t len = strcspn(name, "_");
        if (i == 0 || len != group_len || strncmp(name, group, len) != 0)
            t2_buf_printf(text, "    %.*s:\n", (int) len, name);
        group = name;
        group_len = len;
        t2_buf_printf(text, "      * %s\n", name);
    }
}
