#include "tests/unit/tokenizer/small_vocabs.h"

static void test_decode(void **state)
{
    static const int32_t odd[] = {2, -1, 1, 24, 3, 23, 1 << 30};
    struct tok_encoder *e = sv_small();
    struct t2_buf text = {0};

    (void) state;
    tok_decode(e, odd, 7, &text);
    assert_string_equal(t2_buf_cstr(&text), "the<EOS>th");
    tok_decode(e, NULL, 0, &text); /* appends */
    assert_string_equal(t2_buf_cstr(&text), "the<EOS>th");
    t2_buf_release(&text);
    tok_free(e);
}

T_MAIN(cmocka_unit_test(test_decode))
