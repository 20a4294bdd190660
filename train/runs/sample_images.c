/*
 * train/runs/sample_images.c - see the header.
 */
#include "train/runs/sample_images.h"

#include <inttypes.h>

#include "augment/contact_sheet.h"
#include "base/alloc.h"
#include "base/file.h"
#include "base/log.h"
#include "base/str.h"
#include "train/decode/draw_id.h"
#include "train/models/pixel_sampler.h"
#include "train/runs/summaries.h"

enum { MOST_IMAGES = 256, SHEET_COLUMNS = 8, SHEET_TILE = 96 };

static bool is_asked(const struct tr_run *r)
{
    return r->options.eval_samples > 0 && r->data.problem.pixels.height > 0;
}

static enum t2_status settle(const struct tr_run *r, struct mdl_pixel_draw *how, struct t2_err *err)
{
    struct dec_sampling s;

    T2_TRY(dec_sampling_of(r->hp, r->state.seed, &s, err));
    *how = (struct mdl_pixel_draw){s.random, s.random ? s.temperature : 1.0, s.seed,
                                   (int32_t) r->options.eval_samples};
    return T2_OK;
}

enum t2_status tr_check_sample_images(const struct tr_run *r, struct t2_err *err)
{
    struct mdl_pixel_draw how;

    if (!is_asked(r))
        return T2_OK;
    if (r->options.eval_samples > MOST_IMAGES)
        return t2_fail(err, T2_EUSAGE, "--eval_samples: a page has up to %d images",
                       (int) MOST_IMAGES);
    T2_TRY(settle(r, &how, err));
    if (mdl_pixel_sampler_check(r->model, err) != T2_OK)
        return t2_wrap(err, "--eval_samples");
    return T2_OK;
}

/* Of values (rows, height width channels). */
static enum t2_status make_page(const struct tr_run *r, const int32_t *values,
                                const int32_t *labels, struct aug_sheet *sheet, struct t2_err *err)
{
    const struct mdl_image *size = &r->data.problem.pixels;
    const int64_t n = mdl_pixels_length(size);
    uint8_t *bytes = t2_alloc((size_t) n, 1);
    enum t2_status st = T2_OK;

    for (int64_t i = 0; i < r->options.eval_samples && st == T2_OK; i++) {
        struct aug_image image = aug_image_of(bytes, size->height, size->width, size->channels);
        struct aug_tile tile = {.image = &image};

        for (int64_t k = 0; k < n; k++)
            bytes[k] = (uint8_t) values[i * n + k];
        if (mdl_reads_labels(r->model))
            tile.label = tr_data_set_class(&r->data, labels[i]);
        st = aug_sheet_add(sheet, &tile, err);
    }
    t2_free(bytes);
    return st;
}

static enum t2_status write_page(struct tr_run *r, struct aug_sheet *sheet, struct t2_err *err)
{
    char *name = t2_asprintf("samples-%" PRId64 ".png", r->state.step);
    char *path = t2_path_join(r->output_dir, name);
    struct t2_buf png = {0};
    int32_t height, width;
    enum t2_status st = aug_sheet_png(sheet, &png, err);

    if (st == T2_OK)
        st = t2_write_file(path, png.data, png.len_bytes, err);
    aug_sheet_size(sheet, &height, &width);
    if (st == T2_OK)
        st = tr_summaries_page(r->summaries, r, t2_buf_slice(&png), height, width, err);
    if (st == T2_OK)
        t2_info("step %" PRId64 "  images of the model: '%s'", r->state.step, path);
    t2_buf_release(&png);
    t2_free(path);
    t2_free(name);
    return st;
}

enum t2_status tr_sample_images(struct tr_run *r, struct t2_err *err)
{
    const size_t rows = (size_t) r->options.eval_samples;
    const int32_t n_classes = r->data.problem.inputs_vocab;
    struct aug_sheet_settings settings = {.tile = SHEET_TILE,
                                          .columns = SHEET_COLUMNS,
                                          .label_lines = 1};
    struct mdl_pixel_sampler *sampler = NULL;
    struct aug_sheet *sheet = NULL;
    int32_t *labels = NULL, *values = NULL;
    struct mdl_pixel_draw how;
    char *title;
    enum t2_status st;

    if (!is_asked(r))
        return T2_OK;
    T2_TRY(settle(r, &how, err));
    title = t2_asprintf("%s, step %" PRId64, r->state.problem, r->state.step);
    settings.title = title;
    labels = t2_alloc(rows, sizeof *labels);
    values = t2_alloc(rows * (size_t) mdl_pixels_length(&r->data.problem.pixels), sizeof *values);
    for (size_t i = 0; i < rows && n_classes > 0; i++)
        labels[i] = (int32_t) (i % (size_t) n_classes);
    T2_GOTO(st, out, mdl_pixel_sampler_new(r->model, &how, &sampler, err));
    T2_GOTO(st, out, mdl_pixel_sampler_draw(sampler, labels, 0, values, NULL, NULL, err));
    T2_GOTO(st, out, aug_sheet_new(&settings, &sheet, err));
    T2_GOTO(st, out, make_page(r, values, labels, sheet, err));
    st = write_page(r, sheet, err);
out:
    mdl_pixel_sampler_free(sampler);
    aug_sheet_free(sheet);
    t2_free(values);
    t2_free(labels);
    t2_free(title);
    return st;
}
