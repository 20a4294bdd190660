/*
 * base/version.h - what --version prints.
 */
#ifndef T2_BASE_VERSION_H
#define T2_BASE_VERSION_H

#include <stdio.h>

const char *t2_version(void); /* "0.1.0 (git describe)" */
/* Version, compiler, features built in, libraries that are opened when needed, CPU variant. */
void t2_version_print(FILE *out, const char *tool);

#endif
