/*
 * Going through files for verify: sound, damaged at every byte, absent, many; 1 and 3 threads the
 * same.
 */
#include "tfrec/verify.h"

#include <unistd.h>

#include "tests/unit/tfrec/damaged_files.h"

static const struct rec_verify_options options = {.limit = 50};

static void assert_same(const struct rec_verified *a, const struct rec_verified *b,
                        const struct tfr_inputs *in)
{
    struct t2_buf x = {NULL, 0, 0}, y = {NULL, 0, 0};

    rec_verify_json(in, &options, a, false, &x);
    rec_verify_json(in, &options, b, false, &y);
    assert_string_equal(t2_buf_cstr(&x), t2_buf_cstr(&y));
    t2_buf_release(&x);
    t2_buf_release(&y);
}

static void test_sound(void **state)
{
    struct t2_buf b = {NULL, 0, 0}, none = {NULL, 0, 0};
    struct tfr_inputs in;
    struct rec_verified v;
    (void) state;

    df_records(&b, 7);
    df_inputs(&in, df_write("sound", &b), df_write("empty", &none));
    df_verify(&in, &options, 2, &v);
    assert_int_equal(v.files[0].n_read, 7);
    assert_true(v.files[0].are_examples);
    assert_int_equal(v.files[1].n_read, 0);
    assert_int_equal(rec_verified_errors(&v, true), 0);
    rec_verified_release(&v);
    tfr_inputs_release(&in);
}

/* Each bit of the first file flipped: the records of both files are read all the same. */
static void test_every_bit(void **state)
{
    struct t2_buf b = {NULL, 0, 0}, c = {NULL, 0, 0};
    char *second;
    (void) state;

    df_records(&b, 4);
    df_records(&c, 3);
    second = t2_strdup(df_write("second", &c));
    for (size_t bit = 0; bit < 8 * b.len_bytes; bit++) {
        struct t2_buf bad = {NULL, 0, 0};
        struct tfr_inputs in;
        struct rec_verified v, w;
        size_t k = bit / 8;
        if (k / (b.len_bytes / 4) != 1 && bit % 8 != k % 8)
            continue; /* all bits of one record, one of each byte of the others */
        t2_buf_append(&bad, b.data, b.len_bytes);
        bad.data[k] ^= (uint8_t) (1 << bit % 8);
        df_inputs(&in, df_write("first", &bad), second);
        df_verify(&in, &options, 1, &v);
        if (bit % 8 == k % 8) {
            df_verify(&in, &options, 3, &w);
            assert_same(&v, &w, &in);
            rec_verified_release(&w);
        }
        assert_int_equal(rec_verified_errors(&v, false), 1);
        assert_int_equal(v.found.items[0].record, k / (b.len_bytes / 4));
        assert_int_equal(v.files[0].n_read + v.files[0].n_lost, 4);
        assert_int_equal(v.files[1].n_read, 3);
        rec_verified_release(&v);
        tfr_inputs_release(&in);
    }
    t2_buf_release(&b);
    t2_free(second);
}

/* Cut at every byte: the record that is not whole is named, unless there is none. */
static void test_every_cut(void **state)
{
    struct t2_buf b = {NULL, 0, 0};
    (void) state;

    df_records(&b, 4);
    size_t one = b.len_bytes / 4;
    for (size_t n = 0; n <= b.len_bytes; n++) {
        struct t2_buf cut = {NULL, 0, 0};
        struct tfr_inputs in;
        struct rec_verified v;
        t2_buf_append(&cut, b.data, n);
        df_inputs(&in, df_write("cut", &cut), NULL);
        df_verify(&in, &options, 1, &v);
        assert_int_equal(v.files[0].n_read, n / one);
        assert_int_equal(rec_verified_errors(&v, false), n % one != 0);
        if (n > 0 && n < 12) {
            assert_string_equal(v.found.items[0].field, "file"); /* is this a record file at all? */
        } else if (n % one != 0) {
            assert_int_equal(v.found.items[0].record, n / one);
            assert_int_equal(v.found.items[0].offset, n / one * one);
        }
        rec_verified_release(&v);
        tfr_inputs_release(&in);
    }
    t2_buf_release(&b);
}

/* A file that goes away between finding and reading is a finding; the others are read. */
static void test_absent(void **state)
{
    struct t2_buf b = {NULL, 0, 0}, c = {NULL, 0, 0};
    struct tfr_inputs in;
    struct rec_verified v;
    (void) state;

    df_records(&b, 4);
    df_records(&c, 3);
    df_inputs(&in, df_write("a", &b), df_write("b", &c));
    assert_int_equal(unlink(in.files[0].path), 0);
    df_verify(&in, &options, 1, &v);
    assert_int_equal(rec_verified_errors(&v, false), 1);
    assert_string_equal(v.found.items[0].field, "file");
    assert_int_equal(v.files[1].n_read, 3);
    rec_verified_release(&v);
    tfr_inputs_release(&in);
}

/* Payloads count in a file of Examples, not in one of other things; the kinds are those of all
 * files. */
static void test_payloads(void **state)
{
    struct t2_buf b = {NULL, 0, 0}, c = {NULL, 0, 0};
    struct rec_verify_options any = options;
    struct tfr_inputs in;
    struct rec_verified v;
    (void) state;

    df_records(&b, 3);
    tfr_frame(&b, "\x0a\xff", 2);
    df_record(&b, 0, TFR_FLOAT);
    for (int i = 0; i < 3; i++)
        tfr_frame(&c, "\xff\xff\xff", 3);
    df_inputs(&in, df_write("a", &b), df_write("b", &c));
    df_verify(&in, &options, 1, &v);
    assert_int_equal(rec_verified_errors(&v, false), 2);
    assert_int_equal(v.files[0].n_bad, 2);
    assert_int_equal(v.n_other_files, 1);
    rec_verified_release(&v);
    any.payload = REC_PAYLOAD_ANY;
    df_verify(&in, &any, 1, &v);
    assert_int_equal(rec_verified_errors(&v, false), 0);
    rec_verified_release(&v);
    any.payload = REC_PAYLOAD_EXAMPLE;
    df_verify(&in, &any, 1, &v);
    assert_int_equal(rec_verified_errors(&v, false), 5);
    rec_verified_release(&v);
    tfr_inputs_release(&in);
}

T_MAIN(cmocka_unit_test(test_sound), cmocka_unit_test(test_every_bit),
       cmocka_unit_test(test_every_cut), cmocka_unit_test(test_absent),
       cmocka_unit_test(test_payloads))
