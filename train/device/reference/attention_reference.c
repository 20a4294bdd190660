/*
 * train/device/reference/attention_reference.c - attention in plain loops: the specification of all
 * the others.
 *
 * Formulas: struct dev_attention.  One weight at a time, in double, without blocks: each function
 * gives the value, or the gradient, for one (b,h,i,j).
 */
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "train/device/dropout_bits.h"
#include "train/device/reference/reference_floats.h"
#include "train/device/reference/reference_kernels.h"
#include "train/device/step.h"

/* Number in the dropout mask of weight (i,j) of pair (b,h).  Every pair starts a new group of 128,
 * so pairs can be computed apart; rows are padded to a multiple of 16, so 16 keys are one vector of
 * a group.  With same_batch, same_heads or same_queries the mask of element, head or query 0 serves
 * for all (attention_dropout_broadcast_dims of Tensor2Tensor). */
static uint64_t weight_index(const struct dev_attention *a, int64_t b, int64_t h, int64_t i,
                             int64_t j)
{
    uint64_t row = (uint64_t) ((a->Lk + 15) / 16 * 16);
    int64_t mask_b = a->dropout_same_batch ? 0 : b, mask_h = a->dropout_same_heads ? 0 : h;

    return (uint64_t) (mask_b * a->H + mask_h) * dev_dropout_pair(a) +
           (uint64_t) (a->dropout_same_queries ? 0 : i) * row + (uint64_t) j;
}

static double dropout_factor(const struct dev_attention *a, int64_t b, int64_t h, int64_t i,
                             int64_t j)
{
    return (double) dev_dropout_factor(&a->dropout, weight_index(a, b, h, i, j));
}

/* q, k, v as floats, in place of those of `a`; out stays what it is. */
struct copies {
    float *q, *k, *v, *dout;
};

static void as_floats(struct dev_attention *a, struct copies *c)
{
    int64_t rows = (a->B / a->q_per_key - 1) * a->k_rows + a->Lk; /* of keys */

    a->q = dev_floats_read(a->type, a->q, a->B * a->Lq * a->H * a->Dk, &c->q);
    a->k = dev_floats_read(a->type, a->k, rows * a->H * a->Dk, &c->k);
    a->v = dev_floats_read(a->type, a->v, rows * a->H * a->Dv, &c->v);
}

static void free_copies(struct copies *c)
{
    t2_free(c->q);
    t2_free(c->k);
    t2_free(c->v);
    t2_free(c->dout);
}

static const float *at(const void *floats, int64_t i)
{
    return (const float *) floats + i;
}

/* Sum over c of x[c] y[c]. */
static double dot(const float *x, const float *y, int64_t n)
{
    double sum = 0.0;

    for (int64_t c = 0; c < n; c++)
        sum += (double) x[c] * (double) y[c];
    return sum;
}

/* ---- relative positions ---- */

/*
 * Where (i,j) finds its vectors: `query` is the row of q whose product with row `row` of the table
 * is added to logit (i,j); false where there is none.  DEV_RELATIVE_LEFT is what
 * common_attention._relative_position_to_absolute_position_masked gives: it shifts the rows of the
 * matrix (Lq, rows) by padding and reshaping, so right of the query it reads the next query's row.
 */
static bool relative_place(const struct dev_attention *a, int64_t i, int64_t j, int64_t *query,
                           int64_t *row)
{
    const struct dev_relative *r = &a->relative;
    int64_t distance = j - (i + a->Lk - a->Lq), R = r->rows / 2;

    *query = i;
    if (r->kind == DEV_RELATIVE_NONE)
        return false;
    if (r->kind == DEV_RELATIVE_CLIPPED) {
        *row = (distance < -R ? -R : distance > R ? R : distance) + R;
        return true;
    }
    *row = r->rows - 1 + distance;
    if (distance > 0) {
        *query = i + 1;
        *row = r->rows - a->Lk + distance - 2;
    }
    return distance != 1 && *row >= 0;
}

/* Row `row` of a table of width D, as head h sees it. */
static int64_t table_at(const struct dev_attention *a, int64_t h, int64_t row, int64_t D)
{
    return ((a->relative.per_head ? h * a->relative.rows : 0) + row) * D;
}

/* ---- weights ---- */

/* The logit of (i,j) after scale, relative term and masks. */
static double logit(const struct dev_attention *a, int64_t b, int64_t h, int64_t i, int64_t j)
{
    int64_t kb = b / a->q_per_key, key = kb * dev_attention_ids_rows(a) + j, query = b * a->Lq + i,
            from, row;
    int64_t row_k = dev_cache_element(a->cache_index, a->k_rows, b, kb, j) * a->k_rows + j;
    const float *q = at(a->q, (query * a->H + h) * a->Dk);
    double x = dot(q, at(a->k, (row_k * a->H + h) * a->Dk), a->Dk);
    bool masked;

    if (relative_place(a, i, j, &from, &row))
        x += dot(at(a->q, ((b * a->Lq + from) * a->H + h) * a->Dk),
                 a->relative.k + table_at(a, h, row, a->Dk), a->Dk);
    x *= (double) a->scale;
    if (a->proximity)
        x -= log1p(fabs((double) (i + a->Lk - a->Lq - j)));
    /* the original adds -1e9 in float32, which absorbs the logit */
    masked = (a->key_ids && a->key_ids[key] == 0) || (a->causal && j > i + a->Lk - a->Lq) ||
             (a->k_levels && a->k_levels[key] > a->q_levels[query]);
    if (masked)
        x = -1e9;
    if (a->k_segments && a->k_segments[key] != a->q_segments[query])
        x = masked ? -2e9 : -1e9;
    return x;
}

/* The weights w (Lk) made hard; returns what the rest was divided by.  Tensor2Tensor: hard_k of
 * common_attention.harden_attention_weights. */
static double harden(const struct dev_attention *a, double *w)
{
    double top = HUGE_VAL, sum = 0.0;

    for (int64_t n = 0; n < a->hard_k && top > 0.0; n++) {
        double largest = 0.0;

        for (int64_t j = 0; j < a->Lk; j++)
            largest = w[j] < top && w[j] > largest ? w[j] : largest;
        top = largest;
    }
    for (int64_t j = 0; j < a->Lk; j++) {
        w[j] = w[j] > top ? w[j] - top : 0.0;
        sum += w[j];
    }
    sum = sum > 1e-6 ? sum : 1e-6;
    for (int64_t j = 0; j < a->Lk; j++)
        w[j] /= sum;
    return sum;
}

/* The weights of query i before dropout: soft (Lk), and w (Lk), which are the same unless hard.
 * Returns the divisor of hard weights. */
static double weights(const struct dev_attention *a, int64_t b, int64_t h, int64_t i, double *soft,
                      double *w)
{
    double largest = -HUGE_VAL, sum = 0.0;

    for (int64_t j = 0; j < a->Lk; j++) {
        soft[j] = logit(a, b, h, i, j);
        largest = soft[j] > largest ? soft[j] : largest;
    }
    for (int64_t j = 0; j < a->Lk; j++) {
        soft[j] = exp(soft[j] - largest);
        sum += soft[j];
    }
    for (int64_t j = 0; j < a->Lk; j++)
        w[j] = soft[j] /= sum;
    return a->hard_k > 0 ? harden(a, w) : 1.0;
}

/* ---- forward ---- */

void dev_reference_attention(struct dev *d, const struct dev_attention_args *args)
{
    struct dev_attention now = dev_attention_now(&args->of), own, *a = &now;
    struct copies copies = {0};
    int64_t pairs = a->B * a->H, out_floats = a->Lq * a->Dv;
    double *soft = t2_alloc((size_t) a->Lk, sizeof *soft);
    double *w = t2_alloc((size_t) a->Lk, sizeof *w);
    double *out = t2_alloc((size_t) out_floats, sizeof *out);

    (void) d, (void) args->scratch;
    as_floats(a, &copies);
    for (int64_t pair = 0; pair < pairs; pair++) {
        int64_t b = pair / a->H, h = pair % a->H, kb = b / a->q_per_key;

        own = dev_attention_of(&now, b);
        a = &own;
        memset(out, 0, (size_t) out_floats * sizeof *out);
        for (int64_t i = 0; i < a->Lq; i++) {
            (void) weights(a, b, h, i, soft, w);
            for (int64_t j = 0; j < a->Lk; j++) {
                int64_t in = dev_cache_element(a->cache_index, a->k_rows, b, kb, j);
                const float *v = at(a->v, ((in * a->k_rows + j) * a->H + h) * a->Dv);
                double weight = w[j] * dropout_factor(a, b, h, i, j);
                int64_t to, row;

                for (int64_t c = 0; c < a->Dv; c++)
                    out[i * a->Dv + c] += weight * (double) v[c];
                if (!a->relative.v || !relative_place(a, i, j, &to, &row))
                    continue;
                v = a->relative.v + table_at(a, h, row, a->Dv);
                for (int64_t c = 0; c < a->Dv; c++)
                    out[to * a->Dv + c] += weight * (double) v[c];
            }
        }
        for (int64_t i = 0; i < a->Lq; i++)
            for (int64_t c = 0; c < a->Dv; c++)
                dev_put(args->of.type, a->out, ((b * a->Lq + i) * a->H + h) * a->Dv + c,
                        (float) out[i * a->Dv + c]);
    }
    t2_free(soft);
    t2_free(w);
    t2_free(out);
    free_copies(&copies);
}

/* ---- backward ---- */

static void zero_grad(void *g, int64_t n, bool accumulate)
{
    if (g && !accumulate)
        memset(g, 0, (size_t) n * sizeof(float));
}

static void zero_grads(const struct dev_attention *a, const struct dev_attention_grads *g)
{
    int64_t tables = (a->relative.per_head ? a->H : 1) * a->relative.rows;

    zero_grad(g->dq, a->B * a->Lq * a->H * a->Dk, g->accumulate_q);
    zero_grad(g->dk, a->B * a->Lk * a->H * a->Dk, g->accumulate_k);
    zero_grad(g->dv, a->B * a->Lk * a->H * a->Dv, g->accumulate_v);
    zero_grad(g->drelative_k, tables * a->Dk, g->accumulate_relative_k);
    zero_grad(g->drelative_v, tables * a->Dv, g->accumulate_relative_v);
}

/* n floats of `to` from number `first` on += x from; to may be NULL. */
static void add(void *to, int64_t first, double x, const float *from, int64_t n)
{
    float *sum = to;

    for (int64_t c = 0; to && c < n; c++)
        sum[first + c] += (float) (x * (double) from[c]);
}

/* Gradient of weight (i,j) before dropout, dout_i . v_j [+ dout_i' . v_r] times its factor; adds w
 * f dout to the gradients of v and of its table. */
static double weight_grad(const struct dev_attention *a, const struct dev_attention_grads *g,
                          int64_t b, int64_t h, int64_t i, int64_t j, double w)
{
    int64_t v_at = ((b * a->Lk + j) * a->H + h) * a->Dv, from, row;
    const float *dout = at(g->dout, ((b * a->Lq + i) * a->H + h) * a->Dv);
    double f = dropout_factor(a, b, h, i, j), dw = dot(dout, at(a->v, v_at), a->Dv);

    add(g->dv, v_at, w * f, dout, a->Dv);
    if (a->relative.v && relative_place(a, i, j, &from, &row)) {
        int64_t table = table_at(a, h, row, a->Dv);

        dout = at(g->dout, ((b * a->Lq + from) * a->H + h) * a->Dv);
        dw += dot(dout, a->relative.v + table, a->Dv);
        add(g->drelative_v, table, w * f, dout, a->Dv);
    }
    return dw * f;
}

/* From the gradient of logit (i,j): dq_i += dlogit k_j, dk_j += dlogit q_i, and of the relative
 * term. */
static void logit_grad(const struct dev_attention *a, const struct dev_attention_grads *g,
                       int64_t b, int64_t h, int64_t i, int64_t j, double dlogit)
{
    int64_t q_at = ((b * a->Lq + i) * a->H + h) * a->Dk;
    int64_t k_at = ((b * a->Lk + j) * a->H + h) * a->Dk, from, row;

    add(g->dq, q_at, dlogit, at(a->k, k_at), a->Dk);
    add(g->dk, k_at, dlogit, at(a->q, q_at), a->Dk);
    if (relative_place(a, i, j, &from, &row)) {
        int64_t table = table_at(a, h, row, a->Dk);

        q_at = ((b * a->Lq + from) * a->H + h) * a->Dk;
        add(g->dq, q_at, dlogit, a->relative.k + table, a->Dk);
        add(g->drelative_k, table, dlogit, at(a->q, q_at), a->Dk);
    }
}

/* From the gradient dw of hard weights w that of the soft ones. */
static void harden_grad(int64_t n, double divisor, const double *w, double *dw)
{
    double sum = 0.0;

    for (int64_t j = 0; j < n; j++)
        sum += dw[j] * w[j];
    if (divisor <= 1e-6)
        sum = 0.0;
    for (int64_t j = 0; j < n; j++)
        dw[j] = w[j] > 0.0 ? (dw[j] - sum) / divisor : 0.0;
}

/* For each query: weights again, their gradients dw, then through the softmax, dlogit_j = scale w_j
 * (dw_j - sum of dw w). */
void dev_reference_attention_bwd(struct dev *d, const struct dev_attention_bwd_args *args)
{
    struct dev_attention floats = args->of, *a = &floats;
    struct dev_attention_grads sums = args->g, *g = &sums;
    int64_t dq = a->B * a->Lq * a->H * a->Dk, dk = a->B * a->Lk * a->H * a->Dk;
    int64_t dv = a->B * a->Lk * a->H * a->Dv;
    struct copies copies = {0};
    double *soft = t2_alloc((size_t) a->Lk, sizeof *soft);
    double *w = t2_alloc((size_t) a->Lk, sizeof *w);
    double *dw = t2_alloc((size_t) a->Lk, sizeof *dw);

    (void) d, (void) args->scratch;
    as_floats(a, &copies);
    g->dout = dev_floats_read(a->type, g->dout, a->B * a->Lq * a->H * a->Dv, &copies.dout);
    g->dq = dev_floats_open(a->type, g->dq, dq);
    g->dk = dev_floats_open(a->type, g->dk, dk);
    g->dv = dev_floats_open(a->type, g->dv, dv);
    zero_grads(a, g);
    for (int64_t b = 0; b < a->B; b++)
        for (int64_t h = 0; h < a->H; h++)
            for (int64_t i = 0; i < a->Lq; i++) {
                double divisor = weights(a, b, h, i, soft, w), sum = 0.0;

                for (int64_t j = 0; j < a->Lk; j++)
                    dw[j] = weight_grad(a, g, b, h, i, j, w[j]);
                if (a->hard_k > 0)
                    harden_grad(a->Lk, divisor, w, dw);
                for (int64_t j = 0; j < a->Lk; j++)
                    sum += dw[j] * soft[j];
                for (int64_t j = 0; j < a->Lk; j++)
                    logit_grad(a, g, b, h, i, j, soft[j] * (dw[j] - sum) * (double) a->scale);
            }
    t2_free(soft);
    t2_free(w);
    t2_free(dw);
    dev_floats_close(a->type, g->dv, dv, args->g.dv);
    dev_floats_close(a->type, g->dk, dk, args->g.dk);
    dev_floats_close(a->type, g->dq, dq, args->g.dq);
    free_copies(&copies);
}

int64_t dev_reference_attention_scratch(const struct dev *d, const struct dev_attention *a,
                                        bool backward)
{
    (void) d, (void) a, (void) backward;
    return 0;
}
