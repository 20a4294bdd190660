/*
 * train/device/cpu/conv2d_pieces.c - pieces of a convolution: calls of the library, types, and the
 * sum of what pieces found.
 *
 * y and dx of a piece are its own; the gradient of w is a sum over fixed groups of images, added in
 * their order: the same bits for any number of threads.
 */
#include "train/device/cpu/conv2d_pieces.h"

#include <string.h>

#include "train/device/cpu/gemm_lib.h"
#include "train/device/reference/reference_kernels.h"

/* The library has no memory: plain loops for this piece of y or dx.  Other code gives other bits,
 * so a run says so once (dev_cpu_gemm_refused). */
static void plain_piece(const struct conv2d_job *j, const float *from, float *out)
{
    /* the library would round */
    struct dev plain = {.precision = j->plan->conv.bf16 ? DEV_BFLOAT16 : DEV_FLOAT32};
    struct dev_conv2d a = *j->a;

    dev_cpu_gemm_refused("oneDNN", "convolutions");
    a.type = DEV_FLOAT32;
    a.B = j->plan->conv.B;
    a.bias = NULL;
    a.activation = DEV_LINEAR;
    a.x = from;
    if (j->plan->conv.pass == DEV_CONV2D_FORWARD)
        dev_reference_conv2d(&plain, &(struct dev_conv2d_args){.of = a, .y = out});
    else
        dev_reference_conv2d_bwd_data(&plain,
                                      &(struct dev_conv2d_bwd_data_args){
                                          .of = a, .dy = from, .accumulate = false, .dx = out});
}

/* The same in other types, with all that follows. */
static void plain_typed_piece(const struct conv2d_job *j, int64_t piece)
{
    struct dev_conv2d a = *j->a;
    const void *from = dev_element_in(j->type, j->from, piece * j->from_floats);
    void *out = dev_element(j->type, j->out, piece * j->out_floats);

    dev_cpu_gemm_refused("oneDNN", "convolutions");
    a.B = j->plan->conv.B;
    a.x = from;
    if (j->plan->conv.pass == DEV_CONV2D_FORWARD)
        dev_reference_conv2d(j->dev, &(struct dev_conv2d_args){.of = a, .y = out});
    else
        dev_reference_conv2d_bwd_data(j->dev, &(struct dev_conv2d_bwd_data_args){.of = a,
                                                                                 .dy = from,
                                                                                 .accumulate =
                                                                                     j->accumulate,
                                                                                 .dx = out});
}

/* A piece of y or dx that is not stored as floats: by way of the thread's work memory, where the
 * library cannot read it as it is; the result is rounded once, after all that follows. */
static void typed_piece(void *arg, int64_t piece, int worker)
{
    const struct conv2d_job *j = arg;
    const struct conv2d_plan *p = j->plan;
    int64_t in = p->conv.stored16 ? 0 : conv2d_whole(j->from_floats), n = j->out_floats;
    float *work = j->a->scratch + worker * (p->work_floats + in + conv2d_whole(n));
    float *copy = work + p->work_floats, *out = copy + in;
    const void *from = dev_element_in(j->type, j->from, piece * j->from_floats);

    if (!p->conv.stored16) {
        DEV_CPU(dev_cpu_widen)(j->type, j->from, piece * j->from_floats, j->from_floats, copy);
        from = copy;
    }
    if (!j->packed || !dev_cpu_convolver()->run(&p->conv, from, j->packed, out, work)) {
        plain_typed_piece(j, piece);
        return;
    }
    if (p->conv.pass == DEV_CONV2D_FORWARD)
        conv2d_finish(j->a, out, p->conv.B * j->a->Ho * j->a->Wo);
    for (int64_t i = 0; j->accumulate && i < n; i += DEV_CPU_BLOCK) {
        int64_t k = n - i < DEV_CPU_BLOCK ? n - i : DEV_CPU_BLOCK;
        float before[DEV_CPU_BLOCK];

        DEV_CPU(dev_cpu_widen)(j->type, j->out, piece * n + i, k, before);
        for (int64_t c = 0; c < k; c++)
            out[i + c] += before[c];
    }
    DEV_CPU(dev_cpu_narrow)(j->type, out, n, j->out, piece * n);
}

/* A piece of y or dx: conv.B images by one call.  The library replaces, so what is added to goes by
 * way of the thread's work memory. */
static void library_piece(void *arg, int64_t piece, int worker)
{
    const struct conv2d_job *j = arg;
    const struct conv2d_plan *p = j->plan;
    const float *from = (const float *) j->from + piece * j->from_floats;
    bool add = j->accumulate;
    float *result = (float *) j->out + piece * j->out_floats;
    int64_t mine = p->work_floats + (add ? conv2d_whole(j->out_floats) : 0);
    float *work = j->a->scratch + worker * mine, *out = add ? work + p->work_floats : result;

    if (!j->packed || !dev_cpu_convolver()->run(&p->conv, from, j->packed, out, work))
        plain_piece(j, from, out);
    for (int64_t i = 0; add && i < j->out_floats; i++)
        result[i] += out[i];
    if (p->conv.pass == DEV_CONV2D_FORWARD)
        conv2d_finish(j->a, out, p->conv.B * j->a->Ho * j->a->Wo);
}

/* A piece's share of the gradient of w, packed as the library has it. */
static void library_part(void *arg, int64_t piece, int worker)
{
    struct conv2d_job *j = arg;
    const struct conv2d_plan *p = j->plan;
    const void *from = dev_element_in(j->type, j->from, piece * j->from_floats);
    const void *other = dev_element_in(j->type, j->other, piece * j->other_floats);
    int64_t first = conv2d_whole(j->from_floats),
            copies = conv2d_typed_floats(p, j->a, DEV_CONV2D_WEIGHTS);
    float *work = j->a->scratch + worker * (p->work_floats + copies);
    float *copy = work + p->work_floats;

    if (copies > 0) {
        DEV_CPU(dev_cpu_widen)(j->type, from, 0, j->from_floats, copy);
        DEV_CPU(dev_cpu_widen)(j->type, other, 0, j->other_floats, copy + first);
        from = copy;
        other = copy + first;
    }
    if (!dev_cpu_convolver()->run(&p->conv, from, other, (float *) j->out + piece * j->out_floats,
                                  work))
        atomic_store(&j->refused, true);
}

/* The columns of a piece: those of dy are laid side by side, those of dw are all that they are. */
static void library_columns(void *arg, int64_t piece, int worker)
{
    struct conv2d_job *j = arg;
    const struct conv2d_plan *p = j->plan;
    int64_t columns = p->conv.N, n = columns * (int64_t) dev_type_bytes(j->type);
    float *dy = j->a->scratch + worker * (p->work_floats + conv2d_column_floats(p, j->a));
    float *work = dy + conv2d_column_floats(p, j->a);
    float *part = (float *) j->out + piece * j->out_floats;

    for (int64_t i = 0; i < j->a->B * j->a->Ho * j->a->Wo; i++)
        memcpy((char *) dy + i * n, dev_element_in(j->type, j->from, i * j->a->N + piece * columns),
               (size_t) n);
    if (!dev_cpu_convolver()->run(&p->conv, dy, j->other, part, work) ||
        !dev_cpu_convolver()->unpack(&p->conv, part, j->dw + piece * columns))
        atomic_store(&j->refused, true);
}

/* The same by unfolding, as (kh,kw,C,N). */
static void unfold_part(void *arg, int64_t piece, int worker)
{
    const struct conv2d_job *j = arg;
    int64_t images = j->a->B / j->plan->pieces;

    DEV_CPU(dev_cpu_conv2d_unfold_weights)
    (j->a, j->from, piece * images, images, (float *) j->out + piece * j->out_floats,
     j->a->scratch + worker * j->plan->work_floats);
}

/* w as the library likes it; NULL: it has no memory. */
static void pack(struct conv2d_job *j, struct dev_conv2d *a)
{
    float *packed = conv2d_take(a, j->plan->pack_floats);

    if (dev_cpu_convolver()->pack(&j->plan->conv, j->other, packed))
        j->packed = packed;
}

void DEV_CPU(dev_cpu_conv2d_pieces)(struct conv2d_job *j, struct dev_conv2d *a)
{
    pack(j, a);
    dev_cpu_run(j->dev, j->plan->pieces, conv2d_is_typed(a) ? typed_piece : library_piece, j);
}

/* out [+]= the sum of parts, in their order; out may be the first of them. */
struct sum {
    const float *parts;
    int64_t n_parts, n, stride;
    bool accumulate;
    float *out;
};

enum { RANGE = 4096 };

static void sum_range(void *arg, int64_t piece, int worker)
{
    const struct sum *s = arg;
    int64_t first = piece * RANGE, end = first + RANGE < s->n ? first + RANGE : s->n;
    float *out = s->out;

    (void) worker;
    if (!s->accumulate && out != s->parts)
        memcpy(out + first, s->parts + first, (size_t) (end - first) * sizeof *out);
    for (int64_t k = s->accumulate ? 0 : 1; k < s->n_parts; k++)
        for (int64_t i = first; i < end; i++)
            out[i] += s->parts[k * s->stride + i];
}

static void add_parts(struct dev *d, const float *parts, int64_t n_parts, int64_t n, int64_t stride,
                      bool accumulate, float *out)
{
    struct sum s = {parts, n_parts, n, stride, accumulate, out};

    if (n_parts > 1 || accumulate || out != parts)
        dev_cpu_run(d, dev_cpu_div_up(n, RANGE), sum_range, &s);
}

/* dw [+]= the sum of the pieces' shares, or their columns.  Packed shares are added up packed, into
 * the first, and unpacked once: packing is a permutation with padding, so it may be done after the
 * sum. */
static void weights_by_library(struct conv2d_job *j, struct dev_conv2d *a, float *parts,
                               bool accumulate, float *dw)
{
    int64_t n = conv2d_weights(a), pieces = j->plan->pieces;
    float *unpacked = conv2d_take(a, n);

    j->dw = accumulate ? unpacked : dw;
    dev_cpu_run(j->dev, pieces, j->plan->by_columns ? library_columns : library_part, j);
    if (!j->plan->by_columns) {
        add_parts(j->dev, parts, pieces, j->out_floats, j->out_floats, false, parts);
        if (!dev_cpu_convolver()->unpack(&j->plan->conv, parts, j->dw))
            atomic_store(&j->refused, true);
    }
    if (atomic_load(&j->refused)) {
        dev_cpu_gemm_refused("oneDNN", "convolutions");
        dev_reference_conv2d_bwd_weights(
            j->dev, &(struct dev_conv2d_bwd_weights_args){
                        .of = *a, .dy = j->from, .accumulate = accumulate, .dw = dw});
    } else if (accumulate) {
        add_parts(j->dev, unpacked, 1, n, n, true, dw);
    }
}

void DEV_CPU(dev_cpu_conv2d_weight_pieces)(struct conv2d_job *j, struct dev_conv2d *a,
                                           bool accumulate, float *dw)
{
    if (j->plan->way == CONV2D_LIBRARY) {
        weights_by_library(j, a, j->out, accumulate, dw);
        return;
    }
    dev_cpu_run(j->dev, j->plan->pieces, unfold_part, j);
    add_parts(j->dev, j->out, j->plan->pieces, conv2d_weights(a), j->out_floats, accumulate, dw);
}
