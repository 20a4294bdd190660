/*
 * train/device/reference/targeted_reference.c - the smallest weights found, in plain loops (struct
 * dev_targeted).
 *
 * Per column of w (rows,cols): the nth smallest |w| is the limit, and weights at or below it are
 * targeted.  With `columns` the same of the columns' norms.  Selection takes time linear in the
 * column on average, sorting is not needed.
 */
#include <math.h>

#include "train/device/dropout_bits.h"
#include "train/device/reference/reference_kernels.h"

/* Hoare's selection: number nth (from 0) of n values in ascending order; v is put in another
 * order. */
static float select(float *v, int64_t n, int64_t nth)
{
    int64_t low = 0, high = n - 1;

    while (low < high) {
        float pivot = v[low + (high - low) / 2];
        int64_t i = low, j = high;

        while (i <= j) {
            while (v[i] < pivot)
                i++;
            while (v[j] > pivot)
                j--;
            if (i <= j) {
                float swapped = v[i];

                v[i++] = v[j];
                v[j--] = swapped;
            }
        }
        if (nth <= j)
            high = j;
        else if (nth >= i)
            low = i;
        else
            break;
    }
    return v[nth];
}

/* The size of the weight, or NaN (of a run that is lost) as infinity, so that selection ends. */
static float size_of(float w)
{
    return isnan(w) ? HUGE_VALF : fabsf(w);
}

static float norm_of(const struct dev_targeted *a, int64_t c)
{
    double sum = 0.0;

    for (int64_t r = 0; r < a->rows; r++)
        sum += (double) a->w[r * a->cols + c] * (double) a->w[r * a->cols + c];
    return size_of((float) sqrt(sum));
}

static void factors(const struct dev_targeted *a, int64_t c, float limit)
{
    for (int64_t r = 0; r < a->rows; r++) {
        int64_t i = r * a->cols + c;

        a->factors[i] =
            size_of(a->w[i]) <= limit ? dev_dropout_factor(&a->dropout, (uint64_t) i) : 1.0f;
    }
}

void dev_reference_targeted(struct dev *d, const struct dev_targeted *a)
{
    float *sizes = a->scratch, *norms = a->scratch + a->rows, *order = norms + a->cols, limit;

    (void) d;
    if (!a->columns) {
        for (int64_t c = 0; c < a->cols; c++) {
            for (int64_t r = 0; r < a->rows; r++)
                sizes[r] = size_of(a->w[r * a->cols + c]);
            factors(a, c, select(sizes, a->rows, a->nth));
        }
        return;
    }
    for (int64_t c = 0; c < a->cols; c++)
        norms[c] = order[c] = norm_of(a, c);
    limit = select(order, a->cols, a->nth);
    for (int64_t c = 0; c < a->cols; c++)
        factors(a, c, norms[c] <= limit ? HUGE_VALF : -1.0f);
}
