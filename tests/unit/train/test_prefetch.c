/*
 * Tests of train/input/prefetch.c: order, bound of the queue, what ends the thread, stopping early.
 */
#include "train/input/prefetch.h"

#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

#include "tests/support/t.h"

static struct t2_err err;

struct source {
    uint64_t next, end;
    enum t2_status at_end;
    _Atomic uint64_t made;
};

static enum t2_status produce(void *context, struct in_item *item, struct t2_err *e)
{
    struct source *s = context;

    if (s->next == s->end)
        return s->at_end == T2_EOF ? T2_EOF
                                   : t2_fail(e, s->at_end, "item %d is bad", (int) s->next);
    item->samples = s->next++;
    atomic_store(&s->made, s->next);
    return T2_OK;
}

static struct in_prefetch *start(struct source *s, int n_ahead)
{
    struct in_prefetch *p = NULL;

    assert_int_equal(in_prefetch_new(n_ahead, &in_host_memory, produce, s, &p, &err), T2_OK);
    return p;
}

static void test_all_in_order(void **state)
{
    struct source s = {.end = 5000, .at_end = T2_EOF};
    struct in_prefetch *p = start(&s, 3);
    const struct in_item *item;
    double wait_s = 0;

    (void) state;
    for (uint64_t i = 0; i < 5000; i++) {
        assert_int_equal(in_prefetch_next(p, &item, &wait_s, &err), T2_OK);
        assert_int_equal(item->samples, i);
        assert_true(atomic_load(&s.made) <= i + 1 + 3); /* the bound, besides the one held */
    }
    assert_int_equal(in_prefetch_next(p, &item, &wait_s, &err), T2_EOF);
    assert_int_equal(in_prefetch_next(p, &item, &wait_s, &err), T2_EOF);
    assert_true(wait_s >= 0);
    in_prefetch_free(p);
}

static void test_the_item_held_is_not_touched(void **state)
{
    struct source s = {.end = 100, .at_end = T2_EOF};
    struct in_prefetch *p = start(&s, 1);
    const struct in_item *item;
    double wait_s = 0;

    (void) state;
    for (uint64_t i = 0; i < 20; i++) {
        assert_int_equal(in_prefetch_next(p, &item, &wait_s, &err), T2_OK);
        usleep(500);
        assert_int_equal(item->samples, i);
    }
    in_prefetch_free(p);
}

static void test_a_failure_comes_after_the_items_before_it(void **state)
{
    struct source s = {.end = 4, .at_end = T2_EFORMAT};
    struct in_prefetch *p = start(&s, 8);
    const struct in_item *item;
    double wait_s = 0;

    (void) state;
    usleep(2000); /* it has failed by now, most likely */
    for (int i = 0; i < 4; i++)
        assert_int_equal(in_prefetch_next(p, &item, &wait_s, &err), T2_OK);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(in_prefetch_next(p, &item, &wait_s, &err), T2_EFORMAT);
        assert_string_equal(err.message, "item 4 is bad");
    }
    in_prefetch_free(p);
}

/* The item that comes next, which the thread leaves alone until it was given and given back. */
static void test_peeking(void **state)
{
    struct source s = {.end = 30, .at_end = T2_EOF};
    struct in_prefetch *p = start(&s, 1);
    const struct in_item *item;
    double wait_s = 0;

    (void) state;
    for (uint64_t i = 0; i < 30; i++) {
        struct in_item *next;

        while (!(next = in_prefetch_peek(p)))
            usleep(100);
        assert_int_equal(next->samples, i);
        next->batch.sent = 7 + i;
        usleep(200);
        assert_ptr_equal(in_prefetch_peek(p), next);
        assert_int_equal(in_prefetch_next(p, &item, &wait_s, &err), T2_OK);
        assert_ptr_equal(item, next);
        assert_int_equal(item->samples, i);
        assert_int_equal(item->batch.sent, 7 + i);
    }
    assert_int_equal(in_prefetch_next(p, &item, &wait_s, &err), T2_EOF);
    assert_null(in_prefetch_peek(p));
    in_prefetch_free(p);
}

static void test_stopping_at_any_time(void **state)
{
    (void) state;
    for (int k = 0; k < 50; k++) {
        struct source s = {.end = 1000, .at_end = T2_EOF};
        struct in_prefetch *p = start(&s, 1 + k % 4);
        const struct in_item *item;
        double wait_s = 0;

        for (int i = 0; i < k % 7; i++)
            assert_int_equal(in_prefetch_next(p, &item, &wait_s, &err), T2_OK);
        in_prefetch_free(p);
    }
    in_prefetch_free(NULL);
}

T_MAIN(cmocka_unit_test(test_all_in_order), cmocka_unit_test(test_the_item_held_is_not_touched),
       cmocka_unit_test(test_a_failure_comes_after_the_items_before_it),
       cmocka_unit_test(test_peeking), cmocka_unit_test(test_stopping_at_any_time))
