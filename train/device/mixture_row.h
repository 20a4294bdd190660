/*
 * train/device/mixture_row.h - one pixel of a discretised mixture of logistics (struct
 * dev_mixture_loss), for all devices.
 *
 * In double: a bin's mass is the difference of two numbers that are nearly equal, and which of two
 * formulas counts depends on it.  Mixtures are gone through twice, so that nothing is kept of them.
 */
#ifndef DEV_MIXTURE_ROW_H
#define DEV_MIXTURE_ROW_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#include "train/device/loss_kernels.h"

#define DEV_MIXTURE_LEAST_SCALE (-7.0) /* of the logarithm */

/* One logistic: its log-probability of x, and the derivatives by mean and log-scale. */
struct dev_logistic {
    double log_p, by_mean, by_log_scale;
};

/* 1 / (1 + e^-x) and log(1 + e^x): no exponential of a large positive number. */
static inline double dev_mixture_sigmoid(double x)
{
    double e = exp(-fabs(x));

    return x >= 0.0 ? 1.0 / (1.0 + e) : e / (1.0 + e);
}

static inline double dev_mixture_softplus(double x)
{
    return (x > 0.0 ? x : 0.0) + log1p(exp(-fabs(x)));
}

/* log p of level x: z = (x - mean) / scale, and the bin's ends above and below it. */
static inline struct dev_logistic dev_logistic_of(double x, double mean, double log_scale)
{
    double inverse = exp(-log_scale), z = (x - mean) * inverse, half = inverse / 255.0;
    double above = z + half, below = z - half;
    struct dev_logistic l;

    if (x < -0.999) { /* sigmoid(above) */
        double slope = 1.0 - dev_mixture_sigmoid(above);

        l.log_p = -dev_mixture_softplus(-above);
        l.by_mean = -slope * inverse;
        l.by_log_scale = -slope * above;
    } else if (x > 0.999) { /* 1 - sigmoid(below) */
        double slope = -dev_mixture_sigmoid(below);

        l.log_p = -dev_mixture_softplus(below);
        l.by_mean = -slope * inverse;
        l.by_log_scale = -slope * below;
    } else {
        double upper = dev_mixture_sigmoid(above), lower = dev_mixture_sigmoid(below);
        double mass = upper - lower;

        if (mass > 1e-5) {
            double at_upper = upper * (1.0 - upper) / mass, at_lower = lower * (1.0 - lower) / mass;

            l.log_p = log(mass);
            l.by_mean = -(at_upper - at_lower) * inverse;
            l.by_log_scale = -(at_upper * above - at_lower * below);
        } else {
            double slope = 1.0 - 2.0 * dev_mixture_sigmoid(z);

            l.log_p = z - log_scale - 2.0 * dev_mixture_softplus(z) - log(127.5);
            l.by_mean = -slope * inverse;
            l.by_log_scale = -slope * z - 1.0;
        }
    }
    return l;
}

/* The mean of channel c of a mixture. */
static inline double dev_mixture_mean(const float *params, const float *pixel, int64_t K, int64_t m,
                                      int c)
{
    const float *a = params + 7 * K + 3 * m;
    double mean = (double) params[K + 3 * m + c];

    if (c == 1)
        mean += tanh((double) a[0]) * (double) pixel[0];
    if (c == 2)
        mean += tanh((double) a[1]) * (double) pixel[0] + tanh((double) a[2]) * (double) pixel[1];
    return mean;
}

static inline struct dev_logistic dev_mixture_channel(const float *params, const float *pixel,
                                                      int64_t K, int64_t m, int c)
{
    double log_scale = (double) params[4 * K + 3 * m + c];
    bool floored = log_scale < DEV_MIXTURE_LEAST_SCALE;
    struct dev_logistic l =
        dev_logistic_of((double) pixel[c], dev_mixture_mean(params, pixel, K, m, c),
                        floored ? DEV_MIXTURE_LEAST_SCALE : log_scale);

    if (floored)
        l.by_log_scale = 0.0;
    return l;
}

/* log(e^a + e^b); a may be minus infinity. */
static inline double dev_mixture_log_add(double a, double b)
{
    double larger = a > b ? a : b, smaller = a > b ? b : a;

    return a != a || b != b ? a + b : larger + log1p(exp(smaller - larger));
}

/* log p of the pixel under mixture m alone, and m's logit. */
static inline double dev_mixture_joint(const float *params, const float *pixel, int64_t K,
                                       int64_t m)
{
    double sum = (double) params[m];

    for (int c = 0; c < 3; c++)
        sum += dev_mixture_channel(params, pixel, K, m, c).log_p;
    return sum;
}

static inline void dev_mixture_put(float *to, double value, bool accumulate)
{
    *to = accumulate ? (float) ((double) *to + value) : (float) value;
}

/* The gradients of mixture m, `share` times its log p and `logit` by its logit. */
static inline void dev_mixture_gradients(const float *params, const float *pixel, int64_t K,
                                         int64_t m, double share, double logit, bool accumulate,
                                         float *d)
{
    const float *a = params + 7 * K + 3 * m;
    double by_mean[3], t;

    dev_mixture_put(&d[m], logit, accumulate);
    for (int c = 0; c < 3; c++) {
        struct dev_logistic l = dev_mixture_channel(params, pixel, K, m, c);

        by_mean[c] = share * l.by_mean;
        dev_mixture_put(&d[K + 3 * m + c], by_mean[c], accumulate);
        dev_mixture_put(&d[4 * K + 3 * m + c], share * l.by_log_scale, accumulate);
    }
    for (int i = 0; i < 3; i++) { /* a_0 x_0 is in mean 1, the others in mean 2 */
        t = tanh((double) a[i]);
        dev_mixture_put(&d[7 * K + 3 * m + i],
                        by_mean[i == 0 ? 1 : 2] * (double) pixel[i == 2 ? 1 : 0] * (1.0 - t * t),
                        accumulate);
    }
}

/* Row r: its statistics, and its gradients where they are wanted. */
static inline void dev_mixture_row(const struct dev_mixture_loss *a, int64_t r)
{
    int64_t K = a->K;
    const float *params = a->params + r * 10 * K, *pixel = a->pixels + 3 * r;
    double all = -INFINITY, logits = -INFINITY, scale, loss;
    float *stats = a->row_stats + 4 * r;

    for (int64_t m = 0; m < K; m++) {
        all = dev_mixture_log_add(all, dev_mixture_joint(params, pixel, K, m));
        logits = dev_mixture_log_add(logits, (double) params[m]);
    }
    loss = (double) a->weight * (logits - all);
    stats[0] = (float) loss;
    stats[1] = 0.0f;
    stats[2] = (float) -loss;
    stats[3] = 1.0f;
    if (!a->dparams)
        return;
    scale = (double) a->weight * (double) a->step->grad_scale;
    for (int64_t m = 0; m < K; m++) {
        double share = exp(dev_mixture_joint(params, pixel, K, m) - all);
        double prior = exp((double) params[m] - logits);

        dev_mixture_gradients(params, pixel, K, m, -scale * share, scale * (prior - share),
                              a->accumulate, a->dparams + r * 10 * K);
    }
}

#endif
