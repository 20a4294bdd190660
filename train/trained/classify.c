/*
 * train/trained/classify.c - batches of new images, read and classified (image_classifier.h), one
 * line per image in the order of the input.
 */
#include "train/trained/classify.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "augment/contact_sheet.h"
#include "augment/jpeg.h"
#include "augment/sniff.h"
#include "base/alloc.h"
#include "base/file.h"
#include "base/json_writer.h"
#include "base/log.h"
#include "base/progress.h"
#include "train/trained/image_classifier.h"
#include "train/trained/new_images.h"

enum { MOST_TOP = 5, SHEET_TILES = 96, JPEG_QUALITY = 95 };

/* One image of the batch that is being made. */
struct slot {
    char *name;
    int32_t truth;
    struct t2_buf file;
    uint64_t index;
};

struct line_writer {
    const struct tr_trained *t;
    const struct tr_classify_options *o;
    struct tr_classify_report *report;
    struct t2_out *out;
    struct aug_sheet *sheet;
    char *saved_dir; /* NULL: images are not saved */
    struct tr_classifier *classifier;
    int32_t batch_size, n_classes;
    struct slot *slots;           /* (batch_size) */
    struct tr_classified *images; /* (batch_size) */
    double *probabilities;        /* (batch_size, n_classes) */
    int32_t order[MOST_TOP];      /* classes of an image, the likeliest first */
    struct t2_buf line;
};

/* ---- one line ---- */

/* The likeliest classes of an image, by probabilities p; the first of equal ones first. */
static int32_t rank(struct line_writer *c, const double *p)
{
    int32_t n = c->n_classes, top = n < MOST_TOP ? n : MOST_TOP;

    for (int32_t k = 0; k < top; k++) {
        int32_t best = -1;

        for (int32_t i = 0; i < n; i++) {
            bool taken = false;

            for (int32_t j = 0; j < k; j++)
                taken = taken || c->order[j] == i;
            if (!taken && (best < 0 || p[i] > p[best]))
                best = i;
        }
        c->order[k] = best;
    }
    return top;
}

/* Borrowed. */
static const char *class_name(const struct line_writer *c, int32_t label, char *text, size_t n)
{
    return tr_class_name(&c->t->data, label, text, n);
}

static void put_class(const struct line_writer *c, struct t2_json *j, int32_t label,
                      const double *p)
{
    char number[24];

    t2_json_kv_string(j, "class", class_name(c, label, number, sizeof number));
    t2_json_kv_i64(j, "label", label);
    t2_json_key(j, "probability");
    t2_json_float9(j, p[label]);
}

static void write_json(struct line_writer *c, const struct slot *s, const double *p, int32_t top)
{
    struct t2_json j;
    char number[24];

    t2_buf_clear(&c->line);
    t2_json_init(&j, &c->line, 0);
    t2_json_object(&j);
    t2_json_kv_string(&j, "file", s->name);
    put_class(c, &j, c->order[0], p);
    if (s->truth >= 0)
        t2_json_kv_string(&j, "truth", class_name(c, s->truth, number, sizeof number));
    t2_json_key(&j, "top");
    t2_json_array(&j);
    for (int32_t k = 0; k < top; k++) {
        t2_json_object(&j);
        put_class(c, &j, c->order[k], p);
        t2_json_end_object(&j);
    }
    t2_json_end_array(&j);
    t2_json_end_object(&j);
    t2_buf_push(&c->line, '\n');
    t2_out_write(c->out, c->line.data, c->line.len_bytes);
}

static void write_text(struct line_writer *c, const struct slot *s, const double *p)
{
    char number[24];

    t2_buf_clear(&c->line);
    for (const char *at = s->name; *at != '\0'; at++)
        t2_buf_push(&c->line, *at == '\t' || *at == '\n' ? ' ' : (uint8_t) *at);
    t2_out_write(c->out, c->line.data, c->line.len_bytes);
    t2_out_printf(c->out, "\t%s\t%.4f\n", class_name(c, c->order[0], number, sizeof number),
                  p[c->order[0]]);
}

static enum t2_status add_tile(struct line_writer *c, const struct slot *s, const double *p,
                               struct t2_err *err)
{
    struct aug_decode how = {.channels = 3};
    struct aug_image image = {0};
    struct aug_tile tile = {.image = &image};
    char number[24], other[24], *label;
    enum t2_status st;

    if (!c->sheet || aug_sheet_count(c->sheet) >= SHEET_TILES)
        return T2_OK;
    T2_TRY(aug_decode(s->file.data, s->file.len_bytes, &how, &image, NULL, err));
    label =
        t2_asprintf("%s %.0f %%%s%s", class_name(c, c->order[0], number, sizeof number),
                    100 * p[c->order[0]], s->truth >= 0 && s->truth != c->order[0] ? "\nis " : "",
                    s->truth >= 0 && s->truth != c->order[0]
                        ? class_name(c, s->truth, other, sizeof other)
                        : "");
    tile.label = label;
    if (s->truth >= 0)
        tile.tone = s->truth == c->order[0] ? AUG_TONE_RIGHT : AUG_TONE_WRONG;
    st = aug_sheet_add(c->sheet, &tile, err);
    t2_free(label);
    aug_image_release(&image);
    return st;
}

/* ---- files ---- */

static enum t2_status to_jpeg(const struct slot *s, struct t2_buf *jpeg, struct t2_err *err)
{
    struct aug_decode how = {.channels = 3};
    struct aug_jpeg_settings settings = {.quality = JPEG_QUALITY};
    struct aug_image image = {0};
    enum t2_status st;

    T2_TRY(aug_decode(s->file.data, s->file.len_bytes, &how, &image, NULL, err));
    st = aug_jpeg_encode(&image, &settings, jpeg, err);
    aug_image_release(&image);
    return st;
}

static enum t2_status save_image(const struct line_writer *c, const struct slot *s,
                                 struct t2_err *err)
{
    struct t2_buf jpeg = {0};
    struct t2_slice bytes = t2_buf_slice(&s->file);
    enum t2_status st = T2_OK;
    char *path;

    if (!c->saved_dir)
        return T2_OK;
    path = t2_asprintf("%s/%s_prediction_%" PRIu64 ".jpg", c->saved_dir, c->t->state.problem,
                       s->index);
    if (aug_sniff(bytes.data, bytes.len_bytes) != AUG_JPEG) {
        st = to_jpeg(s, &jpeg, err);
        bytes = t2_buf_slice(&jpeg);
    }
    if (st == T2_OK)
        st = t2_write_file(path, bytes.data, bytes.len_bytes, err);
    t2_buf_release(&jpeg);
    t2_free(path);
    return st;
}

/* ---- batches ---- */

static enum t2_status write_one(struct line_writer *c, const struct slot *s, const double *p,
                                struct t2_err *err)
{
    int32_t top = rank(c, p);

    if (c->o->json)
        write_json(c, s, p, top);
    else
        write_text(c, s, p);
    T2_TRY(add_tile(c, s, p, err));
    T2_TRY(save_image(c, s, err));
    c->report->n_images++;
    c->report->n_known += s->truth >= 0;
    c->report->n_right += s->truth == c->order[0];
    return T2_OK;
}

/* A file that cannot be decoded is reported and left out. */
static enum t2_status run_batch(struct line_writer *c, int32_t n, struct t2_err *err)
{
    enum t2_status st;
    int32_t at;

    for (int32_t i = 0; i < n; i++)
        c->images[i] = (struct tr_classified){.file = t2_buf_slice(&c->slots[i].file),
                                              .index = c->slots[i].index,
                                              .probabilities = c->probabilities +
                                                               (size_t) i * (size_t) c->n_classes};
    st = tr_classifier_run(c->classifier, c->images, n, &at, err);
    if (st != T2_OK)
        return at < n ? t2_wrap(err, "'%s'", c->slots[at].name) : st;
    for (int32_t i = 0; i < n; i++) {
        if (c->images[i].refused.status == T2_OK) {
            T2_TRY(write_one(c, &c->slots[i], c->images[i].probabilities, err));
            continue;
        }
        t2_warn("'%s': %s; left out", c->slots[i].name, c->images[i].refused.message);
        c->report->n_bad++;
    }
    return T2_OK;
}

static enum t2_status run_all(struct line_writer *c, struct tr_new_images *images,
                              struct t2_err *err)
{
    enum t2_status st = T2_OK;
    uint64_t index = 0;

    while (st == T2_OK) {
        int32_t n = 0;

        for (; n < c->batch_size; n++) {
            struct slot *s = &c->slots[n];
            struct tr_new_image p = {.file = s->file};

            st = tr_new_images_next(images, &p, err);
            s->file = p.file;
            if (st != T2_OK)
                break;
            t2_free(s->name);
            s->name = t2_strdup(p.name);
            s->truth = p.truth;
            s->index = index++;
        }
        if (st != T2_OK && st != T2_EOF)
            return st;
        if (n > 0)
            T2_TRY(run_batch(c, n, err));
    }
    return T2_OK;
}

static enum t2_status make_sheet(struct line_writer *c, struct t2_err *err)
{
    struct aug_sheet_settings settings = {.tile = 128, .columns = 8, .label_lines = 2};
    char *title = t2_asprintf("%s, step %" PRId64, c->t->state.problem, c->t->state.step);
    enum t2_status st;

    settings.title = title;
    st = aug_sheet_new(&settings, &c->sheet, err);
    t2_free(title);
    return st;
}

static enum t2_status start(struct line_writer *c, struct t2_err *err)
{
    size_t n;

    T2_TRY(tr_classifier_new(c->t, c->o->batch_size, &c->classifier, err));
    c->batch_size = tr_classifier_batch(c->classifier);
    c->n_classes = tr_classifier_classes(c->classifier);
    n = (size_t) c->batch_size;
    c->slots = t2_alloc(n, sizeof *c->slots);
    c->images = t2_alloc(n, sizeof *c->images);
    c->probabilities = t2_alloc(n * (size_t) c->n_classes, sizeof *c->probabilities);
    if (c->o->save) {
        c->saved_dir = t2_asprintf("%s/decode_00000", c->t->dir);
        T2_TRY(t2_make_dirs(c->saved_dir, err));
    }
    if (c->o->contact_sheet[0] != '\0')
        T2_TRY(make_sheet(c, err));
    return t2_out_new(c->o->to, &c->out, err);
}

static void release(struct line_writer *c)
{
    for (int32_t i = 0; c->slots && i < c->batch_size; i++) {
        t2_free(c->slots[i].name);
        t2_buf_release(&c->slots[i].file);
    }
    t2_free(c->slots);
    t2_free(c->images);
    t2_free(c->probabilities);
    tr_classifier_free(c->classifier);
    t2_buf_release(&c->line);
    aug_sheet_free(c->sheet);
    t2_free(c->saved_dir);
    t2_out_abort(c->out);
}

static enum t2_status finish(struct line_writer *c, struct t2_err *err)
{
    struct t2_buf png = {0};
    struct t2_out *out = c->out;
    enum t2_status st;

    if (c->report->n_images == 0)
        return t2_fail(err, T2_EFORMAT, "'%s': none of %" PRIu64 " images could be decoded",
                       c->o->from, c->report->n_bad);
    c->out = NULL;
    T2_TRY(t2_out_commit(out, err));
    if (!c->sheet)
        return T2_OK;
    st = aug_sheet_png(c->sheet, &png, err);
    if (st == T2_OK)
        st = t2_write_file(c->o->contact_sheet, png.data, png.len_bytes, err);
    t2_buf_release(&png);
    return st;
}

enum t2_status tr_classify(const struct tr_trained *t, const struct tr_classify_options *options,
                           struct tr_classify_report *report, struct t2_err *err)
{
    struct line_writer c = {.t = t, .o = options, .report = report};
    struct tr_new_images *images = NULL;
    double since = t2_now_s();
    enum t2_status st;

    *report = (struct tr_classify_report){0};
    T2_GOTO(st, out, tr_new_images_open(options->from, &t->data, &images, err));
    T2_GOTO(st, out, start(&c, err));
    T2_GOTO(st, out, run_all(&c, images, err));
    st = finish(&c, err);
    report->seconds = t2_now_s() - since;
out:
    tr_new_images_close(images);
    release(&c);
    return st;
}
