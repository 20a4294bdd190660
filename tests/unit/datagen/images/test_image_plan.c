/* test_image_plan.c - order and shards: Python's shuffle, equal shares, imagenet_to_gcs' runs. */
#include "datagen/images/image_plan.h"

#include "tests/unit/datagen/images/images_here.h"

static struct t2_err err = T2_ERR_INIT;

static void test_plan(void **state)
{
    /* random.seed(429459), random.shuffle(list(range(10))) */
    static const uint32_t shuffled[] = {8, 0, 7, 1, 4, 9, 5, 6, 2, 3};
    struct dg_write_images w = {.n_shards = {4, 0, 0}, .shuffle = true, .random_seed = 429459};
    struct dg_image_plan p = {.starts = NULL}, q = {.starts = NULL};
    struct dg_images l = {.n = 0};

    (void) state;
    for (int i = 0; i < 11; i++) {
        char name[16];
        snprintf(name, sizeof name, "%d.jpg", i);
        dg_images_add(&l, here_text(t_tmp_path("plan"), name, "x"),
                      i < 10 ? DG_IMAGES_TRAIN : DG_IMAGES_VALIDATION, 0);
    }
    assert_int_equal(dg_image_plan_make(&l, &w, &p, &err), T2_OK);
    assert_int_equal(p.names.n, 5);
    assert_string_equal(p.names.items[3], "train-00003-of-00004");
    assert_string_equal(p.names.items[4], "validation-00000-of-00001");
    assert_memory_equal(p.order, shuffled, sizeof shuffled);
    assert_int_equal(p.order[10], 10);
    assert_int_equal(p.starts[1], 2); /* 10 * 1 / 4 */
    assert_int_equal(p.starts[5], 11);
    w.imagenet_to_gcs = true;
    w.n_shards[0] = 8;
    assert_int_equal(dg_image_plan_make(&l, &w, &q, &err), T2_OK);
    assert_string_equal(q.names.items[7], "train/train-00007-of-00008");
    assert_int_equal(q.starts[1], 2); /* ceil(10 / 8) each */
    assert_int_equal(q.starts[5], 10);
    assert_int_equal(q.starts[7], 10); /* empty */
    assert_string_not_equal(p.sha256, q.sha256);
    dg_image_plan_release(&p);
    dg_image_plan_release(&q);
    dg_images_add(&l, t2_strdup("nowhere.jpg"), DG_IMAGES_TRAIN, 0);
    assert_int_equal(dg_image_plan_make(&l, &w, &p, &err), T2_ENOTFOUND);
    t_assert_contains(err.message, "'nowhere.jpg': no such file; --on_error=skip");
    dg_image_plan_release(&p);
    dg_images_release(&l);
    assert_int_equal(dg_image_plan_make(&l, &w, &p, &err), T2_ENOTFOUND);
    dg_image_plan_release(&p);
}

T_MAIN(cmocka_unit_test(test_plan))
