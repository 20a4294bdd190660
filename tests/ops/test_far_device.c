/* Tests of train/device/far/: a queue that runs late, memory that is counted, poisoned and out of
 * reach, failures that only dev_check tells of. */
#include "train/device/device.h"

#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/t.h"
#include "train/device/kernels.h"

static struct dev *far(void)
{
    struct t2_err err = T2_ERR_INIT;
    struct dev *d;

    assert_int_equal(dev_open("far", 1, &d, &err), T2_OK);
    return d;
}

static void copy(struct dev *d, const float *x, float *y, int64_t n)
{
    d->kernels->copy(d, &(struct dev_copy_args){.x = x, .n = n, .y = y});
}

/* upload_now has read the host's bytes when it returns; an upload reads them when its turn comes,
 * and fails when they are not what they were. */
static void test_uploads_are_late(void **state)
{
    struct t2_err err = T2_ERR_INIT;
    struct dev *d = far();
    float *x = d->alloc(d, sizeof *x), *y = d->alloc(d, sizeof *y), host = 1.0f, now = 2.0f, back;

    (void) state;
    d->upload(d, x, &host, sizeof host);
    d->upload_now(d, y, &now, sizeof now);
    now = 4.0f;
    d->download(d, &back, x, sizeof back);
    assert_true(back == 1.0f);
    d->download(d, &back, y, sizeof back);
    assert_true(back == 2.0f);
    assert_int_equal(dev_check(d, &err), T2_OK);
    d->upload(d, x, &host, sizeof host);
    host = 3.0f;
    d->sync(d);
    assert_int_equal(dev_check(d, &err), T2_EDEVICE);
    t_assert_contains(err.message, "an upload's 4 bytes changed before it ran, in the compute");
    dev_close(d);
}

/* The process ends where it reads or writes device memory itself. */
static void test_out_of_reach(void **state)
{
    struct dev *d = far();
    volatile float *x = d->alloc(d, sizeof *x);

    (void) state;
    d->sync(d);
    for (int writes = 0; writes < 2; writes++) {
        int status;
        pid_t child = fork();

        assert_true(child >= 0);
        if (child == 0) {
            signal(SIGSEGV, SIG_DFL);
            if (writes)
                *x = 1.0f;
            _exit(*x == 0.0f ? 0 : 1);
        }
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFSIGNALED(status) || WEXITSTATUS(status) > 1); /* a sanitizer's exit */
    }
    dev_close(d);
}

/* Memory that is freed is no longer what it was, for the calls that follow. */
static void test_freed_memory_is_poisoned(void **state)
{
    struct dev *d = far();
    float *x = d->alloc(d, 16), *y = d->alloc(d, 16), host[4] = {1, 2, 3, 4}, back[4];

    (void) state;
    d->upload_now(d, x, host, sizeof host);
    copy(d, x, y, 4);
    d->free(d, x);
    d->download(d, back, y, sizeof back);
    assert_memory_equal(back, host, sizeof host); /* what was queued before had it */
    copy(d, x, y, 4);
    d->download(d, back, y, sizeof back);
    assert_memory_not_equal(back, host, sizeof host);
    dev_close(d);
}

static void test_memory_is_counted(void **state)
{
    struct dev *d;
    void *a, *b;

    (void) state;
    setenv("T2_FAR_MEMORY", "10000", 1);
    d = far();
    unsetenv("T2_FAR_MEMORY");
    assert_int_equal(d->memory(d).limit_bytes, 10000);
    a = d->alloc(d, 6000);
    assert_non_null(a);
    assert_int_equal((uintptr_t) a % DEV_ALIGN_BYTES, 0);
    assert_null(d->alloc(d, 6000));
    assert_int_equal(d->memory(d).used_bytes, 6000);
    d->free(d, a);
    d->free(d, NULL);
    b = d->alloc(d, 9000);
    assert_non_null(b);
    assert_int_equal(d->memory(d).used_bytes, 9000);
    d->free(d, b);
    assert_int_equal(d->memory(d).used_bytes, 0);
    dev_close(d);
}

/* Pieces of many sizes, given back in another order: none overlaps another, all is free again. */
static void test_pieces(void **state)
{
    enum { N = 40 };
    struct dev *d = far();
    char *p[N];
    size_t bytes[N];

    (void) state;
    for (int round = 0; round < 3; round++) {
        for (size_t i = 0; i < N; i++) {
            bytes[i] = t_hash64(i + (size_t) round * 100) % 5000;
            p[i] = d->alloc(d, bytes[i]);
            assert_non_null(p[i]);
            for (size_t k = 0; k < i; k++)
                assert_true(p[k] + bytes[k] <= p[i] || p[i] + bytes[i] <= p[k]);
        }
        for (size_t i = 0; i < N; i++)
            d->free(d, p[i * 7 % N]);
        assert_int_equal(d->memory(d).used_bytes, 0);
    }
    dev_close(d);
}

/* The first failure stays, and says where; nothing runs after it. */
static void test_failure(void **state)
{
    struct t2_err err = T2_ERR_INIT;
    struct dev *d;
    float *x, *y, host[4] = {1, 2, 3, 4}, back[4];

    (void) state;
    setenv("T2_FAR_FAILS_AT", "2", 1);
    d = far();
    unsetenv("T2_FAR_FAILS_AT");
    x = d->alloc(d, 16);
    y = d->alloc(d, 16);
    d->upload_now(d, x, host, sizeof host);
    copy(d, x, y, 2);
    assert_int_equal(dev_check(d, &err), T2_OK);
    d->node = "linear";
    d->node_index = 7;
    copy(d, x, y, 4);
    copy(d, x, y, 4);
    d->download(d, back, y, sizeof back);
    assert_true(back[0] == 1.0f && back[1] == 2.0f && back[2] == 0.0f);
    assert_int_equal(dev_check(d, &err), T2_EDEVICE);
    t_assert_contains(err.message, "device far: kernel copy failed at node 7 (linear)");
    assert_int_equal(dev_check(d, &err), T2_EDEVICE);
    dev_close(d);
}

T_MAIN(cmocka_unit_test(test_uploads_are_late), cmocka_unit_test(test_out_of_reach),
       cmocka_unit_test(test_freed_memory_is_poisoned), cmocka_unit_test(test_memory_is_counted),
       cmocka_unit_test(test_pieces), cmocka_unit_test(test_failure))
