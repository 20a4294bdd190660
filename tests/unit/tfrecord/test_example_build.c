/*
 * Building Examples: the bytes of the specification, order of keys, both builders alike.
 */
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "tests/support/t.h"
#include "tests/support/wire_bytes.h"
#include "tfrecord/example.h"

static void assert_bytes(const struct t2_buf *b, const void *expected, size_t n)
{
    assert_int_equal(b->len_bytes, n);
    assert_memory_equal(b->data, expected, n);
    assert_int_equal(b->data[n], 0); /* as base/buf.h promises */
}

/* The worked example of spec t2t-datagen.md §3.2. */
static void test_worked_example(void **state)
{
    static const char expected[] =
        "\x0a\x26\x0a\x12\x0a\x06inputs\x12\x08\x1a\x06\x0a\x04\x01\x02\xac\x02"
        "\x0a\x10\x0a\x07targets\x12\x05\x1a\x03\x0a\x01\x01";
    const int32_t inputs[] = {1, 2, 300}, targets[] = {1};
    const int64_t inputs64[] = {1, 2, 300}, targets64[] = {1};
    const char *const names[] = {"inputs", "targets"};
    const int32_t *const ids[] = {inputs, targets};
    const size_t n_ids[] = {3, 1};
    const struct tfr_feature features[] = {
        /* out of order */
        {.name = "targets", .kind = TFR_INT64, .n = 1, .ints = targets64},
        {.name = "inputs", .kind = TFR_INT64, .n = 3, .ints = inputs64}};
    struct t2_buf b = {0};
    (void) state;

    tfr_example_build_ids(&b, 2, names, ids, n_ids);
    assert_bytes(&b, expected, 40);
    t2_buf_clear(&b);
    tfr_example_build(&b, features, 2);
    assert_bytes(&b, expected, 40);
    tfr_example_build(&b, features, 2); /* appends */
    assert_int_equal(b.len_bytes, 80);
    assert_memory_equal(b.data + 40, expected, 40);
    t2_buf_release(&b);
}

static void test_kinds(void **state)
{
    const struct t2_slice bytes[] = {{(const uint8_t *) "x1", 2},
                                     {(const uint8_t *) "", 0},
                                     {NULL, 0}};
    const float floats[] = {1.5f, -1.25f};
    const struct tfr_feature features[] = {
        {.name = "b", .kind = TFR_FLOAT, .n = 2, .floats = floats},
        {.name = "c", .kind = TFR_NONE},
        {.name = "", .kind = TFR_NONE},
        {.name = "a", .kind = TFR_BYTES, .n = 3, .bytes = bytes}};
    struct t2_buf b = {0}, by_hand = {0}, f = {0}, list = {0}, packed = {0};
    (void) state;

    wb_entry(&by_hand, "", &f);
    wb_bytes(&list, 1, "x1", 2);
    wb_bytes(&list, 1, "", 0);
    wb_bytes(&list, 1, "", 0);
    wb_message(&f, 1, &list);
    wb_entry(&by_hand, "a", &f);
    t2_buf_append(&packed, "\x00\x00\xc0\x3f\x00\x00\xa0\xbf", 8);
    wb_message(&list, 1, &packed);
    wb_message(&f, 2, &list);
    wb_entry(&by_hand, "b", &f);
    wb_entry(&by_hand, "c", &f);
    wb_example(&packed, &by_hand);
    tfr_example_build(&b, features, 4);
    assert_bytes(&b, packed.data, packed.len_bytes);
    t2_buf_release(&b);
    t2_buf_release(&by_hand);
    t2_buf_release(&f);
    t2_buf_release(&list);
    t2_buf_release(&packed);
}

static void test_empty(void **state)
{
    struct t2_buf b = {0};
    const char *const names[] = {"x"};
    const int32_t *const ids[] = {NULL};
    const size_t none[] = {0};
    const struct tfr_feature empty[] = {{.name = "x", .kind = TFR_INT64},
                                        {.name = "y", .kind = TFR_FLOAT},
                                        {.name = "z", .kind = TFR_BYTES}};
    (void) state;

    tfr_example_build(&b, NULL, 0);
    assert_bytes(&b, "\x0a\x00", 2);
    t2_buf_clear(&b);
    tfr_example_build_ids(&b, 1, names, ids, none);
    assert_bytes(&b, "\x0a\x09\x0a\x07\x0a\x01x\x12\x02\x1a\x00", 11);
    t2_buf_clear(&b);
    tfr_example_build(&b, empty, 3);
    assert_bytes(&b,
                 "\x0a\x1b\x0a\x07\x0a\x01x\x12\x02\x1a\x00\x0a\x07\x0a\x01y\x12\x02\x12\x00"
                 "\x0a\x07\x0a\x01z\x12\x02\x0a\x00",
                 29);
    t2_buf_release(&b);
}

/* Both builders, for numbers of every length, against bytes made by hand. */
static void test_number_lengths(void **state)
{
    enum { N = 400 };
    int32_t ids[N];
    int64_t ints[N];
    (void) state;

    for (int n = 0; n <= N; n += n < 20 ? 1 : 37) {
        struct t2_buf packed = {0}, list = {0}, feature = {0}, map = {0}, expected = {0}, b = {0};
        for (int i = 0; i < n; i++) {
            ids[i] = (int32_t) (t_hash64((uint64_t) i) >> 32 >> (i % 32));
            if (i % 7 == 3)
                ids[i] = -ids[i];
            ints[i] = ids[i];
            wb_varint(&packed, (uint64_t) ints[i]);
        }
        if (n > 0)
            wb_message(&list, 1, &packed);
        wb_message(&feature, 3, &list);
        wb_entry(&map, "v", &feature);
        wb_example(&expected, &map);
        const struct tfr_feature f = {.name = "v",
                                      .kind = TFR_INT64,
                                      .n = (size_t) n,
                                      .ints = ints};
        tfr_example_build(&b, &f, 1);
        assert_bytes(&b, expected.data, expected.len_bytes);
        t2_buf_clear(&b);
        tfr_example_build_ids(&b, 1, (const char *const[]){"v"}, (const int32_t *const[]){ids},
                              (const size_t[]){(size_t) n});
        assert_bytes(&b, expected.data, expected.len_bytes);
        t2_buf_release(&packed);
        t2_buf_release(&list);
        t2_buf_release(&feature);
        t2_buf_release(&map);
        t2_buf_release(&expected);
        t2_buf_release(&b);
    }
}

/* Lengths of one, two and three bytes around lists, and names of every length: both builders
 * agree. */
static void test_length_lengths(void **state)
{
    enum { N = 9000 };
    static int32_t ids[N];
    static int64_t ints[N];
    struct t2_buf a = {0}, b = {0};
    (void) state;

    for (int i = 0; i < N; i++)
        ints[i] = ids[i] = (int32_t) (t_hash64((uint64_t) i) % (i % 3 == 0 ? 100 : 30000));
    for (size_t n = 0; n <= N; n += n < 300 || (n > 780 && n < 840) ? 1 : 97) {
        char name[32] = "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb";
        name[1 + n % 25] = 0;
        size_t n_ids[] = {n, n / 3};
        const struct tfr_feature f[] = {
            {.name = "a", .kind = TFR_INT64, .n = n_ids[0], .ints = ints},
            {.name = name, .kind = TFR_INT64, .n = n_ids[1], .ints = ints + 1}};
        t2_buf_clear(&a);
        t2_buf_clear(&b);
        tfr_example_build(&a, f, 2);
        tfr_example_build_ids(&b, 2, (const char *const[]){"a", name},
                              (const int32_t *const[]){ids, ids + 1}, n_ids);
        assert_bytes(&b, a.data, a.len_bytes);
        assert_int_equal(b.data[b.len_bytes], 0);
    }
    t2_buf_release(&a);
    t2_buf_release(&b);
}

/* More features than fit on the stack; any order in gives the same bytes. */
static void test_many_features(void **state)
{
    enum { N = 100 };
    char names[N][8];
    struct tfr_feature features[N];
    int64_t values[N];
    struct t2_buf a = {0}, b = {0};
    (void) state;

    for (int i = 0; i < N; i++) {
        int k = i * 37 % N;
        snprintf(names[i], sizeof names[i], "f%03d", k);
        values[i] = k;
        features[i] =
            (struct tfr_feature){.name = names[i], .kind = TFR_INT64, .n = 1, .ints = &values[i]};
    }
    tfr_example_build(&a, features, N);
    for (int i = 0; i < N / 2; i++) {
        struct tfr_feature f = features[i];
        features[i] = features[N - 1 - i];
        features[N - 1 - i] = f;
    }
    tfr_example_build(&b, features, N);
    assert_bytes(&b, a.data, a.len_bytes);
    t2_buf_release(&a);
    t2_buf_release(&b);
}

/* The worst order, and so many that moving one place at a time would take minutes. */
static void test_features_backwards(void **state)
{
    enum { N = 200000, NAME_BYTES = 8 };
    char *names = t2_alloc(N, NAME_BYTES);
    struct tfr_feature *features = t2_alloc(N, sizeof *features);
    struct tfr_example parsed = {0};
    struct t2_err err = T2_ERR_INIT;
    struct t2_buf out = {0};
    (void) state;

    for (size_t i = 0; i < N; i++) {
        snprintf(names + i * NAME_BYTES, NAME_BYTES, "f%06zu", N - i);
        features[i] = (struct tfr_feature){.name = names + i * NAME_BYTES, .kind = TFR_INT64};
    }
    tfr_example_build(&out, features, N);
    assert_int_equal(tfr_example_parse(&parsed, t2_buf_slice(&out), &err), T2_OK);
    assert_int_equal(parsed.n, N);
    tfr_example_release(&parsed);
    t2_buf_release(&out);
    t2_free(features);
    t2_free(names);
}

T_MAIN(cmocka_unit_test(test_worked_example), cmocka_unit_test(test_kinds),
       cmocka_unit_test(test_empty), cmocka_unit_test(test_number_lengths),
       cmocka_unit_test(test_length_lengths), cmocka_unit_test(test_many_features),
       cmocka_unit_test(test_features_backwards))
