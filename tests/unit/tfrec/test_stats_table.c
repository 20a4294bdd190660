/*
 * tests/unit/tfrec/test_stats_table.c - what is printed of a known set; the whole of it is in
 * tests/cli/tfrec.
 */
#include "tests/unit/tfrec/sets.h"
#include "tfrec/stats_print.h"
#include "tokenizer/encoder.h"

static void test_print(void **state)
{
    struct tok_encoder *vocab = tok_bytes_new();
    const struct rec_stats_options o = {.vocab = vocab};
    struct tfr_inputs in = set_three_inputs();
    struct rec_stats *s = set_stats(&in, 1, &o);
    const struct rec_stats_view v = {s, &in, vocab, "bytes", 3, NULL};
    struct t2_buf text = {NULL, 0, 0};

    (void) state;
    rec_stats_print_table(&v, &text);
    t_assert_contains(t2_buf_cstr(&text), "3 records in 1 file");
    t_assert_contains(t2_buf_cstr(&text),
                      "ids      int64        3  100.0%    0  1.67    2    3    3\n");
    t_assert_contains(t2_buf_cstr(&text), "1 NaN or infinite");
    t_assert_contains(t2_buf_cstr(&text), "\nLabel text: 2 different\na<b  2  66.6%\n");
    t_assert_contains(t2_buf_cstr(&text), "\nVocabulary bytes: 258 bytes\n");
    t2_buf_release(&text);
    rec_stats_free(s);
    tfr_inputs_release(&in);
    tok_free(vocab);
}

T_MAIN(cmocka_unit_test(test_print))
