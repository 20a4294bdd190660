/*
 * tests/unit/tfrec/test_webdataset_in.c - members of a tar that belong together; damage at every
 * byte.
 */
#include "tests/unit/tfrec/converting.h"

static const char *const rows = "{\"__key__\":[\"a/1\"],\"cls\":[7],\"txt\":[\"hi\"]}\n"
                                "{\"__key__\":[\"a/2\"],\"cls\":[8],\"txt\":[\"\"]}\n";

static void test_there_and_back(void **state)
{
    (void) state;
    cv_there_and_back(cv_defaults(), "a.tar", rows);
}

static void test_damage(void **state)
{
    const char *tar = t_tmp_path("d.tar");

    (void) state;
    cv_must(cv_defaults(), cv_put("d.jsonl", "{\"__key__\":\"a\",\"txt\":\"hi\"}\n"), tar);
    assert_true(cv_damage(cv_defaults(), tar) > 20);
}

T_MAIN(cmocka_unit_test(test_there_and_back), cmocka_unit_test(test_damage))
