/*
 * train/device/reference/update_reference.c - the update rules as loops, piece after piece.
 */
#include "train/device/reference/reference_kernels.h"
#include "train/device/rules/adafactor_rule.h"
#include "train/device/rules/lars_rule.h"
#include "train/device/rules/rules.h"
#include "train/device/rules/update_loop.h"
#include "train/device/rules/yellow_fin_rule.h"

#define KERNEL(name, args)
#define UPDATE(name, n_slots)                                                                      \
    DEV_UPDATE_PIECE(name, n_slots)                                                                \
    void dev_reference_update_##name(struct dev *d, const struct dev_update *a)                    \
    {                                                                                              \
        (void) d;                                                                                  \
        for (int64_t i = 0; i < a->n_pieces; i++)                                                  \
            update_##name##_piece(a, i);                                                           \
    }
#include "train/device/kernels.def"

void dev_reference_update_adafactor(struct dev *d, const struct dev_adafactor *a)
{
    (void) d;
    for (int64_t i = 0; i < a->n_variables; i++)
        dev_adafactor_variable_update(a, i);
}

void dev_reference_update_lars(struct dev *d, const struct dev_lars *a)
{
    (void) d;
    if (!a->of.step->finite)
        return;
    for (int64_t i = 0; i < a->of.n_pieces; i++)
        dev_lars_sum_piece(a, i);
    dev_lars_rates(a);
    for (int64_t i = 0; i < a->of.n_pieces; i++)
        dev_lars_piece(a, i);
}

void dev_reference_update_yellow_fin(struct dev *d, const struct dev_yellow_fin *a)
{
    (void) d;
    if (!a->step->finite)
        return;
    dev_yellow_fin_begin(a);
    for (int64_t i = 0; i < a->of.n_pieces; i++)
        dev_yellow_fin_piece(a, i);
    dev_yellow_fin_end(a);
}
