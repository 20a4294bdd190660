/*
 * Finding features: what protobuf accepts is accepted with protobuf's meaning, what it refuses is
 * refused with a message that says where.
 */
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "tests/support/t.h"
#include "tests/support/wire_bytes.h"
#include "tfrecord/example.h"

static struct tfr_example parsed; /* used again and again, as readers do */

static const char *refusal(const struct t2_buf *b)
{
    static struct t2_err err;

    err = (struct t2_err) T2_ERR_INIT;
    assert_int_equal(tfr_example_parse(&parsed, t2_buf_slice(b), &err), T2_EFORMAT);
    assert_int_equal(parsed.n, 0);
    return err.message;
}

static const struct tfr_example *parse(const struct t2_buf *b)
{
    struct t2_err err = T2_ERR_INIT;

    assert_int_equal(tfr_example_parse(&parsed, t2_buf_slice(b), &err), T2_OK);
    assert_string_equal(err.message, "");
    return &parsed;
}

/* A Feature body with an int64 list, packed. */
static void int_list(struct t2_buf *feature, const uint64_t *values, size_t n)
{
    struct t2_buf run = {0}, list = {0};

    for (size_t i = 0; i < n; i++)
        wb_varint(&run, values[i]);
    wb_message(&list, 1, &run);
    wb_message(feature, 3, &list);
    t2_buf_release(&run);
    t2_buf_release(&list);
}

static void test_empty(void **state)
{
    struct t2_buf b = {0};
    (void) state;

    assert_int_equal(parse(&b)->n, 0);
    t2_buf_append(&b, "\x0a\x00", 2);
    assert_int_equal(parse(&b)->n, 0);
    assert_null(tfr_example_find(&parsed, "a"));
    tfr_example_release(NULL);
    t2_buf_release(&b);
}

static void test_views(void **state)
{
    const int64_t ints[] = {5, -1, 1 << 30};
    const float floats[] = {0.5f};
    const struct t2_slice bytes[] = {t2_slice_of("hello"), t2_slice_of("")};
    const struct tfr_feature f[] = {{.name = "i", .kind = TFR_INT64, .n = 3, .ints = ints},
                                    {.name = "f", .kind = TFR_FLOAT, .n = 1, .floats = floats},
                                    {.name = "b", .kind = TFR_BYTES, .n = 2, .bytes = bytes},
                                    {.name = "e", .kind = TFR_FLOAT},
                                    {.name = "n", .kind = TFR_NONE}};
    struct t2_buf b = {0};
    (void) state;

    tfr_example_build(&b, f, 5);
    assert_int_equal(parse(&b)->n, 5);
    for (size_t i = 0; i < 5; i++) {
        const struct tfr_view *v = tfr_example_find(&parsed, f[i].name);
        assert_non_null(v);
        assert_true(t2_slice_eq(v->name, t2_slice_of(f[i].name)));
        assert_int_equal(v->kind, f[i].kind);
        assert_int_equal(v->n, f[i].n);
        assert_false(v->joined);
    }
    assert_null(tfr_example_find(&parsed, "ii"));
    assert_null(tfr_example_find(&parsed, ""));
    t2_buf_release(&b);
}

static void test_last_of_equal_names_wins(void **state)
{
    struct t2_buf b = {0}, map = {0}, f = {0};
    int64_t v = 0;
    (void) state;

    int_list(&f, (const uint64_t[]){1, 2}, 2);
    wb_entry(&map, "a", &f);
    int_list(&f, (const uint64_t[]){3}, 1);
    wb_entry(&map, "b", &f);
    int_list(&f, (const uint64_t[]){7}, 1);
    wb_entry(&map, "a", &f);
    wb_example(&b, &map);
    assert_int_equal(parse(&b)->n, 2);
    assert_int_equal(tfr_example_find(&parsed, "a")->n, 1);
    tfr_view_ints(tfr_example_find(&parsed, "a"), &v);
    assert_int_equal(v, 7);
    /* a second `features` field goes on with the same map */
    int_list(&f, (const uint64_t[]){9}, 1);
    wb_entry(&map, "b", &f);
    wb_example(&b, &map);
    assert_int_equal(parse(&b)->n, 2);
    tfr_view_ints(tfr_example_find(&parsed, "b"), &v);
    assert_int_equal(v, 9);
    t2_buf_release(&b);
    t2_buf_release(&map);
    t2_buf_release(&f);
}

/* Around every size at which the table of names changes, and twice with the same struct. */
static void test_many_names(void **state)
{
    char name[16];
    (void) state;

    for (int n = 1; n <= 300; n += n < 40 ? 1 : 50) {
        struct t2_buf b = {0}, map = {0}, f = {0};
        for (int round = 0; round < 2; round++) {
            for (int i = 0; i < n; i++) {
                snprintf(name, sizeof name, "name%d", i);
                int_list(&f, (const uint64_t[]){(uint64_t) (1000 * round + i)}, 1);
                wb_entry(&map, name, &f);
            }
        }
        wb_example(&b, &map);
        assert_int_equal(parse(&b)->n, n);
        for (int i = 0; i < n; i++) {
            int64_t v = 0;
            snprintf(name, sizeof name, "name%d", i);
            assert_non_null(tfr_example_find(&parsed, name));
            tfr_view_ints(tfr_example_find(&parsed, name), &v);
            assert_int_equal(v, 1000 + i);
        }
        assert_null(tfr_example_find(&parsed, "other"));
        t2_buf_release(&b);
        t2_buf_release(&map);
        t2_buf_release(&f);
    }
}

static void test_lists_in_pieces(void **state)
{
    struct t2_buf b = {0}, map = {0}, entry = {0}, f = {0}, list = {0};
    int64_t v[4] = {0};
    (void) state;

    /* value {1} value {bytes "w", 2} value {3, 4}: the bytes make an end of what came before */
    wb_bytes(&entry, 1, "a", 1);
    int_list(&f, (const uint64_t[]){1}, 1);
    wb_message(&entry, 2, &f);
    wb_bytes(&list, 1, "w", 1);
    wb_message(&f, 1, &list);
    int_list(&f, (const uint64_t[]){2}, 1);
    wb_number(&f, 7, 1); /* unknown */
    wb_message(&entry, 2, &f);
    wb_number(&entry, 9, 1); /* unknown */
    int_list(&f, (const uint64_t[]){3, 4}, 2);
    wb_message(&entry, 2, &f);
    wb_message(&map, 1, &entry);
    wb_example(&b, &map);
    const struct tfr_view *view = tfr_example_find(parse(&b), "a");
    assert_true(view->joined);
    assert_int_equal(view->kind, TFR_INT64);
    assert_int_equal(view->n, 3);
    tfr_view_ints(view, v);
    assert_true(v[0] == 2 && v[1] == 3 && v[2] == 4);
    t2_buf_release(&b);
    t2_buf_release(&map);
    t2_buf_release(&entry);
    t2_buf_release(&f);
    t2_buf_release(&list);
}

/* Builds Example{Features{entry{key "a", value{Int64List body}}}} and gives the refusal. */
static const char *refused_list(uint32_t kind, const void *body, size_t n)
{
    struct t2_buf b = {0}, map = {0}, f = {0};
    const char *message;

    wb_bytes(&f, kind, body, n);
    wb_entry(&map, "a", &f);
    wb_example(&b, &map);
    message = refusal(&b);
    t2_buf_release(&b);
    t2_buf_release(&map);
    t2_buf_release(&f);
    return message;
}

static void test_messages(void **state)
{
    struct t2_buf b = {0};
    (void) state;

    t2_buf_puts(&b, "hello, world");
    assert_string_equal(refusal(&b),
                        "not an Example: byte 3 of 12: an unknown field that is damaged");
    t2_buf_clear(&b);
    t2_buf_append(&b, "\x0a\x00\x00", 3);
    assert_string_equal(refusal(&b), "not an Example: byte 2 of 3: not a field tag");
    t2_buf_clear(&b);
    t2_buf_append(&b, "\x0a\x05\x0a\x01", 4);
    assert_string_equal(refusal(&b),
                        "not an Example: byte 1 of 4: a length that is damaged or larger "
                        "than what is left");
    t2_buf_clear(&b);
    t2_buf_append(&b, "\x0a\x06\x0a\x04\x0a\x02\xff\xfe", 8);
    assert_string_equal(refusal(&b), "not an Example: byte 6 of 8: the name is not UTF-8");
    assert_string_equal(
        refused_list(3, "\x0a\x02\x05\x80", 4),
        "not an Example: byte 14 of 15, in feature 'a': a packed list of numbers is cut or has one "
        "of more than ten bytes");
    assert_string_equal(
        refused_list(3, "\x08\x80", 2),
        "not an Example: byte 12 of 13, in feature 'a': a number that is cut or has "
        "more than ten bytes");
    assert_string_equal(
        refused_list(2, "\x0a\x03\x01\x02\x03", 5),
        "not an Example: byte 13 of 16, in feature 'a': a packed list of floats whose "
        "length is no multiple of 4");
    assert_string_equal(refused_list(2, "\x0d\x03\x01\x02", 4),
                        "not an Example: byte 12 of 15, in feature 'a': a float that is cut");
    assert_string_equal(
        refused_list(1, "\x0a\x03\x01\x02", 4),
        "not an Example: byte 12 of 15, in feature 'a': a length that is damaged or "
        "larger than what is left");
    assert_string_equal(refused_list(1, "\x1b\x01", 2),
                        "not an Example: byte 12 of 13, in feature 'a': an unknown field that is "
                        "damaged");
    assert_string_equal(refused_list(1, "\x07", 1),
                        "not an Example: byte 11 of 12, in feature 'a': not a field tag");
    t2_buf_release(&b);
}

/* A long name is cut in the message. */
static void test_long_name_in_message(void **state)
{
    struct t2_buf b = {0}, map = {0}, f = {0};
    char name[500], shown[120];
    (void) state;

    memset(name, 'k', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    wb_bytes(&f, 3, "\x07", 1);
    wb_entry(&map, name, &f);
    wb_example(&b, &map);
    snprintf(shown, sizeof shown, "in feature '%.80s':", name);
    t_assert_contains(refusal(&b), shown);
    t2_buf_release(&b);
    t2_buf_release(&map);
    t2_buf_release(&f);
}

static void test_out_of_memory(void **state)
{
    struct tfr_example ex = {0};
    struct t2_err err = T2_ERR_INIT;
    struct t2_buf b = {0}, map = {0}, f = {0};
    char name[16];
    enum t2_status st = T2_ENOMEM;
    int n_failures = 0;
    (void) state;

    for (int i = 0; i < 40; i++) {
        snprintf(name, sizeof name, "name%d", i);
        wb_entry(&map, name, &f);
    }
    wb_example(&b, &map);
    for (uint64_t k = 1; st == T2_ENOMEM && k < 50; k++) { /* each allocation fails in turn */
        tfr_example_release(&ex);
        t2_alloc_fail_after(k);
        st = tfr_example_parse(&ex, t2_buf_slice(&b), &err);
        t2_alloc_fail_after(0);
        n_failures += st == T2_ENOMEM;
        if (st == T2_ENOMEM)
            t_assert_contains(err.message, "not an Example: no memory for its features");
        assert_int_equal(ex.n, st == T2_OK ? 40 : 0);
    }
    assert_int_equal(st, T2_OK);
    assert_true(n_failures >= 4);
    tfr_example_release(&ex);
    t2_buf_release(&b);
    t2_buf_release(&map);
    t2_buf_release(&f);
}

/* No record is accepted when cut, except where a whole `features` field ends; none reads too
 * far. */
static void test_cut_anywhere(void **state)
{
    const int64_t ints[] = {5, -1, 300};
    const float floats[] = {0.5f, 2.0f};
    const struct t2_slice bytes[] = {t2_slice_of("hello")};
    const struct tfr_feature f[] = {{.name = "i", .kind = TFR_INT64, .n = 3, .ints = ints},
                                    {.name = "f", .kind = TFR_FLOAT, .n = 2, .floats = floats},
                                    {.name = "b", .kind = TFR_BYTES, .n = 1, .bytes = bytes}};
    struct t2_buf b = {0};
    (void) state;

    tfr_example_build(&b, f, 3);
    for (size_t cut = 1; cut < b.len_bytes; cut++) {
        struct t2_err err = T2_ERR_INIT;
        uint8_t *p = t_guarded_alloc(cut);
        memcpy(p, b.data, cut);
        assert_int_equal(tfr_example_parse(&parsed, (struct t2_slice){p, cut}, &err), T2_EFORMAT);
        t_guarded_free(p, cut);
    }
    t2_buf_release(&b);
    tfr_example_release(&parsed);
}

T_MAIN(cmocka_unit_test(test_empty), cmocka_unit_test(test_views),
       cmocka_unit_test(test_last_of_equal_names_wins), cmocka_unit_test(test_many_names),
       cmocka_unit_test(test_lists_in_pieces), cmocka_unit_test(test_messages),
       cmocka_unit_test(test_long_name_in_message), cmocka_unit_test(test_out_of_memory),
       cmocka_unit_test(test_cut_anywhere))
