/*
 * base/cpu.c - which CPU-specific variant of the kernels runs here.
 */
#include "base/cpu.h"

#if defined(__x86_64__)
#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>
#elif defined(__aarch64__)
#include <asm/hwcap.h>
#include <sys/auxv.h>
#endif
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"

enum { UNKNOWN = -1, N_VARIANTS = 4 };

static const char *const names[N_VARIANTS] = {"generic", "neon", "avx2", "avx512"};

#if defined(__x86_64__) && defined(T2_HAVE_CPU_avx2)
/* clang 14's __builtin_cpu_supports does not know the name "f16c". */
static bool has_f16c(void)
{
    unsigned eax, ebx, ecx, edx;

    return __get_cpuid(1, &eax, &ebx, &ecx, &edx) && (ecx & bit_F16C);
}
#endif

/* The instruction sets tested here are those the kernels are compiled with (mk/config.mk).  AVX-512
 * without AVX2, FMA and F16C does not count, because its kernels use them as well. */
static enum t2_cpu detect(void)
{
    enum t2_cpu best = T2_CPU_GENERIC;

#if defined(__x86_64__) && defined(T2_HAVE_CPU_avx2)
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && has_f16c())
        best = T2_CPU_AVX2;
#if defined(T2_HAVE_CPU_avx512)
    if (best == T2_CPU_AVX2 && __builtin_cpu_supports("avx512f") &&
        __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
        __builtin_cpu_supports("avx512dq"))
        best = T2_CPU_AVX512;
#endif
#elif defined(T2_HAVE_CPU_neon)
    if (getauxval(AT_HWCAP) & HWCAP_ASIMD)
        best = T2_CPU_NEON;
#endif
    return best;
}

/* Does the architecture have it?  Not every build and machine does. */
static bool is_of_here(enum t2_cpu variant)
{
#if defined(__aarch64__)
    return variant <= T2_CPU_NEON;
#else
    return variant != T2_CPU_NEON;
#endif
}

/* The best variant of this machine, or a lower one named by T2_CPU. */
static int choose(void)
{
    enum t2_cpu best = detect();
    const char *spec = getenv("T2_CPU");

    if (!spec || *spec == '\0')
        return (int) best;
    for (int i = 0; i < N_VARIANTS; i++) {
        if (is_of_here((enum t2_cpu) i) && strcmp(spec, names[i]) == 0)
            return i < (int) best ? i : (int) best;
    }
    t2_warn("T2_CPU='%s' is not %s; using %s", spec,
            is_of_here(T2_CPU_NEON) ? "generic or neon" : "generic, avx2 or avx512", names[best]);
    return (int) best;
}

enum t2_cpu t2_cpu_variant(void)
{
    static _Atomic int variant = UNKNOWN;
    int v = atomic_load_explicit(&variant, memory_order_relaxed);

    if (v == UNKNOWN) {
        v = choose();
        atomic_store_explicit(&variant, v, memory_order_relaxed);
    }
    return (enum t2_cpu) v;
}

#if defined(__x86_64__) && defined(T2_HAVE_CPU_avx512)
/* Kernels before 5.16 do not know the question, and then do not keep the registers either. */
static bool ask_for_tiles(void)
{
    enum { HAS_TILES = 3 << 24, ASK = 0x1023, TILES = 18 }; /* arch_prctl's */
    unsigned eax, ebx, ecx, edx;

    return t2_cpu_variant() == T2_CPU_AVX512 && __get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) &&
           (edx & HAS_TILES) == HAS_TILES && syscall(SYS_arch_prctl, ASK, TILES) == 0;
}
#else
static bool ask_for_tiles(void)
{
    return false;
}
#endif

bool t2_cpu_has_tiles(void)
{
    static _Atomic int tiles = UNKNOWN;
    int has = atomic_load_explicit(&tiles, memory_order_relaxed);

    if (has == UNKNOWN) {
        has = ask_for_tiles();
        atomic_store_explicit(&tiles, has, memory_order_relaxed);
    }
    return has != 0;
}

const char *t2_cpu_name(enum t2_cpu variant)
{
    return (unsigned) variant < N_VARIANTS ? names[variant] : "?";
}
