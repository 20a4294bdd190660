/*
 * test_resize_goldens.c - T2_DATA/goldens/images/resize: 6 images x 3 sizes by every operator of
 * TensorFlow 1 and 2, Pillow and OpenCV.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "augment/resize.h"
#include "tests/support/image_goldens.h"
#include "tests/support/t.h"

struct operator
{
    const char *name;
    struct aug_resize how;
    bool floats;   /* the source was given as floats */
    float largest; /* difference that is allowed, of a value */
};

#define TF1(m)                                                                                     \
    {                                                                                              \
        .convention = AUG_TF1, .method = (m)                                                       \
    }
#define TF1_ALIGN(m)                                                                               \
    {                                                                                              \
        .convention = AUG_TF1, .method = (m), .align_corners = true                                \
    }
#define TF2(m)                                                                                     \
    {                                                                                              \
        .convention = AUG_TF2, .method = (m)                                                       \
    }
#define TF2_ANTI(m)                                                                                \
    {                                                                                              \
        .convention = AUG_TF2, .method = (m), .antialias = true                                    \
    }
#define PIL(m)                                                                                     \
    {                                                                                              \
        .convention = AUG_PIL, .method = (m)                                                       \
    }
#define CV(m)                                                                                      \
    {                                                                                              \
        .convention = AUG_OPENCV, .method = (m)                                                    \
    }

static const struct operator tf1[] = {{"bilinear.legacy", TF1(AUG_BILINEAR), false, 0},
                                      {"bilinear.align_corners", TF1_ALIGN(AUG_BILINEAR), false, 0},
                                      {"nearest.legacy", TF1(AUG_NEAREST), false, 0},
                                      {"nearest.align_corners", TF1_ALIGN(AUG_NEAREST), false, 0},
                                      {"bicubic.legacy", TF1(AUG_BICUBIC), false, 0},
                                      {"bicubic.align_corners", TF1_ALIGN(AUG_BICUBIC), false, 0},
                                      {"area.legacy", TF1(AUG_AREA), false, 0},
                                      {"area.align_corners", TF1_ALIGN(AUG_AREA), false, 0},
                                      {NULL, TF1(AUG_NEAREST), false, 0}};
static const struct operator tf2[] = {{"bilinear.plain", TF2(AUG_BILINEAR), false, 0},
                                      {"bilinear.antialias", TF2_ANTI(AUG_BILINEAR), false, 0},
                                      {"nearest.plain", TF2(AUG_NEAREST), false, 0},
                                      {"bicubic.plain", TF2(AUG_BICUBIC), false, 0},
                                      {"bicubic.antialias", TF2_ANTI(AUG_BICUBIC), false, 0},
                                      {"area.plain", TF2(AUG_AREA), false, 0},
                                      {"lanczos3.plain", TF2(AUG_LANCZOS), false, 0},
                                      {"lanczos3.antialias", TF2_ANTI(AUG_LANCZOS), false, 0},
                                      {"lanczos5.plain", TF2(AUG_LANCZOS5), false, 0},
                                      {"lanczos5.antialias", TF2_ANTI(AUG_LANCZOS5), false, 0},
                                      {"gaussian.plain", TF2(AUG_GAUSSIAN), false, 0},
                                      {"gaussian.antialias", TF2_ANTI(AUG_GAUSSIAN), false, 0},
                                      {"mitchellcubic.plain", TF2(AUG_MITCHELL), false, 0},
                                      {"mitchellcubic.antialias", TF2_ANTI(AUG_MITCHELL), false, 0},
                                      {NULL, TF2(AUG_NEAREST), false, 0}};
static const struct operator pil[] = {
    {"nearest", PIL(AUG_NEAREST), false, 0},
    {"box", PIL(AUG_AREA), false, 0},
    {"bilinear", PIL(AUG_BILINEAR), false, 0},
    {"hamming", PIL(AUG_HAMMING), false, 0},
    {"bicubic", PIL(AUG_BICUBIC), false, 0},
    {"lanczos", PIL(AUG_LANCZOS), false, 0},
    {"bilinear.float", PIL(AUG_BILINEAR), true, 0},
    {"bicubic.float", PIL(AUG_BICUBIC), true, 0},
    {"bicubic.box_1.25_0.5",
     {.convention = AUG_PIL, .method = AUG_BICUBIC, .has_box = true},
     false,
     0},
    {NULL, PIL(AUG_NEAREST), false, 0}};
/* where a difference is allowed: docs/numerics.md */
static const struct operator opencv[] = {
    {"nearest", CV(AUG_NEAREST), false, 0},  {"nearest_exact", CV(AUG_NEAREST_EXACT), false, 0},
    {"linear", CV(AUG_BILINEAR), false, 0},  {"linear_exact", CV(AUG_LINEAR_EXACT), false, 0},
    {"area", CV(AUG_AREA), false, 0},        {"cubic", CV(AUG_BICUBIC), false, 1},
    {"lanczos4", CV(AUG_LANCZOS), false, 0}, {"linear.float", CV(AUG_BILINEAR), true, 0},
    {"area.float", CV(AUG_AREA), true, 0},   {"cubic.float", CV(AUG_BICUBIC), true, 1e-4f},
    {NULL, CV(AUG_NEAREST), false, 0}};

static const char *const images[] = {"edges", "leopard", "noise", "strip", "tench", "toucan"};

struct tally {
    int n, n_equal;
    double largest;
    size_t n_values, n_other;
};

static float value_at(const struct ckpt_tensor *t, size_t i)
{
    float f;

    if (t->type == CKPT_U8)
        return (float) ((const uint8_t *) t->data)[i];
    assert_int_equal(t->type, CKPT_F32);
    memcpy(&f, (const char *) t->data + 4 * i, sizeof f);
    return f;
}

/* Ours, as floats whatever the type. */
static void resize(struct aug_resizer *z, const struct operator* op, const struct aug_image *in,
                   const struct ckpt_tensor *want, struct aug_floats *out)
{
    struct aug_resize how = op->how;
    struct aug_floats source = {.data = NULL};
    struct t2_err err = T2_ERR_INIT;
    int32_t h = (int32_t) want->dims[0], w = (int32_t) want->dims[1];
    enum t2_status st;

    if (how.has_box) {
        how.box[0] = 1.25f;
        how.box[1] = in->height < 2 ? 0.0f : 0.5f;
        how.box[2] = (float) in->width - 2.5f;
        how.box[3] = (float) in->height;
    }
    if (op->floats) {
        assert_int_equal(aug_to_floats(in, 1, &source, &err), T2_OK);
        st = aug_resize_floats(z, &how, &source, h, w, out, &err);
    } else {
        st = aug_resize_to_floats(z, &how, in, h, w, out, &err);
    }
    if (st != T2_OK)
        fail_msg("%s: %s", op->name, err.message);
    aug_floats_release(&source);
}

static void check(const struct operator* op, const char *image, const struct ckpt_tensor *want,
                  const struct aug_floats *ours, struct tally *t)
{
    size_t n = (size_t) ours->width * (size_t) ours->height * (size_t) ours->channels, other = 0;
    double largest = 0;

    for (size_t i = 0; i < n; i++) {
        float w = value_at(want, i), o = ours->data[i];
        if (memcmp(&w, &o, sizeof w) == 0 || (isnan(w) && isnan(o)))
            continue;
        other++;
        largest = fabs((double) w - (double) o) > largest ? fabs((double) w - (double) o) : largest;
    }
    t->n++;
    t->n_equal += other == 0;
    t->n_values += n;
    t->n_other += other;
    t->largest = largest > t->largest ? largest : t->largest;
    if (largest > (double) op->largest)
        print_error("%s %s: %zu of %zu differ, by up to %g\n", image, want->name, other, n,
                    largest);
}

static void check_library(const char *library, const struct operator* ops)
{
    struct ckpt_file *inputs = t_golden_open("inputs.safetensors.gz");
    struct aug_resizer *z = aug_resizer_new();
    struct aug_floats ours = {.data = NULL};
    struct tally tallies[32] = {{0}};
    bool good = true;

    if (!inputs)
        t_skip("no goldens/images in T2_DATA");
    for (size_t p = 0; p < sizeof images / sizeof *images; p++) {
        struct aug_image in = t_golden_image(t_golden_find(inputs, images[p]));
        struct ckpt_file *goldens;
        char file[128];
        snprintf(file, sizeof file, "resize/%s.%s.safetensors.gz", images[p], library);
        goldens = t_golden_open(file);
        assert_non_null(goldens);
        for (size_t i = 0; i < ckpt_count(goldens); i++) {
            const struct ckpt_tensor *want = ckpt_at(goldens, i);
            size_t len = strcspn(want->name, "/"), k = 0;
            while (ops[k].name &&
                   (strlen(ops[k].name) != len || memcmp(ops[k].name, want->name, len) != 0))
                k++;
            if (!ops[k].name)
                fail_msg("no operator for %s", want->name);
            resize(z, &ops[k], &in, want, &ours);
            check(&ops[k], images[p], want, &ours, &tallies[k]);
        }
        ckpt_close(goldens);
    }
    for (size_t k = 0; ops[k].name; k++) {
        print_message("%-8s %-24s %2d of %2d equal, %zu of %zu values differ, by up to %g\n",
                      library, ops[k].name, tallies[k].n_equal, tallies[k].n, tallies[k].n_other,
                      tallies[k].n_values, tallies[k].largest);
        good = good && tallies[k].n > 0 && tallies[k].largest <= (double) ops[k].largest;
    }
    aug_floats_release(&ours);
    aug_resizer_free(z);
    ckpt_close(inputs);
    assert_true(good);
}

static void test_tf1(void **state)
{
    (void) state;
    check_library("tf1", tf1);
}

static void test_tf2(void **state)
{
    (void) state;
    check_library("tf2", tf2);
}

static void test_pil(void **state)
{
    (void) state;
    check_library("pil", pil);
}

static void test_opencv(void **state)
{
    (void) state;
    check_library("opencv", opencv);
}

T_MAIN(cmocka_unit_test(test_tf1), cmocka_unit_test(test_tf2), cmocka_unit_test(test_pil),
       cmocka_unit_test(test_opencv))
