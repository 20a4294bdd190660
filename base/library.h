/*
 * base/library.h - shared libraries that are opened at run time, where they are needed.
 *
 * A program that never downloads should not load libcurl, Kerberos and LDAP; and one that was
 * carried to a machine without a library still does everything that needs no library.  (The
 * libraries for matrix products are opened by train/device/cpu/openblas.c and onednn.c, which
 * prepare the environment before.)
 */
#ifndef T2_BASE_LIBRARY_H
#define T2_BASE_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct t2_library {
    const char *name;     /* "libcurl" */
    const char *files[3]; /* names to open, the best first; ends with NULL */
    const char *package;  /* Debian's */
    bool is_global;       /* its own parts look for its symbols */
};

extern const struct t2_library t2_libarchive, t2_libcurl, t2_libedit, t2_libisal, t2_libmecab,
    t2_libmicrohttpd, t2_libsamplerate, t2_libsndfile, t2_mpich, t2_openmpi;

struct t2_symbol {
    const char *name; /* "curl_easy_init" */
    void *function;   /* the address of a pointer to a function, or to an object */
};

/* Sets every pointer, and returns true; or returns false with `why`, complete enough to print: what
 * is missing and the package that brings it.  A library stays open.  Not for hot paths; the caller
 * remembers the answer. */
bool t2_library_open(const struct t2_library *library, const struct t2_symbol *symbols, size_t n,
                     char *why, size_t why_bytes);

/* For --version: which of them this build can use and this machine has. */
void t2_library_print(FILE *out);

#endif
