/*
 * test_window_goldens.c - T2_DATA/goldens/images/pipelines/tpu1.json: windows decoded by
 * decode_and_crop_jpeg, and cut out of the whole image.
 */
#include <stdio.h>
#include <string.h>

#include "augment/codec.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/json.h"
#include "tests/support/t.h"

static struct t2_err err = T2_ERR_INIT;

static struct t2_json_doc *load(const char *name)
{
    struct t2_json_doc *doc = NULL;
    const char *path = t_data_path(name);

    if (path && t2_json_load(path, &doc, &err) != T2_OK)
        fail_msg("%s", err.message);
    return doc;
}

static void check(const struct t2_json_value *photo, const char *name,
                  const struct t2_json_value *results, bool whole)
{
    const struct t2_json_value *at = t2_json_get(photo, "window");
    char key[128];
    const struct aug_window w = {(int32_t) t2_json_as_i64(t2_json_item(at, 1), 0),
                                 (int32_t) t2_json_as_i64(t2_json_item(at, 0), 0),
                                 (int32_t) t2_json_as_i64(t2_json_item(at, 3), 0),
                                 (int32_t) t2_json_as_i64(t2_json_item(at, 2), 0)};
    const struct aug_decode how = {.channels = 3, .window = whole ? NULL : &w};
    const struct t2_json_value *want;
    struct aug_image im = {.data = NULL}, part = {.data = NULL};
    struct t2_buf file = {NULL, 0, 0};
    char sha[T2_SHA256_HEX];

    snprintf(key, sizeof key, "window_%s/%s", whole ? "of_whole" : "fused", name);
    want = t2_json_get(results, key);
    assert_int_equal(t2_read_file(t_data_path(t2_json_as_string(t2_json_get(photo, "file"), "")), 0,
                                  &file, &err),
                     T2_OK);
    assert_int_equal(aug_decode(file.data, file.len_bytes, &how, &im, NULL, &err), T2_OK);
    struct aug_image view = whole ? aug_image_window(&im, w) : im;
    view.capacity_bytes = 0;
    assert_int_equal(aug_image_copy(&view, &part, &err), T2_OK);
    t2_sha256_of(part.data, part.stride_bytes * (size_t) part.height, sha);
    assert_string_equal(sha, t2_json_as_string(t2_json_get(want, "sha256"), "none"));
    aug_image_release(&im);
    aug_image_release(&part);
    t2_buf_release(&file);
}

static void test_windows(void **state)
{
    struct t2_json_doc *cases = load("goldens/images/pipeline-cases.json");
    struct t2_json_doc *recorded = load("goldens/images/pipelines/tpu1.json");

    (void) state;
    if (!cases || !recorded)
        t_skip("no goldens/images in T2_DATA");
    const struct t2_json_value *photos = t2_json_get(t2_json_root(cases), "photos");
    const struct t2_json_value *results = t2_json_get(t2_json_root(recorded), "results");
    size_t n_recorded = 0;
    for (size_t i = 0; i < t2_json_size(results); i++) {
        const struct t2_json_value *result;

        n_recorded += strncmp(t2_json_member(results, i, &result), "window_", 7) == 0;
    }
    assert_true(n_recorded > 0);
    assert_int_equal(2 * t2_json_size(photos), n_recorded);
    for (size_t i = 0; i < t2_json_size(photos); i++) {
        const struct t2_json_value *photo = NULL;
        const char *name = t2_json_member(photos, i, &photo);
        check(photo, name, results, false);
        check(photo, name, results, true);
    }
    t2_json_free(cases);
    t2_json_free(recorded);
}

T_MAIN(cmocka_unit_test(test_windows))
