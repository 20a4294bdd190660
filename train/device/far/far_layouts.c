/*
 * train/device/far/far_layouts.c - parameters in an order of its own, on the device "far".
 *
 * With T2_FAR_LAYOUTS=1 weights of convolutions and of dense layers lie with their last dimension
 * first: (kh,kw,C,N) as (N,kh,kw,C), (K,N) as (N,K).  The kernels that know of layouts turn them
 * round, run as the reference's, and turn what they have written back; so whoever reads or writes
 * a parameter without its layout gets other numbers than the reference.
 */
#include <string.h>

#include "base/alloc.h"
#include "train/device/far/far.h"
#include "train/device/reference/reference_kernels.h"

static int64_t n_columns(const struct dev_laid *p)
{
    return p->dims[p->rank - 1];
}

static int32_t layout_of(const struct dev *d, enum dev_param_use use, int rank, const int64_t *dims)
{
    (void) d, (void) rank, (void) dims;
    return (int32_t) use; /* DEV_USE_ANY is 0 */
}

/* Where element i of the matrix (n / columns, columns) lies. */
static int64_t place(int64_t i, int64_t n, int64_t columns)
{
    return i % columns * (n / columns) + i / columns;
}

/* ---- copies ---- */

struct laid_move {
    struct dev_laid of;
    float *values; /* of the device */
    int64_t at, n;
    float *host;
};

static void run_upload(struct far_dev *f, void *arguments)
{
    const struct laid_move *m = arguments;

    (void) f;
    for (int64_t i = 0; i < m->n; i++)
        m->values[place(m->at + i, m->of.n, n_columns(&m->of))] = m->host[i];
    t2_free(m->host);
}

static void run_download(struct far_dev *f, void *arguments)
{
    const struct laid_move *m = arguments;

    (void) f;
    for (int64_t i = 0; i < m->n; i++)
        m->host[i] = m->values[place(m->at + i, m->of.n, n_columns(&m->of))];
}

static void upload_param(struct dev *d, const struct dev_laid *p, float *values, int64_t at,
                         const float *from, int64_t n)
{
    struct laid_move m = {*p, values, at, n, t2_alloc((size_t) n + 1, sizeof *from)};

    if (n > 0)
        memcpy(m.host, from, (size_t) n * sizeof *from);
    dev_far_queue((struct far_dev *) d, run_upload, NULL, &m, sizeof m);
}

static void download_param(struct dev *d, const struct dev_laid *p, const float *values, int64_t at,
                           float *to, int64_t n)
{
    struct far_dev *f = (struct far_dev *) d;
    struct laid_move m = {*p, (float *) (uintptr_t) values, at, n, to};

    dev_far_queue(f, run_download, NULL, &m, sizeof m);
    dev_far_wait_for(f, DEV_COMPUTE, f->queues[DEV_COMPUTE].n_queued);
}

/* ---- kernels, on the queue's thread ---- */

/* x (n) in the order of checkpoints; the caller's. */
static float *straight(const float *x, int64_t n, int64_t columns)
{
    float *y = t2_alloc((size_t) n + 1, sizeof *y);

    for (int64_t i = 0; i < n; i++)
        y[i] = x[place(i, n, columns)];
    return y;
}

/* What straight gave goes back to x, and is freed. */
static void turn_back(float *y, float *x, int64_t n, int64_t columns)
{
    for (int64_t i = 0; i < n; i++)
        x[place(i, n, columns)] = y[i];
    t2_free(y);
}

static void gemm(struct dev *d, const struct dev_gemm *a)
{
    const int64_t b_columns = a->trans_b ? a->K : a->N, b_n = a->K * a->N, c_n = a->M * a->N;
    struct dev_gemm now = *a;
    float *b = NULL, *c = NULL;

    T2_ASSERT(!a->layout_b || (a->type_b == DEV_FLOAT32 && a->ldb == b_columns));
    T2_ASSERT(!a->layout_c || (a->type_c == DEV_FLOAT32 && a->ldc == a->N));
    if (a->layout_b)
        now.B = b = straight(a->B, b_n, b_columns);
    if (a->layout_c)
        now.C = c = straight(a->C, c_n, a->N);
    dev_reference_kernels.gemm(d, &now);
    t2_free(b);
    if (c)
        turn_back(c, a->C, c_n, a->N);
}

static int64_t outputs_of(const struct dev_conv2d *a)
{
    return a->depthwise ? a->N / a->C : a->N;
}

static int64_t n_weights(const struct dev_conv2d *a)
{
    return a->kh * a->kw * a->C * outputs_of(a);
}

static float *straight_weights(const struct dev_conv2d *a)
{
    return a->w_layout ? straight(a->w, n_weights(a), outputs_of(a)) : NULL;
}

static void conv2d(struct dev *d, const struct dev_conv2d_args *a)
{
    struct dev_conv2d_args now = *a;
    float *w = straight_weights(&a->of);

    now.of.w = w ? w : a->of.w;
    dev_reference_kernels.conv2d(d, &now);
    t2_free(w);
}

static void conv2d_bwd_data(struct dev *d, const struct dev_conv2d_bwd_data_args *a)
{
    struct dev_conv2d_bwd_data_args now = *a;
    float *w = straight_weights(&a->of);

    now.of.w = w ? w : a->of.w;
    dev_reference_kernels.conv2d_bwd_data(d, &now);
    t2_free(w);
}

static void conv2d_bwd_weights(struct dev *d, const struct dev_conv2d_bwd_weights_args *a)
{
    struct dev_conv2d_bwd_weights_args now = *a;
    const int64_t n = n_weights(&a->of), columns = outputs_of(&a->of);

    if (a->of.w_layout)
        now.dw = straight(a->dw, n, columns);
    dev_reference_kernels.conv2d_bwd_weights(d, &now);
    if (a->of.w_layout)
        turn_back(now.dw, a->dw, n, columns);
}

/* Arenas in which what is laid is turned round while a kernel runs. */
static void turn(const struct dev_laid *laid, int64_t n_laid, float *arena, bool back)
{
    for (int64_t k = 0; arena && k < n_laid; k++) {
        const struct dev_laid *p = &laid[k];
        float *x = arena + p->offset, *y = t2_alloc((size_t) p->n, sizeof *y);

        for (int64_t i = 0; i < p->n; i++) {
            int64_t there = place(i, p->n, n_columns(p));

            y[back ? there : i] = x[back ? i : there];
        }
        memcpy(x, y, (size_t) p->n * sizeof *y);
        t2_free(y);
    }
}

static void prepare_gradients(struct dev *d, const struct dev_prepare_gradients_args *a)
{
    for (int back = 0; back < 2; back++) {
        turn(a->laid, a->n_laid, a->values, back);
        turn(a->laid, a->n_laid, a->grads, back);
        if (!back)
            dev_reference_kernels.prepare_gradients(d, a);
    }
}

static void regularise(struct dev *d, const struct dev_regularise_args *a)
{
    for (int back = 0; back < 2; back++) {
        turn(a->laid, a->n_laid, (float *) (uintptr_t) a->values, back);
        turn(a->laid, a->n_laid, a->grads, back);
        if (!back)
            dev_reference_kernels.regularise(d, a);
    }
}

static void turn_update(const struct dev_update *u, bool back)
{
    turn(u->laid, u->n_laid, u->values, back);
    turn(u->laid, u->n_laid, (float *) (uintptr_t) u->grads, back);
    for (int i = 0; i < DEV_MAX_SLOTS; i++)
        turn(u->laid, u->n_laid, u->slots[i], back);
}

#define WHOLE_UPDATE(name, args)                                                                   \
    static void name(struct dev *d, const struct args *a)                                          \
    {                                                                                              \
        turn_update(&a->of, false);                                                                \
        dev_reference_kernels.name(d, a);                                                          \
        turn_update(&a->of, true);                                                                 \
    }
WHOLE_UPDATE(update_adafactor, dev_adafactor)
WHOLE_UPDATE(update_lars, dev_lars)
WHOLE_UPDATE(update_yellow_fin, dev_yellow_fin)

void dev_far_set_layouts(struct far_dev *f)
{
    f->near_kernels = dev_reference_kernels;
    f->near_kernels.gemm = gemm;
    f->near_kernels.conv2d = conv2d;
    f->near_kernels.conv2d_bwd_data = conv2d_bwd_data;
    f->near_kernels.conv2d_bwd_weights = conv2d_bwd_weights;
    f->near_kernels.prepare_gradients = prepare_gradients;
    f->near_kernels.regularise = regularise;
    f->near_kernels.update_adafactor = update_adafactor;
    f->near_kernels.update_lars = update_lars;
    f->near_kernels.update_yellow_fin = update_yellow_fin;
    f->near->kernels = &f->near_kernels;
    f->dev.param_layout = layout_of;
    f->dev.upload_param = upload_param;
    f->dev.download_param = download_param;
}
