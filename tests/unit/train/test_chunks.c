/* Tests of train/input/chunks.c: rows cut into chunks, and where to go on in the middle. */
#include "train/input/chunks.h"

#include <string.h>

#include "tests/support/t.h"

static struct t2_err err;

/* The whole batch: 2 rows of 7 ids, after `begin` samples. */
static void begin(struct in_chunks *c, uint64_t samples)
{
    static int32_t ids[] = {1, 2, 3, 4, 5, 6, 7, 11, 12, 13, 0, 0, 0, 0};

    c->whole.batch = (struct mdl_batch){.batch = 2, .targets_length = 7, .targets = ids};
    c->whole.samples = samples;
    assert_int_equal(in_chunks_begin(c, &err), T2_OK);
}

static void check_next(struct in_chunks *c, struct in_item *item, int32_t chunk,
                       const int32_t expected[6])
{
    assert_int_equal(in_chunks_next(c, item, &err), T2_OK);
    assert_int_equal(item->batch.batch, 2);
    assert_int_equal(item->batch.targets_length, 3);
    assert_int_equal(item->batch.chunk, chunk);
    assert_memory_equal(item->batch.targets, expected, 6 * sizeof *expected);
}

static const int32_t chunks[][6] = {{1, 2, 3, 11, 12, 13}, {4, 5, 6, 0, 0, 0}, {7, 0, 0, 0, 0, 0}};

static void test_chunks(void **state)
{
    struct in_chunks c = {.length = 3};
    struct in_item item = {.memory = &in_host_memory};

    (void) state;
    in_chunks_seek(&c, 40);
    begin(&c, 42);
    for (int32_t i = 0; i < 3; i++) {
        check_next(&c, &item, i, chunks[i]);
        assert_int_equal(in_position_samples(item.samples), i == 2 ? 42 : 40);
        assert_int_equal(item.samples >> IN_CHUNK_SHIFT, i == 2 ? 0 : i + 1);
    }
    assert_int_equal(c.n, 0); /* another batch is wanted */
    begin(&c, 44);
    check_next(&c, &item, 0, chunks[0]);
    assert_int_equal(in_position_samples(item.samples), 42);
    in_item_release(&item);
    in_chunks_release(&c);
}

static void test_continued(void **state)
{
    struct in_chunks c = {.length = 3};
    struct in_item item = {.memory = &in_host_memory};

    (void) state;
    in_chunks_seek(&c, 40 | (uint64_t) 2 << IN_CHUNK_SHIFT);
    begin(&c, 42);
    check_next(&c, &item, 2, chunks[2]);
    assert_int_equal(item.samples, 42);
    /* fewer chunks than were given: other data */
    in_chunks_seek(&c, 40 | (uint64_t) 3 << IN_CHUNK_SHIFT);
    begin(&c, 42);
    check_next(&c, &item, 0, chunks[0]);
    in_item_release(&item);
    in_chunks_release(&c);
}

static void test_sizes(void **state)
{
    static int32_t id = 5;
    struct in_chunks c = {.length = 4};
    struct in_item item = {.memory = &in_host_memory};

    (void) state;
    assert_int_equal(in_chunks_of(&c, 0), 1);
    assert_int_equal(in_chunks_of(&c, 4), 1);
    assert_int_equal(in_chunks_of(&c, 5), 2);
    c.whole.batch = (struct mdl_batch){.batch = 1, .targets_length = 1, .targets = &id};
    assert_int_equal(in_chunks_begin(&c, &err), T2_OK);
    assert_int_equal(in_chunks_next(&c, &item, &err), T2_OK);
    assert_memory_equal(item.batch.targets, ((const int32_t[]){5, 0, 0, 0}), 16);
    c.whole.batch.targets_length = 4 * IN_MOST_CHUNKS + 1;
    c.n = 0;
    assert_int_equal(in_chunks_begin(&c, &err), T2_EUSAGE);
    t_assert_contains(err.message, "split_targets_chunk_length larger");
    in_item_release(&item);
    in_chunks_release(&c);
}

T_MAIN(cmocka_unit_test(test_chunks), cmocka_unit_test(test_continued),
       cmocka_unit_test(test_sizes))
