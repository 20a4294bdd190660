/* test_admit.c - verdicts, reasons, and the bytes of what is made anew. */
#include <string.h>

#include "augment/admit.h"
#include "tests/support/t.h"
#include "tests/support/test_images.h"

static struct t2_err err = T2_ERR_INIT;
static struct aug_image scratch;

static struct aug_admission admit(const char *path, const struct t2_buf *file,
                                  struct aug_admit_policy policy)
{
    struct aug_admission a;

    assert_int_equal(aug_admit(path, file->data, file->len_bytes, &policy, &scratch, &a, &err),
                     T2_OK);
    return a;
}

static void test_verdicts(void **state)
{
    struct t2_buf jpeg = {NULL, 0, 0}, png = {NULL, 0, 0}, text = {NULL, 0, 0};
    const struct aug_admit_policy never = {.reencode = AUG_REENCODE_NEVER},
                                  odd = {.reencode = AUG_REENCODE_ODD},
                                  always = {.reencode = AUG_REENCODE_ALWAYS},
                                  turn = {.reencode = AUG_REENCODE_ODD, .apply_exif = true},
                                  quick = {.header_only = true};
    struct aug_admission a;

    (void) state;
    t_jpeg(16, 24, 3, 1, &jpeg);
    t_png(16, 24, 3, 1, &png);
    t2_buf_puts(&text, "hello");
    a = admit("a.jpg", &jpeg, never);
    assert_int_equal(a.verdict, AUG_KEEP);
    assert_string_equal(a.why, "");
    assert_int_equal(admit("a.JPEG", &jpeg, odd).verdict, AUG_KEEP);
    assert_int_equal(admit("a.jpg", &jpeg, always).verdict, AUG_REENCODE);
    a = admit("a.jpg", &png, odd);
    assert_int_equal(a.verdict, AUG_REENCODE);
    assert_true(a.misnamed);
    t_assert_contains(a.why, "a PNG under another kind's name");
    assert_int_equal(admit("a.png", &png, never).verdict, AUG_KEEP);
    assert_int_equal(admit("labels.txt", &text, never).verdict, AUG_IGNORE);
    assert_int_equal(admit("a.jpg", &text, never).verdict, AUG_REFUSE);
    assert_int_equal(admit("no_name", &jpeg, never).verdict, AUG_KEEP);
    t_add_orientation(&jpeg, 6);
    assert_int_equal(admit("a.jpg", &jpeg, odd).verdict, AUG_KEEP);
    a = admit("a.jpg", &jpeg, turn);
    assert_int_equal(a.verdict, AUG_REENCODE);
    assert_true(a.turned);
    t_assert_contains(a.why, "orientation 6");
    jpeg.len_bytes -= 40;
    a = admit("a.jpg", &jpeg, never);
    assert_int_equal(a.verdict, AUG_REFUSE);
    t_assert_contains(a.why, "cut short");
    assert_int_equal(admit("a.jpg", &jpeg, quick).verdict, AUG_KEEP);
    t2_buf_release(&jpeg);
    t2_buf_release(&png);
    t2_buf_release(&text);
}

static void test_reencode(void **state)
{
    struct t2_buf file = {NULL, 0, 0}, out = {NULL, 0, 0};
    const struct aug_admit_policy turn = {.apply_exif = true};
    struct aug_info info;

    (void) state;
    t_jpeg(16, 24, 3, 1, &file);
    t_add_orientation(&file, 6);
    assert_int_equal(aug_reencode(file.data, file.len_bytes, &turn, &scratch, &out, &err), T2_OK);
    assert_int_equal(aug_probe(out.data, out.len_bytes, &info, &err), T2_OK);
    assert_int_equal(info.width, 16);
    assert_int_equal(info.height, 24);
    assert_int_equal(info.orientation, 1);
    t2_buf_clear(&file);
    t2_buf_clear(&out);
    t_png(5, 5, 2, 1, &file); /* grey and alpha */
    assert_int_equal(aug_reencode(file.data, file.len_bytes, &turn, &scratch, &out, &err), T2_OK);
    assert_int_equal(aug_probe(out.data, out.len_bytes, &info, &err), T2_OK);
    assert_int_equal(info.colour, AUG_GREY);
    file.len_bytes = 30;
    assert_int_equal(aug_reencode(file.data, file.len_bytes, &turn, &scratch, &out, &err),
                     T2_EFORMAT);
    t2_buf_release(&file);
    t2_buf_release(&out);
    aug_image_release(&scratch);
}

static void test_names(void **state)
{
    enum aug_reencode r;

    (void) state;
    assert_true(aug_parse_reencode("odd", &r));
    assert_int_equal(r, AUG_REENCODE_ODD);
    assert_false(aug_parse_reencode("Odd", &r));
    assert_string_equal(aug_verdict_name(AUG_REENCODE), "re-encode");
    assert_int_equal(aug_kind_of_name("a/b.c/x.JPe"), AUG_JPEG);
    assert_int_equal(aug_kind_of_name("x.webp"), AUG_WEBP);
    assert_int_equal(aug_kind_of_name("jpg"), AUG_UNKNOWN);
}

T_MAIN(cmocka_unit_test(test_verdicts), cmocka_unit_test(test_reencode),
       cmocka_unit_test(test_names))
