/*
 * train/device/cpu/registers.h - one register of floats, as wide as the variant has them.
 *
 * For products of matrices, where every sum has to stay in a register: a vector of simd.h is two or
 * four registers without AVX-512, and GCC keeps arrays of such vectors in memory.
 */
#ifndef DEV_CPU_REGISTERS_H
#define DEV_CPU_REGISTERS_H

#include "train/device/types.h"

#if defined(__AVX512F__)
#include <immintrin.h>
enum { REG_LANES = 16 };
typedef __m512 reg;
#define REG_SET(x) _mm512_set1_ps(x)
#define REG_LOAD(p) _mm512_loadu_ps(p)
#define REG_STORE(p, x) _mm512_storeu_ps(p, x)
#define REG_MULTIPLY_ADD(a, b, c) _mm512_fmadd_ps(a, b, c)
#define REG_LOAD_BFLOAT16(p)                                                                       \
    _mm512_castsi512_ps(                                                                           \
        _mm512_slli_epi32(_mm512_cvtepu16_epi32(_mm256_loadu_si256((const void *) (p))), 16))
#elif defined(__AVX2__)
#include <immintrin.h>
enum { REG_LANES = 8 };
typedef __m256 reg;
#define REG_SET(x) _mm256_set1_ps(x)
#define REG_LOAD(p) _mm256_loadu_ps(p)
#define REG_STORE(p, x) _mm256_storeu_ps(p, x)
#define REG_MULTIPLY_ADD(a, b, c) _mm256_fmadd_ps(a, b, c)
#define REG_LOAD_BFLOAT16(p)                                                                       \
    _mm256_castsi256_ps(                                                                           \
        _mm256_slli_epi32(_mm256_cvtepu16_epi32(_mm_loadu_si128((const void *) (p))), 16))
#else
enum { REG_LANES = 4 };
typedef float reg __attribute__((vector_size(16)));
typedef float reg_unaligned __attribute__((vector_size(16), aligned(4), may_alias));
#define REG_SET(x) ((reg){x, x, x, x})
#define REG_LOAD(p) ((reg) * (const reg_unaligned *) (p))
#define REG_STORE(p, x) (*(reg_unaligned *) (p) = (reg_unaligned) (x))
#define REG_MULTIPLY_ADD(a, b, c) ((a) * (b) + (c)) /* fused where the variant has it */
#define REG_LOAD_BFLOAT16(p)                                                                       \
    ((reg){dev_from_bfloat16((p)[0]), dev_from_bfloat16((p)[1]), dev_from_bfloat16((p)[2]),        \
           dev_from_bfloat16((p)[3])})
#endif

#endif
