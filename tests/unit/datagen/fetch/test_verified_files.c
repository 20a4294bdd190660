/*
 * tests/unit/datagen/fetch/test_verified_files.c - digests that fit and do not, files that change.
 */
#include "datagen/fetch/verified_files.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/hash.h"
#include "tests/support/t.h"

static struct t2_err err;

static void check(const char *path, const char *content, enum t2_status want)
{
    char hex[T2_SHA256_HEX];

    t2_sha256_of(content, strlen(content), hex);
    assert_int_equal(dg_verify_digest(path, hex, &err), want);
}

static void test_changes(void **state)
{
    const char *path = t_tmp_path("a");

    (void) state;
    assert_int_equal(dg_verify_digest(path, "", &err), T2_ENOTFOUND);
    t_write_file(path, "hello", 5);
    check(path, "hello", T2_OK);
    check(path, "hello", T2_OK);
    check(path, "hullo", T2_EFORMAT);
    t_assert_contains(err.message, "has SHA-256 2cf24dba");
    t_write_file(path, "hullo", 5); /* of the same size, at once */
    check(path, "hullo", T2_OK);
    check(path, "hello", T2_EFORMAT);
}

static void test_known(void **state)
{
    char path[4096], name[16];

    (void) state;
    snprintf(path, sizeof path, "%s", t_tmp_path("b"));
    t_write_file(path, "hello", 5);
    usleep(150000);
    check(path, "hello", T2_OK);
    assert_int_equal(truncate(path, 5), 0); /* nothing but the time changes: read again */
    check(path, "hello", T2_OK);
    usleep(150000);
    check(path, "hello", T2_OK);
    check(path, "hullo", T2_EFORMAT);
    for (int i = 0; i < 100; i++) { /* more than are kept */
        snprintf(name, sizeof name, "f%d", i % 12);
        t_write_file(t_tmp_path(name), name, strlen(name));
        check(t_tmp_path(name), name, T2_OK);
    }
    check(path, "hello", T2_OK);
}

/* A file with holes, long enough that reading it takes its time. */
static void test_reads_once(void **state)
{
    const char *path = t_tmp_path("holes");
    char zeros[T2_SHA256_HEX] = "";
    clock_t start, first; /* processor time: what else runs on the machine does not count */

    (void) state;
    t_write_file(path, "", 0);
    assert_int_equal(truncate(path, 64 << 20), 0);
    usleep(150000);
    start = clock();
    assert_int_equal(dg_verify_digest(path, zeros, &err), T2_EFORMAT);
    first = clock() - start;
    start = clock();
    assert_int_equal(dg_verify_digest(path, zeros, &err), T2_EFORMAT);
    assert_true(clock() - start < first / 2);
}

T_MAIN(cmocka_unit_test(test_changes), cmocka_unit_test(test_known),
       cmocka_unit_test(test_reads_once))
