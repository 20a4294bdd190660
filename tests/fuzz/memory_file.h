/*
 * tests/fuzz/memory_file.h - bytes as a file that has a path, without a disk: for what only opens
 * paths.
 */
#ifndef T2_TESTS_FUZZ_MEMORY_FILE_H
#define T2_TESTS_FUZZ_MEMORY_FILE_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { T_PATH_BYTES = 64 };

/* Fills path; returns what t_memory_file_close takes. */
static inline int t_memory_file(const void *data, size_t len_bytes, char path[T_PATH_BYTES])
{
    const uint8_t *from = data;
    int fd = memfd_create("fuzz", MFD_CLOEXEC);

    if (fd < 0)
        abort();
    while (len_bytes > 0) {
        ssize_t n = write(fd, from, len_bytes);
        if (n <= 0)
            abort();
        from += n;
        len_bytes -= (size_t) n;
    }
    snprintf(path, T_PATH_BYTES, "/proc/self/fd/%d", fd);
    return fd;
}

static inline void t_memory_file_close(int fd)
{
    close(fd);
}

#endif
