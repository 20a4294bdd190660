/*
 * The form for ARMv8; test_nothing_in_front of test_crc32c_x86.c is for every variant.
 */
#include "base/crc32c.h"

#include "base/crc32c_impl.h"
#include "tests/unit/base/crc_check.h"

static void test_armv8(void **state)
{
    (void) state;
    crc_check(T2_CRC_ARMV8, "ARMv8 with CRC32 and PMULL");
}

T_MAIN(cmocka_unit_test(test_armv8))
