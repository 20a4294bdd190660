/*
 * train/device/cpu/class_loss_cpu.c - the loss of class labels, and of the numbers of an image: a
 * row of logits (V) is a piece of work.
 *
 * As class_loss_reference.c computes it, with e^x in vectors; sums over V are in float by lanes,
 * what is made of them in double.  A row is computed by one thread, so the bits do not depend on
 * the number of threads.
 */
#include <math.h>

#include "train/device/cpu/cpu_kernels.h"
#include "train/device/cpu/logit_row.h"
#include "train/device/step.h"

struct task {
    const struct dev_class_xent *a;
    double low, conf, norm;
    float scale; /* of gradients */
};

/* Sum over v of e^(s_v - largest). */
static float sum_of_exponentials(const float *s, int64_t V, float largest)
{
    vf sum = {0};
    int64_t v = 0;

    for (; v + DEV_LANES <= V; v += DEV_LANES)
        sum += vf_exp(vf_load(s + v) - vf_set(largest));
    if (v < V) {
        vf e = vf_exp(vf_load_part(s + v, V - v) - vf_set(largest));

        for (int64_t i = 0; i < V - v; i++)
            sum[i] += e[i];
    }
    return vf_sum(sum);
}

/* d (n) = or += scale (e^(s - largest) / sum - low); p_scale is scale / sum, low has the scale. */
DEV_INLINE void gradient_of(const float *s, int64_t n, float largest, float p_scale, float low,
                            bool accumulate, float *d)
{
    vf g = vf_exp(vf_load_part(s, n) - vf_set(largest)) * vf_set(p_scale) - vf_set(low);

    vf_store_part(d, accumulate ? vf_load_part(d, n) + g : g, n);
}

static void gradients(const float *s, int64_t V, float largest, float p_scale, float low,
                      bool accumulate, float *d)
{
    int64_t v = 0;

    for (; v + DEV_LANES <= V; v += DEV_LANES)
        gradient_of(s + v, DEV_LANES, largest, p_scale, low, accumulate, d + v);
    if (v < V)
        gradient_of(s + v, V - v, largest, p_scale, low, accumulate, d + v);
}

static void loss_row(void *arg, int64_t i, int worker)
{
    const struct task *t = arg;
    const struct dev_class_xent *a = t->a;
    int64_t V = a->V;
    const float *s = a->logits + i * V;
    float *stats = a->row_stats + 4 * i;
    int32_t label = a->labels[i], other = a->other_labels ? a->other_labels[i] : label;
    float own = a->other_labels ? a->weights[i] : 1.0f;
    struct logit_row r = logit_row_of(s, V);
    float sum = sum_of_exponentials(s, V, r.largest);
    double lse = (double) r.largest + log((double) sum);
    double shown = (double) own * (double) s[label] + (1.0 - (double) own) * (double) s[other];

    (void) worker;
    stats[0] = (float) (t->conf * (lse - shown) +
                        t->low * ((double) (V - 1) * lse - ((double) r.total - shown)) - t->norm);
    stats[1] = logit_hit(s, V, &r, label);
    stats[2] = (float) ((double) s[label] - lse);
    stats[3] = 1.0f;
    if (a->dlogits) {
        float *d = a->dlogits + i * V, less = (float) (t->conf - t->low) * t->scale;

        gradients(s, V, r.largest, t->scale / sum, (float) t->low * t->scale, a->accumulate, d);
        d[label] -= less * own;
        d[other] -= less * (1.0f - own);
    }
}

void DEV_CPU(dev_cpu_class_xent)(struct dev *d, const struct dev_class_xent *a)
{
    double smoothing = (double) a->smoothing, V = (double) a->V;
    struct task t = {.a = a, .low = a->uniform ? smoothing / V : smoothing / (V - 1.0)};

    t.conf = a->uniform ? 1.0 - smoothing + t.low : 1.0 - smoothing;
    if (!a->uniform)
        t.norm = -(t.conf * log(t.conf) + (V - 1.0) * t.low * log(t.low + 1e-20));
    if (a->dlogits)
        t.scale = a->beside > 0.0f ? a->beside * a->step->loss_scale / (float) a->step->all_rows
                                   : a->step->grad_scale;
    dev_cpu_run(d, a->N, loss_row, &t);
}
