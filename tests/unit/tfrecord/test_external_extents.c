/* What was spilled comes back: whole, and item by item across the ends of extents and windows. */
#include "tfrecord/external_extents.h"

#include <string.h>

#include "base/alloc.h"
#include "tests/support/t.h"
#include "tfrecord/external_file.h"
#include "tfrecord/external_order.h"
#include "tfrecord/framing.h"

enum { N = 300 };

static size_t payload_bytes(uint64_t i)
{
    return i == 7 ? 600000 : i % 50; /* one is larger than the window */
}

static void make_items(struct t2_buf *items)
{
    for (uint64_t i = 0; i < N; i++) {
        uint64_t key = t_hash64(i);
        uint8_t header[TFR_HEADER_BYTES];
        t2_buf_append(items, &key, sizeof key);
        tfr_put_header(header, payload_bytes(i));
        t2_buf_append(items, header, sizeof header);
        for (size_t k = 0; k < payload_bytes(i) + TFR_FOOTER_BYTES; k++)
            t2_buf_push(items, (uint8_t) (i + k));
    }
}

/* Cuts the items into extents of step bytes, with others' bytes between them. */
static void check(const struct t2_buf *items, size_t step)
{
    struct tfr_external_file *f = NULL;
    struct tfr_extents x = {NULL, 0};
    struct t2_err err = T2_ERR_INIT;
    uint8_t *back = t2_alloc(items->len_bytes, 1);

    assert_int_equal(tfr_external_file_new(t_tmp_path(""), &f, &err), T2_OK);
    for (size_t at = 0; at < items->len_bytes; at += step) {
        size_t n = items->len_bytes - at < step ? items->len_bytes - at : step;
        assert_int_equal(tfr_external_file_append(f, "other", 5, &err), T2_OK);
        tfr_extents_add(&x, tfr_external_file_bytes(f), n);
        assert_int_equal(tfr_external_file_append(f, items->data + at, n, &err), T2_OK);
    }
    assert_int_equal(tfr_extents_bytes(&x), items->len_bytes);
    assert_int_equal(tfr_extents_read(&x, f, back, &err), T2_OK);
    assert_memory_equal(back, items->data, items->len_bytes);

    struct tfr_item_reader r = {.file = f, .extents = &x};
    for (uint64_t i = 0; i < N; i++) {
        struct t2_slice frame;
        uint64_t key;
        assert_int_equal(tfr_item_reader_next(&r, &key, &frame, &err), T2_OK);
        assert_true(key == t_hash64(i));
        assert_int_equal(frame.len_bytes, payload_bytes(i) + TFR_FRAME_BYTES);
        assert_int_equal(tfr_get_le64(frame.data), payload_bytes(i));
        assert_int_equal(frame.data[frame.len_bytes - 1], (uint8_t) (i + payload_bytes(i) + 3));
    }
    tfr_item_reader_release(&r);
    tfr_extents_forget(&x, f);
    tfr_extents_release(&x);
    tfr_external_file_free(f);
    t2_free(back);
}

static void test_items(void **state)
{
    static const size_t steps[] = {97, 4096, 300000, 10000000};
    struct t2_buf items = {NULL, 0, 0};
    (void) state;

    make_items(&items);
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
        check(&items, steps[i]);
    t2_buf_release(&items);
}

static void test_none(void **state)
{
    struct tfr_extents x = {NULL, 0};
    struct t2_err err = T2_ERR_INIT;
    (void) state;

    assert_int_equal(tfr_extents_bytes(&x), 0);
    assert_int_equal(tfr_extents_read(&x, NULL, NULL, &err), T2_OK);
    tfr_extents_forget(&x, NULL);
    tfr_extents_release(&x);
}

T_MAIN(cmocka_unit_test(test_items), cmocka_unit_test(test_none))
