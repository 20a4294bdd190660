/*
 * datagen/problem_registry.c - which problems there are, and which of them a command line means.
 */
#include "datagen/problem_registry.h"

#include <string.h>

#include "base/alloc.h"
#include "base/log.h"

enum { MAX_REGISTERED = 1024, MAX_NAME_BYTES = 128 };

static const struct dg_family *const families[] = {
    /* clang-format off */
    &dg_family_own_text,
    &dg_family_numbers,
    &dg_family_official,
    &dg_family_algorithmic,
    &dg_family_algebra,
    &dg_family_transduction,
    &dg_family_lm1b,
    &dg_family_wikitext,
    &dg_family_wiki_lm,
    &dg_family_wiki_dump, &dg_family_wiki_revision,
    &dg_family_enwik8,
    &dg_family_math_text,
    &dg_family_mixtures,
    &dg_family_tagging,
    &dg_family_code,
    &dg_family_snli_trees,
    &dg_family_pairs,
    &dg_family_sentiment,
    &dg_family_squad,
    &dg_family_summarize,
    &dg_family_style,
    &dg_family_captions,
    &dg_family_translate_ende,
    &dg_family_translate_enfr,
    &dg_family_translate_pairs,
    &dg_family_translate_enzh,
    &dg_family_translate_bpe,
    &dg_family_translate_small,
    &dg_family_babi,
    &dg_family_dialog,
    &dg_family_lambada,
    &dg_family_agreement,
    &dg_family_unmade,
    &dg_family_mnist,
    &dg_family_cifar,
    &dg_family_imagenet,
    &dg_family_celeba,
    &dg_family_image_text,
    &dg_family_lsun,
    &dg_family_vqa,
    &dg_family_fsns,
    &dg_family_allen_brain,
    &dg_family_flowers,
    &dg_family_speech,
    &dg_family_others,
    &dg_family_games,
    /* clang-format on */
};
enum { N_FAMILIES = sizeof families / sizeof *families };
static const struct dg_problem *registered[MAX_REGISTERED];
static size_t n_registered;

const char *dg_split_name(enum dg_split split)
{
    static const char *const names[DG_N_SPLITS] = {"train", "dev", "test"};

    return names[split];
}

const char *dg_vocab_kind_name(enum dg_vocab_kind kind)
{
    static const char *const names[DG_N_VOCAB_KINDS] = {
        "subwords", "tokens", "bytes", "model", "classes", "numbers", "reals",
    };

    return names[kind];
}

const char *dg_problem_stem(const struct dg_problem *p)
{
    return p->dataset_filename ? p->dataset_filename : p->name;
}

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
    return i < N_FAMILIES ? families[i] : NULL;
}

const struct dg_problem *dg_find(const char *base_name)
{
    for (size_t i = 0; i < N_FAMILIES; i++) {
        for (size_t k = 0; k < families[i]->n; k++) {
            if (strcmp(families[i]->problems[k]->name, base_name) == 0)
                return families[i]->problems[k];
        }
    }
    for (size_t i = 0; i < n_registered; i++) {
        if (strcmp(registered[i]->name, base_name) == 0)
            return registered[i];
    }
    return NULL;
}

void dg_names(struct t2_strs *names)
{
    for (size_t i = 0; i < N_FAMILIES; i++) {
        for (size_t k = 0; k < families[i]->n; k++)
            t2_strs_push(names, families[i]->problems[k]->name);
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

static void candidates_without(const char *exclude_problems, struct t2_strs *candidates)
{
    struct t2_strs all = {0}, parts = {0};

    dg_names(&all);
    t2_strs_split(&parts, exclude_problems, ',');
    for (size_t i = 0; i < all.n; i++) {
        bool keep = true;
        for (size_t k = 0; k < parts.n; k++) {
            if (parts.items[k][0] != '\0' && strstr(all.items[i], parts.items[k]))
                keep = false;
        }
        if (keep)
            t2_strs_push(candidates, all.items[i]);
    }
    t2_strs_release(&parts);
    t2_strs_release(&all);
}

static enum t2_status unknown(const char *name, const struct t2_strs *candidates,
                              struct t2_err *err)
{
    const char *near = t2_nearest(name, (const char *const *) candidates->items, candidates->n);

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

static enum t2_status select_one(const char *item, const struct t2_strs *candidates,
                                 struct t2_strs *selected, struct t2_err *err)
{
    bool was_reversed, was_copy;
    char *base;
    enum t2_status st = T2_OK;

    if (t2_strs_contains(candidates, item)) {
        if (!t2_strs_contains(selected, item))
            t2_strs_push(selected, item);
        return T2_OK;
    }
    dg_parse_name(item, &base, &was_reversed, &was_copy);
    if ((was_reversed || was_copy) && t2_strs_contains(candidates, base)) {
        t2_info("'%s' is a view of '%s', made by the trainer while reading: generating '%s'", item,
                base, base);
        if (!t2_strs_contains(selected, base))
            t2_strs_push(selected, base);
    } else {
        st = unknown(item, candidates, err);
    }
    t2_free(base);
    return st;
}

static enum t2_status select_prefix(const char *problem, const struct t2_strs *candidates,
                                    struct t2_strs *selected, struct t2_err *err)
{
    char *prefix = t2_strndup(problem, strlen(problem) - 1);
    enum t2_status st = T2_OK;

    for (size_t i = 0; i < candidates->n; i++) {
        if (t2_starts_with(candidates->items[i], prefix))
            t2_strs_push(selected, candidates->items[i]);
    }
    if (selected->n == 0)
        st = t2_fail(err, T2_EUSAGE, "no problem begins with '%s'", prefix);
    t2_free(prefix);
    return st;
}

enum t2_status dg_select(const char *problem, const char *exclude_problems,
                         struct t2_strs *selected, struct t2_err *err)
{
    struct t2_strs candidates = {0}, items = {0};
    enum t2_status st = T2_OK;

    candidates_without(exclude_problems, &candidates);
    if (problem[0] == '\0') {
        st = unknown("", &candidates, err);
    } else if (t2_ends_with(problem, "*")) {
        st = select_prefix(problem, &candidates, selected, err);
    } else {
        t2_strs_split(&items, problem, ',');
        for (size_t i = 0; i < items.n && st == T2_OK; i++)
            st = select_one(items.items[i], &candidates, selected, err);
    }
    t2_strs_sort(selected);
    t2_strs_release(&items);
    t2_strs_release(&candidates);
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
