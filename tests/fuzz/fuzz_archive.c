/*
 * tests/fuzz/fuzz_archive.c - datagen/source/archive.c over libarchive: no crash on any bytes,
 * names that are given are good ones, a walk ends.
 */
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "datagen/source/archive.h"
#include "datagen/source/archive_kind.h"
#include "tests/fuzz/memory_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { ENOUGH_MEMBERS = 1000 };

static void walk(const char *path, bool read)
{
    static const struct dg_unpack_limits limits = {.max_bytes = 1 << 20};
    struct t2_err err = T2_ERR_INIT;
    struct dg_archive *a = NULL;
    struct dg_member m;
    uint8_t chunk[4096];

    if (dg_archive_open(path, &limits, &a, &err) != T2_OK)
        return;
    for (int i = 0; i < ENOUGH_MEMBERS && dg_archive_next(a, &m, &err) == T2_OK; i++) {
        const char *name = m.name;
        if (dg_member_name(&name) || name != m.name)
            abort();
        for (size_t n = 1; read && n > 0;) {
            if (dg_archive_read(a, chunk, sizeof chunk, &n, &err) != T2_OK)
                break;
        }
    }
    dg_archive_free(a);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[T_PATH_BYTES];
    int fd = t_memory_file(data, size, path);

    t2_log_set_level(T2_LOG_ERROR);
    walk(path, true);
    walk(path, false);
    t_memory_file_close(fd);
    return 0;
}
