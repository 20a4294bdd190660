/*
 * train/eval/numpy_number.c - sums in the order of numpy.add.reduce: pairwise, blocks of 128 with
 * eight sums each; an array that is converted goes through a buffer, which is summed at a time.
 */
#include "train/eval/numpy_number.h"

enum { WIDTH = 8, BLOCK = 128, BUFFER = 8192 };

static struct ev_number pairwise_sum(const struct ev_number *x, size_t n)
{
    struct ev_number r[WIDTH], sum;
    size_t i;

    if (n > BLOCK) {
        size_t half = n / 2 - n / 2 % WIDTH;

        return ev_add(pairwise_sum(x, half), pairwise_sum(x + half, n - half));
    }
    if (n < WIDTH) {
        sum = x[0];
        for (i = 1; i < n; i++)
            sum = ev_add(sum, x[i]);
        return sum;
    }
    for (i = 0; i < WIDTH; i++)
        r[i] = x[i];
    for (; i < n - n % WIDTH; i += WIDTH)
        for (size_t k = 0; k < WIDTH; k++)
            r[k] = ev_add(r[k], x[i + k]);
    sum = ev_add(ev_add(ev_add(r[0], r[1]), ev_add(r[2], r[3])),
                 ev_add(ev_add(r[4], r[5]), ev_add(r[6], r[7])));
    for (; i < n; i++)
        sum = ev_add(sum, x[i]);
    return sum;
}

struct ev_number ev_numpy_mean(const struct ev_number *x, size_t n)
{
    return ev_divide(pairwise_sum(x, n), ev_python((double) n));
}

double ev_numpy_mean_as_float32(const double *x, size_t n)
{
    struct ev_number buffer[BUFFER], sum = {0, true};

    for (size_t i = 0; i < n; i += BUFFER) {
        size_t n_here = n - i < BUFFER ? n - i : BUFFER;

        for (size_t k = 0; k < n_here; k++)
            buffer[k] = (struct ev_number){(double) (float) x[i + k], true};
        sum = ev_add(sum, pairwise_sum(buffer, n_here));
    }
    return ev_divide(sum, ev_python((double) n)).v;
}
