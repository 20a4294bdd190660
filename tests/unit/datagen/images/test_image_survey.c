/* test_image_survey.c - files are read once: contents, refusals, shares. */
#include "datagen/images/image_survey.h"

#include "base/hash.h"
#include "tests/unit/datagen/images/images_here.h"

static struct t2_err err = T2_ERR_INIT;
static const struct dg_image_policy plain = {.decode_all = true};
static const struct dg_refusals skip = {DG_ON_ERROR_SKIP, ""}, fail = {DG_ON_ERROR_FAIL, ""};

static void fill(struct dg_images *l, const char *dir)
{
    (void) dg_images_add(l, here_image(dir, "a.jpg", 8, 9), DG_IMAGES_TRAIN, 0);
    (void) dg_images_add(l, here_image(dir, "b.png", 8, 9), DG_IMAGES_TRAIN, 1);
    (void) dg_images_add(l, here_image(dir, "copy.jpg", 8, 9), DG_IMAGES_TRAIN, 1);
    (void) dg_images_add(l, t2_path_join(dir, "absent.jpg"), DG_IMAGES_TRAIN, 1);
    (void) dg_images_add(l, here_text(dir, "empty.jpg", ""), DG_IMAGES_TRAIN, 1);
    (void) dg_images_add(l, here_text(dir, "notes", "no image"), DG_IMAGES_TRAIN, 1);
    (void) dg_images_add(l, here_text(dir, "cut.jpg", "\xff\xd8\xff\xe0"), DG_IMAGES_TRAIN, 1);
}

static void test_all_kinds(void **state)
{
    char *dir = t2_strdup(t_tmp_path("survey"));
    struct dg_images l = {.n = 0};
    struct t2_pool *pool = t2_pool_new(3);
    struct dg_surveyed s[7];
    char sha256[65], *there = t2_strdup(t_tmp_path("aside"));
    struct dg_refusals aside;
    struct t2_strs names = {NULL, 0, 0};
    uint64_t bytes;

    (void) state;
    fill(&l, dir);
    t2_strs_push(&l.labels, "a");
    t2_strs_push(&l.labels, "b/c");
    assert_int_equal(dg_survey_images(&l, &plain, &skip, pool, 0, s, &err), T2_OK);
    for (int i = 0; i < 3; i++) {
        assert_null(s[i].drop);
        assert_int_equal(t2_sha256_file(l.items[i].path, sha256, &bytes, &err), T2_OK);
        assert_string_equal(s[i].sha256, sha256);
        assert_int_equal(s[i].bytes, bytes);
    }
    assert_true(dg_surveyed_share(&s[0]) == dg_surveyed_share(&s[2]));
    assert_true(dg_surveyed_share(&s[0]) != dg_surveyed_share(&s[1]));
    assert_string_equal(s[3].drop, "no such file");
    t_assert_contains(s[4].drop, "empty");
    assert_string_equal(s[5].drop, "no image");
    assert_string_equal(s[6].drop, "damaged, or coded in a way that is not decoded");
    for (int i = 0; i < 7; i++)
        assert_null(s[i].kept.data);
    /* room for two of them, and no more */
    assert_int_equal(dg_survey_images(&l, &plain, &skip, pool, s[0].bytes + s[1].bytes, s, &err),
                     T2_OK);
    for (int i = 0; i < 7; i++) {
        assert_int_equal(s[i].kept.len_bytes, i < 2 ? s[i].bytes : 0);
        t2_buf_release(&s[i].kept);
    }
    /* copies of what was read, and of nothing else */
    aside = (struct dg_refusals){DG_ON_ERROR_QUARANTINE, there};
    assert_int_equal(dg_survey_images(&l, &plain, &aside, pool, 0, s, &err), T2_OK);
    assert_int_equal(t2_list_dir(there, &names, &err), T2_OK);
    assert_int_equal(names.n, 1);
    assert_string_equal(names.items[0], "b_c");
    t2_strs_release(&names);
    t2_free(there);
    there = t2_strdup(t_tmp_path("aside/b_c"));
    assert_int_equal(t2_list_dir(there, &names, &err), T2_OK);
    assert_int_equal(names.n, 3);
    assert_string_equal(names.items[0], "cut.jpg");
    assert_string_equal(names.items[1], "empty.jpg");
    assert_string_equal(names.items[2], "notes");
    t2_strs_release(&names);
    t2_free(there);
    t2_pool_free(pool);
    dg_images_release(&l);
    t2_free(dir);
}

/* The first in the order of the list, whoever is read first. */
static void test_failure(void **state)
{
    char *dir = t2_strdup(t_tmp_path("fail"));
    struct dg_images l = {.n = 0};
    struct t2_pool *pool = t2_pool_new(4);
    struct dg_surveyed s[7];

    (void) state;
    fill(&l, dir);
    t2_strs_push(&l.labels, "a");
    t2_strs_push(&l.labels, "b");
    assert_int_equal(dg_survey_images(&l, &plain, &fail, pool, 0, s, &err), T2_EFORMAT);
    t_assert_contains(err.message, "/absent.jpg': no such file; --on_error=skip leaves such files");
    t2_pool_free(pool);
    dg_images_release(&l);
    t2_free(dir);
}

static void test_share(void **state)
{
    struct dg_surveyed s = {.sha256 = "0000000000000"};

    (void) state;
    assert_true(dg_surveyed_share(&s) == 0);
    memset(s.sha256, 'f', 64);
    assert_true(dg_surveyed_share(&s) < 1 && dg_surveyed_share(&s) > 0.999999);
    memcpy(s.sha256, "8000", 4);
    memset(s.sha256 + 4, '0', 60);
    assert_true(dg_surveyed_share(&s) == 0.5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_all_kinds),
                                       cmocka_unit_test(test_failure),
                                       cmocka_unit_test(test_share)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
