#include <string.h>

#include "tests/support/t.h"
#include "tokenizer/bpe_order.h"

enum { MAX = 16 };

struct ranked {
    struct t2_slice tokens[MAX];
    int64_t ranks[MAX];
    struct tok_ranked r;
};

static struct ranked *make(struct ranked *x, bool by_char, const char *const *tokens, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        x->tokens[i] = t2_slice_of(tokens[i]);
        x->ranks[i] = (int64_t) i;
    }
    x->r = (struct tok_ranked){x->tokens, x->ranks, n, by_char};
    return x;
}

static void assert_split(const struct tok_splits *s, int id, int left, int right)
{
    assert_int_equal(s->items[id].left, left);
    assert_int_equal(s->items[id].right, right);
}

static void test_bytes(void **state)
{
    static const char *const tokens[] = {"a", "b", "c", "ab", "abc", "bc", "", "aa", "aaa", "aaaa"};
    struct ranked x;
    struct tok_splits s;

    (void) state;
    tok_splits_init(&s, &make(&x, false, tokens, 10)->r);
    assert_int_equal(s.n_wrong, 0);
    assert_int_equal(s.n_never, 0);
    for (int i = 0; i < 3; i++)
        assert_split(&s, i, -1, -1);
    assert_split(&s, 3, 0, 1);
    assert_split(&s, 4, 3, 2); /* ab c, since bc has a higher rank */
    assert_split(&s, 6, -1, -1);
    assert_split(&s, 8, 7, 0);
    assert_split(&s, 9, 7, 7); /* not aaa a */
    tok_splits_release(&s);
    tok_splits_release(&s);
}

/* abc has the lowest rank of those that could make it up, so merging alone does not give it. */
static void test_wrong(void **state)
{
    static const char *const tokens[] = {"a", "b", "c", "abc", "ab", "xyz"};
    struct ranked x;
    struct tok_splits s;

    (void) state;
    tok_splits_init(&s, &make(&x, false, tokens, 6)->r);
    assert_int_equal(s.n_wrong, 1);
    assert_int_equal(s.first_wrong, 3);
    assert_int_equal(s.n_never, 1); /* no two entries make xyz up */
    assert_int_equal(s.first_never, 5);
    assert_split(&s, 3, -1, -1);
    tok_splits_release(&s);
    x.ranks[3] = TOK_NO_RANK; /* then nothing makes it, and it does no harm */
    tok_splits_init(&s, &x.r);
    assert_int_equal(s.n_wrong, 0);
    assert_int_equal(s.n_never, 2);
    tok_splits_release(&s);
}

static void test_characters(void **state)
{
    static const char *const tokens[] = {"\xC3\xA9", "\xE6\x97\xA5", "\xC3\xA9\xE6\x97\xA5",
                                         "\xC3\xA9x"};
    struct ranked x;
    struct tok_splits s;

    (void) state;
    tok_splits_init(&s, &make(&x, true, tokens, 4)->r);
    assert_split(&s, 0, -1, -1);
    assert_split(&s, 2, 0, 1);
    assert_int_equal(s.n_wrong, 1); /* x is no entry, and yet a symbol that merges */
    assert_int_equal(s.first_wrong, 3);
    tok_splits_release(&s);
    assert_int_equal(tok_symbol_bytes(x.tokens[1], 0, true), 3);
    assert_int_equal(tok_symbol_bytes(x.tokens[1], 0, false), 1);
}

/* Too long to be looked at: said, not passed over. */
static void test_long(void **state)
{
    static char text[2001];
    const char *tokens[] = {"a", "aa", text};
    struct ranked x;
    struct tok_splits s;

    (void) state;
    memset(text, 'a', 2000);
    tok_splits_init(&s, &make(&x, false, tokens, 3)->r);
    assert_int_equal(s.n_wrong, 1);
    assert_int_equal(s.first_wrong, 2);
    tok_splits_release(&s);
}

T_MAIN(cmocka_unit_test(test_bytes), cmocka_unit_test(test_wrong),
       cmocka_unit_test(test_characters), cmocka_unit_test(test_long))
