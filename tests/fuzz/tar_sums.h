/*
 * tests/fuzz/tar_sums.h - headers of tar archives get right checksums, or nothing would come past
 * them.
 */
#ifndef T2_TESTS_FUZZ_TAR_SUMS_H
#define T2_TESTS_FUZZ_TAR_SUMS_H

#include <stdint.h>
#include <stdio.h>
#include <string.h>

static inline void t_mend_tar(uint8_t *data, size_t size)
{
    for (size_t at = 0; at + 512 <= size; at += 512) {
        uint8_t *b = data + at;
        unsigned sum = 8 * ' ';
        if (memcmp(b + 257, "ustar", 5) != 0)
            continue;
        for (int i = 0; i < 512; i++)
            sum += i >= 148 && i < 156 ? 0 : b[i];
        snprintf((char *) b + 148, 8, "%06o", sum);
    }
}

#endif
