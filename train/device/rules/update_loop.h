/*
 * train/device/rules/update_loop.h - a rule as a loop over the elements of a piece.
 */
#ifndef DEV_RULES_UPDATE_LOOP_H
#define DEV_RULES_UPDATE_LOOP_H

#include <stddef.h>

#include "train/device/rules/rule.h"
#include "train/device/types.h"

/* The values of a piece, which are in the cache, to their rounded copy. */
static inline void dev_round_piece(const struct dev_update *a, int64_t at, int64_t n)
{
    const float *restrict x = a->values + at;
    uint16_t *restrict to = (uint16_t *) a->rounded + at;

    if (a->rounded_type == DEV_BFLOAT16)
        for (int64_t i = 0; i < n; i++)
            to[i] = dev_bfloat16(x[i]);
    else
        for (int64_t i = 0; i < n; i++)
            to[i] = dev_float16(x[i]);
}

/*
 * Defines update_NAME_piece(a, piece), which is nothing after gradients that are not finite.  One
 * pass reads gradient, value and slots and writes the last two; the number of slots is a constant
 * here, so the loop has no branch but those of the rule's settings, and vectorises.
 */
#define DEV_UPDATE_PIECE(name, n_slots)                                                            \
    static void update_##name##_piece(const struct dev_update *a, int64_t piece)                   \
    {                                                                                              \
        const struct dev_piece *p = &a->pieces[piece];                                             \
        const struct dev_rule c = dev_rule_of(a, p);                                               \
        const float *restrict g = a->grads + p->offset;                                            \
        float *restrict x = a->values + p->offset;                                                 \
        float *restrict s0 = (n_slots) > 0 ? a->slots[0] + p->offset : NULL;                       \
        float *restrict s1 = (n_slots) > 1 ? a->slots[1] + p->offset : NULL;                       \
        float *restrict s2 = (n_slots) > 2 ? a->slots[2] + p->offset : NULL;                       \
        const float scale = a->step->scale;                                                        \
        const int64_t n = a->step->finite ? p->n : 0;                                              \
                                                                                                   \
        for (int64_t i = 0; i < n; i++) {                                                          \
            struct dev_element e = {g[i] * scale,                                                  \
                                    x[i],                                                          \
                                    {(n_slots) > 0 ? s0[i] : 0.0F, (n_slots) > 1 ? s1[i] : 0.0F,   \
                                     (n_slots) > 2 ? s2[i] : 0.0F}};                               \
                                                                                                   \
            dev_rule_##name(&c, &e);                                                               \
            x[i] = e.x;                                                                            \
            if ((n_slots) > 0)                                                                     \
                s0[i] = e.slot[0];                                                                 \
            if ((n_slots) > 1)                                                                     \
                s1[i] = e.slot[1];                                                                 \
            if ((n_slots) > 2)                                                                     \
                s2[i] = e.slot[2];                                                                 \
        }                                                                                          \
        if (a->rounded)                                                                            \
            dev_round_piece(a, p->offset, n);                                                      \
    }

#endif
