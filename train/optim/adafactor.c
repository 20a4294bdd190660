/*
 * train/optim/adafactor.c - Adafactor (Shazeer and Stern 2018; spec §4.4;
 * tensor2tensor/utils/adafactor.py; device/rules/adafactor_rule.h).
 *
 * With t = global step:
 *   rho = 1 - (t+1)^-exponent ("pow"), or b2 (1 - b2^t) / (1 - b2^(t+1)) ("adam")
 */
#include "train/device/rules/adafactor_rule.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "train/optim/method.h"

/* Settings that the kernel does not read, behind those that it does. */
enum { BETA2 = DEV_ADAFACTOR_BY_SCALE + 1, EXPONENT, FACTORED, ADAM_DECAY };

static struct dev_adafactor_variable layout_of(const struct opt_optimizer *o,
                                               const struct gr_variable *v)
{
    struct dev_adafactor_variable w = {.offset = v->offset,
                                       .matrices = 1,
                                       .rows = 1,
                                       .cols = v->dims[v->rank - 1],
                                       .m = -1,
                                       .factored = o->settings[FACTORED] != 0.0F && v->rank >= 2};

    if (v->rank >= 2)
        w.rows = v->dims[v->rank - 2];
    for (int i = 0; i < v->rank - 2; i++)
        w.matrices *= v->dims[i];
    return w;
}

static enum t2_status read_settings(struct opt_optimizer *o, const struct mdl_hparams *hp,
                                    struct t2_err *err)
{
    const char *decay = mdl_hp_string(hp, "optimizer_adafactor_decay_type");
    float *s = o->settings;

    s[DEV_ADAFACTOR_BETA1] = (float) mdl_hp_float(hp, "optimizer_adafactor_beta1");
    s[BETA2] = (float) mdl_hp_float(hp, "optimizer_adafactor_beta2");
    s[EXPONENT] = (float) mdl_hp_float(hp, "optimizer_adafactor_memory_exponent");
    s[DEV_ADAFACTOR_THRESHOLD] =
        mdl_hp_is_null(hp, "optimizer_adafactor_clipping_threshold")
            ? INFINITY
            : (float) mdl_hp_float(hp, "optimizer_adafactor_clipping_threshold");
    s[DEV_ADAFACTOR_BY_SCALE] =
        mdl_hp_bool(hp, "optimizer_adafactor_multiply_by_parameter_scale") ? 1.0F : 0.0F;
    s[FACTORED] = mdl_hp_bool(hp, "optimizer_adafactor_factored") ? 1.0F : 0.0F;
    s[ADAM_DECAY] = strcmp(decay, "adam") == 0 ? 1.0F : 0.0F;
    if (strcmp(decay, "adam") != 0 && strcmp(decay, "pow") != 0)
        return t2_fail(err, T2_EUSAGE,
                       "hparam 'optimizer_adafactor_decay_type' must be pow or adam, not '%s'",
                       decay);
    if (!(s[DEV_ADAFACTOR_THRESHOLD] > 0.0F))
        return t2_fail(err, T2_EUSAGE,
                       "hparam 'optimizer_adafactor_clipping_threshold' must be above 0, not %g",
                       (double) s[DEV_ADAFACTOR_THRESHOLD]);
    return T2_OK;
}

/* Floats of slots, of factors and doubles of sums that are given to variables; each begins a line
 * of device memory. */
struct taken {
    int64_t slots, factors, col_sums;
};

static int64_t take(int64_t *taken, int64_t n)
{
    const int64_t line = DEV_ALIGN_BYTES / sizeof(float);
    int64_t at = *taken;

    *taken += (n + line - 1) / line * line;
    return at;
}

/* Slots in the order in which the original makes them: m, then vr and vc or v. */
static void place(const struct opt_optimizer *o, const struct gr_variable *v,
                  struct dev_adafactor_variable *w, struct taken *t)
{
    *w = layout_of(o, v);
    if (o->settings[DEV_ADAFACTOR_BETA1] != 0.0F)
        w->m = take(&t->slots, v->n);
    if (w->factored) {
        w->vr = take(&t->slots, w->matrices * w->rows);
        w->vc = take(&t->slots, w->matrices * w->cols);
        w->factors = take(&t->factors, w->matrices * (w->rows + w->cols));
        w->col_sums = take(&t->col_sums, w->cols);
    } else {
        w->v = take(&t->slots, v->n);
    }
}

static void name_slots(struct opt_optimizer *o, const struct gr_variable *v,
                       const struct dev_adafactor_variable *w, float *slots)
{
    int64_t dims[GR_MAX_RANK] = {0};

    if (w->m >= 0)
        opt_add_slot(o, v, OPT_SIGNED, v->rank, v->dims, slots, w->m);
    if (!w->factored) {
        opt_add_slot(o, v, OPT_UNSIGNED, v->rank, v->dims, slots, w->v);
        return;
    }
    opt_add_slot(o, v, OPT_UNSIGNED, v->rank - 1, v->dims, slots, w->vr);
    memcpy(dims, v->dims, (size_t) v->rank * sizeof *dims);
    dims[v->rank - 2] = v->dims[v->rank - 1];
    opt_add_slot(o, v, OPT_UNSIGNED, v->rank - 1, dims, slots, w->vc);
}

static enum t2_status prepare(struct opt_optimizer *o, const struct mdl_hparams *hp,
                              struct t2_err *err)
{
    const struct gr_params *params = o->params;
    struct dev_adafactor *kernel = o->own = t2_alloc(1, sizeof *kernel);
    struct dev_adafactor_variable *variables, *full;
    struct taken t = {0};
    int64_t n = 0;

    T2_TRY(read_settings(o, hp, err));
    variables = t2_alloc((size_t) params->n_variables, sizeof *variables);
    full = t2_alloc((size_t) params->n_variables, sizeof *full);
    for (int i = 0; i < params->n_variables; i++) {
        const struct gr_variable *v = &params->variables[i];

        if (!v->trainable)
            continue;
        place(o, v, &variables[n], &t);
        if (v->n > 0) /* the means of a shard without rows would not be numbers */
            full[kernel->n_variables++] = variables[n];
        n++;
    }
    kernel->variables = opt_upload(o, full, (size_t) kernel->n_variables * sizeof *full, err);
    t2_free(full);
    kernel->slots = opt_alloc(o, (size_t) t.slots * sizeof *kernel->slots, err);
    kernel->factors = opt_alloc(o, (size_t) t.factors * sizeof *kernel->factors, err);
    kernel->col_sums = opt_alloc(o, (size_t) t.col_sums * sizeof *kernel->col_sums, err);
    n = 0;
    for (int i = 0; i < params->n_variables && kernel->slots; i++)
        if (params->variables[i].trainable)
            name_slots(o, &params->variables[i], &variables[n++], kernel->slots);
    t2_free(variables);
    return kernel->variables && kernel->slots && kernel->factors && kernel->col_sums ? T2_OK
                                                                                     : T2_ENOMEM;
}

static enum t2_status begin(const struct opt_optimizer *o, int64_t global_step,
                            struct dev_optimizer_step *s, struct t2_err *err)
{
    float t = (float) global_step + 1.0F, beta2 = o->settings[BETA2];

    (void) err;
    /* float as in the original: near t = 1 the differences cancel, and its error is part of rho */
    if (o->settings[ADAM_DECAY] != 0.0F)
        s->numbers[DEV_ADAFACTOR_RHO] =
            beta2 * (1.0F - powf(beta2, t - 1.0F)) / (1.0F - powf(beta2, t));
    else
        s->numbers[DEV_ADAFACTOR_RHO] = 1.0F - powf(t, -o->settings[EXPONENT]);
    return T2_OK;
}

static void update(const struct opt_optimizer *o, struct dev *d, const struct dev_update *u)
{
    struct dev_adafactor kernel = *(const struct dev_adafactor *) o->own;

    kernel.of = *u;
    d->kernels->update_adafactor(d, &kernel);
}

const struct opt_method opt_adafactor = {.name = "adafactor",
                                         .slot = "Adafactor",
                                         .whole = true,
                                         .prepare = prepare,
                                         .begin = begin,
                                         .update = update};
