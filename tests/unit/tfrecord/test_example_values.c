/*
 * Values out of lists: what was built comes back, for all forms that writers use.
 */
#include <stdlib.h>
#include <string.h>

#include "tests/support/t.h"
#include "tests/support/wire_bytes.h"
#include "tfrecord/example.h"

static struct tfr_example ex;

static const struct tfr_view *find(const struct t2_buf *b, const char *name)
{
    struct t2_err err = T2_ERR_INIT;

    assert_int_equal(tfr_example_parse(&ex, t2_buf_slice(b), &err), T2_OK);
    assert_non_null(tfr_example_find(&ex, name));
    return tfr_example_find(&ex, name);
}

/* An Example with one feature "v" whose list has this body, which is emptied. */
static void with_list(struct t2_buf *b, uint32_t kind, struct t2_buf *list)
{
    struct t2_buf f = {0}, map = {0};

    t2_buf_clear(b);
    wb_message(&f, kind, list);
    wb_entry(&map, "v", &f);
    wb_example(b, &map);
    t2_buf_release(&f);
    t2_buf_release(&map);
}

static void test_ints_come_back(void **state)
{
    enum { N = 500 };
    int64_t in[N], *out = t_guarded_alloc(sizeof in);
    (void) state;

    for (uint64_t seed = 0; seed < 200; seed++) {
        struct t2_buf b = {0};
        size_t n = seed < 40 ? seed : seed * 2;
        for (size_t i = 0; i < n; i++) /* short numbers mostly, all lengths sometimes */
            in[i] = (int64_t) (t_hash64(seed * N + i) >>
                               (seed % 3 == 0 ? 57 : t_hash64(i + seed) % 64));
        const struct tfr_feature f = {.name = "v", .kind = TFR_INT64, .n = n, .ints = in};
        tfr_example_build(&b, &f, 1);
        int64_t *to = out + N - n; /* ends at the guard */
        tfr_view_ints(find(&b, "v"), to);
        assert_memory_equal(to, in, n * sizeof in[0]);
        t2_buf_release(&b);
    }
    t_guarded_free(out, sizeof in);
}

static void test_ids(void **state)
{
    const int64_t fit[] = {0, 1, -1, 127, 128, 33000, INT32_MAX, INT32_MIN};
    const int64_t beyond[] = {(int64_t) INT32_MAX + 1, (int64_t) INT32_MIN - 1, INT64_MAX,
                              INT64_MIN};
    int32_t out[9];
    struct t2_buf b = {0};
    (void) state;

    const struct tfr_feature f = {.name = "v", .kind = TFR_INT64, .n = 8, .ints = fit};
    tfr_example_build(&b, &f, 1);
    assert_true(tfr_view_ids(find(&b, "v"), out));
    for (int i = 0; i < 8; i++)
        assert_int_equal(out[i], fit[i]);
    for (int k = 0; k < 4; k++) {
        for (int n_before = 0; n_before <= 8; n_before++) {
            int64_t in[9] = {1, 2, 3, 4, 5, 6, 7, 8};
            in[n_before] = beyond[k];
            t2_buf_clear(&b);
            const struct tfr_feature g = {.name = "v", .kind = TFR_INT64, .n = 9, .ints = in};
            tfr_example_build(&b, &g, 1);
            assert_false(tfr_view_ids(find(&b, "v"), out));
        }
    }
    t2_buf_release(&b);
}

static void test_all_forms_of_ints(void **state)
{
    struct t2_buf b = {0}, list = {0};
    const int64_t want[] = {7, 1, 2, -5, 300};
    int64_t out[5];
    int32_t ids[5];
    (void) state;

    wb_number(&list, 1, 7);
    wb_bytes(&list, 1, "\x01\x02", 2);
    wb_bytes(&list, 15, "unknown", 7);
    wb_number(&list, 1, (uint64_t) -5);
    wb_bytes(&list, 1, "", 0);
    wb_bytes(&list, 1, "\xac\x82\x00", 3); /* 300, a byte longer than needed */
    with_list(&b, 3, &list);
    assert_int_equal(find(&b, "v")->n, 5);
    tfr_view_ints(find(&b, "v"), out);
    assert_memory_equal(out, want, sizeof want);
    assert_true(tfr_view_ids(find(&b, "v"), ids));
    for (int i = 0; i < 5; i++)
        assert_int_equal(ids[i], want[i]);
    t2_buf_release(&b);
    t2_buf_release(&list);
}

static void test_floats(void **state)
{
    static const uint8_t bits[] = {0, 0, 0xc0, 0x7f, 0, 0, 0x80, 0x7f, 0, 0, 0x80, 0xff,
                                   0, 0, 0,    0x80, 1, 0, 0,    0,    1, 0, 0x80, 0xff};
    struct t2_buf b = {0}, list = {0};
    float out[7];
    (void) state;

    wb_bytes(&list, 1, bits, 8);
    wb_number(&list, 1, 3); /* unknown */
    t2_buf_append(&list, "\x0d", 1);
    t2_buf_append(&list, bits + 8, 4);
    wb_bytes(&list, 1, bits + 12, 12);
    with_list(&b, 2, &list);
    assert_int_equal(find(&b, "v")->n, 6);
    tfr_view_floats(find(&b, "v"), out);
    assert_memory_equal(out, bits, sizeof bits); /* bit for bit, NaNs too */
    t2_buf_clear(&list);
    with_list(&b, 2, &list);
    tfr_view_floats(find(&b, "v"), out); /* none */
    t2_buf_release(&b);
    t2_buf_release(&list);
}

static void test_bytes(void **state)
{
    struct t2_buf b = {0}, list = {0};
    struct t2_slice out[3];
    (void) state;

    wb_bytes(&list, 1, "one", 3);
    wb_number(&list, 1, 3); /* unknown */
    wb_bytes(&list, 1, "", 0);
    wb_bytes(&list, 1, "a\0b", 3);
    with_list(&b, 1, &list);
    assert_int_equal(find(&b, "v")->n, 3);
    tfr_view_bytes(find(&b, "v"), out);
    assert_true(t2_slice_eq(out[0], t2_slice_of("one")));
    assert_int_equal(out[1].len_bytes, 0);
    assert_true(t2_slice_eq(out[2], (struct t2_slice){(const uint8_t *) "a\0b", 3}));
    assert_true(out[0].data > b.data && out[2].data < b.data + b.len_bytes); /* borrowed */
    t2_buf_release(&b);
    t2_buf_release(&list);
    tfr_example_release(&ex);
}

T_MAIN(cmocka_unit_test(test_ints_come_back), cmocka_unit_test(test_ids),
       cmocka_unit_test(test_all_forms_of_ints), cmocka_unit_test(test_floats),
       cmocka_unit_test(test_bytes))
