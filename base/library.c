/*
 * base/library.c - shared libraries that are opened at run time.
 */
#include "base/library.h"

#include <dlfcn.h>
#include <string.h>

/* Any build of libcurl has the same functions; Debian's differ in the library for TLS. */
const struct t2_library t2_libcurl = {"libcurl",
                                      {"libcurl.so.4", "libcurl-gnutls.so.4", NULL},
                                      "libcurl4",
                                      false};
const struct t2_library t2_libarchive = {"libarchive",
                                         {"libarchive.so.13", NULL},
                                         "libarchive13",
                                         false};
const struct t2_library t2_libedit = {"libedit", {"libedit.so.2", NULL}, "libedit2", false};
const struct t2_library t2_libisal = {"ISA-L", {"libisal.so.2", NULL}, "libisal2", false};
const struct t2_library t2_libmecab = {"MeCab", {"libmecab.so.2", NULL}, "libmecab2", false};
const struct t2_library t2_libmicrohttpd = {"libmicrohttpd",
                                            {"libmicrohttpd.so.12", NULL},
                                            "libmicrohttpd12",
                                            false};
const struct t2_library t2_libsamplerate = {"libsamplerate",
                                            {"libsamplerate.so.0", NULL},
                                            "libsamplerate0",
                                            false};
const struct t2_library t2_libsndfile = {"libsndfile",
                                         {"libsndfile.so.1", NULL},
                                         "libsndfile1",
                                         false};
const struct t2_library t2_mpich = {"MPICH",
                                    {"libmpich.so.12", "libmpi.so.12", NULL},
                                    "libmpich12",
                                    true};
const struct t2_library t2_openmpi = {"Open MPI", {"libmpi.so.40", NULL}, "libopenmpi3", true};

/* The handle of the first file that opens; NULL, and what is wrong with the first. */
static void *open_any(const struct t2_library *library, int visible, const char **file, char *why,
                      size_t why_bytes)
{
    for (size_t i = 0; library->files[i] != NULL; i++) {
        void *handle = dlopen(library->files[i], RTLD_NOW | visible);

        if (handle) {
            *file = library->files[i];
            return handle;
        }
        if (i == 0)
            snprintf(why, why_bytes, "%s cannot be opened: apt-get install %s (%s)", library->name,
                     library->package, dlerror());
    }
    return NULL;
}

bool t2_library_open(const struct t2_library *library, const struct t2_symbol *symbols, size_t n,
                     char *why, size_t why_bytes)
{
    const char *file = NULL;
    int visible = library->is_global ? RTLD_GLOBAL : RTLD_LOCAL;
    void *handle = open_any(library, visible, &file, why, why_bytes);

    if (!handle)
        return false;
    for (size_t i = 0; i < n; i++) {
        void *address = dlsym(handle, symbols[i].name);

        /* ISO C has no cast from an object's address to a function's. */
        memcpy(symbols[i].function, &address, sizeof address);
        if (!address) {
            snprintf(why, why_bytes, "%s is too old, it has no %s: apt-get install %s", file,
                     symbols[i].name, library->package);
            return false;
        }
    }
    return true;
}

void t2_library_print(FILE *out)
{
    const struct t2_library *const all[] = {
        &t2_libarchive,
#ifdef T2_HAVE_CURL
        &t2_libcurl,
#endif
#ifdef T2_HAVE_EDIT
        &t2_libedit,
#endif
#ifdef T2_HAVE_ISAL
        &t2_libisal,
#endif
        &t2_libmecab,
#ifdef T2_HAVE_MICROHTTPD
        &t2_libmicrohttpd,
#endif
        &t2_libsamplerate, &t2_libsndfile, &t2_mpich, &t2_openmpi,
    };

    fprintf(out, "opened when needed:");
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        const char *file = NULL;
        char why[256];
        const char *comma = i > 0 ? "," : "";

        if (open_any(all[i], RTLD_LOCAL, &file, why, sizeof why))
            fprintf(out, "%s %s", comma, file);
        else
            fprintf(out, "%s no %s (apt-get install %s)", comma, all[i]->name, all[i]->package);
    }
    fprintf(out, "\n");
}
