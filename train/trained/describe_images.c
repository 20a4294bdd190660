/*
 * train/trained/describe_images.c - see the header.
 */
#include "train/trained/describe_images.h"

#include <inttypes.h>

#include "augment/codec.h"
#include "base/alloc.h"
#include "base/file.h"
#include "base/json_writer.h"
#include "base/log.h"
#include "base/progress.h"
#include "base/signals.h"
#include "train/trained/new_images.h"

struct job {
    const struct tr_trained *t;
    struct dec_translator *d;
    const struct tr_describe_options *o;
    struct tr_describe_report *report;
    struct t2_out *out;
    struct aug_worker *worker;
    float *pixels;                /* (H, W, C) */
    struct dec_hypothesis *texts; /* (n_best) */
    int32_t n_best;
};

static enum t2_status look(struct job *j, const struct tr_new_image *image, uint64_t index,
                           struct t2_err *err)
{
    const struct in_image_name name = {.seed = j->t->state.seed, .index = index};
    struct in_image p = {.encoded = t2_buf_slice(&image->file)};

    T2_TRY(aug_probe(p.encoded.data, p.encoded.len_bytes, &p.info, err));
    return in_image_pixels(&j->t->data.images, &name, &p, j->worker, j->pixels, err);
}

static void write_json(struct job *j, const char *name, const struct dec_hypothesis *h)
{
    struct t2_buf line = {NULL, 0, 0};
    struct t2_json json;

    t2_json_init(&json, &line, 0);
    t2_json_object(&json);
    t2_json_kv_string(&json, "file", name);
    t2_json_kv_string(&json, "text", t2_buf_cstr(&h->text));
    t2_json_kv_double(&json, "score", h->score);
    t2_json_end_object(&json);
    t2_buf_push(&line, '\n');
    t2_out_write(j->out, line.data, line.len_bytes);
    t2_buf_release(&line);
}

static void write_texts(struct job *j, const char *name)
{
    for (int32_t k = 0; k < j->n_best; k++) {
        const struct dec_hypothesis *h = &j->texts[k];

        if (j->o->json) {
            write_json(j, name, h);
            continue;
        }
        t2_out_write(j->out, h->text.data, h->text.len_bytes);
        t2_out_puts(j->out, k + 1 < j->n_best ? "\t" : "\n");
    }
}

static void clear_texts(struct job *j)
{
    for (int32_t k = 0; k < j->n_best; k++) {
        t2_buf_release(&j->texts[k].text);
        j->texts[k] = (struct dec_hypothesis){.score = 0.0};
    }
}

static enum t2_status describe_one(struct job *j, const struct tr_new_image *image, uint64_t index,
                                   struct t2_err *err)
{
    struct t2_err refused = T2_ERR_INIT;
    enum t2_status st = look(j, image, index, &refused);

    if (st != T2_OK && aug_is_refusal(st)) {
        t2_warn("'%s': %s; left out", image->name, refused.message);
        j->report->n_bad++;
        return T2_OK;
    }
    if (st != T2_OK) {
        *err = refused;
        return t2_wrap(err, "'%s'", image->name);
    }
    st = dec_describe(j->d, j->pixels, j->texts, err);
    if (st == T2_OK)
        write_texts(j, image->name);
    clear_texts(j);
    j->report->n_images += st == T2_OK;
    return st;
}

static enum t2_status describe_all(struct job *j, struct tr_new_images *images, struct t2_err *err)
{
    struct tr_new_image image = {.truth = -1};
    enum t2_status st = T2_OK;

    for (uint64_t i = 0; st == T2_OK; i++) {
        st = t2_check_interrupt(err);
        if (st == T2_OK)
            st = tr_new_images_next(images, &image, err);
        if (st == T2_OK)
            st = describe_one(j, &image, i, err);
    }
    t2_buf_release(&image.file);
    return st == T2_EOF ? T2_OK : st;
}

static enum t2_status finish(struct job *j, struct t2_err *err)
{
    struct t2_out *out = j->out;

    if (j->report->n_images == 0)
        return t2_fail(err, T2_EFORMAT, "'%s': none of %" PRIu64 " images could be decoded",
                       j->o->from, j->report->n_bad);
    j->out = NULL;
    return t2_out_commit(out, err);
}

enum t2_status tr_describe_images(const struct tr_trained *t, struct dec_translator *d,
                                  const struct tr_describe_options *options,
                                  struct tr_describe_report *report, struct t2_err *err)
{
    const struct in_image_recipe *r = &t->data.images;
    struct job j = {.t = t,
                    .d = d,
                    .o = options,
                    .report = report,
                    .worker = aug_worker_new(),
                    .n_best = dec_n_best_of(d)};
    struct tr_new_images *images = NULL;
    double since = t2_now_s();
    enum t2_status st;

    *report = (struct tr_describe_report){0};
    j.pixels =
        t2_alloc((size_t) r->size * (size_t) r->size * (size_t) r->channels, sizeof *j.pixels);
    j.texts = t2_alloc((size_t) j.n_best, sizeof *j.texts);
    T2_GOTO(st, out, tr_new_images_open(options->from, &t->data, &images, err));
    T2_GOTO(st, out, t2_out_new(options->to, &j.out, err));
    T2_GOTO(st, out, describe_all(&j, images, err));
    st = finish(&j, err);
    report->seconds = t2_now_s() - since;
out:
    tr_new_images_close(images);
    t2_out_abort(j.out);
    t2_free(j.texts);
    t2_free(j.pixels);
    aug_worker_free(j.worker);
    return st;
}
