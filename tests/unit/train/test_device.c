/*
 * tests/unit/train/test_device.c - opening devices, their memory and copies.
 */
#include "train/device/device.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "tests/support/op_device.h"
#include "tests/support/t.h"

static void test_unknown(void **state)
{
    struct t2_err err = T2_ERR_INIT;
    struct dev *d = NULL;

    (void) state;
    assert_int_equal(dev_open("tpu", 1, &d, &err), T2_EUSAGE);
    assert_null(d);
    t_assert_contains(err.message, "unknown device 'tpu'");
    t_assert_contains(err.message, "cpu");
    assert_int_equal(dev_open("", 1, &d, &err), T2_EUSAGE);
    dev_close(NULL);
}

static void check_memory(const char *name, int num_threads)
{
    struct t2_err err = T2_ERR_INIT;
    struct dev *d = NULL;
    char host[1000], back[1000];
    char *a, *b;

    assert_int_equal(dev_open(name, num_threads, &d, &err), T2_OK);
    if (!getenv("T2_REFERENCE") &&
        !getenv("T2_ALL_DEVICES")) /* another device in the reference's place */
        assert_string_equal(d->name, name);
    assert_non_null(d->kernels);
    assert_true(strlen(d->describe(d)) > 0);
    t_fill((float *) (void *) host, sizeof host / sizeof(float), 1);
    a = d->alloc(d, 1000);
    b = d->alloc(d, 1000);
    assert_non_null(a);
    assert_non_null(b);
    assert_true((uintptr_t) a % 64 == 0 && (uintptr_t) b % 64 == 0);
    memset(back, 1, sizeof back);
    d->download(d, back, a, 1000);
    for (int i = 0; i < 1000; i++)
        assert_int_equal(back[i], 0);
    d->upload_now(d, a, host, 1000);
    d->copy(d, b, a, 1000);
    d->zero(d, a, 10);
    d->sync(d);
    d->download(d, back, b, 1000);
    assert_memory_equal(back, host, 1000);
    d->download(d, back, a, 1000);
    for (int i = 0; i < 10; i++)
        assert_int_equal(back[i], 0);
    assert_memory_equal(back + 10, host + 10, 990);
    d->upload_now(d, a, host, 0);
    d->copy(d, a, b, 0);
    d->zero(d, a, 0);
    d->free(d, a);
    d->free(d, b);
    d->free(d, NULL);
    if (d->host_memory) {
        t2_alloc_fail_after(1);
        assert_null(d->alloc(d, 64));
        t2_alloc_fail_after(0);
    }
    dev_close(d);
}

static void test_memory(void **state)
{
    (void) state;
    check_memory("reference", 1);
    check_memory("cpu", 1);
    check_memory("cpu", 3);
    check_memory("cpu", 0);
    check_memory("far", 1);
}

/* Events are passed in the order of the queue. */
static void test_events(void **state)
{
    static const char *const names[] = {"reference", "cpu", "far"};

    (void) state;
    for (int i = 0; i < 3; i++) {
        struct t2_err err = T2_ERR_INIT;
        struct dev_event *e[3];
        struct dev *d = NULL;
        float *x;

        assert_int_equal(dev_open(names[i], 2, &d, &err), T2_OK);
        x = d->alloc(d, 1 << 20);
        for (int k = 0; k < 3; k++) {
            e[k] = d->event_new(d);
            d->event_record(d, DEV_COMPUTE, e[k]);
            d->zero(d, x, 1 << 20);
        }
        d->event_wait(d, e[2]);
        assert_true(d->event_seconds(d, e[0], e[1]) >= 0.0);
        assert_true(d->event_seconds(d, e[0], e[1]) <= d->event_seconds(d, e[0], e[2]));
        assert_true(d->event_seconds(d, e[0], e[2]) < 60.0);
        assert_true(d->event_seconds(d, e[1], e[1]) == 0.0);
        for (int k = 0; k < 3; k++)
            d->event_free(d, e[k]);
        d->event_free(d, NULL);
        d->free(d, x);
        dev_close(d);
    }
}

/* Every queue, on every device: what events order happens in that order. */
static void test_queues(void **state)
{
    static const char *const names[] = {"reference", "cpu", "far"};

    (void) state;
    for (int i = 0; i < 3; i++) {
        struct t2_err err = T2_ERR_INIT;
        struct dev_event *there, *used;
        int32_t *from, *to, *x;
        struct dev *d = NULL;

        assert_int_equal(dev_open(names[i], 2, &d, &err), T2_OK);
        from = d->alloc_host(d, sizeof *from);
        to = d->alloc_host(d, 20 * sizeof *to);
        assert_true((uintptr_t) from % 64 == 0 && (uintptr_t) to % 64 == 0);
        x = d->alloc(d, sizeof *x);
        there = d->event_new(d);
        used = d->event_new(d);
        d->queue_wait(d, DEV_COMPUTE, there); /* never recorded */
        d->event_record(d, DEV_COMPUTE, used);
        for (int32_t k = 0; k < 20; k++) {
            *from = k;
            d->queue_wait(d, DEV_COPY_IN, used);
            d->upload_on(d, DEV_COPY_IN, x, from, sizeof *x);
            d->event_record(d, DEV_COPY_IN, there);
            d->queue_wait(d, DEV_EXCHANGE, there);
            d->download_on(d, DEV_EXCHANGE, to + k, x, sizeof *x);
            d->event_record(d, DEV_EXCHANGE, used);
            d->event_wait(d, there);
        }
        d->upload_on(d, DEV_COPY_IN, x, from, 0);
        d->sync(d);
        for (int32_t k = 0; k < 20; k++)
            assert_int_equal(to[k], k);
        assert_int_equal(dev_check(d, &err), T2_OK);
        d->event_free(d, there);
        d->event_free(d, used);
        d->free(d, x);
        d->free_host(d, from);
        d->free_host(d, to);
        d->free_host(d, NULL);
        t2_alloc_fail_after(1);
        assert_null(d->alloc_host(d, 64));
        t2_alloc_fail_after(0);
        dev_close(d);
    }
}

/* The host's threads have a number of their own; the kernels' threads serve where it is theirs. */
static void test_host_threads(void **state)
{
    static const struct {
        const char *name;
        int opened, set, expected; /* set -1: not */
        bool shared;
    } cases[] = {{"cpu", 2, -1, 2, true},        {"cpu", 2, 3, 3, false},  {"cpu", 3, 1, 1, false},
                 {"reference", 5, -1, 1, false}, {"far", 3, -1, 3, false}, {"far", 2, 4, 4, false}};

    (void) state;
    OP_NEEDS_CPU();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct t2_err err = T2_ERR_INIT;
        struct dev *d = NULL;
        struct t2_pool *pool;

        assert_int_equal(dev_open(cases[i].name, cases[i].opened, &d, &err), T2_OK);
        assert_int_equal(d->pool != NULL, strcmp(cases[i].name, "cpu") == 0);
        if (cases[i].set >= 0)
            dev_set_host_threads(d, cases[i].set);
        pool = dev_host_pool(d);
        assert_int_equal(dev_host_threads(d), cases[i].expected);
        assert_int_equal(t2_pool_threads(pool), cases[i].expected);
        assert_int_equal(pool && pool == d->pool, cases[i].shared);
        assert_ptr_equal(dev_host_pool(d), pool);
        if (strcmp(cases[i].name, "cpu") == 0)
            assert_int_equal(t2_pool_threads(d->pool), cases[i].opened);
        dev_close(d);
    }
}

T_MAIN(cmocka_unit_test(test_host_threads), cmocka_unit_test(test_queues),
       cmocka_unit_test(test_events), cmocka_unit_test(test_unknown), cmocka_unit_test(test_memory))
