/*
 * Which field one wrong bit is in, and the words for it.
 */
#include "tfrecord/damage_words.h"

#include <string.h>

#include "tests/support/t.h"
#include "tests/unit/tfrecord/record_files.h"

static void test_mend(void **state)
{
    struct t2_buf b = {0};
    enum tfr_field field;
    uint64_t length;
    (void) state;

    rf_header(&b, 1234);
    assert_true(tfr_header_fits(b.data, 1234));
    assert_false(tfr_header_fits(b.data, 1235));
    for (size_t bit = 0; bit < 96; bit++) {
        b.data[bit / 8] ^= (uint8_t) (1u << bit % 8);
        assert_true(tfr_mend_header(b.data, &field, &length));
        assert_int_equal(field, bit < 64 ? TFR_FIELD_LENGTH : TFR_FIELD_LENGTH_CRC);
        assert_int_equal(length, 1234);
        b.data[bit / 8] ^= (uint8_t) (1u << bit % 8);
    }
    memset(b.data, 0x55, 5);
    assert_false(tfr_mend_header(b.data, &field, &length));
    t2_buf_release(&b);
}

static void test_words(void **state)
{
    struct t2_buf b = {0};
    struct tfr_damage d = {.field = TFR_FIELD_FILE};
    (void) state;

    rf_record(&b, "abc", 3);
    struct t2_slice data = {b.data + 12, 3};
    b.data[12] ^= 6;
    tfr_say_data(&d, data);
    assert_int_equal(d.field, TFR_FIELD_DATA);
    t_assert_contains(d.words, "data CRC mismatch: stored ");
    b.data[12] ^= 6;
    b.data[16] ^= 4;
    tfr_say_data(&d, data);
    assert_int_equal(d.field, TFR_FIELD_DATA_CRC);
    t_assert_contains(d.words, "one bit of the CRC is wrong");
    static const enum tfr_field fields[] = {TFR_FIELD_LENGTH, TFR_FIELD_LENGTH_CRC, TFR_FIELD_DATA,
                                            TFR_FIELD_DATA_CRC};
    static const uint64_t there[] = {7, 11, 14, 15};
    for (size_t i = 0; i < 4; i++) {
        tfr_say_cut(&d, there[i], 3);
        assert_int_equal(d.field, fields[i]);
        t_assert_contains(d.words, "file cut short: ");
    }
    d.field = TFR_FIELD_LENGTH;
    tfr_say_mended(&d, b.data, 9, true);
    assert_string_equal(d.words,
                        "length damaged: 3 is stored, its CRC belongs to 9; the data are whole");
    tfr_say_no_records(&d, t2_slice_of("PK\x03\x04 and so on"), 13);
    assert_int_equal(d.field, TFR_FIELD_FILE);
    t_assert_contains(d.words, "; it looks like a ZIP archive");
    assert_string_equal(tfr_field_name(TFR_FIELD_DATA_CRC), "data CRC");
    t2_buf_release(&b);
}

T_MAIN(cmocka_unit_test(test_mend), cmocka_unit_test(test_words))
