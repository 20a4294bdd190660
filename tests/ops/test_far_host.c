/* Tests of train/device/far/far_host.c: the host's memory of copies, and what a program may not do
 * with it while a queue reads it. */
#include "train/device/far/far.h"

#include <string.h>

#include "tests/support/t.h"

static struct dev *far(void)
{
    struct t2_err err = T2_ERR_INIT;
    struct dev *d;

    assert_int_equal(dev_open("far", 1, &d, &err), T2_OK);
    return d;
}

static void expect_failure(struct dev *d, const char *message)
{
    struct t2_err err = T2_ERR_INIT;

    d->sync(d);
    assert_int_equal(dev_check(d, &err), T2_EDEVICE);
    t_assert_contains(err.message, message);
    dev_close(d);
}

static void test_written_too_early(void **state)
{
    struct dev *d = far();
    char *x = d->alloc(d, 100), *host = d->alloc_host(d, 100);

    (void) state;
    d->upload_on(d, DEV_COPY_IN, x, host, 100);
    host[99] = 1;
    expect_failure(d, "an upload's 100 bytes changed before it ran, in the copy-in queue");
}

static void test_freed_too_early(void **state)
{
    struct dev *d = far();
    char *x = d->alloc(d, 100), *host = d->alloc_host(d, 100);

    (void) state;
    d->upload_on(d, DEV_COPY_IN, x, host, 100);
    d->free_host(d, host);
    expect_failure(d, "an upload's 100 bytes changed before it ran");
}

/* When an event behind the copy has passed, the memory may be written, freed and used again. */
static void test_in_time(void **state)
{
    struct t2_err err = T2_ERR_INIT;
    struct dev *d = far();
    struct dev_event *e = d->event_new(d);
    char *x = d->alloc(d, 100);

    (void) state;
    d->sync(d);
    for (int i = 0; i < 50; i++) {
        char *host = d->alloc_host(d, 100);

        memset(host, i, 100);
        d->upload_on(d, DEV_COPY_IN, x, host, 100);
        d->event_record(d, DEV_COPY_IN, e);
        d->event_wait(d, e);
        memset(host, 0, 100);
        d->free_host(d, host);
    }
    d->sync(d);
    assert_int_equal(dev_check(d, &err), T2_OK);
    d->event_free(d, e);
    dev_close(d);
}

/* Bytes of anybody else are not for queues, nor are those behind a piece. */
static void test_whose_bytes(void **state)
{
    static char other[100];

    (void) state;
    for (int k = 0; k < 4; k++) {
        struct dev *d = far();
        char *x = d->alloc(d, 100), *host = d->alloc_host(d, 100);

        d->sync(d);
        if (k == 0)
            d->upload_on(d, DEV_COPY_IN, x, other, 100);
        else if (k == 1)
            d->download_on(d, DEV_EXCHANGE, other, x, 100);
        else if (k == 2)
            d->upload_on(d, DEV_COPY_IN, x, host + 1, 99);
        else
            d->upload_on(d, DEV_COPY_IN, x, other, 0);
        if (k < 2)
            expect_failure(d, "a queue copies 100 bytes that are not alloc_host's");
        else
            dev_close(d);
    }
}

/* What a download writes is there behind an event, and not before. */
static void test_downloads(void **state)
{
    struct dev *d = far();
    struct dev_event *e = d->event_new(d);
    char *x = d->alloc(d, 8), *host = d->alloc_host(d, 8);
    const char zeros[8] = {0};

    (void) state;
    d->download_on(d, DEV_COMPUTE, host, x, 8);
    d->event_record(d, DEV_COMPUTE, e);
    assert_memory_not_equal(host, zeros, 8);
    d->event_wait(d, e);
    assert_memory_equal(host, zeros, 8);
    d->event_free(d, e);
    dev_close(d);
}

T_MAIN(cmocka_unit_test(test_written_too_early), cmocka_unit_test(test_freed_too_early),
       cmocka_unit_test(test_in_time), cmocka_unit_test(test_whose_bytes),
       cmocka_unit_test(test_downloads))
