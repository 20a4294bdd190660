/*
 * tests/unit/tfrecord/test_bgzip.c - blocks: round trip, finding them, damage.
 */
#include "tfrecord/bgzip.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/gzip.h"
#include "base/text.h"
#include "tests/support/t.h"

static struct t2_err err;

/* Compresses well up to `noise` and not at all behind it. */
static void fill(uint8_t *data, size_t n, size_t noise)
{
    for (size_t i = 0; i < n; i++)
        data[i] = i < noise ? (uint8_t) (i / 100) : (uint8_t) t_hash64(i);
}

static void compress(const uint8_t *data, size_t n, struct t2_buf *out)
{
    struct tfr_bgzip_writer *w = tfr_bgzip_writer_new(6);

    for (size_t at = 0; at < n; at += TFR_BGZIP_INPUT_BYTES)
        tfr_bgzip_append(w, data + at,
                         n - at < TFR_BGZIP_INPUT_BYTES ? n - at : TFR_BGZIP_INPUT_BYTES, out);
    tfr_bgzip_append(w, NULL, 0, out);
    tfr_bgzip_writer_free(w);
}

/* The end of file marker of the SAM specification, section 4.1.2. */
static void test_end_marker(void **state)
{
    static const uint8_t marker[] = {0x1f, 0x8b, 8,    4, 0, 0, 0, 0, 0, 0xff, 6, 0, 0x42, 0x43,
                                     2,    0,    0x1b, 0, 3, 0, 0, 0, 0, 0,    0, 0, 0,    0};
    struct t2_buf b = {0};

    (void) state;
    compress(NULL, 0, &b);
    assert_int_equal(b.len_bytes, sizeof marker);
    assert_memory_equal(b.data, marker, sizeof marker);
    assert_int_equal(tfr_bgzip_block_bytes(b.data, b.len_bytes), 28);
    for (size_t n = 0; n < TFR_BGZIP_HEADER_BYTES; n++)
        assert_int_equal(tfr_bgzip_block_bytes(b.data, n), 0);
    t2_buf_release(&b);
}

static int write_and_open(const char *path, const struct t2_buf *b)
{
    int fd;

    t_write_file(path, b->data, b->len_bytes);
    fd = open(path, O_RDONLY);
    assert_true(fd >= 0);
    return fd;
}

static void test_round_trip(void **state)
{
    static const size_t sizes[] = {1, 5, 0xff00 - 1, 0xff00, 0xff00 + 1, 300000};
    uint8_t *data = t2_alloc(300000, 1);
    struct t2_inflater *z = t2_inflater_new(true);

    (void) state;
    fill(data, 300000, 150000);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct t2_buf b = {0}, raw = {0}, one = {0};
        struct tfr_bgzip_block *blocks;
        const char *path = t_tmp_path("blocks");
        size_t n_blocks;
        int fd;

        compress(data, sizes[i], &b);
        fd = write_and_open(path, &b);
        assert_int_equal(tfr_bgzip_blocks(fd, path, b.len_bytes, &blocks, &n_blocks, &err), T2_OK);
        assert_int_equal(n_blocks, (sizes[i] + 0xff00 - 1) / 0xff00);
        assert_int_equal(blocks[n_blocks].data_offset, sizes[i]);
        assert_int_equal(blocks[n_blocks].file_offset, b.len_bytes);
        for (size_t k = n_blocks; k-- > 0;) {
            assert_int_equal(tfr_bgzip_read(fd, path, blocks + k, z, &raw, &one, &err), T2_OK);
            assert_int_equal(one.len_bytes, blocks[k + 1].data_offset - blocks[k].data_offset);
            assert_memory_equal(one.data, data + blocks[k].data_offset, one.len_bytes);
        }
        t2_free(blocks);
        close(fd);
        t2_buf_release(&b);
        t2_buf_release(&raw);
        t2_buf_release(&one);
    }
    t2_inflater_free(z);
    t2_free(data);
}

/* base/text.c reads it as several gzip members. */
static void test_is_gzip(void **state)
{
    uint8_t *data = t2_alloc(200000, 1), *back = t2_alloc(200001, 1);
    const char *path = t_tmp_path("gzip");
    struct t2_buf b = {0};
    struct t2_in *in = NULL;
    size_t n = 1, at = 0;

    (void) state;
    fill(data, 200000, 100000);
    compress(data, 200000, &b);
    t_write_file(path, b.data, b.len_bytes);
    assert_int_equal(t2_in_new(path, &in, &err), T2_OK);
    while (n > 0) {
        assert_int_equal(t2_in_read(in, back + at, 200001 - at, &n, &err), T2_OK);
        at += n;
    }
    assert_int_equal(at, 200000);
    assert_memory_equal(back, data, at);
    t2_in_free(in);
    t2_buf_release(&b);
    t2_free(data);
    t2_free(back);
}

static void test_damage(void **state)
{
    uint8_t *data = t2_alloc(100000, 1);
    const char *path = t_tmp_path("damage");
    struct t2_buf good = {0}, b = {0}, raw = {0}, one = {0};
    struct t2_inflater *z = t2_inflater_new(true);
    struct tfr_bgzip_block *blocks, *found;
    size_t n_blocks, n_found;
    int fd;

    (void) state;
    fill(data, 100000, 100000);
    compress(data, 100000, &good);
    fd = write_and_open(path, &good);
    assert_int_equal(tfr_bgzip_blocks(fd, path, good.len_bytes, &blocks, &n_blocks, &err), T2_OK);
    close(fd);
    for (size_t i = 0; i < good.len_bytes; i++) { /* one flipped bit anywhere */
        t2_buf_clear(&b);
        t2_buf_append(&b, good.data, good.len_bytes);
        b.data[i] ^= 1;
        fd = write_and_open(path, &b);
        if (tfr_bgzip_blocks(fd, path, b.len_bytes, &found, &n_found, &err) == T2_OK)
            t2_free(found);
        for (size_t k = 0; k < n_blocks; k++) {
            if (tfr_bgzip_read(fd, path, blocks + k, z, &raw, &one, &err) == T2_OK) {
                assert_memory_equal(one.data, data + blocks[k].data_offset, one.len_bytes);
                assert_int_equal(one.len_bytes, blocks[k + 1].data_offset - blocks[k].data_offset);
            }
        }
        close(fd);
    }
    for (size_t n = 0; n < good.len_bytes; n++) { /* cut anywhere but between blocks */
        t2_buf_clear(&b);
        t2_buf_append(&b, good.data, n);
        t2_buf_push(&b, 0);
        b.len_bytes--;
        bool between = n == 0 || n == blocks[1].file_offset || n == good.len_bytes - 28;
        fd = write_and_open(path, &b);
        assert_int_equal(tfr_bgzip_blocks(fd, path, n, &found, &n_found, &err),
                         between ? T2_OK : T2_EFORMAT);
        t2_free(found);
        close(fd);
    }
    t2_free(blocks);
    t2_inflater_free(z);
    t2_buf_release(&good);
    t2_buf_release(&b);
    t2_buf_release(&raw);
    t2_buf_release(&one);
    t2_free(data);
}

T_MAIN(cmocka_unit_test(test_end_marker), cmocka_unit_test(test_round_trip),
       cmocka_unit_test(test_is_gzip), cmocka_unit_test(test_damage))
