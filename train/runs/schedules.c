/*
 * train/runs/schedules.c - see the header.
 */
#include "train/runs/schedules.h"

#include <stddef.h>
#include <string.h>

#include "base/buf.h"

#define T2T_DECODES "t2t-decoder translates with one checkpoint, t2t-translate-all with each"

static const struct tr_schedule schedules[] = {
    {.name = "train", .train = true},
    {.name = "continuous_train_and_eval", .train = true, .evaluate = true},
    {.name = "train_and_evaluate", .train = true, .evaluate = true},
    {.name = "train_eval_and_decode", .train = true, .evaluate = true, .translates = true},
    {.name = "test", .train = true, .evaluate = true, .one_step = true},
    {.name = "evaluate", .evaluate = true},
    {.name = "evaluate_on_train_data", .evaluate = true, .of_train_data = true},
    {.name = "continuous_eval", .evaluate = true, .continuous = true},
    {.name = "continuous_eval_on_train_data",
     .evaluate = true,
     .continuous = true,
     .of_train_data = true},
    {.name = "decode", .instead = T2T_DECODES},
    {.name = "continuous_decode", .instead = T2T_DECODES},
    {.name = "continuous_decode_on_train_data", .instead = T2T_DECODES},
    {.name = "continuous_decode_on_eval_data", .instead = T2T_DECODES},
    {.name = "continuous_decode_from_file", .instead = T2T_DECODES},
    {.name = "run_std_server",
     .instead = "there are no parameter servers; mpirun or srun starts several processes, by the "
                "same command"},
};

const char tr_schedule_names[] = "train continuous_train_and_eval train_and_evaluate "
                                 "train_eval_and_decode test evaluate evaluate_on_train_data "
                                 "continuous_eval continuous_eval_on_train_data";

static enum t2_status unknown(const char *name, struct t2_err *err)
{
    struct t2_buf there = {0};

    for (size_t i = 0; i < sizeof schedules / sizeof *schedules; i++)
        if (!schedules[i].instead)
            t2_buf_printf(&there, "%s%s", there.len_bytes > 0 ? ", " : "", schedules[i].name);
    (void) t2_fail(err, T2_EUSAGE, "unknown --schedule '%s'; there are %s", name,
                   t2_buf_cstr(&there));
    t2_buf_release(&there);
    return T2_EUSAGE;
}

enum t2_status tr_schedule_find(const char *name, const struct tr_schedule **schedule,
                                struct t2_err *err)
{
    for (size_t i = 0; i < sizeof schedules / sizeof *schedules; i++) {
        const struct tr_schedule *s = &schedules[i];

        if (strcmp(name, s->name) != 0)
            continue;
        if (s->instead)
            return t2_fail(err, T2_EUNSUPPORTED, "--schedule=%s is not supported: %s", name,
                           s->instead);
        *schedule = s;
        return T2_OK;
    }
    return unknown(name, err);
}
