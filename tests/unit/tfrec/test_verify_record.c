/*
 * One payload: protobuf, SequenceExample, warnings, ids, images.
 */
#include "tfrec/verify_record.h"

#include "tests/support/t.h"
#include "tfrecord/sequence.h"

static struct rec_checked c;

static size_t check(const struct rec_verify_options *o, const void *data, size_t n)
{
    struct t2_err err = T2_ERR_INIT;

    rec_findings_clear(&c.found);
    assert_int_equal(rec_check_record(o, &c, 0, 5, 70, (struct t2_slice){data, n}, &err), T2_OK);
    return c.found.n;
}

static void test_protobuf(void **state)
{
    struct rec_verify_options o = {.limit = 10};
    (void) state;

    assert_int_equal(check(&o, "", 0), 0);
    assert_int_equal(check(&o, "\x0a\x05", 2), 1);
    assert_int_equal(c.found.items[0].severity, REC_PAYLOAD_ERROR);
    assert_int_equal(c.found.items[0].record, 5);
    assert_int_equal(c.found.items[0].offset, 70);
    t_assert_contains(c.found.items[0].words, "not an Example: byte 1 of 2");
    assert_int_equal(check(&o, "\x0a\x02\x10\x01", 4), 1);
    assert_int_equal(c.found.items[0].severity, REC_PAYLOAD_WARNING);
    assert_int_equal(c.n_records, 3);
    assert_int_equal(c.n_refused, 1);
    o.payload = REC_PAYLOAD_ANY;
    assert_int_equal(check(&o, "\x0a\x05", 2), 0);
    rec_checked_release(&c);
}

static void test_sequences(void **state)
{
    struct rec_verify_options o = {.limit = 10, .payload = REC_PAYLOAD_SEQUENCE};
    const int64_t one = 1;
    const struct tfr_feature f = {.name = "x", .kind = TFR_INT64, .n = 1, .ints = &one};
    const struct tfr_steps steps = {"frames", &f, 1};
    struct t2_buf b = {NULL, 0, 0};
    (void) state;

    tfr_sequence_build(&b, &f, 1, &steps, 1);
    assert_int_equal(check(&o, b.data, b.len_bytes), 0);
    assert_int_equal(check(&o, "\x12\x01\xff", 3), 1);
    t_assert_contains(c.found.items[0].words, "not a SequenceExample");
    t2_buf_release(&b);
    rec_checked_release(&c);
}

static void test_values(void **state)
{
    struct rec_verify_options o = {.limit = 10};
    const int64_t ids[] = {0, 9, -1};
    const struct t2_slice cut = t2_slice_of("\xff\xd8\xff\xe0 cut short");
    struct tfr_feature f[] = {
        {.name = "ids", .kind = TFR_INT64, .n = 2, .ints = ids},
        {.name = "image", .kind = TFR_BYTES, .n = 1, .bytes = &cut},
    };
    struct t2_buf b = {NULL, 0, 0};
    (void) state;

    tfr_example_build(&b, f, 2);
    t2_strs_push(&o.ids, "ids");
    assert_int_equal(check(&o, b.data, b.len_bytes), 0);
    o.vocab_size = 10;
    assert_int_equal(check(&o, b.data, b.len_bytes), 0);
    o.vocab_size = 9;
    assert_int_equal(check(&o, b.data, b.len_bytes), 1);
    t_assert_contains(c.found.items[0].words, "value 1 is 9, not an id of a vocabulary of 9");
    o.deep = true;
    assert_int_equal(check(&o, b.data, b.len_bytes), 2);
    assert_string_equal(c.found.items[1].field, "features.feature['image']");
    f[0].n = 3;
    t2_buf_clear(&b);
    tfr_example_build(&b, f, 1);
    o.vocab_size = 100;
    assert_int_equal(check(&o, b.data, b.len_bytes), 1);
    t_assert_contains(c.found.items[0].words, "value 2 is -1");
    t2_strs_release(&o.ids);
    t2_buf_release(&b);
    rec_checked_release(&c);
}

T_MAIN(cmocka_unit_test(test_protobuf), cmocka_unit_test(test_sequences),
       cmocka_unit_test(test_values))
