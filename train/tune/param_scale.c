/*
 * train/tune/param_scale.c - linear and logarithmic scales, and the bins of whole numbers on them.
 */
#include "train/tune/param_scale.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"

double tune_whole_values(const struct tune_param *p)
{
    return p->max - p->min + 1.0;
}

double tune_value_at(const struct tune_param *p, double share)
{
    double v = p->min + share * (p->max - p->min);

    if (p->scale == TUNE_LOG || p->scale == TUNE_REVERSE_LOG)
        v = p->min * pow(p->max / p->min, p->scale == TUNE_LOG ? share : 1.0 - share);
    if (p->scale == TUNE_REVERSE_LOG)
        v = p->min + p->max - v;
    return fmin(fmax(v, p->min), p->max);
}

/* The other way round; 0.5 where min is max. */
static double share_of(const struct tune_param *p, double v)
{
    double share;

    if (!(p->min < p->max))
        return 0.5;
    if (p->scale == TUNE_LOG)
        share = log(v / p->min) / log(p->max / p->min);
    else if (p->scale == TUNE_REVERSE_LOG)
        share = 1.0 - log((p->min + p->max - v) / p->min) / log(p->max / p->min);
    else
        share = (v - p->min) / (p->max - p->min);
    return fmin(fmax(share, 0.0), 1.0);
}

/* The range of the bins of a TUNE_INT. */
static struct tune_param bins_of(const struct tune_param *p)
{
    struct tune_param bins = *p;

    bins.max += 1.0;
    return bins;
}

double tune_value_drawn(const struct tune_param *p, double share)
{
    struct tune_param bins = bins_of(p);

    if (p->kind != TUNE_INT)
        return tune_value_at(p, share);
    return fmin(floor(tune_value_at(&bins, share)), p->max);
}

double tune_share_drawn(const struct tune_param *p, double share)
{
    struct tune_param bins = bins_of(p);
    double v;

    if (p->kind != TUNE_INT)
        return p->min < p->max ? share : 0.5;
    v = tune_value_drawn(p, share);
    return 0.5 * (share_of(&bins, v) + share_of(&bins, v + 1.0));
}

void tune_put_value(const struct tune_param *p, double value, struct t2_buf *out)
{
    if (p->kind == TUNE_INT)
        t2_buf_printf(out, "%.0f", value);
    else
        t2_buf_printf(out, "%.6g", value);
}

/* ---- back ---- */

static bool find_value(const struct tune_param *p, const char *text, struct tune_coord *c)
{
    for (size_t i = 0; i < p->values.n; i++) {
        if (strcmp(p->values.items[i], text) == 0) {
            *c = (struct tune_coord){(double) i, (double) i};
            return true;
        }
    }
    return false;
}

bool tune_coord_of(const struct tune_param *p, const char *text, struct tune_coord *c)
{
    struct tune_param bins = bins_of(p);
    double v;

    if (p->values.n > 0)
        return find_value(p, text, c);
    /* six digits may be rounded to beyond an end */
    if (!t2_parse_double(text, &v) || v < p->min - 1e-5 * fabs(p->min) ||
        v > p->max + 1e-5 * fabs(p->max))
        return false;
    if (p->kind == TUNE_INT)
        *c = (struct tune_coord){share_of(&bins, v), share_of(&bins, v + 1.0)};
    else
        c->from = c->to = share_of(p, v);
    return true;
}

const char *tune_hparam_value(const char *hparams, const char *name, size_t *n)
{
    size_t length = strlen(name);

    while (*hparams) {
        size_t clause = strcspn(hparams, ",");

        if (clause > length && memcmp(hparams, name, length) == 0 && hparams[length] == '=') {
            *n = clause - length - 1;
            return hparams + length + 1;
        }
        hparams += clause + (hparams[clause] != '\0');
    }
    *n = 0;
    return NULL;
}

bool tune_coords_read(const struct tune_range *range, const char *hparams, struct tune_coord *at)
{
    for (size_t i = 0; i < range->n; i++) {
        size_t n;
        const char *value = tune_hparam_value(hparams, range->params[i].name, &n);
        char *text = value ? t2_strndup(value, n) : NULL;
        bool is_value = text && tune_coord_of(&range->params[i], text, &at[i]);

        t2_free(text);
        if (!is_value)
            return false;
    }
    return true;
}
