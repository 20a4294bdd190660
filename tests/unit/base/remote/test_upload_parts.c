/*
 * Parts of an upload: their sizes, the first failure, and the memory that all of them have
 * together.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

#include "base/remote/upload_parts.h"
#include "tests/support/t.h"

static void test_sizes(void **state)
{
    const uint64_t mib = 1 << 20;
    struct t2_upload u = {.bytes = 16 * mib};

    (void) state;
    assert_true(t2_upload_is_one_request(&u));
    u.bytes++;
    assert_false(t2_upload_is_one_request(&u));
    assert_int_equal(t2_upload_part_bytes(u.bytes), 16 * mib);
    assert_int_equal(t2_upload_part_bytes(UINT64_C(400000) * mib), 64 * mib);
}

static enum t2_status fail_third(void *context, uint64_t part, struct t2_err *err)
{
    const struct timespec a_while = {0, 10000000};

    atomic_fetch_add((atomic_int *) context, 1);
    if (part > 3) /* so that the third has failed before the last is begun, under an emulator too */
        (void) nanosleep(&a_while, NULL);
    return part == 3 ? t2_fail(err, T2_EIO, "part %d", (int) part) : T2_OK;
}

static void test_failure(void **state)
{
    struct t2_err err = T2_ERR_INIT;
    atomic_int n = 0;

    (void) state;
    assert_int_equal(t2_upload_in_parts(3, fail_third, &n, &err), T2_OK);
    assert_int_equal(n, 3);
    assert_int_equal(t2_upload_in_parts(1000, fail_third, &n, &err), T2_EIO);
    assert_string_equal(err.message, "part 3");
    assert_true(n < 1003);
}

static atomic_int n_inside, most_inside;

static void *take_and_give(void *arg)
{
    const struct timespec a_while = {0, 20000000};
    int inside;

    t2_upload_take_room(*(const uint64_t *) arg);
    inside = atomic_fetch_add(&n_inside, 1) + 1;
    if (inside > most_inside)
        most_inside = inside;
    (void) nanosleep(&a_while, NULL);
    atomic_fetch_sub(&n_inside, 1);
    t2_upload_give_room(*(const uint64_t *) arg);
    return NULL;
}

/* Six at once, of so many bytes each: how many were inside together at most. */
static int most_of_six(uint64_t bytes)
{
    pthread_t threads[6];

    most_inside = 0;
    for (int i = 0; i < 6; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, take_and_give, &bytes), 0);
    for (int i = 0; i < 6; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    return most_inside;
}

static void test_room(void **state)
{
    (void) state;
    assert_true(most_of_six(UINT64_C(200) << 20) <= 2);
    assert_int_equal(most_of_six(UINT64_C(1) << 40), 1); /* more than there is: alone */
    assert_true(most_of_six(1) >= 2);
}

T_MAIN(cmocka_unit_test(test_sizes), cmocka_unit_test(test_failure), cmocka_unit_test(test_room))
