/*
 * train/trained/classify.c - batches of new images through the model: read, decoded in parallel,
 * closed up where some could not be decoded, one forward pass, one line per image in the order of
 * the input.
 */
#include "train/trained/classify.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "augment/contact_sheet.h"
#include "base/alloc.h"
#include "base/file.h"
#include "base/json_writer.h"
#include "base/log.h"
#include "base/pool.h"
#include "base/progress.h"
#include "base/signals.h"
#include "train/trained/new_images.h"

enum { MOST_TOP = 5, SHEET_TILES = 96, MOST_BATCH = 1024 };

/* One image of the batch that is being made. */
struct slot {
    char *name;
    int32_t truth;
    struct t2_buf file;
    uint64_t index;
    bool good;
    struct t2_err err; /* when not */
};

struct classifier {
    const struct tr_trained *t;
    const struct tr_classify_options *o;
    struct tr_classify_report *report;
    struct t2_out *out;
    struct aug_sheet *sheet;
    struct aug_worker **workers; /* one a thread */
    int n_workers;
    int32_t batch_size, n_classes;
    size_t image_bytes; /* of an image, as it travels */
    struct slot *slots;
    /* In the device's host memory: images (batch_size, H, W, C), bytes or floats; (C, 256), NULL
     * with floats; (batch_size) zeros: a model wants labels, and these have no effect. */
    void *images;
    float *byte_values;
    int32_t *labels;
    float *logits;  /* (batch_size, n_classes) */
    int32_t *order; /* classes of an image, the likeliest first */
    double *probabilities;
    struct t2_buf line;
};

/* ---- pixels ---- */

static void *image_at(const struct classifier *c, int64_t i)
{
    return (char *) c->images + (size_t) i * c->image_bytes;
}

static enum t2_status decode(struct classifier *c, int64_t i, int worker, struct t2_err *err)
{
    struct slot *s = &c->slots[i];
    const struct in_image_recipe *r = &c->t->data.images;
    const struct in_image_name name = {.seed = c->t->state.seed, .index = s->index};
    struct in_image p = {.encoded = t2_buf_slice(&s->file)};
    void *to = image_at(c, i);

    T2_TRY(aug_probe(s->file.data, s->file.len_bytes, &p.info, err));
    return c->byte_values ? in_image_bytes(r, &name, &p, c->workers[worker], to, err)
                          : in_image_pixels(r, &name, &p, c->workers[worker], to, err);
}

static void decode_piece(void *arg, int64_t piece, int worker)
{
    struct classifier *c = arg;
    struct slot *s = &c->slots[piece];
    struct t2_err err = T2_ERR_INIT;

    s->good = decode(c, piece, worker, &err) == T2_OK;
    if (!s->good)
        s->err = err;
}

/* Moves images behind one that could not be decoded forward; returns the number that is left. */
static int32_t close_gaps(struct classifier *c, int32_t n)
{
    int32_t good = 0;

    for (int32_t i = 0; i < n; i++) {
        struct slot s = c->slots[i];

        if (!s.good) {
            t2_warn("'%s': %s; left out", s.name, s.err.message);
            c->report->n_bad++;
            continue;
        }
        if (good < i) {
            memcpy(image_at(c, good), image_at(c, i), c->image_bytes);
            c->slots[i] = c->slots[good];
            c->slots[good] = s;
        }
        good++;
    }
    return good;
}

/* ---- one line ---- */

/* Probabilities of an image, and its likeliest classes; the first of equal ones first. */
static int32_t rank(struct classifier *c, const float *logits)
{
    int32_t n = c->n_classes, top = n < MOST_TOP ? n : MOST_TOP;
    double most = (double) logits[0], sum = 0;

    for (int32_t i = 1; i < n; i++)
        most = fmax(most, (double) logits[i]);
    for (int32_t i = 0; i < n; i++)
        sum += c->probabilities[i] = exp((double) logits[i] - most);
    for (int32_t i = 0; i < n; i++)
        c->probabilities[i] /= sum;
    for (int32_t k = 0; k < top; k++) {
        int32_t best = -1;

        for (int32_t i = 0; i < n; i++) {
            bool taken = false;

            for (int32_t j = 0; j < k; j++)
                taken = taken || c->order[j] == i;
            if (!taken && (best < 0 || c->probabilities[i] > c->probabilities[best]))
                best = i;
        }
        c->order[k] = best;
    }
    return top;
}

/* Borrowed; of classes without names "ID_<label>". */
static const char *class_name(const struct classifier *c, int32_t label, char *number, size_t n)
{
    const char *name = tr_data_set_class(&c->t->data, label);

    if (!name)
        snprintf(number, n, "ID_%" PRId32, label);
    return name ? name : number;
}

static void put_class(const struct classifier *c, struct t2_json *j, int32_t label)
{
    char number[24];

    t2_json_kv_string(j, "class", class_name(c, label, number, sizeof number));
    t2_json_kv_i64(j, "label", label);
    t2_json_key(j, "probability");
    t2_json_float9(j, c->probabilities[label]);
}

static void write_json(struct classifier *c, const struct slot *s, int32_t top)
{
    struct t2_json j;
    char number[24];

    t2_buf_clear(&c->line);
    t2_json_init(&j, &c->line, 0);
    t2_json_object(&j);
    t2_json_kv_string(&j, "file", s->name);
    put_class(c, &j, c->order[0]);
    if (s->truth >= 0)
        t2_json_kv_string(&j, "truth", class_name(c, s->truth, number, sizeof number));
    t2_json_key(&j, "top");
    t2_json_array(&j);
    for (int32_t k = 0; k < top; k++) {
        t2_json_object(&j);
        put_class(c, &j, c->order[k]);
        t2_json_end_object(&j);
    }
    t2_json_end_array(&j);
    t2_json_end_object(&j);
    t2_buf_push(&c->line, '\n');
    t2_out_write(c->out, c->line.data, c->line.len_bytes);
}

static void write_text(struct classifier *c, const struct slot *s)
{
    char number[24];

    t2_buf_clear(&c->line);
    for (const char *at = s->name; *at != '\0'; at++)
        t2_buf_push(&c->line, *at == '\t' || *at == '\n' ? ' ' : (uint8_t) *at);
    t2_out_write(c->out, c->line.data, c->line.len_bytes);
    t2_out_printf(c->out, "\t%s\t%.4f\n", class_name(c, c->order[0], number, sizeof number),
                  c->probabilities[c->order[0]]);
}

static enum t2_status add_tile(struct classifier *c, const struct slot *s, struct t2_err *err)
{
    struct aug_decode how = {.channels = 3};
    struct aug_image image = {0};
    struct aug_tile tile = {.image = &image};
    char number[24], other[24], *label;
    enum t2_status st;

    if (!c->sheet || aug_sheet_count(c->sheet) >= SHEET_TILES)
        return T2_OK;
    T2_TRY(aug_decode(s->file.data, s->file.len_bytes, &how, &image, NULL, err));
    label = t2_asprintf("%s %.0f %%%s%s", class_name(c, c->order[0], number, sizeof number),
                        100 * c->probabilities[c->order[0]],
                        s->truth >= 0 && s->truth != c->order[0] ? "\nis " : "",
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

/* ---- batches ---- */

/* Images are decoded in parallel, each with an error of its own; a file that cannot be decoded is
 * reported and left out, no memory and Ctrl-C end the run. */
static enum t2_status run_batch(struct classifier *c, int32_t n, struct t2_err *err)
{
    const struct mdl_image *size = &c->t->data.problem.image;
    struct t2_pool *pool = dev_host_pool(c->t->dev);
    struct mdl_batch b;
    int32_t good;

    T2_TRY(t2_check_interrupt(err));
    if (pool)
        t2_pool_run(pool, n, decode_piece, c);
    for (int32_t i = 0; i < n && !pool; i++)
        decode_piece(c, i, 0);
    for (int32_t i = 0; i < n; i++) /* what is no verdict on the file: memory, Ctrl-C */
        if (!c->slots[i].good && !aug_is_refusal(c->slots[i].err.status))
            return t2_fail(err, c->slots[i].err.status, "'%s': %s", c->slots[i].name,
                           c->slots[i].err.message);
    good = close_gaps(c, n);
    if (good == 0)
        return T2_OK;
    b = (struct mdl_batch){.batch = good,
                           .targets_length = 1,
                           .targets = c->labels,
                           .height = size->height,
                           .width = size->width,
                           .channels = size->channels,
                           .images = c->byte_values ? NULL : c->images,
                           .image_bytes = c->byte_values ? c->images : NULL,
                           .byte_values = c->byte_values};
    T2_TRY(mdl_send(c->t->m, &b, err));
    T2_TRY(mdl_class_logits(c->t->m, &b, c->logits, err));
    for (int32_t i = 0; i < good; i++) {
        const struct slot *s = &c->slots[i];
        int32_t top = rank(c, c->logits + (size_t) i * (size_t) c->n_classes);

        if (c->o->json)
            write_json(c, s, top);
        else
            write_text(c, s);
        T2_TRY(add_tile(c, s, err));
        c->report->n_images++;
        c->report->n_known += s->truth >= 0;
        c->report->n_right += s->truth == c->order[0];
    }
    return T2_OK;
}

static enum t2_status run_all(struct classifier *c, struct tr_new_images *images,
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

static enum t2_status make_sheet(struct classifier *c, struct t2_err *err)
{
    struct aug_sheet_settings settings = {.tile = 128, .columns = 8, .label_lines = 2};
    char *title = t2_asprintf("%s, step %" PRId64, c->t->state.problem, c->t->state.step);
    enum t2_status st;

    settings.title = title;
    st = aug_sheet_new(&settings, &c->sheet, err);
    t2_free(title);
    return st;
}

/* Memory of a batch of n images. */
static enum t2_status take_batch(struct classifier *c, size_t n, bool bytes, struct t2_err *err)
{
    const struct in_image_recipe *r = &c->t->data.images;
    struct dev *dev = c->t->dev;

    c->images = dev->alloc_host(dev, n * c->image_bytes);
    c->labels = dev->alloc_host(dev, n * sizeof *c->labels);
    if (bytes)
        c->byte_values = dev->alloc_host(dev, (size_t) r->channels * 256 * sizeof(float));
    if (!c->images || !c->labels || (bytes && !c->byte_values))
        return t2_fail(err, T2_ENOMEM, "no memory for %zu images", n);
    return bytes ? in_image_byte_values(r, false, c->byte_values, err) : T2_OK;
}

static enum t2_status start(struct classifier *c, struct t2_err *err)
{
    const struct mdl_image *size = &c->t->data.problem.image;
    struct mdl_shape shape = {.targets_length = 1,
                              .height = size->height,
                              .width = size->width,
                              .channels = size->channels};
    size_t n;

    shape.image_bytes = in_image_has_bytes(&c->t->data.images, false);
    c->batch_size = c->o->batch_size < MOST_BATCH ? (int32_t) c->o->batch_size : MOST_BATCH;
    c->n_classes = c->t->data.problem.targets_vocab;
    c->image_bytes = (size_t) size->height * (size_t) size->width * (size_t) size->channels *
                     (shape.image_bytes ? 1 : sizeof(float));
    shape.batch = c->batch_size;
    T2_TRY(mdl_plan(c->t->m, &shape, 1, NULL, err));
    T2_TRY(mdl_reserve_sent(c->t->m, mdl_sent_bytes(c->t->m, &shape), err));
    n = (size_t) c->batch_size;
    T2_TRY(take_batch(c, n, shape.image_bytes, err));
    c->n_workers = dev_host_threads(c->t->dev);
    c->workers = t2_alloc((size_t) c->n_workers, sizeof *c->workers);
    for (int i = 0; i < c->n_workers; i++)
        c->workers[i] = aug_worker_new();
    c->slots = t2_alloc(n, sizeof *c->slots);
    c->logits = t2_alloc(n * (size_t) c->n_classes, sizeof *c->logits);
    c->order = t2_alloc(MOST_TOP, sizeof *c->order);
    c->probabilities = t2_alloc((size_t) c->n_classes, sizeof *c->probabilities);
    if (c->o->contact_sheet[0] != '\0')
        T2_TRY(make_sheet(c, err));
    return t2_out_new(c->o->to, &c->out, err);
}

static void release(struct classifier *c)
{
    struct dev *dev = c->t->dev;

    for (int i = 0; i < c->n_workers; i++)
        aug_worker_free(c->workers[i]);
    for (int32_t i = 0; c->slots && i < c->batch_size; i++) {
        t2_free(c->slots[i].name);
        t2_buf_release(&c->slots[i].file);
    }
    t2_free(c->workers);
    t2_free(c->slots);
    t2_free(c->logits);
    mdl_forget_sent(c->t->m);
    dev->free_host(dev, c->images);
    dev->free_host(dev, c->byte_values);
    dev->free_host(dev, c->labels);
    t2_free(c->order);
    t2_free(c->probabilities);
    t2_buf_release(&c->line);
    aug_sheet_free(c->sheet);
    t2_out_abort(c->out);
}

static enum t2_status finish(struct classifier *c, struct t2_err *err)
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
    struct classifier c = {.t = t, .o = options, .report = report};
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
