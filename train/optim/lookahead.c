/*
 * train/optim/lookahead.c - slow weights that follow the trained ones and call them back.
 *
 * Zhang et al. 2019 ("Lookahead Optimizer: k steps forward, 1 step back") with Jordan's schedule
 * (airbench, 2024): after every lookahead_steps-th update, of which this is the n-th of N,
 *   slow += (1 - d) (x - slow),  x = slow,  d = lookahead_decay^lookahead_steps (n / N)^3
 * and d = 1 after the last: what is left is the slow weights.  States (moving_mean,
 * moving_variance) are treated alike.  The slow weights are slots, "<variable>/Lookahead".
 */
#include <math.h>

#include "base/alloc.h"
#include "train/optim/method.h"

enum t2_status opt_prepare_lookahead(struct opt_optimizer *o, const struct mdl_hparams *hp,
                                     struct t2_err *err)
{
    const struct gr_params *params = o->params;

    o->lookahead_steps = mdl_hp_int(hp, "lookahead_steps");
    o->lookahead_decay = mdl_hp_float(hp, "lookahead_decay");
    if (o->lookahead_steps < 0)
        return t2_fail(err, T2_EUSAGE, "hparam 'lookahead_steps' must not be negative");
    if (!(o->lookahead_decay >= 0.0 && o->lookahead_decay <= 1.0))
        return t2_fail(err, T2_EUSAGE, "hparam 'lookahead_decay' must be from 0 to 1, not %g",
                       o->lookahead_decay);
    if (o->lookahead_steps == 0)
        return T2_OK;
    o->slow = opt_alloc(o, (size_t) opt_part_floats(o) * sizeof(float), err);
    if (!o->slow)
        return T2_ENOMEM;
    for (int i = 0; i < params->n_variables; i++) {
        const struct gr_variable *v = &params->variables[i];
        char *name = t2_asprintf("%s/Lookahead", v->name);

        opt_add_shaped_slot(o, name, v, o->slow);
        t2_free(name);
    }
    return T2_OK;
}

void opt_start_lookahead(struct opt_optimizer *o)
{
    struct dev *d = o->params->dev;

    if (o->slow && o->updates == 0)
        d->copy(d, o->slow, o->params->values + o->first,
                (size_t) (o->end - o->first) * sizeof(float));
}

void opt_set_lookahead(const struct opt_optimizer *o, int64_t global_step, int64_t train_steps,
                       struct dev_optimizer_step *s)
{
    int64_t n = global_step + 1;
    bool last = n == train_steps;

    s->looks = o->slow && (last || n % o->lookahead_steps == 0);
    s->look_take = last ? 0.0F
                        : (float) (1.0 - pow(o->lookahead_decay, (double) o->lookahead_steps) *
                                             pow((double) n / (double) train_steps, 3.0));
}

void opt_look_ahead(const struct opt_optimizer *o)
{
    struct dev *d = o->params->dev;

    if (o->slow)
        d->kernels->lookahead(d,
                              &(struct dev_lookahead_args){.pieces = o->here,
                                                           .n_pieces = o->n_here_all,
                                                           .step = o->step,
                                                           .values = o->params->values + o->first,
                                                           .slow = o->slow});
}
