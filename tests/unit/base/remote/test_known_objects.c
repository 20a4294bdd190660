/*
 * tests/unit/base/remote/test_known_objects.c - what is known of objects, and for how long.
 */
#include "base/remote/known_objects.h"

#include <stdio.h>
#include <stdlib.h>

#include "tests/support/t.h"

static void test_known(void **state)
{
    struct t2_object o;

    (void) state;
    unsetenv("T2_REMOTE_STAT");
    assert_false(t2_known_get("s3://b/x", &o));
    for (int i = 0; i < 1000; i++) {
        char name[32];

        snprintf(name, sizeof name, "s3://b/%d", i);
        t2_known_set(name, &(struct t2_object){.is_there = true, .bytes = (uint64_t) i});
    }
    assert_true(t2_known_get("s3://b/77", &o));
    assert_int_equal(o.bytes, 77);
    t2_known_set("s3://b/77", &(struct t2_object){.is_there = true, .bytes = 5});
    assert_true(t2_known_get("s3://b/77", &o));
    assert_int_equal(o.bytes, 5);
    t2_known_set("s3://b/77", &(struct t2_object){0});
    assert_false(t2_known_get("s3://b/77", &o));
    assert_true(t2_known_get("s3://b/78", &o));
    setenv("T2_REMOTE_STAT", "0", 1);
    assert_false(t2_known_get("s3://b/78", &o));
    unsetenv("T2_REMOTE_STAT");
}

T_MAIN(cmocka_unit_test(test_known))
