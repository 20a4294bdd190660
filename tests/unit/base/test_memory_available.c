/*
 * tests/unit/base/test_memory_available.c - less is available when less may be taken.
 */
#include "base/memory_available.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/t.h"

static void test_some(void **state)
{
    (void) state;
    assert_true(t2_memory_available() > (1 << 20));
    assert_true(t2_memory_available() < UINT64_MAX);
    assert_true(t2_memory_total() >= t2_memory_available());
    assert_true(t2_memory_total() < UINT64_MAX);
}

static void test_resident(void **state)
{
    enum { BYTES = 8 << 20 };
    uint64_t before = t2_memory_resident(), after;
    char *p = malloc(BYTES);

    (void) state;
    assert_non_null(p);
    memset(p, 1, BYTES);
    after = t2_memory_resident();
    free(p);
    assert_true(before > 100000);
    assert_true(t2_memory_peak() + (1 << 20) >= after); /* counters of threads come late */
    assert_in_range(after, before + BYTES / 2, before + 4 * (uint64_t) BYTES);
}

/* The kernel's taking them back does not make the program smaller. */
static void test_pages_of_files_return(void **state)
{
    (void) state;
#ifdef __SANITIZE_THREAD__
    t_skip("ThreadSanitizer's shadow of the pages goes with them");
#else
    enum { BYTES = 8 << 20 };
    char *bytes = calloc(BYTES, 1);
    const char *path = t_tmp_path("pages");
    uint64_t with, without;
    char *map;
    int fd;

    t_write_file(path, bytes, BYTES);
    free(bytes);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    map = mmap(NULL, BYTES, PROT_READ, MAP_SHARED, fd, 0);
    assert_true(map != MAP_FAILED);
    for (size_t i = 0; i < BYTES; i += 4096)
        assert_int_equal(map[i], 0);
    with = t2_memory_resident();
    assert_int_equal(munmap(map, BYTES), 0);
    without = t2_memory_resident();
    assert_in_range(without, with - BYTES / 4, with + BYTES / 4);
    close(fd);
#endif
}

/* In a process of its own, as a limit that was lowered stays. */
static void test_address_space(void **state)
{
    (void) state;
#ifdef __SANITIZE_ADDRESS__
    t_skip("AddressSanitizer has reserved more than any limit");
#elif defined(__SANITIZE_THREAD__)
    t_skip("ThreadSanitizer has reserved more than any limit");
#else
    const char *emulator = getenv("T2_EMULATOR");
    int status = 0;
    pid_t child;

    if (emulator && *emulator)
        t_skip("an emulator has an address space of its own");
    child = fork();
    if (child == 0) {
        struct rlimit limit = {UINT64_C(1) << 31, UINT64_C(1) << 31};
        uint64_t n;

        if (setrlimit(RLIMIT_AS, &limit) != 0)
            _exit(3);
        n = t2_memory_available();
        _exit(n < (UINT64_C(1) << 31) && n > (UINT64_C(1) << 29) &&
                      t2_memory_total() == UINT64_C(1) << 31
                  ? 0
                  : 2);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
#endif
}

T_MAIN(cmocka_unit_test(test_some), cmocka_unit_test(test_resident),
       cmocka_unit_test(test_pages_of_files_return), cmocka_unit_test(test_address_space))
