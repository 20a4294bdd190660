/*
 * train/optim/garden_schedule.c - Model Garden's schedules by name, and the warm-ups in front of
 * them; formulas in the header.
 *
 * A schedule runs from step 0, also behind a warm-up: the warm-up rises to its value at the step
 * where the warm-up ends, so the rate does not jump there.
 */
#include "train/optim/garden_schedule.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

static double initial(const struct mdl_hparams *hp)
{
    return mdl_hp_float(hp, "learning_rate_initial");
}

static enum t2_status decay_steps(const struct mdl_hparams *hp, double *steps, struct t2_err *err)
{
    *steps = (double) mdl_hp_int(hp, "learning_rate_decay_steps");
    if (*steps >= 1)
        return T2_OK;
    return t2_fail(err, T2_EUSAGE,
                   "learning rate '%s' needs hparam 'learning_rate_decay_steps' > 0, not %g",
                   mdl_hp_string(hp, "learning_rate_main"), *steps);
}

static enum t2_status constant(const struct mdl_hparams *hp, double s, double *rate,
                               struct t2_err *err)
{
    (void) s;
    (void) err;
    *rate = initial(hp);
    return T2_OK;
}

static enum t2_status stepwise(const struct mdl_hparams *hp, double s, double *rate,
                               struct t2_err *err)
{
    size_t n, n_values, k = 0;
    const int64_t *boundaries = mdl_hp_ints(hp, "learning_rate_step_boundaries", &n);
    const double *values = mdl_hp_floats(hp, "learning_rate_step_values", &n_values);

    if (n_values != n + 1)
        return t2_fail(err, T2_EUSAGE,
                       "hparam 'learning_rate_step_values' (%zu) must hold one value more than "
                       "'learning_rate_step_boundaries' (%zu)",
                       n_values, n);
    for (size_t i = 1; i < n; i++)
        if (boundaries[i] <= boundaries[i - 1])
            return t2_fail(err, T2_EUSAGE,
                           "hparam 'learning_rate_step_boundaries' must grow from item to item");
    while (k < n && s > (double) boundaries[k])
        k++;
    *rate = values[k];
    return T2_OK;
}

static enum t2_status exponential(const struct mdl_hparams *hp, double s, double *rate,
                                  struct t2_err *err)
{
    double steps, power;

    T2_TRY(decay_steps(hp, &steps, err));
    power = s / steps;
    if (mdl_hp_bool(hp, "learning_rate_decay_staircase"))
        power = floor(power);
    *rate = initial(hp) * pow(mdl_hp_float(hp, "learning_rate_decay_rate"), power);
    return T2_OK;
}

static enum t2_status polynomial(const struct mdl_hparams *hp, double s, double *rate,
                                 struct t2_err *err)
{
    double end = mdl_hp_float(hp, "learning_rate_end"), steps;

    T2_TRY(decay_steps(hp, &steps, err));
    if (mdl_hp_bool(hp, "learning_rate_cycle"))
        steps *= fmax(1.0, ceil(s / steps));
    *rate = (initial(hp) - end) *
                pow(1.0 - fmin(s, steps) / steps, mdl_hp_float(hp, "learning_rate_power")) +
            end;
    return T2_OK;
}

static enum t2_status cosine(const struct mdl_hparams *hp, double s, double *rate,
                             struct t2_err *err)
{
    double alpha = mdl_hp_float(hp, "learning_rate_alpha"), steps;

    T2_TRY(decay_steps(hp, &steps, err));
    *rate = initial(hp) * ((1.0 - alpha) * 0.5 * (1.0 + cos(pi * fmin(s, steps) / steps)) + alpha);
    return T2_OK;
}

static enum t2_status power(const struct mdl_hparams *hp, double s, double *rate,
                            struct t2_err *err)
{
    (void) err;
    *rate = initial(hp) * pow(fmax(s, 1.0), mdl_hp_float(hp, "learning_rate_power"));
    return T2_OK;
}

static enum t2_status power_linear(const struct mdl_hparams *hp, double s, double *rate,
                                   struct t2_err *err)
{
    double fraction = mdl_hp_float(hp, "learning_rate_linear_fraction"), steps;

    T2_TRY(decay_steps(hp, &steps, err));
    if (!(fraction > 0))
        return t2_fail(err, T2_EUSAGE, "hparam 'learning_rate_linear_fraction' must be above 0");
    T2_TRY(power(hp, s, rate, err));
    *rate *= fmax(0.0, fmin(1.0, (steps - s) / (steps * fraction)));
    return T2_OK;
}

static enum t2_status power_with_offset(const struct mdl_hparams *hp, double s, double *rate,
                                        struct t2_err *err)
{
    double ceiling = mdl_hp_float(hp, "learning_rate_ceiling");

    T2_TRY(power(hp, s, rate, err));
    *rate = s > 0 ? fmin(*rate, ceiling) : ceiling;
    return T2_OK;
}

static const struct {
    const char *name;
    enum t2_status (*rate)(const struct mdl_hparams *hp, double s, double *rate,
                           struct t2_err *err);
} schedules[] = {{"constant", constant},
                 {"stepwise", stepwise},
                 {"exponential", exponential},
                 {"polynomial", polynomial},
                 {"cosine", cosine},
                 {"power", power},
                 {"power_linear", power_linear},
                 {"power_with_offset", power_with_offset}};

static enum t2_status schedule_at(const struct mdl_hparams *hp, double step, double *rate,
                                  struct t2_err *err)
{
    const char *name = mdl_hp_string(hp, "learning_rate_main");

    step -= (double) mdl_hp_int(hp, "learning_rate_offset");
    for (size_t i = 0; i < sizeof schedules / sizeof *schedules; i++)
        if (strcmp(schedules[i].name, name) == 0)
            return schedules[i].rate(hp, step, rate, err);
    return t2_fail(err, T2_EUSAGE,
                   "unknown learning_rate_main '%s'; there are constant, stepwise, exponential, "
                   "polynomial, cosine, power, power_linear, power_with_offset",
                   name);
}

enum t2_status opt_garden_rate(const struct mdl_hparams *hp, double step, double *rate,
                               struct t2_err *err)
{
    const char *warmup = mdl_hp_string(hp, "learning_rate_warmup");
    double steps = (double) mdl_hp_int(hp, "learning_rate_warmup_steps");
    bool is_linear = strcmp(warmup, "linear") == 0;

    if (strcmp(warmup, "none") == 0)
        return schedule_at(hp, step, rate, err);
    if (!is_linear && strcmp(warmup, "polynomial") != 0)
        return t2_fail(err, T2_EUSAGE,
                       "unknown learning_rate_warmup '%s'; there are none, linear, polynomial",
                       warmup);
    T2_TRY(schedule_at(hp, fmax(step, steps), rate, err));
    if (step >= steps)
        return T2_OK;
    if (is_linear) {
        double from = mdl_hp_float(hp, "learning_rate_warmup_initial");

        *rate = from + step / steps * (*rate - from);
    } else {
        *rate *= pow(fmax(step, 1.0) / steps, mdl_hp_float(hp, "learning_rate_warmup_power"));
    }
    return T2_OK;
}
