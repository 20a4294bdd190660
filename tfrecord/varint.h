/*
 * tfrecord/varint.h - runs of varints: many numbers at once; only tfrecord/ includes it.
 *
 * One number is in base/protobuf.h.  Each function has a plain form (varint.c), the specification,
 * and one for AVX-512 with VBMI2 (varint_x86.c), chosen at run time.
 */
#ifndef TFR_VARINT_H
#define TFR_VARINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* tfr_put may write this many bytes beyond the end of the run; they mean nothing. */
enum { TFR_PUT_SLACK_BYTES = 64 };
/* read_ints may write this many numbers beyond those of the run; they mean nothing. */
enum { TFR_READ_SLACK = 16 };

struct tfr_varint_ops {
    /* Bytes of n numbers as varints; a negative one takes ten. */
    size_t (*ids_bytes)(const int32_t *ids, size_t n);
    /* Writes them; returns the end. */
    uint8_t *(*put_ids)(uint8_t *p, const int32_t *ids, size_t n);
    /* Reads exactly n numbers, whose last byte is the run's last, into out; the run has been
     * counted and checked (example_lists.c). */
    void (*get_ints)(const uint8_t *run, size_t len_bytes, int64_t *out, size_t n);
    /* The same into 32 bits; false when a number does not fit (its low bits are stored). */
    bool (*get_ids)(const uint8_t *run, size_t len_bytes, int32_t *out, size_t n);
    /* Reads an unchecked run: returns how many numbers it has, or SIZE_MAX when the
     * last is cut or one has more than ten bytes.  out has room for len_bytes + TFR_READ_SLACK
     * numbers. */
    size_t (*read_ints)(const uint8_t *run, size_t len_bytes, int64_t *out);
};

/* The form for this machine. */
const struct tfr_varint_ops *tfr_varint_ops(void);

extern const struct tfr_varint_ops tfr_varint_plain;

#if defined(__x86_64__) && defined(__GNUC__)
#define TFR_VARINT_X86 1
extern const struct tfr_varint_ops tfr_varint_avx512;
int tfr_varint_has_avx512(void);
#endif

#endif
