/*
 * train/optim/schedule.c - learning-rate factors (spec §4.2).
 *
 * tensor2tensor/utils/learning_rate.py.  The original computes in float32; this is double, rounded
 * once by whoever stores it, so both agree to a few units of float32.
 */
#include "train/optim/schedule.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "base/alloc.h"
#include "base/str.h"
#include "train/optim/garden_schedule.h"
#include "train/optim/image_schedule.h"

static const double pi = 3.14159265358979323846;

/* The step and the numbers that factors read. */
struct point {
    const struct mdl_hparams *hp;
    double t;           /* step before the update; a fraction with multistep optimizers */
    double warmup;      /* learning_rate_warmup_steps */
    double decay_steps; /* learning_rate_decay_steps */
    double train_steps;
};

typedef enum t2_status (*factor_fn)(const struct point *p, double *factor, struct t2_err *err);

static enum t2_status constant(const struct point *p, double *factor, struct t2_err *err)
{
    (void) err;
    *factor = mdl_hp_float(p->hp, "learning_rate_constant");
    return T2_OK;
}

static enum t2_status need_positive(const char *factor, const char *hparam, double value,
                                    struct t2_err *err)
{
    if (value > 0)
        return T2_OK;
    return t2_fail(err, T2_EUSAGE, "learning-rate factor '%s' needs hparam '%s' > 0, not %g",
                   factor, hparam, value);
}

static enum t2_status linear_warmup(const struct point *p, double *factor, struct t2_err *err)
{
    T2_TRY(need_positive("linear_warmup", "learning_rate_warmup_steps", p->warmup, err));
    *factor = fmin(1.0, p->t / p->warmup);
    return T2_OK;
}

static enum t2_status linear_decay(const struct point *p, double *factor, struct t2_err *err)
{
    T2_TRY(need_positive("linear_decay", "learning_rate_decay_steps", p->decay_steps, err));
    *factor = fmin(1.0, fmax(0.0, (p->train_steps - p->t) / p->decay_steps));
    return T2_OK;
}

/* No phase shift: the cosine is measured from step 0 though it starts to act after the warm-up. */
static enum t2_status cosdecay(const struct point *p, double *factor, struct t2_err *err)
{
    T2_TRY(need_positive("cosdecay", "learning_rate_decay_steps", p->decay_steps, err));
    *factor = p->t <= p->warmup ? 1.0 : 0.5 * (1.0 + cos(pi * p->t / p->decay_steps));
    return T2_OK;
}

static enum t2_status single_cycle_cos_decay(const struct point *p, double *factor,
                                             struct t2_err *err)
{
    double cycle = p->train_steps - p->warmup;

    if (!(cycle > 0))
        return t2_fail(err, T2_EUSAGE,
                       "learning-rate factor 'single_cycle_cos_decay' needs more training steps "
                       "(%g) than hparam 'learning_rate_warmup_steps' (%g)",
                       p->train_steps, p->warmup);
    *factor = 0.5 + 0.5 * cos(pi * (fmax(p->t, p->warmup) - p->warmup) / cycle);
    return T2_OK;
}

static enum t2_status multi_cycle_cos_decay(const struct point *p, double *factor,
                                            struct t2_err *err)
{
    double steps = fmax(p->t, p->warmup) - p->warmup;

    T2_TRY(
        need_positive("multi_cycle_cos_decay", "learning_rate_decay_steps", p->decay_steps, err));
    *factor = 0.5 + 0.5 * cos(pi * steps / p->decay_steps);
    return T2_OK;
}

static enum t2_status rsqrt_decay(const struct point *p, double *factor, struct t2_err *err)
{
    double steps = fmax(p->t, p->warmup);

    T2_TRY(need_positive("rsqrt_decay", "learning_rate_warmup_steps", steps, err));
    *factor = 1.0 / sqrt(steps);
    return T2_OK;
}

static enum t2_status rsqrt_normalized_decay(const struct point *p, double *factor,
                                             struct t2_err *err)
{
    T2_TRY(need_positive("rsqrt_normalized_decay", "learning_rate_warmup_steps", p->warmup, err));
    *factor = sqrt(p->warmup / fmax(p->t, p->warmup));
    return T2_OK;
}

static enum t2_status rsqrt_hidden_size(const struct point *p, double *factor, struct t2_err *err)
{
    double size = (double) mdl_hp_int(p->hp, "hidden_size");

    T2_TRY(need_positive("rsqrt_hidden_size", "hidden_size", size, err));
    *factor = 1.0 / sqrt(size);
    return T2_OK;
}

/* decay_rate ^ (steps / decay_steps), in whole powers with a staircase. */
static double exponential(const struct point *p, double steps)
{
    double power = steps / p->decay_steps;

    if (mdl_hp_bool(p->hp, "learning_rate_decay_staircase"))
        power = floor(power);
    return pow(mdl_hp_float(p->hp, "learning_rate_decay_rate"), power);
}

static enum t2_status exp_decay(const struct point *p, double *factor, struct t2_err *err)
{
    T2_TRY(need_positive("exp_decay", "learning_rate_decay_steps", p->decay_steps, err));
    *factor = exponential(p, fmax(p->t - p->warmup, 0.0));
    return T2_OK;
}

/* ---- legacy: warm-up from 0.01 to 1, then what learning_rate_decay_scheme says ---- */

/* Triangular phase: down to 0 in one cycle, up again in the next. */
static enum t2_status cosine_cycle(const struct point *p, double *decay, struct t2_err *err)
{
    double cycle = (double) mdl_hp_int(p->hp, "learning_rate_cosine_cycle_steps");
    double position;

    T2_TRY(need_positive("legacy, cosine", "learning_rate_cosine_cycle_steps", cycle, err));
    position = cycle - fabs(cycle - fmod(p->t, 2.0 * cycle));
    *decay = 0.5 * (1.0 + cos(pi * position / cycle));
    return T2_OK;
}

/* The formula that the original intended; its own code raises a TypeError. */
static enum t2_status cyclelinear10x(const struct point *p, double *decay, struct t2_err *err)
{
    double w = p->warmup;

    T2_TRY(need_positive("legacy, cyclelinear10x", "learning_rate_warmup_steps", w, err));
    *decay = (1.0 - fabs((fmod(p->t, 2.0 * w) - w) / w) + 0.1) * 3.0;
    return T2_OK;
}

/* Multipliers [1] + learning_rate_multiples, the next one from the step after each boundary. */
static enum t2_status piecewise(const struct point *p, double *decay, struct t2_err *err)
{
    const int64_t *boundaries;
    const double *multiples;
    size_t n, n_multiples;

    if (!mdl_hp_has(p->hp, "learning_rate_boundaries") ||
        !mdl_hp_has(p->hp, "learning_rate_multiples"))
        return t2_fail(err, T2_EUSAGE,
                       "learning rate 'piecewise' needs two lists that '%s' has not, for example "
                       "--hparams='learning_rate_boundaries=[1000,2000],"
                       "learning_rate_multiples=[0.1,0.01]'",
                       mdl_hparams_set_name(p->hp));
    boundaries = mdl_hp_ints(p->hp, "learning_rate_boundaries", &n);
    multiples = mdl_hp_floats(p->hp, "learning_rate_multiples", &n_multiples);
    if (n != n_multiples)
        return t2_fail(err, T2_EUSAGE,
                       "hparams 'learning_rate_boundaries' (%zu) and 'learning_rate_multiples' "
                       "(%zu) must be equally long",
                       n, n_multiples);
    *decay = 1.0;
    for (size_t i = 0; i < n && p->t > (double) boundaries[i]; i++)
        *decay = multiples[i];
    return T2_OK;
}

static enum t2_status legacy_decay(const struct point *p, const char *scheme, double *decay,
                                   struct t2_err *err)
{
    if (scheme[0] == '\0' || strcmp(scheme, "none") == 0) {
        *decay = 1.0;
    } else if (strcmp(scheme, "exp") == 0) {
        T2_TRY(need_positive("legacy, exp", "learning_rate_decay_steps", p->decay_steps, err));
        *decay = exponential(p, p->t - p->warmup);
    } else if (strcmp(scheme, "sqrt") == 0) {
        *decay = 500.0 / sqrt(fmax(p->t - p->warmup, 1.0));
    } else if (strcmp(scheme, "cosine") == 0) {
        return cosine_cycle(p, decay, err);
    } else if (strcmp(scheme, "cyclelinear10x") == 0) {
        return cyclelinear10x(p, decay, err);
    } else if (strcmp(scheme, "piecewise") == 0) {
        return piecewise(p, decay, err);
    } else {
        return t2_fail(err, T2_EUSAGE,
                       "unknown learning_rate_decay_scheme '%s'; there are none, exp, sqrt, "
                       "cosine, cyclelinear10x, piecewise, noam",
                       scheme);
    }
    return T2_OK;
}

static enum t2_status legacy(const struct point *p, double *factor, struct t2_err *err)
{
    const char *scheme = mdl_hp_string(p->hp, "learning_rate_decay_scheme");
    const char *optimizer = mdl_hp_string(p->hp, "optimizer");
    double w = p->warmup, base, decay = 1.0;

    if (strcmp(scheme, "noam") == 0) {
        double size;

        T2_TRY(rsqrt_hidden_size(p, &size, err));
        T2_TRY(need_positive("legacy, noam", "learning_rate_warmup_steps", w, err));
        base = 5000.0 * size * fmin((p->t + 1.0) * pow(w, -1.5), 1.0 / sqrt(p->t + 1.0));
    } else {
        /* in the warm-up too, so that an unknown scheme is found at step 0 */
        T2_TRY(legacy_decay(p, scheme, &decay, err));
        base = p->t < w ? exp(log(0.01) / w * (w - p->t)) : decay;
    }
    /* "adam" in lower case anywhere: adam, true_adam, multistep_adam, adam_w; not Adafactor */
    if (strstr(optimizer, "adam"))
        base *= 0.002;
    *factor = base * mdl_hp_float(p->hp, "learning_rate");
    return T2_OK;
}

static enum t2_status tpu_resnet(const struct point *p, double *factor, struct t2_err *err)
{
    return opt_tpu_resnet_rate(p->hp, p->t, p->train_steps, factor, err);
}

static enum t2_status tpu_resnet_lars(const struct point *p, double *factor, struct t2_err *err)
{
    return opt_tpu_resnet_lars_rate(p->hp, p->t, p->train_steps, factor, err);
}

static enum t2_status keras_resnet(const struct point *p, double *factor, struct t2_err *err)
{
    return opt_keras_resnet_rate(p->hp, p->t, p->train_steps, factor, err);
}

static enum t2_status model_garden(const struct point *p, double *factor, struct t2_err *err)
{
    return opt_garden_rate(p->hp, p->t, factor, err);
}

static const struct {
    const char *name;
    factor_fn value;
} factors[] = {{"constant", constant},
               {"piecewise", piecewise},
               {"tpu_resnet", tpu_resnet},
               {"tpu_resnet_lars", tpu_resnet_lars},
               {"keras_resnet", keras_resnet},
               {"linear_warmup", linear_warmup},
               {"linear_decay", linear_decay},
               {"cosdecay", cosdecay},
               {"single_cycle_cos_decay", single_cycle_cos_decay},
               {"multi_cycle_cos_decay", multi_cycle_cos_decay},
               {"rsqrt_decay", rsqrt_decay},
               {"rsqrt_normalized_decay", rsqrt_normalized_decay},
               {"rsqrt_hidden_size", rsqrt_hidden_size},
               {"exp_decay", exp_decay},
               {"legacy", legacy},
               {"model_garden", model_garden}};
enum { N_FACTORS = sizeof factors / sizeof *factors };

static enum t2_status one_factor(const struct point *p, const char *name, double *value,
                                 struct t2_err *err)
{
    const char *names[N_FACTORS];
    const char *near;

    for (size_t i = 0; i < N_FACTORS; i++) {
        if (strcmp(factors[i].name, name) == 0)
            return factors[i].value(p, value, err);
        names[i] = factors[i].name;
    }
    near = t2_nearest(name, names, N_FACTORS);
    if (near)
        return t2_fail(err, T2_EUSAGE,
                       "unknown factor '%s' in learning_rate_schedule; did you mean '%s'?", name,
                       near);
    return t2_fail(err, T2_EUSAGE, "unknown factor '%s' in learning_rate_schedule", name);
}

/* The item without blanks at its ends, cut in place. */
static char *trimmed(char *s)
{
    size_t n;

    s += strspn(s, " \t\n\r\f\v");
    n = strlen(s);
    while (n > 0 && strchr(" \t\n\r\f\v", s[n - 1]))
        s[--n] = '\0';
    return s;
}

int64_t opt_first_count(const struct mdl_hparams *hp)
{
    return mdl_hp_has(hp, "use_ctl") && !mdl_hp_bool(hp, "use_ctl");
}

enum t2_status opt_learning_rate(const struct mdl_hparams *hp, int64_t global_step,
                                 int64_t train_steps, double *rate, struct t2_err *err)
{
    int64_t accumulate = mdl_hp_int(hp, "optimizer_multistep_accumulate_steps");
    struct point p = {.hp = hp,
                      .t = (double) (global_step + opt_first_count(hp)),
                      .warmup = (double) mdl_hp_int(hp, "learning_rate_warmup_steps"),
                      .decay_steps = (double) mdl_hp_int(hp, "learning_rate_decay_steps"),
                      .train_steps = (double) train_steps};
    struct t2_strs names = {0};
    double product = 1.0;
    enum t2_status st = T2_OK;

    if (accumulate > 0)
        p.t /= (double) accumulate;
    t2_strs_split(&names, mdl_hp_string(hp, "learning_rate_schedule"), '*');
    for (size_t i = 0; i < names.n && st == T2_OK; i++) {
        const char *name = trimmed(names.items[i]);
        double value = 1.0;

        if (*name) {
            st = one_factor(&p, name, &value, err);
            product *= value;
        }
    }
    t2_strs_release(&names);
    if (st == T2_OK)
        *rate = product;
    return st;
}
