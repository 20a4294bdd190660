/*
 * tests/unit/base/test_npy.c - headers that numpy writes and reads, and those that it refuses.
 */
#include "base/npy.h"

#include <string.h>

#include "tests/support/t.h"

/* A file of version 1 with this header and n zero bytes of data. */
static void make(struct t2_buf *b, const char *header, size_t n)
{
    t2_buf_clear(b);
    t2_buf_append(b, "\x93NUMPY\1\0", 8);
    t2_buf_push(b, (uint8_t) strlen(header));
    t2_buf_push(b, 0);
    t2_buf_puts(b, header);
    for (size_t i = 0; i < n; i++)
        t2_buf_push(b, 0);
}

static void test_written_headers(void **state)
{
    struct t2_buf b = {0};
    struct t2_err err = T2_ERR_INIT;
    struct t2_npy a;
    uint64_t dims[3] = {2, 0, 3};

    (void) state;
    for (size_t n = 0; n <= 3; n++) {
        t2_buf_clear(&b);
        t2_npy_header(&b, n == 3 ? "|S12" : "<i8", dims, n);
        assert_int_equal(b.len_bytes % 64, 0);
        t2_buf_append(&b, "0123456789abcdef", 16);
        assert_int_equal(t2_npy_parse(t2_buf_slice(&b), "x", &a, &err), T2_OK);
        assert_int_equal(a.n_dims, n);
        assert_memory_equal(a.dims, dims, n * sizeof *dims);
        assert_int_equal(a.n_items, n == 0 ? 1 : n == 1 ? 2 : 0);
        assert_int_equal(a.kind, n == 3 ? 'S' : 'i');
        assert_int_equal(a.item_bytes, n == 3 ? 12 : 8);
        assert_int_equal(a.header_bytes, b.len_bytes - 16);
    }
    t2_buf_release(&b);
}

static void test_accepted(void **state)
{
    struct t2_buf b = {0};
    struct t2_err err = T2_ERR_INIT;
    struct t2_npy a;

    (void) state;
    make(&b, "{\"shape\":(2L,3L),'descr' : '>f4', 'fortran_order':True}", 24);
    assert_int_equal(t2_npy_parse(t2_buf_slice(&b), "x", &a, &err), T2_OK);
    assert_true(a.big_endian && a.fortran);
    assert_int_equal(a.n_items, 6);
    make(&b, "{'descr': '<U3', 'fortran_order': False, 'shape': (1,), }", 99);
    assert_int_equal(t2_npy_parse(t2_buf_slice(&b), "x", &a, &err), T2_OK);
    assert_int_equal(a.item_bytes, 12);
    t2_buf_release(&b);
}

static void test_refused(void **state)
{
    static const struct {
        const char *header, *want;
        enum t2_status st;
    } cases[] = {
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }",
         "'x': the data are cut short: 3 items of 4 bytes should be there, 8 bytes are",
         T2_EFORMAT},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (4294967296, 4294967296, 2), }",
         "'x': the shape is too large", T2_EFORMAT},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (4611686018427387904,), }",
         "'x': the data are cut short: 4611686018427387904 items of 8 bytes should be there, 8 "
         "bytes are",
         T2_EFORMAT},
        {"{'descr': '<f4', 'fortran_order': 0, 'shape': (1,), }",
         "'x': fortran_order is neither True nor False", T2_EFORMAT},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (1,), 'more': 1}",
         "'x': the header has a key besides descr, fortran_order and shape", T2_EFORMAT},
        {"{'descr': '<f4', 'shape': (1,)}", "'x': the header lacks descr, fortran_order or shape",
         T2_EFORMAT},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (1,)} x",
         "'x': text follows the dictionary in the header", T2_EFORMAT},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (-1,)}",
         "'x': shape is no tuple of whole numbers", T2_EFORMAT},
        {"{'descr': 'f4', 'fortran_order': False, 'shape': (1,)}",
         "'x': descr is no type of an array", T2_EFORMAT},
        {"{'descr': [('a', '<i4')], 'fortran_order': False, 'shape': (1,)}",
         "'x': a structured array; save its fields as arrays of their own", T2_EUNSUPPORTED},
        {"nothing", "'x': the header is no dictionary", T2_EFORMAT},
    };
    struct t2_buf b = {0};
    struct t2_npy a;

    (void) state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct t2_err err = T2_ERR_INIT;
        make(&b, cases[i].header, 8);
        assert_int_equal(t2_npy_parse(t2_buf_slice(&b), "x", &a, &err), cases[i].st);
        assert_string_equal(err.message, cases[i].want);
    }
    t2_buf_release(&b);
}

static void test_cut_everywhere(void **state)
{
    struct t2_buf b = {0};
    struct t2_npy a;
    uint64_t n = 2;

    (void) state;
    t2_npy_header(&b, "<i4", &n, 1);
    t2_buf_append(&b, "01234567", 8);
    for (size_t cut = 0; cut < b.len_bytes; cut++) {
        struct t2_err err = T2_ERR_INIT;
        assert_int_equal(t2_npy_parse((struct t2_slice){b.data, cut}, "x", &a, &err), T2_EFORMAT);
    }
    t2_buf_release(&b);
}

T_MAIN(cmocka_unit_test(test_written_headers), cmocka_unit_test(test_accepted),
       cmocka_unit_test(test_refused), cmocka_unit_test(test_cut_everywhere))
