/* Features written again: canonical form equals what the builder makes, however the record was
 * written. */
#include "tfrecord/example_write.h"

#include "tests/support/t.h"

static void canonical(const void *record, size_t n, struct t2_buf *out)
{
    struct tfr_example example = {0};
    struct t2_buf scratch = {NULL, 0, 0};
    struct t2_err err = T2_ERR_INIT;

    if (tfr_example_parse(&example, (struct t2_slice){record, n}, &err) != T2_OK)
        fail_msg("%s", err.message);
    tfr_example_canonical(out, &scratch, &example);
    tfr_example_release(&example);
    t2_buf_release(&scratch);
}

static void test_as_built(void **state)
{
    static const int64_t ints[] = {3, -1, INT64_MAX, 0};
    static const float floats[] = {0.5F, -2.0F};
    static const struct t2_slice bytes[] = {{(const uint8_t *) "b\0c", 3}, {NULL, 0}};
    const struct tfr_feature features[] = {
        {.name = "a", .kind = TFR_INT64, .n = 4, .ints = ints},
        {.name = "e", .kind = TFR_FLOAT},
        {.name = "f", .kind = TFR_FLOAT, .n = 2, .floats = floats},
        {.name = "n", .kind = TFR_NONE},
        {.name = "s", .kind = TFR_BYTES, .n = 2, .bytes = bytes},
    };
    struct t2_buf built = {NULL, 0, 0}, again = {NULL, 0, 0};
    (void) state;

    tfr_example_build(&built, features, sizeof features / sizeof *features);
    canonical(built.data, built.len_bytes, &again);
    assert_int_equal(again.len_bytes, built.len_bytes);
    assert_memory_equal(again.data, built.data, built.len_bytes);
    t2_buf_release(&built);
    t2_buf_release(&again);
}

/* Unpacked numbers, keys out of order, an unknown field, a name with NUL. */
static void test_odd_writer(void **state)
{
    static const uint8_t odd[] = {0x0a, 0x18, /* Features */
                                  0x0a, 0x0b, 0x0a, 0x01, 'b',
                                  0x12, 0x06, 0x1a, 0x04, /* b: 1, 2 */
                                  0x08, 0x01, 0x08, 0x02, /* unpacked */
                                  0x0a, 0x07, 0x0a, 0x03, 'a',
                                  0x00, 'c',  0x12, 0x00, /* a\0c: none */
                                  0x78, 0x05};            /* unknown */
    static const uint8_t want[] = {0x0a, 0x16, 0x0a, 0x07, 0x0a, 0x03, 'a',  0x00,
                                   'c',  0x12, 0x00, 0x0a, 0x0b, 0x0a, 0x01, 'b',
                                   0x12, 0x06, 0x1a, 0x04, 0x0a, 0x02, 0x01, 0x02};
    struct t2_buf out = {NULL, 0, 0};
    (void) state;

    canonical(odd, sizeof odd, &out);
    assert_int_equal(out.len_bytes, sizeof want);
    assert_memory_equal(out.data, want, sizeof want);
    t2_buf_release(&out);
}

static void test_equal_names(void **state)
{
    struct tfr_named_view views[] = {{t2_slice_of("b"), NULL},
                                     {t2_slice_of("a"), NULL},
                                     {t2_slice_of("b"), NULL}};
    size_t at = 0;
    (void) state;

    assert_true(tfr_named_views_sort(views, 2, &at));
    assert_false(tfr_named_views_sort(views, 3, &at));
    assert_true(t2_slice_eq(views[at].name, t2_slice_of("b")));
}

T_MAIN(cmocka_unit_test(test_as_built), cmocka_unit_test(test_odd_writer),
       cmocka_unit_test(test_equal_names))
