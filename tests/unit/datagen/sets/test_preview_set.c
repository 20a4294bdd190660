/* test_preview_set.c - which pipeline, which shards, what is no set of images. */
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "datagen/sets/preview_set.h"
#include "tests/support/t.h"

static struct t2_err err = T2_ERR_INIT;

static void test_pipelines(void **state)
{
    static const char *const names[] = {
        "image_mnist_tune", "image_fashion_mnist", "image_cifar10_plain8",
        "image_cifar100",   "image_imagenet224",   "image_imagenet64",
        "img2img_cifar10",  "image_celeba",        "image_imagenet224_no_normalization"};

    (void) state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *pipeline = dg_preview_pipeline(names[i]);
        assert_non_null(aug_pipeline_find(pipeline));
    }
    assert_string_equal(dg_preview_pipeline("image_cifar10_plain8"), "cifar_plain8");
    assert_string_equal(dg_preview_pipeline("image_imagenet224_no_normalization"),
                        "t2t_imagenet_raw_train");
    assert_string_equal(dg_preview_pipeline("flowers"), "");
}

static void test_check(void **state)
{
    (void) state;
    assert_int_equal(dg_preview_check("image_mnist", &err), T2_OK);
    assert_int_equal(dg_preview_check("image_imagenet", &err), T2_OK);
    assert_int_equal(dg_preview_check("of_my_own", &err), T2_OK);
    assert_int_equal(dg_preview_check("translate_ende_numbers", &err), T2_EUSAGE);
    assert_string_equal(err.message, "--preview: 'translate_ende_numbers' has no images");
}

static void test_sets(void **state)
{
    char *dir = t2_strdup(t_tmp_path("sets")),
         *shard = t2_path_join(dir, "own-train-00000-of-00001");
    const struct dg_sheet_spec spec = {shard, "", 1, 0};

    (void) state;
    assert_int_equal(t2_make_dirs(dir, &err), T2_OK);
    assert_false(dg_preview_is_there("own", dir));
    assert_int_equal(dg_preview_set("own", dir, &spec, &err), T2_ENOTFOUND);
    t_write_file(shard, "", 0);
    assert_true(dg_preview_is_there("own", dir));
    assert_int_equal(dg_preview_set("own", dir, &spec, &err), T2_ENOTFOUND); /* no record */
    assert_string_equal(err.message, "no records for a page of images");
    t2_free(shard);
    t2_free(dir);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_pipelines),
                                       cmocka_unit_test(test_check), cmocka_unit_test(test_sets)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
