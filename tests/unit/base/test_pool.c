/*
 * tests/unit/base/test_pool.c - every piece exactly once, whatever the number of threads; many
 * short calls; sleeping and waking.
 */
#include "base/pool.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>

#include "tests/unit/base/in_child.h"

enum { MAX_PIECES = 5000 };

struct counts {
    _Atomic int per_piece[MAX_PIECES];
    _Atomic int bad_worker;
    int n_threads;
    pthread_t other; /* some thread that is not the caller */
    _Atomic int sleep_us;
};

static void count(void *arg, int64_t piece, int worker)
{
    struct counts *c = arg;
    int us = atomic_load(&c->sleep_us);

    if (worker < 0 || worker >= c->n_threads)
        atomic_fetch_add(&c->bad_worker, 1);
    if (us > 0)
        nanosleep(&(struct timespec){0, us * 1000L}, NULL);
    atomic_fetch_add(&c->per_piece[piece], 1);
}

static void check_counts(struct counts *c, int n_pieces, int expected)
{
    assert_int_equal(atomic_load(&c->bad_worker), 0);
    for (int i = 0; i < MAX_PIECES; i++)
        assert_int_equal(atomic_load(&c->per_piece[i]), i < n_pieces ? expected : 0);
}

static void test_each_piece_once(void **state)
{
    static const int threads[] = {1, 2, 3, 8, 130}; /* more than bits in a word */
    static const int pieces[] = {0, 1, 2, 3, 7, 64, MAX_PIECES};

    (void) state;
    for (size_t t = 0; t < sizeof threads / sizeof *threads; t++) {
        struct t2_pool *p = t2_pool_new(threads[t]);

        assert_int_equal(t2_pool_threads(p), threads[t]);
        for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++) {
            static struct counts c;

            memset(&c, 0, sizeof c);
            c.n_threads = threads[t];
            t2_pool_run(p, pieces[i], count, &c);
            check_counts(&c, pieces[i], 1);
        }
        t2_pool_free(p);
    }
}

/* Short calls in a row: a late worker must not take a piece of the wrong call. */
static void test_many_short_calls(void **state)
{
    enum { CALLS = 20000 };
    struct t2_pool *p = t2_pool_new(3);
    static struct counts a, b;

    (void) state;
    memset(&a, 0, sizeof a);
    memset(&b, 0, sizeof b);
    a.n_threads = b.n_threads = 3;
    for (int i = 0; i < CALLS; i++) {
        t2_pool_run(p, 2, count, &a);
        t2_pool_run(p, 3, count, &b);
    }
    check_counts(&a, 2, CALLS);
    check_counts(&b, 3, CALLS);
    t2_pool_free(p);
}

/* Plain memory written by pieces is visible to the caller, and to the pieces of the next call. */
static void add_previous(void *arg, int64_t piece, int worker)
{
    int64_t *values = arg;

    (void) worker;
    values[64 + piece] = values[63 - piece] + piece;
}

static void test_memory_is_visible(void **state)
{
    struct t2_pool *p = t2_pool_new(4);
    int64_t values[128] = {0}, expected[128] = {0};

    (void) state;
    for (int round = 0; round < 500; round++) {
        t2_pool_run(p, 64, add_previous, values);
        memcpy(values, values + 64, 64 * sizeof *values);
        for (int64_t i = 0; i < 64; i++)
            expected[64 + i] = expected[63 - i] + i;
        memcpy(expected, expected + 64, 64 * sizeof *expected);
    }
    assert_memory_equal(values, expected, sizeof values);
    t2_pool_free(p);
}

/* Workers that went to sleep wake up; a caller that waits for slow workers does too. */
static void test_sleeping_and_waking(void **state)
{
    struct t2_pool *p = t2_pool_new(4);
    static struct counts c;

    (void) state;
    memset(&c, 0, sizeof c);
    c.n_threads = 4;
    for (int i = 0; i < 20; i++) {
        nanosleep(&(struct timespec){0, i % 2 * 2000000L}, NULL);
        atomic_store(&c.sleep_us, i % 3 * 300);
        t2_pool_run(p, i % 5 + 2, count, &c);
    }
    assert_int_equal(atomic_load(&c.per_piece[0]), 20);
    assert_int_equal(atomic_load(&c.per_piece[1]), 20);
    assert_int_equal(atomic_load(&c.per_piece[5]), 4);
    t2_pool_free(p);
}

static void note_order(void *arg, int64_t piece, int worker)
{
    int64_t *order = arg;

    (void) worker;
    order[++order[0]] = piece;
}

static void test_one_thread_runs_inline_in_order(void **state)
{
    struct t2_pool *p = t2_pool_new(1);
    int64_t order[11] = {0};

    (void) state;
    t2_pool_run(p, 10, note_order, order);
    for (int i = 0; i < 10; i++)
        assert_int_equal(order[i + 1], i);
    t2_pool_free(p);
}

static void note_thread(void *arg, int64_t piece, int worker)
{
    struct counts *c = arg;

    if (worker == 0 && !pthread_equal(c->other, pthread_self()))
        atomic_fetch_add(&c->bad_worker, 1);
    count(arg, piece, worker);
}

static void test_the_caller_is_worker_0(void **state)
{
    struct t2_pool *p = t2_pool_new(3);
    static struct counts c;

    (void) state;
    memset(&c, 0, sizeof c);
    c.n_threads = 3;
    c.other = pthread_self();
    t2_pool_run(p, 1000, note_thread, &c);
    check_counts(&c, 1000, 1);
    t2_pool_free(p);
}

struct orders {
    int64_t last[8]; /* per worker: its last piece */
    _Atomic int n_wrong;
};

static void check_ascending(void *arg, int64_t piece, int worker)
{
    struct orders *o = arg;

    if (piece <= o->last[worker])
        atomic_fetch_add(&o->n_wrong, 1);
    o->last[worker] = piece;
}

static void test_pieces_ascend(void **state)
{
    struct t2_pool *p = t2_pool_new(4);
    struct orders o = {.last = {-1, -1, -1, -1}};

    (void) state;
    t2_pool_run(p, 5000, check_ascending, &o);
    assert_int_equal(atomic_load(&o.n_wrong), 0);
    t2_pool_free(p);
}

/* Each piece waits until all have begun: that takes as many threads, all of them awake. */
static void wait_for_others(void *arg, int64_t piece, int worker)
{
    _Atomic int *n_begun = arg;

    (void) piece;
    (void) worker;
    atomic_fetch_add(n_begun, 1);
    for (int ms = 0; ms < 10000 && atomic_load(n_begun) < 3; ms++)
        nanosleep(&(struct timespec){0, 1000000}, NULL);
    if (atomic_load(n_begun) < 3)
        atomic_store(n_begun, -100);
}

static void test_sleeping_workers_are_woken(void **state)
{
    struct t2_pool *p = t2_pool_new(3);

    (void) state;
    for (int i = 0; i < 3; i++) {
        _Atomic int n_begun = 0;

        nanosleep(&(struct timespec){0, 5000000}, NULL);
        t2_pool_run(p, 3, wait_for_others, &n_begun);
        assert_int_equal(atomic_load(&n_begun), 3);
    }
    t2_pool_free(p);
}

static void test_default_size(void **state)
{
    struct t2_pool *p = t2_pool_new(0);

    (void) state;
    assert_int_equal(t2_pool_threads(p), t2_cpu_count());
    t2_pool_free(p);
    t2_pool_free(NULL);
}

static void call_again(void *arg, int64_t piece, int worker)
{
    (void) piece;
    (void) worker;
    t2_pool_run(arg, 2, call_again, arg);
}

static void nest(void *arg)
{
    struct t2_pool *p = t2_pool_new(2);

    (void) arg;
    t2_pool_run(p, 2, call_again, p);
}

static void test_nesting_is_caught(void **state)
{
    (void) state;
    assert_aborts(nest, NULL, "assertion failed: !nested");
}

static void test_unused_pools(void **state)
{
    (void) state;
    for (int i = 0; i < 50; i++)
        t2_pool_free(t2_pool_new(4));
}

T_MAIN(cmocka_unit_test(test_nesting_is_caught), cmocka_unit_test(test_each_piece_once),
       cmocka_unit_test(test_many_short_calls), cmocka_unit_test(test_memory_is_visible),
       cmocka_unit_test(test_sleeping_and_waking),
       cmocka_unit_test(test_one_thread_runs_inline_in_order),
       cmocka_unit_test(test_the_caller_is_worker_0), cmocka_unit_test(test_pieces_ascend),
       cmocka_unit_test(test_sleeping_workers_are_woken), cmocka_unit_test(test_default_size),
       cmocka_unit_test(test_unused_pools))
