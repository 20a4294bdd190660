/*
 * tests/unit/datagen/fetch/test_source_lookup.c - where files are found, and files that are not
 * what they should be.
 */
#include "datagen/fetch/source_lookup.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/log.h"
#include "tests/support/t.h"

static struct t2_err err;
static const struct dg_fetch_options none;

static char *folder(const char *name)
{
    char *dir = t2_strdup(t_tmp_path(name));

    assert_int_equal(t2_make_dirs(dir, &err), T2_OK);
    return dir;
}

static void put(const char *dir, const char *name, const char *text)
{
    char *path = t2_path_join(dir, name);

    t_write_file(path, text, strlen(text));
    t2_free(path);
}

static void test_names(void **state)
{
    const char *const urls[] = {"http://h/a/b.tgz", "http://o/c.tgz", NULL};
    const char *const no_name[] = {"http://h/a/", NULL};
    struct dg_source_file f = {.urls = urls};
    char *name;

    (void) state;
    assert_int_equal(dg_source_name(&f, &name, &err), T2_OK);
    assert_string_equal(name, "b.tgz");
    t2_free(name);
    f.name = "own";
    assert_int_equal(dg_source_name(&f, &name, &err), T2_OK);
    assert_string_equal(name, "own");
    t2_free(name);
    f.name = "../own";
    assert_int_equal(dg_source_name(&f, &name, &err), T2_EUSAGE);
    assert_null(name);
    f = (struct dg_source_file){.urls = no_name};
    assert_int_equal(dg_source_name(&f, &name, &err), T2_EUSAGE);
    t_assert_contains(err.message, "http://h/a/");
    f = (struct dg_source_file){0};
    assert_int_equal(dg_source_name(&f, &name, &err), T2_EUSAGE);
}

static void check(const struct dg_source_file *f, const char *name, const char *text,
                  bool keep_unverified, const char *message)
{
    const char *path = t_tmp_path(name);
    enum t2_status st;

    t_write_file(path, text, strlen(text));
    st = dg_check_source(f, name, path, keep_unverified, &err);
    assert_int_equal(st, message ? T2_EFORMAT : T2_OK);
    if (message)
        t_assert_contains(err.message, message);
}

static void test_checks(void **state)
{
    char hex[T2_SHA256_HEX];
    struct dg_source_file f = {0};

    (void) state;
    check(&f, "a.txt", "text", false, NULL);
    check(&f, "a.txt", "", false, "is empty");
    check(&f, "a.txt", "<html><title>Sign in</title>", false,
          "is an HTML page (Sign in), not the file");
    check(&f, "a.tgz", "<html>", false, "is an HTML page, not a gzip file");
    check(&f, "a.tgz", "text", false, "does not begin like a gzip file");
    check(&f, "a.tgz", "\x1f\x8b", false, NULL);
    f.kind = DG_KIND_ANY;
    check(&f, "a.tgz", "<html>", false, NULL);
    f.size_bytes = 5;
    check(&f, "a.txt", "text", false, "has 4 bytes, expected 5");
    check(&f, "a.txt", "text", true, NULL);
    f.size_bytes = 4;
    t2_sha256_of("text", 4, hex);
    f.sha256 = hex;
    check(&f, "a.txt", "text", false, NULL);
    for (size_t i = 0; hex[i]; i++)
        hex[i] = (char) (hex[i] >= 'a' ? hex[i] - 32 : hex[i]);
    check(&f, "a.txt", "text", false, NULL);
    check(&f, "a.txt", "tExt", false, "has SHA-256 ");
    check(&f, "a.txt", "tExt", true, NULL);
    assert_int_equal(dg_check_source(&f, "no", t_tmp_path("no"), false, &err), T2_ENOTFOUND);
}

static void check_found(const struct dg_source_file *f, const char *tmp,
                        const struct dg_fetch_options *o, enum dg_fetch_how how, const char *dir)
{
    char *want = t2_path_join(dir, "a.txt");
    struct dg_fetch_result r;

    dg_find_source(f, "a.txt", tmp, o, &r);
    assert_int_equal(r.how, how);
    if (how == DG_FETCH_ABSENT) {
        assert_null(r.path);
    } else {
        assert_string_equal(r.path, want);
        assert_true(r.size_bytes > 0);
    }
    dg_fetch_release(&r, 1);
    t2_free(want);
}

static void test_order(void **state)
{
    char *tmp = folder("tmp"), *archive = folder("archive"), *mirror = folder("mirror"),
         *local = folder("local");
    char *url = t2_asprintf("file://%s/a.txt", local);
    const char *urls[] = {"http://h/a.txt", url, NULL};
    struct dg_source_file f = {.urls = urls};
    struct dg_fetch_options o = {.archive_dir = archive};

    (void) state;
    t2_log_set_level(T2_LOG_ERROR);
    check_found(&f, tmp, &o, DG_FETCH_ABSENT, tmp);
    put(local, "a.txt", "local");
    check_found(&f, tmp, &o, DG_FETCH_LOCAL, local);
    o.mirror = mirror; /* instead of every URL */
    check_found(&f, tmp, &o, DG_FETCH_ABSENT, tmp);
    put(mirror, "a.txt", "mirror");
    check_found(&f, tmp, &o, DG_FETCH_LOCAL, mirror);
    put(archive, "a.txt", "archive");
    check_found(&f, tmp, &o, DG_FETCH_ARCHIVE, archive);
    put(tmp, "a.txt", ""); /* warned about, not used */
    check_found(&f, tmp, &o, DG_FETCH_ARCHIVE, archive);
    put(tmp, "a.txt", "tmp");
    check_found(&f, tmp, &o, DG_FETCH_FOUND, tmp);
    t2_log_set_level(T2_LOG_INFO);
    t2_free(url);
    t2_free(tmp);
    t2_free(archive);
    t2_free(mirror);
    t2_free(local);
}

static void test_remote_urls(void **state)
{
    const char *const urls[] = {"http://h/a?f=b.zip", "/local/b.zip", "https://o/b.zip", NULL};
    struct dg_source_file f = {.urls = urls, .name = "c.zip"};
    struct dg_fetch_options o = none;
    struct t2_strs list = {0};

    (void) state;
    dg_remote_urls(&f, "c.zip", &o, &list);
    assert_int_equal(list.n, 2);
    assert_string_equal(list.items[0], "http://h/a?f=b.zip");
    assert_string_equal(list.items[1], "https://o/b.zip");
    t2_strs_release(&list);

    o.mirror = "http://m";
    dg_remote_urls(&f, "c.zip", &o, &list);
    assert_int_equal(list.n, 2);
    assert_string_equal(list.items[0], "http://m/c.zip");
    assert_string_equal(list.items[1], "http://m/a%3Ff=b.zip");
    t2_strs_release(&list);

    f.gone = "the host is gone";
    dg_remote_urls(&f, "c.zip", &none, &list);
    assert_int_equal(list.n, 0);
    dg_remote_urls(&f, "c.zip", &o, &list);
    assert_int_equal(list.n, 2);
    t2_strs_release(&list);
}

T_MAIN(cmocka_unit_test(test_names), cmocka_unit_test(test_checks), cmocka_unit_test(test_order),
       cmocka_unit_test(test_remote_urls))
