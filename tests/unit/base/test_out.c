/*
 * tests/unit/base/test_out.c - output files are complete or absent: commit, abort, full disks,
 * exits.
 */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/hash.h"
#include "tests/unit/base/in_child.h"

static struct t2_err err;

static char *temporary_of(const char *path)
{
    static char name[5000];

    snprintf(name, sizeof name, "%s.incomplete", path);
    return name;
}

static void assert_content(const char *path, const void *expected, size_t n_expected)
{
    size_t n;
    char *data = t_read_file(path, &n);

    assert_int_equal(n, n_expected);
    assert_memory_equal(data, expected, n);
    free(data);
}

static void exit_in_the_middle(void *path)
{
    struct t2_out *o;

    if (t2_out_new(path, &o, &err) != T2_OK)
        exit(1);
    t2_out_puts(o, "half");
    exit(access(temporary_of(path), F_OK) == 0 ? 0 : 2);
}

/* First in the list: the handler must be installed by the child, see in_child.h. */
static void test_exit_leaves_nothing(void **state)
{
    char path[5000];

    (void) state;
    snprintf(path, sizeof path, "%s", t_tmp_path("exit"));
    assert_int_equal(child_run(exit_in_the_middle, path)->exit_code, 0);
    assert_false(t2_exists(path));
    assert_false(t2_exists(temporary_of(path)));
}

static void test_appears_on_commit(void **state)
{
    const char *path = t_tmp_path("f");
    struct t2_out *o = NULL;

    (void) state;
    assert_int_equal(t2_out_new(path, &o, &err), T2_OK);
    t2_out_write(o, "a\0b", 3);
    t2_out_puts(o, "c");
    t2_out_printf(o, "%d", 42);
    assert_int_equal(t2_out_bytes(o), 6);
    assert_false(t2_exists(path));
    assert_true(t2_exists(temporary_of(path)));
    assert_int_equal(t2_out_status(o, &err), T2_OK);
    assert_int_equal(t2_out_commit(o, &err), T2_OK);
    assert_content(path, "a\0bc42", 6);
    assert_false(t2_exists(temporary_of(path)));
}

static void test_abort_keeps_the_old_file(void **state)
{
    const char *path = t_tmp_path("old");
    struct t2_out *o = NULL;

    (void) state;
    assert_int_equal(t2_write_file(path, "old", 3, &err), T2_OK);
    assert_int_equal(t2_out_new(path, &o, &err), T2_OK);
    t2_out_puts(o, "new");
    t2_out_abort(o);
    t2_out_abort(NULL);
    assert_content(path, "old", 3);
    assert_false(t2_exists(temporary_of(path)));
    assert_int_equal(t2_write_file(path, "new", 3, &err), T2_OK);
    assert_content(path, "new", 3);
}

static void test_left_over_temporary_is_overwritten(void **state)
{
    const char *path = t_tmp_path("again");

    (void) state;
    t_write_file(temporary_of(path), "much longer rubbish", 19);
    assert_int_equal(t2_write_file(path, "x", 1, &err), T2_OK);
    assert_content(path, "x", 1);
}

/* Pieces of all sizes around the buffer's, against the same bytes in memory. */
static void test_big_and_hashed(void **state)
{
    static const size_t sizes[] = {0,       1, 1000,    (1 << 20) - 1001, 1 << 20,
                                   3 << 20, 5, 1 << 19, 1 << 19,          1};
    const char *path = t_tmp_path("big");
    char hex[65], expected[65];
    struct t2_out *o = NULL;
    uint8_t *data = t2_alloc(8 << 20, 1);
    size_t at = 0;

    (void) state;
    for (size_t i = 0; i < 8 << 17; i++) {
        uint64_t v = t_hash64(i);

        memcpy(data + 8 * i, &v, 8);
    }
    assert_int_equal(t2_out_new(path, &o, &err), T2_OK);
    t2_out_hash_on(o);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        t2_out_write(o, data + at, sizes[i]);
        at += sizes[i];
    }
    assert_int_equal(t2_out_bytes(o), at);
    t2_out_sha256(o, hex);
    t2_sha256_of(data, at, expected);
    assert_string_equal(hex, expected);
    assert_int_equal(t2_out_commit(o, &err), T2_OK);
    assert_content(path, data, at);
    t2_free(data);
}

/* Two files that appear together, one under another name than it was begun with. */
static void test_finish_then_commit_as(void **state)
{
    char a[5000], b[5000], c[5000];
    struct t2_out *first = NULL, *second = NULL;

    (void) state;
    snprintf(a, sizeof a, "%s", t_tmp_path("together-1"));
    snprintf(b, sizeof b, "%s", t_tmp_path("together-2"));
    snprintf(c, sizeof c, "%s", t_tmp_path("together-1-of-2"));
    assert_int_equal(t2_out_new(a, &first, &err), T2_OK);
    assert_int_equal(t2_out_new(b, &second, &err), T2_OK);
    t2_out_puts(first, "one");
    t2_out_puts(second, "two");
    assert_int_equal(t2_out_finish(first, &err), T2_OK);
    assert_int_equal(t2_out_finish(first, &err), T2_OK); /* again does nothing */
    assert_content(t2_out_temporary(first), "one", 3);
    assert_int_equal(t2_out_finish(second, &err), T2_OK);
    assert_false(t2_exists(a));
    assert_false(t2_exists(b));
    assert_int_equal(t2_out_commit_as(first, c, &err), T2_OK);
    assert_content(c, "one", 3);
    assert_false(t2_exists(a));
    assert_false(t2_exists(temporary_of(a)));
    t2_out_abort(second);
    assert_false(t2_exists(temporary_of(b)));
    assert_int_equal(t2_out_new(b, &second, &err), T2_OK); /* not finished before */
    t2_out_puts(second, "two");
    assert_int_equal(t2_out_commit_as(second, a, &err), T2_OK);
    assert_content(a, "two", 3);
}

static void test_finish_reports_a_full_disk(void **state)
{
    struct t2_out *o = NULL;

    (void) state;
    assert_int_equal(t2_out_new("/dev/full", &o, &err), T2_OK);
    assert_null(t2_out_temporary(o));
    t2_out_puts(o, "x");
    assert_int_equal(t2_out_finish(o, &err), T2_EIO);
    t_assert_contains(err.message, "/dev/full");
    assert_int_equal(t2_out_commit_as(o, t_tmp_path("never"), &err), T2_EIO);
    assert_false(t2_exists(t_tmp_path("never")));
}

static void test_long_printf(void **state)
{
    const char *path = t_tmp_path("long");
    static char text[3000], expected[3003];
    struct t2_out *o = NULL;

    (void) state;
    memset(text, 'x', sizeof text - 1);
    snprintf(expected, sizeof expected, "<%s>", text);
    assert_int_equal(t2_out_new(path, &o, &err), T2_OK);
    t2_out_printf(o, "<%s>", text);
    assert_int_equal(t2_out_commit(o, &err), T2_OK);
    assert_content(path, expected, 3001);
}

static void test_cannot_create(void **state)
{
    struct t2_out *o = NULL;
    const char *dir = t_tmp_path("");

    (void) state;
    assert_int_equal(t2_out_new("/dev/null/f", &o, &err), T2_EIO);
    assert_string_equal(err.message,
                        "cannot create '/dev/null/f': '/dev/null' exists and is not a directory");
    assert_int_equal(t2_out_new(dir, &o, &err), T2_EIO);
    t_assert_contains(err.message, "' is a directory");
    assert_int_equal(t2_write_file("/dev/null/f", "", 0, &err), T2_EIO);
    assert_null(o);
}

static void test_makes_folders(void **state)
{
    char path[5000];

    (void) state;
    snprintf(path, sizeof path, "%s", t_tmp_path("a/b/c"));
    assert_int_equal(t2_write_file(path, "x", 1, &err), T2_OK);
    assert_content(path, "x", 1);
}

/* ---- the temporary name ---- */

static void test_second_writer_is_refused(void **state)
{
    struct t2_out *first = NULL, *second = NULL;
    char path[5000];

    (void) state;
    snprintf(path, sizeof path, "%s", t_tmp_path("both"));
    for (int finished = 0; finished < 2; finished++) {
        assert_int_equal(t2_out_new(path, &first, &err), T2_OK);
        t2_out_puts(first, "first");
        if (finished)
            assert_int_equal(t2_out_finish(first, &err), T2_OK);
        assert_int_equal(t2_out_new(path, &second, &err), T2_EIO);
        t_assert_contains(err.message, "another run is writing '");
        assert_int_equal(t2_out_commit(first, &err), T2_OK);
        assert_content(path, "first", 5);
        assert_int_equal(t2_write_file(path, "then", 4, &err), T2_OK);
        assert_content(path, "then", 4);
    }
}

/* N processes write the same output at once: at every moment it is one of theirs, whole. */
static void write_many(void *path)
{
    static char letters[300000];
    int n_written = 0;

    for (int i = 0; i < 40; i++) {
        struct t2_out *o;

        memset(letters, 'a' + getpid() % 26, sizeof letters);
        if (t2_out_new(path, &o, &err) != T2_OK)
            continue;
        for (size_t at = 0; at < sizeof letters; at += 1000)
            t2_out_write(o, letters + at, 1000);
        n_written += t2_out_commit(o, &err) == T2_OK;
    }
    _exit(n_written > 0 ? 0 : 1);
}

static bool is_one_letter(const char *path, size_t n_expected)
{
    size_t n;
    char *data = t_read_file(path, &n);
    bool is = n == n_expected;

    for (size_t i = 1; is && i < n; i++)
        is = data[i] == data[0];
    free(data);
    return is;
}

static void test_writers_at_once(void **state)
{
    enum { N_WRITERS = 4 };
    pid_t pids[N_WRITERS];
    char path[5000];
    int status;

    (void) state;
    snprintf(path, sizeof path, "%s", t_tmp_path("race"));
    for (int i = 0; i < N_WRITERS; i++) {
        pids[i] = fork();
        if (pids[i] == 0)
            write_many(path);
    }
    for (int i = 0; i < N_WRITERS; i++)
        assert_int_equal(waitpid(pids[i], &status, 0), pids[i]);
    assert_true(is_one_letter(path, 300000));
    assert_false(t2_exists(temporary_of(path)));
}

static void test_leftover_of_a_dead_writer(void **state)
{
    char path[5000];

    (void) state;
    snprintf(path, sizeof path, "%s", t_tmp_path("killed"));
    t_write_file(temporary_of(path), "much more than the new one", 26);
    assert_int_equal(t2_write_file(path, "new", 3, &err), T2_OK);
    assert_content(path, "new", 3);
    assert_false(t2_exists(temporary_of(path)));
}

/* A link under the temporary name leads to what must not be written. */
static void test_links_are_refused(void **state)
{
    char path[5000], victim[5000];
    struct t2_out *o = NULL;

    (void) state;
    snprintf(path, sizeof path, "%s", t_tmp_path("linked"));
    snprintf(victim, sizeof victim, "%s", t_tmp_path("victim"));
    t_write_file(victim, "precious", 8);
    for (int hard = 0; hard < 2; hard++) {
        assert_int_equal(hard ? link(victim, temporary_of(path))
                              : symlink(victim, temporary_of(path)),
                         0);
        assert_int_equal(t2_out_new(path, &o, &err), T2_EIO);
        t_assert_contains(err.message, ".incomplete' is in the way");
        assert_content(victim, "precious", 8);
        assert_int_equal(unlink(temporary_of(path)), 0);
    }
    assert_int_equal(mkdir(temporary_of(path), 0700), 0);
    assert_int_equal(t2_out_new(path, &o, &err), T2_EIO);
    t_assert_contains(err.message, ".incomplete' is in the way");
    assert_int_equal(rmdir(temporary_of(path)), 0);
}

/* Whoever replaces the temporary file does not get the final name. */
static void test_replaced_temporary(void **state)
{
    struct t2_out *o = NULL;
    char path[5000];

    (void) state;
    snprintf(path, sizeof path, "%s", t_tmp_path("replaced"));
    assert_int_equal(t2_out_new(path, &o, &err), T2_OK);
    t2_out_puts(o, "ours");
    assert_int_equal(unlink(temporary_of(path)), 0);
    t_write_file(temporary_of(path), "theirs", 6);
    assert_int_equal(t2_out_commit(o, &err), T2_EIO);
    t_assert_contains(err.message, "was replaced while it was written");
    assert_false(t2_exists(path));
    assert_content(temporary_of(path), "theirs", 6);
    assert_int_equal(unlink(temporary_of(path)), 0);
}

/* Devices are written in place: renaming would replace the device. */
static void test_device(void **state)
{
    struct stat s;
    struct t2_out *o = NULL;

    (void) state;
    assert_int_equal(t2_write_file("/dev/null", "x", 1, &err), T2_OK);
    assert_int_equal(stat("/dev/null", &s), 0);
    assert_true(S_ISCHR(s.st_mode));
    assert_int_equal(t2_out_new("/dev/null", &o, &err), T2_OK);
    t2_out_abort(o);
    assert_true(t2_exists("/dev/null"));
}

static void test_full_disk(void **state)
{
    static char data[3 << 20];
    struct t2_out *o = NULL;

    (void) state;
    if (!t2_exists("/dev/full"))
        t_skip("no /dev/full");
    assert_int_equal(t2_out_new("/dev/full", &o, &err), T2_OK);
    t2_out_write(o, data, sizeof data);
    t2_out_puts(o, "ignored");
    err.status = T2_OK;
    assert_int_equal(t2_out_status(o, &err), T2_EIO);
    assert_string_equal(err.message,
                        "cannot write '/dev/full' (0 bytes written): No space left on device");
    err.status = T2_OK;
    assert_int_equal(t2_out_commit(o, &err), T2_EIO);
    assert_int_equal(err.status, T2_EIO);
    /* What fits into the buffer fails at commit. */
    assert_int_equal(t2_write_file("/dev/full", "x", 1, &err), T2_EIO);
}

static void write_with_limit(void *path)
{
    const struct rlimit limit = {5000, 5000};

    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &limit);
    if (t2_write_file(path, t2_alloc(10000, 1), 10000, &err) == T2_OK)
        exit(9);
    fputs(err.message, stdout);
    exit(t2_exists(path) || t2_exists(temporary_of(path)) ? 8 : 0);
}

/* A write that succeeds in part, then fails: nothing appears, and the message counts. */
static void test_short_write(void **state)
{
    char path[5000], expected[6000];
    const struct child *c;

    (void) state;
    snprintf(path, sizeof path, "%s", t_tmp_path("limited"));
    c = child_run(write_with_limit, path);
    assert_int_equal(c->exit_code, 0);
    snprintf(expected, sizeof expected, "cannot write '%s' (5000 bytes written): File too large",
             path);
    assert_string_equal(c->out, expected);
}

static void test_target_that_became_a_directory(void **state)
{
    const char *path = t_tmp_path("late");
    struct t2_out *o = NULL;

    (void) state;
    assert_int_equal(t2_out_new(path, &o, &err), T2_OK);
    assert_int_equal(t2_make_dirs(path, &err), T2_OK);
    assert_int_equal(t2_out_commit(o, &err), T2_EIO);
    t_assert_contains(err.message, "cannot rename '");
    assert_false(t2_exists(temporary_of(path)));
}

static void test_symbolic_link_stays(void **state)
{
    const char *target = t_tmp_path("target"), *link = t_tmp_path("link");
    struct stat s;

    (void) state;
    t_write_file(target, "old", 3);
    assert_int_equal(symlink(target, link), 0);
    assert_int_equal(t2_write_file(link, "new", 3, &err), T2_OK);
    assert_int_equal(lstat(link, &s), 0);
    assert_true(S_ISLNK(s.st_mode));
    assert_content(target, "new", 3);
}

static void write_to_stdout(void *arg)
{
    struct t2_out *o;

    (void) arg;
    if (t2_out_new("-", &o, &err) != T2_OK)
        exit(1);
    t2_out_puts(o, "hello");
    if (t2_out_commit(o, &err) != T2_OK || t2_write_file("-", "!", 1, &err) != T2_OK)
        exit(2);
    if (t2_out_new("-", &o, &err) != T2_OK)
        exit(3);
    t2_out_puts(o, "never");
    t2_out_abort(o);
}

static void test_stdout(void **state)
{
    const struct child *c = child_run(write_to_stdout, NULL);

    (void) state;
    assert_int_equal(c->exit_code, 0);
    assert_string_equal(c->out, "hello!");
}

enum { MANY_BYTES = 700000 };

static uint8_t pattern(size_t i)
{
    return (uint8_t) t_hash64(i / 8);
}

static void nothing(int number)
{
    (void) number;
}

/* A signal that interrupts a write to a full pipe makes it short; the rest must follow. */
static void write_interrupted(void *arg)
{
    const struct sigaction action = {.sa_handler = nothing};
    const struct itimerval every_ms = {{0, 1000}, {0, 1000}}, off = {{0, 0}, {0, 0}};
    uint8_t *data = t2_alloc(MANY_BYTES, 1);
    int *ends = arg;

    for (size_t i = 0; i < MANY_BYTES; i++)
        data[i] = pattern(i);
    dup2(ends[1], STDOUT_FILENO);
    close(ends[0]);
    close(ends[1]);
    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &every_ms, NULL);
    if (t2_write_file("-", data, MANY_BYTES, &err) != T2_OK)
        _exit(1);
    setitimer(ITIMER_REAL, &off, NULL);
    t2_free(data);
    _exit(0);
}

static void test_interrupted_writes(void **state)
{
    static uint8_t got[MANY_BYTES + 1];
    size_t n = 0;
    int ends[2], status;
    ssize_t k;
    pid_t pid;

    (void) state;
    assert_int_equal(pipe(ends), 0);
    fflush(NULL);
    pid = fork();
    if (pid == 0)
        write_interrupted(ends);
    close(ends[1]);
    while ((k = read(ends[0], got + n, n + 3000 < sizeof got ? 3000 : sizeof got - n)) > 0) {
        n += (size_t) k;
        if (n % 7 == 0)
            usleep(1500); /* the pipe stays full */
    }
    close(ends[0]);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
    assert_int_equal(n, MANY_BYTES);
    for (size_t i = 0; i < MANY_BYTES; i++) {
        if (got[i] != pattern(i))
            fail_msg("byte %zu is wrong", i);
    }
}

static int lock_error; /* of a file system without locks; 0: as the system has them */

int flock(int fd, int operation)
{
    if (lock_error) {
        errno = lock_error;
        return -1;
    }
    return (int) syscall(SYS_flock, fd, operation);
}

/* Without locks nobody can tell a leftover from what is being written: it says so, and is not
 * touched. */
static void test_no_locks(void **state)
{
    static const int errors[] = {ENOLCK, ENOSYS, EOPNOTSUPP};
    const char *path = t_tmp_path("unlocked");
    struct t2_out *o;

    (void) state;
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++) {
        struct t2_err e = T2_ERR_INIT;

        lock_error = errors[i];
        assert_int_equal(t2_write_file(path, "abc", 3, &e), T2_OK);
        t_write_file(t_tmp_path("unlocked.incomplete"), "left", 4);
        assert_int_equal(t2_out_new(path, &o, &e), T2_EIO);
        t_assert_contains(e.message, "has no locks to tell whether another run");
        assert_content(t_tmp_path("unlocked.incomplete"), "left", 4);
        assert_false(t2_out_remove_leftover(path));
        assert_content(t_tmp_path("unlocked.incomplete"), "left", 4);
        lock_error = 0;
        assert_true(t2_out_remove_leftover(path));
    }
}

T_MAIN(cmocka_unit_test(test_exit_leaves_nothing), cmocka_unit_test(test_no_locks),
       cmocka_unit_test(test_interrupted_writes), cmocka_unit_test(test_appears_on_commit),
       cmocka_unit_test(test_abort_keeps_the_old_file),
       cmocka_unit_test(test_left_over_temporary_is_overwritten),
       cmocka_unit_test(test_big_and_hashed), cmocka_unit_test(test_long_printf),
       cmocka_unit_test(test_cannot_create), cmocka_unit_test(test_makes_folders),
       cmocka_unit_test(test_second_writer_is_refused), cmocka_unit_test(test_writers_at_once),
       cmocka_unit_test(test_leftover_of_a_dead_writer), cmocka_unit_test(test_links_are_refused),
       cmocka_unit_test(test_replaced_temporary), cmocka_unit_test(test_device),
       cmocka_unit_test(test_full_disk), cmocka_unit_test(test_short_write),
       cmocka_unit_test(test_target_that_became_a_directory),
       cmocka_unit_test(test_symbolic_link_stays), cmocka_unit_test(test_stdout),
       cmocka_unit_test(test_finish_then_commit_as),
       cmocka_unit_test(test_finish_reports_a_full_disk))
