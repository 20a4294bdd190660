/*
 * train/models/model_keys.c - a set of another kind of model, refused with the one to take instead.
 */
#include "train/models/model_keys.h"

#include <string.h>

#include "train/models/hparams_store.h"
#include "train/models/kind.h"

static const char *model_with_own_set(const char *set)
{
    for (size_t i = 0; i < mdl_count(); i++) {
        const char *own = mdl_find_kind(mdl_name(i))->own_set;

        if (own && strcmp(own, set) == 0)
            return mdl_name(i);
    }
    return NULL;
}

/* The model that a registered set was made for, or NULL: the one whose own set is next above it, or
 * has the same family. */
static const char *model_of_set(const char *set)
{
    const char *family = mdl_hparams_family(set);

    for (const char *above = set; above; above = mdl_hparams_parent(above)) {
        const char *model = model_with_own_set(above);

        if (model)
            return model;
    }
    for (size_t i = 0; family && i < mdl_count(); i++) {
        const char *own = mdl_find_kind(mdl_name(i))->own_set;
        const char *theirs = own ? mdl_hparams_family(own) : NULL;

        if (theirs && strcmp(theirs, family) == 0)
            return mdl_name(i);
    }
    return NULL;
}

enum t2_status mdl_fail_key(const char *model, const struct mdl_hparams *hp, const char *key,
                            const char *own_set, struct t2_err *err)
{
    const char *set = mdl_hparams_set_name(hp), *other = model_of_set(set);

    return t2_fail(err, T2_EUSAGE,
                   "model '%s' reads hparam '%s', which hparams set '%s' has not; take one "
                   "of its own, such as --hparams_set=%s%s%s",
                   model, key, set, own_set, other ? ", or the model of that set, --model=" : "",
                   other ? other : "");
}

static enum t2_status check_key(const char *model, const struct mdl_hparams *hp,
                                const struct mdl_entry *wanted, const char *own_set,
                                struct t2_err *err)
{
    const struct mdl_value *v = mdl_hparams_find(hp, wanted->name);

    if (wanted->value.type == MDL_HP_NONE || wanted->value.type == MDL_HP_MAP)
        return T2_OK;
    if (!v || v->type != wanted->value.type)
        return mdl_fail_key(model, hp, wanted->name, own_set, err);
    return T2_OK;
}

enum t2_status mdl_check_keys_of(const char *model, const struct mdl_hparams *hp,
                                 const char *own_set, struct t2_err *err)
{
    struct mdl_hparams *own;
    enum t2_status st;

    T2_TRY(mdl_hparams_new(own_set, &own, err));
    st = T2_OK;
    for (size_t i = 0; i < own->n && st == T2_OK; i++)
        st = check_key(model, hp, &own->entries[i], own_set, err);
    mdl_hparams_free(own);
    return st;
}

enum t2_status mdl_add_shared_keys(struct mdl_hparams *hp, const char *shared_set,
                                   struct t2_err *err)
{
    struct mdl_hparams *shared;

    T2_TRY(mdl_hparams_new(shared_set, &shared, err));
    mdl_hparams_add_missing(hp, shared);
    mdl_hparams_free(shared);
    return T2_OK;
}
