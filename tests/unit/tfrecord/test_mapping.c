/*
 * Mappings of files that are cut under them: zeros and a flag, not a signal; other SIGBUS goes on.
 */
#include "tfrecord/mapping.h"

#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/t.h"

enum { BYTES = 1 << 20, FOREIGN_EXIT = 42 };

static struct t2_err err;

static struct tfr_mapping *map_ones(const char *path)
{
    static uint8_t ones[BYTES];
    struct tfr_mapping *m = NULL;

    memset(ones, 1, sizeof ones);
    t_write_file(path, ones, sizeof ones);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    assert_int_equal(tfr_mapping_new(fd, BYTES, path, &m, &err), T2_OK);
    (void) close(fd);
    return m;
}

static uint64_t sum(const struct tfr_mapping *m)
{
    uint64_t n = 0;

    for (size_t i = 0; i < BYTES; i++)
        n += tfr_mapping_data(m)[i];
    return n;
}

static void check_cut_file(void)
{
    struct tfr_mapping *a = map_ones(t_tmp_path("a"));
    struct tfr_mapping *b = map_ones(t_tmp_path("b"));

    assert_int_equal(sum(a), BYTES);
    assert_int_equal(truncate(t_tmp_path("a"), 65536), 0);
    assert_int_equal(sum(a), 65536);
    assert_true(tfr_mapping_is_broken(a));
    assert_int_equal(sum(b), BYTES);
    assert_false(tfr_mapping_is_broken(b));
    assert_int_equal(truncate(t_tmp_path("b"), 0), 0);
    assert_int_equal(sum(b), 0);
    assert_true(tfr_mapping_is_broken(b));
    tfr_mapping_free(a);
    a = map_ones(t_tmp_path("c")); /* in the place of the old one, which was broken */
    assert_int_equal(sum(a), BYTES);
    assert_false(tfr_mapping_is_broken(a));
    tfr_mapping_free(a);
    tfr_mapping_free(b);
    tfr_mapping_free(NULL);
}

static void on_foreign(int sig)
{
    (void) sig;
    _exit(FOREIGN_EXIT);
}

/* What is not ours goes to the handler that was there before. */
static void check_other_mappings(void)
{
    struct tfr_mapping *m = map_ones(t_tmp_path("ours"));
    int status = 0;

    pid_t child = fork();
    if (child == 0) {
        int fd = open(t_tmp_path("ours"), O_RDWR | O_CLOEXEC);
        const volatile uint8_t *p = mmap(NULL, BYTES, PROT_READ, MAP_SHARED, fd, 0);
        if (ftruncate(fd, 0) != 0)
            _exit(1);
        _exit(p[70000] == 0 ? 2 : 3);
    }
    assert_true(child > 0);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), FOREIGN_EXIT);
    tfr_mapping_free(m);
}

/* In one test: cmocka sets its own handlers before each. */
static void test_handler(void **state)
{
    (void) state;
    assert_true(signal(SIGBUS, on_foreign) != SIG_ERR);
    check_cut_file();
    check_other_mappings();
}

static void test_what_cannot_be_mapped(void **state)
{
    struct tfr_mapping *m = NULL;
    (void) state;

    assert_int_equal(tfr_mapping_new(-1, 10, "x", &m, &err), T2_EIO);
    t_assert_contains(err.message, "cannot map 'x'");
    assert_null(m);
    assert_int_equal(tfr_mapping_new(-1, UINT64_MAX, "x", &m, &err), T2_EUNSUPPORTED);
}

T_MAIN(cmocka_unit_test(test_handler), cmocka_unit_test(test_what_cannot_be_mapped))
