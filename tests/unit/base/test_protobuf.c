/*
 * Protobuf's wire format: numbers, tags, lengths, stepping over fields and groups.
 */
#include "base/protobuf.h"

#include "tests/support/t.h"
#include "tests/support/wire_bytes.h"

static const uint64_t numbers[] = {0,          1,          127,        128,        16383,
                                   16384,      2097151,    2097152,    268435455,  1u << 28,
                                   UINT32_MAX, 1ull << 35, 1ull << 42, 1ull << 49, 1ull << 56,
                                   1ull << 63, UINT64_MAX};

static void test_numbers(void **state)
{
    (void) state;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        struct t2_buf b = {0};
        uint8_t mine[10];
        uint64_t v = 1;
        wb_varint(&b, numbers[i]);
        size_t n = (size_t) (t2_put_varint(mine, numbers[i]) - mine);
        assert_int_equal(n, b.len_bytes);
        assert_int_equal(n, t2_varint_bytes(numbers[i]));
        assert_memory_equal(mine, b.data, n);
        struct t2_wire w = {mine, mine + n};
        assert_true(t2_wire_varint(&w, 10, &v));
        assert_true(v == numbers[i] && w.p == w.end);
        for (size_t cut = 0; cut < n; cut++) { /* cut anywhere: refused, nothing moved */
            w = (struct t2_wire){mine, mine + cut};
            assert_false(t2_wire_varint(&w, 10, &v));
            assert_true(w.p == mine);
        }
        t2_buf_release(&b);
    }
}

static void test_odd_numbers(void **state)
{
    static const uint8_t overlong[] = {0x85, 0x80, 0x80, 0x00};
    static const uint8_t eleven[] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1};
    static const uint8_t high[] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f};
    struct t2_wire w = {overlong, overlong + sizeof overlong};
    uint64_t v = 0;
    (void) state;

    assert_true(t2_wire_varint(&w, 10, &v) && v == 5);
    w = (struct t2_wire){eleven, eleven + sizeof eleven};
    assert_false(t2_wire_varint(&w, 10, &v));
    w = (struct t2_wire){high, high + sizeof high};
    assert_true(t2_wire_varint(&w, 10, &v) && v == UINT64_MAX);
}

static bool tag_of(const char *bytes, size_t n, uint32_t *tag)
{
    struct t2_wire w = {(const uint8_t *) bytes, (const uint8_t *) bytes + n};

    return t2_wire_tag(&w, tag);
}

static void test_tags(void **state)
{
    uint32_t tag = 0;
    (void) state;

    assert_true(tag_of("\x0a", 1, &tag) && tag == T2_TAG(1, T2_WIRE_BYTES));
    assert_true(tag_of("\x8a\x00", 2, &tag) && tag == 10); /* longer than needed */
    assert_true(tag_of("\xf8\xff\xff\xff\x0f", 5, &tag) && tag >> 3 == 536870911);
    assert_false(tag_of("\xf8\xff\xff\xff\x1f", 5, &tag)); /* beyond 32 bits */
    assert_false(tag_of("\xf8\xff\xff\xff\x8f\x00", 6, &tag));
    assert_false(tag_of("\x02", 1, &tag)); /* field 0 */
    assert_false(tag_of("\x00", 1, &tag));
    assert_false(tag_of("\x0e", 1, &tag)); /* wire types 6, 7 */
    assert_false(tag_of("\x0f", 1, &tag));
    assert_false(tag_of("", 0, &tag));
}

static void test_lengths(void **state)
{
    static const uint8_t exact[] = {2, 'a', 'b'}, past[] = {3, 'a', 'b'};
    static const uint8_t huge[] = {0xff, 0xff, 0xff, 0xff, 0x7f, 'a'};
    struct t2_wire w = {exact, exact + 3};
    struct t2_slice body;
    (void) state;

    assert_true(t2_wire_bytes(&w, &body));
    assert_true(body.len_bytes == 2 && body.data == exact + 1 && !t2_wire_more(&w));
    w = (struct t2_wire){past, past + 3};
    assert_false(t2_wire_bytes(&w, &body));
    assert_true(w.p == past);
    w = (struct t2_wire){huge, huge + 6};
    assert_false(t2_wire_bytes(&w, &body));
}

/* Steps over the first field of b; how far it came, 0 when refused. */
static size_t skipped(const struct t2_buf *b, int depth)
{
    struct t2_wire w = {b->data, b->data + b->len_bytes};
    uint32_t tag = 0;

    assert_true(t2_wire_tag(&w, &tag));
    return t2_wire_skip(&w, tag, depth) ? (size_t) (w.p - b->data) : 0;
}

static void test_skip_fields(void **state)
{
    struct t2_buf b = {0};
    (void) state;

    wb_number(&b, 15, 300);
    assert_int_equal(skipped(&b, 0), 3);
    b.len_bytes = 2;
    assert_int_equal(skipped(&b, 0), 0);
    t2_buf_clear(&b);
    wb_tag(&b, 3, 1);
    t2_buf_append(&b, "12345678", 8);
    assert_int_equal(skipped(&b, 0), 9);
    b.len_bytes = 8;
    assert_int_equal(skipped(&b, 0), 0);
    t2_buf_clear(&b);
    wb_tag(&b, 3, 5);
    t2_buf_append(&b, "1234", 4);
    assert_int_equal(skipped(&b, 0), 5);
    b.len_bytes = 4;
    assert_int_equal(skipped(&b, 0), 0);
    t2_buf_clear(&b);
    wb_bytes(&b, 3, "xyz", 3);
    t2_buf_puts(&b, "more");
    assert_int_equal(skipped(&b, 0), 5);
    t2_buf_release(&b);
}

static void test_skip_groups(void **state)
{
    struct t2_buf b = {0};
    (void) state;

    wb_tag(&b, 9, 3);
    wb_number(&b, 1, 5);
    wb_tag(&b, 10, 3);
    wb_bytes(&b, 2, "xy", 2);
    wb_tag(&b, 10, 4);
    wb_tag(&b, 9, 4);
    size_t whole = b.len_bytes;
    t2_buf_puts(&b, "rest");
    assert_int_equal(skipped(&b, 0), whole);
    b.len_bytes = whole - 1; /* no end */
    assert_int_equal(skipped(&b, 0), 0);
    b.len_bytes = whole;
    b.data[whole - 1] = 10 << 3 | 4; /* end of another group */
    assert_int_equal(skipped(&b, 0), 0);
    t2_buf_clear(&b);
    wb_tag(&b, 9, 4); /* end without start */
    assert_int_equal(skipped(&b, 0), 0);
    t2_buf_release(&b);
}

static void test_depth(void **state)
{
    (void) state;
    for (int deep = 95; deep <= 105; deep++) {
        struct t2_buf b = {0};
        for (int i = 0; i < deep; i++)
            wb_tag(&b, 2, 3);
        for (int i = 0; i < deep; i++)
            wb_tag(&b, 2, 4);
        assert_int_equal(skipped(&b, 0) > 0, deep <= 100);
        assert_int_equal(skipped(&b, 4) > 0, deep <= 96);
        t2_buf_release(&b);
    }
}

T_MAIN(cmocka_unit_test(test_numbers), cmocka_unit_test(test_odd_numbers),
       cmocka_unit_test(test_tags), cmocka_unit_test(test_lengths),
       cmocka_unit_test(test_skip_fields), cmocka_unit_test(test_skip_groups),
       cmocka_unit_test(test_depth))
