/*
 * train/device/types.h - the types of a tensor's elements, and numbers turned from one into
 * another.
 *
 * Kernels compute in float32 (or wider) whatever the type: an element is read as the float32 of its
 * value, and a result is rounded once, to nearest, ties to even.  A NaN stays one; what is too
 * large becomes infinity.
 */
#ifndef DEV_TYPES_H
#define DEV_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum dev_type {
    DEV_FLOAT32,
    DEV_BFLOAT16, /* the upper half of a float32 */
    DEV_FLOAT16,  /* IEEE 754 binary16 */
    DEV_INT32,
    DEV_UINT8,
    DEV_INT8
};

static inline size_t dev_type_bytes(enum dev_type type)
{
    switch (type) {
    case DEV_FLOAT32:
    case DEV_INT32:
        return 4;
    case DEV_BFLOAT16:
    case DEV_FLOAT16:
        return 2;
    case DEV_UINT8:
    case DEV_INT8:
        return 1;
    }
    return 0;
}

/* "float32", "bfloat16", … */
static inline const char *dev_type_name(enum dev_type type)
{
    static const char *const names[] = {"float32", "bfloat16", "float16", "int32", "uint8", "int8"};

    return names[type];
}

/* The address of element i; dev_element_in for what is only read. */
static inline void *dev_element(enum dev_type type, void *p, int64_t i)
{
    return (char *) p + i * (int64_t) dev_type_bytes(type);
}

static inline const void *dev_element_in(enum dev_type type, const void *p, int64_t i)
{
    return (const char *) p + i * (int64_t) dev_type_bytes(type);
}

/* Of the rows of a search those whose hypotheses go on.  A kernel that is told of them, in the
 * host's memory, need not compute the others, which hold anything then. */
struct dev_live {
    int64_t n, of;       /* how many, of how many */
    const int32_t *rows; /* (n), ascending */
    const bool *is_live; /* (of) */
};

static inline uint32_t dev_float_bits(float x)
{
    uint32_t bits;

    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static inline float dev_bits_float(uint32_t bits)
{
    float x;

    memcpy(&x, &bits, sizeof x);
    return x;
}

static inline uint16_t dev_bfloat16(float x)
{
    uint32_t bits = dev_float_bits(x);

    if ((bits & 0x7fffffffu) > 0x7f800000u)
        return (uint16_t) (bits >> 16 | 0x40);
    return (uint16_t) ((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

static inline float dev_from_bfloat16(uint16_t x)
{
    return dev_bits_float((uint32_t) x << 16);
}

/* Sign 1, exponent 5 (bias 15), fraction 10.  From 65520 on the nearest number is infinity; below
 * 2^-14 numbers are multiples of 2^-24, and adding 1/2 to such a size lets the float32 sum round to
 * them. */
static inline uint16_t dev_float16(float x)
{
    uint32_t bits = dev_float_bits(x), size = bits & 0x7fffffffu;
    uint16_t sign = (uint16_t) (bits >> 16 & 0x8000u);

    if (size > 0x7f800000u)
        return (uint16_t) (sign | 0x7e00u | (size >> 13 & 0x1ffu));
    if (size >= 0x477ff000u)
        return (uint16_t) (sign | 0x7c00u);
    if (size < 0x38800000u)
        return (uint16_t) (sign | (dev_float_bits(dev_bits_float(size) + 0.5f) - 0x3f000000u));
    return (uint16_t) (sign | ((size - 0x38000000u + 0xfffu + (size >> 13 & 1)) >> 13));
}

/* The fraction and exponent shifted into place are 2^-112 times the value, also below 2^-14. */
static inline float dev_from_float16(uint16_t x)
{
    uint32_t size = (uint32_t) (x & 0x7fffu) << 13, sign = (uint32_t) (x & 0x8000u) << 16;

    if (size >= 0x0f800000u) /* infinity, NaN */
        return dev_bits_float(sign | size | 0x7f800000u);
    return dev_bits_float(sign | dev_float_bits(dev_bits_float(size) * 0x1p112f));
}

/* Element i of a tensor of float32, bfloat16 or float16, or of bytes or int32 that are exact as
 * float32. */
static inline float dev_get(enum dev_type type, const void *p, int64_t i)
{
    switch (type) {
    case DEV_FLOAT32:
        return ((const float *) p)[i];
    case DEV_BFLOAT16:
        return dev_from_bfloat16(((const uint16_t *) p)[i]);
    case DEV_FLOAT16:
        return dev_from_float16(((const uint16_t *) p)[i]);
    case DEV_INT32:
        return (float) ((const int32_t *) p)[i];
    case DEV_UINT8:
        return (float) ((const uint8_t *) p)[i];
    case DEV_INT8:
        return (float) ((const int8_t *) p)[i];
    }
    return 0.0f;
}

/* x rounded to a float type. */
static inline float dev_round(enum dev_type type, float x)
{
    if (type == DEV_BFLOAT16)
        return dev_from_bfloat16(dev_bfloat16(x));
    return type == DEV_FLOAT16 ? dev_from_float16(dev_float16(x)) : x;
}

/* Sets element i of a tensor of a float type. */
static inline void dev_put(enum dev_type type, void *p, int64_t i, float x)
{
    if (type == DEV_BFLOAT16)
        ((uint16_t *) p)[i] = dev_bfloat16(x);
    else if (type == DEV_FLOAT16)
        ((uint16_t *) p)[i] = dev_float16(x);
    else
        ((float *) p)[i] = x;
}

#endif
