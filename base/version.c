/*
 * base/version.c - what --version prints.
 *
 * The Makefile gives this file alone T2_VERSION, T2_GIT_DESCRIBE, T2_BUILD_CONFIG and T2_COMPILER.
 */
#include "base/version.h"

#include "base/cpu.h"
#include "base/library.h"

#ifndef T2_VERSION
#define T2_VERSION "unknown"
#endif
#ifndef T2_GIT_DESCRIBE
#define T2_GIT_DESCRIBE ""
#endif
#ifndef T2_BUILD_CONFIG
#define T2_BUILD_CONFIG "unknown"
#endif
#ifndef T2_COMPILER
#define T2_COMPILER __VERSION__
#endif

static const char *const features[] = {
#ifdef T2_HAVE_CUDA
    "cuda",
#endif
#ifdef T2_HAVE_ONEDNN
    "onednn",
#endif
#ifdef T2_HAVE_OPENBLAS
    "openblas",
#endif
#ifdef T2_HAVE_ISAL
    "isal",
#endif
    NULL};

const char *t2_version(void)
{
    if (sizeof T2_GIT_DESCRIBE > 1)
        return T2_VERSION " (" T2_GIT_DESCRIBE ")";
    return T2_VERSION;
}

void t2_version_print(FILE *out, const char *tool)
{
    fprintf(out, "%s %s\n", tool, t2_version());
    fprintf(out, "build: %s, %s\n", T2_BUILD_CONFIG, T2_COMPILER);
    fprintf(out, "features:");
    for (size_t i = 0; features[i]; i++)
        fprintf(out, " %s", features[i]);
    fprintf(out, "%s\n", features[0] ? "" : " none");
    t2_library_print(out);
    fprintf(out, "cpu: %s\n", t2_cpu_name(t2_cpu_variant()));
}
