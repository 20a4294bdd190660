/* Items in the order of their keys, equal keys as they were. */
#include "tfrecord/external_order.h"

#include <string.h>

#include "tests/support/t.h"
#include "tfrecord/framing.h"

/* Item i: a frame of 4 + i % 9 bytes that begin with i. */
static void add_item(struct t2_buf *items, uint64_t key, uint32_t i)
{
    size_t len_bytes = sizeof i + i % 9;
    uint8_t frame[TFR_FRAME_BYTES + 20] = {0};

    tfr_put_header(frame, len_bytes);
    memcpy(frame + TFR_HEADER_BYTES, &i, sizeof i);
    t2_buf_append(items, &key, sizeof key);
    t2_buf_append(items, frame, TFR_FRAME_BYTES + len_bytes);
    assert_int_equal(tfr_shuffle_item_bytes(items->data + items->len_bytes - TFR_FRAME_BYTES -
                                            len_bytes - TFR_SHUFFLE_KEY_BYTES),
                     TFR_SHUFFLE_KEY_BYTES + TFR_FRAME_BYTES + len_bytes);
}

static uint64_t key_of(uint32_t i, unsigned skip_bits, uint32_t n_keys)
{
    uint64_t key = t_hash64(i % n_keys);

    if (skip_bits == 64)
        return 5;
    return skip_bits == 0 ? key : key >> skip_bits | UINT64_C(5) << (64 - skip_bits);
}

static void check(uint32_t n, unsigned skip_bits, uint32_t n_keys)
{
    struct tfr_order o = {.items = {NULL, 0, 0}};
    uint64_t last_key = 0;
    uint32_t last = 0;

    for (int round = 0; round < 2; round++) { /* its memory is used again */
        t2_buf_clear(&o.items);
        for (uint32_t i = 0; i < n; i++)
            add_item(&o.items, key_of(i, skip_bits, n_keys), i);
        struct t2_slice frames = tfr_order_items(&o, n, skip_bits);
        const uint8_t *p = frames.data;
        for (uint32_t k = 0; k < n; k++) {
            uint32_t i;
            memcpy(&i, p + TFR_HEADER_BYTES, sizeof i);
            assert_true(i < n);
            uint64_t key = key_of(i, skip_bits, n_keys);
            assert_true(k == 0 || key > last_key || (key == last_key && i > last));
            last_key = key;
            last = i;
            p += TFR_FRAME_BYTES + (size_t) tfr_get_le64(p);
        }
        assert_ptr_equal(p, frames.data + frames.len_bytes);
    }
    tfr_order_release(&o);
}

static void test_order(void **state)
{
    static const uint32_t sizes[] = {1, 2, 3, 4, 5, 100, 5000};
    (void) state;

    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        check(sizes[i], 0, UINT32_MAX);
        check(sizes[i], 11, UINT32_MAX);
        check(sizes[i], 3, 7); /* many equal keys */
    }
    check(50, 64, 1);
}

static void test_memory(void **state)
{
    (void) state;
    assert_true(tfr_order_memory(10, 1000) > 2 * 1000 + 10 * 32);
    assert_true(tfr_order_memory(10, 1000) < 4 * 1000);
}

T_MAIN(cmocka_unit_test(test_order), cmocka_unit_test(test_memory))
