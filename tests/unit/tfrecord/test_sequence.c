/*
 * tests/unit/tfrecord/test_sequence.c - feature lists of a SequenceExample, found and written.
 */
#include <string.h>

#include "tests/support/t.h"
#include "tfrecord/sequence.h"

#define SLICE(s) ((struct t2_slice){(const uint8_t *) (s), sizeof(s) - 1})

static struct tfr_sequence s;

static bool found(struct t2_slice record)
{
    struct t2_err err = T2_ERR_INIT;
    bool yes;

    assert_int_equal(T2_OK, tfr_sequence_parse(&s, record, &yes, &err));
    return yes;
}

static void test_round_trip(void **state)
{
    static const int64_t ids[] = {1, 2, 3};
    const struct tfr_feature context[] = {{.name = "id", .kind = TFR_INT64, .n = 1, .ints = ids}};
    const struct tfr_feature steps[] = {{.name = "", .kind = TFR_INT64, .n = 2, .ints = ids},
                                        {.name = "ignored", .kind = TFR_NONE},
                                        {.name = "", .kind = TFR_FLOAT}};
    const struct tfr_steps lists[] = {{"a", steps, 3}, {"b", NULL, 0}};
    struct t2_buf b = {0};
    int64_t back[2];

    (void) state;
    tfr_sequence_build(&b, context, 1, lists, 2);
    assert_true(found(t2_buf_slice(&b)) && s.has_context && s.n == 2);
    assert_true(t2_slice_eq(s.lists[0].name, t2_slice_of("a")) && s.lists[0].n == 3);
    tfr_view_ints(&s.steps[s.lists[0].first], back);
    assert_true(s.steps[0].n == 2 && back[0] == 1 && back[1] == 2);
    assert_int_equal(TFR_NONE, s.steps[1].kind);
    assert_int_equal(TFR_FLOAT, s.steps[2].kind);
    assert_true(s.lists[1].n == 0);
    t2_buf_clear(&b);
    tfr_sequence_build(&b, NULL, 0, NULL, 0);
    assert_true(t2_slice_eq(t2_buf_slice(&b), SLICE("\x12\x00")));
    assert_true(found(t2_buf_slice(&b)) && !s.has_context && s.n == 0);
    t2_buf_release(&b);
}

static void test_odd_ones(void **state)
{
    int64_t back[4];

    (void) state;
    /* no field 2, an unknown one, a damaged one */
    assert_false(found(SLICE("\x0a\x00")));
    assert_true(s.has_context);
    assert_false(found(SLICE("\x12\x03text")));
    assert_false(found(SLICE("\x12\x02\x08\x05")));
    assert_false(found(SLICE("\x12\x02\x0a\x05")));
    /* the last of equal names; a list in two pieces; a Feature with its list twice */
    assert_true(found(SLICE("\x12\x12\x0a\x07\x0a\x01"
                            "a\x12\x02\x0a\x00\x0a\x07\x0a\x01"
                            "a\x12\x02\x0a\x00")));
    assert_true(s.n == 1 && s.lists[0].n == 1 && s.lists[0].first == 1);
    assert_true(found(SLICE("\x12\x0d\x0a\x0b\x0a\x01"
                            "a\x12\x02\x0a\x00\x12\x02\x0a\x00")));
    assert_true(s.n == 1 && s.lists[0].n == 2);
    assert_true(found(SLICE("\x12\x15\x0a\x13\x0a\x01"
                            "a\x12\x0e\x0a\x0c\x1a\x04\x0a\x02\x01\x02\x1a\x04\x0a\x02\x03\x04")));
    assert_true(s.steps[0].joined && s.steps[0].n == 4);
    tfr_view_ints(&s.steps[0], back);
    assert_true(back[0] == 1 && back[3] == 4);
    tfr_sequence_release(&s);
}

T_MAIN(cmocka_unit_test(test_round_trip), cmocka_unit_test(test_odd_ones))
