/*
 * train/optim/moving_average.c - moving averages of the variables, for evaluation and decoding.
 *
 * tf.train.ExponentialMovingAverage with num_updates, as tensorflow/tpu's ResNet and Model Garden's
 * optimizer have it: after update k (from 1)
 *   a -= (1 - d) (a - x),  d = min(decay, (1 + k) / (10 + k))
 * States (moving_mean, moving_variance) have averages, too, as tensorflow/tpu's; not with hparam
 * moving_average_trainable_only, Model Garden's default.
 */
#include <string.h>

#include "base/alloc.h"
#include "train/device/device.h"
#include "train/optim/method.h"

static bool has_average(const struct opt_optimizer *o, const struct gr_variable *v)
{
    return v->trainable || !o->average_trainable_only;
}

enum t2_status opt_prepare_averages(struct opt_optimizer *o, const struct mdl_hparams *hp,
                                    struct t2_err *err)
{
    const struct gr_params *params = o->params;

    o->average_decay = mdl_hp_float(hp, "moving_average_decay");
    o->average_trainable_only = mdl_hp_bool(hp, "moving_average_trainable_only");
    if (!(o->average_decay >= 0.0 && o->average_decay < 1.0))
        return t2_fail(err, T2_EUSAGE,
                       "hparam 'moving_average_decay' must be at least 0 and below 1, not %g",
                       o->average_decay);
    if (o->average_decay == 0.0)
        return T2_OK;
    o->averages = opt_alloc(o, params->n_floats, err);
    if (!o->averages)
        return T2_ENOMEM;
    for (int i = 0; i < params->n_variables; i++) {
        const struct gr_variable *v = &params->variables[i];

        if (has_average(o, v)) {
            char *name = t2_asprintf("%s" OPT_AVERAGE_SUFFIX, v->name);

            opt_add_shaped_slot(o, name, v->rank, v->dims, o->averages + v->offset);
            t2_free(name);
        }
    }
    return T2_OK;
}

void opt_start_averages(struct opt_optimizer *o)
{
    if (!o->averages || o->averages_started || o->updates > 0)
        return;
    memcpy(o->averages, o->params->values, (size_t) o->params->n_floats * sizeof(float));
    o->averages_started = true;
}

struct averaging {
    const struct opt_optimizer *o;
    float rest; /* 1 - d */
};

static void average(float *restrict a, const float *restrict x, int64_t n, float rest)
{
    for (int64_t i = 0; i < n; i++)
        a[i] -= rest * (a[i] - x[i]);
}

static void average_piece(void *arg, int64_t i, int worker)
{
    const struct averaging *a = arg;
    const struct opt_piece *p = &a->o->pieces[i];

    (void) worker;
    average(a->o->averages + p->offset, a->o->params->values + p->offset, p->n, a->rest);
}

void opt_update_averages(struct opt_optimizer *o, int64_t global_step)
{
    double k = (double) global_step + 1.0, d = (1.0 + k) / (10.0 + k);
    struct averaging a = {o, (float) (1.0 - (d < o->average_decay ? d : o->average_decay))};
    const struct gr_params *params = o->params;

    if (!o->averages)
        return;
    opt_run(o, o->n_pieces, average_piece, &a);
    for (int i = 0; i < params->n_variables; i++) {
        const struct gr_variable *v = &params->variables[i];

        if (!v->trainable && has_average(o, v))
            average(o->averages + v->offset, params->values + v->offset, v->n, a.rest);
    }
}

static void exchange(float *a, float *b, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        float was = a[i];

        a[i] = b[i];
        b[i] = was;
    }
}

/* Evaluation reads the averages as if they were the variables: both are exchanged, and again
 * afterwards.  No third copy of the parameters is needed. */
void opt_swap_averages(struct opt_optimizer *o)
{
    const struct gr_params *params = o->params;

    if (!o->averages || o->updates == 0)
        return;
    params->dev->sync(params->dev);
    for (int i = 0; i < params->n_variables; i++) {
        const struct gr_variable *v = &params->variables[i];

        if (has_average(o, v))
            exchange(params->values + v->offset, o->averages + v->offset, v->n);
    }
}
