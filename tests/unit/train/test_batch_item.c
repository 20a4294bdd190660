/*
 * Tests of train/input/batch_item.c: blocks grow and are used again; in every mode of train/input
 * batches lie in memory that was passed in, whatever was in it, and all of it goes back.
 */
#include "train/input/batch_item.h"

#include <pthread.h>
#include <stdlib.h>

#include "tests/unit/train/input_modes.h"

static struct t2_err err;

/* An allocator with a list of what is out, each block with a fence behind it. */
enum { MOST_BLOCKS = 256, FENCE = 64, DIRT = 0xa5 };
struct ledger {
    struct {
        unsigned char *data;
        size_t bytes;
    } blocks[MOST_BLOCKS];
    int n, n_allocs, fail_at; /* 0: never */
    bool bad;                 /* set on the input's thread, where nothing may be asserted */
    pthread_mutex_t lock;
};

static void *take(struct ledger *l, size_t bytes)
{
    unsigned char *p;

    if (++l->n_allocs == l->fail_at)
        return NULL;
    if (l->n == MOST_BLOCKS || bytes == 0) {
        l->bad = true;
        return NULL;
    }
    p = malloc(bytes + FENCE);
    memset(p, DIRT, bytes + FENCE);
    l->blocks[l->n].data = p;
    l->blocks[l->n++].bytes = bytes;
    return p;
}

static void *ledger_alloc(void *context, size_t bytes)
{
    struct ledger *l = context;
    void *p;

    pthread_mutex_lock(&l->lock);
    p = take(l, bytes);
    pthread_mutex_unlock(&l->lock);
    return p;
}

static void give_back(struct ledger *l, void *memory, size_t bytes)
{
    int i = 0;

    while (i < l->n && l->blocks[i].data != memory)
        i++;
    if (i == l->n || l->blocks[i].bytes != bytes) {
        l->bad = true;
        return;
    }
    for (size_t k = 0; k < FENCE; k++)
        l->bad = l->bad || l->blocks[i].data[bytes + k] != DIRT;
    free(memory);
    l->blocks[i] = l->blocks[--l->n];
}

static void ledger_free(void *context, void *memory, size_t bytes)
{
    struct ledger *l = context;

    pthread_mutex_lock(&l->lock);
    give_back(l, memory, bytes);
    pthread_mutex_unlock(&l->lock);
}

/* Whether [data, data + bytes) lies in one block. */
static bool lies_in(struct ledger *l, const void *data, size_t bytes)
{
    const unsigned char *p = data;
    bool found = false;

    pthread_mutex_lock(&l->lock);
    for (int i = 0; i < l->n; i++)
        found = found ||
                (p >= l->blocks[i].data && p + bytes <= l->blocks[i].data + l->blocks[i].bytes);
    pthread_mutex_unlock(&l->lock);
    return found;
}

static void test_room(void **state)
{
    struct ledger l = {.lock = PTHREAD_MUTEX_INITIALIZER};
    const struct in_memory memory = {ledger_alloc, ledger_free, &l};
    struct in_item item = {.memory = &memory};
    unsigned char *p;

    (void) state;
    p = in_item_room(&item, IN_TARGETS, 100, 20);
    assert_ptr_equal(in_item_room(&item, IN_TARGETS, 120, 0), p);
    assert_ptr_equal(in_item_room(&item, IN_TARGETS, 1, 0), p);
    assert_non_null(in_item_room(&item, IN_IMAGES, 0, 0)); /* a batch without rows */
    assert_int_equal(l.n, 2);
    assert_non_null(in_item_room(&item, IN_TARGETS, 121, 0));
    assert_int_equal(l.n, 2);
    l.fail_at = l.n_allocs + 1;
    assert_null(in_item_room(&item, IN_TARGETS, 122, 0));
    assert_int_equal(l.n, 1);
    assert_non_null(in_item_room(&item, IN_TARGETS, 122, 0)); /* later there is some */
    assert_null(in_item_room(&item, IN_INPUTS, SIZE_MAX, 1));
    in_item_release(&item);
    in_item_release(&item);
    assert_true(l.n == 0 && !l.bad);
}

/* What of a batch has memory, and how much. */
static size_t list_arrays(const struct mdl_batch *b, const void *arrays[9], size_t bytes[9])
{
    size_t inputs = (size_t) b->batch * (size_t) b->inputs_length * 4;
    size_t targets = (size_t) b->batch * (size_t) b->targets_length * 4, n = 0;
    size_t pixels = (size_t) b->batch * (size_t) (b->height * b->width * b->channels) * 4;
    const struct {
        const void *data;
        size_t bytes;
    } all[] = {{b->inputs, inputs},
               {b->inputs_segmentation, inputs},
               {b->inputs_position, inputs},
               {b->targets, targets},
               {b->targets_segmentation, targets},
               {b->targets_position, targets},
               {b->images, pixels},
               {b->other_labels, (size_t) b->batch * 4},
               {b->label_weights, (size_t) b->batch * 4}};

    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (all[i].data) {
            arrays[n] = all[i].data;
            bytes[n++] = all[i].bytes;
        }
    return n;
}

/* Both give the same batch; the second in memory of the ledger. */
static enum t2_status check_next(struct in_input *host, struct in_input *other, struct ledger *l)
{
    const void *a[9], *b[9];
    size_t a_bytes[9], b_bytes[9], n;
    struct mdl_batch of_host, of_other;
    uint64_t samples;
    enum t2_status st = in_next(host, &of_host, &samples, &err);

    assert_int_equal(in_next(other, &of_other, &samples, &err), st);
    if (st == T2_EOF)
        return st;
    n = list_arrays(&of_host, a, a_bytes);
    assert_int_equal(list_arrays(&of_other, b, b_bytes), n);
    for (size_t i = 0; i < n; i++) {
        assert_int_equal(a_bytes[i], b_bytes[i]);
        assert_memory_equal(a[i], b[i], a_bytes[i]);
        assert_true(lies_in(l, b[i], b_bytes[i]));
    }
    return st;
}

static void check_mode(const struct modes_mode *m, struct modes_setup *s)
{
    struct ledger l = {.lock = PTHREAD_MUTEX_INITIALIZER};
    const struct in_memory memory = {ledger_alloc, ledger_free, &l};
    struct in_input *host = modes_open(m, s), *other;

    s->options.memory = &memory;
    other = modes_open(m, s);
    assert_int_equal(l.n_allocs, 0); /* with the first batch only */
    for (int round = 0; round < 2; round++) {
        for (int k = 0; k < 20 && check_next(host, other, &l) == T2_OK; k++)
            continue;
        assert_int_equal(in_rewind(host, 0, &err), T2_OK);
        assert_int_equal(in_rewind(other, 0, &err), T2_OK);
    }
    in_free(host);
    in_free(other);
    assert_true(l.n == 0 && l.n_allocs > 0 && !l.bad);
}

/* The first, second, ... block is refused: a message, and nothing is left behind. */
static void check_refused(const struct modes_mode *m, struct modes_setup *s)
{
    struct mdl_batch b;
    uint64_t samples;
    enum t2_status st = T2_ENOMEM;

    s->options.prefetch_batches = 1;
    for (int fail_at = 1; st == T2_ENOMEM; fail_at++) {
        struct ledger l = {.lock = PTHREAD_MUTEX_INITIALIZER, .fail_at = fail_at};
        const struct in_memory memory = {ledger_alloc, ledger_free, &l};
        struct in_input *in;

        s->options.memory = &memory;
        in = modes_open(m, s);
        st = in_next(in, &b, &samples, &err);
        if (st == T2_ENOMEM)
            t_assert_contains(err.message, "no memory for a batch of ");
        assert_true(fail_at > 1 || st == T2_ENOMEM);
        in_free(in);
        assert_true(l.n == 0 && !l.bad);
    }
    assert_int_equal(st, T2_OK);
}

static void test_every_mode(void **state)
{
    const char *dir = modes_write();

    (void) state;
    for (int i = 0; i < N_MODES; i++) {
        struct modes_setup s = {0};

        modes_set_up(&modes[i], dir, &s);
        check_mode(&modes[i], &s);
        check_refused(&modes[i], &s);
        modes_release(&s);
    }
}

T_MAIN(cmocka_unit_test(test_room), cmocka_unit_test(test_every_mode))
