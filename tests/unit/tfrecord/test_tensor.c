/*
 * tests/unit/tfrecord/test_tensor.c - TensorProto: every list of values, both layouts.
 */
#include <math.h>
#include <string.h>

#include "tests/support/t.h"
#include "tfrecord/event.h"

#define SLICE(s) ((struct t2_slice){(const uint8_t *) (s), sizeof(s) - 1})

static void check(struct t2_slice message, size_t n, double first, double last)
{
    struct t2_err err = T2_ERR_INIT;
    struct tfr_tensor t;
    double values[8] = {0};

    assert_int_equal(T2_OK, tfr_tensor_parse(message, &t, &err));
    assert_int_equal(n, tfr_tensor_numbers(&t, values, 8));
    assert_true(values[0] == first);
    assert_true(values[n - 1] == last);
}

static void test_values(void **state)
{
    (void) state;
    check(SLICE("\x08\x01\x2a\x08\0\0\x80\x3f\0\0\0\x40"), 2, 1, 2); /* packed floats */
    check(SLICE("\x08\x01\x2d\0\0\x80\x3f\x2d\0\0\0\x40"), 2, 1, 2); /* one by one */
    check(SLICE("\x08\x02\x31\0\0\0\0\0\0\xf0\x3f"), 1, 1, 1);       /* double_val */
    check(SLICE("\x08\x03\x3a\x0b\x05\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"), 2, 5, -1);
    check(SLICE("\x08\x09\x50\x07"), 1, 7, 7);                                     /* int64_val */
    check(SLICE("\x08\x0a\x5a\x02\x01\x00"), 2, 1, 0);                             /* bool_val */
    check(SLICE("\x08\x13\x6a\x05\x80\x78\x80\xf8\x01"), 2, 1, (double) INFINITY); /* half_val */
    check(SLICE("\x08\x0e\x6a\x03\x80\x7f\x00"), 2, 1, 0);                         /* bfloat16 */
    check(SLICE("\x08\x16\x80\x01\x03"), 1, 3, 3);                                 /* uint32_val */
    check(SLICE("\x08\x17\x88\x01\x04"), 1, 4, 4);                                 /* uint64_val */
    check(SLICE("\x08\x05\x22\x04\x01\x00\xff\xff"), 2, 1, -1);            /* content, int16 */
    check(SLICE("\x08\x04\x22\x02\x01\xff"), 2, 1, 255);                   /* content, uint8 */
    check(SLICE("\x08\x13\x22\x04\x00\x3c\x01\x00"), 2, 1, ldexp(1, -24)); /* content, half */
}

static void test_strings(void **state)
{
    struct t2_err err = T2_ERR_INIT;
    struct tfr_tensor t;
    struct t2_slice s[1];

    (void) state;
    assert_int_equal(T2_OK, tfr_tensor_parse(SLICE("\x08\x07\x12\x04\x12\x02\x08\x02\x42\x01"
                                                   "a\x42\x02"
                                                   "bc"),
                                             &t, &err));
    assert_true(t.n_dims == 1 && t.dims[0] == 2);
    assert_int_equal(2, tfr_tensor_strings(&t, s, 1));
    assert_true(t2_slice_eq(s[0], t2_slice_of("a")));
    assert_int_equal(0, tfr_tensor_numbers(&t, NULL, 0));
    assert_string_equal("string", tfr_tensor_type_name(t.dtype));
    assert_string_equal("unknown", tfr_tensor_type_name(99));
    assert_true(tfr_tensor_is_whole(9) && !tfr_tensor_is_whole(1) && !tfr_tensor_is_whole(-1));
}

static void test_refused(void **state)
{
    struct t2_err err = T2_ERR_INIT;
    struct tfr_tensor t;

    (void) state;
    assert_int_equal(T2_EFORMAT, tfr_tensor_parse(SLICE("\x12\x02\x12\x05"), &t, &err));
    assert_int_equal(T2_EFORMAT, tfr_tensor_parse(SLICE("\x12\x12\x12\0\x12\0\x12\0\x12\0\x12\0\x12"
                                                        "\0\x12\0\x12\0\x12\0"),
                                                  &t, &err));
    t_assert_contains(err.message, "more than 8 dimensions");
}

T_MAIN(cmocka_unit_test(test_values), cmocka_unit_test(test_strings),
       cmocka_unit_test(test_refused))
