/*
 * train/input/task_mix.c - see the header.
 */
#include "train/input/task_mix.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/str.h"

static enum t2_status read_weights(const char *text, struct in_task_mix *mix, struct t2_err *err)
{
    double sum = 0.0;
    int n = 0;

    for (const char *at = text; *at != '\0'; n++) {
        size_t length = strcspn(at, "+,");
        char *number = t2_strndup(at, length);
        double weight = 0.0;
        bool ok = n < mix->n && t2_parse_double(number, &weight) && weight >= 0.0;

        t2_free(number);
        if (!ok || !isfinite(weight))
            break;
        mix->weights[n] = weight;
        sum += weight;
        at += length + (at[length] != '\0');
        if (*at == '\0' && n + 1 == mix->n && sum > 0.0) {
            for (int i = 0; i < mix->n; i++)
                mix->weights[i] /= sum;
            mix->weighted = true;
            return T2_OK;
        }
    }
    return t2_fail(err, T2_EUSAGE,
                   "hparam multiproblem_per_task_threshold='%s' must be %d weights, one of each "
                   "problem, joined by '+', not negative and not all 0",
                   text, mix->n);
}

static enum t2_status read_mixing(const char *name, enum in_mixing *mixing, struct t2_err *err)
{
    static const char *const names[] = {"constant", "exponential", "pretrain"};

    for (int i = 0; i < 3; i++)
        if (strcmp(names[i], name) == 0) {
            *mixing = (enum in_mixing) i;
            return T2_OK;
        }
    return t2_fail(err, T2_EUSAGE,
                   "hparam multiproblem_mixing_schedule='%s'; there are constant, exponential, "
                   "pretrain",
                   name);
}

enum t2_status in_task_mix_of(const struct mdl_hparams *hp, int n, struct in_task_mix *mix,
                              struct t2_err *err)
{
    const char *weights = mdl_hp_string(hp, "multiproblem_per_task_threshold");

    T2_ASSERT(n >= 2 && n <= IN_MOST_TASKS);
    *mix = (struct in_task_mix){.n = n,
                                .threshold = mdl_hp_float(hp, "multiproblem_schedule_threshold"),
                                .max_examples =
                                    mdl_hp_float(hp, "multiproblem_schedule_max_examples")};
    T2_TRY(read_mixing(mdl_hp_string(hp, "multiproblem_mixing_schedule"), &mix->mixing, err));
    if (!(mix->threshold >= 0.0 && mix->threshold <= 1.0))
        return t2_fail(err, T2_EUSAGE,
                       "hparam multiproblem_schedule_threshold=%g must lie between 0 and 1",
                       mix->threshold);
    if (!(mix->max_examples >= 0.0))
        return t2_fail(err, T2_EUSAGE,
                       "hparam multiproblem_schedule_max_examples=%g must not be negative",
                       mix->max_examples);
    return weights[0] != '\0' ? read_weights(weights, mix, err) : T2_OK;
}

double in_task_mix_others(const struct in_task_mix *mix, uint64_t number)
{
    const double least = 1e-4;
    double left = mix->max_examples - (double) number;

    if (mix->weighted)
        return 1.0 - mix->weights[0];
    switch (mix->mixing) {
    case IN_MIX_EXPONENTIAL: /* least^(left / max) */
        return left > 0.0 ? mix->threshold * pow(least, left / mix->max_examples) : mix->threshold;
    case IN_MIX_PRETRAIN:
        return left < 0.0 ? 1.0 : 0.0;
    case IN_MIX_CONSTANT:
        break;
    }
    return mix->threshold;
}

int in_task_mix_draw(const struct in_task_mix *mix, uint64_t number, double u)
{
    double others, sum = 0.0;
    int task;

    if (mix->weighted) {
        int last = 0;

        for (int i = 0; i < mix->n; i++) {
            sum += mix->weights[i];
            last = mix->weights[i] > 0.0 ? i : last;
            if (u < sum)
                return i;
        }
        return last; /* the sum may be a little below 1 */
    }
    others = in_task_mix_others(mix, number);
    if (u >= others)
        return 0;
    task = 1 + (int) (u / others * (mix->n - 1));
    return task < mix->n ? task : mix->n - 1;
}

bool in_task_mix_uses(const struct in_task_mix *mix, int task)
{
    if (mix->weighted)
        return mix->weights[task] > 0.0;
    if (mix->mixing == IN_MIX_PRETRAIN)
        return task > 0 || mix->max_examples >= 1.0;
    return task == 0 ? mix->threshold < 1.0 || mix->mixing == IN_MIX_EXPONENTIAL
                     : mix->threshold > 0.0;
}
