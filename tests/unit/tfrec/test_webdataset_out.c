/*
 * tests/unit/tfrec/test_webdataset_out.c - names in the tar, and records that cannot be files.
 */
#include "tests/unit/tfrec/converting.h"

static void test_names(void **state)
{
    const char *tar = t_tmp_path("a.tar");
    size_t n;
    char *bytes;

    (void) state;
    cv_must(cv_defaults(), cv_put("a.jsonl", "{\"__key__\":\"d/1\",\"cls\":7,\"txt\":\"hi\"}\n"),
            tar);
    bytes = t_read_file(tar, &n);
    assert_int_equal(n % 512, 0);
    assert_string_equal(bytes, "d/1.cls");
    assert_memory_equal(bytes + 257, "ustar", 5);
    assert_int_equal(bytes[512], '7');
    assert_string_equal(bytes + 1024, "d/1.txt");
    free(bytes);
}

static void test_refused(void **state)
{
    static const char *const bad[] = {
        "{\"__key__\":\"a\",\"txt\":[\"x\",\"y\"]}\n", "{\"__key__\":\"../a\",\"txt\":\"x\"}\n",
        "{\"__key__\":\"/a\",\"txt\":\"x\"}\n", "{\"__key__\":\"a\"}\n",
        "{\"__key__\":\"a\",\"txt\":\"x\"}\n{\"__key__\":\"a\",\"txt\":\"y\"}\n"};
    const char *tar = t_tmp_path("no.tar");

    (void) state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_not_equal(cv_run(cv_defaults(), cv_put("b.jsonl", bad[i]), tar, 2), T2_OK);
        t_assert_contains(cv_err.message, "record ");
        assert_false(t2_exists(tar));
    }
}

T_MAIN(cmocka_unit_test(test_names), cmocka_unit_test(test_refused))
