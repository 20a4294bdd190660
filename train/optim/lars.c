/*
 * train/optim/lars.c - momentum with a rate for each variable, from the norms of variable and
 * gradient.
 *
 * LARSOptimizer of tf.contrib.opt, which tensorflow/tpu uses for ResNet-50; You et al. 2017, "Large
 * batch training of convolutional networks".
 *
 *   r = eeta |x| / (|g| + decay |x| + eps), 1 where |x| or |g| is 0;  g += decay x
 *   a = mu a + r rate g;  x -= a;  with Nesterov's form  x -= r rate g + mu a
 *
 * Variables whose name contains one of hparam optimizer_lars_skip have r = 1 and no decay.  Decay
 * is hparam weight_decay; it is not in the loss as well.
 */
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/str.h"
#include "train/optim/method.h"

enum { MU, NESTEROV, DECAY, EETA, EPSILON }; /* settings */

struct own {
    double (*sums)[2]; /* by piece: squares of values, of gradients */
    float *rates;      /* by variable */
    bool *skipped;
    float scale; /* of the gradients, this step */
};

static void release(void *p)
{
    struct own *own = p;

    if (own) {
        t2_free(own->sums);
        t2_free(own->rates);
        t2_free(own->skipped);
    }
    t2_free(own);
}

/* True if the name contains one of the parts, which '+' separates. */
static bool contains_one(const char *name, const char *parts)
{
    struct t2_strs list = {0};
    bool found = false;

    t2_strs_split(&list, parts, '+');
    for (size_t i = 0; i < list.n; i++)
        found |= list.items[i][0] != '\0' && strstr(name, list.items[i]);
    t2_strs_release(&list);
    return found;
}

static enum t2_status prepare(struct opt_optimizer *o, const struct mdl_hparams *hp,
                              struct t2_err *err)
{
    double mu = mdl_hp_float(hp, "optimizer_momentum_momentum");
    double decay = mdl_hp_float(hp, "weight_decay");
    struct own *own;

    if (mu < 0.0 || decay < 0.0)
        return t2_fail(err, T2_EUSAGE,
                       "optimizer 'lars': hparams 'optimizer_momentum_momentum' (%g) and "
                       "'weight_decay' (%g) must not be negative",
                       mu, decay);
    o->settings[MU] = (float) mu;
    o->settings[DECAY] = (float) decay;
    o->settings[NESTEROV] = mdl_hp_bool(hp, "optimizer_momentum_nesterov") ? 1.0F : 0.0F;
    o->settings[EETA] = (float) mdl_hp_float(hp, "optimizer_lars_eeta");
    o->settings[EPSILON] = (float) mdl_hp_float(hp, "optimizer_lars_epsilon");
    o->own = own = t2_alloc(1, sizeof *own);
    own->sums = t2_alloc((size_t) o->n_pieces, sizeof *own->sums);
    own->rates = t2_alloc((size_t) o->params->n_variables, sizeof *own->rates);
    own->skipped = t2_alloc((size_t) o->params->n_variables, sizeof *own->skipped);
    for (int i = 0; i < o->params->n_variables; i++)
        own->skipped[i] =
            contains_one(o->params->variables[i].name, mdl_hp_string(hp, "optimizer_lars_skip"));
    return opt_add_slots(o, 0, OPT_SIGNED, 0.0F, err);
}

static void sum_piece(void *arg, int64_t i, int worker)
{
    struct opt_optimizer *o = arg;
    struct own *own = o->own;
    const struct opt_piece *p = &o->pieces[i];
    const float *x = o->params->values + p->offset, *g = o->params->grads + p->offset;
    double xs = 0.0, gs = 0.0;

    (void) worker;
    for (int64_t k = 0; k < p->n; k++) {
        double gk = (double) (g[k] * own->scale);

        xs += (double) x[k] * (double) x[k];
        gs += gk * gk;
    }
    own->sums[i][0] = xs;
    own->sums[i][1] = gs;
}

/* r of the formula above, from the norms of variable and gradient. */
static float trust(const float *s, float x, float g)
{
    if (!(x > 0.0F && g > 0.0F))
        return 1.0F;
    return s[EETA] * x / (g + s[DECAY] * x + s[EPSILON]);
}

/* Norms per variable before any of them changes: sums per piece in parallel, added up in the order
 * of the pieces. */
static enum t2_status begin(struct opt_optimizer *o, struct opt_update *u, struct t2_err *err)
{
    struct own *own = o->own;
    int64_t i = 0;

    (void) err;
    own->scale = u->scale;
    opt_run(o, o->n_pieces, sum_piece, o);
    for (int v = 0; v < o->params->n_variables; v++) {
        double x = 0.0, g = 0.0;

        for (; i < o->n_pieces && o->pieces[i].variable == v; i++) {
            x += own->sums[i][0];
            g += own->sums[i][1];
        }
        own->rates[v] = u->rate;
        if (!own->skipped[v])
            own->rates[v] *= trust(o->settings, (float) sqrt(x), (float) sqrt(g));
    }
    return T2_OK;
}

static void update(const float *restrict g, const float *s, float scale, float decay, float rate,
                   int64_t n, float *restrict a, float *restrict x)
{
    for (int64_t i = 0; i < n; i++) {
        float gi = (g[i] * scale + decay * x[i]) * rate;

        a[i] = a[i] * s[MU] + gi;
        x[i] -= s[NESTEROV] != 0.0F ? gi + a[i] * s[MU] : a[i];
    }
}

static void piece(const struct opt_update *u, const struct opt_piece *p)
{
    const struct own *own = u->o->own;
    const float *s = u->o->settings;

    update(u->grads + p->offset, s, u->scale, own->skipped[p->variable] ? 0.0F : s[DECAY],
           own->rates[p->variable], p->n, u->slots[0] + p->offset, u->values + p->offset);
}

const struct opt_method opt_lars = {.name = "lars",
                                    .slot = "LARSOptimizer",
                                    .decays_itself = true,
                                    .prepare = prepare,
                                    .begin = begin,
                                    .piece = piece,
                                    .release = release};
