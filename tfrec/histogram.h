/*
 * tfrec/histogram.h - how often each size occurs: quantiles that do not depend on the order.
 *
 * Sizes below REC_EXACT_SIZES are counted one by one, so that quantiles there are exact; larger
 * ones share a count with those that agree in their first nine bits (quantiles are then at most 0.4
 * % low). At most 32 KiB for the small ones and 2 KiB for each power of two above that occurs.
 */
#ifndef REC_HISTOGRAM_H
#define REC_HISTOGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { REC_EXACT_SIZES = 4096, REC_OCTAVES = 52 };

/* Zero-initialise, release. */
struct rec_histogram {
    uint64_t *small; /* counts of 0 .. n_small-1; the rest is 0 */
    size_t n_small;
    uint64_t *large[REC_OCTAVES];
    uint64_t n, sum;
    uint64_t min, max; /* of what was added; meaningless while n is 0 */
};

void rec_histogram_add(struct rec_histogram *h, uint64_t size);
void rec_histogram_join(struct rec_histogram *into, const struct rec_histogram *from);
void rec_histogram_release(struct rec_histogram *h);

/* The least size that at least the share q (0 < q <= 1) of all do not exceed; 0 when there is
 * none. */
uint64_t rec_histogram_quantile(const struct rec_histogram *h, double q);
/* Are all quantiles exact? */
bool rec_histogram_is_exact(const struct rec_histogram *h);
double rec_histogram_mean(const struct rec_histogram *h);

/* Sizes between h->min and upto (at least h->min) in at most n_bins bins of equal width; returns
 * how many are used, *width is a whole number.  Bin i counts the sizes from h->min + i * width on;
 * sizes beyond upto are in none. */
size_t rec_histogram_bins(const struct rec_histogram *h, uint64_t upto, uint64_t *bins,
                          size_t n_bins, uint64_t *width);

#endif
