/*
 * base/flags_foreign.c - flags of the originals without a row: passed over, or refused.
 */
#include "base/flags_foreign.h"

#include <string.h>

#include "base/log.h"
#include "base/str.h"

/* '-' and '_' are the same. */
static bool same_name(const char *name, const char *s, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (name[i] == '\0' || name[i] != (s[i] == '-' ? '_' : s[i]))
            return false;
    return name[n] == '\0';
}

static size_t count(const struct t2_foreign *list)
{
    size_t n = 0;

    while (list && list[n].name)
        n++;
    return n;
}

size_t t2_foreign_count(const struct t2_tool *tool)
{
    size_t n = 0;

    for (int k = 0; k < T2_FOREIGN_LISTS; k++)
        n += count(tool->foreign[k]);
    return n;
}

const struct t2_foreign *t2_foreign_at(const struct t2_tool *tool, size_t i)
{
    for (int k = 0; k < T2_FOREIGN_LISTS; k++) {
        size_t n = count(tool->foreign[k]);

        if (i < n)
            return &tool->foreign[k][i];
        i -= n;
    }
    T2_ASSERT(false);
}

const struct t2_foreign *t2_foreign_find(const struct t2_tool *tool, const char *name, size_t n,
                                         bool *negated)
{
    size_t n_foreign = t2_foreign_count(tool);

    *negated = false;
    for (size_t i = 0; i < n_foreign; i++)
        if (same_name(t2_foreign_at(tool, i)->name, name, n))
            return t2_foreign_at(tool, i);
    if (n < 3 || strncmp(name, "no", 2) != 0)
        return NULL;
    *negated = true;
    for (size_t i = 0; i < n_foreign; i++)
        if (t2_foreign_at(tool, i)->is_bool &&
            same_name(t2_foreign_at(tool, i)->name, name + 2, n - 2))
            return t2_foreign_at(tool, i);
    return NULL;
}

/* Whether the value is the word of n letters: the same text, number or truth. */
static bool is_word(const struct t2_foreign *f, const char *value, const char *word, size_t n)
{
    char off[32] = "";
    bool wanted, given;
    double a, b;

    T2_ASSERT(n < sizeof off);
    memcpy(off, word, n);
    if (f->is_bool)
        return t2_parse_bool(off, &wanted) && t2_parse_bool(value, &given) && wanted == given;
    if (t2_parse_double(off, &a) && t2_parse_double(value, &b))
        return a == b;
    return strcmp(off, value) == 0;
}

static bool is_off(const struct t2_foreign *f, const char *value)
{
    if (value[0] == '\0' || strcmp(value, "None") == 0)
        return true;
    for (const char *at = f->off; *at; at += strspn(at, " ")) {
        size_t n = strcspn(at, " ");

        if (is_word(f, value, at, n))
            return true;
        at += n;
    }
    return false;
}

enum t2_status t2_foreign_judge(const struct t2_foreign *f, const char *value, struct t2_err *err)
{
    if (!f->off) {
        t2_warn("--%s means nothing here and is passed over: %s", f->name, f->why);
        return T2_OK;
    }
    if (is_off(f, value))
        return T2_OK;
    return t2_fail(err, T2_EUNSUPPORTED, "--%s=%s is not supported: %s", f->name, value, f->why);
}
