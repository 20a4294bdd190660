/*
 * tests/unit/tfrec/test_json_cursor.c - JSON from left to right; row_parse's test has the messages.
 */
#include <string.h>

#include "tests/support/t.h"
#include "tfrec/json_cursor.h"

static void test_walk(void **state)
{
    struct rec_json c;
    struct rec_json_number v;
    struct t2_buf key = {0};
    struct t2_err err = T2_ERR_INIT;
    size_t n = 0, k = 0;
    bool more;

    (void) state;
    rec_json_init(&c, "x", 1, t2_slice_of(" {\"a\" : [ 1 , -2.5e1 ], \"b\":null } "));
    assert_int_equal('{', rec_json_peek(&c));
    assert_int_equal(T2_OK, rec_json_expect(&c, '{', &err));
    assert_int_equal(T2_OK, rec_json_next(&c, '}', &n, &more, &err));
    assert_true(more);
    assert_int_equal(T2_OK, rec_json_key(&c, &key, &err));
    assert_string_equal("a", t2_buf_cstr(&key));
    assert_int_equal(T2_OK, rec_json_expect(&c, '[', &err));
    assert_int_equal(T2_OK, rec_json_next(&c, ']', &k, &more, &err));
    assert_int_equal(T2_OK, rec_json_number(&c, &v, &err));
    assert_true(v.whole && v.i == 1);
    assert_int_equal(T2_OK, rec_json_next(&c, ']', &k, &more, &err));
    assert_int_equal(T2_OK, rec_json_number(&c, &v, &err));
    assert_true(!v.whole && v.d == -25);
    assert_int_equal(T2_OK, rec_json_next(&c, ']', &k, &more, &err));
    assert_false(more);
    assert_int_equal(T2_OK, rec_json_next(&c, '}', &n, &more, &err));
    assert_int_equal(T2_OK, rec_json_key(&c, &key, &err));
    assert_false(rec_json_word(&c, "true"));
    assert_true(rec_json_word(&c, "null"));
    assert_int_equal(T2_OK, rec_json_next(&c, '}', &n, &more, &err));
    assert_false(more);
    assert_int_equal(T2_OK, rec_json_end(&c, &err));
    t2_buf_release(&key);
}

/* Every prefix of a text ends inside guarded memory. */
static void test_cut_anywhere(void **state)
{
    static const char text[] = "{\"k\\u00e9\\ud83d\\ude00\":-12.5e-3";
    struct t2_buf key = {0};

    (void) state;
    for (size_t n = 0; n < sizeof text - 1; n++) {
        uint8_t *p = t_guarded_alloc(n + 1);
        struct rec_json c;
        struct rec_json_number v;
        struct t2_err err = T2_ERR_INIT;
        enum t2_status st;
        memcpy(p + 1, text, n);
        rec_json_init(&c, "x", 1, (struct t2_slice){p + 1, n});
        st = rec_json_expect(&c, '{', &err);
        if (st == T2_OK)
            st = rec_json_key(&c, &key, &err);
        if (st == T2_OK)
            st = rec_json_number(&c, &v, &err);
        assert_true(st == T2_OK || st == T2_EFORMAT);
        t_guarded_free(p, n + 1);
    }
    t2_buf_release(&key);
}

static void test_numbers(void **state)
{
    static const struct {
        const char *text;
        bool good, whole;
    } cases[] = {
        {"0", true, true},
        {"-0", true, true},
        {"-9223372036854775808", true, true},
        {"-9223372036854775809", false, true},
        {"1e308", true, false},
        {"1e309", false, false},
        {"1e-400", true, false},
        {"0.1E+2", true, false},
        {"00", false, false},
        {"-", false, false},
        {".5", false, false},
        {"1e", false, false},
        {"+1", false, false},
    };

    (void) state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct rec_json c;
        struct rec_json_number v;
        struct t2_err err = T2_ERR_INIT;
        rec_json_init(&c, "x", 1, t2_slice_of(cases[i].text));
        bool good = rec_json_number(&c, &v, &err) == T2_OK && rec_json_end(&c, &err) == T2_OK;
        assert_int_equal(good, cases[i].good);
        assert_true(!good || v.whole == cases[i].whole);
    }
}

static void test_long_number(void **state)
{
    char digits[1001];
    struct rec_json c;
    struct rec_json_number v;
    struct t2_err err = T2_ERR_INIT;

    (void) state;
    memset(digits, '1', 1000);
    digits[1000] = '\0';
    rec_json_init(&c, "x", 1, t2_slice_of(digits));
    assert_int_equal(T2_EFORMAT, rec_json_number(&c, &v, &err));
    t_assert_contains(err.message, "x:1:1: a number of more than 400 characters");
}

T_MAIN(cmocka_unit_test(test_walk), cmocka_unit_test(test_cut_anywhere),
       cmocka_unit_test(test_numbers), cmocka_unit_test(test_long_number))
