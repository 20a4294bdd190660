/* test_image_manifest.c - manifests of one folder and of several; whose they are. */
#include "datagen/images/image_manifest.h"

#include "tests/unit/datagen/images/images_here.h"

static bool are_of(const char *dir, const struct dg_image_plan *plan)
{
    struct t2_err err = T2_ERR_INIT;
    bool yes = false;

    assert_int_equal(dg_image_manifests_are_of(dir, true, plan, &yes, &err), T2_OK);
    return yes;
}

static void test_manifests(void **state)
{
    struct t2_err err = T2_ERR_INIT;
    char *dir = t2_strdup(t_tmp_path("set"));
    char first[] = "train/train-00000-of-00001";
    char second[] = "validation/validation-00000-of-00001";
    char *items[] = {first, second};
    size_t starts[] = {0, 1, 2};
    struct dg_image_plan plan = {.names = {items, 2, 2}, .n_shards = {1, 1, 0}, .starts = starts};
    struct dg_image_shard shards[2] = {{.is_done = true}, {.is_done = true}};
    struct dg_images l = {.n = 0};
    struct tfr_manifest *m = NULL;
    char *path = t2_path_join(dir, "train/pictures.manifest.json");

    (void) state;
    memset(plan.sha256, 'b', 64);
    t2_strs_push(&l.labels, "x");
    for (int i = 0; i < 2; i++) {
        t2_free(here_text(dir, items[i], "12345"));
        shards[i].file = (struct tfr_manifest_shard){.file = items[i], .n_records = 2, .bytes = 5};
        memset(shards[i].file.sha256, 'a', 64);
        shards[i].height = (struct dg_image_range){3 + i, 9};
    }
    assert_false(are_of(dir, &plan));
    assert_int_equal(dg_image_manifests_write(dir, true, &l, &plan, shards, &err), T2_OK);
    assert_true(are_of(dir, &plan));
    assert_int_equal(tfr_manifest_load(path, &m, &err), T2_OK);
    assert_int_equal(m->n_splits, 1);
    assert_string_equal(m->splits[0].shards[0].file, "train-00000-of-00001");
    assert_int_equal(tfr_manifest_find_feature(m, "image/height")->min_value, 3);
    tfr_manifest_free(m);
    plan.sha256[0] = 'c';
    assert_false(are_of(dir, &plan));
    plan.sha256[0] = 'b';
    plan.newest = INT64_MAX; /* an image changed since */
    assert_false(are_of(dir, &plan));
    assert_int_equal(dg_image_manifests_remove(dir, true, &err), T2_OK);
    assert_false(t2_exists(path));
    dg_images_release(&l);
    t2_free(path);
    t2_free(dir);
}

T_MAIN(cmocka_unit_test(test_manifests))
