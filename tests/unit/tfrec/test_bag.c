/*
 * tests/unit/tfrec/test_bag.c - bagz: its bytes, the way back, damage at every byte.
 */
#include "tests/unit/tfrec/converting.h"

static const char *const rows = "{\"a\":[1]}\n{\"b\":[\"xyz\"]}\n{}\n";

static void test_there_and_back(void **state)
{
    (void) state;
    cv_there_and_back(cv_defaults(), "a.bag", rows);
    cv_there_and_back(cv_defaults(), "a.bagz", rows);
    cv_there_and_back(cv_defaults(), "none.bagz", "");
}

/* The limits stand at the end, 8 bytes a record. */
static void test_bytes(void **state)
{
    const char *bag = t_tmp_path("a.bag");
    size_t n;
    char *bytes;

    (void) state;
    cv_must(cv_defaults(), cv_put("a.jsonl", rows), bag);
    bytes = t_read_file(bag, &n);
    assert_true(n > 24);
    assert_int_equal((uint8_t) bytes[n - 8], n - 24); /* where the last record ends */
    free(bytes);
}

static void test_damage(void **state)
{
    const char *bag = t_tmp_path("a.bag"), *bagz = t_tmp_path("a.bagz");
    const char *in = cv_put("a.jsonl", rows);
    struct rec_convert c = cv_defaults();

    (void) state;
    cv_must(c, in, bag);
    cv_must(c, in, bagz);
    assert_true(cv_damage(c, bag) > 10);
    assert_true(cv_damage(c, bagz) > 10);
}

T_MAIN(cmocka_unit_test(test_there_and_back), cmocka_unit_test(test_bytes),
       cmocka_unit_test(test_damage))
