/*
 * train/models/hparams_reads.c - what is set and never read (hparams_marks.c) has no meaning, and
 * is named.
 */
#include <string.h>

#include "base/buf.h"
#include "base/log.h"
#include "base/str.h"
#include "train/models/hparams_store.h"

static bool same_value(const struct mdl_value *a, const struct mdl_value *b)
{
    if (a->type != b->type || a->is_null != b->is_null || a->n != b->n)
        return false;
    switch (a->type) {
    case MDL_HP_INT:
        return a->i == b->i;
    case MDL_HP_FLOAT:
        return a->f == b->f;
    case MDL_HP_BOOL:
        return a->b == b->b;
    case MDL_HP_STRING:
        return a->is_null || strcmp(a->s, b->s) == 0;
    case MDL_HP_NONE:
    case MDL_HP_MAP:
        return true;
    case MDL_HP_INT_LIST:
        return a->n == 0 || memcmp(a->ints, b->ints, a->n * sizeof *a->ints) == 0;
    case MDL_HP_FLOAT_LIST:
        return a->n == 0 || memcmp(a->floats, b->floats, a->n * sizeof *a->floats) == 0;
    }
    return false;
}

/* Read in the first step, at the first report line, or by the decoder. */
static bool is_read_later(const char *name)
{
    static const char *const later[] = {"sampling_keep_top_k", "sampling_keep_top_p",
                                        "sampling_method",     "sampling_temp",
                                        "summarize_grads",     "summarize_vars",
                                        "symbol_dropout"};

    for (size_t i = 0; i < sizeof later / sizeof *later; i++)
        if (strcmp(later[i], name) == 0)
            return true;
    return false;
}

static bool is_normal(const struct mdl_hparams *normal, const struct mdl_entry *e)
{
    const struct mdl_value *v = mdl_hparams_find(normal, e->name);

    if (!v)
        v = mdl_hparams_extra(e->name);
    return v && same_value(&e->value, v);
}

enum t2_status mdl_hparams_unread(const struct mdl_hparams *hp, const struct mdl_hparams *normal,
                                  struct t2_strs *names, struct t2_err *err)
{
    struct mdl_hparams *set = NULL;

    if (!normal)
        T2_TRY(mdl_hparams_new(hp->set, &set, err));
    for (size_t i = 0; i < hp->n; i++) {
        const struct mdl_entry *e = &hp->entries[i];

        if (!is_normal(normal ? normal : set, e) && !is_read_later(e->name) &&
            !mdl_hparams_was_read(e->name))
            t2_strs_push(names, e->name);
    }
    mdl_hparams_free(set);
    return T2_OK;
}

enum t2_status mdl_hparams_name_unread(const struct mdl_hparams *hp,
                                       const struct mdl_hparams *normal, struct t2_err *err)
{
    struct t2_strs names = {0};
    struct t2_buf text = {0};
    enum t2_status st = mdl_hparams_unread(hp, normal, &names, err);

    for (size_t i = 0; i < names.n; i++) {
        const char *why = mdl_hparams_unused(names.items[i]);

        t2_buf_printf(&text, "%s%s", i > 0 ? ", " : "", names.items[i]);
        if (why)
            t2_buf_printf(&text, " (%s)", why);
    }
    if (names.n > 0)
        t2_warn(
            "hparams that are set, but have no meaning here (nothing of this run reads them): %s",
            t2_buf_cstr(&text));
    t2_buf_release(&text);
    t2_strs_release(&names);
    return st;
}
