/*
 * train/device/reference/halt_reference.c - adaptive computation time in plain loops (struct
 * dev_halt).
 */
#include "train/device/halt_row.h"
#include "train/device/reference/reference_kernels.h"

static double at(const struct dev_halt *a, const void *p, int64_t i)
{
    return p ? (double) dev_get(a->type, p, i) : 0.0;
}

void dev_reference_halt(struct dev *d, const struct dev_halt *a)
{
    (void) d;
    for (int64_t r = 0; r < a->rows; r++) {
        struct dev_halted now = dev_halt_row(a, r);
        double w = (double) now.w, rest = a->accumulated ? 1.0 : 1.0 - w;

        for (int64_t i = r * a->D; i < (r + 1) * a->D; i++)
            dev_put(a->type, a->y, i, (float) (w * at(a, a->x, i) + rest * at(a, a->mixed, i)));
        for (int k = 0; k < 3; k++)
            a->next[3 * r + k] = now.state[k];
    }
}

static void add(const struct dev_halt *a, void *p, int64_t i, double value, bool accumulate)
{
    dev_put(a->type, p, i, (float) (value + (accumulate ? at(a, p, i) : 0.0)));
}

void dev_reference_halt_bwd(struct dev *d, const struct dev_halt *a)
{
    (void) d;
    for (int64_t r = 0; r < a->rows; r++) {
        struct dev_halted now = dev_halt_row(a, r);
        double w = (double) now.w, rest = a->accumulated ? 1.0 : 1.0 - w, dw = 0.0;
        float dlogit, dstate[3] = {0};

        for (int64_t i = r * a->D; i < (r + 1) * a->D; i++) {
            double dy = at(a, a->dy, i);

            dw += dy * (at(a, a->x, i) - (a->accumulated ? 0.0 : at(a, a->mixed, i)));
            add(a, a->dx, i, w * dy, a->accumulate_x);
            if (a->dmixed)
                add(a, a->dmixed, i, rest * dy, a->accumulate_mixed);
        }
        dev_halt_row_bwd(a, r, now, (float) dw, &dlogit, &dstate[0], &dstate[1]);
        a->dlogits[r] = a->accumulate_logits ? a->dlogits[r] + dlogit : dlogit;
        for (int k = 0; a->dstate && k < 3; k++)
            a->dstate[3 * r + k] =
                a->accumulate_state ? a->dstate[3 * r + k] + dstate[k] : dstate[k];
    }
}

void dev_reference_ponder(struct dev *d, const struct dev_ponder_args *a)
{
    double sum = 0.0;

    (void) d;
    for (int64_t r = 0; r < a->rows; r++)
        for (int64_t i = a->first; i < a->first + a->n; i++)
            sum += (double) a->state[a->columns * r + i];
    a->sums->ponder += (double) a->weight * sum;
}

void dev_reference_ponder_bwd(struct dev *d, const struct dev_ponder_bwd_args *a)
{
    float each = a->weight * a->step->loss_scale / (float) a->step->all_rows;

    (void) d;
    for (int64_t i = 0; i < 3 * a->rows; i++) {
        float value = i % 3 == 1 ? each : 0.0f;

        a->dstate[i] = a->accumulate ? a->dstate[i] + value : value;
    }
}
