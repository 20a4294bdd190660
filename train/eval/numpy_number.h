/*
 * train/eval/numpy_number.h - arithmetic as Python with NumPy 2 does it on its scalars: a float32
 * and a Python number make a float32, two Python numbers a double.
 *
 * Scores of resampled corpora are computed from float32 sums by sacreBLEU, so their last digits
 * depend on it.  A float32 operation is the double one, rounded: a double has more than twice the
 * bits, so rounding twice is rounding once.
 */
#ifndef EV_NUMPY_NUMBER_H
#define EV_NUMPY_NUMBER_H

#include <stdbool.h>
#include <stddef.h>

struct ev_number {
    double v;
    bool is_float32;
};

static inline struct ev_number ev_python(double v)
{
    return (struct ev_number){v, false};
}

/* A Python number meets a float32 as a float32. */
static inline double ev_as(struct ev_number a, bool is_float32)
{
    return is_float32 ? (double) (float) a.v : a.v;
}

#define EV_NUMBER_OP(name, operator)                                                               \
    static inline struct ev_number name(struct ev_number a, struct ev_number b)                    \
    {                                                                                              \
        bool f = a.is_float32 || b.is_float32;                                                     \
        double v = ev_as(a, f) operator ev_as(b, f);                                               \
                                                                                                   \
        return (struct ev_number){f ? (double) (float) v : v, f};                                  \
    }
EV_NUMBER_OP(ev_add, +)
EV_NUMBER_OP(ev_subtract, -)
EV_NUMBER_OP(ev_multiply, *)
EV_NUMBER_OP(ev_divide, /)
#undef EV_NUMBER_OP

/* numpy.mean of an array, n > 0, whose elements are of one type. */
struct ev_number ev_numpy_mean(const struct ev_number *x, size_t n);
/* numpy.mean(x, dtype=float32) of doubles. */
double ev_numpy_mean_as_float32(const double *x, size_t n);

#endif
