/* Tests of train/device/far/far_queue.c: queues run late and in a drawn order, so a missing wait
 * between two of them is found; with the waits every order gives the same. */
#include "train/device/far/far.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/t.h"

enum { N_STEPS = 30, N_SEEDS = 20 };

static struct dev *far(int seed)
{
    struct t2_err err = T2_ERR_INIT;
    char text[16];
    struct dev *d;

    snprintf(text, sizeof text, "%d", seed);
    setenv("T2_FAR_SEED", text, 1);
    assert_int_equal(dev_open("far", 1, &d, &err), T2_OK);
    unsetenv("T2_FAR_SEED");
    return d;
}

/* Which of the waits of a step are there. */
struct waits {
    bool there; /* compute waits for the copy */
    bool used;  /* the copy waits until compute has used what was there before */
};

/* Steps of training in small: number k is copied in beside the step before, which adds it up.
 * True if the sums are right. */
static bool runs(const struct waits *w, int seed)
{
    struct t2_err err = T2_ERR_INIT;
    struct dev *d = far(seed);
    float *in[2], *sum = d->alloc(d, sizeof *sum), *host = d->alloc_host(d, N_STEPS * sizeof *host);
    struct dev_event *there[2], *used[2];
    float right = 0, got;

    for (int i = 0; i < 2; i++) {
        in[i] = d->alloc(d, sizeof **in);
        there[i] = d->event_new(d);
        used[i] = d->event_new(d);
        d->event_record(d, DEV_COMPUTE, used[i]);
    }
    for (int k = 0; k < N_STEPS; k++) {
        int side = k % 2;

        host[k] = (float) (1 + k * k);
        right += host[k];
        if (w->used || k < 2) /* memory begins with zeros, which are compute's */
            d->queue_wait(d, DEV_COPY_IN, used[side]);
        d->upload_on(d, DEV_COPY_IN, in[side], host + k, sizeof *host);
        d->event_record(d, DEV_COPY_IN, there[side]);
        if (w->there)
            d->queue_wait(d, DEV_COMPUTE, there[side]);
        d->kernels->copy(
            d, &(struct dev_copy_args){.x = in[side], .n = 1, .y = sum, .accumulate = true});
        d->event_record(d, DEV_COMPUTE, used[side]);
    }
    d->download(d, &got, sum, sizeof got);
    assert_int_equal(dev_check(d, &err), T2_OK);
    for (int i = 0; i < 2; i++) {
        d->event_free(d, there[i]);
        d->event_free(d, used[i]);
    }
    dev_close(d);
    return got == right;
}

static int n_right(const struct waits *w)
{
    int n = 0;

    for (int seed = 0; seed < N_SEEDS; seed++)
        n += runs(w, seed);
    return n;
}

static void test_missing_waits_are_found(void **state)
{
    (void) state;
    assert_int_equal(n_right(&(struct waits){.there = true, .used = true}), N_SEEDS);
    assert_int_equal(n_right(&(struct waits){.there = false, .used = true}), 0);
    assert_int_equal(n_right(&(struct waits){.there = true, .used = false}), 0);
}

/* The same seed is the same order, and another another. */
static void test_the_order_is_drawn(void **state)
{
    int first[N_SEEDS], n_different = 0;

    (void) state;
    for (int round = 0; round < 2; round++)
        for (int seed = 0; seed < N_SEEDS; seed++) {
            struct dev *d = far(seed);
            struct dev_event *e[2] = {d->event_new(d), d->event_new(d)};
            bool copies_first;

            d->event_record(d, DEV_COMPUTE, e[0]);
            d->event_record(d, DEV_COPY_IN, e[1]);
            d->sync(d);
            copies_first = d->event_seconds(d, e[0], e[1]) < 0;
            if (round == 0)
                first[seed] = copies_first;
            else
                assert_int_equal(first[seed], copies_first);
            n_different += copies_first;
            d->event_free(d, e[0]);
            d->event_free(d, e[1]);
            dev_close(d);
        }
    assert_true(n_different > 2 && n_different < 2 * N_SEEDS - 2);
}

/* Nothing runs before somebody waits, and then only what they wait for must. */
static void test_late(void **state)
{
    struct dev *d = far(1);
    struct far_dev *f = (struct far_dev *) d;
    struct dev_event *e = d->event_new(d);
    float *x = d->alloc(d, sizeof *x), *host = d->alloc_host(d, sizeof *host);

    (void) state;
    for (int i = 0; i < 100; i++)
        d->upload_on(d, DEV_COPY_IN, x, host, sizeof *x);
    d->event_record(d, DEV_EXCHANGE, e);
    for (int i = 0; i < DEV_N_QUEUES; i++)
        assert_int_equal(f->queues[i].n_done, 0);
    d->event_wait(d, e);
    pthread_mutex_lock(&f->mutex);
    assert_int_equal(f->queues[DEV_EXCHANGE].n_done, 1);
    assert_true(f->queues[DEV_COPY_IN].n_done < 100);
    pthread_mutex_unlock(&f->mutex);
    d->sync(d);
    assert_int_equal(f->queues[DEV_COPY_IN].n_done, 100);
    d->event_free(d, e);
    dev_close(d);
}

T_MAIN(cmocka_unit_test(test_missing_waits_are_found), cmocka_unit_test(test_the_order_is_drawn),
       cmocka_unit_test(test_late))
