#include "tests/unit/tokenizer/conversions.h"
#include "tokenizer/convert_kinds.h"
#include "tokenizer/hf_tokenizer.h"

static void test_ranks(void **state)
{
    struct tok_encoder *e = cv_llama("", CV_MERGES);
    struct tok_conversion c = {.cased = false};
    struct tok_hf_order o;

    (void) state;
    tok_hf_order_init(&o, e, tok_hf_model_of(e), &c);
    assert_int_equal(c.differences.n, 0);
    assert_int_equal(o.n, 13);
    for (int id = 0; id < 8; id++)
        assert_int_equal(o.ranks[id], TOK_NO_RANK);
    for (int id = 8; id < 13; id++)
        assert_int_equal(o.ranks[id], id - 8);
    assert_int_equal(o.splits.items[10].left, 8);
    assert_int_equal(o.splits.items[10].right, 9);
    tok_hf_order_release(&o);
    tok_conversion_release(&c);
    tok_free(e);
}

/* More pairs for an entry do no harm behind the right one, and are said before it. */
static void test_more_pairs(void **state)
{
    static const char behind[] = CV_MERGES ", \"a a\"";
    struct tok_encoder *e = cv_llama("", behind);
    struct tok_conversion c = {.cased = false};
    struct tok_hf_order o;

    (void) state;
    tok_hf_order_init(&o, e, tok_hf_model_of(e), &c);
    assert_int_equal(c.differences.n, 0);
    tok_hf_order_release(&o);
    tok_free(e);
    /* the first pair of the merged " the" is not what its rank gives */
    e = fm_parse_text("{\"model\": {\"type\": \"BPE\", \"vocab\": {\"a\": 0, \"b\": 1, \"c\": 2, "
                      "\"ab\": 3, \"bc\": 4, \"abc\": 5}, \"merges\": [\"a b\", \"b c\", \"a bc\", "
                      "\"ab c\"]}}");
    tok_hf_order_init(&o, e, tok_hf_model_of(e), &c);
    assert_int_equal(c.differences.n, 1);
    assert_string_equal(c.differences.items[0],
                        "merges: 1 entries are not made first by the pair that their ranks give");
    tok_hf_order_release(&o);
    tok_conversion_release(&c);
    tok_free(e);
}

/* Added tokens that no merge makes are no entries to merge. */
static void test_added(void **state)
{
    struct tok_encoder *e = cv_llama("{\"id\": 1, \"content\": \"<s>\"}", CV_MERGES);
    struct tok_conversion c = {.cased = false};
    struct tok_hf_order o;

    (void) state;
    tok_hf_order_init(&o, e, tok_hf_model_of(e), &c);
    assert_int_equal(o.tokens[0].len_bytes, 5);
    assert_int_equal(o.tokens[1].len_bytes, 0);
    tok_hf_order_release(&o);
    tok_conversion_release(&c);
    tok_free(e);
}

T_MAIN(cmocka_unit_test(test_ranks), cmocka_unit_test(test_more_pairs),
       cmocka_unit_test(test_added))
