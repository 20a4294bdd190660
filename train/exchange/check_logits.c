/*
 * train/exchange/check_logits.c - made-up examples, and what a model makes of them.
 */
#include "train/exchange/check_logits.h"

#include <math.h>

#include "base/alloc.h"
#include "train/ckpt/safetensors.h"

enum { ROWS = 4, LENGTH = 12, IMAGE_ROWS = 2 };

/* Ids that go through the vocabulary; EOS ends each row. */
static int32_t *made_up_ids(int32_t vocab, int32_t step)
{
    int32_t *ids = t2_alloc((size_t) ROWS * LENGTH, sizeof *ids);

    for (int32_t row = 0; row < ROWS; row++)
        for (int32_t i = 0; i < LENGTH - row; i++)
            ids[row * LENGTH + i] =
                i + 1 == LENGTH - row
                    ? 1
                    : 2 + (int32_t) (((int64_t) row * LENGTH + i + 1) * step % (vocab - 2));
    return ids;
}

/* Waves of a different length in each row, as large as normalised pixels. */
static float *made_up_images(const struct mdl_image *image)
{
    int64_t n = (int64_t) image->height * image->width * image->channels;
    float *x = t2_alloc((size_t) (IMAGE_ROWS * n), sizeof *x);

    for (int64_t row = 0; row < IMAGE_ROWS; row++)
        for (int64_t i = 0; i < n; i++)
            x[row * n + i] = 2.0f * sinf((float) (i % 7919) * 0.37f / (float) (row + 1));
    return x;
}

static enum t2_status run_images(struct mdl *m, struct xch_check *c, struct t2_err *err)
{
    int32_t labels[IMAGE_ROWS] = {0};
    struct mdl_batch batch = {.batch = IMAGE_ROWS,
                              .all_rows = IMAGE_ROWS,
                              .targets_length = 1,
                              .targets = labels,
                              .height = c->image.height,
                              .width = c->image.width,
                              .channels = c->image.channels};

    c->rows = IMAGE_ROWS;
    c->columns = mdl_problem_of(m)->targets_vocab;
    batch.images = c->images = made_up_images(&c->image);
    c->logits = t2_alloc((size_t) (c->rows * c->columns), sizeof *c->logits);
    return mdl_class_logits(m, &batch, c->logits, err);
}

static enum t2_status run_texts(struct mdl *m, struct xch_check *c, struct t2_err *err)
{
    const struct mdl_problem *p = mdl_problem_of(m);
    const struct mdl_hparams *hp = mdl_hparams_of(m);
    int64_t divisor = mdl_hp_has(hp, "vocab_divisor") ? mdl_hp_int(hp, "vocab_divisor") : 1;
    struct mdl_batch batch = {.batch = ROWS,
                              .all_rows = ROWS,
                              .inputs_length = p->has_inputs ? LENGTH : 0,
                              .targets_length = LENGTH};

    c->rows = ROWS;
    c->length = LENGTH;
    c->columns = (p->targets_vocab + divisor - 1) / divisor * divisor;
    if (p->has_inputs)
        batch.inputs = c->inputs = made_up_ids(p->inputs_vocab, 7919);
    batch.targets = c->targets = made_up_ids(p->targets_vocab, 104729);
    c->logits = t2_alloc((size_t) (c->rows * c->length * c->columns), sizeof *c->logits);
    return mdl_logits(m, &batch, c->logits, err);
}

enum t2_status xch_check_run(struct mdl *m, struct xch_check *c, struct t2_err *err)
{
    const struct mdl_problem *p = mdl_problem_of(m);
    enum t2_status st;

    *c = (struct xch_check){.image = p->image};
    if (p->class_labels && p->image.height > 0 && !p->table)
        st = run_images(m, c, err);
    else if (p->speech || p->sentences || p->class_labels || p->targets_vocab < 3 ||
             (p->has_inputs && p->inputs_vocab < 3))
        return t2_fail(err, T2_EUNSUPPORTED,
                       "--check is for models that write text, or classify images");
    else
        st = run_texts(m, c, err);
    if (st != T2_OK)
        xch_check_release(c);
    return st;
}

void xch_check_release(struct xch_check *c)
{
    t2_free(c->inputs);
    t2_free(c->targets);
    t2_free(c->images);
    t2_free(c->logits);
    *c = (struct xch_check){0};
}

enum t2_status xch_check_write(const struct xch_check *c, const char *path, struct t2_err *err)
{
    struct ckpt_tensor all[4], ids = {.type = CKPT_I32, .rank = 2, .dims = {c->rows, c->length}};
    size_t n = 0;

    ids.n_bytes = (size_t) (c->rows * c->length) * sizeof(int32_t);
    if (c->images) {
        all[n] = (struct ckpt_tensor){.name = "images",
                                      .rank = 4,
                                      .dims = {c->rows, c->image.height, c->image.width,
                                               c->image.channels},
                                      .data = c->images};
        all[n].n_bytes = sizeof(float);
        for (int i = 0; i < 4; i++)
            all[n].n_bytes *= (size_t) all[n].dims[i];
        n++;
    }
    if (c->inputs) {
        all[n] = ids;
        all[n].name = "inputs";
        all[n++].data = c->inputs;
    }
    if (c->targets) {
        all[n] = ids;
        all[n].name = "targets";
        all[n++].data = c->targets;
    }
    T2_ASSERT(n < sizeof all / sizeof *all);
    all[n] = (struct ckpt_tensor){.name = "logits",
                                  .rank = c->length ? 3 : 2,
                                  .dims = {c->rows, c->length ? c->length : c->columns, c->columns},
                                  .data = c->logits};
    all[n].n_bytes = (size_t) (c->rows * (c->length ? c->length : 1) * c->columns) * sizeof(float);
    return ckpt_write(path, all, n + 1, NULL, NULL, 0, NULL, err);
}

enum t2_status xch_check_compare(const struct xch_check *a, const struct xch_check *b,
                                 double *difference, double *largest, struct t2_err *err)
{
    int64_t n = a->rows * (a->length ? a->length : 1) * a->columns;

    if (a->rows != b->rows || a->length != b->length || a->columns != b->columns)
        return t2_fail(err, T2_EFORMAT,
                       "the model that is read back has other logits: %lld, not "
                       "%lld in a row",
                       (long long) b->columns, (long long) a->columns);
    *difference = *largest = 0.0;
    for (int64_t i = 0; i < n; i++) {
        *difference = fmax(*difference, fabs((double) a->logits[i] - (double) b->logits[i]));
        *largest = fmax(*largest, fabs((double) a->logits[i]));
    }
    return T2_OK;
}
