/*
 * train/trained/draw_images.c - see the header.
 */
#include "train/trained/draw_images.h"

#include <inttypes.h>
#include <string.h>

#include "augment/contact_sheet.h"
#include "augment/png.h"
#include "base/alloc.h"
#include "base/file.h"
#include "base/progress.h"
#include "base/str.h"
#include "train/decode/draw_id.h"
#include "train/models/pixel_sampler.h"

enum { SHEET_TILES = 256, SHEET_COLUMNS = 8, MOST_BATCH = 4096 };

struct drawing {
    const struct tr_trained *t;
    const struct tr_draw_options *o;
    struct mdl_pixel_sampler *sampler;
    struct aug_sheet *sheet;
    struct t2_progress progress;
    bool conditional;
    int64_t n_all, n_done;
    int32_t rows;
    int32_t *labels, *values; /* (rows), (rows, values of an image) */
    uint8_t *bytes;           /* of one image */
};

/* Images of a class come one behind the other. */
static int32_t label_of(const struct drawing *d, int64_t image)
{
    return d->conditional ? (int32_t) (image / d->o->n) : 0;
}

/* "cat-00003.png": a class's name without what a name of a file cannot have; owned by the caller.
 */
static char *file_name(const struct drawing *d, int64_t image)
{
    const char *class = tr_data_set_class(&d->t->data, label_of(d, image));
    struct t2_buf name = {0};

    if (!d->conditional)
        return t2_asprintf("%05" PRId64 ".png", image);
    if (!class)
        t2_buf_printf(&name, "%" PRId32, label_of(d, image));
    for (; class && *class; class ++)
        t2_buf_push(&name, strchr("/\\:*?\"<>| \t\n", *class) ? '_' : (uint8_t) * class);
    t2_buf_printf(&name, "-%05" PRId64 ".png", image % d->o->n);
    return t2_buf_detach(&name);
}

static enum t2_status write_file(const struct drawing *d, const struct aug_image *im, int64_t image,
                                 struct t2_err *err)
{
    struct t2_buf png = {0};
    char *name, *path;
    enum t2_status st;

    if (!d->o->to[0])
        return T2_OK;
    st = aug_png_encode(im, -1, &png, err);
    name = file_name(d, image);
    path = t2_path_join(d->o->to, name);
    if (st == T2_OK)
        st = t2_write_file(path, png.data, png.len_bytes, err);
    t2_free(path);
    t2_free(name);
    t2_buf_release(&png);
    return st;
}

static enum t2_status add_tile(const struct drawing *d, const struct aug_image *im, int64_t image,
                               struct t2_err *err)
{
    const char *class = d->conditional ? tr_data_set_class(&d->t->data, label_of(d, image)) : NULL;

    if (!d->sheet || aug_sheet_count(d->sheet) >= SHEET_TILES)
        return T2_OK;
    return aug_sheet_add(d->sheet, &(struct aug_tile){.image = im, .label = class}, err);
}

static void on_step(void *context)
{
    struct drawing *d = context;

    t2_progress_update(&d->progress, ++d->progress.done);
}

/* `rows` images from number first on, of which the last may be more than are wanted. */
static enum t2_status draw_batch(struct drawing *d, int64_t first, struct t2_err *err)
{
    const struct mdl_image *size = &d->t->data.problem.pixels;
    int64_t per_image = mdl_pixels_length(size);

    for (int32_t r = 0; r < d->rows; r++)
        d->labels[r] = label_of(d, first + r < d->n_all ? first + r : d->n_all - 1);
    T2_TRY(mdl_pixel_sampler_draw(d->sampler, d->labels, (uint64_t) first, d->values, on_step, d,
                                  err));
    for (int64_t r = 0; r < d->rows && first + r < d->n_all; r++) {
        struct aug_image im = aug_image_of(d->bytes, size->height, size->width, size->channels);

        for (int64_t i = 0; i < per_image; i++)
            d->bytes[i] = (uint8_t) d->values[r * per_image + i];
        T2_TRY(write_file(d, &im, first + r, err));
        T2_TRY(add_tile(d, &im, first + r, err));
        d->n_done++;
    }
    return T2_OK;
}

static enum t2_status open_sheet(struct drawing *d, struct t2_err *err)
{
    char *title = t2_asprintf("%s, step %" PRId64, d->t->state.problem, d->t->state.step);
    struct aug_sheet_settings settings = {.tile = 96,
                                          .columns = SHEET_COLUMNS,
                                          .label_lines = 1,
                                          .title = title};
    enum t2_status st = aug_sheet_new(&settings, &d->sheet, err);

    t2_free(title);
    return st;
}

static enum t2_status start(struct drawing *d, struct t2_err *err)
{
    const struct mdl_hparams *hp = mdl_hparams_of(d->t->m);
    struct mdl_pixel_draw how;
    struct dec_sampling s;
    size_t per_image = (size_t) mdl_pixels_length(&d->t->data.problem.pixels);
    int64_t n_classes = d->t->data.problem.inputs_vocab;

    T2_TRY(dec_sampling_of(hp, d->o->seed, &s, err));
    if (s.keep_top_k != -1 || s.keep_top_p != 1.0)
        return t2_fail(err, T2_EUNSUPPORTED,
                       "hparams sampling_keep_top_k and sampling_keep_top_p are for texts");
    d->conditional = mdl_reads_labels(d->t->m);
    if (d->o->n < 1 || (d->conditional && d->o->n > INT32_MAX / n_classes))
        return t2_fail(err, T2_EUSAGE, "%" PRId64 " images cannot be drawn", d->o->n);
    d->n_all = d->conditional ? d->o->n * n_classes : d->o->n;
    d->rows = d->o->batch_size < MOST_BATCH ? (int32_t) d->o->batch_size : MOST_BATCH;
    if (d->rows > d->n_all)
        d->rows = (int32_t) d->n_all;
    how = (struct mdl_pixel_draw){s.random, s.random ? s.temperature : 1.0, s.seed, d->rows};
    T2_TRY(mdl_pixel_sampler_new(d->t->m, &how, &d->sampler, err));
    d->labels = t2_alloc((size_t) d->rows, sizeof *d->labels);
    d->values = t2_alloc((size_t) d->rows * per_image, sizeof *d->values);
    d->bytes = t2_alloc(per_image, 1);
    if (d->o->to[0])
        T2_TRY(t2_make_dirs(d->o->to, err));
    return d->o->contact_sheet[0] ? open_sheet(d, err) : T2_OK;
}

static enum t2_status write_sheet(const struct drawing *d, struct t2_err *err)
{
    struct t2_buf png = {0};
    enum t2_status st;

    if (!d->sheet)
        return T2_OK;
    st = aug_sheet_png(d->sheet, &png, err);
    if (st == T2_OK)
        st = t2_write_file(d->o->contact_sheet, png.data, png.len_bytes, err);
    t2_buf_release(&png);
    return st;
}

enum t2_status tr_draw_images(const struct tr_trained *t, const struct tr_draw_options *options,
                              struct tr_draw_report *report, struct t2_err *err)
{
    struct drawing d = {.t = t, .o = options};
    double since = t2_now_s();
    enum t2_status st;

    *report = (struct tr_draw_report){0};
    T2_GOTO(st, out, start(&d, err));
    t2_progress_start(&d.progress, "drawing", "positions",
                      (uint64_t) ((d.n_all + d.rows - 1) / d.rows) *
                          (uint64_t) mdl_image_positions(t->m));
    for (int64_t first = 0; st == T2_OK && first < d.n_all; first += d.rows)
        st = draw_batch(&d, first, err);
    t2_progress_end(&d.progress);
    if (st == T2_OK)
        st = write_sheet(&d, err);
    report->n_images = (uint64_t) d.n_done;
    report->seconds = t2_now_s() - since;
out:
    mdl_pixel_sampler_free(d.sampler);
    aug_sheet_free(d.sheet);
    t2_free(d.labels);
    t2_free(d.values);
    t2_free(d.bytes);
    return st;
}
