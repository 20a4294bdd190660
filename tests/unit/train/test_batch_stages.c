/*
 * Tests of train/models/batch_stages.c: where batches lie that were sent, sent and not taken, cut,
 * taken twice, or not sent at all; memory that runs out; devices of the host's memory.
 */
#include "train/models/batch_stages.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/op_device.h"
#include "tests/support/t.h"

static struct t2_err err;

static struct dev *open_device(const char *name)
{
    struct dev *d = NULL;

    assert_int_equal(dev_open(name, 1, &d, &err), T2_OK);
    return d;
}

/* rows of `length` targets that are all `id`, in memory of alloc_host. */
static struct mdl_batch make(struct dev *d, int32_t rows, int32_t length, int32_t id)
{
    int32_t *ids = d->alloc_host(d, (size_t) (rows * length) * sizeof *ids);

    for (int32_t i = 0; i < rows * length; i++)
        ids[i] = id;
    return (struct mdl_batch){.batch = rows, .targets_length = length, .targets = ids};
}

/* A step of this batch copies it itself. */
static void expect_not_sent(struct mdl_stages *s, const struct mdl_batch *b)
{
    assert_int_equal(mdl_stages_begin(s, b, &err), T2_OK);
    assert_null(mdl_stages_find(s, b->targets));
    mdl_stages_end(s);
}

/* What a step of this batch finds. */
static void expect(struct mdl_stages *s, const struct mdl_batch *b, int32_t id)
{
    size_t n = (size_t) (b->batch * b->targets_length);
    int32_t *got = malloc(n * sizeof *got);
    const void *there;

    assert_int_equal(mdl_stages_begin(s, b, &err), T2_OK);
    there = mdl_stages_find(s, b->targets);
    assert_non_null(there);
    s->dev->download(s->dev, got, there, n * sizeof *got);
    mdl_stages_end(s);
    for (size_t i = 0; i < n; i++)
        assert_int_equal(got[i], id);
    free(got);
}

static void end(struct mdl_stages *s)
{
    struct dev *d = s->dev;

    mdl_stages_release(s);
    assert_int_equal(dev_check(d, &err), T2_OK);
    dev_close(d);
}

static void test_sent(void **state)
{
    struct mdl_stages s = {.dev = open_device("far")};
    struct mdl_batch a, b, cut;
    uint64_t ticket;

    (void) state;
    a = make(s.dev, 4, 10, 1);
    b = make(s.dev, 7, 30, 2); /* larger than what was there */
    assert_int_equal(mdl_stages_send(&s, &a, &err), T2_OK);
    assert_int_equal(mdl_stages_send(&s, &b, &err), T2_OK);
    ticket = a.sent;
    assert_int_equal(mdl_stages_send(&s, &a, &err), T2_OK); /* it is on its way */
    assert_true(ticket != 0 && a.sent == ticket && b.sent != ticket);
    expect(&s, &a, 1);
    cut = b;
    cut.batch = 2;
    expect(&s, &cut, 2);
    expect_not_sent(&s, &a); /* once more: copied by the step */
    end(&s);
}

/* Memory of batches is written again in time, and what no step took is not taken later. */
static void test_memory_is_used_again(void **state)
{
    struct mdl_stages s = {.dev = open_device("far")};
    struct mdl_batch b;

    (void) state;
    b = make(s.dev, 3, 5, 0);
    for (int32_t k = 1; k < 40; k++) {
        b.sent = 0;
        for (int32_t i = 0; i < 15; i++)
            ((int32_t *) (uintptr_t) b.targets)[i] = k;
        assert_int_equal(mdl_stages_send(&s, &b, &err), T2_OK);
        if (k % 3 == 0)
            mdl_stages_forget(&s);
        else if (k % 3 == 1)
            expect(&s, &b, k);
        else /* two more are sent, so this one is not there for its step */
            for (int i = 0; i < 2; i++) {
                struct mdl_batch other = make(s.dev, 2, 2, 100);

                assert_int_equal(mdl_stages_send(&s, &other, &err), T2_OK);
            }
        if (k % 3 == 1)
            mdl_stages_wait_read(&s);
        if (k % 3 != 1)
            expect_not_sent(&s, &b);
    }
    end(&s);
}

/* Bytes become floats on the device, so they are copied there at the latest by their step. */
static void test_not_sent(void **state)
{
    static const int32_t ids[6] = {7, 7, 7, 7, 7, 7}; /* nobody's pinned memory */
    static const float values[256] = {0};
    struct mdl_batch b = {.batch = 6, .targets_length = 1, .targets = ids};
    struct mdl_stages s = {.dev = open_device("far")};
    int32_t other;

    (void) state;
    expect_not_sent(&s, &b);
    b.height = b.width = b.channels = 1;
    b.image_bytes = (const uint8_t *) ids;
    b.byte_values = values;
    expect(&s, &b, 7);
    assert_null(mdl_stages_find(&s, ids));
    assert_int_equal(mdl_stages_begin(&s, &b, &err), T2_OK);
    assert_null(mdl_stages_find(&s, &other));
    mdl_stages_end(&s);
    end(&s);
}

/* All matrices of a batch, none over another. */
static void test_all_parts(void **state)
{
    const struct mdl_shape shapes[] = {
        {.batch = 3, .inputs_length = 5, .targets_length = 7, .packed = true},
        {.batch = 2, .targets_length = 1, .height = 3, .width = 4, .channels = 3, .mixed = true},
        {.batch = 2,
         .targets_length = 1,
         .height = 3,
         .width = 4,
         .channels = 3,
         .image_bytes = true}};

    (void) state;
    for (int k = 0; k < 3; k++) {
        const struct mdl_shape *p = &shapes[k];
        struct mdl_stages s = {.dev = open_device("far")};
        uint64_t before = s.dev->memory(s.dev).used_bytes;
        size_t of[] = {(size_t) (p->batch * p->inputs_length) * 4,
                       (size_t) (p->batch * p->targets_length) * 4,
                       (size_t) (p->batch * p->height * p->width * p->channels),
                       (size_t) p->batch * 4, (size_t) p->channels * 1024};
        struct mdl_batch b = {.batch = p->batch,
                              .inputs_length = p->inputs_length,
                              .targets_length = p->targets_length,
                              .height = p->height,
                              .width = p->width,
                              .channels = p->channels};
        const void *parts[6] = {NULL};
        size_t bytes[6];
        char got[2000], *host = s.dev->alloc_host(s.dev, 6 * 2000);

        for (int i = 0; i < 6; i++) {
            memset(host + i * 2000, 10 + i, 2000);
            parts[i] = host + i * 2000;
            bytes[i] = of[k == 0 ? i / 3 : 1];
        }
        b.targets = parts[3];
        if (k == 0) {
            b.inputs = parts[0];
            b.inputs_segmentation = parts[1];
            b.inputs_position = parts[2];
            b.targets_segmentation = parts[4];
            b.targets_position = parts[5];
        } else if (k == 1) {
            b.images = parts[0];
            b.other_labels = parts[1];
            b.label_weights = parts[2];
            bytes[0] = of[2] * 4;
            bytes[1] = bytes[2] = of[3];
        } else {
            b.image_bytes = parts[0];
            b.mirrored = parts[1];
            bytes[0] = of[2];
            bytes[1] = (size_t) p->batch;
        }
        assert_int_equal(mdl_stages_send(&s, &b, &err), T2_OK);
        assert_int_equal(mdl_stages_begin(&s, &b, &err), T2_OK);
        for (int i = 0; i < (k == 0 ? 6 : k == 1 ? 4 : 2); i++) {
            const void *there = mdl_stages_find(&s, parts[i]);

            assert_non_null(there);
            s.dev->download(s.dev, got, there, bytes[i]);
            for (size_t n = 0; n < bytes[i]; n++)
                assert_int_equal(got[n], 10 + i);
        }
        mdl_stages_end(&s);
        assert_true((s.dev->memory(s.dev).used_bytes - before) * 2 <= mdl_stages_bytes(s.dev, p));
        end(&s);
    }
}

/* Device far with so many bytes beside what it takes itself; T2_FAR_MEMORY stays. */
static struct dev *open_with(uint64_t bytes)
{
    struct dev *d = open_device("far");
    char text[32];

    snprintf(text, sizeof text, "%llu", (unsigned long long) (d->memory(d).used_bytes + bytes));
    dev_close(d);
    setenv("T2_FAR_MEMORY", text, 1);
    return open_device("far");
}

static void test_no_memory(void **state)
{
    struct mdl_stages s = {.dev = open_with(1000)};
    struct mdl_batch b;

    (void) state;
    if (op_is_gpu(s.dev)) {
        dev_close(s.dev);
        t_skip("a GPU has the memory that it has");
    }
    b = make(s.dev, 10, 100, 1);
    assert_int_equal(mdl_stages_send(&s, &b, &err), T2_ENOMEM);
    t_assert_contains(err.message, s.dev->name);
    t_assert_contains(err.message, ": not enough memory for a batch (4.1 kB)");
    assert_int_equal(b.sent, 0);
    b.batch = 1;
    assert_int_equal(mdl_stages_send(&s, &b, &err), T2_OK);
    expect(&s, &b, 1);
    end(&s);
    unsetenv("T2_FAR_MEMORY");
}

static void test_host_memory(void **state)
{
    const struct mdl_shape shape = {.batch = 3, .targets_length = 5};
    struct mdl_stages s = {.dev = open_device("reference")};
    struct mdl_batch b;

    (void) state;
    b = make(s.dev, 3, 5, 1);
    assert_int_equal(mdl_stages_bytes(s.dev, &shape), s.dev->host_memory ? 0 : 512);
    assert_int_equal(mdl_stages_send(&s, &b, &err), T2_OK);
    assert_int_equal(mdl_stages_begin(&s, &b, &err), T2_OK);
    if (s.dev->host_memory)
        assert_ptr_equal(mdl_stages_find(&s, b.targets), b.targets);
    mdl_stages_end(&s);
    mdl_stages_forget(&s);
    s.dev->free_host(s.dev, (void *) (uintptr_t) b.targets);
    end(&s);
}

T_MAIN(cmocka_unit_test(test_sent), cmocka_unit_test(test_memory_is_used_again),
       cmocka_unit_test(test_not_sent), cmocka_unit_test(test_all_parts),
       cmocka_unit_test(test_no_memory), cmocka_unit_test(test_host_memory))
