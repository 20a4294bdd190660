/*
 * The AVX-512 form where its blocks of 64 bytes begin and end: numbers of every length laid across
 * each boundary.  Everything else is in test_varint.c.
 */
#include <string.h>

#include "tests/support/t.h"
#include "tests/support/wire_bytes.h"
#include "tfrecord/varint.h"

static void test_across_block_ends(void **state)
{
    (void) state;
#ifndef TFR_VARINT_X86
    t_skip("not x86-64");
#else
    if (!tfr_varint_has_avx512())
        t_skip("this machine has no AVX-512 VBMI2");
    for (size_t before = 40; before < 70; before++) {
        for (unsigned bits = 0; bits < 64; bits++) {
            struct t2_buf b = {0};
            int64_t out[200] = {0};
            size_t n = before + 60;
            for (size_t i = 0; i < n; i++)
                wb_varint(&b, i == before ? UINT64_C(1) << bits : i % 128);
            tfr_varint_avx512.get_ints(b.data, b.len_bytes, out, n);
            for (size_t i = 0; i < n; i++)
                assert_true((uint64_t) out[i] == (i == before ? UINT64_C(1) << bits : i % 128));
            t2_buf_release(&b);
        }
    }
#endif
}

T_MAIN(cmocka_unit_test(test_across_block_ends))
