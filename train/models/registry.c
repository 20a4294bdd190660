/*
 * train/models/registry.c - the models by name.
 */
#include <string.h>

#include "train/models/kind.h"

static const struct mdl_kind *const kinds[] = {&mdl_official_transformer, &mdl_transformer,
                                               &mdl_transformer_encoder};

size_t mdl_count(void)
{
    return sizeof kinds / sizeof kinds[0];
}

const char *mdl_name(size_t i)
{
    T2_ASSERT(i < mdl_count());
    return kinds[i]->name;
}

const struct mdl_kind *mdl_find_kind(const char *name)
{
    for (size_t i = 0; i < mdl_count(); ++i)
        if (strcmp(kinds[i]->name, name) == 0)
            return kinds[i];
    return NULL;
}
