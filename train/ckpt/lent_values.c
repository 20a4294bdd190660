/*
 * train/ckpt/lent_values.c - see the header.
 */
#include "train/ckpt/lent_values.h"

#include "base/alloc.h"
#include "train/ckpt/tensor_file.h"

bool ckpt_can_lend(struct ckpt_file *f, const struct gr_params *params)
{
    const void **places = t2_alloc((size_t) params->n_variables, sizeof(const void *));

    for (int i = 0; i < params->n_variables; i++) {
        const struct ckpt_tensor *t = ckpt_find(f, params->variables[i].name);
        bool fits = t && t->type == CKPT_F32 &&
                    t->n_bytes == (size_t) params->variables[i].n * sizeof(float);

        places[i] = fits ? t->data : NULL;
    }
    f->stays = f->n_maps == 1 && f->n_pieced == 0 && gr_params_can_borrow(params, places);
    t2_free(places);
    return f->stays;
}

void ckpt_lend(struct ckpt_file *f, struct gr_params *params)
{
    const struct ckpt_tensor *first = ckpt_find(f, params->variables[0].name);

    T2_ASSERT(f->stays);
    gr_params_borrow(params, first->data, &f->maps[0]);
}
