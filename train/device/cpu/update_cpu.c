/*
 * train/device/cpu/update_cpu.c - the update rules on the pool, a piece at a time; Adafactor a
 * variable at a time.
 *
 * The compiler makes vectors of the loops (rules/update_loop.h).  A step reads and writes more than
 * any cache holds and computes little, so it is the memory that decides, and one pass is the point.
 */
#include "train/device/cpu/tasks.h"
#include "train/device/rules/adafactor_rule.h"
#include "train/device/rules/lars_rule.h"
#include "train/device/rules/rules.h"
#include "train/device/rules/update_loop.h"
#include "train/device/rules/yellow_fin_rule.h"

#define KERNEL(name, args)
#define UPDATE(name, n_slots)                                                                      \
    DEV_UPDATE_PIECE(name, n_slots)                                                                \
    DEV_CPU_TASK(update_##name##_piece, dev_update)                                                \
    void DEV_CPU(dev_cpu_update_##name)(struct dev * d, const struct dev_update *a)                \
    {                                                                                              \
        run_update_##name##_piece(d, a->n_pieces, a);                                              \
    }
#include "train/device/kernels.def"

DEV_CPU_TASK(dev_adafactor_variable_update, dev_adafactor)
DEV_CPU_TASK(dev_lars_sum_piece, dev_lars)
DEV_CPU_TASK(dev_lars_piece, dev_lars)
DEV_CPU_TASK(dev_yellow_fin_piece, dev_yellow_fin)

void DEV_CPU(dev_cpu_update_adafactor)(struct dev *d, const struct dev_adafactor *a)
{
    run_dev_adafactor_variable_update(d, a->n_variables, a);
}

void DEV_CPU(dev_cpu_update_lars)(struct dev *d, const struct dev_lars *a)
{
    if (!a->of.step->finite)
        return;
    run_dev_lars_sum_piece(d, a->of.n_pieces, a);
    dev_lars_rates(a);
    run_dev_lars_piece(d, a->of.n_pieces, a);
}

void DEV_CPU(dev_cpu_update_yellow_fin)(struct dev *d, const struct dev_yellow_fin *a)
{
    if (!a->step->finite)
        return;
    dev_yellow_fin_begin(a);
    run_dev_yellow_fin_piece(d, a->of.n_pieces, a);
    dev_yellow_fin_end(a);
}
