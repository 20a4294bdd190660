/*
 * train/optim/optimizer.c - one step of every optimizer: weight decay, global norm, clipping, the
 * update, as a list of kernels.  The update rules are in device/rules/, what each optimizer makes
 * of hparams and steps in the file of its name; what these ask for is in slots.c.
 */
#include "train/optim/optimizer.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/rng.h"
#include "base/str.h"
#include "train/device/device.h"
#include "train/graph/graph.h"
#include "train/optim/method.h"
#include "train/optim/schedule.h"

static const struct opt_method *const methods[] = {
#define METHOD(name) &opt_##name,
#include "train/optim/methods.def"
};
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

static enum t2_status check_supported(const struct mdl_hparams *hp, struct t2_err *err)
{
    static const char *const noises[] = {"grad_noise_scale", "weight_noise"};

    for (size_t i = 0; i < 2; i++) {
        if (!(mdl_hp_float(hp, noises[i]) >= 0.0))
            return t2_fail(err, T2_EUSAGE, "hparam '%s' must not be negative: %g", noises[i],
                           mdl_hp_float(hp, noises[i]));
    }
    if (mdl_hp_float(hp, "clip_grad_norm") < 0.0)
        return t2_fail(err, T2_EUSAGE, "hparam 'clip_grad_norm' must not be negative: %g",
                       mdl_hp_float(hp, "clip_grad_norm"));
    return T2_OK;
}

static enum t2_status check_share(const struct opt_method *method, struct opt_share share,
                                  struct t2_err *err)
{
    T2_ASSERT(share.n >= 1 && share.index >= 0 && share.index < share.n);
    if (share.n > 1 && method->whole)
        return t2_fail(err, T2_EUNSUPPORTED,
                       "optimizer '%s' works on whole variables, so that its state is not sharded "
                       "over ranks: leave --shard_optimizer out, or take another, such as adam",
                       method->name);
    return T2_OK;
}

/* Weight decay is for all but biases. */
static bool decays(const struct gr_variable *v)
{
    return !(v->rank == 1 && t2_ends_with(v->name, "bias"));
}

static int64_t pieces_of(const struct gr_variable *v)
{
    return (v->n + DEV_PIECE_FLOATS - 1) / DEV_PIECE_FLOATS;
}

/* Pieces do not cross variables, so a piece has one name and one setting; their number depends on
 * the model alone. */
static void cut(struct opt_optimizer *o, bool trainable, int64_t *n)
{
    int64_t first = 0;

    for (int i = 0; i < o->params->n_variables; i++) {
        const struct gr_variable *v = &o->params->variables[i];

        for (int64_t at = 0; v->trainable == trainable && at < v->n; at += DEV_PIECE_FLOATS) {
            struct dev_piece *p = &o->host_pieces[(*n)++];

            p->variable = i;
            p->offset = v->offset + at;
            p->n = v->n - at < DEV_PIECE_FLOATS ? v->n - at : DEV_PIECE_FLOATS;
            p->first = first;
            p->decay = decays(v) ? o->weight_decay : 0.0;
            p->shrink = o->method->shrink ? o->method->shrink(v, o->hp) : 0.0F;
            p->noisy = strstr(v->name, "/body/") != NULL;
            first += p->n;
        }
    }
}

/* Pieces of a variable that begin in front of a float, which is where one does. */
static int64_t pieces_before(const struct gr_variable *v, int64_t at)
{
    int64_t inside = at - v->offset < v->n ? at - v->offset : v->n;

    return inside > 0 ? (inside + DEV_PIECE_FLOATS - 1) / DEV_PIECE_FLOATS : 0;
}

/* The share's; works without the table, which is not made of a model that may not fit. */
static void count_pieces(struct opt_optimizer *o)
{
    o->n_here = o->n_here_all = 0;
    for (int i = 0; i < o->params->n_variables; i++) {
        const struct gr_variable *v = &o->params->variables[i];
        int64_t n = pieces_before(v, o->end) - pieces_before(v, o->first);

        o->n_here += v->trainable ? n : 0;
        o->n_here_all += n;
    }
}

static enum t2_status take_pieces(struct opt_optimizer *o, struct t2_err *err)
{
    struct dev_piece *here = NULL;
    int64_t n = 0;

    if (o->share.n == 1) {
        o->here = o->pieces;
        o->n_here = o->n_pieces;
        o->n_here_all = o->n_all;
        return T2_OK;
    }
    count_pieces(o);
    if (!o->planning) {
        here = t2_alloc((size_t) o->n_here_all + 1, sizeof *here);
        for (int64_t i = 0; i < o->n_all; i++) {
            const struct dev_piece *p = &o->host_pieces[i];

            if (p->offset < o->first || p->offset >= o->end)
                continue;
            T2_ASSERT(n < o->n_here_all && p->offset + p->n <= o->end);
            here[n] = *p;
            here[n++].offset -= o->first;
        }
        T2_ASSERT(n == o->n_here_all);
    }
    o->here =
        opt_upload(o, here, (size_t) (o->n_here_all > 0 ? o->n_here_all : 1) * sizeof *here, err);
    t2_free(here);
    return o->here ? T2_OK : T2_ENOMEM;
}

static enum t2_status cut_into_pieces(struct opt_optimizer *o, struct t2_err *err)
{
    for (int i = 0; i < o->params->n_variables; i++) {
        const struct gr_variable *v = &o->params->variables[i];

        o->n_all += pieces_of(v);
        o->n_pieces += v->trainable ? pieces_of(v) : 0;
    }
    if (!o->planning) { /* of a model that does not fit they alone may be too many */
        int64_t n = 0;

        o->host_pieces = t2_alloc((size_t) o->n_all, sizeof *o->host_pieces);
        cut(o, true, &n);
        cut(o, false, &n);
    }
    o->pieces = opt_upload(o, o->host_pieces, (size_t) o->n_all * sizeof *o->pieces, err);
    o->sums = opt_alloc(o, (size_t) o->n_pieces * OPT_SUMS * sizeof *o->sums, err);
    o->step = opt_alloc(o, sizeof *o->step, err);
    if (!o->pieces || !o->sums || !o->step)
        return T2_ENOMEM;
    T2_TRY(take_pieces(o, err));
    return o->planning ? T2_OK : dev_readback_open(&o->steps, o->params->dev, sizeof *o->step, err);
}

/* Also counts what it takes. */
static enum t2_status make(const struct mdl_hparams *hp, struct gr_params *params,
                           struct opt_share share, bool planning, struct opt_optimizer **o,
                           struct opt_bytes *bytes, struct t2_err *err)
{
    const struct opt_method *method;
    struct opt_optimizer *made;
    enum t2_status st;

    *o = NULL;
    T2_ASSERT(params->frozen);
    T2_TRY(find_method(mdl_hp_string(hp, "optimizer"), &method, err));
    T2_TRY(check_supported(hp, err));
    T2_TRY(check_share(method, share, err));
    made = t2_alloc(1, sizeof *made);
    made->method = method;
    made->hp = mdl_hparams_copy(hp);
    made->params = params;
    made->planning = planning;
    made->share = share;
    made->tail = ++params->n_tails;
    opt_cut_arena(made);
    made->weight_decay =
        method->decays_itself || params->regularised ? 0.0 : mdl_hp_float(hp, "weight_decay");
    made->grad_noise = mdl_hp_float(hp, "grad_noise_scale");
    made->weight_noise = mdl_hp_float(hp, "weight_noise");
    made->clip_norm = mdl_hp_float(hp, "clip_grad_norm");
    st = opt_prepare_encoding(made, hp, err);
    if (st == T2_OK)
        st = cut_into_pieces(made, err);
    if (st == T2_OK)
        st = method->prepare(made, hp, err);
    bytes->slots = made->planned_bytes;
    if (st == T2_OK)
        st = opt_prepare_lookahead(made, hp, err);
    if (st == T2_OK)
        st = opt_prepare_averages(made, hp, err);
    bytes->averages = made->planned_bytes - bytes->slots;
    bytes->n_slots = made->n_named_slots;
    if (st == T2_OK)
        *o = made;
    else
        opt_free(made);
    return st;
}

enum t2_status opt_new_share(const struct mdl_hparams *hp, struct gr_params *params,
                             struct opt_share share, struct opt_optimizer **o, struct t2_err *err)
{
    struct opt_bytes bytes;

    return make(hp, params, share, false, o, &bytes, err);
}

enum t2_status opt_plan_share(const struct mdl_hparams *hp, struct gr_params *params,
                              struct opt_share share, struct opt_bytes *bytes, struct t2_err *err)
{
    struct opt_optimizer *o;

    *bytes = (struct opt_bytes){0, 0, 0};
    T2_TRY(make(hp, params, share, true, &o, bytes, err));
    opt_free(o);
    return T2_OK;
}

enum t2_status opt_plan(const struct mdl_hparams *hp, struct gr_params *params,
                        struct opt_bytes *bytes, struct t2_err *err)
{
    return opt_plan_share(hp, params, (struct opt_share){0, 1}, bytes, err);
}

void opt_free(struct opt_optimizer *o)
{
    struct dev *dev;

    if (!o)
        return;
    dev = o->params->dev;
    if (o->recording)
        dev->recording_free(dev, o->recording);
    dev_readback_close(&o->steps);
    for (int i = 0; i < o->n_blocks; i++)
        dev->free(dev, o->blocks[i]);
    t2_strs_release(&o->slot_names);
    t2_free(o->named_slots);
    t2_free(o->host_pieces);
    t2_free(o->cuts);
    t2_free(o->own);
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

/* What a step says to its kernels, or why there is none. */
static enum t2_status describe_step(const struct opt_optimizer *o, int64_t global_step,
                                    int64_t train_steps, double *rate, struct dev_optimizer_step *s,
                                    struct t2_err *err)
{
    *s = (struct dev_optimizer_step){.updates = o->updates};
    T2_TRY(opt_learning_rate(o->hp, global_step, train_steps, rate, err));
    s->rate = (float) *rate;
    if (o->method->begin)
        T2_TRY(o->method->begin(o, global_step, s, err));
    t2_rng_key(o->seed, T2_RNG_NOISE, s->noise_key);
    s->noise_step[0] = (uint32_t) global_step;
    s->noise_step[1] = (uint32_t) ((uint64_t) global_step >> 32);
    s->weight_noise = (float) (o->weight_noise * *rate * 0.001);
    opt_set_encoding(o, global_step, s);
    opt_set_averages(o, global_step, s);
    opt_set_lookahead(o, global_step, train_steps, s);
    return T2_OK;
}

static void queue_gradients(const struct opt_optimizer *o)
{
    struct dev *d = o->params->dev;

    d->kernels->prepare_gradients(
        d, &(struct dev_prepare_gradients_args){.pieces = o->pieces,
                                                .n_pieces = o->n_pieces,
                                                .values = o->params->values,
                                                .grads = o->params->grads,
                                                .gradient_noise = (float) o->grad_noise,
                                                .clip_norm = o->clip_norm,
                                                .loss = o->loss,
                                                .step = o->step,
                                                .sums = o->sums,
                                                .laid = o->params->laid,
                                                .n_laid = o->params->n_laid});
}

/* Is what the rule's kernel makes of the values not what they stay, or does it work on whole
 * variables?  Then they are rounded in a pass of its own. */
static bool values_go_on(const struct opt_optimizer *o)
{
    return o->method->whole || o->slow;
}

/* The values of the share, for products (gr_rounded). */
static void round_part(const struct opt_optimizer *o)
{
    struct dev *d = o->params->dev;

    if (o->params->rounded)
        d->kernels->convert(d, &(struct dev_convert_args){.type_x = DEV_FLOAT32,
                                                          .type_y = gr_rounded_type(o->params),
                                                          .x = o->params->values + o->first,
                                                          .n = o->end - o->first,
                                                          .y = gr_rounded_at(o->params, o->first)});
}

static void queue_update(const struct opt_optimizer *o)
{
    struct dev_update u = {.pieces = o->here,
                           .n_pieces = o->n_here,
                           .step = o->step,
                           .values = o->params->values + o->first,
                           .grads = o->params->grads + o->first,
                           .laid = o->params->laid,
                           .n_laid = o->params->n_laid};

    memcpy(u.settings, o->settings, sizeof u.settings);
    memcpy(u.slots, o->slots, sizeof u.slots);
    if (!values_go_on(o)) {
        u.rounded_type = gr_rounded_type(o->params);
        u.rounded = gr_rounded_at(o->params, o->first);
    }
    o->method->update(o, o->params->dev, &u);
    opt_encode_weights(o);
    opt_look_ahead(o);
    if (values_go_on(o))
        round_part(o);
    opt_update_averages(o);
}

/* The calls of every update but the first. */
static void queue_calls(void *context)
{
    const struct opt_optimizer *o = context;

    o->params->dev->node = o->method->name;
    o->params->dev->node_index = -1;
    queue_gradients(o);
    queue_update(o);
}

/* The same calls in every step, so they are recorded in the second one; the first one also begins
 * what follows the variables. */
static void queue_step(struct opt_optimizer *o)
{
    struct dev *d = o->params->dev;

    if (d->replay && o->updates > 0 && !o->recording) {
        d->record_begin(d);
        queue_calls(o);
        o->recording = d->record_end(d);
    }
    d->node = o->method->name;
    d->node_index = -1;
    if (o->recording) {
        d->replay(d, o->recording);
        return;
    }
    queue_gradients(o);
    opt_start_lookahead(o);
    opt_start_averages(o);
    queue_update(o);
}

/* This update and those that were queued behind it did not happen; the next one may. */
static enum t2_status not_finite(struct opt_optimizer *o, int64_t bad, struct t2_err *err)
{
    struct dev *d = o->params->dev;

    gr_values_changed(o->params); /* by noise, before the update was left out */
    o->updates--;
    for (; o->steps.n_taken < o->steps.n_asked; o->updates--)
        (void) dev_readback_take(&o->steps);
    d->zero(d, &o->step->halted, sizeof o->step->halted);
    if (bad >= 0)
        return t2_fail(err, T2_EFORMAT,
                       "the gradient of variable '%s' is not finite; nothing was updated",
                       o->params->variables[o->host_pieces[bad].variable].name);
    return t2_fail(err, T2_EFORMAT,
                   "the norm of the gradients, or the loss, is not finite; nothing was updated");
}

void opt_watch_loss(struct opt_optimizer *o, const double *loss)
{
    o->loss = loss;
    o->tail = ++o->params->n_tails;
}

/* Tells the kernels of a step what it is about. */
static enum t2_status begin_step(struct opt_optimizer *o, int64_t global_step, int64_t train_steps,
                                 struct t2_err *err)
{
    struct dev *d = o->params->dev;
    struct dev_optimizer_step s;
    double rate;

    T2_TRY(describe_step(o, global_step, train_steps, &rate, &s, err));
    d->kernels->set_optimizer_step(d, &(struct dev_set_optimizer_step_args){.value = s,
                                                                            .to = o->step});
    o->rates[o->steps.n_asked % DEV_READBACKS] = rate;
    return T2_OK;
}

static void end_step(struct opt_optimizer *o)
{
    dev_readback_ask(&o->steps, o->step);
    o->updates++;
}

/*
 * Two passes over the parameters, cut into pieces of DEV_PIECE_FLOATS of one variable:
 *   1. g += weight_decay x, noise, squares of g and x per piece; then norms, in the order of the
 *     pieces
 *   2. g * scale into the method's rule, scale = clip_grad_norm / norm where the norm is larger
 * The norm stays on the device.  A gradient that is not finite is found between the two, and the
 * kernels of the second do nothing then, nor do those of later steps; the host hears of it when it
 * takes the step's results.
 * Methods with norms of their own per variable (Adafactor) work variable by variable instead.  A
 * share does the first for all, with the bits of the others, and the second for its part.
 */
enum t2_status opt_queue_step(struct opt_optimizer *o, int64_t global_step, int64_t train_steps,
                              struct t2_err *err)
{
    T2_TRY(begin_step(o, global_step, train_steps, err));
    queue_step(o);
    end_step(o);
    return T2_OK;
}

enum t2_status opt_queue_whole_step(struct opt_optimizer *o, struct mdl *m,
                                    const struct mdl_batch *batch, uint64_t seed,
                                    int64_t global_step, int64_t train_steps, struct t2_err *err)
{
    const struct gr_tail update = {queue_calls, o, o->tail};
    bool queued;

    if (!o->params->dev->replay || o->updates == 0) {
        T2_TRY(mdl_queue_step(m, batch, seed, (uint64_t) global_step, err));
        return opt_queue_step(o, global_step, train_steps, err);
    }
    T2_TRY(begin_step(o, global_step, train_steps, err));
    T2_TRY(mdl_queue_step_with(m, batch, seed, (uint64_t) global_step, &update, &queued, err));
    if (!queued)
        queue_step(o);
    end_step(o);
    return T2_OK;
}

enum t2_status opt_take_step(struct opt_optimizer *o, struct opt_report *report, struct t2_err *err)
{
    double rate = o->rates[o->steps.n_taken % DEV_READBACKS];
    const struct dev_optimizer_step *s = dev_readback_take(&o->steps);

    T2_TRY(dev_check(o->params->dev, err));
    report->learning_rate = rate;
    report->gradient_norm = s->norm;
    report->weight_decay_loss = o->weight_decay * 0.5 * s->value_squares;
    if (!s->finite)
        return not_finite(o, s->bad, err);
    if (s->rate != (float) rate) /* an optimizer with a rate of its own */
        report->learning_rate = (double) s->rate;
    return T2_OK;
}

enum t2_status opt_step(struct opt_optimizer *o, int64_t global_step, int64_t train_steps,
                        struct opt_report *report, struct t2_err *err)
{
    T2_TRY(opt_queue_step(o, global_step, train_steps, err));
    return opt_take_step(o, report, err);
}
