/*
 * test_wiki_marks.c - marks; the values are those of T2T 1.15.7.
 */
#include "datagen/problems/wiki_marks.h"

#include "tests/support/t.h"

static void check(void (*fn)(struct t2_slice, struct t2_buf *), const char *text,
                  const char *expected)
{
    struct t2_buf out = {0};

    t2_buf_puts(&out, "old");
    fn(t2_slice_of(text), &out);
    assert_string_equal(t2_buf_cstr(&out), expected);
    t2_buf_release(&out);
}

static void test_marks(void **state)
{
    (void) state;
    check(dg_wiki_drop_references, "a&lt;ref x&gt;y&lt;/ref&gt;b", "ab");
    check(dg_wiki_drop_references, "a&lt;ref x", "a");
    check(dg_wiki_open_links, "[[c|d|e]] [[f]] [[g:h]] ]] [", "d|e f  ]] [");
    check(dg_wiki_open_links, "a [[b]", "a ");
    check(dg_wiki_open_links, "[[]]x", "x");
    check(dg_wiki_drop_quotes, "'''i''' ''j'' '''k", "i ''j'' ");
    check(dg_wiki_drop_quotes, "", "");
}

static void test_find(void **state)
{
    const struct t2_slice s = t2_slice_of("abab");

    (void) state;
    assert_int_equal(dg_wiki_find(s, "ab", 0), 0);
    assert_int_equal(dg_wiki_find(s, "ab", 1), 2);
    assert_int_equal(dg_wiki_find(s, "ab", 3), 4);
    assert_int_equal(dg_wiki_find(s, "ab", 9), 4);
    assert_int_equal(dg_wiki_part(s, 1, 3).len_bytes, 2);
    assert_int_equal(dg_wiki_part(s, 3, 1).len_bytes, 0);
}

T_MAIN(cmocka_unit_test(test_marks), cmocka_unit_test(test_find))
