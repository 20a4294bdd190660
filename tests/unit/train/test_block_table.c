/* Tests of train/ckpt/block_table.c: entries in order, packed blocks, every kind of damage. */
#include "train/ckpt/block_table.h"

#include <string.h>

#include "base/crc32c.h"
#include "base/protobuf.h"
#include "tests/support/t.h"
#include "tests/unit/train/table_entries.h"

static void refused(struct t2_slice table, enum t2_status status, const char *message)
{
    struct t2_err err = T2_ERR_INIT;
    struct table_seen seen = {0, 0};

    assert_int_equal(ckpt_table_read(table, "x.index", table_see, &seen, &err), status);
    t_assert_contains(err.message, message);
}

/* The trailer of a block whose bytes are at the end of b. */
static void end_block(struct t2_buf *b, size_t from, uint8_t packing)
{
    uint32_t crc;

    t2_buf_push(b, packing);
    crc = t2_crc_mask(t2_crc32c(0, b->data + from, b->len_bytes - from));
    for (int i = 0; i < 4; i++)
        t2_buf_push(b, (uint8_t) (crc >> 8 * i));
}

/* A table of one data block with these bytes; the index's entry is index_value. */
static void table_of(struct t2_buf *b, const void *block, size_t n, uint8_t packing,
                     const char *index_value, size_t n_value)
{
    static const uint8_t restarts[] = {0, 0, 0, 0, 1, 0, 0, 0};
    static const uint8_t magic[] = {0x57, 0xfb, 0x80, 0x8b, 0x24, 0x75, 0x47, 0xdb};
    uint8_t footer[40] = {0}, *p = footer;
    size_t index;

    t2_buf_clear(b);
    t2_buf_append(b, block, n);
    end_block(b, 0, packing);
    index = b->len_bytes;
    t2_buf_append(b, "\x00\x01", 2);
    t2_buf_push(b, (uint8_t) n_value);
    t2_buf_push(b, 'z');
    t2_buf_append(b, index_value, n_value);
    t2_buf_append(b, restarts, sizeof restarts);
    *p++ = 0; /* metaindex: nobody reads it */
    *p++ = 0;
    p = t2_put_varint(p, index);
    p = t2_put_varint(p, b->len_bytes - index);
    end_block(b, index, 0);
    t2_buf_append(b, footer, sizeof footer);
    t2_buf_append(b, magic, sizeof magic);
}

#define ONE "\x00\x09\x00key 00000\x00\x00\x00\x00\x01\x00\x00\x00"

static void test_packed(void **state)
{
    struct t2_err err = T2_ERR_INIT;
    struct table_seen seen = {0, 0};
    struct t2_buf b = {0};

    (void) state;
    table_of(&b, ONE, 20, 0, "\x00\x14", 2);
    assert_int_equal(ckpt_table_read(t2_buf_slice(&b), "x", table_see, &seen, &err), T2_OK);
    assert_int_equal(seen.n, 1);
    seen.n = 0;
    table_of(&b, "\x14\x4c" ONE, 22, 1, "\x00\x16", 2);
    assert_int_equal(ckpt_table_read(t2_buf_slice(&b), "x", table_see, &seen, &err), T2_OK);
    assert_int_equal(seen.n, 1);
    table_of(&b, "\x14\x50" ONE, 22, 1, "\x00\x16", 2);
    refused(t2_buf_slice(&b), T2_EFORMAT, "'x.index': block at offset 0: damaged snappy block");
    table_of(&b, ONE, 20, 4, "\x00\x14", 2);
    refused(t2_buf_slice(&b), T2_EUNSUPPORTED, "packed by way 4");
    t2_buf_release(&b);
}

static void test_damage(void **state)
{
    static const struct {
        const char *block;
        size_t n;
        const char *place;
        size_t n_place;
        const char *message;
    } cases[] = {
        {ONE, 20, "\x00\x7f", 2, "does not lie in the file"},
        {ONE, 20, "\xff\xff\x7f\x14", 4, "does not lie in the file"},
        {ONE, 20, "\x00\x13", 2, "its checksum is wrong"},
        {ONE, 20, "\x80", 1, "the place of a block is damaged"},
        {"\x00\x00\x00", 3, "\x00\x03", 2, "restarts do not lie in it"},
        {"\x00\x00\x00\x00\x00\x00\x00\x00", 8, "\x00\x08", 2, "restarts do not lie in it"},
        {"\x00\x00\x00\x00\xff\x00\x00\x00", 8, "\x00\x08", 2, "restarts do not lie in it"},
        {"\x01\x01\x00k\x00\x00\x00\x00\x01\x00\x00\x00", 12, "\x00\x0c", 2,
         "an entry does not lie in it"},
        {"\x00\x7f\x00k\x00\x00\x00\x00\x01\x00\x00\x00", 12, "\x00\x0c", 2,
         "an entry does not lie in it"},
        {"\x00\x09\x00key 00000\x09\x00\x00\x00\x00\x00\x00\x01\x00\x00\x00", 23, "\x00\x17", 2,
         "keys are not in order"},
    };
    struct t2_buf b = {0};

    (void) state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        table_of(&b, cases[i].block, cases[i].n, 0, cases[i].place, cases[i].n_place);
        refused(t2_buf_slice(&b), T2_EFORMAT, cases[i].message);
    }
    b.len_bytes -= 1;
    refused(t2_buf_slice(&b), T2_EFORMAT, "no index of a TensorFlow checkpoint (cut short?)");
    refused((struct t2_slice){NULL, 0}, T2_EFORMAT, "no index of a TensorFlow checkpoint");
    t2_buf_release(&b);
}

T_MAIN(cmocka_unit_test(test_packed), cmocka_unit_test(test_damage))
