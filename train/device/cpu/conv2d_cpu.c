/*
 * train/device/cpu/conv2d_cpu.c - convolution of images: which way, and how the work is cut.
 *
 * Images x (B,H,W,C) and y (B,Ho,Wo,N), weights w (kh,kw,C,N); formula: struct dev_conv2d.  Ways:
 *   PRODUCT    a kernel of one pixel is a gemm of (pixels, C) and (C, N), tiled by gemm.c; with a
 *              stride the pixels that are read are gathered first
 *   LIBRARY    oneDNN (convolver.h) on some images at a time, one piece per call, direct or by
 *              Winograd's F(4x4,3x3), which takes 36 multiplications for 16 outputs instead of 144
 *   UNFOLD     without the library: pixels laid out for a gemm (conv2d_unfold.c)
 *   DEPTHWISE  loops over channels (conv2d_depthwise.c)
 * The way and the pieces depend on the shape and the pass alone.  y and dx of a piece are its own;
 * the gradient of w is a sum over fixed groups of images, added in their order: the same bits for
 * any number of threads.
 */
#include <stdatomic.h>

#include "train/device/cpu/conv2d_parts.h"
#include "train/device/cpu/convolver.h"
#include "train/device/cpu/gemm_lib.h"
#include "train/device/gemm_times.h"
#include "train/device/reference/reference_kernels.h"

enum way { PRODUCT, LIBRARY, UNFOLD, DEPTHWISE };

struct plan {
    enum way way;
    struct dev_cpu_conv conv; /* of one piece */
    int64_t pieces;
    int64_t pack_floats, work_floats; /* packed weights; the work of one thread */
};

static int64_t whole(int64_t floats)
{
    return dev_cpu_div_up(floats, DEV_LANES) * DEV_LANES;
}

/* ---- choosing ---- */

/* The largest divisor of n that is at most `most` (1 at least): pieces of one size have one
 * shape. */
static int64_t divisor_below(int64_t n, int64_t most)
{
    int64_t d = most < 1 ? 1 : most > n ? n : most;

    while (n % d != 0)
        d--;
    return d;
}

/* Images of a piece: enough pixels that the start of a call is nothing, but 8 pieces so that
 * threads have work; 4 where weights are many, as each piece reads all of them, or has a sum for
 * each. */
static int64_t images_of_piece(const struct dev_conv2d *a, enum dev_conv2d_pass pass)
{
    enum { PIXELS = 2048, MANY = 1 << 19 };
    int64_t pieces = conv2d_weights(a) > MANY ? 4 : 8, pixels = a->Ho * a->Wo;

    if (pass == DEV_CONV2D_WEIGHTS)
        return a->B / divisor_below(a->B, pieces);
    return divisor_below(a->B, a->B / pieces < PIXELS / pixels ? a->B / pieces : PIXELS / pixels);
}

/*
 * Images of a piece by Winograd; 0: not worth it.
 *
 * Winograd works on tiles of 4 x 4 outputs.  It pays where the transformation of weights, once per
 * piece, and the copies of x and y are a small part of the work: C N / (C + N), arithmetic per
 * number copied, is at least WORTH; a piece has a tile per WEIGHTS_PER_TILE weights; and the
 * outputs fill at least 70 % of the tiles.
 */
static int64_t images_of_winograd(const struct dev_conv2d *a, enum dev_conv2d_pass pass)
{
    enum { TILES = 128, WEIGHTS_PER_TILE = 512, WORTH = 24 };
    int64_t tiles = dev_cpu_div_up(a->Ho, 4) * dev_cpu_div_up(a->Wo, 4);
    int64_t wanted = dev_cpu_div_up(a->C * a->N, WEIGHTS_PER_TILE), images;

    if (a->kh != 3 || a->kw != 3 || a->stride != 1 || a->dilation != 1 ||
        a->C * a->N < WORTH * (a->C + a->N) || a->top > 1 || a->left > 1 ||
        10 * a->Ho * a->Wo < 7 * 16 * tiles)
        return 0;
    wanted = wanted < TILES ? TILES : wanted;
    images = pass == DEV_CONV2D_WEIGHTS ? images_of_piece(a, pass) : 1;
    for (; images <= a->B; images++)
        if (a->B % images == 0 && images * tiles >= wanted)
            return images;
    return 0;
}

static bool is_matrix(const struct dev_conv2d *a)
{
    return a->kh == 1 && a->kw == 1 && a->stride == 1 && a->Ho == a->H && a->Wo == a->W;
}

/* A kernel of one pixel with a stride: a gemm of the pixels that are read.  oneDNN 2.6 is slow
 * here, and its AVX2 kernel writes behind its memory where channels do not fill its blocks. */
static bool is_gathered(const struct dev_conv2d *a)
{
    return a->kh == 1 && a->kw == 1 && a->stride > 1 && a->top == 0 && a->left == 0 &&
           (a->Ho - 1) * a->stride < a->H && (a->Wo - 1) * a->stride < a->W;
}

/* One gemm of all images is better than the library's convolutions of some where weights are many
 * and pixels few. */
static bool is_gemm(const struct dev_conv2d *a)
{
    enum { MANY = 1 << 20 };

    return is_gathered(a) || (is_matrix(a) && (!dev_cpu_convolver() || a->C * a->N >= MANY));
}

/* Fills the plan for calls of the library on pieces of `images`; false where the library has no
 * good code for that shape. */
static bool by_library(struct plan *p, const struct dev_conv2d *a, enum dev_conv2d_pass pass,
                       int64_t images, bool bf16, bool winograd)
{
    const struct dev_cpu_convolver *library = dev_cpu_convolver();

    if (!library || images == 0)
        return false;
    p->way = LIBRARY;
    p->conv = (struct dev_cpu_conv){.pass = pass,
                                    .B = images,
                                    .H = a->H,
                                    .W = a->W,
                                    .C = a->C,
                                    .kh = a->kh,
                                    .kw = a->kw,
                                    .Ho = a->Ho,
                                    .Wo = a->Wo,
                                    .N = a->N,
                                    .stride = a->stride,
                                    .dilation = a->dilation,
                                    .top = a->top,
                                    .left = a->left,
                                    .bf16 = bf16,
                                    .winograd = winograd};
    p->pieces = a->B / images;
    return library->can(&p->conv, &p->pack_floats, &p->work_floats);
}

static struct plan unfolding(const struct dev_conv2d *a, int64_t pieces)
{
    return (struct plan){.way = UNFOLD,
                         .pieces = pieces,
                         .work_floats = DEV_CPU(dev_cpu_conv2d_unfold_scratch)(a)};
}

/* In this order: depthwise loops; a gemm for kernels of one pixel; for a single image forward
 * (prediction) something that is cut by its rows, as there are no images to share out; direct
 * convolution with bfloat16 factors where asked for; Winograd; direct convolution; a gemm or
 * unfolding without the library. */
static struct plan plan_of(const struct dev *d, const struct dev_conv2d *a,
                           enum dev_conv2d_pass pass)
{
    bool bf16 = d->precision == DEV_BFLOAT16 && dev_cpu_gemm_lib()->fast_bf16;
    int64_t images = images_of_piece(a, pass);
    bool alone = a->B == 1 && pass == DEV_CONV2D_FORWARD;
    struct plan p = {.way = a->depthwise ? DEPTHWISE : PRODUCT};

    if (a->depthwise || is_gemm(a) || (alone && is_matrix(a)))
        return p;
    if (alone)
        return unfolding(a, 1);
    if ((bf16 && by_library(&p, a, pass, images, true, false)) ||
        by_library(&p, a, pass, images_of_winograd(a, pass), false, true) ||
        by_library(&p, a, pass, images, false, false))
        return p;
    if (is_matrix(a))
        return (struct plan){.way = PRODUCT};
    return unfolding(a, a->B / images);
}

/* The convolution as a gemm of unfolded x (pixels, kh*kw*C): y = cols w, dcols = dy w^T, dw =
 * cols^T dy.  Computed so only for kernels of one pixel; for the others it is what the profile
 * counts. */
static struct dev_gemm as_gemm(const struct dev_conv2d *a, enum dev_conv2d_pass pass)
{
    int64_t pixels = a->B * a->Ho * a->Wo, K = a->kh * a->kw * a->C, N = a->N;

    if (pass == DEV_CONV2D_FORWARD)
        return (struct dev_gemm){.M = pixels, .N = N, .K = K, .lda = K, .ldb = N, .ldc = N};
    if (pass == DEV_CONV2D_DATA)
        return (struct dev_gemm){
            .trans_b = true, .M = pixels, .N = K, .K = N, .lda = N, .ldb = N, .ldc = K};
    return (struct dev_gemm){
        .trans_a = true, .M = K, .N = N, .K = pixels, .lda = K, .ldb = N, .ldc = N};
}

/* Floats of x, of the pixels a strided kernel of one pixel reads, of y. */
static int64_t of_x(const struct dev_conv2d *a)
{
    return a->B * a->H * a->W * a->C;
}

static int64_t of_pixels(const struct dev_conv2d *a)
{
    return a->B * a->Ho * a->Wo * a->C;
}

static int64_t of_y(const struct dev_conv2d *a)
{
    return a->B * a->Ho * a->Wo * a->N;
}

/* Floats of one piece's share of the gradient of w, packed or (kh,kw,C,N), in whole vectors. */
static int64_t part_floats(const struct plan *p, const struct dev_conv2d *a)
{
    return whole(p->way == LIBRARY ? p->pack_floats : conv2d_weights(a));
}

/* Factors are rounded to bfloat16 beforehand, as floats, where the library cannot. */
static bool rounds(const struct dev *d, const struct plan *p)
{
    return d->precision == DEV_BFLOAT16 && !p->conv.bf16;
}

/*
 * What the kernels below take from the scratch memory, in their order:
 *   PRODUCT  the gathered pixels (B*Ho*Wo, C), and what the gemm needs
 *   others   both factors rounded to bfloat16, if they are; then packed weights, or for the
 *            gradient of w the share of every piece and room for the unpacked sum; then the work of
 *            each thread, for dx with room for a piece's result where it is added
 */
int64_t DEV_CPU(dev_cpu_conv2d_scratch)(const struct dev *d, const struct dev_conv2d *a,
                                        enum dev_conv2d_pass pass)
{
    struct plan p = plan_of(d, a, pass);
    struct dev_gemm g = as_gemm(a, pass);
    int64_t n = 0;

    if (p.way == DEPTHWISE)
        return 0;
    if (p.way == PRODUCT)
        return DEV_CPU(dev_cpu_gemm_scratch)(d, g.M, g.N, g.K) +
               (is_gathered(a) ? whole(of_pixels(a)) : 0);
    if (rounds(d, &p))
        n += pass == DEV_CONV2D_FORWARD ? whole(of_x(a)) + whole(conv2d_weights(a))
             : pass == DEV_CONV2D_DATA  ? whole(of_y(a)) + whole(conv2d_weights(a))
                                        : whole(of_y(a)) + whole(of_x(a));
    if (pass == DEV_CONV2D_WEIGHTS)
        return n + p.pieces * part_floats(&p, a) + whole(conv2d_weights(a)) +
               t2_pool_threads(d->pool) * p.work_floats;
    if (pass == DEV_CONV2D_DATA && p.way == LIBRARY) /* what is added to dx, of each thread */
        n += t2_pool_threads(d->pool) * whole(of_x(a) / p.pieces);
    return n + p.pack_floats + t2_pool_threads(d->pool) * p.work_floats;
}

/* ---- pieces ---- */

struct job {
    struct dev *dev;
    const struct dev_conv2d *a; /* with data; scratch is what is left of it */
    const struct plan *plan;
    const float *from, *other;
    int64_t from_floats, other_floats,
        out_floats; /* of a piece; other_floats 0: the same for all */
    float *out;
    bool accumulate;
    float *packed;
    atomic_bool refused; /* a part of the gradient of weights is missing */
};

static float *take(struct dev_conv2d *a, int64_t floats)
{
    float *p = a->scratch;

    a->scratch += whole(floats);
    return p;
}

static const float *rounded(struct dev *d, struct dev_conv2d *a, const float *x, int64_t rows,
                            int64_t cols)
{
    float *to = take(a, rows * cols);

    DEV_CPU(dev_cpu_to_rounded)(d, x, rows, cols, cols, to);
    return to;
}

/* x as a matrix of the pixels that are read (B*Ho*Wo, C): a copy with a stride, else x itself. */
static const float *gathered(struct dev *d, struct dev_conv2d *a)
{
    float *pixels;

    if (!is_gathered(a))
        return a->x;
    pixels = take(a, of_pixels(a));
    DEV_CPU(dev_cpu_conv2d_gather)(d, a, pixels);
    return pixels;
}

/* The library has no memory: plain loops for this piece of y or dx.  Other code gives other bits,
 * so a run says so once (dev_cpu_gemm_refused). */
static void plain_piece(const struct job *j, const float *from, float *out)
{
    /* what had to be rounded is, but by the library */
    struct dev plain = {.precision = j->plan->conv.bf16 ? DEV_BFLOAT16 : DEV_FLOAT32};
    struct dev_conv2d a = *j->a;

    dev_cpu_gemm_refused("oneDNN", "convolutions");
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

/* A piece of y or dx: conv.B images by one call.  The library replaces, so what is added to goes by
 * way of the thread's work memory. */
static void library_piece(void *arg, int64_t piece, int worker)
{
    const struct job *j = arg;
    const struct plan *p = j->plan;
    const float *from = j->from + piece * j->from_floats;
    bool add = j->accumulate;
    float *result = j->out + piece * j->out_floats;
    int64_t mine = p->work_floats + (add ? whole(j->out_floats) : 0);
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
    struct job *j = arg;

    if (!dev_cpu_convolver()->run(&j->plan->conv, j->from + piece * j->from_floats,
                                  j->other + piece * j->other_floats,
                                  j->out + piece * j->out_floats,
                                  j->a->scratch + worker * j->plan->work_floats))
        atomic_store(&j->refused, true);
}

/* The same by unfolding, as (kh,kw,C,N). */
static void unfold_part(void *arg, int64_t piece, int worker)
{
    const struct job *j = arg;
    int64_t images = j->a->B / j->plan->pieces;

    DEV_CPU(dev_cpu_conv2d_unfold_weights)
    (j->a, j->from, piece * images, images, j->out + piece * j->out_floats,
     j->a->scratch + worker * j->plan->work_floats);
}

/* w as the library likes it; NULL: it has no memory. */
static void pack(struct job *j, struct dev_conv2d *a)
{
    float *packed = take(a, j->plan->pack_floats);

    if (dev_cpu_convolver()->pack(&j->plan->conv, j->other, packed))
        j->packed = packed;
}

/* ---- the kernels ---- */

void DEV_CPU(dev_cpu_conv2d)(struct dev *d, const struct dev_conv2d_args *args)
{
    const struct dev_conv2d *a = &args->of;
    struct plan p = plan_of(d, a, DEV_CONV2D_FORWARD);
    struct dev_gemm g = as_gemm(a, DEV_CONV2D_FORWARD);
    struct dev_conv2d c = *a;
    struct job j = {.dev = d, .a = &c, .plan = &p, .out = args->y};

    if (p.way == DEPTHWISE) {
        DEV_CPU(dev_cpu_conv2d_depthwise)(d, &c, args->y);
        return;
    }
    if (p.way == PRODUCT) {
        g.A = gathered(d, &c);
        g.B = c.w;
        g.C = args->y;
        g.bias = c.bias;
        g.activation = c.activation;
        g.scratch = c.scratch;
        DEV_CPU(dev_cpu_gemm)(d, &g);
        return;
    }
    dev_gemm_begins(d);
    if (rounds(d, &p)) {
        c.x = rounded(d, &c, c.x, c.B * c.H, c.W * c.C);
        c.w = rounded(d, &c, c.w, c.kh * c.kw * c.C, c.N);
    }
    if (p.way == UNFOLD) {
        DEV_CPU(dev_cpu_conv2d_unfold)(d, &c, args->y);
    } else {
        j.from = c.x;
        j.other = c.w;
        j.from_floats = of_x(&c) / p.pieces;
        j.out_floats = of_y(&c) / p.pieces;
        pack(&j, &c);
        dev_cpu_run(d, p.pieces, library_piece, &j);
    }
    dev_gemm_ends(d, &g);
}

void DEV_CPU(dev_cpu_conv2d_bwd_data)(struct dev *d, const struct dev_conv2d_bwd_data_args *args)
{
    const struct dev_conv2d *a = &args->of;
    const float *dy = args->dy;
    struct plan p = plan_of(d, a, DEV_CONV2D_DATA);
    struct dev_gemm g = as_gemm(a, DEV_CONV2D_DATA);
    struct dev_conv2d c = *a;
    struct job j = {.dev = d, .a = &c, .plan = &p, .out = args->dx, .accumulate = args->accumulate};

    if (p.way == DEPTHWISE) {
        DEV_CPU(dev_cpu_conv2d_depthwise_data)(d, &c, dy, args->accumulate, args->dx);
        return;
    }
    if (p.way == PRODUCT) {
        bool some = is_gathered(a);

        g.A = dy;
        g.B = c.w;
        g.C = some ? take(&c, of_pixels(a)) : args->dx;
        g.accumulate = args->accumulate && !some;
        g.scratch = c.scratch;
        DEV_CPU(dev_cpu_gemm)(d, &g);
        if (some)
            DEV_CPU(dev_cpu_conv2d_scatter)(d, a, g.C, args->accumulate, args->dx);
        return;
    }
    dev_gemm_begins(d);
    if (rounds(d, &p)) {
        dy = rounded(d, &c, dy, c.B * c.Ho, c.Wo * c.N);
        c.w = rounded(d, &c, c.w, c.kh * c.kw * c.C, c.N);
    }
    if (p.way == UNFOLD) {
        DEV_CPU(dev_cpu_conv2d_unfold_data)(d, &c, dy, args->accumulate, args->dx);
    } else {
        j.from = dy;
        j.other = c.w;
        j.from_floats = of_y(&c) / p.pieces;
        j.out_floats = of_x(&c) / p.pieces;
        pack(&j, &c);
        dev_cpu_run(d, p.pieces, library_piece, &j);
    }
    dev_gemm_ends(d, &g);
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

/* dw [+]= the sum of the pieces' shares.  Packed shares are added up packed, into the first, and
 * unpacked once: packing is a permutation with padding, so it may be done after the sum. */
static void weights_by_library(struct job *j, struct dev_conv2d *a, float *parts, bool accumulate,
                               float *dw)
{
    int64_t n = conv2d_weights(a), pieces = j->plan->pieces;
    float *unpacked = take(a, n);

    dev_cpu_run(j->dev, pieces, library_part, j);
    add_parts(j->dev, parts, pieces, j->out_floats, j->out_floats, false, parts);
    if (atomic_load(&j->refused) ||
        !dev_cpu_convolver()->unpack(&j->plan->conv, parts, accumulate ? unpacked : dw)) {
        dev_cpu_gemm_refused("oneDNN", "convolutions");
        dev_reference_conv2d_bwd_weights(
            j->dev, &(struct dev_conv2d_bwd_weights_args){
                        .of = *a, .dy = j->from, .accumulate = accumulate, .dw = dw});
    } else if (accumulate) {
        add_parts(j->dev, unpacked, 1, n, n, true, dw);
    }
}

void DEV_CPU(dev_cpu_conv2d_bwd_weights)(struct dev *d,
                                         const struct dev_conv2d_bwd_weights_args *args)
{
    const struct dev_conv2d *a = &args->of;
    const float *dy = args->dy;
    struct plan p = plan_of(d, a, DEV_CONV2D_WEIGHTS);
    struct dev_gemm g = as_gemm(a, DEV_CONV2D_WEIGHTS);
    struct dev_conv2d c = *a;
    struct job j = {.dev = d, .a = &c, .plan = &p};

    if (p.way == DEPTHWISE) {
        DEV_CPU(dev_cpu_conv2d_depthwise_weights)(d, &c, dy, args->accumulate, args->dw);
        return;
    }
    if (p.way == PRODUCT) {
        g.A = gathered(d, &c);
        g.B = dy;
        g.C = args->dw;
        g.accumulate = args->accumulate;
        g.scratch = c.scratch;
        DEV_CPU(dev_cpu_gemm)(d, &g);
        return;
    }
    dev_gemm_begins(d);
    if (rounds(d, &p)) {
        dy = rounded(d, &c, dy, c.B * c.Ho, c.Wo * c.N);
        c.x = rounded(d, &c, c.x, c.B * c.H, c.W * c.C);
    }
    j.out_floats = part_floats(&p, &c);
    j.out = take(&c, p.pieces * j.out_floats);
    j.from = dy;
    j.other = c.x;
    j.from_floats = of_y(&c) / p.pieces;
    j.other_floats = of_x(&c) / p.pieces;
    if (p.way == LIBRARY) {
        weights_by_library(&j, &c, j.out, args->accumulate, args->dw);
    } else {
        dev_cpu_run(d, p.pieces, unfold_part, &j);
        add_parts(d, j.out, p.pieces, conv2d_weights(&c), j.out_floats, args->accumulate, args->dw);
    }
    dev_gemm_ends(d, &g);
}
