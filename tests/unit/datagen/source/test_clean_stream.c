/*
 * test_clean_stream.c - pairs that are refused, cut up, handed on.
 */
#include "datagen/source/clean_stream.h"

#include "tests/unit/datagen/source/sample_list.h"

static void test_clean(void **state)
{
    static const char *const texts[] = {" A house is red. ",
                                        "Ein Haus ist rot.",
                                        "no capital.",
                                        "kein Satz.",
                                        "This is one. This is two.",
                                        "Das ist eins. Das ist zwei.",
                                        "One and only.",
                                        "Eins. Und zwei.",
                                        "Bad \xff bytes.",
                                        "x",
                                        NULL};
    static const char *const swapped[] = {"Ein Haus ist rot.", "A house is red.", NULL};
    struct t2_err err = T2_ERR_INIT;
    struct t2_buf text = {0};

    (void) state;
    assert_int_equal(read_stream(dg_clean_stream_new(sample_list_new(texts), DG_INPUTS), &text,
                                 &err),
                     T2_OK);
    t_assert_contains(t2_buf_cstr(&text), "A house is red.>Ein Haus ist rot. !");
    t_assert_contains(t2_buf_cstr(&text),
                      " This is one.>Das ist eins. This is two.>Das ist zwei. !");
    t_assert_contains(t2_buf_cstr(&text), " Bad \xff bytes.>x");
    assert_int_equal(read_stream(dg_clean_stream_new(sample_list_new(swapped), DG_TARGETS), &text,
                                 &err),
                     T2_OK);
    assert_string_equal(t2_buf_cstr(&text), "Ein Haus ist rot.>A house is red.");
    t2_buf_release(&text);
}

T_MAIN(cmocka_unit_test(test_clean))
