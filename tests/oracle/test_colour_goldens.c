/*
 * test_colour_goldens.c - T2_DATA/goldens/images/colour.*: colour operations of TensorFlow 1 and 2
 * on bytes and floats; and sampler.*: the first crops of two seeds and the distribution of 100,000.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "augment/colour.h"
#include "augment/crop_sample.h"
#include "base/json.h"
#include "tests/support/image_goldens.h"
#include "tests/support/t.h"

/* ---- colour ---- */

/* NULL when the operation is not one of ours here; *largest: difference allowed of floats. */
static bool apply(const char *op, bool bytes, struct aug_floats *f, double *largest)
{
    struct aug_floats scratch = {.data = NULL};
    struct t2_err err = T2_ERR_INIT;

    *largest = 0;
    if (strncmp(op, "brightness", 10) == 0) {
        aug_brightness(f, strtof(op + 10, NULL));
    } else if (strncmp(op, "contrast", 8) == 0) {
        assert_int_equal(aug_contrast(f, strtof(op + 8, NULL), &scratch, &err), T2_OK);
    } else if (strncmp(op, "saturation", 10) == 0) {
        *largest = 1e-6;
        aug_saturation(f, strtof(op + 10, NULL));
    } else if (strncmp(op, "hue", 3) == 0) {
        *largest = 1e-6;
        aug_hue(f, strtof(op + 3, NULL));
    } else if (strcmp(op, "flip_left_right") == 0) {
        aug_flip_floats(f);
    } else if (strcmp(op, "standardize") == 0 && !bytes) {
        *largest = 2e-6;
        aug_standardize(f);
    } else {
        return false;
    }
    aug_floats_release(&scratch);
    return true;
}

/* What has no operation here (cuts, turns and pads are compared elsewhere), or, of bytes, another
 * one in the original. */
static bool is_left_out(const char *op, bool bytes)
{
    static const char *const others[] = {"central_crop",
                                         "crop_or_pad",
                                         "crop_to_bounding_box",
                                         "pad_to_bounding_box",
                                         "flip_up_down",
                                         "grayscale",
                                         "f32_0_255",
                                         "u8"};

    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strncmp(op, others[i], strlen(others[i])) == 0)
            return true;
    return bytes && strcmp(op, "standardize") == 0;
}

static bool check_colour(const struct aug_image *in, const struct ckpt_tensor *want, const char *op,
                         bool bytes)
{
    struct aug_floats f = {.data = NULL};
    struct aug_image back = {.data = NULL};
    struct t2_err err = T2_ERR_INIT;
    size_t n = (size_t) in->width * (size_t) in->height * 3, other = 0;
    double most = 0, allowed;
    bool ours;

    assert_int_equal(aug_to_floats(in, 1 / 255.0f, &f, &err), T2_OK);
    ours = apply(op, bytes, &f, &allowed);
    if (ours) {
        if (bytes)
            assert_int_equal(aug_to_bytes(&f, 255.5f, &back, &err), T2_OK);
        for (size_t i = 0; i < n; i++) {
            float w = bytes ? (float) ((const uint8_t *) want->data)[i] : 0;
            float o = bytes ? (float) back.data[i] : f.data[i];
            if (!bytes)
                memcpy(&w, (const char *) want->data + 4 * i, sizeof w);
            other += w != o;
            most = fmax(most, fabs((double) w - (double) o));
        }
        if (most > (bytes ? 0 : allowed))
            fail_msg("%s: %zu of %zu differ, by up to %g", want->name, other, n, most);
    }
    aug_floats_release(&f);
    aug_image_release(&back);
    return ours;
}

static void check_colours(const char *file)
{
    struct ckpt_file *inputs = t_golden_open("inputs.safetensors.gz"), *goldens;
    int n = 0;

    if (!inputs)
        t_skip("no goldens/images in T2_DATA");
    goldens = t_golden_open(file);
    for (size_t i = 0; i < ckpt_count(goldens); i++) {
        const struct ckpt_tensor *t = ckpt_at(goldens, i), *in;
        char name[64];
        const char *kind = strchr(t->name, '/'), *op = kind ? strchr(kind + 1, '/') : NULL;
        if (!op)
            continue;
        snprintf(name, sizeof name, "%.*s", (int) (kind - t->name), t->name);
        in = t_golden_find(inputs, name);
        if (in) {
            struct aug_image im = t_golden_image(in);
            if (check_colour(&im, t, op + 1, kind[1] == 'u'))
                n++;
            else if (!is_left_out(op + 1, kind[1] == 'u'))
                fail_msg("%s: an operation that is not compared", t->name);
        } else if (strcmp(name, "standardize") != 0 && strcmp(name, "convert") != 0) {
            fail_msg("%s: of an image that is not there", t->name);
        }
    }
    ckpt_close(goldens);
    ckpt_close(inputs);
    assert_true(n > 0);
}

static void test_tf1(void **state)
{
    (void) state;
    check_colours("colour.tf1.safetensors.gz");
}

static void test_tf2(void **state)
{
    (void) state;
    check_colours("colour.tf2.safetensors.gz");
}

/* ---- crops ---- */

struct config {
    struct aug_crop_rule rule;
    struct aug_box box;
    int32_t height, width;
};

static double number(const struct t2_json_value *v, const char *key, size_t i)
{
    const struct t2_json_value *m = t2_json_get(v, key);

    return t2_json_as_double(t2_json_size(m) > 0 ? t2_json_item(m, i) : m, 0);
}

static struct config config_of(const struct t2_json_value *v)
{
    const struct t2_json_value *b = t2_json_item(t2_json_item(t2_json_get(v, "boxes"), 0), 0);
    float at[4];

    for (size_t i = 0; i < 4; i++)
        at[i] = (float) t2_json_as_double(t2_json_item(b, i), 0);
    return (struct config){.rule = {.min_covered = (float) number(v, "min_object_covered", 0),
                                    .min_aspect = (float) number(v, "aspect_ratio_range", 0),
                                    .max_aspect = (float) number(v, "aspect_ratio_range", 1),
                                    .min_area = (float) number(v, "area_range", 0),
                                    .max_area = (float) number(v, "area_range", 1),
                                    .attempts = (int) number(v, "max_attempts", 0)},
                           .box = {at[0], at[1], at[2], at[3]},
                           .height = (int32_t) number(v, "image_height_width", 0),
                           .width = (int32_t) number(v, "image_height_width", 1)};
}

/* TensorFlow's own stream: the k-th call of an operation with this seed. */
static void check_first(const struct config *c, const struct t2_json_value *first, uint32_t seed,
                        const char *name)
{
    for (size_t k = 0; k < t2_json_size(first); k++) {
        struct t2_rng r = {.key = {seed, 0}, .used = 4};
        const struct t2_json_value *want = t2_json_item(first, k);
        struct aug_window w;
        r.counter[0] = (uint32_t) k * (uint32_t) c->rule.attempts;
        (void) aug_sample_crop(&r, &c->rule, c->height, c->width, &c->box, 1, &w);
        const int32_t got[] = {w.y, w.x, w.height, w.width};
        for (size_t i = 0; i < 4; i++)
            if (t2_json_as_i64(t2_json_item(want, i), -1) != got[i])
                fail_msg("%s seed %u draw %zu: %d %d %d %d", name, seed, k, w.y, w.x, w.height,
                         w.width);
    }
}

enum { DRAWS = 20000, BINS = 20 };

/* Recorded counts of 100,000 draws against ours of DRAWS: five standard deviations of a bin. */
static void check_counts(const char *name, const char *what, const struct t2_json_value *want,
                         const int *ours)
{
    for (size_t i = 0; i < t2_json_size(want); i++) {
        double n = (double) t2_json_as_i64(t2_json_item(want, i), 0), p = n / 100000;
        double expected = p * DRAWS, bound = 5 * sqrt(1.2 * DRAWS * p * (1 - p)) + 3;
        if (fabs(ours[i] - expected) > bound)
            fail_msg("%s: %s, bin %zu: %d draws, %.0f expected", name, what, i, ours[i], expected);
    }
}

static void check_spread(const struct config *c, const struct t2_json_value *v, const char *name)
{
    int areas[BINS] = {0}, aspects[BINS] = {0}, whole = 0;
    double share = (double) t2_json_as_i64(t2_json_get(v, "whole_image"), 0) / 100000;
    char key[64];

    for (uint64_t i = 0; i < DRAWS; i++) {
        struct t2_rng r;
        struct aug_window w;
        double area, aspect;
        t2_rng_init(&r, 17, T2_RNG_AUGMENT, 3, i);
        (void) aug_sample_crop(&r, &c->rule, c->height, c->width, &c->box, 1, &w);
        if (w.width == c->width && w.height == c->height) {
            whole++;
            continue;
        }
        area = (double) w.width * w.height / ((double) c->width * c->height);
        aspect = ((double) w.width / w.height - number(v, "aspect_ratio_range", 0)) /
                 (number(v, "aspect_ratio_range", 1) - number(v, "aspect_ratio_range", 0));
        areas[area < 1 ? (int) (area * BINS) : BINS - 1]++;
        if (aspect >= 0 && aspect <= 1)
            aspects[aspect < 1 ? (int) (aspect * BINS) : BINS - 1]++;
    }
    if (fabs(whole - share * DRAWS) > 5 * sqrt(1.2 * DRAWS * share * (1 - share)) + 3)
        fail_msg("%s: %d whole images", name, whole);
    check_counts(name, "area", t2_json_get(v, "area_histogram_0_to_1_in_20"), areas);
    snprintf(key, sizeof key, "aspect_histogram_%.4f_to_%.4f_in_20",
             number(v, "aspect_ratio_range", 0), number(v, "aspect_ratio_range", 1));
    check_counts(name, "aspect", t2_json_get(v, key), aspects);
}

/* Both versions recorded the same configurations. */
static void check_sampler(const char *file, size_t *n_checked)
{
    struct t2_json_doc *doc = NULL;
    struct t2_err err = T2_ERR_INIT;
    const struct t2_json_value *all;
    const char *path = t_data_path(file);

    if (!path)
        t_skip("no %s in T2_DATA", file);
    if (t2_json_load(path, &doc, &err) != T2_OK)
        fail_msg("%s", err.message);
    all = t2_json_get(t2_json_root(doc), "configurations");
    assert_true(t2_json_size(all) > 0);
    if (*n_checked > 0)
        assert_int_equal(t2_json_size(all), *n_checked);
    *n_checked = t2_json_size(all);
    for (size_t i = 0; i < t2_json_size(all); i++) {
        const struct t2_json_value *v;
        const char *name = t2_json_member(all, i, &v);
        struct config c = config_of(v);
        check_first(&c, t2_json_get(v, "first_8_no_graph_seed_op_seed_7"), 7, name);
        check_first(&c, t2_json_get(v, "first_8_graph_seed_42_op_seed_1"), 1, name);
        check_spread(&c, v, name);
    }
    t2_json_free(doc);
}

static size_t n_configurations;

static void test_sampler_tf1(void **state)
{
    (void) state;
    check_sampler("goldens/images/sampler.tf1.json", &n_configurations);
}

static void test_sampler_tf2(void **state)
{
    (void) state;
    check_sampler("goldens/images/sampler.tf2.json", &n_configurations);
}

T_MAIN(cmocka_unit_test(test_tf1), cmocka_unit_test(test_tf2), cmocka_unit_test(test_sampler_tf1),
       cmocka_unit_test(test_sampler_tf2))
