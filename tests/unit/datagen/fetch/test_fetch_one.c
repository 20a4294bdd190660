/*
 * tests/unit/datagen/fetch/test_fetch_one.c - retries, mirrors, verification, the lock.
 */
#include "datagen/fetch/fetch_one.h"

#include <sys/wait.h>

#include "base/dir_lock.h"
#include "base/hash.h"
#include "tests/unit/datagen/fetching.h"

static struct t2_err err;

static enum t2_status fetch(struct t_fetching *t, struct dg_fetch_result *r)
{
    struct dg_fetch_meter meter;
    char name[] = "f";
    struct dg_fetch_job job = {
        .file = &t->file, .name = name, .tmp_dir = t->dir, .options = &t->options, .meter = &meter};
    enum t2_status st;

    *r = (struct dg_fetch_result){0};
    err = (struct t2_err) T2_ERR_INIT;
    dg_meter_init(&meter, 1, 0);
    st = dg_fetch_one(&job, r, &err);
    dg_meter_release(&meter);
    return st;
}

#define BUSY "HTTP/1.1 503 B\r\nContent-Length: 0\r\n\r\n"
#define HELLO T_OK("Content-Length: 5\r\nETag: \"1\"\r\n", "hello")

static void test_retries(void **state)
{
    const char *const answers[] = {BUSY, "", HELLO, NULL};
    struct t_fetching t;
    struct dg_fetch_result r;

    (void) state;
    t_fetching_start(&t, answers);
    assert_int_equal(fetch(&t, &r), T2_OK);
    assert_int_equal(err.status, T2_OK);
    assert_int_equal(r.how, DG_FETCH_DOWNLOADED);
    assert_int_equal(r.size_bytes, 5);
    t_fetching_check(&t, "f", "hello");
    t_fetching_check(&t, "f.part", NULL);
    t_fetching_check(&t, "f.part.json", NULL);
    t_fetching_check(&t, "f.lock", NULL);
    dg_fetch_release(&r, 1);
    t2_free(t_fetching_stop(&t));
}

static void test_gives_up(void **state)
{
    const char *const answers[] = {BUSY, BUSY, BUSY, HELLO, NULL};
    struct t_fetching t;
    struct dg_fetch_result r;

    (void) state;
    t_fetching_start(&t, answers);
    assert_int_equal(fetch(&t, &r), T2_EIO);
    t_assert_contains(err.message, "/f': 3 times in a row: the server answers 503");
    t_assert_contains(err.message, "a copy of your own can be put at '");
    assert_null(r.path);
    assert_int_equal(t.server.n_asked, 3);
    t_fetching_check(&t, "f", NULL);
    t2_free(t_fetching_stop(&t));
}

/* A byte gained starts the count anew; what was gained is kept for the next run. */
static void test_progress_counts(void **state)
{
#define PIECE(from, text)                                                                          \
    "HTTP/1.1 206 P\r\nETag: \"1\"\r\nContent-Length: 9\r\nContent-Range: bytes " from             \
    "-9/10\r\n\r\n" text
    const char *const answers[] = {
        T_OK("Content-Length: 10\r\nETag: \"1\"\r\n", "ab"),
        BUSY,
        BUSY,
        PIECE("2", "c"),
        BUSY,
        BUSY,
        BUSY,
        "HTTP/1.1 206 P\r\nETag: \"1\"\r\nContent-Length: 7\r\nContent-Range: bytes 3-9/10\r\n\r\n"
        "defghij",
        NULL};
    struct t_fetching t;
    struct dg_fetch_result r;
    char *asked;

    (void) state;
    t_fetching_start(&t, answers);
    assert_int_equal(fetch(&t, &r), T2_EIO);
    assert_int_equal(t.server.n_asked, 7);
    t_fetching_check(&t, "f.part", "abc");
    t_fetching_check(&t, "f", NULL);
    assert_int_equal(fetch(&t, &r), T2_OK);
    t_fetching_check(&t, "f", "abcdefghij");
    dg_fetch_release(&r, 1);
    asked = t_fetching_stop(&t);
    t_assert_contains(asked, "Range: bytes=3-\r\n");
    t_assert_contains(asked, "If-Range: \"1\"\r\n");
    t2_free(asked);
}

/* Bytes are gained by every attempt, but so few of them that the file would take for ever. */
static void test_too_slow(void **state)
{
    const char *const answers[] = {T_OK("Content-Length: 1000000\r\nETag: \"1\"\r\n", ""), NULL};
    const struct t_server drips = {.answers = answers, .drip = "x", .total = 1000000};
    struct t_fetching t;
    struct dg_fetch_result r;
    char *asked;

    (void) state;
    t_fetching_start_like(&t, drips);
    t.options.stall_timeout_s = 1;
    t.options.retries = 1;
    assert_int_equal(fetch(&t, &r), T2_EIO);
    t_assert_contains(err.message, "2 times in a row: for 1 s fewer than 500 bytes a second came");
    assert_int_equal(t.server.n_asked, 2);
    t_fetching_check(&t, "f", NULL);
    asked = t_fetching_stop(&t);
    t_assert_contains(asked, "Range: bytes=");
    t2_free(asked);
}

static void test_wrong_digest(void **state)
{
    const char *const answers[] = {HELLO, HELLO, HELLO, NULL};
    const char *const mended[] = {T_OK("Content-Length: 5\r\n", "hullo"), HELLO, NULL};
    char hex[T2_SHA256_HEX];
    struct t_fetching t;
    struct dg_fetch_result r;

    (void) state;
    t2_sha256_of("hallo", 5, hex);
    t_fetching_start(&t, answers);
    t.file.sha256 = hex;
    assert_int_equal(fetch(&t, &r), T2_EFORMAT);
    t_assert_contains(err.message, "has SHA-256");
    assert_int_equal(t.server.n_asked, 2);
    t_fetching_check(&t, "f", NULL);
    t_fetching_check(&t, "f.part", NULL);
    t2_free(t_fetching_stop(&t));

    t2_sha256_of("hello", 5, hex);
    t_fetching_start(&t, mended);
    t.file.sha256 = hex;
    assert_int_equal(fetch(&t, &r), T2_OK);
    t_fetching_check(&t, "f", "hello");
    dg_fetch_release(&r, 1);
    t2_free(t_fetching_stop(&t));
}

/* With a digest the bytes of one mirror are continued from the next. */
static void test_mirrors(void **state)
{
    const char *const answers[] = {T_OK("Content-Length: 5\r\nETag: \"1\"\r\n", "he"),
                                   BUSY,
                                   BUSY,
                                   BUSY,
                                   "HTTP/1.1 206 P\r\nETag: \"other\"\r\nContent-Length: "
                                   "3\r\nContent-Range: bytes 2-4/5\r\n\r\nllo",
                                   NULL};
    char hex[T2_SHA256_HEX], second[300];
    const char *urls[3];
    struct t_fetching t;
    struct dg_fetch_result r;
    char *asked;

    (void) state;
    t2_sha256_of("hello", 5, hex);
    t_fetching_start(&t, answers);
    snprintf(second, sizeof second, "%s/mirror/f", t.server.url);
    urls[0] = t.url, urls[1] = second, urls[2] = NULL;
    t.file.urls = urls;
    t.file.sha256 = hex;
    assert_int_equal(fetch(&t, &r), T2_OK);
    t_fetching_check(&t, "f", "hello");
    dg_fetch_release(&r, 1);
    asked = t_fetching_stop(&t);
    t_assert_contains(asked, "GET /mirror/f HTTP/1.1");
    t_assert_contains(asked, "Range: bytes=2-\r\n");
    t2_free(asked);
}

static void test_long_wait(void **state)
{
    const char *const answers[] = {
        "HTTP/1.1 503 B\r\nRetry-After: 601\r\nContent-Length: 0\r\n\r\n", HELLO, NULL};
    struct t_fetching t;
    struct dg_fetch_result r;

    (void) state;
    t_fetching_start(&t, answers);
    assert_int_equal(fetch(&t, &r), T2_EIO);
    t_assert_contains(err.message, "asks to wait 601 s");
    t2_free(t_fetching_stop(&t));
}

/* Another process downloads the file while we wait for it. */
static void test_lock(void **state)
{
    const char *const answers[] = {HELLO, NULL};
    struct t_fetching t;
    struct dg_fetch_result r;
    char path[5000], byte = 0;
    int ready[2];
    pid_t pid;

    (void) state;
    t_fetching_start(&t, answers);
    snprintf(path, sizeof path, "%s/f", t.dir);
    assert_int_equal(pipe(ready), 0);
    pid = fork();
    if (pid == 0) {
        struct t2_lock lock;
        byte = t2_lock_take(t.dir, "f", "testing", &lock, &err) == T2_OK;
        (void) !write(ready[1], &byte, 1);
        usleep(200000);
        byte = t2_write_file(path, "other", 5, &err) == T2_OK;
        t2_lock_give(&lock);
        _exit(!byte);
    }
    assert_int_equal(read(ready[0], &byte, 1), 1);
    assert_int_equal(byte, 1);
    assert_int_equal(fetch(&t, &r), T2_OK);
    assert_int_equal(r.how, DG_FETCH_FOUND);
    assert_int_equal(t.server.n_asked, 0);
    t_fetching_check(&t, "f", "other");
    waitpid(pid, NULL, 0);
    close(ready[0]), close(ready[1]);
    dg_fetch_release(&r, 1);
    t2_free(t_fetching_stop(&t));
}

T_MAIN(cmocka_unit_test(test_retries), cmocka_unit_test(test_gives_up),
       cmocka_unit_test(test_progress_counts), cmocka_unit_test(test_too_slow),
       cmocka_unit_test(test_wrong_digest), cmocka_unit_test(test_mirrors),
       cmocka_unit_test(test_long_wait), cmocka_unit_test(test_lock))
