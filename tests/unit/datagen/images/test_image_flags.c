/*
 * tests/unit/datagen/images/test_image_flags.c - what the flags of images say, and what does not go
 * together.
 */
#include "datagen/images/image_flags.h"

#include "tests/support/t.h"

static struct t2_err err = T2_ERR_INIT;

static void test_read(void **state)
{
    struct dg_image_flags f = DG_IMAGE_FLAGS_INIT;
    struct dg_image_policy policy = {.decode_all = true};
    struct dg_refusals r;

    (void) state;
    assert_int_equal(dg_image_flags_read(&f, AUG_REENCODE_ODD, &policy, &r, &err), T2_OK);
    assert_int_equal(policy.admit.reencode, AUG_REENCODE_ODD);
    assert_false(policy.admit.apply_exif);
    assert_false(policy.decode_all);
    assert_int_equal(r.on_error, DG_ON_ERROR_FAIL);
    f = (struct dg_image_flags){"quarantine", "there", "apply", "always", true};
    assert_int_equal(dg_image_flags_read(&f, AUG_REENCODE_NEVER, &policy, &r, &err), T2_OK);
    assert_int_equal(policy.admit.reencode, AUG_REENCODE_ALWAYS);
    assert_true(policy.admit.apply_exif);
    assert_true(policy.decode_all);
    assert_int_equal(r.on_error, DG_ON_ERROR_QUARANTINE);
    assert_string_equal(r.quarantine_dir, "there");
}

static void test_refused(void **state)
{
    static const struct {
        struct dg_image_flags flags;
        const char *why;
    } cases[] = {
        {{"ignore", "", "ignore", "", false},
         "--on_error='ignore': known are fail, skip, quarantine"},
        {{"quarantine", "", "ignore", "", false}, "go together"},
        {{"skip", "x", "ignore", "", false}, "go together"},
        {{"skip", "", "turn", "", false}, "--exif='turn': known are apply, ignore"},
        {{"skip", "", "ignore", "some", false}, "--reencode='some': known are never, odd, always"},
        {{"skip", "", "apply", "", false}, "--exif=apply makes turned images anew"},
    };
    struct dg_image_policy policy;
    struct dg_refusals r;

    (void) state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(dg_image_flags_read(&cases[i].flags, AUG_REENCODE_NEVER, &policy, &r,
                                             &err),
                         T2_EUSAGE);
        t_assert_contains(err.message, cases[i].why);
    }
}

T_MAIN(cmocka_unit_test(test_read), cmocka_unit_test(test_refused))
