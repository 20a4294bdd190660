/*
 * tests/unit/tfrec/test_event_images.c - names of images stay inside the folder.
 */
#include <string.h>

#include "base/file.h"
#include "tests/support/t.h"
#include "tfrec/event_images.h"

/* An old image of a PNG's first bytes. */
static const char png_image[] = "\x22\x18\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\1\0\0\0\1";

static void write_tag(struct rec_event_files *f, const char *run, const char *tag)
{
    const struct tfr_event event = {.step = -3};
    const struct tfr_summary_value value = {.tag = t2_slice_of(tag),
                                            .form = TFR_VALUE_IMAGE,
                                            .body = {(const uint8_t *) png_image,
                                                     sizeof png_image - 1}};
    const struct rec_event_row row = {
        .run = run, .file = "f", .show_run = *run != '\0', .event = &event, .value = &value};
    struct t2_err err = T2_ERR_INIT;

    if (rec_event_write_images(f, &row, &err) != T2_OK)
        fail_msg("%s", err.message);
}

static void test_names(void **state)
{
    static const char *const expected[] = {"_._x-step-3.png", "__etc_passwd-step-3.png",
                                           "a-step-3.1.png", "a-step-3.png",
                                           "runs_b-.hidden-step-3.png"};
    struct rec_event_files f = {.folder = t_tmp_path("images")};
    struct t2_strs names = {0};
    struct t2_err err = T2_ERR_INIT;
    char longest[301];

    (void) state;
    write_tag(&f, "", "a");
    write_tag(&f, "", "a");
    write_tag(&f, "", "../x");
    write_tag(&f, "", "//etc/passwd");
    write_tag(&f, "runs/b", ".hidden");
    assert_int_equal(T2_OK, t2_list_dir(f.folder, &names, &err));
    assert_int_equal(5, names.n);
    for (size_t i = 0; i < names.n; i++) {
        bool found = false;
        for (size_t k = 0; k < 5; k++)
            found |= strcmp(names.items[i], expected[k]) == 0;
        if (!found)
            fail_msg("unexpected name %s", names.items[i]);
    }
    memset(longest, 'x', 300);
    longest[300] = '\0';
    write_tag(&f, "", longest);
    assert_int_equal(6, f.n_written);
    t2_strs_release(&names);
    rec_event_files_release(&f);
}

T_MAIN(cmocka_unit_test(test_names))
