/*
 * Tests of train/input/pack.c: rows of a window against the original's, the stream of rows.
 */
#include "train/input/pack.h"

#include <string.h>

#include "base/alloc.h"
#include "tests/support/t.h"

static struct t2_err err;

/* What generator_utils.SequenceDatasetPacker(12, spacing=0, queue_size=10) of tensor2tensor 1.15.7
 * on tensorflow 1.15.5 made of samples i = 0 .. 119 with 1 + (7 i + 3) % 9 and 1 + (5 i + 1) % 13
 * ids; those with 13 were dropped. */
static const uint32_t original_members[] = {
    0,  1,   5,   2,   3,   6,   18,  4,   8,   7,   9,   13,  11,  14,  12,  15, 16, 19,  17,
    26, 20,  21,  22,  24,  27,  25,  28,  29,  32,  30,  31,  33,  44,  34,  37, 42, 35,  38,
    39, 40,  41,  43,  45,  50,  46,  57,  47,  55,  60,  48,  51,  52,  53,  63, 54, 56,  73,
    58, 68,  59,  70,  61,  78,  64,  65,  66,  76,  67,  69,  83,  71,  81,  72, 74, 86,  77,
    91, 79,  80,  82,  96,  84,  94,  85,  87,  99,  89,  104, 90,  92,  109, 93, 95, 112, 97,
    98, 100, 107, 102, 105, 103, 117, 106, 108, 110, 111, 113, 115, 118, 116, 119};
static const uint32_t original_begins[] = {0,   3,   4,   7,   9,   10,  12,  14,  15, 16, 18, 20,
                                           21,  23,  25,  26,  27,  29,  31,  33,  36, 37, 38, 40,
                                           41,  42,  44,  46,  49,  50,  52,  54,  55, 57, 59, 61,
                                           63,  65,  67,  68,  70,  72,  73,  75,  77, 78, 79, 81,
                                           83,  84,  86,  88,  89,  91,  92,  94,  95, 96, 98, 100,
                                           102, 103, 104, 105, 106, 107, 109, 110, 111};

static void test_queue_equals_the_original(void **state)
{
    int32_t inputs[120], targets[120], number[120];
    struct in_packed rows = {0};
    uint32_t n = 0;

    (void) state;
    for (int32_t i = 0; i < 120; i++) {
        if ((5 * i + 1) % 13 == 12)
            continue;
        number[n] = i;
        inputs[n] = 1 + (7 * i + 3) % 9;
        targets[n++] = 1 + (5 * i + 1) % 13;
    }
    in_pack(IN_PACK_QUEUE, 12, n, inputs, targets, &rows);
    assert_int_equal(rows.n_rows, sizeof original_begins / sizeof *original_begins - 1);
    assert_memory_equal(rows.begins, original_begins, sizeof original_begins);
    for (uint32_t i = 0; i < n; i++)
        assert_int_equal(number[rows.members[i]], original_members[i]);
    in_packed_release(&rows);
}

/* A sample looks at all of the latest 1000 rows, from the oldest on. */
static void test_latest(void **state)
{
    static const int32_t inputs[] = {6, 7, 3, 10, 1, 4}, targets[] = {2, 9, 1, 1, 1, 8};
    static const uint32_t members[] = {0, 2, 4, 1, 3, 5}, begins[] = {0, 3, 4, 5, 6};
    struct in_packed rows = {0};
    enum { N = 1203 };
    int32_t *many = t2_alloc(N, sizeof *many);

    (void) state;
    in_pack(IN_PACK_LATEST, 10, 6, inputs, targets, &rows);
    assert_int_equal(rows.n_rows, 4);
    assert_memory_equal(rows.begins, begins, sizeof begins);
    assert_memory_equal(rows.members, members, sizeof members);
    /* 1200 rows with room for one id more; rows 200 .. are within reach */
    for (int i = 0; i < N; i++)
        many[i] = i < 1200 ? 9 : 1;
    in_pack(IN_PACK_LATEST, 10, N, many, many, &rows);
    assert_int_equal(rows.n_rows, 1200);
    for (uint32_t r = 0; r < 1200; r++)
        assert_int_equal(rows.begins[r + 1] - rows.begins[r], r >= 200 && r < 203 ? 2 : 1);
    in_packed_release(&rows);
    t2_free(many);
}

static struct in_index index_of(uint64_t n)
{
    struct in_index x = {.n = n, .places = t2_alloc((size_t) n, sizeof(struct in_place))};

    for (uint64_t i = 0; i < n; i++)
        x.places[i] = (struct in_place){i, 1 + (int32_t) (t_hash64(i) % 16),
                                        1 + (int32_t) (t_hash64(i + 1000) % 16)};
    return x;
}

static void check_row(const struct in_place *const *row, uint32_t n, int32_t length)
{
    int32_t inputs = 0, targets = 0;

    assert_true(n > 0);
    for (uint32_t i = 0; i < n; i++) {
        inputs += row[i]->inputs_length;
        targets += row[i]->targets_length;
    }
    assert_true(inputs <= length && targets <= length);
}

/* Every sample once an epoch, in an order of its own; any place can be found again. */
static void check_stream(enum in_packing form, uint64_t n)
{
    struct in_index x = index_of(n);
    struct in_packer *p = in_packer_new(&x, form, 16, true, 7), *q;
    unsigned char *seen = t2_alloc((size_t) n, 1);
    const struct in_place *const *row;
    uint64_t first[2] = {0, 0};
    uint32_t count;

    for (int epoch = 0; epoch < 2; epoch++) {
        memset(seen, 0, (size_t) n);
        while (in_packer_samples(p) < (uint64_t) (epoch + 1) * n) {
            uint64_t at = in_packer_samples(p);
            const struct in_place *begins;

            assert_int_equal(in_packer_next(p, &row, &count), T2_OK);
            check_row(row, count, 16);
            for (uint32_t i = 0; i < count; i++)
                assert_int_equal(seen[row[i]->at]++, 0);
            if (at == (uint64_t) epoch * n)
                first[epoch] = row[0]->at;
            if (at % 7 != 0)
                continue;
            begins = row[0];
            q = in_packer_new(&x, form, 16, true, 7);
            assert_int_equal(in_packer_seek(q, at, &err), T2_OK);
            assert_int_equal(in_packer_samples(q), at);
            assert_int_equal(in_packer_next(q, &row, &count), T2_OK);
            assert_ptr_equal(row[0], begins);
            in_packer_free(q);
        }
        assert_int_equal(in_packer_samples(p), (uint64_t) (epoch + 1) * n);
        for (uint64_t i = 0; i < n; i++)
            assert_int_equal(seen[i], 1);
    }
    assert_true(n < 10 || first[0] != first[1]);
    in_packer_free(p);
    t2_free(x.places);
    t2_free(seen);
}

static void test_streams(void **state)
{
    (void) state;
    check_stream(IN_PACK_LATEST, 1);
    check_stream(IN_PACK_LATEST, 16);
    check_stream(IN_PACK_LATEST, 1003);
    check_stream(IN_PACK_QUEUE, 1);
    check_stream(IN_PACK_QUEUE, 1003);
    assert_int_equal(in_pack_window(IN_PACK_LATEST, 256), 256);
    assert_int_equal(in_pack_window(IN_PACK_QUEUE, 256), 3200);
}

static void test_a_pass_and_bad_positions(void **state)
{
    struct in_index x = index_of(100);
    struct in_packer *p = in_packer_new(&x, IN_PACK_QUEUE, 16, false, 7);
    const struct in_place *const *row;
    uint64_t n = 0, inside = 0, rows = 0;
    uint32_t count;

    (void) state;
    while (in_packer_next(p, &row, &count) == T2_OK) {
        if (count > 1 && inside == 0)
            inside = n + 1;
        n += count;
        rows++;
    }
    assert_int_equal(n, 100);
    assert_int_equal(in_packer_next(p, &row, &count), T2_EOF);
    assert_int_equal(in_packer_seek(p, 0, &err), T2_OK);
    assert_int_equal(in_packer_next(p, &row, &count), T2_OK);
    assert_true(in_packer_rows_per_sample(p) == (double) rows / 100);
    assert_int_equal(in_packer_seek(p, inside, &err), T2_EFORMAT);
    t_assert_contains(err.message, "is inside a packed row");
    assert_int_equal(in_packer_seek(p, UINT64_MAX, &err), T2_EFORMAT);
    in_packer_free(p);
    in_packer_free(NULL);
    t2_free(x.places);
}

T_MAIN(cmocka_unit_test(test_queue_equals_the_original), cmocka_unit_test(test_latest),
       cmocka_unit_test(test_streams), cmocka_unit_test(test_a_pass_and_bad_positions))
