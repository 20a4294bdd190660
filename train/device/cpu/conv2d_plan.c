/*
 * train/device/cpu/conv2d_plan.c - convolution of images: which way, and how the work is cut.
 *
 * Ways (enum conv2d_way):
 *   PRODUCT    a kernel of one pixel is a gemm of (pixels, C) and (C, N), tiled by gemm.c; with a
 *              stride the pixels that are read are gathered first
 *   LIBRARY    oneDNN (convolver.h) on some images at a time, one piece per call, direct or by
 *              Winograd's F(4x4,3x3), which takes 36 multiplications for 16 outputs instead of 144
 *   UNFOLD     without the library: pixels laid out for a gemm (conv2d_unfold.c)
 *   DEPTHWISE  loops over channels (conv2d_depthwise.c)
 * The way and the pieces depend on the shape and the pass alone.
 */
#include "train/device/cpu/conv2d_plan.h"

#include "train/device/cpu/gemm_lib.h"

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

/* One gemm of all images is better than the library's convolutions of some where weights are many
 * and pixels few, and with bfloat16 factors, whose convolutions want other layouts of images. */
static bool is_gemm(const struct dev_conv2d *a, bool bf16)
{
    enum { MANY = 1 << 20 };

    return conv2d_is_gathered(a) ||
           (is_matrix(a) && (bf16 || !dev_cpu_convolver() || a->C * a->N >= MANY));
}

/* Columns of a piece of the gradient of w; 0: pieces are images, each with a sum for every weight.
 * Where weights are more than what is read of x and dy, that costs more than the columns of dy that
 * are copied, and x that each piece reads. */
static int64_t columns_of_piece(const struct dev_conv2d *a)
{
    enum { LEAST = 64 }; /* four vectors of AVX-512 */
    int64_t columns = a->N / 8 > LEAST ? a->N / 8 : LEAST;

    if (a->N % columns != 0 || columns % 16 != 0 ||
        conv2d_weights(a) < conv2d_x_floats(a) + conv2d_y_floats(a))
        return 0;
    return columns;
}

/* Fills the plan for calls of the library on pieces of `images`, or for the gradient of w of some
 * columns; false where the library has no good code for that shape. */
static bool by_library(struct conv2d_plan *p, const struct dev_conv2d *a, enum dev_conv2d_pass pass,
                       int64_t images, bool bf16, bool winograd)
{
    const struct dev_cpu_convolver *library = dev_cpu_convolver();
    int64_t columns = pass == DEV_CONV2D_WEIGHTS && !winograd ? columns_of_piece(a) : 0;

    if (!library || images == 0)
        return false;
    p->way = CONV2D_LIBRARY;
    p->by_columns = columns > 0;
    p->conv = (struct dev_cpu_conv){.pass = pass,
                                    .B = columns > 0 ? a->B : images,
                                    .H = a->H,
                                    .W = a->W,
                                    .C = a->C,
                                    .kh = a->kh,
                                    .kw = a->kw,
                                    .Ho = a->Ho,
                                    .Wo = a->Wo,
                                    .N = columns > 0 ? columns : a->N,
                                    .row_of_w = a->N,
                                    .stride = a->stride,
                                    .dilation = a->dilation,
                                    .top = a->top,
                                    .left = a->left,
                                    .bf16 = bf16,
                                    .stored16 = bf16 && a->type == DEV_BFLOAT16,
                                    .winograd = winograd};
    p->pieces = columns > 0 ? a->N / columns : a->B / images;
    return library->can(&p->conv, &p->pack_floats, &p->work_floats);
}

static struct conv2d_plan unfolding(const struct dev_conv2d *a, int64_t pieces)
{
    return (struct conv2d_plan){.way = CONV2D_UNFOLD,
                                .pieces = pieces,
                                .work_floats = DEV_CPU(dev_cpu_conv2d_unfold_scratch)(a)};
}

/* In this order: depthwise loops; a gemm for kernels of one pixel; for a single image forward
 * (prediction) something that is cut by its rows, as there are no images to share out; direct
 * convolution with bfloat16 factors where asked for; Winograd; direct convolution; a gemm or
 * unfolding without the library. */
struct conv2d_plan DEV_CPU(dev_cpu_conv2d_plan)(const struct dev *d, const struct dev_conv2d *a,
                                                enum dev_conv2d_pass pass)
{
    bool bf16 = d->precision == DEV_BFLOAT16 && dev_cpu_gemm_lib()->fast_bf16;
    int64_t images = images_of_piece(a, pass);
    bool alone = a->B == 1 && pass == DEV_CONV2D_FORWARD;
    struct conv2d_plan p = {.way = a->depthwise ? CONV2D_DEPTHWISE : CONV2D_PRODUCT};

    if (a->depthwise || is_gemm(a, bf16) || (alone && is_matrix(a)))
        return p;
    if (alone)
        return unfolding(a, 1);
    if ((bf16 && by_library(&p, a, pass, images, true, false)) ||
        by_library(&p, a, pass, images_of_winograd(a, pass), false, true) ||
        by_library(&p, a, pass, images, false, false))
        return p;
    if (is_matrix(a))
        return (struct conv2d_plan){.way = CONV2D_PRODUCT};
    return unfolding(a, a->B / images);
}

struct dev_gemm DEV_CPU(dev_cpu_conv2d_as_gemm)(const struct dev_conv2d *a,
                                                enum dev_conv2d_pass pass)
{
    int64_t pixels = a->B * a->Ho * a->Wo, K = a->kh * a->kw * a->C, N = a->N;

    if (pass == DEV_CONV2D_FORWARD)
        return (struct dev_gemm){.M = pixels,
                                 .N = N,
                                 .K = K,
                                 .type_a = a->type,
                                 .type_c = a->type,
                                 .lda = K,
                                 .ldb = N,
                                 .ldc = N};
    if (pass == DEV_CONV2D_DATA)
        return (struct dev_gemm){.trans_b = true,
                                 .M = pixels,
                                 .N = K,
                                 .K = N,
                                 .type_a = a->type,
                                 .type_c = a->type,
                                 .lda = N,
                                 .ldb = N,
                                 .ldc = K};
    return (struct dev_gemm){.trans_a = true,
                             .M = K,
                             .N = N,
                             .K = pixels,
                             .type_a = a->type,
                             .type_b = a->type,
                             .lda = K,
                             .ldb = N,
                             .ldc = N};
}

/* ---- scratch memory ---- */

/*
 * What the kernels of conv2d_cpu.c take from the scratch memory, in their order:
 *   PRODUCT  the gathered pixels (B*Ho*Wo, C), and what the gemm needs
 *   others   images as floats, if they are not; then packed weights, or for the gradient of w the
 *            share of every piece and room for the unpacked sum; then the work of each thread, for
 *            dx with room for a piece's result where it is added
 */
int64_t DEV_CPU(dev_cpu_conv2d_scratch)(const struct dev *d, const struct dev_conv2d *a,
                                        enum dev_conv2d_pass pass)
{
    struct conv2d_plan p = DEV_CPU(dev_cpu_conv2d_plan)(d, a, pass);
    struct dev_gemm g = DEV_CPU(dev_cpu_conv2d_as_gemm)(a, pass);
    struct dev_conv2d as_floats = *a;
    int64_t n = 0, threads = t2_pool_threads(d->pool);

    if (p.way == CONV2D_DEPTHWISE)
        return threads * DEV_CPU(dev_cpu_conv2d_depthwise_scratch)(a, pass);
    if (p.way == CONV2D_PRODUCT && conv2d_is_gathered(a) && pass == DEV_CONV2D_DATA) {
        g.type_c = DEV_FLOAT32;
        return DEV_CPU(dev_cpu_gemm_scratch)(d, &g) + conv2d_whole(conv2d_pixel_floats(a));
    }
    if (p.way == CONV2D_PRODUCT)
        return DEV_CPU(dev_cpu_gemm_scratch)(d, &g) +
               (conv2d_is_gathered(a) ? conv2d_room(a->type, conv2d_pixel_floats(a)) : 0);
    if (conv2d_widens_all(&p, a)) {
        n += conv2d_whole(conv2d_x_floats(a)) + conv2d_whole(conv2d_y_floats(a));
        as_floats.type = DEV_FLOAT32;
        a = &as_floats;
    }
    n += threads * (conv2d_typed_floats(&p, a, pass) + conv2d_column_floats(&p, a));
    if (pass == DEV_CONV2D_WEIGHTS)
        return n + p.pieces * conv2d_part_floats(&p, a) + conv2d_whole(conv2d_weights(a)) +
               threads * p.work_floats;
    /* what is added to dx, of each thread */
    if (pass == DEV_CONV2D_DATA && p.way == CONV2D_LIBRARY)
        n += threads * conv2d_whole(conv2d_x_floats(a) / p.pieces);
    return n + p.pack_floats + threads * p.work_floats;
}
