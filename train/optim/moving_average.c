/*
 * train/optim/moving_average.c - moving averages of the variables, for evaluation and decoding.
 *
 * tf.train.ExponentialMovingAverage with num_updates, as tensorflow/tpu's ResNet and Model Garden's
 * optimizer have it: after update k (from 1)
 *   a -= (1 - d) (a - x),  d = min(decay, (1 + k) / (10 + k))
 * States (moving_mean, moving_variance) have averages, too, as tensorflow/tpu's; not with hparam
 * moving_average_trainable_only, Model Garden's default.
 */
#include "base/alloc.h"
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
    o->averages = opt_alloc(o, (size_t) opt_part_floats(o) * sizeof(float), err);
    if (!o->averages)
        return T2_ENOMEM;
    for (int i = 0; i < params->n_variables; i++) {
        const struct gr_variable *v = &params->variables[i];

        if (has_average(o, v)) {
            char *name = t2_asprintf("%s" OPT_AVERAGE_SUFFIX, v->name);

            opt_add_shaped_slot(o, name, v, o->averages);
            t2_free(name);
        }
    }
    return T2_OK;
}

void opt_start_averages(struct opt_optimizer *o)
{
    struct dev *d = o->params->dev;

    if (!o->averages || o->averages_started || o->updates > 0)
        return;
    d->copy(d, o->averages, o->params->values + o->first,
            (size_t) (o->end - o->first) * sizeof(float));
    o->averages_started = true;
}

void opt_set_averages(const struct opt_optimizer *o, int64_t global_step,
                      struct dev_optimizer_step *s)
{
    double k = (double) global_step + 1.0, d = (1.0 + k) / (10.0 + k);

    s->average_rest = (float) (1.0 - (d < o->average_decay ? d : o->average_decay));
}

/* The share's pieces of what has averages: those of states come last. */
static int64_t n_averaged(const struct opt_optimizer *o)
{
    return o->average_trainable_only ? o->n_here : o->n_here_all;
}

void opt_update_averages(const struct opt_optimizer *o)
{
    struct dev *d = o->params->dev;

    if (o->averages)
        d->kernels->moving_average(d,
                                   &(struct dev_moving_average_args){.pieces = o->here,
                                                                     .n_pieces = n_averaged(o),
                                                                     .step = o->step,
                                                                     .values = o->params->values +
                                                                               o->first,
                                                                     .averages = o->averages});
}

/* Evaluation reads the averages as if they were the variables: both are exchanged, and again
 * afterwards.  No third copy of the parameters is needed. */
bool opt_swap_averages(struct opt_optimizer *o)
{
    struct dev *d = o->params->dev;

    if (!o->averages || o->updates == 0)
        return false;
    d->kernels->exchange(d, &(struct dev_exchange_args){.pieces = o->here,
                                                        .n_pieces = n_averaged(o),
                                                        .a = o->params->values + o->first,
                                                        .b = o->averages});
    gr_values_changed(o->params);
    return true;
}
