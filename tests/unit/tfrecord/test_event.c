/*
 * tests/unit/tfrecord/test_event.c - Event and Summary messages; the bytes are those of the formats
 * specification, E2.
 */
#include <string.h>

#include "tests/support/t.h"
#include "tfrecord/event.h"

static struct t2_err err;

#define SLICE(s) ((struct t2_slice){(const uint8_t *) (s), sizeof(s) - 1})

static const char old_scalar[] = "\x09\x00\x00\x40\x00\x84\xd7\xd7\x41\x10\x0a\x2a\x0d\x0a\x0b\x0a"
                                 "\x04loss\x15\x00\x00\x00\x3f";
static const char new_scalar[] =
    "\x09\x00\x00\x40\x00\x84\xd7\xd7\x41\x10\x0a\x2a\x23\x0a\x21\x0a\x04loss\x42\x0a\x08\x01\x12"
    "\x00\x22\x04\x00\x00\x00\x3f\x4a\x0d\x0a\x09\x0a\x07scalars\x20\x01";

static void test_scalars(void **state)
{
    struct tfr_event e;
    struct tfr_summary_value v;
    struct tfr_tensor t;
    double number;

    (void) state;
    assert_int_equal(T2_OK, tfr_event_parse(SLICE(old_scalar), &e, &err));
    assert_true(e.wall_time == 1600000001 && e.step == 10 && e.kind == TFR_EVENT_SUMMARY);
    assert_int_equal(T2_OK, tfr_summary_next(&e.body, &v, &err));
    assert_true(v.form == TFR_VALUE_SIMPLE && v.simple == 0.5F);
    assert_true(t2_slice_eq(v.tag, t2_slice_of("loss")));
    assert_int_equal(T2_EOF, tfr_summary_next(&e.body, &v, &err));

    assert_int_equal(T2_OK, tfr_event_parse(SLICE(new_scalar), &e, &err));
    assert_int_equal(T2_OK, tfr_summary_next(&e.body, &v, &err));
    assert_true(v.form == TFR_VALUE_TENSOR && v.data_class == 1);
    assert_true(t2_slice_eq(v.plugin, t2_slice_of("scalars")));
    assert_int_equal(T2_OK, tfr_tensor_parse(v.body, &t, &err));
    assert_true(t.dtype == TFR_DT_FLOAT && t.n_dims == 0);
    assert_int_equal(1, tfr_tensor_numbers(&t, &number, 1));
    assert_true(number == 0.5);
}

static void test_damage(void **state)
{
    struct tfr_event e;
    struct tfr_summary_value v;

    (void) state;
    assert_int_equal(T2_EFORMAT, tfr_event_parse(SLICE("\x0a\x00"), &e, &err));
    t_assert_contains(err.message, "no wall time");
    for (size_t n = 0; n < sizeof new_scalar - 1; n++) {
        uint8_t *p = t_guarded_alloc(n + 1);
        memcpy(p + 1, new_scalar, n);
        if (tfr_event_parse((struct t2_slice){p + 1, n}, &e, &err) == T2_OK)
            assert_int_equal(T2_EOF, tfr_summary_next(&e.body, &v, &err));
        t_guarded_free(p, n + 1);
    }
}

static void test_fields(void **state)
{
    struct t2_slice rest = SLICE("\x08\x05\x12\x01x\x08\x06\x12\x02yz\x1a\x00"), body;
    uint64_t v = 0;
    double d[4];

    (void) state;
    assert_true(tfr_field_varint(rest, 1, &v) && v == 6);
    assert_false(tfr_field_varint(rest, 2, &v));
    assert_true(tfr_field_bytes(rest, 2, &body) && t2_slice_eq(body, t2_slice_of("yz")));
    assert_true(tfr_field_next_bytes(&rest, 2, &body) && t2_slice_eq(body, t2_slice_of("x")));
    assert_true(tfr_field_next_bytes(&rest, 2, &body) && t2_slice_eq(body, t2_slice_of("yz")));
    assert_false(tfr_field_next_bytes(&rest, 2, &body));
    /* packed and single, one more than there is room for */
    const struct t2_slice doubles =
        SLICE("\x32\x10\0\0\0\0\0\0\xf0\x3f\0\0\0\0\0\0\0\x40\x31\0\0\0\0\0\0\x08\x40");
    d[2] = 0;
    assert_int_equal(3, tfr_field_doubles(doubles, 6, d, 2));
    assert_true(d[0] == 1 && d[1] == 2 && d[2] == 0);
}

T_MAIN(cmocka_unit_test(test_scalars), cmocka_unit_test(test_damage), cmocka_unit_test(test_fields))
