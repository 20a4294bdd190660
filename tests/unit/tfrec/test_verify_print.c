/*
 * The report as text and JSON; how it ends is in the command-line cases too.
 */
#include "tests/unit/tfrec/damaged_files.h"

static const struct rec_verify_options options = {.limit = 1};

static void test_texts(void **state)
{
    struct t2_buf b = {NULL, 0, 0}, text = {NULL, 0, 0};
    struct tfr_inputs in;
    struct rec_verified v;
    (void) state;

    df_records(&b, 4);
    b.data[20] ^= 3;
    b.data[b.len_bytes - 10] ^= 3;
    df_inputs(&in, df_write("x", &b), NULL);
    df_verify(&in, &options, 1, &v);
    rec_verify_print(&in, &options, &v, false, &text);
    t_assert_contains(t2_buf_cstr(&text), "x: record 0 at offset 0: data: data CRC mismatch");
    t_assert_contains(t2_buf_cstr(&text), "... and 1 more\n");
    t_assert_contains(t2_buf_cstr(&text), "x: 2 records sound, 2 damaged or lost\n`tfrec salvage`");
    t2_buf_clear(&text);
    rec_verify_json(&in, &options, &v, false, &text);
    t_assert_contains(t2_buf_cstr(&text),
                      "\"records\": 4, \"sound\": 2, \"damaged\": 2, \"errors\": 2");
    rec_verified_release(&v);
    tfr_inputs_release(&in);
    t2_buf_release(&text);
}

static void test_warnings_when_strict(void **state)
{
    struct rec_verified v = {.n_records = 0};
    (void) state;

    v.found.counts[REC_PAYLOAD_WARNING] = 3;
    v.found.counts[REC_DAMAGE] = 1;
    assert_int_equal(rec_verified_errors(&v, false), 1);
    assert_int_equal(rec_verified_errors(&v, true), 4);
}

T_MAIN(cmocka_unit_test(test_texts), cmocka_unit_test(test_warnings_when_strict))
