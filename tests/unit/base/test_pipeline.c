/*
 * tests/unit/base/test_pipeline.c - the ordered pipeline: order, limits, failures in each step, the
 * same result for any number of threads.
 */
#include <stdatomic.h>
#include <string.h>
#include <time.h>

#include "base/pool.h"
#include "tests/support/t.h"

enum { MAX_ITEMS = 2000 };

struct item {
    int64_t number;
    uint64_t value;
    bool used; /* to see that slots are reused and zeroed once */
};

/* Non-atomic members are touched by produce and consume only, each of which is never run twice at
 * the same time: thread sanitizer proves it. */
struct flow {
    int64_t n_items;
    int64_t fail_produce, fail_work, fail_work_2, fail_consume; /* -1 = never */

    int64_t produced;
    int64_t consumed;
    uint64_t sum;
    _Atomic int in_flight, max_in_flight, n_released, n_used, out_of_order, n_worked;
    int n_threads;
};

static struct flow flow_of(int64_t n_items)
{
    return (struct flow){.n_items = n_items,
                         .fail_produce = -1,
                         .fail_work = -1,
                         .fail_work_2 = -1,
                         .fail_consume = -1};
}

static enum t2_status produce(void *context, void *item, struct t2_err *err)
{
    struct flow *f = context;
    struct item *it = item;
    int now;

    if (f->produced == f->fail_produce)
        return t2_fail(err, T2_EIO, "produce %d", (int) f->produced);
    if (f->produced == f->n_items)
        return T2_EOF;
    now = atomic_fetch_add(&f->in_flight, 1) + 1;
    if (now > atomic_load(&f->max_in_flight))
        atomic_store(&f->max_in_flight, now);
    it->number = f->produced++;
    it->used = true;
    return T2_OK;
}

static enum t2_status work(void *context, void *item, int worker, struct t2_err *err)
{
    struct flow *f = context;
    struct item *it = item;

    if (worker < 0 || worker >= f->n_threads)
        atomic_fetch_add(&f->out_of_order, 1);
    atomic_fetch_add(&f->n_worked, 1);
    /* fail_work is slower than fail_work_2, so that it comes second. */
    if (it->number == f->fail_work) {
        nanosleep(&(struct timespec){0, 3000000}, NULL);
        return t2_fail(err, T2_EFORMAT, "work %d", (int) it->number);
    }
    if (it->number == f->fail_work_2) {
        nanosleep(&(struct timespec){0, 1000000}, NULL);
        return t2_fail(err, T2_EFORMAT, "work %d", (int) it->number);
    }
    it->value = t_hash64((uint64_t) it->number);
    return T2_OK;
}

static enum t2_status consume(void *context, void *item, struct t2_err *err)
{
    struct flow *f = context;
    struct item *it = item;

    atomic_fetch_sub(&f->in_flight, 1);
    if (it->number != f->consumed)
        atomic_fetch_add(&f->out_of_order, 1);
    if (it->number == f->fail_consume)
        return t2_fail(err, T2_ENOMEM, "consume %d", (int) it->number);
    f->consumed++;
    f->sum = f->sum * 31 + it->value;
    return T2_OK;
}

static void release(void *context, void *item)
{
    struct flow *f = context;

    atomic_fetch_add(&f->n_released, 1);
    if (((struct item *) item)->used)
        atomic_fetch_add(&f->n_used, 1);
}

static enum t2_status run(struct flow *f, int n_threads, int n_slots, struct t2_err *err)
{
    struct t2_pool *p = t2_pool_new(n_threads);
    const struct t2_pipeline steps = {.item_bytes = sizeof(struct item),
                                      .n_slots = n_slots,
                                      .produce = produce,
                                      .work = work,
                                      .consume = consume,
                                      .release = release,
                                      .context = f};
    enum t2_status st;

    f->n_threads = n_threads;
    st = t2_pool_pipeline(p, &steps, err);
    t2_pool_free(p);
    assert_int_equal(atomic_load(&f->out_of_order), 0);
    return st;
}

static const int thread_counts[] = {1, 2, 3, 8};

static void test_same_result_for_any_number_of_threads(void **state)
{
    uint64_t first = 0;

    (void) state;
    for (size_t t = 0; t < 4; t++) {
        for (int n_slots = 0; n_slots < 4; n_slots++) {
            struct flow f = flow_of(MAX_ITEMS);
            struct t2_err err = T2_ERR_INIT;
            int expected_slots = n_slots ? n_slots : 4 * thread_counts[t];

            assert_int_equal(run(&f, thread_counts[t], n_slots, &err), T2_OK);
            assert_int_equal(err.status, T2_OK);
            assert_int_equal(f.consumed, MAX_ITEMS);
            assert_int_equal(atomic_load(&f.n_worked), MAX_ITEMS);
            assert_int_equal(atomic_load(&f.n_released), expected_slots);
            assert_true(atomic_load(&f.max_in_flight) <= expected_slots);
            if (first == 0)
                first = f.sum;
            assert_true(f.sum == first);
        }
    }
}

static void test_nothing_to_do(void **state)
{
    (void) state;
    for (size_t t = 0; t < 4; t++) {
        struct flow f = flow_of(0);
        struct t2_err err = T2_ERR_INIT;

        assert_int_equal(run(&f, thread_counts[t], 0, &err), T2_OK);
        assert_int_equal(f.consumed, 0);
        assert_int_equal(atomic_load(&f.n_used), 0);
    }
}

static void check_failure(struct flow plan, enum t2_status st, const char *message,
                          int64_t n_consumed)
{
    for (size_t t = 0; t < 4; t++) {
        for (int repeat = 0; repeat < 5; repeat++) {
            struct flow f = plan;
            struct t2_err err = T2_ERR_INIT;

            assert_int_equal(run(&f, thread_counts[t], 0, &err), st);
            assert_int_equal(err.status, st);
            assert_string_equal(err.message, message);
            assert_int_equal(f.consumed, n_consumed);
            assert_int_equal(atomic_load(&f.n_released), 4 * thread_counts[t]);
        }
    }
}

static void test_failure_of_produce(void **state)
{
    struct flow f = flow_of(100);

    (void) state;
    f.fail_produce = 17;
    check_failure(f, T2_EIO, "produce 17", 17);
    f.fail_produce = 0;
    check_failure(f, T2_EIO, "produce 0", 0);
}

static void test_failure_of_work(void **state)
{
    struct flow f = flow_of(100);

    (void) state;
    f.fail_work = 5;
    check_failure(f, T2_EFORMAT, "work 5", 5);
    f.fail_work = 99;
    check_failure(f, T2_EFORMAT, "work 99", 99);
    f.fail_work = 0;
    check_failure(f, T2_EFORMAT, "work 0", 0);
}

static void test_failure_of_consume(void **state)
{
    struct flow f = flow_of(100);

    (void) state;
    f.fail_consume = 7;
    check_failure(f, T2_ENOMEM, "consume 7", 7);
}

static void test_the_first_failure_in_item_order_wins(void **state)
{
    struct flow f = flow_of(100);

    (void) state;
    f.fail_work = 5;
    f.fail_work_2 = 6;
    f.fail_produce = 8;
    check_failure(f, T2_EFORMAT, "work 5", 5);
    f.fail_consume = 3;
    check_failure(f, T2_ENOMEM, "consume 3", 3);
    /* The other way round: a later failure that comes afterwards changes nothing. */
    f = flow_of(100);
    f.fail_work = 6;
    f.fail_work_2 = 5;
    check_failure(f, T2_EFORMAT, "work 5", 5);
}

static enum t2_status fail_silently(void *context, void *item, struct t2_err *err)
{
    (void) context;
    (void) item;
    (void) err;
    return T2_EINTERRUPTED;
}

static void test_status_without_message(void **state)
{
    struct t2_pool *p = t2_pool_new(2);
    struct flow f = flow_of(10);
    const struct t2_pipeline steps = {.item_bytes = sizeof(struct item),
                                      .produce = fail_silently,
                                      .work = work,
                                      .consume = consume,
                                      .context = &f};
    struct t2_err err = T2_ERR_INIT;

    (void) state;
    assert_int_equal(t2_pool_pipeline(p, &steps, &err), T2_EINTERRUPTED);
    assert_int_equal(err.status, T2_EINTERRUPTED);
    t2_pool_free(p);
}

T_MAIN(cmocka_unit_test(test_same_result_for_any_number_of_threads),
       cmocka_unit_test(test_nothing_to_do), cmocka_unit_test(test_failure_of_produce),
       cmocka_unit_test(test_failure_of_work), cmocka_unit_test(test_failure_of_consume),
       cmocka_unit_test(test_the_first_failure_in_item_order_wins),
       cmocka_unit_test(test_status_without_message))
