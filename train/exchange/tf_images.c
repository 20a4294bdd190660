/*
 * train/exchange/tf_images.c - see the header.
 *
 * The loop is a While with a list of tensors; its state: the number of the image, how many there
 * are, the images so far, the strings.
 */
#include "train/exchange/tf_images.h"

#include <math.h>
#include <stdio.h>

#include "base/alloc.h"
#include "base/str.h"
#include "train/exchange/put_fields.h"

/* ---- the steps ---- */

/* An image on its way.  References are the function's. */
struct pixels {
    struct xch_tf_graph *g;
    int64_t channels;
    int n_nodes;
    char name[24];
    const char *image; /* (h,w,channels), bytes or floats */
    enum xch_tf_type type;
    const char *h, *w; /* int64 */
};

static const char *next_name(struct pixels *p)
{
    snprintf(p->name, sizeof p->name, "pixels_%d", p->n_nodes++);
    return p->name;
}

static const char *whole(struct pixels *p, int64_t v)
{
    return xch_tf_integers(p->g, next_name(p), 0, 1, &v);
}

static const char *real(struct pixels *p, float v)
{
    return xch_tf_constant(p->g, next_name(p), XCH_TF_FLOAT, 0, NULL, &v, sizeof v);
}

/* One of each channel. */
static const char *reals(struct pixels *p, const float *v)
{
    return xch_tf_constant(p->g, next_name(p), XCH_TF_FLOAT, 1, &p->channels, v,
                           (size_t) p->channels * sizeof *v);
}

static const char *cast(struct pixels *p, const char *x, enum xch_tf_type from, enum xch_tf_type to)
{
    return from == to ? x : xch_tf_cast(p->g, next_name(p), x, from, to);
}

static const char *of_both(struct pixels *p, const char *op, enum xch_tf_type type, const char *a,
                           const char *b)
{
    return xch_tf_simple(p->g, op, next_name(p), "z", type, a, b);
}

static const char *floats_of(struct pixels *p, const char *x)
{
    return cast(p, x, XCH_TF_INT64, XCH_TF_FLOAT);
}

static const char *cut(struct pixels *p, const char *x)
{
    return cast(p, x, XCH_TF_FLOAT, XCH_TF_INT64);
}

/* n int64 scalars as a list. */
static const char *list(struct pixels *p, int n, const char *const *items)
{
    struct t2_buf attrs = {0};

    xch_tf_int_attr(&attrs, "N", n);
    xch_tf_type_attr(&attrs, "T", XCH_TF_INT64);
    return xch_tf_node(p->g, "Pack", next_name(p), "output", &attrs, n, items);
}

/* (size - n + up) / 2, rounded down */
static const char *centred(struct pixels *p, const char *size, const char *n, int64_t up)
{
    const char *room = of_both(p, "Sub", XCH_TF_INT64, size, n);

    if (up > 0)
        room = of_both(p, "AddV2", XCH_TF_INT64, room, whole(p, up));
    return of_both(p, "FloorDiv", XCH_TF_INT64, room, whole(p, 2));
}

static const char *short_side(struct pixels *p)
{
    return floats_of(p, of_both(p, "Minimum", XCH_TF_INT64, p->h, p->w));
}

/* ---- decoding ---- */

static void put_decode(struct pixels *p, const char *op, const char *bytes, const char *window,
                       bool accurate)
{
    const char *const inputs[] = {bytes, window};
    struct t2_buf attrs = {0};

    xch_tf_int_attr(&attrs, "channels", p->channels);
    xch_tf_text_attr(&attrs, "dct_method", accurate ? "INTEGER_ACCURATE" : "INTEGER_FAST");
    p->image = xch_tf_node(p->g, op, next_name(p), "image", &attrs, window ? 2 : 1, inputs);
    p->type = XCH_TF_UINT8;
}

static void take_sizes(struct pixels *p, const char *shape)
{
    p->h = xch_tf_gather(p->g, next_name(p), XCH_TF_INT64, shape, whole(p, 0));
    p->w = xch_tf_gather(p->g, next_name(p), XCH_TF_INT64, shape, whole(p, 1));
}

/* A square in the centre, decoded alone. */
static void decode_centre(struct pixels *p, const struct aug_step *s, int32_t size,
                          const char *bytes, bool accurate)
{
    double wide = size + nearbyint(size * (1 / 0.875 - 1));
    const char *window[4], *side, *exact;
    struct t2_buf attrs = {0};

    xch_tf_type_attr(&attrs, "output_type", XCH_TF_INT64);
    take_sizes(p, xch_tf_node(p->g, "ExtractJpegShape", next_name(p), "image_shape", &attrs, 1,
                              &bytes));
    exact =
        of_both(p, "Mul", XCH_TF_FLOAT,
                real(p, s->kind == AUG_CENTRE_FLOOR ? s->a : (float) (size / wide)), short_side(p));
    side = cut(p, exact);
    for (int i = 0; i < 2; i++) {
        const char *all = i == 0 ? p->h : p->w;

        if (s->kind == AUG_CENTRE_FLOOR)
            window[i] = cut(p, of_both(p, "RealDiv", XCH_TF_FLOAT,
                                       of_both(p, "Sub", XCH_TF_FLOAT, floats_of(p, all), exact),
                                       real(p, 2)));
        else
            window[i] = centred(p, all, side, 1);
        window[2 + i] = side;
    }
    put_decode(p, "DecodeAndCropJpeg", bytes,
               cast(p, list(p, 4, window), XCH_TF_INT64, XCH_TF_INT32), accurate);
    p->h = p->w = side;
}

static void decode(struct pixels *p, const struct aug_step *s, int32_t size, const char *bytes,
                   bool accurate)
{
    if (s->kind == AUG_CENTRE_WINDOW || s->kind == AUG_CENTRE_FLOOR) {
        decode_centre(p, s, size, bytes, accurate);
        return;
    }
    put_decode(p, "DecodeJpeg", bytes, NULL, accurate);
    take_sizes(p, xch_tf_shape(p->g, next_name(p), XCH_TF_UINT8, p->image));
}

/* ---- sizes ---- */

static const char *const resize_ops[] = {
    [AUG_BILINEAR] = "ResizeBilinear", [AUG_BICUBIC] = "ResizeBicubic", [AUG_AREA] = "ResizeArea"};

static void resize(struct pixels *p, const struct aug_resize *how, const char *h, const char *w)
{
    static const int64_t first = 0;
    const char *inputs[2] = {p->image, whole(p, 0)};
    const char *const sides[] = {h, w};
    struct t2_buf attrs = {0};

    xch_tf_type_attr(&attrs, "T", p->type);
    xch_tf_type_attr(&attrs, "Tdim", XCH_TF_INT64);
    inputs[0] = xch_tf_node(p->g, "ExpandDims", next_name(p), "output", &attrs, 2, inputs);
    inputs[1] = cast(p, list(p, 2, sides), XCH_TF_INT64, XCH_TF_INT32);
    xch_tf_type_attr(&attrs, "T", p->type);
    xch_tf_bool_attr(&attrs, "align_corners", how->align_corners);
    if (how->method != AUG_AREA)
        xch_tf_bool_attr(&attrs, "half_pixel_centers", how->convention == AUG_TF2);
    inputs[0] = xch_tf_node(p->g, resize_ops[how->method], next_name(p), "resized_images", &attrs,
                            2, inputs);
    xch_tf_type_attr(&attrs, "T", XCH_TF_FLOAT);
    xch_tf_ints_attr(&attrs, "squeeze_dims", 1, &first);
    p->image = xch_tf_node(p->g, "Squeeze", next_name(p), "output", &attrs, 1, inputs);
    p->type = XCH_TF_FLOAT;
    p->h = h;
    p->w = w;
}

/* A side when the shorter one becomes n. */
static const char *scaled(struct pixels *p, const char *side, const char *least, int64_t n,
                          enum aug_rounding rounding)
{
    const char *x = floats_of(p, side), *size = real(p, (float) n);

    if (rounding == AUG_ROUND_OFFICIAL)
        return cut(p, of_both(p, "Mul", XCH_TF_FLOAT, x,
                              of_both(p, "RealDiv", XCH_TF_FLOAT, size, least)));
    return cut(p, of_both(p, "Mul", XCH_TF_FLOAT, of_both(p, "RealDiv", XCH_TF_FLOAT, x, least),
                          size));
}

static void resize_short(struct pixels *p, const struct aug_step *s, int64_t n)
{
    const char *least = short_side(p), *h = scaled(p, p->h, least, n, s->rounding);

    resize(p, &s->how, h, scaled(p, p->w, least, n, s->rounding));
}

static void crop_centre(struct pixels *p, const struct aug_step *s, int64_t n)
{
    const int64_t size[] = {n, n, p->channels};
    const char *side = whole(p, n), *begin[3];

    begin[0] = centred(p, p->h, side, s->rounding == AUG_ROUND_T2T);
    begin[1] = centred(p, p->w, side, s->rounding == AUG_ROUND_T2T);
    begin[2] = whole(p, 0);
    begin[0] = list(p, 3, begin);
    begin[1] = xch_tf_integers(p->g, next_name(p), 1, 3, size);
    p->image = xch_tf_slice(p->g, next_name(p), p->type, p->image, begin[0], begin[1]);
    p->h = p->w = side;
}

/* ---- values ---- */

static void to_floats(struct pixels *p)
{
    p->image = cast(p, p->image, p->type, XCH_TF_FLOAT);
    p->type = XCH_TF_FLOAT;
}

static void by(struct pixels *p, const char *op, const char *b)
{
    p->image = of_both(p, op, XCH_TF_FLOAT, p->image, b);
}

static const char *mean(struct pixels *p, const char *x)
{
    static const int64_t axes[] = {0, 1, 2};
    const char *const inputs[] = {x, xch_tf_integers(p->g, next_name(p), 1, 3, axes)};
    struct t2_buf attrs = {0};

    xch_tf_type_attr(&attrs, "T", XCH_TF_FLOAT);
    xch_tf_type_attr(&attrs, "Tidx", XCH_TF_INT64);
    return xch_tf_node(p->g, "Mean", next_name(p), "output", &attrs, 2, inputs);
}

/* tf.image.per_image_standardization */
static void standardize(struct pixels *p, int32_t size)
{
    float least = 1.0f / sqrtf((float) size * (float) size * (float) p->channels);
    const char *centre = mean(p, p->image), *deviation;

    by(p, "Sub", centre);
    deviation = mean(p, of_both(p, "Mul", XCH_TF_FLOAT, p->image, p->image));
    deviation = xch_tf_simple(p->g, "Sqrt", next_name(p), "y", XCH_TF_FLOAT, deviation, NULL);
    by(p, "RealDiv", of_both(p, "Maximum", XCH_TF_FLOAT, deviation, real(p, least)));
}

static void put_step(struct pixels *p, const struct aug_step *s, int32_t size)
{
    int64_t n = s->n > 0 ? s->n : size - s->n;

    switch (s->kind) {
    case AUG_RESIZE:
        n = s[1].kind == AUG_RANDOM_CROP ? size : n;
        resize(p, &s->how, whole(p, n), whole(p, n));
        break;
    case AUG_RESIZE_SHORT:
        resize_short(p, s, n);
        break;
    case AUG_CENTRE_CROP:
        crop_centre(p, s, n);
        break;
    case AUG_FLOATS:
        to_floats(p);
        break;
    case AUG_UNIT:
        to_floats(p);
        by(p, "Mul", real(p, 1.0f / 255));
        break;
    case AUG_UNIT_DIV:
        to_floats(p);
        by(p, "RealDiv", real(p, 255));
        break;
    case AUG_NORMALIZE:
    case AUG_NORMALIZE_DIV:
        to_floats(p);
        by(p, "Sub", reals(p, s->sub));
        by(p, s->kind == AUG_NORMALIZE ? "Mul" : "RealDiv", reals(p, s->mul));
        break;
    case AUG_STANDARDIZE:
        to_floats(p);
        standardize(p, size);
        break;
    default: /* xch_tf_can_decode: random */
        break;
    }
}

static bool can_resize(const struct aug_resize *how)
{
    return (how->convention == AUG_TF1 || how->convention == AUG_TF2) && !how->antialias &&
           (how->method == AUG_BILINEAR || how->method == AUG_BICUBIC || how->method == AUG_AREA);
}

static bool can_step(const struct aug_step *s, bool follows_resize)
{
    switch (s->kind) {
    case AUG_WHOLE:
    case AUG_WHOLE_GREY:
    case AUG_CENTRE_WINDOW:
    case AUG_CENTRE_FLOOR:
    case AUG_FLOATS:
    case AUG_UNIT:
    case AUG_UNIT_DIV:
    case AUG_NORMALIZE:
    case AUG_NORMALIZE_DIV:
    case AUG_STANDARDIZE:
    case AUG_FLIP:
    case AUG_BRIGHTEN:
    case AUG_CONTRAST_BY:
        return true;
    case AUG_RESIZE:
        return can_resize(&s->how);
    case AUG_RANDOM_CROP:
        return follows_resize;
    case AUG_RESIZE_SHORT:
        return can_resize(&s->how) && s->rounding != AUG_ROUND_TORCH;
    case AUG_CENTRE_CROP:
        return s->rounding != AUG_ROUND_TORCH;
    default:
        return false;
    }
}

bool xch_tf_can_decode(const struct aug_pipeline *p)
{
    for (const struct aug_step *s = p->view; s->kind != AUG_END; s++)
        if (!can_step(s, s > p->view && s[-1].kind == AUG_RESIZE))
            return false;
    for (const struct aug_step *s = p->rest; s->kind != AUG_END; s++)
        if (!can_step(s, false))
            return false;
    return true;
}

/* Floats (size,size,channels) of a file. */
static const char *put_image(struct xch_tf_graph *g, const struct aug_pipeline *pipeline,
                             int32_t size, const char *bytes)
{
    struct pixels p = {.g = g, .channels = aug_pipeline_channels(pipeline)};

    decode(&p, pipeline->view, size, bytes, pipeline->accurate_dct);
    for (const struct aug_step *s = pipeline->view + 1; s->kind != AUG_END; s++)
        put_step(&p, s, size);
    for (const struct aug_step *s = pipeline->rest; s->kind != AUG_END; s++)
        put_step(&p, s, size);
    to_floats(&p);
    return p.image;
}

/* ---- the loop ---- */

enum { AT, N, IMAGES, BYTES, N_STATES };
static const char *const names[] = {"at", "n", "images", "bytes"};
static const enum xch_tf_type types[] = {XCH_TF_INT64, XCH_TF_INT64, XCH_TF_VARIANT, XCH_TF_STRING};

static void put_arguments(struct t2_buf *op, uint32_t field, const char *end)
{
    for (int i = 0; i < N_STATES; i++) {
        char *name = t2_asprintf("%s%s", names[i], end);

        xch_tf_put_argument(op, field, name, types[i]);
        t2_free(name);
    }
}

static void put_condition(struct t2_buf *library)
{
    struct xch_tf_graph g = {.field = XCH_TF_FUNCTION_NODE, .in_function = true};
    struct t2_buf op = {0}, results = {0};

    xch_put_text(&op, XCH_TF_OP_NAME, "decode_goes_on");
    put_arguments(&op, XCH_TF_OP_INPUT, "");
    xch_tf_put_argument(&op, XCH_TF_OP_OUTPUT, "goes_on", XCH_TF_BOOL);
    xch_tf_put_result(&results, "goes_on",
                      xch_tf_simple(&g, "Less", "more", "z", XCH_TF_INT64, names[AT], names[N]));
    xch_tf_put_function(library, &op, &g, &results);
}

static void put_body(const struct aug_pipeline *p, int32_t size, struct t2_buf *library)
{
    static const int64_t one = 1;
    struct xch_tf_graph g = {.field = XCH_TF_FUNCTION_NODE, .in_function = true};
    struct t2_buf op = {0}, results = {0}, attrs = {0};
    const char *inputs[3], *bytes;

    xch_put_text(&op, XCH_TF_OP_NAME, "decode_one");
    put_arguments(&op, XCH_TF_OP_INPUT, "");
    put_arguments(&op, XCH_TF_OP_OUTPUT, "_next");
    bytes = xch_tf_gather(&g, "file", XCH_TF_STRING, names[BYTES], names[AT]);
    inputs[0] = names[IMAGES];
    inputs[1] = xch_tf_cast(&g, "place", names[AT], XCH_TF_INT64, XCH_TF_INT32);
    inputs[2] = put_image(&g, p, size, bytes);
    xch_tf_type_attr(&attrs, "element_dtype", XCH_TF_FLOAT);
    xch_tf_put_result(&results, "images_next",
                      xch_tf_node(&g, "TensorListSetItem", "set", "output_handle", &attrs, 3,
                                  inputs));
    xch_tf_put_result(&results, "at_next",
                      xch_tf_simple(&g, "AddV2", "at_more", "z", XCH_TF_INT64, names[AT],
                                    xch_tf_integers(&g, "one", 0, 1, &one)));
    xch_tf_put_result(&results, "n_next", names[N]);
    xch_tf_put_result(&results, "bytes_next", names[BYTES]);
    xch_tf_put_function(library, &op, &g, &results);
}

const char *xch_tf_decoded(struct xch_tf_graph *g, const struct aug_pipeline *p, int32_t size,
                           struct t2_buf *library)
{
    static const int64_t any[] = {-1}, zero = 0;
    const int64_t dims[] = {size, size, aug_pipeline_channels(p)}, three[] = {3};
    const int32_t shape[] = {size, size, aug_pipeline_channels(p)};
    const char *states[N_STATES], *inputs[2];
    struct t2_buf attrs = {0};

    put_condition(library);
    put_body(p, size, library);
    states[BYTES] = xch_tf_input(g, "image_bytes", XCH_TF_STRING, 1, any, NULL);
    states[AT] = xch_tf_integers(g, "decode/at", 0, 1, &zero);
    states[N] = xch_tf_size(g, "decode/n", XCH_TF_STRING, states[BYTES], 0);
    inputs[0] = xch_tf_integers(g, "decode/dims", 1, 3, dims);
    inputs[1] = xch_tf_cast(g, "decode/count", states[N], XCH_TF_INT64, XCH_TF_INT32);
    xch_tf_type_attr(&attrs, "element_dtype", XCH_TF_FLOAT);
    xch_tf_type_attr(&attrs, "shape_type", XCH_TF_INT64);
    states[IMAGES] =
        xch_tf_node(g, "TensorListReserve", "decode/images", "handle", &attrs, 2, inputs);
    xch_tf_types_attr(&attrs, "T", N_STATES, types);
    xch_tf_unknown_shapes_attr(&attrs, "output_shapes", N_STATES);
    xch_tf_function_attr(&attrs, "cond", "decode_goes_on");
    xch_tf_function_attr(&attrs, "body", "decode_one");
    (void) xch_tf_node(g, "StatelessWhile", "decode", "output", &attrs, N_STATES, states);
    inputs[0] = "decode:2";
    inputs[1] = xch_tf_constant(g, "decode/shape", XCH_TF_INT32, 1, three, shape, sizeof shape);
    xch_tf_type_attr(&attrs, "element_dtype", XCH_TF_FLOAT);
    xch_tf_int_attr(&attrs, "num_elements", -1);
    return xch_tf_node(g, "TensorListStack", "decoded", "tensor", &attrs, 2, inputs);
}
