/*
 * base/cpu.h - which CPU-specific variant of the kernels runs here.
 */
#ifndef T2_BASE_CPU_H
#define T2_BASE_CPU_H

enum t2_cpu { T2_CPU_GENERIC, T2_CPU_AVX2, T2_CPU_AVX512 };

/* The best that compiler and machine know; T2_CPU=generic|avx2|avx512 in the environment lowers
 * it. */
enum t2_cpu t2_cpu_variant(void);
const char *t2_cpu_name(enum t2_cpu variant);

#endif
