/*
 * test_pipeline_goldens.c - T2_DATA/goldens/images/pipelines: whole pipelines of the originals on
 * real images, random ones with the recorded choices.  Equal means the SHA-256 of the whole tensor.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "augment/pipelines.h"
#include "base/alloc.h"
#include "base/hash.h"
#include "base/json.h"
#include "tests/support/image_goldens.h"
#include "tests/support/t.h"

enum type { F32, U8, I64, BF16 };
static const struct row {
    const char *file, *golden, *pipeline;
    int32_t size;
    enum type type;
    bool small;     /* of cases "small" */
    double largest; /* difference allowed; 0: equal */
} rows[] = {{"tpu1", "tpu_resnet_eval_224", "resnet_eval", 224, F32, false, 0},
            {"tpu1", "tpu_resnet_eval_160", "resnet_eval", 160, F32, false, 0},
            {"tpu1", "tpu_resnet_eval_224_bf16", "resnet_eval", 224, BF16, false, 0},
            {"tpu1", "tpu_resnet_train_224", "resnet_train", 224, F32, false, 0},
            {"tpu1", "inception_eval_299", "inception_eval", 299, F32, false, 0},
            {"tpu1", "inception_eval_224", "inception_eval", 224, F32, false, 0},
            {"tpu1", "inception_train_224", "inception_train", 224, F32, false, 0},
            {"tpu1", "flowers_299", "flowers_train", 299, F32, false, 0},
            {"tpu1", "t2t_image_imagenet_eval", "t2t_imagenet_eval", 299, F32, false, 0},
            {"tpu1", "t2t_image_imagenet224_eval", "t2t_imagenet_eval", 224, F32, false, 0},
            {"tpu1", "t2t_image_imagenet224_no_normalization_eval", "t2t_imagenet_raw_eval", 224,
             F32, false, 0},
            {"tpu1", "t2t_image_imagenet224_train", "t2t_imagenet_train", 224, F32, false, 0},
            {"tpu1", "t2t_image_imagenet32_eval", "t2t_imagenet_small_eval", 32, I64, false, 0},
            {"tpu1", "t2t_image_imagenet64_eval", "t2t_imagenet_small_eval", 64, I64, false, 0},
            {"tpu1", "t2t_image_imagenet32_rev_eval", "t2t_area", 32, I64, false, 0},
            {"tpu1", "t2t_img2img_imagenet_inputs", "t2t_area", 8, I64, false, 0},
            {"tpu1", "t2t_img2img_imagenet_targets", "t2t_area", 32, I64, false, 0},
            {"tpu1", "decoded", "cifar_eval", 32, U8, true, 0},
            {"tpu1", "t2t_cifar_image_augmentation", "cifar_train", 32, U8, true, 0},
            {"tpu1", "t2t_image_cifar10_plain_gen_eval", "mnist_raw", 32, I64, true, 0},
            /* sums in another order */
            {"tpu1", "standardize_of_float", "cifar_eval", 32, F32, true, 3e-6},
            {"official", "official_cifar_eval", "cifar_eval", 32, F32, true, 3e-6},
            {"official", "official_resnet_eval_224", "official_eval", 224, F32, false, 0},
            {"official", "official_resnet_train_224", "official_train", 224, F32, false, 0},
            {"official", "official_classifier_eval_224", "classifier_eval_raw", 224, F32, false, 0},
            {"official", "official_classifier_eval_224_standardized", "classifier_eval", 224, F32,
             false, 0},
            {"torchvision", "torchvision_eval_224", "torchvision_eval", 224, F32, false, 0},
            {"torchvision", "torchvision_eval_224_u8", "torchvision_eval", 224, U8, false, 0},
            {"torchvision", "torchvision_train_crop_224_u8", "torchvision_train", 224, U8, false,
             0}};

static int64_t item(const struct t2_json_value *c, const char *key, size_t i)
{
    return t2_json_as_i64(t2_json_item(t2_json_get(c, key), i), 0);
}

/* The recorded choices instead of random ones. */
static void fix(const struct t2_json_value *c, struct aug_choices *to)
{
    const struct t2_json_value *window = t2_json_get(c, "window");

    to->flip = t2_json_as_bool(t2_json_get(c, "flip"), false);
    to->brightness = (float) t2_json_as_double(t2_json_get(c, "brightness"), 0);
    to->contrast = (float) t2_json_as_double(t2_json_get(c, "contrast"), 1);
    to->crop_y = (int32_t) item(c, "offset", 0);
    to->crop_x = (int32_t) item(c, "offset", 1);
    for (size_t i = 0; i < 3; i++)
        to->shift[i] = (float) t2_json_as_double(t2_json_item(t2_json_get(c, "br_cb_cr"), i), 0);
    if (t2_json_size(window) == 4 && to->window.width > 0)
        to->window = (struct aug_window){.y = (int32_t) item(c, "window", 0),
                                         .x = (int32_t) item(c, "window", 1),
                                         .height = (int32_t) item(c, "window", 2),
                                         .width = (int32_t) item(c, "window", 3)};
}

static size_t make(const struct row *row, const struct t2_json_value *c, const char *file, size_t n,
                   struct aug_worker *w, void **out)
{
    const struct aug_pipeline *p = aug_pipeline_find(row->pipeline);
    const struct aug_floats *f = NULL;
    const struct aug_image *im = NULL;
    struct t2_err err = T2_ERR_INIT;
    struct aug_choices choices;
    struct aug_info info;
    struct t2_rng r;
    size_t count;

    assert_non_null(p);
    assert_int_equal(aug_probe((const uint8_t *) file, n, &info, &err), T2_OK);
    aug_image_stream(&r, 1, 0, 0);
    aug_choose(p, row->size, &info, &r, &choices);
    if (p->training) {
        struct aug_window fixed = choices.window;
        fix(c, &choices);
        choices.instead = false;
        if (p->view->kind != AUG_RANDOM_WINDOW)
            choices.window = fixed;
    }
    if (aug_pipeline_run(w, p, row->size, (const uint8_t *) file, n, &choices,
                         row->type == U8 ? NULL : &f, row->type == U8 ? &im : NULL, &err) != T2_OK)
        fail_msg("%s: %s", row->golden, err.message);
    count = f ? (size_t) f->height * (size_t) f->width * 3
              : (size_t) im->height * (size_t) im->width * 3;
    *out = t2_alloc(count, 8);
    if (im) {
        for (int32_t y = 0; y < im->height; y++)
            memcpy((char *) *out + (size_t) y * (size_t) im->width * 3, aug_row(im, y),
                   (size_t) im->width * 3);
        return count;
    }
    aug_floats_store(f, AUG_NHWC, *out);
    if (row->type == I64)
        for (size_t i = count; i-- > 0;)
            ((int64_t *) *out)[i] = (int64_t) ((float *) *out)[i];
    if (row->type == BF16)
        for (size_t i = 0; i < count; i++) {
            uint32_t bits;
            memcpy(&bits, (float *) *out + i, sizeof bits);
            bits += 0x7fff + (bits >> 16 & 1); /* to nearest, halves to even */
            ((uint16_t *) *out)[i] = (uint16_t) (bits >> 16);
        }
    return count;
}

/* Against what is kept of the tensor. */
static double difference(const struct ckpt_tensor *t, const float *ours, size_t size)
{
    size_t step = size > 64 ? 7 : 1, h = (size_t) t->dims[0], v = (size_t) t->dims[1];
    double largest = 0;

    assert_int_equal(t->type, CKPT_F32);
    for (size_t i = 0; i < h * v * 3; i++) {
        size_t y = i / (v * 3), x = i / 3 % v;
        float want;
        memcpy(&want, (const char *) t->data + 4 * i, sizeof want);
        largest = fmax(largest, fabs((double) want -
                                     (double) ours[(y * step * size + x * step) * 3 + i % 3]));
    }
    return largest;
}

static bool check(const struct row *row, const char *name, const struct t2_json_value *c,
                  const struct t2_json_value *results, const struct ckpt_file *kept,
                  struct aug_worker *w)
{
    static const size_t width[] = {4, 1, 8, 2};
    char key[128], hex[T2_SHA256_HEX];
    const char *path = t_data_path(t2_json_as_string(t2_json_get(c, "file"), "")), *want;
    size_t n, count;
    void *ours;
    char *file;
    double largest = 0;

    assert_non_null(path);
    file = t_read_file(path, &n);
    snprintf(key, sizeof key, "%s/%s", row->golden, name);
    want = t2_json_as_string(t2_json_get(t2_json_get(results, key), "sha256"), "");
    assert_int_equal(strlen(want), 64);
    count = make(row, c, file, n, w, &ours);
    free(file);
    t2_sha256_of(ours, count * width[row->type], hex);
    if (strcmp(hex, want) != 0) {
        largest = row->type == F32 ? difference(t_golden_find(kept, key), ours, (size_t) row->size)
                                   : HUGE_VAL;
        if (row->largest > 0 && largest <= row->largest)
            print_message("%s: up to %g\n", key, largest);
        else
            print_error("%s: differs, by up to %g\n", key, largest);
    }
    t2_free(ours);
    return strcmp(hex, want) == 0 || (row->largest > 0 && largest <= row->largest);
}

static struct t2_json_doc *load(const char *name)
{
    char full[128];
    struct t2_json_doc *doc = NULL;
    struct t2_err err = T2_ERR_INIT;

    snprintf(full, sizeof full, "goldens/images/%s", name);
    if (!t_data_path(full))
        return NULL;
    if (t2_json_load(t_data_path(full), &doc, &err) != T2_OK)
        fail_msg("%s", err.message);
    return doc;
}

static void check_file(const char *name)
{
    struct t2_json_doc *cases = load("pipeline-cases.json"), *results;
    struct aug_worker *w = aug_worker_new();
    struct ckpt_file *kept;
    char file[64];
    int n = 0, n_good = 0;

    if (!cases)
        t_skip("no goldens/images in T2_DATA");
    snprintf(file, sizeof file, "pipelines/%s.json", name);
    results = load(file);
    snprintf(file, sizeof file, "pipelines/%s.safetensors.gz", name);
    kept = t_golden_open(file);
    for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
        const struct t2_json_value *set =
            t2_json_get(t2_json_root(cases), rows[k].small ? "small" : "photos");
        if (strcmp(rows[k].file, name) != 0)
            continue;
        for (size_t i = 0; i < t2_json_size(set); i++, n++) {
            const struct t2_json_value *c;
            const char *image = t2_json_member(set, i, &c);
            n_good +=
                check(&rows[k], image, c, t2_json_get(t2_json_root(results), "results"), kept, w);
        }
    }
    print_message("%s: %d of %d\n", name, n_good, n);
    aug_worker_free(w);
    ckpt_close(kept);
    t2_json_free(results);
    t2_json_free(cases);
    assert_true(n > 0 && n == n_good);
}

static void test_tpu1(void **state)
{
    (void) state;
    check_file("tpu1");
}

static void test_official(void **state)
{
    (void) state;
    check_file("official");
}

static void test_torchvision(void **state)
{
    (void) state;
    check_file("torchvision");
}

T_MAIN(cmocka_unit_test(test_tpu1), cmocka_unit_test(test_official),
       cmocka_unit_test(test_torchvision))
