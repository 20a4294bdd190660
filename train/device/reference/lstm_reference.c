/*
 * train/device/reference/lstm_reference.c - a step of an LSTM layer in plain loops.
 */
#include <math.h>

#include "train/device/reference/reference_kernels.h"

void dev_reference_count_ids(struct dev *d, const struct dev_count_ids_args *a)
{
    (void) d;
    for (int64_t r = 0; r < a->rows; r++) {
        int64_t n = a->extra;

        for (int64_t i = 0; i < a->counted; i++)
            n += a->ids[r * a->cols + i] != 0;
        a->lengths[r] = (float) n;
    }
}

static double sigmoid(double x)
{
    return 1.0 / (1.0 + exp(-x));
}

/* Where step t of row b stands; whether there is one. */
static bool position_of(const struct dev_lstm_cell *a, int64_t b, int64_t *p)
{
    int64_t length = (int64_t) a->lengths[b];

    *p = a->reverse && a->t < length ? length - 1 - a->t : a->t;
    return a->t < length;
}

void dev_reference_lstm_cell(struct dev *d, const struct dev_lstm_cell *a)
{
    int64_t H = a->H, all = a->B * H;

    (void) d;
    for (int64_t n = 0; n < all; n++) {
        int64_t b = n / H, k = n % H, p;
        bool there = position_of(a, b, &p);
        double h = a->fresh ? 0.0 : (double) a->state[n];
        double c = a->fresh ? 0.0 : (double) a->state[all + n], u[4];
        float *gates = a->gates + (b * a->T + p) * 4 * H + k;
        int64_t at = (b * a->T + p) * H + k;

        for (int q = 0; q < 4; q++)
            u[q] = (double) gates[q * H] +
                   (a->recurrent ? (double) a->recurrent[(b * 4 + q) * H + k] : 0.0);
        u[0] = sigmoid(u[0]);
        u[1] = tanh(u[1]);
        u[2] = sigmoid(u[2] + 1.0);
        u[3] = sigmoid(u[3]);
        for (int q = 0; q < 4; q++)
            gates[q * H] = there ? (float) u[q] : 0.0f;
        a->previous[at] = there ? (float) h : 0.0f;
        a->previous[a->B * a->T * H + at] = there ? (float) c : 0.0f;
        if (there) {
            c = u[2] * c + u[0] * u[1];
            h = u[3] * tanh(c);
        }
        a->y[at] = there ? (float) h : 0.0f;
        a->state[n] = (float) h;
        a->state[all + n] = (float) c;
    }
}

void dev_reference_lstm_cell_bwd(struct dev *d, const struct dev_lstm_cell *a)
{
    int64_t H = a->H, all = a->B * H;

    (void) d;
    for (int64_t n = 0; n < all; n++) {
        int64_t b = n / H, k = n % H, p;
        bool there = position_of(a, b, &p);
        double dh = a->fresh ? 0.0 : (double) a->dstate[n];
        double dc = a->fresh ? 0.0 : (double) a->dstate[all + n], du[4] = {0};
        float *gates = a->gates + (b * a->T + p) * 4 * H + k;

        if (there) {
            int64_t at = (b * a->T + p) * H + k;
            double i = (double) gates[0], j = (double) gates[H], f = (double) gates[2 * H];
            double o = (double) gates[3 * H], c = (double) a->previous[a->B * a->T * H + at];
            double squashed = tanh(f * c + i * j);

            dh += a->dy ? (double) a->dy[at] : 0.0;
            dc += dh * o * (1.0 - squashed * squashed);
            du[0] = dc * j * i * (1.0 - i);
            du[1] = dc * i * (1.0 - j * j);
            du[2] = dc * c * f * (1.0 - f);
            du[3] = dh * squashed * o * (1.0 - o);
            dc *= f;
            dh = 0.0;
        }
        for (int q = 0; q < 4; q++) {
            gates[q * H] = (float) du[q];
            a->step_gates[(b * 4 + q) * H + k] = (float) du[q];
        }
        a->dstate[n] = (float) dh;
        a->dstate[all + n] = (float) dc;
    }
}
