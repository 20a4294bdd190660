/*
 * tfrecord/damage_words.c - the words of damage.h, and which field one wrong bit is in.
 */
#include "tfrecord/damage_words.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "tfrecord/framing.h"
#include "tfrecord/looks_like.h"

const char *tfr_field_name(enum tfr_field field)
{
    static const char *const names[] = {"file", "length",   "length CRC",
                                        "data", "data CRC", "compression"};

    return names[field];
}

void tfr_say(struct tfr_damage *d, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    vsnprintf(d->words, sizeof d->words, format, args);
    va_end(args);
}

static uint32_t stored_crc(const uint8_t *header)
{
    return tfr_get_le32(header + TFR_LENGTH_BYTES);
}

static uint32_t crc_of_length(uint64_t length)
{
    uint8_t header[TFR_HEADER_BYTES];

    tfr_put_header(header, (size_t) length);
    return stored_crc(header);
}

bool tfr_header_fits(const uint8_t *header, uint64_t length)
{
    return crc_of_length(length) == stored_crc(header);
}

static bool one_bit(uint32_t difference)
{
    return difference != 0 && (difference & (difference - 1)) == 0;
}

bool tfr_mend_header(const uint8_t *header, enum tfr_field *field, uint64_t *length)
{
    uint64_t n = tfr_get_le64(header);

    *length = n;
    *field = TFR_FIELD_LENGTH_CRC;
    if (one_bit(stored_crc(header) ^ crc_of_length(n)))
        return true;
    for (int bit = 0; bit < 64; bit++) {
        if (tfr_header_fits(header, n ^ UINT64_C(1) << bit)) {
            *length = n ^ UINT64_C(1) << bit;
            *field = TFR_FIELD_LENGTH;
            return true;
        }
    }
    return false;
}

void tfr_say_header(struct tfr_damage *d, const uint8_t *header)
{
    tfr_say(d, "length CRC mismatch: stored %08" PRIx32 ", computed %08" PRIx32, stored_crc(header),
            crc_of_length(tfr_get_le64(header)));
}

void tfr_say_mended(struct tfr_damage *d, const uint8_t *header, uint64_t length, bool saved)
{
    const char *data = saved ? "; the data are whole" : "; the data are not whole either";

    if (d->field == TFR_FIELD_LENGTH) {
        tfr_say(d, "length damaged: %" PRIu64 " is stored, its CRC belongs to %" PRIu64 "%s",
                tfr_get_le64(header), length, data);
        return;
    }
    tfr_say(d, "length CRC mismatch: stored %08" PRIx32 ", computed %08" PRIx32 "%s",
            stored_crc(header), crc_of_length(length), data);
}

void tfr_say_data(struct tfr_damage *d, struct t2_slice data)
{
    uint32_t stored = tfr_get_le32(data.data + data.len_bytes);
    uint32_t computed = t2_crc_mask(t2_crc32c(0, data.data, data.len_bytes));
    bool in_crc = one_bit(stored ^ computed);

    d->field = in_crc ? TFR_FIELD_DATA_CRC : TFR_FIELD_DATA;
    tfr_say(d, "data CRC mismatch: stored %08" PRIx32 ", computed %08" PRIx32 " over %zu bytes%s",
            stored, computed, data.len_bytes,
            in_crc ? "; one bit of the CRC is wrong, the data are most likely whole" : "");
}

void tfr_say_cut(struct tfr_damage *d, uint64_t n, uint64_t length)
{
    if (n < TFR_HEADER_BYTES) {
        d->field = n < TFR_LENGTH_BYTES ? TFR_FIELD_LENGTH : TFR_FIELD_LENGTH_CRC;
        tfr_say(d, "file cut short: %" PRIu64 " of the 12 bytes of a record header are there", n);
        return;
    }
    d->field = n - TFR_HEADER_BYTES < length ? TFR_FIELD_DATA : TFR_FIELD_DATA_CRC;
    tfr_say(d,
            "file cut short: %" PRIu64
            " bytes of data and 4 of their CRC should follow the header, "
            "%" PRIu64 " are there",
            length, n - TFR_HEADER_BYTES);
}

void tfr_say_no_records(struct tfr_damage *d, struct t2_slice data, uint64_t size)
{
    const char *what = tfr_looks_like(data.data, data.len_bytes);
    const char *sep = !what ? "" : "; it looks like ";

    d->field = TFR_FIELD_FILE;
    if (!what)
        what = "";
    if (data.len_bytes < TFR_LENGTH_BYTES)
        tfr_say(d, "not a TFRecord file: it has %zu bytes, the smallest record has 16%s%s",
                data.len_bytes, sep, what);
    else if (size == UINT64_MAX)
        tfr_say(d,
                "not a TFRecord file: the first 8 bytes give a record length of %" PRIu64
                " bytes, the length CRC does not match, and no sound record follows%s%s",
                tfr_get_le64(data.data), sep, what);
    else
        tfr_say(d,
                "not a TFRecord file: the first 8 bytes give a record length of %" PRIu64
                " bytes, the file has %" PRIu64 ", and no sound record is in it%s%s",
                tfr_get_le64(data.data), size, sep, what);
}
