/*
 * augment/pipeline_run.c - the steps of a pipeline, on one image.
 *
 * A pipeline is a list of steps.  The first decodes the window; the others change the image, which
 * is bytes (a view of `file` or of one of two spares) or floats (a view of `floats`) and becomes
 * floats at the first step that needs them.  A step writes into the buffer that is not in use and
 * the two are exchanged, so that nothing is allocated after the largest image was seen.
 *
 *   aug_pipeline_run    all steps, one after the other, on the whole image
 *   aug_pipeline_store  the same floats, but when a resize is followed only by steps on single
 *                       values (struct aug_finish), each row goes from the resizer through these
 *                       into the batch while it is in the nearest cache: 1.12 to 1.27 times as fast
 *
 * Mirroring is postponed (to_flip): it commutes with steps on single values, and a resize does it
 * for free through its column indices.
 */
#include "augment/pipeline_parts.h"

#include <math.h>
#include <string.h>

#include "augment/colour.h"
#include "base/alloc.h"

struct aug_worker *aug_worker_new(void)
{
    struct aug_worker *w = t2_alloc(1, sizeof *w);

    w->resizer = aug_resizer_new();
    return w;
}

void aug_worker_free(struct aug_worker *w)
{
    if (!w)
        return;
    aug_image_release(&w->file);
    aug_image_release(&w->spare[0]);
    aug_image_release(&w->spare[1]);
    aug_image_release(&w->shown);
    aug_floats_release(&w->floats);
    aug_floats_release(&w->other);
    aug_resizer_free(w->resizer);
    t2_free(w->scan);
    t2_free(w);
}

/* ---- the image: bytes or floats, its owner changes from step to step ---- */

/* w->other has the next image. */
static void take_other(struct aug_worker *w)
{
    struct aug_floats f = w->floats;

    w->floats = w->other;
    w->other = f;
    w->view = w->floats;
    w->view.capacity_floats = 0;
    w->is_floats = true;
}

enum t2_status aug_run_to_floats(struct aug_worker *w, float scale, struct t2_err *err)
{
    if (w->is_floats)
        return T2_OK;
    T2_TRY(aug_to_floats(&w->bytes, scale, &w->other, err));
    take_other(w);
    return T2_OK;
}

/* The image is what spare i holds now. */
static void take_spare(struct aug_worker *w, int i)
{
    w->at = i;
    w->bytes = w->spare[i];
    w->bytes.capacity_bytes = 0;
}

/* Bytes without gaps that are not the file's. */
static enum t2_status own_bytes(struct aug_worker *w, struct t2_err *err)
{
    int to = w->at == 0 ? 1 : 0;

    if (w->at >= 0 && w->bytes.stride_bytes == (size_t) w->bytes.width * (size_t) w->bytes.channels)
        return T2_OK;
    T2_TRY(aug_image_copy(&w->bytes, &w->spare[to], err));
    take_spare(w, to);
    return T2_OK;
}

static void crop(struct aug_worker *w, struct aug_window v)
{
    if (w->is_floats)
        w->view = aug_floats_window(&w->view, v);
    else
        w->bytes = aug_image_window(&w->bytes, v);
}

/* ---- decoding ---- */

/* The window that is decoded.  TensorFlow's decode_and_crop_jpeg (fused) upsamples chroma within
 * the crop; decode, then crop has the neighbours' chroma at the border, for which one column more
 * on each side is decoded. */
static struct aug_window decoded_window(const struct aug_choices *c, bool fused)
{
    struct aug_window d = c->window;
    int32_t end = d.x + d.width + 1 < c->file_width ? d.x + d.width + 1 : c->file_width;

    if (!fused) {
        d.x = d.x > 0 ? d.x - 1 : 0;
        d.width = end - d.x;
    }
    return d;
}

enum t2_status aug_run_decode(struct aug_worker *w, const struct aug_pipeline *p,
                              const uint8_t *file, size_t len_bytes, const struct aug_choices *c,
                              struct t2_err *err)
{
    const struct aug_step *view = c->instead ? p->instead : p->view;
    struct aug_window d = decoded_window(c, view->fused), v = c->window;
    struct aug_decode how = {.channels = aug_pipeline_channels(p),
                             .kept = &w->scan,
                             .dct = p->accurate_dct ? AUG_DCT_ACCURATE : AUG_DCT_FAST};

    if (d.width != c->file_width || d.height != c->file_height) {
        how.window = &d;
        how.left_too = true;
        how.stop_after_window = p->training;
    }
    T2_TRY(aug_decode(file, len_bytes, &how, &w->file, NULL, err));
    v.x -= d.x - (w->file.width - d.width);
    v.y -= d.y;
    if ((!how.window && w->file.width != d.width) || w->file.height != d.height)
        return t2_fail(err, T2_EUSAGE, "choices for an image of %d x %d, but it is %d x %d",
                       c->file_width, c->file_height, w->file.width, w->file.height);
    w->bytes = aug_image_window(&w->file, v);
    w->at = -1;
    w->is_floats = w->unit = w->to_flip = false;
    return T2_OK;
}

/* ---- sizes ---- */

static void flip_floats(struct aug_worker *w)
{
    if (w->to_flip)
        aug_flip_floats(&w->view);
    w->to_flip = false;
}

static enum t2_status flip_now(struct aug_worker *w, struct t2_err *err)
{
    if (w->is_floats) {
        flip_floats(w);
    } else if (w->to_flip) {
        T2_TRY(own_bytes(w, err));
        aug_flip_bytes(&w->bytes);
        w->to_flip = false;
    }
    return T2_OK;
}

enum t2_status aug_run_mirrored(struct aug_worker *w, struct aug_resize *how, struct t2_err *err)
{
    how->mirrored = w->to_flip && aug_resize_gives_floats(how);
    if (!how->mirrored)
        return flip_now(w, err);
    w->to_flip = false;
    return T2_OK;
}

/*
 * The three kinds of resize: floats to floats, bytes to bytes (Pillow's and OpenCV's), bytes to
 * floats (TensorFlow's).
 */
static enum t2_status resize(struct aug_worker *w, struct aug_resize how, int32_t height,
                             int32_t width, struct t2_err *err)
{
    T2_TRY(aug_run_mirrored(w, &how, err));
    if (w->is_floats) {
        T2_TRY(aug_resize_floats(w->resizer, &how, &w->view, height, width, &w->other, err));
    } else if (!aug_resize_gives_floats(&how)) {
        int to = w->at == 0 ? 1 : 0;
        T2_TRY(aug_resize_bytes(w->resizer, &how, &w->bytes, height, width, &w->spare[to], err));
        take_spare(w, to);
        return T2_OK;
    } else {
        T2_TRY(aug_resize_to_floats(w->resizer, &how, &w->bytes, height, width, &w->other, err));
    }
    take_other(w);
    return T2_OK;
}

/* The longer side when the shorter becomes n, with each library's rounding. */
static int32_t scaled(int32_t side, int32_t least, int32_t n, enum aug_rounding rounding)
{
    if (rounding == AUG_ROUND_OFFICIAL) {
        float ratio = (float) n / (float) least;
        return (int32_t) ((float) side * ratio);
    }
    if (side == least)
        return n;
    if (rounding == AUG_ROUND_TORCH)
        return (int32_t) ((int64_t) n * side / least);
    return (int32_t) ((float) side / (float) least * (float) n);
}

static enum t2_status resize_short(struct aug_worker *w, const struct aug_step *s, int32_t n,
                                   struct t2_err *err)
{
    int32_t h = aug_run_height(w), v = aug_run_width(w), least = h < v ? h : v;
    int64_t longer = (int64_t) n * (h > v ? h : v) / least;

    if (longer > 1 << 24) /* the bytes of a strip one pixel wide would be beyond all memory */
        return t2_fail(err, T2_EFORMAT, "an image of %d x %d is too narrow to be scaled to %d", v,
                       h, n);
    return resize(w, s->how, scaled(h, least, n, s->rounding), scaled(v, least, n, s->rounding),
                  err);
}

/*
 * Where a centred crop of n begins; libraries round an odd rest differently (torchvision to even).
 */
static int32_t centred(int32_t size, int32_t n, enum aug_rounding rounding)
{
    int32_t room = size - n;

    if (rounding == AUG_ROUND_T2T)
        return (room + 1) / 2;
    return rounding == AUG_ROUND_TORCH ? (int32_t) nearbyint(room / 2.0) : room / 2;
}

static enum t2_status crop_to(struct aug_worker *w, int32_t y, int32_t x, int32_t n,
                              struct t2_err *err)
{
    if (y < 0 || x < 0 || y > aug_run_height(w) - n || x > aug_run_width(w) - n)
        return t2_fail(err, T2_EFORMAT, "no crop of %d x %d at (%d, %d) in an image of %d x %d", n,
                       n, x, y, aug_run_width(w), aug_run_height(w));
    crop(w, (struct aug_window){.x = x, .y = y, .width = n, .height = n});
    return T2_OK;
}

/* tf.image.resize_with_crop_or_pad, of floats */
static enum t2_status pad_to(struct aug_worker *w, int32_t n, struct t2_err *err)
{
    int32_t h = w->view.height, v = w->view.width, c = w->view.channels;
    int32_t rows = h < n ? h : n, columns = v < n ? v : n;
    struct aug_window in = {(v - columns) / 2, (h - rows) / 2, columns, rows};
    int32_t x = (n - columns) / 2, y = (n - rows) / 2;

    crop(w, in);
    T2_TRY(aug_floats_resize(&w->other, AUG_NHWC, n, n, c, err));
    memset(w->other.data, 0, (size_t) n * w->other.stride_floats * sizeof(float));
    for (int32_t i = 0; i < rows; i++)
        memcpy(aug_float_row(&w->other, 0, y + i) + (size_t) x * (size_t) c,
               aug_float_row(&w->view, 0, i), (size_t) columns * (size_t) c * sizeof(float));
    take_other(w);
    return T2_OK;
}

static enum t2_status run_size(struct aug_worker *w, const struct aug_step *s, int32_t n,
                               const struct aug_choices *c, struct t2_err *err)
{
    switch (s->kind) {
    case AUG_RESIZE:
        return resize(w, s->how, n, n, err);
    case AUG_RESIZE_SHORT:
        return resize_short(w, s, n, err);
    case AUG_CENTRE_CROP:
        return crop_to(w, centred(aug_run_height(w), n, s->rounding),
                       centred(aug_run_width(w), n, s->rounding), n, err);
    case AUG_RANDOM_CROP:
        return crop_to(w, c->crop_y, c->crop_x, n, err);
    default:
        return pad_to(w, n, err);
    }
}

/* ---- values ---- */

/* Inception's distort_color_fast: shifts of luma and both chromas, each of 0 ... 1, as one shift
 * per channel by the matrix of JFIF (YCbCr to RGB is linear). */
static void shift_colours(struct aug_floats *f, const float by[3])
{
    float br = by[0], cb = by[1], cr = by[2];
    float shift[3] = {1.402f * cr + br, (-0.344136f * cb - 0.714136f * cr) + br, 1.772f * cb + br};
    static const float ones[3] = {1, 1, 1};

    for (int i = 0; i < 3; i++)
        shift[i] = -shift[i];
    aug_normalize(f, shift, ones, false);
    aug_clip(f, 0, 1);
}

/*
 * The operations work on bytes, as the originals' do; floats are converted there and back. w->file
 * is free by now and serves as scratch.
 */
static enum t2_status augment(struct aug_worker *w, const struct aug_choices *c, struct t2_err *err)
{
    bool back = w->is_floats;

    if (c->n_augments == 0 && !back)
        return T2_OK;
    if (back) {
        T2_TRY(aug_to_bytes(&w->view, w->unit ? 255 : 1, &w->spare[0], err));
        take_spare(w, 0);
        w->is_floats = false;
    }
    T2_TRY(own_bytes(w, err));
    for (int i = 0; i < c->n_augments; i++)
        T2_TRY(aug_augment_apply(&c->augments[i], &w->bytes, &w->file, err));
    return back ? aug_run_to_floats(w, w->unit ? 1 / 255.0f : 1, err) : T2_OK;
}

static void truncate_values(struct aug_floats *f)
{
    for (int32_t y = 0; y < f->height; y++) {
        float *x = aug_float_row(f, 0, y);
        for (int32_t i = 0; i < f->width * f->channels; i++)
            x[i] = truncf(x[i]) + 0.0f; /* -0 is no integer */
    }
}

static enum t2_status run_value(struct aug_worker *w, const struct aug_step *s, int32_t n,
                                const struct aug_choices *c, struct t2_err *err)
{
    struct aug_floats *f = &w->view;

    switch (s->kind) {
    case AUG_BRIGHTEN:
        aug_brightness(f, c->brightness);
        break;
    case AUG_CONTRAST_BY:
        return aug_contrast(f, c->contrast, &w->other, err);
    case AUG_SATURATE:
        aug_saturation(f, c->saturation);
        break;
    case AUG_HUE_BY:
        aug_hue(f, c->hue);
        break;
    case AUG_SHIFT_COLOURS:
        shift_colours(f, c->shift);
        break;
    case AUG_CUT_OUT:
        aug_cutout_floats(f, c->cut_y, c->cut_x, n, s->a);
        break;
    case AUG_NORMALIZE:
    case AUG_NORMALIZE_DIV:
        aug_normalize(f, s->sub, s->mul, s->kind == AUG_NORMALIZE_DIV);
        break;
    case AUG_STANDARDIZE:
        aug_standardize(f);
        break;
    default:
        truncate_values(f);
        break;
    }
    return T2_OK;
}

/* ---- steps ---- */

static const float zeros[3] = {0, 0, 0}, most[3] = {255, 255, 255};

enum t2_status aug_run_step(struct aug_worker *w, const struct aug_step *s, int32_t size,
                            const struct aug_choices *c, struct t2_err *err)
{
    int32_t n = s->n > 0 ? s->n : size - s->n;

    if (!aug_step_is_per_value(s->kind) && s->kind != AUG_RESIZE && s->kind != AUG_RESIZE_SHORT)
        T2_TRY(flip_now(w, err));
    switch (s->kind) {
    case AUG_FLOATS:
        return aug_run_to_floats(w, 1, err);
    case AUG_UNIT:
        w->unit = true;
        return aug_run_to_floats(w, 1 / 255.0f, err);
    case AUG_UNIT_DIV:
        w->unit = true;
        T2_TRY(aug_run_to_floats(w, 1, err));
        aug_normalize(&w->view, zeros, most, true);
        return T2_OK;
    case AUG_RESIZE:
    case AUG_RESIZE_SHORT:
    case AUG_CENTRE_CROP:
    case AUG_RANDOM_CROP:
        return run_size(w, s, n, c, err);
    case AUG_FLIP:
        w->to_flip ^= c->flip;
        return T2_OK;
    case AUG_AUGMENT:
        return augment(w, c, err);
    default:
        T2_TRY(aug_run_to_floats(w, 1, err));
        return s->kind == AUG_PAD ? run_size(w, s, n, c, err) : run_value(w, s, s->n, c, err);
    }
}

static bool is_for_models(enum aug_step_kind k)
{
    return k == AUG_NORMALIZE || k == AUG_NORMALIZE_DIV || k == AUG_STANDARDIZE ||
           k == AUG_TRUNCATE;
}

int aug_run_steps(const struct aug_pipeline *p, const struct aug_choices *c,
                  const struct aug_step *steps[AUG_MAX_STEPS])
{
    const struct aug_step *view = c->instead ? p->instead : p->view;
    int n = 0;

    T2_ASSERT(view);
    for (const struct aug_step *s = view + 1; s->kind != AUG_END; s++)
        steps[n++] = s;
    for (const struct aug_step *s = p->rest; s->kind != AUG_END; s++)
        steps[n++] = s;
    T2_ASSERT(n <= AUG_MAX_STEPS);
    return n;
}

enum t2_status aug_pipeline_run(struct aug_worker *w, const struct aug_pipeline *p, int32_t size,
                                const uint8_t *file, size_t len_bytes, const struct aug_choices *c,
                                const struct aug_floats **floats, const struct aug_image **bytes,
                                struct t2_err *err)
{
    const struct aug_step *steps[AUG_MAX_STEPS];
    int n = aug_run_steps(p, c, steps);

    T2_ASSERT((!floats) != (!bytes));
    size = size > 0 ? size : p->size;
    T2_TRY(aug_run_decode(w, p, file, len_bytes, c, err));
    for (int i = 0; i < n; i++)
        if (floats || !is_for_models(steps[i]->kind))
            T2_TRY(aug_run_step(w, steps[i], size, c, err));
    T2_TRY(flip_now(w, err));
    if (floats) {
        T2_TRY(aug_run_to_floats(w, 1, err));
        *floats = &w->view;
    } else if (w->is_floats) {
        T2_TRY(aug_to_bytes(&w->view, w->unit ? 255.5f : 1, &w->shown, err));
        *bytes = &w->shown;
    } else {
        *bytes = &w->bytes;
    }
    return T2_OK;
}
