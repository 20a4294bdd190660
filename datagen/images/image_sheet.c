/*
 * datagen/images/image_sheet.c - a page of images as a trainer will see them.
 */
#include "datagen/images/image_sheet.h"

#include <inttypes.h>
#include <string.h>

#include "augment/contact_sheet.h"
#include "base/alloc.h"
#include "base/file.h"
#include "base/signals.h"
#include "datagen/images/image_file.h"
#include "tfrecord/example.h"
#include "tfrecord/reader.h"

enum { COLUMNS = 6, LABEL_LINES = 2, TILE = 224 };

struct sheet {
    const struct aug_pipeline *pipeline;
    uint64_t seed, n;
    struct aug_sheet *page;
    struct aug_worker *worker;
    struct aug_image whole;
};

static const struct aug_pipeline *pipeline_of(const struct dg_sheet_spec *spec)
{
    return aug_pipeline_find(spec->pipeline[0] ? spec->pipeline : "resnet_train");
}

enum t2_status dg_sheet_check(const struct dg_sheet_spec *spec, struct t2_err *err)
{
    struct t2_buf names = {NULL, 0, 0};
    enum t2_status st;

    if (spec->n_images < 1 || spec->n_images > DG_MOST_SHEET_IMAGES)
        return t2_fail(err, T2_EUSAGE, "%" PRId64 " images on a page: must be 1 to %d",
                       spec->n_images, DG_MOST_SHEET_IMAGES);
    if (pipeline_of(spec))
        return T2_OK;
    for (size_t i = 0; aug_pipeline_at(i); i++)
        t2_buf_printf(&names, "%s%s", i ? ", " : "", aug_pipeline_at(i)->name);
    st = t2_fail(err, T2_EUSAGE, "there is no pipeline '%s': known are %s", spec->pipeline,
                 t2_buf_cstr(&names));
    t2_buf_release(&names);
    return st;
}

static enum t2_status begin(struct sheet *s, const struct dg_sheet_spec *spec, struct t2_err *err)
{
    struct aug_sheet_settings settings = {.tile = TILE,
                                          .columns = COLUMNS,
                                          .label_lines = LABEL_LINES};
    char *title;
    enum t2_status st;

    T2_TRY(dg_sheet_check(spec, err));
    s->pipeline = pipeline_of(spec);
    s->seed = spec->seed;
    title = t2_asprintf("%s: %s; seed %" PRIu64, s->pipeline->name, s->pipeline->help, s->seed);
    settings.title = title;
    st = aug_sheet_new(&settings, &s->page, err);
    t2_free(title);
    s->worker = aug_worker_new();
    return st;
}

/* Writes the file when st is T2_OK; releases everything. */
static enum t2_status end(struct sheet *s, const struct dg_sheet_spec *spec, enum t2_status st,
                          struct t2_err *err)
{
    struct t2_buf png = {NULL, 0, 0};
    struct t2_out *out = NULL;

    if (st == T2_OK)
        st = aug_sheet_png(s->page, &png, err);
    if (st == T2_OK)
        st = t2_out_new(spec->path, &out, err);
    if (st == T2_OK) {
        t2_out_write(out, png.data, png.len_bytes);
        st = t2_out_commit(out, err);
    }
    t2_buf_release(&png);
    aug_sheet_free(s->page);
    aug_worker_free(s->worker);
    aug_image_release(&s->whole);
    return st;
}

/* ---- an image ---- */

/* Of a label and a name a tile shows some dozens of letters; more would only cost time.  What is
 * refused, instead of two tiles. */
static enum t2_status add_refused(struct sheet *s, const char *label, const char *name,
                                  const char *why, struct t2_err *err)
{
    char *texts[2] = {t2_asprintf("%.500s\n%.500s", label, name), t2_asprintf("refused:\n%s", why)};
    enum t2_status st = T2_OK;

    for (int i = 0; i < 2 && st == T2_OK; i++)
        st = aug_sheet_add(s->page, &(struct aug_tile){.label = texts[i], .tone = AUG_TONE_WRONG},
                           err);
    t2_free(texts[0]);
    t2_free(texts[1]);
    return st;
}

static char *describe(const struct aug_pipeline *p, const struct aug_choices *c)
{
    bool cropped = c->window.width != c->file_width || c->window.height != c->file_height;
    struct t2_buf text = {NULL, 0, 0};

    t2_buf_puts(&text, p->training ? "training\n" : "evaluation\n");
    if (cropped)
        t2_buf_printf(&text, "%d x %d at %d, %d", c->window.width, c->window.height, c->window.x,
                      c->window.y);
    else
        t2_buf_puts(&text, "whole");
    if (c->crop_x || c->crop_y)
        t2_buf_printf(&text, ", from %d, %d on", c->crop_x, c->crop_y);
    if (c->flip)
        t2_buf_puts(&text, ", mirrored");
    for (int i = 0; i < c->n_augments; i++)
        t2_buf_printf(&text, ", %s", aug_augment_name(c->augments[i].op));
    return t2_buf_detach(&text);
}

/* Photographs that are much larger than their tile are decoded at an eighth, a quarter or half of
 * their size. */
static int32_t ratio_for(const struct aug_info *info)
{
    int32_t longer = info->width > info->height ? info->width : info->height, ratio = 8;

    while (ratio > 1 && (info->kind != AUG_JPEG || longer / ratio < 2 * TILE))
        ratio /= 2;
    return ratio;
}

static struct aug_window divided(const struct aug_window *w, int32_t ratio)
{
    return (struct aug_window){.x = w->x / ratio,
                               .y = w->y / ratio,
                               .width = (w->width + ratio - 1) / ratio,
                               .height = (w->height + ratio - 1) / ratio};
}

static enum t2_status add_both(struct sheet *s, const char *label, const char *name,
                               const struct aug_choices *c, int32_t ratio,
                               const struct aug_image *seen, struct t2_err *err)
{
    char *before =
        t2_asprintf("%.500s\n%.500s, %d x %d", label, name, c->file_width, c->file_height);
    struct aug_window box = divided(&c->window, ratio);
    char *after = describe(s->pipeline, c);
    bool cropped = c->window.width != c->file_width || c->window.height != c->file_height;
    enum t2_status st = aug_sheet_add(
        s->page,
        &(struct aug_tile){.image = &s->whole, .label = before, .box = cropped ? &box : NULL}, err);

    if (st == T2_OK)
        st = aug_sheet_add(s->page, &(struct aug_tile){.image = seen, .label = after}, err);
    t2_free(before);
    t2_free(after);
    return st;
}

static enum t2_status add(struct sheet *s, struct t2_slice file, const char *label,
                          const char *name, struct t2_err *err)
{
    struct aug_decode how = {.channels = 3};
    const struct aug_image *seen = NULL;
    struct t2_err why = T2_ERR_INIT;
    struct aug_choices c;
    struct aug_info info;
    struct t2_rng r;
    enum t2_status st;

    T2_TRY(t2_check_interrupt(err));
    aug_image_stream(&r, s->seed, 0, s->n++);
    st = aug_probe(file.data, file.len_bytes, &info, &why);
    if (st == T2_OK) {
        how.ratio = ratio_for(&info);
        st = aug_decode(file.data, file.len_bytes, &how, &s->whole, NULL, &why);
    }
    if (st == T2_OK) {
        aug_choose(s->pipeline, 0, &info, &r, &c);
        st = aug_pipeline_run(s->worker, s->pipeline, 0, file.data, file.len_bytes, &c, NULL, &seen,
                              &why);
    }
    if (st == T2_OK)
        return add_both(s, label, name, &c, how.ratio, seen, err);
    return aug_is_refusal(st) ? add_refused(s, label, name, why.message, err)
                              : t2_fail(err, st, "%s", why.message);
}

/* ---- lists ---- */

static enum t2_status add_listed(struct sheet *s, const struct dg_images *l,
                                 const struct dg_image *p, const struct dg_image_policy *policy,
                                 struct dg_image_scratch *scratch, struct t2_buf *file,
                                 struct t2_err *err)
{
    const char *label = l->labels.items[p->label], *name = t2_path_base(p->path);
    struct aug_admission a;
    struct t2_err why = T2_ERR_INIT;
    enum t2_status st;

    if (dg_image_load(p, file, &why) != T2_OK)
        return add_refused(s, label, name, why.message, err);
    T2_TRY(dg_image_admit(p->path, t2_buf_slice(file), policy, &scratch->pixels, &a, err));
    if (a.verdict == AUG_REFUSE || a.verdict == AUG_IGNORE)
        return add_refused(s, label, name, a.verdict == AUG_IGNORE ? "no image" : a.why, err);
    if (a.verdict == AUG_KEEP)
        return add(s, t2_buf_slice(file), label, name, err);
    t2_buf_clear(&scratch->jpeg);
    st = aug_reencode(file->data, file->len_bytes, &policy->admit, &scratch->pixels, &scratch->jpeg,
                      &why);
    if (st != T2_OK)
        return aug_is_refusal(st) ? add_refused(s, label, name, why.message, err)
                                  : t2_fail(err, st, "%s", why.message);
    return add(s, t2_buf_slice(&scratch->jpeg), label, name, err);
}

enum t2_status dg_sheet_of_list(const struct dg_images *l, const struct dg_image_policy *policy,
                                const struct dg_sheet_spec *spec, struct t2_err *err)
{
    struct dg_image_scratch scratch = {.jpeg = {NULL, 0, 0}};
    struct t2_buf file = {NULL, 0, 0};
    struct sheet s = {.n = 0};
    size_t n = (size_t) spec->n_images < l->n ? (size_t) spec->n_images : l->n;
    enum t2_status st =
        l->n ? begin(&s, spec, err) : t2_fail(err, T2_ENOTFOUND, "no images for a contact sheet");

    for (size_t i = 0; i < n && st == T2_OK; i++)
        st = add_listed(&s, l, &l->items[(uint64_t) l->n * i / n], policy, &scratch, &file, err);
    t2_buf_release(&file);
    dg_image_scratch_release(&scratch);
    return end(&s, spec, st, err);
}

/* ---- records ---- */

/* A feature of one value of this kind; NULL when there is none. */
static const struct tfr_view *one_value(const struct tfr_example *ex, const char *name,
                                        enum tfr_kind kind)
{
    const struct tfr_view *v = tfr_example_find(ex, name);

    return v && v->kind == kind && v->n == 1 ? v : NULL;
}

/* Text of one value, or NULL; owned by the caller. */
static char *text_value(const struct tfr_example *ex, const char *name)
{
    const struct tfr_view *v = one_value(ex, name, TFR_BYTES);
    struct t2_slice text;

    if (!v)
        return NULL;
    tfr_view_bytes(v, &text);
    return t2_asprintf("%.*s", (int) text.len_bytes, (const char *) text.data);
}

static char *label_of(const struct tfr_example *ex, const char *const *labels, size_t n_labels)
{
    const struct tfr_view *v = one_value(ex, "image/class/label", TFR_INT64);
    char *synset = text_value(ex, "image/class/synset");
    int64_t label = 0;

    if (v)
        tfr_view_ints(v, &label);
    if (v && labels && label >= 0 && (uint64_t) label < n_labels) {
        t2_free(synset);
        return t2_strdup(labels[label]);
    }
    if (synset)
        return synset;
    return v ? t2_asprintf("label %" PRId64, label) : t2_strdup("no label");
}

static enum t2_status add_record(struct sheet *s, const struct tfr_example *ex,
                                 const char *const *labels, size_t n_labels, uint64_t number,
                                 struct t2_err *err)
{
    const struct tfr_view *v = one_value(ex, "image/encoded", TFR_BYTES);
    struct t2_slice file;
    char *label, *name;
    enum t2_status st;

    if (!v)
        return t2_fail(err, T2_EFORMAT, "no bytes feature 'image/encoded': no records of images");
    tfr_view_bytes(v, &file);
    label = label_of(ex, labels, n_labels);
    name = text_value(ex, "image/filename");
    if (!name)
        name = t2_asprintf("record %" PRIu64, number);
    st = add(s, file, label, name, err);
    t2_free(name);
    t2_free(label);
    return st;
}

/* Up to n records from the begin of a file. */
static enum t2_status add_file(struct sheet *s, const char *path, size_t n,
                               const char *const *labels, size_t n_labels, struct t2_err *err)
{
    struct tfr_reader *r = NULL;
    struct tfr_example ex = {.n = 0};
    struct t2_slice record;
    enum t2_status st;

    T2_TRY(tfr_reader_new(path, &r, err));
    for (size_t i = 0; i < n; i++) {
        st = tfr_reader_next(r, &record, err);
        if (st == T2_OK) {
            st = tfr_example_parse(&ex, record, err);
            if (st == T2_OK)
                st = add_record(s, &ex, labels, n_labels, i, err);
            if (st != T2_OK)
                t2_wrap(err, "'%s': record %zu", path, i);
        }
        if (st != T2_OK)
            break;
    }
    tfr_example_release(&ex);
    tfr_reader_free(r);
    return st == T2_EOF ? T2_OK : st;
}

enum t2_status dg_sheet_of_records(const struct t2_strs *files, const char *const *labels,
                                   size_t n_labels, const struct dg_sheet_spec *spec,
                                   struct t2_err *err)
{
    struct sheet s = {.n = 0};
    uint64_t n = (uint64_t) spec->n_images;
    enum t2_status st = begin(&s, spec, err);

    for (size_t i = 0; i < files->n && st == T2_OK; i++) /* so many in all, or less */
        st = add_file(&s, files->items[i], (size_t) (n * (i + 1) / files->n - n * i / files->n),
                      labels, n_labels, err);
    if (st == T2_OK && s.n == 0)
        st = t2_fail(err, T2_ENOTFOUND, "no records for a page of images");
    return end(&s, spec, st, err);
}
