/*
 * tests/unit/tfrec/test_images_out.c - records to folders of images; no name leads out of them.
 */
#include "tests/unit/tfrec/converting.h"

#define IMAGE "\"image/encoded\":{\"base64\":\"/9j/4AAAAAAAAAAAAAAA\"}"

static void test_names(void **state)
{
    const char *folder = t_tmp_path("out");
    struct rec_convert c = cv_defaults();
    char path[600];

    (void) state;
    c.to = "images";
    cv_must(c,
            cv_put("a.jsonl",
                   "{" IMAGE ",\"image/class/text\":\"cat\",\"image/filename\":\"x.jpg\"}\n"),
            folder);
    snprintf(path, sizeof path, "%s/cat/x.jpg", folder);
    assert_true(t2_exists(path));
    /* the folder is there now */
    assert_int_not_equal(cv_run(c, t_tmp_path("a.jsonl"), folder, 2), T2_OK);
}

static void test_no_way_out(void **state)
{
    static const char *const bad[] = {
        "{" IMAGE ",\"image/class/text\":\"../x\"}\n", "{" IMAGE ",\"image/class/text\":\"\"}\n",
        "{" IMAGE ",\"image/class/text\":\"c\",\"image/filename\":\"/etc/x\"}\n",
        "{" IMAGE ",\"image/class/text\":\"c\",\"image/filename\":\"..\"}\n",
        "{\"image/class/text\":\"c\"}\n"};
    struct rec_convert c = cv_defaults();
    const char *folder = t_tmp_path("no");

    (void) state;
    c.to = "images";
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(cv_run(c, cv_put("b.jsonl", bad[i]), folder, 2), T2_EFORMAT);
        t_assert_contains(cv_err.message, "record 0");
        assert_false(t2_exists(folder));
    }
}

T_MAIN(cmocka_unit_test(test_names), cmocka_unit_test(test_no_way_out))
