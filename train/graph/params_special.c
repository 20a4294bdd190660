/*
 * train/graph/params_special.c - initial values that are not all drawn.
 */
#include "train/graph/params_special.h"

#include <math.h>

#include "base/err.h"

void gr_init_dirac(const int64_t *dims, int64_t at, int64_t n, float *x)
{
    int64_t in = dims[2], out = dims[3];

    for (int64_t i = 0; i < n; i++) {
        int64_t o = (at + i) % out, c = (at + i) / out % in;
        int64_t column = (at + i) / out / in % dims[1], row = (at + i) / out / in / dims[1];

        if (o < in)
            x[i] = c == o && row == dims[0] / 2 && column == dims[1] / 2 ? 1.0f : 0.0f;
    }
}

/* Filter f < 12 is parts[f / 3] over the pixels times colours[f % 3] over the channels, of length 1
 * (parts have length 1, colours sqrt(squares)); filter f + 12 is the same negated, as a ReLU
 * follows. variances[f]: of its output on CIFAR-10. */
void gr_init_whiten(const int64_t *dims, int64_t at, int64_t n, float *x)
{
    enum { FILTERS = 12 };
    static const double parts[4][4] = {{0.5, 0.5, 0.5, 0.5},
                                       {0.5, 0.5, -0.5, -0.5},
                                       {0.5, -0.5, 0.5, -0.5},
                                       {0.5, -0.5, -0.5, 0.5}};
    static const double colours[3][3] = {{1, 1, 1}, {1, 0, -1}, {1, -2, 1}};
    static const double squares[3] = {3, 2, 6};
    static const double variances[FILTERS] = {9.953,  0.7573, 0.1651, 0.3957, 0.00577, 0.00217,
                                              0.3350, 0.0038, 0.0016, 0.0534, 0.00023, 0.00014};

    T2_ASSERT(dims[0] == 2 && dims[1] == 2 && dims[2] == 3 && dims[3] == (int64_t) 2 * FILTERS);
    for (int64_t i = 0; i < n; i++) {
        int64_t o = (at + i) % (2 * FILTERS), c = (at + i) / (2 * FILTERS) % 3;
        int64_t pixel = (at + i) / (2 * FILTERS) / 3, f = o % FILTERS;
        double value = parts[f / 3][pixel] * colours[f % 3][c] / sqrt(squares[f % 3]);

        x[i] = (float) ((o < FILTERS ? value : -value) / sqrt(variances[f] + 0.01));
    }
}
