/*
 * test_lmdb.c - values in the order of their keys; damage is told.
 */
#include "datagen/images/lmdb.h"

#include <stdio.h>

#include "tests/unit/datagen/images/small_lmdb.h"

/* All entries as "key:length ", or the failure behind them. */
static void check(const struct t2_buf *file, const char *expected)
{
    struct t2_err err = T2_ERR_INIT;
    struct t2_slice key, value;
    struct t2_buf out = {NULL, 0, 0};
    struct dg_lmdb m;
    enum t2_status st = dg_lmdb_open(t2_buf_slice(file), "x", &m, &err);

    while (st == T2_OK && (st = dg_lmdb_next(&m, &key, &value, &err)) == T2_OK)
        t2_buf_printf(&out, "%.*s:%zu%c ", (int) key.len_bytes, (const char *) key.data,
                      value.len_bytes, value.data[value.len_bytes - 1]);
    if (st != T2_EOF)
        t2_buf_puts(&out, err.message);
    assert_string_equal(t2_buf_cstr(&out) ? t2_buf_cstr(&out) : "", expected);
    t2_buf_release(&out);
}

static void make(struct t2_buf *file)
{
    static char text[1200];
    struct t2_slice values[3];

    memset(text, 'x', sizeof text);
    text[1199] = 'z';
    values[0] = t2_slice_of("short");
    values[1] = (struct t2_slice){(const uint8_t *) text, sizeof text};
    values[2] = t2_slice_of("c");
    sl_make(values, 3, file);
}

static void test_entries(void **state)
{
    struct t2_buf file = {NULL, 0, 0};
    uint8_t *p;

    (void) state;
    sl_make(NULL, 0, &file);
    check(&file, "");
    make(&file);
    check(&file, "a:5t b:1200z c:1c ");
    p = sl_page(&file, 9); /* a branch above the leaf, and the leaf twice is too many */
    sl_put(p + 10, 1, 2);
    sl_put(p + 12, 20, 2);
    sl_put(p + 16, 100, 2);
    sl_put(p + 18, 100, 2);
    sl_put(p + 100, SL_LEAF, 6);
    sl_put(sl_page(&file, 1) + 16 + 112, 9, 8);
    check(&file, "a:5t b:1200z c:1c 'x': page 2: more entries than the file says it has");
    sl_put(p + 12, 18, 2);
    check(&file, "a:5t b:1200z c:1c ");
    (void) sl_page(&file, 40);
    sl_put(sl_page(&file, 9) + 100, 9, 6);
    check(&file, "'x': page 9: the tree is too deep");
    t2_buf_release(&file);
}

/* Branch pages whose two entries are both the next page: 2^31 ways; and a leaf whose entries
 * share one value. */
static void test_graph(void **state)
{
    struct t2_buf file = {NULL, 0, 0};
    uint8_t *p;

    (void) state;
    make(&file);
    for (uint64_t page = 9; page < 9 + DG_LMDB_DEPTH; page++) {
        uint64_t child = page + 1 < 8 + DG_LMDB_DEPTH ? page + 1 : 2;
        p = sl_page(&file, page);
        sl_put(p + 10, 1, 2);
        sl_put(p + 12, 20, 2);
        for (size_t i = 0; i < 2; i++) {
            sl_put(p + 16 + 2 * i, 100, 2);
            sl_put(p + 100, child, 6);
        }
    }
    sl_put(sl_page(&file, 2) + 12, 16, 2); /* no entry in the leaf: nothing is counted there */
    sl_put(sl_page(&file, 1) + 16 + 112, 9, 8);
    check(&file,
          "'x': its pages and entries: more than 41984 bytes of work, the most that input of "
          "this size may ask for; it is damaged or hostile");
    make(&file);
    sl_put(sl_page(&file, 1) + 16 + 104, 1000, 8);
    p = sl_page(&file, 2);
    sl_put(p + 12, 16 + 2 * 20, 2);
    for (size_t i = 0; i < 20; i++)
        sl_put(p + 16 + 2 * i, p[18] | (uint64_t) p[19] << 8, 2);
    check(&file,
          "b:1200z b:1200z b:1200z b:1200z 'x': its pages and entries: more than 6144 bytes of "
          "work, the most that input of this size may ask for; it is damaged or hostile");
    t2_buf_release(&file);
}

static void damage(uint64_t page, size_t offset, uint64_t value, int n, const char *expected)
{
    struct t2_buf file = {NULL, 0, 0};

    make(&file);
    sl_put(sl_page(&file, page) + offset, value, n);
    check(&file, expected);
    t2_buf_release(&file);
}

static void test_damage(void **state)
{
    struct t2_buf file = {NULL, 0, 0};

    (void) state;
    check(&file, "'x' is no data.mdb of LMDB");
    damage(0, 16, 1, 4, "'x' is no data.mdb of LMDB");
    damage(0, 40, 500, 4, "'x': pages of 500 bytes");
    damage(1, 16 + 76, 4, 2, "'x': keys with several values, or in another order");
    damage(1, 16 + 112, 77, 8,
           "'x': page 77: behind the end of the file; it was cut, or is damaged");
    damage(1, 16 + 104, 4, 8, "a:5t b:1200z c:1c 'x': 3 entries, not the 4 it declares");
    damage(2, 10, 0x22, 2, "'x': page 2: no page of keys and values");
    damage(2, 12, 600, 2, "'x': page 2: its list of entries is damaged");
    damage(2, 16, 508, 2, "'x': page 2: its list of entries is damaged");
    damage(2, 498, 600, 4, "'x': page 2: an entry is longer than the page");
    damage(2, 498 + 4, 2, 2, "'x': page 2: a database in the database, or several values of a key");
    damage(3, 10, 2, 2, "a:5t 'x': page 3: no page of a long value");
    make(&file);
    file.len_bytes -= SL_PAGE;
    check(&file, "a:5t 'x': page 3: its value ends behind the end of the file");
    t2_buf_release(&file);
}

T_MAIN(cmocka_unit_test(test_entries), cmocka_unit_test(test_graph), cmocka_unit_test(test_damage))
