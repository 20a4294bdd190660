/*
 * base/cpu.h - which CPU-specific variant of the kernels runs here.
 */
#ifndef T2_BASE_CPU_H
#define T2_BASE_CPU_H

#include <stdbool.h>

/* Those of one architecture in ascending order: neon is aarch64's, the others x86-64's. */
enum t2_cpu { T2_CPU_GENERIC, T2_CPU_NEON, T2_CPU_AVX2, T2_CPU_AVX512 };

/* X(name, T2_CPU_NAME) for each variant that this build has; the Makefile defines
 * T2_HAVE_CPU_<name> when the compiler can make it. */
#if defined(T2_HAVE_CPU_neon)
#define T2_CPU_EACH(X) X(generic, T2_CPU_GENERIC) X(neon, T2_CPU_NEON)
#elif defined(T2_HAVE_CPU_avx512)
#define T2_CPU_EACH(X) X(generic, T2_CPU_GENERIC) X(avx2, T2_CPU_AVX2) X(avx512, T2_CPU_AVX512)
#elif defined(T2_HAVE_CPU_avx2)
#define T2_CPU_EACH(X) X(generic, T2_CPU_GENERIC) X(avx2, T2_CPU_AVX2)
#else
#define T2_CPU_EACH(X) X(generic, T2_CPU_GENERIC)
#endif

/* The best that compiler and machine know; T2_CPU=generic|avx2|avx512, or generic|neon, in the
 * environment lowers it. */
enum t2_cpu t2_cpu_variant(void);
const char *t2_cpu_name(enum t2_cpu variant);

/* With T2_CPU_AVX512: registers of 16 x 64 bytes and their products (AMX-INT8)?  Linux wants to be
 * asked before a process uses them, which the first call does. */
bool t2_cpu_has_tiles(void);

#endif
