/*
 * Mappings of files that are cut under them: the program is told; other SIGBUS goes on.
 */
#include "base/mapping.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/t.h"

enum { BYTES = 1 << 20, FOREIGN_EXIT = 42, LOSS_EXIT = 43 };

static struct t2_err err;

static struct t2_mapping *map_ones(const char *path)
{
    static uint8_t ones[BYTES];
    struct t2_mapping *m = NULL;

    memset(ones, 1, sizeof ones);
    t_write_file(path, ones, sizeof ones);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    assert_int_equal(t2_mapping_new(fd, BYTES, path, &m, &err), T2_OK);
    (void) close(fd);
    return m;
}

static void on_foreign(int sig)
{
    (void) sig;
    _exit(FOREIGN_EXIT);
}

static void on_loss(const char *path)
{
    if (write(STDERR_FILENO, path, strlen(path)) < 0)
        _exit(103);
    _exit(LOSS_EXIT);
}

/* Exit code of a child that cuts the file and touches what is gone: by our mapping or by
 * another. */
static int exit_of_child(const struct t2_mapping *m, const char *path, const char *log)
{
    int status = 0;
    pid_t child = fork();

    if (child == 0) {
        int fd = open(path, O_RDWR | O_CLOEXEC);
        int out = open(log, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
        const volatile uint8_t *p =
            m ? t2_mapping_data(m) : mmap(NULL, BYTES, PROT_READ, MAP_SHARED, fd, 0);
        if (ftruncate(fd, 4096) != 0 || dup2(out, STDERR_FILENO) < 0 || p[0] != 1)
            _exit(100);
        _exit(p[70000] == 0 ? 101 : 102);
    }
    assert_true(child > 0);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

/* In one test: cmocka sets its own handlers before each. */
static void test_handler(void **state)
{
    const char *path = t_tmp_path("ours"), *log = t_tmp_path("log");
    size_t n;
    (void) state;

    assert_true(signal(SIGBUS, on_foreign) != SIG_ERR);
    struct t2_mapping *m = map_ones(path);
    struct t2_mapping *second = map_ones(t_tmp_path("second"));
    t2_mapping_free(second);
    t2_mapping_on_loss(on_loss);
    assert_int_equal(exit_of_child(m, path, log), LOSS_EXIT);
    char *text = t_read_file(log, &n);
    assert_string_equal(text, path);
    free(text);
    t2_mapping_free(m);
    m = map_ones(path);
    assert_int_equal(exit_of_child(NULL, path, log), FOREIGN_EXIT);
    t2_mapping_free(m);
    m = map_ones(path);
    t2_mapping_on_loss(NULL);
    assert_int_equal(exit_of_child(m, path, log), FOREIGN_EXIT);
    t2_mapping_free(m);
    t2_mapping_free(NULL);
}

static void test_what_cannot_be_mapped(void **state)
{
    struct t2_mapping *m = NULL;
    (void) state;

    assert_int_equal(t2_mapping_new(-1, 10, "x", &m, &err), T2_EIO);
    t_assert_contains(err.message, "cannot map 'x'");
    assert_null(m);
    assert_int_equal(t2_mapping_new(-1, UINT64_MAX, "x", &m, &err), T2_EUNSUPPORTED);
}

T_MAIN(cmocka_unit_test(test_handler), cmocka_unit_test(test_what_cannot_be_mapped))
