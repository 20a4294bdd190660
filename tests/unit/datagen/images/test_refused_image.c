/*
 * tests/unit/datagen/images/test_refused_image.c - fail, skip, quarantine.
 */
#include "datagen/images/refused_image.h"

#include "base/alloc.h"
#include "base/file.h"
#include "base/str.h"
#include "tests/support/t.h"

static struct t2_err err = T2_ERR_INIT;

static void test_fail(void **state)
{
    const struct dg_refusals r = {DG_ON_ERROR_FAIL, ""};

    (void) state;
    assert_int_equal(dg_image_refused(&r, "a.jpg", "odd", "x", t2_slice_of(""), &err), T2_EFORMAT);
    assert_string_equal(err.message, "'a.jpg': odd; --on_error=skip leaves such files out");
    assert_int_equal(dg_image_refused(&r, "a.jpg", "'d/a.jpg': no such file", NULL, t2_slice_of(""),
                                      &err),
                     T2_EFORMAT);
    assert_string_equal(err.message,
                        "'d/a.jpg': no such file; --on_error=skip leaves such files out");
}

static void test_others(void **state)
{
    char *dir = t2_strdup(t_tmp_path("aside")), *file = t2_path_join(dir, "d/a.jpg");
    struct dg_refusals r = {DG_ON_ERROR_SKIP, ""};
    struct t2_buf content = {NULL, 0, 0};

    (void) state;
    assert_int_equal(dg_image_refused(&r, "a.jpg", "odd", "d/a.jpg", t2_slice_of("x"), &err),
                     T2_OK);
    assert_false(t2_exists(dir));
    r = (struct dg_refusals){DG_ON_ERROR_QUARANTINE, dir};
    assert_int_equal(dg_image_refused(&r, "a.jpg", "odd", NULL, t2_slice_of("x"), &err), T2_OK);
    assert_false(t2_exists(dir));
    for (int i = 0; i < 2; i++)
        assert_int_equal(dg_image_refused(&r, "a.jpg", "odd", "d/a.jpg", t2_slice_of("x"), &err),
                         T2_OK);
    assert_int_equal(t2_read_file(file, 0, &content, &err), T2_OK);
    assert_string_equal(t2_buf_cstr(&content), "x");
    /* a file where the folder has to be */
    assert_int_equal(dg_image_refused(&r, "b", "odd", "d/a.jpg/b", t2_slice_of("x"), &err), T2_EIO);
    t2_buf_release(&content);
    t2_free(file);
    t2_free(dir);
}

static void test_places(void **state)
{
    static const char *const cases[][3] = {{"cat", "x/y.jpg", "cat/y.jpg"},
                                           {"", "x/y.jpg", "y.jpg"},
                                           {"../a", "y", "_._a/y"},
                                           {"a/b", "/y", "a_b/y"}};

    (void) state;
    for (size_t i = 0; i < 4; i++) {
        char *place = dg_quarantine_place(cases[i][0], cases[i][1]);
        assert_string_equal(place, cases[i][2]);
        t2_free(place);
    }
}

static void test_reasons(void **state)
{
    enum dg_on_error e;

    (void) state;
    assert_string_equal(dg_refusal_reason(&(struct aug_admission){.verdict = AUG_IGNORE}),
                        "no image");
    t_assert_contains(dg_refusal_reason(
                          &(struct aug_admission){.verdict = AUG_REFUSE, .kind = AUG_JPEG}),
                      "damaged");
    t_assert_contains(dg_refusal_reason(
                          &(struct aug_admission){.verdict = AUG_REFUSE, .kind = AUG_HTML}),
                      "a web page");
    assert_true(dg_parse_on_error("skip", &e));
    assert_int_equal(e, DG_ON_ERROR_SKIP);
    assert_false(dg_parse_on_error("ignore", &e));
}

T_MAIN(cmocka_unit_test(test_fail), cmocka_unit_test(test_others), cmocka_unit_test(test_places),
       cmocka_unit_test(test_reasons))
