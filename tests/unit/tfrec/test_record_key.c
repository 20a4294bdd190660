/* Which records have equal keys. */
#include "tfrec/record_key.h"

#include <string.h>

#include "tests/support/t.h"

/* {"a": [1]}, {"a": [1]} unpacked, {"a": [2], "b": none}. */
static const uint8_t packed[] = {0x0a, 0x0c, 0x0a, 0x0a, 0x0a, 0x01, 'a',
                                 0x12, 0x05, 0x1a, 0x03, 0x0a, 0x01, 0x01};
static const uint8_t unpacked[] = {0x0a, 0x0b, 0x0a, 0x09, 0x0a, 0x01, 'a',
                                   0x12, 0x04, 0x1a, 0x02, 0x08, 0x01};
static const uint8_t only_b[] = {0x0a, 0x07, 0x0a, 0x05, 0x0a, 0x01, 'b', 0x12, 0x00};
/* Context {"a": [1]} and an empty list "s". */
static const uint8_t sequence[] = {0x0a, 0x0c, 0x0a, 0x0a, 0x0a, 0x01, 'a',  0x12,
                                   0x05, 0x1a, 0x03, 0x0a, 0x01, 0x01, 0x12, 0x07,
                                   0x0a, 0x05, 0x0a, 0x01, 's',  0x12, 0x00};

#define SLICE(x) ((struct t2_slice){x, sizeof(x)})

static bool equal(const struct rec_key_options *o, struct t2_slice a, struct t2_slice b)
{
    struct rec_key_scratch s = {.canonical = {NULL, 0, 0}};
    struct t2_err err = T2_ERR_INIT;
    uint8_t x[T2_SIPHASH_BYTES], y[T2_SIPHASH_BYTES];
    bool found;

    assert_int_equal(rec_record_key(o, &s, a, x, &found, &err), T2_OK);
    assert_true(found);
    assert_int_equal(rec_record_key(o, &s, b, y, &found, &err), T2_OK);
    assert_true(found);
    rec_key_scratch_release(&s);
    return memcmp(x, y, sizeof x) == 0;
}

static void test_whole(void **state)
{
    struct rec_key_options o = {.by_example = false};
    (void) state;

    t2_siphash_random_key(o.sip_key);
    assert_true(equal(&o, SLICE(packed), SLICE(packed)));
    assert_false(equal(&o, SLICE(packed), SLICE(unpacked)));
    o.by_example = true;
    assert_true(equal(&o, SLICE(packed), SLICE(unpacked)));
    assert_false(equal(&o, SLICE(packed), SLICE(only_b)));
    assert_false(equal(&o, SLICE(packed), SLICE(sequence)));
    assert_true(equal(&o, t2_slice_of("text"), t2_slice_of("text"))); /* no Example: as bytes */
    assert_false(equal(&o, t2_slice_of("text"), t2_slice_of("tex!")));
}

static void test_features(void **state)
{
    struct rec_key_options o = {.by_example = false};
    struct rec_key_scratch s = {.canonical = {NULL, 0, 0}};
    struct t2_err err = T2_ERR_INIT;
    uint8_t hash[T2_SIPHASH_BYTES];
    bool found = true;
    (void) state;

    t2_strs_push(&o.features, "a");
    assert_true(equal(&o, SLICE(packed), SLICE(unpacked)));
    assert_int_equal(rec_record_key(&o, &s, SLICE(only_b), hash, &found, &err), T2_OK);
    assert_false(found);
    assert_int_equal(rec_record_key(&o, &s, SLICE(sequence), hash, &found, &err), T2_EUNSUPPORTED);
    assert_int_equal(rec_record_key(&o, &s, t2_slice_of("text"), hash, &found, &err), T2_EFORMAT);
    t2_strs_push(&o.features, "b");
    assert_false(equal(&o, SLICE(packed), SLICE(only_b)));
    rec_key_scratch_release(&s);
    t2_strs_release(&o.features);
}

T_MAIN(cmocka_unit_test(test_whole), cmocka_unit_test(test_features))
