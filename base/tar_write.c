/*
 * base/tar_write.c - files as members of a tar archive, without anything that depends on the
 * machine.
 *
 * The layout of a header is drawn in tar_read.c.  Owner, group and time are 0 and the mode is
 * 0644, so that the same content is the same archive everywhere.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/tar.h"

enum { BLOCK_BYTES = 512, NAME_BYTES = 100, SIZE_DIGITS = 11 };

static void pad(struct t2_buf *out)
{
    static const uint8_t zeros[BLOCK_BYTES];

    if (out->len_bytes % BLOCK_BYTES)
        t2_buf_append(out, zeros, BLOCK_BYTES - out->len_bytes % BLOCK_BYTES);
}

static void header(struct t2_buf *out, const char *name, uint64_t size, char type)
{
    uint8_t block[BLOCK_BYTES] = {0};
    unsigned sum = 0;
    char text[16];
    size_t n = strlen(name);

    memcpy(block, name, n < NAME_BYTES ? n : NAME_BYTES);
    memcpy(block + 100, "0000644", 7);
    memcpy(block + 108, "0000000", 7); /* owner */
    memcpy(block + 116, "0000000", 7); /* group */
    snprintf(text, sizeof text, "%0*" PRIo64, SIZE_DIGITS, size);
    memcpy(block + 124, text, SIZE_DIGITS);
    memcpy(block + 136, "00000000000", 11); /* time */
    memset(block + 148, ' ', 8);
    block[156] = (uint8_t) type;
    memcpy(block + 257, "ustar\00000", 8);
    for (int i = 0; i < BLOCK_BYTES; i++)
        sum += block[i];
    snprintf(text, sizeof text, "%06o", sum);
    memcpy(block + 148, text, 7); /* with its NUL; a blank follows */
    t2_buf_append(out, block, sizeof block);
}

/* A pax header for a name of more than 100 bytes: "<length> path=<name>\n".  The length counts its
 * own digits, so it is found by iteration: each round uses the number of digits of the one before,
 * and two rounds are enough. */
static void pax_name(struct t2_buf *out, const char *name)
{
    size_t body = strlen(" path=") + strlen(name) + 1, n = body + 1;
    char digits[24];

    for (;;) {
        int d = snprintf(digits, sizeof digits, "%zu", n);
        if (body + (size_t) d == n)
            break;
        n = body + (size_t) d;
    }
    header(out, "pax_header", n, 'x');
    t2_buf_printf(out, "%s path=%s\n", digits, name);
    pad(out);
}

void t2_tar_put(struct t2_buf *out, const char *name, const void *content, size_t len_bytes)
{
    struct t2_buf member = {NULL, 0, 0}; /* blocks are counted from its start */

    if (strlen(name) > NAME_BYTES)
        pax_name(&member, name);
    header(&member, name, len_bytes, '0');
    t2_buf_append(&member, content, len_bytes);
    pad(&member);
    t2_buf_append(out, member.data, member.len_bytes);
    t2_buf_release(&member);
}

void t2_tar_end(struct t2_buf *out)
{
    static const uint8_t zeros[2 * BLOCK_BYTES];

    t2_buf_append(out, zeros, sizeof zeros);
}
