#include "tokenizer/encoder.h"

#include "tests/support/t.h"

static void test_id_lists(void **state)
{
    struct tok_ids ids = {0};
    static const int32_t more[] = {7, 8, 9};

    (void) state;
    for (int32_t i = 0; i < 100; ++i)
        tok_ids_push(&ids, i);
    tok_ids_append(&ids, more, 3);
    tok_ids_append(&ids, NULL, 0);
    assert_int_equal(ids.n, 103);
    assert_int_equal(ids.items[99], 99);
    assert_int_equal(ids.items[102], 9);
    tok_ids_release(&ids);
    assert_int_equal(ids.n, 0);
    assert_null(ids.items);
    tok_ids_release(&ids);
}

/* Every kind whose 0 and 1 are not <pad> and <EOS> can be raised above them; these have them. */
static void test_shift(void **state)
{
    struct tok_encoder *e = tok_bytes_new();

    (void) state;
    tok_shift(e);
    assert_int_equal(tok_size(e), 258);
    assert_int_equal(tok_special(e).pad, TOK_PAD);
    assert_int_equal(tok_special(e).eos, TOK_EOS);
    assert_int_equal(tok_special(e).unknown, -1);
    tok_free(e);
}

T_MAIN(cmocka_unit_test(test_id_lists), cmocka_unit_test(test_shift))
