/*
 * test_drop_report.c - excerpts in one printable line; reports added up, saved and loaded.
 */
#include "datagen/source/drop_report.h"

#include "tests/unit/datagen/small_set.h"

static void check(const char *inputs, const char *targets, const char *expected)
{
    struct t2_buf text = {0};

    dg_excerpt_put(t2_slice_of(inputs), t2_slice_of(targets), &text);
    assert_string_equal(t2_buf_cstr(&text), expected);
    t2_buf_release(&text);
}

static void test_excerpt(void **state)
{
    char longer[DG_EXCERPT_BYTES + 10], cut[DG_EXCERPT_BYTES + 10];

    (void) state;
    check("a cat", "eine Katze", "a cat ||| eine Katze");
    check("", "targets only", "targets only");
    check("x", "", "x");
    check("", "", "");
    check("a\tb\rc\x1f", "\xff\xc3", "a\\tb\\x0dc\\x1f ||| \\xff\\xc3");
    memset(longer, 'a', sizeof longer);
    memcpy(longer + DG_EXCERPT_BYTES - 1, "\xc3\xa9 z", 5); /* does not fit any more */
    memcpy(cut, longer, DG_EXCERPT_BYTES - 1);
    memcpy(cut + DG_EXCERPT_BYTES - 1, "...", 4);
    check(longer, "", cut);
}

static void test_files(void **state)
{
    const char *path = t_tmp_path("left-out.json");
    struct dg_drops d = {0}, back = {0}, more = {0};
    struct t2_err err = T2_ERR_INIT;

    (void) state;
    for (int i = 1; i < 8; i++)
        dg_drops_add(&d, "too long", "a.en", (uint64_t) i, i == 1 ? "one \\x1f" : "");
    dg_drops_add(&d, "blank", NULL, 3, NULL);
    assert_int_equal(dg_drops_save(&d, path, &err), T2_OK);
    assert_int_equal(dg_drops_load(path, &back, &err), T2_OK);
    assert_int_equal(back.total, 8);
    assert_int_equal(back.n, 2);
    assert_int_equal(back.items[0].n, 7);
    assert_int_equal(back.items[0].n_examples, DG_DROP_EXAMPLES);
    assert_string_equal(back.items[0].examples[0].text, "one \\x1f");
    assert_null(back.items[0].examples[1].text);
    assert_string_equal(back.items[1].examples[0].path, "");
    dg_drops_add(&more, "blank", "b", 9, "behind");
    dg_drops_add(&more, "new", "b", 10, NULL);
    dg_drops_put_first(&more, &back);
    assert_int_equal(more.total, 10);
    assert_int_equal(more.n, 3);
    assert_string_equal(more.items[0].reason, "too long");
    assert_int_equal(more.items[1].n, 2);
    assert_string_equal(more.items[1].examples[1].text, "behind");
    assert_int_equal(back.n, 0);
    dg_drops_release(&d);
    dg_drops_release(&more);
    assert_int_equal(dg_drops_load(t_tmp_path("absent"), &back, &err), T2_OK);
    assert_int_equal(back.total, 0);
}

static void check_bad(const char *text)
{
    const char *path = t_tmp_path("bad.json");
    struct t2_err err = T2_ERR_INIT;
    struct dg_drops d = {0};

    t_write_file(path, text, strlen(text));
    assert_int_equal(dg_drops_load(path, &d, &err), T2_EFORMAT);
    t_assert_contains(err.message, "bad.json");
    dg_drops_release(&d);
}

static void test_bad(void **state)
{
    (void) state;
    check_bad("{}");
    check_bad("[{\"n\": 1}]");
    check_bad("[{\"reason\": \"x\", \"n\": -1}]");
    check_bad("[");
}

/* The same whichever shard comes first. */
static void test_join(void **state)
{
    (void) state;
    for (int order = 0; order < 2; order++) {
        struct dg_drops a = {0}, b = {0}, sum = {0};
        for (int i = 0; i < 4; i++) {
            dg_drops_add(&a, "x", "c", (uint64_t) i, "of a");
            dg_drops_add(&b, "x", i < 2 ? "b" : "d", 0, NULL);
        }
        dg_drops_add(&b, "early", "b", 7, NULL);
        dg_drops_join(&sum, order ? &a : &b);
        dg_drops_join(&sum, order ? &b : &a);
        assert_int_equal(sum.total, 9);
        assert_int_equal(sum.n, 2);
        assert_string_equal(sum.items[0].reason, "early");
        assert_int_equal(sum.items[1].n, 8);
        assert_int_equal(sum.items[1].n_examples, DG_DROP_EXAMPLES);
        assert_string_equal(sum.items[1].examples[1].path, "b");
        assert_string_equal(sum.items[1].examples[4].path, "c");
        assert_int_equal(sum.items[1].examples[4].line, 2);
        assert_int_equal(a.n + b.n, 0);
        dg_drops_release(&sum);
    }
}

T_MAIN(cmocka_unit_test(test_join), cmocka_unit_test(test_excerpt), cmocka_unit_test(test_files),
       cmocka_unit_test(test_bad))
