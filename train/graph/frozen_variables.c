/*
 * train/graph/frozen_variables.c - see the header.
 */
#include "train/graph/frozen_variables.h"

#include <string.h>

/* A star that did not reach far enough takes one character more; only the last one is asked. */
static bool fits(const char *pattern, size_t n, const char *name)
{
    size_t i = 0, star = n; /* n: there was none */
    const char *behind = name;

    while (*name != '\0') {
        if (i < n && pattern[i] == '*') {
            star = i++;
            behind = name;
        } else if (i < n && (pattern[i] == '?' || pattern[i] == *name)) {
            i++;
            name++;
        } else if (star < n) {
            i = star + 1;
            name = ++behind;
        } else {
            return false;
        }
    }
    while (i < n && pattern[i] == '*')
        i++;
    return i == n;
}

bool gr_name_fits(const char *patterns, const char *name)
{
    for (const char *at = patterns; *at != '\0';) {
        size_t n = strcspn(at, "+");

        if (n > 0 && fits(at, n, name))
            return true;
        at += n + (at[n] == '+');
    }
    return false;
}

static enum t2_status check_patterns(const struct gr_params *p, const char *patterns,
                                     struct t2_err *err)
{
    for (const char *at = patterns; *at != '\0';) {
        size_t n = strcspn(at, "+");
        bool any = n == 0;

        for (int i = 0; i < p->n_variables && !any; i++)
            any = p->variables[i].trainable && fits(at, n, p->variables[i].name);
        if (!any)
            return t2_fail(err, T2_EUSAGE,
                           "frozen_variables: no variable is called '%.*s'; the first is '%s' (* "
                           "stands for any characters)",
                           (int) n, at, p->n_variables > 0 ? p->variables[0].name : "");
        at += n + (at[n] == '+');
    }
    return T2_OK;
}

static int64_t place_after(struct gr_params *p, bool trained, int64_t at)
{
    const int64_t unit = DEV_ALIGN_BYTES / (int64_t) sizeof(float);

    for (int k = 0; k < p->n_params; k++) {
        struct gr_param *param = &p->params[k];

        if (gr_param_is_trained(p, k) != trained)
            continue;
        for (int i = 0; i < param->n_variables; i++)
            p->variables[param->first_variable + i].offset += at - param->offset;
        param->offset = at;
        at += (param->n + unit - 1) / unit * unit;
    }
    return at;
}

enum t2_status gr_freeze_variables(struct gr_params *p, const char *patterns, struct t2_err *err)
{
    T2_ASSERT(!p->values);
    T2_TRY(check_patterns(p, patterns, err));
    for (int i = 0; i < p->n_variables; i++)
        if (gr_name_fits(patterns, p->variables[i].name))
            p->variables[i].trainable = false;
    if (gr_params_count_variables(p) == 0)
        return t2_fail(err, T2_EUSAGE, "frozen_variables='%s' leaves nothing to train", patterns);
    p->n_trained_floats = place_after(p, true, 0);
    p->n_floats = place_after(p, false, p->n_trained_floats);
    return T2_OK;
}
