/*
 * train/optim/optimizer.c - one step of every optimizer: weight decay, global norm, clipping, the
 * update.  The update rules are in the file of each; what they ask for is in slots.c.
 *
 * The loops run on the host, so the device's memory must be the host's.  They are small functions
 * over pieces, to be moved into a device's kernel table when there is a second kind of memory.
 */
#include "train/optim/optimizer.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/str.h"
#include "train/device/device.h"
#include "train/optim/method.h"
#include "train/optim/noise.h"
#include "train/optim/schedule.h"

static const struct opt_method *const methods[] = {&opt_adam,
                                                   &opt_true_adam,
                                                   &opt_adam_w,
                                                   &opt_multistep_adam,
                                                   &opt_adafactor,
                                                   &opt_momentum,
                                                   &opt_adagrad,
                                                   &opt_rms_prop,
                                                   &opt_sgd,
                                                   &opt_ftrl,
                                                   &opt_yellow_fin,
                                                   &opt_keras_adam,
                                                   &opt_amsgrad,
                                                   &opt_adamax,
                                                   &opt_nadam,
                                                   &opt_keras_sgd,
                                                   &opt_keras_rms_prop,
                                                   &opt_keras_adagrad,
                                                   &opt_lars};
enum { N_METHODS = sizeof methods / sizeof *methods };

/* ---- life ---- */

/* misc_utils.camelcase_to_snakecase: "RMSProp" -> "rms_prop". */
static char *snake_case(const char *name)
{
    size_t n = strlen(name), k = 0;
    char *out = t2_alloc(2 * n + 1, 1);

    for (size_t i = 0; i < n; i++) {
        unsigned char c = (unsigned char) name[i];
        bool after_small =
            i > 0 && (islower((unsigned char) name[i - 1]) || isdigit((unsigned char) name[i - 1]));
        bool starts_word = i > 0 && islower((unsigned char) name[i + 1]);

        if (isupper(c) && (after_small || starts_word))
            out[k++] = '_';
        out[k++] = (char) tolower(c);
    }
    return out;
}

static enum t2_status find_method(const char *name, const struct opt_method **method,
                                  struct t2_err *err)
{
    char *snake = snake_case(name);
    const char *names[N_METHODS];
    const char *near;

    *method = NULL;
    for (size_t i = 0; i < N_METHODS; i++) {
        names[i] = methods[i]->name;
        if (strcmp(names[i], snake) == 0)
            *method = methods[i];
    }
    near = t2_nearest(snake, names, N_METHODS);
    t2_free(snake);
    if (*method)
        return T2_OK;
    return t2_fail(err, T2_EUSAGE, "unknown optimizer '%s'%s%s%s", name,
                   near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
}

static enum t2_status check_supported(const struct mdl_hparams *hp, const struct gr_params *params,
                                      struct t2_err *err)
{
    static const char *const noises[] = {"grad_noise_scale", "weight_noise"};

    for (size_t i = 0; i < 2; i++) {
        if (!(mdl_hp_float(hp, noises[i]) >= 0.0))
            return t2_fail(err, T2_EUSAGE, "hparam '%s' must not be negative: %g", noises[i],
                           mdl_hp_float(hp, noises[i]));
    }
    if (strcmp(mdl_hp_string(hp, "weight_dtype"), "float32") != 0)
        return t2_fail(err, T2_EUNSUPPORTED,
                       "hparam 'weight_dtype' '%s' is not supported; use float32",
                       mdl_hp_string(hp, "weight_dtype"));
    if (mdl_hp_float(hp, "clip_grad_norm") < 0.0)
        return t2_fail(err, T2_EUSAGE, "hparam 'clip_grad_norm' must not be negative: %g",
                       mdl_hp_float(hp, "clip_grad_norm"));
    if (!params->dev->host_memory)
        return t2_fail(err, T2_EUNSUPPORTED, "optimizers do not run on device '%s'",
                       params->dev->name);
    return T2_OK;
}

/* Pieces do not cross variables, so a piece has one name and one setting; their number depends on
 * the model alone. */
static void cut_into_pieces(struct opt_optimizer *o)
{
    const struct gr_params *params = o->params;
    int64_t n = 0;

    for (int i = 0; i < params->n_variables; i++)
        n += (params->variables[i].n + OPT_PIECE_FLOATS - 1) / OPT_PIECE_FLOATS;
    o->pieces = t2_alloc((size_t) n, sizeof *o->pieces);
    for (int i = 0; i < params->n_variables; i++) {
        const struct gr_variable *v = &params->variables[i];

        for (int64_t at = 0; v->trainable && at < v->n; at += OPT_PIECE_FLOATS) {
            struct opt_piece *p = &o->pieces[o->n_pieces++];

            p->variable = i;
            p->offset = v->offset + at;
            p->n = v->n - at < OPT_PIECE_FLOATS ? v->n - at : OPT_PIECE_FLOATS;
        }
    }
    o->sums = t2_alloc(2 * (size_t) o->n_pieces, sizeof *o->sums);
}

enum t2_status opt_new(const struct mdl_hparams *hp, struct gr_params *params,
                       struct opt_optimizer **o, struct t2_err *err)
{
    const struct opt_method *method;
    struct opt_optimizer *made;
    enum t2_status st;

    *o = NULL;
    T2_ASSERT(params->frozen);
    T2_TRY(find_method(mdl_hp_string(hp, "optimizer"), &method, err));
    T2_TRY(check_supported(hp, params, err));
    made = t2_alloc(1, sizeof *made);
    made->method = method;
    made->hp = mdl_hparams_copy(hp);
    made->params = params;
    made->weight_decay =
        method->decays_itself || params->regularised ? 0.0 : mdl_hp_float(hp, "weight_decay");
    made->grad_noise = mdl_hp_float(hp, "grad_noise_scale");
    made->weight_noise = mdl_hp_float(hp, "weight_noise");
    made->clip_norm = mdl_hp_float(hp, "clip_grad_norm");
    cut_into_pieces(made);
    made->decays = t2_alloc((size_t) params->n_variables, sizeof *made->decays);
    made->noisy = t2_alloc((size_t) params->n_variables, sizeof *made->noisy);
    for (int i = 0; i < params->n_variables; i++) {
        const struct gr_variable *v = &params->variables[i];

        made->noisy[i] = strstr(v->name, "/body/") != NULL;
        made->decays[i] = !(v->rank == 1 && t2_ends_with(v->name, "bias"));
    }
    st = method->prepare(made, hp, err);
    if (st == T2_OK)
        st = opt_prepare_lookahead(made, hp, err);
    if (st == T2_OK)
        st = opt_prepare_averages(made, hp, err);
    if (st == T2_OK)
        *o = made;
    else
        opt_free(made);
    return st;
}

void opt_free(struct opt_optimizer *o)
{
    struct dev *dev;

    if (!o)
        return;
    dev = o->params->dev;
    if (o->method->release)
        o->method->release(o->own);
    t2_strs_release(&o->slot_names);
    t2_free(o->named_slots);
    for (int i = 0; i < OPT_MAX_SLOTS; i++) {
        if (o->slots[i])
            dev->free(dev, o->slots[i]);
    }
    if (o->extra)
        dev->free(dev, o->extra);
    if (o->slow)
        dev->free(dev, o->slow);
    if (o->averages)
        dev->free(dev, o->averages);
    t2_free(o->pieces);
    t2_free(o->sums);
    t2_free(o->decays);
    t2_free(o->noisy);
    mdl_hparams_free(o->hp);
    t2_free(o);
}

void opt_set_seed(struct opt_optimizer *o, uint64_t seed)
{
    o->seed = seed;
}

const char *opt_name(const struct opt_optimizer *o)
{
    return o->method->name;
}

int64_t opt_updates(const struct opt_optimizer *o)
{
    return o->updates;
}

void opt_set_updates(struct opt_optimizer *o, int64_t updates)
{
    T2_ASSERT(updates >= 0);
    o->updates = updates;
}

/* ---- one step ---- */

/* Sum of squares in eight lanes, joined in a fixed order. */
static double squares(const float *x, int64_t n)
{
    double lanes[8] = {0};
    int64_t i = 0;

    for (; i + 8 <= n; i += 8) {
        for (int k = 0; k < 8; k++)
            lanes[k] += (double) x[i + k] * (double) x[i + k];
    }
    for (; i < n; i++)
        lanes[0] += (double) x[i] * (double) x[i];
    return ((lanes[0] + lanes[1]) + (lanes[2] + lanes[3])) +
           ((lanes[4] + lanes[5]) + (lanes[6] + lanes[7]));
}

/* g += decay * x: the gradient of decay * sum of half squares. */
static void add_decay(const float *x, int64_t n, float decay, float *g)
{
    for (int64_t i = 0; i < n; i++)
        g[i] += decay * x[i];
}

struct preparation {
    struct opt_optimizer *o;
    int64_t step;
    double rate;
};

/* The original's forward pass may see a variable before or after its noise; here it is before. */
static void decay_and_square(void *arg, int64_t i, int worker)
{
    const struct preparation *a = arg;
    struct opt_optimizer *o = a->o;
    const struct opt_piece *p = &o->pieces[i];
    float *x = o->params->values + p->offset;
    float *g = o->params->grads + p->offset;

    (void) worker;
    if (o->weight_noise != 0.0 && o->noisy[p->variable])
        opt_add_noise(o->seed, a->step, OPT_NOISE_WEIGHT, i,
                      (float) (o->weight_noise * a->rate * 0.001), x, p->n);
    o->sums[2 * i + 1] = 0.0;
    if (o->weight_decay != 0.0 && o->decays[p->variable]) {
        o->sums[2 * i + 1] = squares(x, p->n);
        add_decay(x, p->n, (float) o->weight_decay, g);
    }
    if (o->grad_noise != 0.0)
        opt_add_noise(o->seed, a->step, OPT_NOISE_GRADIENT, i, (float) o->grad_noise, g, p->n);
    o->sums[2 * i] = squares(g, p->n);
}

static enum t2_status not_finite(const struct opt_optimizer *o, struct t2_err *err)
{
    for (int64_t i = 0; i < o->n_pieces; i++) {
        const struct opt_piece *p = &o->pieces[i];

        if (!isfinite(o->sums[2 * i]))
            return t2_fail(err, T2_EFORMAT,
                           "the gradient of variable '%s' is not finite; nothing was updated",
                           o->params->variables[p->variable].name);
    }
    return t2_fail(err, T2_EFORMAT, "the norm of the gradients is not finite; nothing was updated");
}

static void update_piece(void *arg, int64_t i, int worker)
{
    const struct opt_update *u = arg;

    (void) worker;
    u->o->method->piece(u, &u->o->pieces[i]);
}

static void update_variable(void *arg, int64_t i, int worker)
{
    const struct opt_update *u = arg;

    (void) worker;
    if (u->o->params->variables[i].trainable)
        u->o->method->variable(u, (int) i);
}

/*
 * Two passes over the parameters, cut into pieces of OPT_PIECE_FLOATS of one variable:
 *   1. g += weight_decay x, noise, squares of g and x per piece; then norms, in the order of the
 *     pieces
 *   2. g * scale into the method's rule, scale = clip_grad_norm / norm where the norm is larger
 * A gradient that is not finite is found between the two, so nothing has been updated then.
 * Methods with norms of their own per variable (Adafactor) work variable by variable instead.
 */
enum t2_status opt_step(struct opt_optimizer *o, int64_t global_step, int64_t train_steps,
                        struct opt_report *report, struct t2_err *err)
{
    struct opt_update u = {.o = o,
                           .values = o->params->values,
                           .grads = o->params->grads,
                           .slots = o->slots,
                           .step = global_step,
                           .updates = o->updates,
                           .scale = 1.0F};
    double grad_squares = 0.0, value_squares = 0.0, norm, rate;

    T2_TRY(opt_learning_rate(o->hp, global_step, train_steps, &rate, err));
    o->params->dev->sync(o->params->dev);
    opt_run(o, o->n_pieces, decay_and_square,
            &(struct preparation){.o = o, .step = global_step, .rate = rate});
    for (int64_t i = 0; i < o->n_pieces; i++) {
        grad_squares += o->sums[2 * i];
        value_squares += o->sums[2 * i + 1];
    }
    norm = sqrt(grad_squares);
    report->learning_rate = rate;
    report->gradient_norm = norm;
    report->weight_decay_loss = o->weight_decay * 0.5 * value_squares;
    if (!isfinite(norm))
        return not_finite(o, err);
    u.rate = (float) rate;
    if (o->clip_norm > 0.0 && norm > o->clip_norm)
        u.scale = (float) (o->clip_norm / norm);
    if (o->method->begin)
        T2_TRY(o->method->begin(o, &u, err));
    opt_start_lookahead(o);
    opt_start_averages(o);
    if (u.rate != (float) rate) /* an optimizer with a rate of its own */
        report->learning_rate = (double) u.rate;
    if (o->method->piece)
        opt_run(o, o->n_pieces, update_piece, &u);
    else
        opt_run(o, o->params->n_variables, update_variable, &u);
    if (o->method->end)
        o->method->end(o, &u);
    opt_look_ahead(o, global_step, train_steps);
    opt_update_averages(o, global_step);
    o->updates++;
    return T2_OK;
}
