/*
 * train/device/bfloat16.h - bfloat16: the upper half of a float32.
 */
#ifndef DEV_BFLOAT16_H
#define DEV_BFLOAT16_H

#include <stdint.h>
#include <string.h>

/* To nearest, ties to even; a NaN stays one. */
static inline uint16_t dev_bfloat16(float x)
{
    uint32_t bits;

    memcpy(&bits, &x, sizeof bits);
    if ((bits & 0x7fffffffu) > 0x7f800000u)
        return (uint16_t) (bits >> 16 | 0x40);
    return (uint16_t) ((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

/* The float32 of the same value as bfloat16 x. */
static inline float dev_from_bfloat16(uint16_t x)
{
    uint32_t bits = (uint32_t) x << 16;
    float y;

    memcpy(&y, &bits, sizeof y);
    return y;
}

#endif
