/*
 * train/device/cpu/registers.h - one register of floats, as wide as the variant has them.
 *
 * For products of matrices, where every sum has to stay in a register: a vector of simd.h is two or
 * four registers without AVX-512, and GCC keeps arrays of such vectors in memory.
 */
#ifndef DEV_CPU_REGISTERS_H
#define DEV_CPU_REGISTERS_H

#if defined(__AVX512F__)
#include <immintrin.h>
enum { REG_LANES = 16 };
typedef __m512 reg;
#define REG_SET(x) _mm512_set1_ps(x)
#define REG_LOAD(p) _mm512_loadu_ps(p)
#define REG_STORE(p, x) _mm512_storeu_ps(p, x)
#define REG_MULTIPLY_ADD(a, b, c) _mm512_fmadd_ps(a, b, c)
#elif defined(__AVX2__)
#include <immintrin.h>
enum { REG_LANES = 8 };
typedef __m256 reg;
#define REG_SET(x) _mm256_set1_ps(x)
#define REG_LOAD(p) _mm256_loadu_ps(p)
#define REG_STORE(p, x) _mm256_storeu_ps(p, x)
#define REG_MULTIPLY_ADD(a, b, c) _mm256_fmadd_ps(a, b, c)
#else
enum { REG_LANES = 4 };
typedef float reg __attribute__((vector_size(16)));
typedef float reg_unaligned __attribute__((vector_size(16), aligned(4), may_alias));
#define REG_SET(x) ((reg){x, x, x, x})
#define REG_LOAD(p) ((reg) * (const reg_unaligned *) (p))
#define REG_STORE(p, x) (*(reg_unaligned *) (p) = (reg_unaligned) (x))
#define REG_MULTIPLY_ADD(a, b, c) ((a) * (b) + (c)) /* fused where the variant has it */
#endif

#endif
