/*
 * tests/unit/tfrec/test_row_ids.c - which int64 lists are text, and how it looks.
 */
#include <string.h>

#include "tests/support/t.h"
#include "tfrec/row_print.h"
#include "tokenizer/encoder.h"

static const char *shown(const char *name, size_t n, const int64_t *ids)
{
    static const char vocab[] = "'<pad>_'\n'<EOS>_'\n'the_'\n'cat_'\n'._'\n";
    static struct t2_buf scratch, out;
    struct tok_encoder *e = NULL;
    struct t2_err err = T2_ERR_INIT;

    assert_int_equal(T2_OK, tok_parse("vocab", vocab, strlen(vocab), &e, &err));
    t2_buf_clear(&out);
    bool text = rec_ids_as_text(e, t2_slice_of(name), ids, n, &scratch, &out);
    tok_free(e);
    return text ? t2_buf_cstr(&out) : NULL;
}

#define SHOWN(name, ...)                                                                           \
    shown(name, sizeof((const int64_t[]){__VA_ARGS__}) / 8, (const int64_t[]){__VA_ARGS__})

static void test_shown(void **state)
{
    (void) state;
    assert_string_equal(SHOWN("inputs", 2, 3, 4, 1), "\"the cat.<EOS>\"");
    assert_string_equal(SHOWN("inputs", 3), "\"cat\"");
    assert_string_equal(SHOWN("x", 2, 1, 3, 1, 0), "\"the<EOS>cat<EOS><pad>\"");
    assert_string_equal(SHOWN("x", 2, 1, 0, 0, 0), "\"the<EOS><pad*3>\"");
    assert_string_equal(SHOWN("targets", 1), "\"<EOS>\"");
    assert_null(SHOWN("label", 3));
    assert_null(SHOWN("x", 1));
    assert_null(SHOWN("x", 0, 1, 2, 3));
    assert_null(SHOWN("inputs", 2, 5, 1));
    assert_null(SHOWN("inputs", 2, -1, 1));
    assert_null(SHOWN("inputs", 2, INT64_C(4294967298), 1));
}

T_MAIN(cmocka_unit_test(test_shown))
