/*
 * train/optim/adafactor.c - Adafactor (Shazeer and Stern 2018; spec §4.4;
 * tensor2tensor/utils/adafactor.py).
 *
 * Works per variable: a matrix keeps the mean squares of its rows (vr) and columns (vc) instead of
 * all squares, R + C floats instead of R * C; with more than two dimensions the leading ones count
 * matrices.  With t = global step:
 *
 *   rho   = 1 - (t+1)^-exponent ("pow"), or b2 (1 - b2^t) / (1 - b2^(t+1)) ("adam")
 *   scale = rate max(RMS(x), 1e-3), or rate without multiply_by_parameter_scale
 *   g2    = g^2 + 1e-30
 *   vr    = rho vr + (1-rho) mean of rows of g2;  vc = ... of columns;  or v = rho v + (1-rho) g2
 *   u     = g rsqrt(vr / mean(vr)) rsqrt(vc);  or g rsqrt(v)
 *   u    /= max(1, RMS(u) / threshold)
 *   m     = b1 m + (1-b1) scale u;  x -= m;  without b1  x -= scale u
 *
 * The update is computed twice, for its mean square and to be applied, instead of being stored.
 * Variables are the pieces of work, as every one needs norms of its own; sums are double, in order.
 */
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "train/device/device.h"
#include "train/optim/method.h"

enum { BETA1, BETA2, EXPONENT, THRESHOLD, BY_SCALE, FACTORED, ADAM_DECAY }; /* settings */
enum { RHO };                                                               /* scalars */

static const float epsilon1 = 1e-30F, epsilon2 = 1e-3F;

/* A variable as `matrices` matrices of rows x cols; its slots and scratch memory. */
struct view {
    bool factored;
    int64_t matrices, rows, cols;
    float *vr, *vc, *v; /* slots (matrices, rows), (matrices, cols); v: all, without factors */
    float *m;           /* slot, NULL without beta1 */
    float *row_factors; /* (matrices, rows) */
    float *col_factors; /* (matrices, cols) */
    double *col_sums;   /* (cols) */
};

struct own {
    struct view *views; /* by variable */
    float *factors;     /* memory of all row_factors and col_factors */
    double *col_sums;
};

static void release(void *p)
{
    struct own *own = p;

    if (!own)
        return;
    t2_free(own->views);
    t2_free(own->factors);
    t2_free(own->col_sums);
    t2_free(own);
}

static struct view view_of(const struct opt_optimizer *o, const struct gr_variable *v)
{
    struct view w = {.matrices = 1, .rows = 1, .cols = v->dims[v->rank - 1]};

    w.factored = o->settings[FACTORED] != 0.0F && v->rank >= 2;
    if (v->rank >= 2)
        w.rows = v->dims[v->rank - 2];
    for (int i = 0; i < v->rank - 2; i++)
        w.matrices *= v->dims[i];
    return w;
}

/* Slots in the order in which the original makes them: m, then vr and vc or v. */
static void add_slots(struct opt_optimizer *o, const struct gr_variable *v, struct view *w,
                      float **next)
{
    if (o->settings[BETA1] != 0.0F) {
        w->m = *next;
        *next += v->n;
        opt_add_slot(o, v, OPT_SIGNED, v->rank, v->dims, w->m);
    }
    if (w->factored) {
        int64_t dims[GR_MAX_RANK] = {0};

        w->vr = *next;
        *next += w->matrices * w->rows;
        opt_add_slot(o, v, OPT_UNSIGNED, v->rank - 1, v->dims, w->vr);
        w->vc = *next;
        *next += w->matrices * w->cols;
        memcpy(dims, v->dims, (size_t) v->rank * sizeof *dims);
        dims[v->rank - 2] = v->dims[v->rank - 1];
        opt_add_slot(o, v, OPT_UNSIGNED, v->rank - 1, dims, w->vc);
    } else {
        w->v = *next;
        *next += v->n;
        opt_add_slot(o, v, OPT_UNSIGNED, v->rank, v->dims, w->v);
    }
}

static enum t2_status read_settings(struct opt_optimizer *o, const struct mdl_hparams *hp,
                                    struct t2_err *err)
{
    const char *decay = mdl_hp_string(hp, "optimizer_adafactor_decay_type");
    float *s = o->settings;

    s[BETA1] = (float) mdl_hp_float(hp, "optimizer_adafactor_beta1");
    s[BETA2] = (float) mdl_hp_float(hp, "optimizer_adafactor_beta2");
    s[EXPONENT] = (float) mdl_hp_float(hp, "optimizer_adafactor_memory_exponent");
    s[THRESHOLD] = (float) mdl_hp_float(hp, "optimizer_adafactor_clipping_threshold");
    s[BY_SCALE] = mdl_hp_bool(hp, "optimizer_adafactor_multiply_by_parameter_scale") ? 1.0F : 0.0F;
    s[FACTORED] = mdl_hp_bool(hp, "optimizer_adafactor_factored") ? 1.0F : 0.0F;
    s[ADAM_DECAY] = strcmp(decay, "adam") == 0 ? 1.0F : 0.0F;
    if (strcmp(decay, "adam") != 0 && strcmp(decay, "pow") != 0)
        return t2_fail(err, T2_EUSAGE,
                       "hparam 'optimizer_adafactor_decay_type' must be pow or adam, not '%s'",
                       decay);
    if (!(s[THRESHOLD] > 0.0F))
        return t2_fail(err, T2_EUSAGE,
                       "hparam 'optimizer_adafactor_clipping_threshold' must be above 0, not %g",
                       (double) s[THRESHOLD]);
    return T2_OK;
}

static enum t2_status prepare(struct opt_optimizer *o, const struct mdl_hparams *hp,
                              struct t2_err *err)
{
    const struct gr_params *params = o->params;
    struct own *own = t2_alloc(1, sizeof *own);
    int64_t n_slots = 0, n_factors = 0, n_sums = 0;
    float *next, *factors;
    double *sums;

    o->own = own;
    T2_TRY(read_settings(o, hp, err));
    own->views = t2_alloc((size_t) params->n_variables, sizeof *own->views);
    for (int i = 0; i < params->n_variables; i++) {
        const struct gr_variable *v = &params->variables[i];
        struct view *w = &own->views[i];
        int64_t n;

        if (!v->trainable)
            continue;
        *w = view_of(o, v);
        n = w->matrices * (w->rows + w->cols);
        n_slots += (o->settings[BETA1] != 0.0F ? v->n : 0) + (w->factored ? n : v->n);
        n_factors += w->factored ? n : 0;
        n_sums += w->factored ? w->cols : 0;
    }
    o->extra = params->dev->alloc(params->dev, (size_t) n_slots * sizeof(float));
    if (!o->extra)
        return t2_fail(err, T2_ENOMEM, "not enough memory for the state of optimizer 'adafactor'");
    factors = own->factors = t2_alloc((size_t) n_factors, sizeof *factors);
    sums = own->col_sums = t2_alloc((size_t) n_sums, sizeof *sums);
    next = o->extra;
    for (int i = 0; i < params->n_variables; i++) {
        struct view *w = &own->views[i];

        if (!params->variables[i].trainable)
            continue;
        add_slots(o, &params->variables[i], w, &next);
        if (w->factored) {
            w->row_factors = factors;
            w->col_factors = factors + w->matrices * w->rows;
            factors += w->matrices * (w->rows + w->cols);
            w->col_sums = sums;
            sums += w->cols;
        }
    }
    return T2_OK;
}

static enum t2_status begin(struct opt_optimizer *o, struct opt_update *u, struct t2_err *err)
{
    float t = (float) u->step + 1.0F, beta2 = o->settings[BETA2];

    (void) err;
    /* float as in the original: near t = 1 the differences cancel, and its error is part of rho */
    if (o->settings[ADAM_DECAY] != 0.0F)
        u->scalars[RHO] = beta2 * (1.0F - powf(beta2, t - 1.0F)) / (1.0F - powf(beta2, t));
    else
        u->scalars[RHO] = 1.0F - powf(t, -o->settings[EXPONENT]);
    return T2_OK;
}

static double mean_square(const float *x, int64_t n)
{
    double sum = 0.0;

    for (int64_t i = 0; i < n; i++)
        sum += (double) x[i] * (double) x[i];
    return sum / (double) n;
}

/* New vr (rows) and vc (cols) of matrix k, and from them the factors of its rows and columns, whose
 * product replaces 1 / sqrt(v): one pass over the gradient, row by row. */
static void factor_matrix(const struct view *w, const float *g, float scale, float rho, int64_t k)
{
    float *vr = w->vr + k * w->rows, *vc = w->vc + k * w->cols;
    float *row_factors = w->row_factors + k * w->rows, *col_factors = w->col_factors + k * w->cols;
    double total = 0.0;
    float mean;

    memset(w->col_sums, 0, (size_t) w->cols * sizeof *w->col_sums);
    for (int64_t r = 0; r < w->rows; r++) {
        const float *row = g + r * w->cols;
        double sum = 0.0;

        for (int64_t c = 0; c < w->cols; c++) {
            float gi = row[c] * scale;
            double g2 = (double) (gi * gi + epsilon1);

            sum += g2;
            w->col_sums[c] += g2;
        }
        vr[r] = rho * vr[r] + (1.0F - rho) * (float) (sum / (double) w->cols);
        total += (double) vr[r];
    }
    mean = (float) (total / (double) w->rows);
    for (int64_t r = 0; r < w->rows; r++)
        row_factors[r] = 1.0F / sqrtf(vr[r] / mean);
    for (int64_t c = 0; c < w->cols; c++) {
        vc[c] = rho * vc[c] + (1.0F - rho) * (float) (w->col_sums[c] / (double) w->rows);
        col_factors[c] = 1.0F / sqrtf(vc[c]);
    }
}

static void full_squares(const float *g, float scale, float rho, int64_t n, float *v)
{
    for (int64_t i = 0; i < n; i++) {
        float gi = g[i] * scale;

        v[i] = rho * v[i] + (1.0F - rho) * (gi * gi + epsilon1);
    }
}

/* The update of row r of all matrices laid one below the other, before clipping. */
static inline float unscaled(const struct view *w, const float *g, float scale, int64_t r,
                             int64_t c)
{
    int64_t i = r * w->cols + c;

    if (w->factored)
        return g[i] * scale * w->row_factors[r] * w->col_factors[r / w->rows * w->cols + c];
    return g[i] * scale / sqrtf(w->v[i]);
}

static double update_mean_square(const struct view *w, const float *g, float scale)
{
    int64_t rows = w->matrices * w->rows;
    double sum = 0.0;

    for (int64_t r = 0; r < rows; r++) {
        for (int64_t c = 0; c < w->cols; c++) {
            double x = (double) unscaled(w, g, scale, r, c);

            sum += x * x;
        }
    }
    return sum / (double) (rows * w->cols);
}

static void apply(const struct view *w, const float *g, float scale, float clip, float rate,
                  float beta1, float *x)
{
    int64_t rows = w->matrices * w->rows;

    for (int64_t r = 0; r < rows; r++) {
        for (int64_t c = 0; c < w->cols; c++) {
            int64_t i = r * w->cols + c;
            float step = rate * (unscaled(w, g, scale, r, c) / clip);

            if (w->m)
                step = w->m[i] = beta1 * w->m[i] + (1.0F - beta1) * step;
            x[i] -= step;
        }
    }
}

static void variable(const struct opt_update *u, int i)
{
    const struct gr_variable *v = &u->o->params->variables[i];
    const struct view *w = &((const struct own *) u->o->own)->views[i];
    const float *settings = u->o->settings, *g = u->grads + v->offset;
    float *x = u->values + v->offset;
    float rho = u->scalars[RHO], rate = u->rate, clip;

    if (settings[BY_SCALE] != 0.0F)
        rate *= fmaxf((float) sqrt(mean_square(x, v->n)), epsilon2);
    if (w->factored) {
        for (int64_t k = 0; k < w->matrices; k++)
            factor_matrix(w, g + k * w->rows * w->cols, u->scale, rho, k);
    } else {
        full_squares(g, u->scale, rho, v->n, w->v);
    }
    clip = fmaxf(1.0F, (float) sqrt(update_mean_square(w, g, u->scale)) / settings[THRESHOLD]);
    apply(w, g, u->scale, clip, rate, settings[BETA1], x);
}

const struct opt_method opt_adafactor = {.name = "adafactor",
                                         .slot = "Adafactor",
                                         .prepare = prepare,
                                         .begin = begin,
                                         .variable = variable,
                                         .release = release};
