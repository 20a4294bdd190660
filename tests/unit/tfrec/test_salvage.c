/*
 * Salvage: each bit flipped, and cut at every byte: all other records are in the output; the bill
 * adds up.
 */
#include "tfrec/salvage.h"

#include <stdlib.h>

#include "tests/unit/tfrec/damaged_files.h"
#include "tfrecord/reader.h"

static struct t2_err err;

static struct rec_salvage save(const struct tfr_inputs *in, const char *output)
{
    const struct tfr_sink_options o = {.output = output, .n_records = TFR_UNKNOWN_COUNT};
    struct rec_salvage s;
    struct tfr_sink *sink = NULL;

    rec_salvage_init(&s, in, 10);
    assert_int_equal(tfr_sink_new(&o, &sink, &err), T2_OK);
    for (size_t i = 0; i < in->n; i++)
        assert_int_equal(rec_salvage_file(&s, i, sink, &err), T2_OK);
    assert_int_equal(rec_salvage_commit(&s, sink, &err), T2_OK);
    return s;
}

static void test_every_bit(void **state)
{
    struct t2_buf b = {NULL, 0, 0};
    char *output = t2_strdup(t_tmp_path("out"));
    (void) state;

    df_records(&b, 3);
    size_t one = b.len_bytes / 3;
    for (size_t bit = 0; bit < 8 * b.len_bytes; bit++) {
        struct t2_buf bad = {NULL, 0, 0};
        size_t k = bit / 8;
        if (k / one != 1 && bit % 8 != k % 8)
            continue; /* all bits of one record, one of each byte of the others */
        struct tfr_inputs in;
        size_t n_out;
        t2_buf_append(&bad, b.data, b.len_bytes);
        bad.data[k] ^= (uint8_t) (1 << bit % 8);
        df_inputs(&in, df_write("bad", &bad), NULL);
        struct rec_salvage s = save(&in, output);
        char *out = t_read_file(output, &n_out);
        size_t hit = k / one;
        assert_int_equal(s.files[0].n_damages, 1);
        if (s.files[0].n_mended == 1) { /* in the header: everything is there */
            assert_true(k % one < 12);
            assert_int_equal(n_out, b.len_bytes);
            assert_memory_equal(out, b.data, n_out);
        } else {
            assert_int_equal(n_out, b.len_bytes - one);
            assert_memory_equal(out, b.data, hit * one);
            assert_memory_equal(out + hit * one, b.data + (hit + 1) * one, n_out - hit * one);
            assert_int_equal(s.files[0].lost_bytes, one);
        }
        free(out);
        rec_salvage_release(&s);
        tfr_inputs_release(&in);
    }
    t2_buf_release(&b);
    t2_free(output);
}

static void test_every_cut(void **state)
{
    struct t2_buf b = {NULL, 0, 0};
    char *output = t2_strdup(t_tmp_path("out"));
    (void) state;

    df_records(&b, 5);
    size_t one = b.len_bytes / 5;
    for (size_t n = one; n <= b.len_bytes; n++) {
        struct t2_buf cut = {NULL, 0, 0};
        struct tfr_inputs in;
        size_t n_out;
        t2_buf_append(&cut, b.data, n);
        df_inputs(&in, df_write("cut", &cut), NULL);
        struct rec_salvage s = save(&in, output);
        char *out = t_read_file(output, &n_out);
        assert_int_equal(s.files[0].n_damages, n % one != 0);
        assert_int_equal(s.files[0].lost_bytes, n % one);
        assert_int_equal(n_out, n / one * one);
        assert_memory_equal(out, b.data, n_out);
        free(out);
        rec_salvage_release(&s);
        tfr_inputs_release(&in);
    }
    t2_buf_release(&b);
    t2_free(output);
}

static void test_bill(void **state)
{
    struct t2_buf b = {NULL, 0, 0}, c = {NULL, 0, 0}, text = {NULL, 0, 0};
    struct tfr_inputs in;
    (void) state;

    df_records(&b, 5);
    b.data[20] ^= 3;
    df_records(&c, 2);
    df_inputs(&in, df_write("a", &b), df_write("b", &c));
    struct rec_salvage s = save(&in, t_tmp_path("joined"));
    rec_salvage_print(&s, &text);
    t_assert_contains(t2_buf_cstr(&text), "a: 4 records saved, about 1 lost, ");
    t_assert_contains(t2_buf_cstr(&text), "b: 2 records saved, no damage\n");
    t_assert_contains(t2_buf_cstr(&text), "joined: 6 records, ");
    t2_buf_clear(&text);
    rec_salvage_json(&s, &text);
    t_assert_contains(t2_buf_cstr(&text), "\"saved\": 6, \"mended\": 0, \"lost\": 1, ");
    rec_salvage_release(&s);
    tfr_inputs_release(&in);
    t2_buf_release(&text);
}

T_MAIN(cmocka_unit_test(test_every_bit), cmocka_unit_test(test_every_cut),
       cmocka_unit_test(test_bill))
