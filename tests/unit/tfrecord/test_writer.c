/*
 * Records as they stand in a file.
 */
#include "tfrecord/writer.h"

#include <string.h>

#include "tests/support/t.h"
#include "tfrecord/writer.h"

/* Spec formats E1. */
static void test_known_record(void **state)
{
    struct t2_buf b = {0};
    (void) state;

    tfr_frame(&b, "hello", 5);
    assert_int_equal(b.len_bytes, 21);
    assert_memory_equal(b.data, "\5\0\0\0\0\0\0\0\xea\xb2\x04\x3ehello\xbb\x1f\x1c\x19", 22);
    tfr_frame(&b, NULL, 0); /* appends; an empty payload needs no pointer */
    assert_int_equal(b.len_bytes, 37);
    assert_memory_equal(b.data + 33, "\xd8\xea\x82\xa2", 5);

    size_t begin = tfr_frame_begin(&b); /* the same, made in place */
    assert_int_equal(begin, 37);
    t2_buf_puts(&b, "hello");
    tfr_frame_end(&b, begin);
    assert_int_equal(b.len_bytes, 58);
    assert_memory_equal(b.data + 37, b.data, 21);
    begin = tfr_frame_begin(&b);
    tfr_frame_end(&b, begin);
    assert_memory_equal(b.data + 58, b.data + 21, 16);
    assert_int_equal(b.data[b.len_bytes], 0);
    t2_buf_release(&b);
}

T_MAIN(cmocka_unit_test(test_known_record))
