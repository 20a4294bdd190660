/*
 * tests/unit/datagen/fetch/test_part_finish.c - parts that get their name, decoded or as they came,
 * and those that do not.
 */
#include "datagen/fetch/part_finish.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/hash.h"
#include "tests/support/t.h"
#include "tests/unit/base/gzip_bytes.h"

static struct t2_err err;
static const struct dg_fetch_options options = {.max_bytes = 1000};

static void make_part(struct dg_part *p, const char *name, const char *encoding, const void *data,
                      size_t len_bytes)
{
    char url[] = "http://h/a", *dir = t2_path_dir(t_tmp_path("x"));
    struct dg_part_state s = {.url = url};

    snprintf(s.content_encoding, sizeof s.content_encoding, "%s", encoding);
    dg_part_look(p, dir, name);
    assert_int_equal(dg_part_begin(p, &s, &err), T2_OK);
    assert_int_equal(dg_part_append(p, data, len_bytes, &err), T2_OK);
    t2_free(dir);
}

/* want NULL: refused with `message`, nothing under the final name. */
static void check(const struct dg_source_file *f, const char *name, const char *encoding,
                  struct t2_slice sent, const void *want, size_t want_bytes, const char *message)
{
    const char *path = t_tmp_path(name);
    struct dg_part p;
    enum t2_status st;
    size_t n;
    char *text;

    assert_int_equal(t2_remove(path, &err), T2_OK);
    make_part(&p, name, encoding, sent.data, sent.len_bytes);
    st = dg_part_finish(&p, f, name, path, &options, &err);
    if (want) {
        assert_int_equal(st, T2_OK);
        text = t_read_file(path, &n);
        assert_int_equal(n, want_bytes);
        assert_memory_equal(text, want, n);
        free(text);
        assert_false(t2_exists(p.path));
        assert_false(t2_exists(p.state_path));
    } else {
        assert_int_equal(st, T2_EFORMAT);
        t_assert_contains(err.message, message);
        assert_false(t2_exists(path));
        assert_true(t2_exists(p.path));
    }
    dg_part_release(&p);
}

static void test_plain(void **state)
{
    struct dg_source_file f = {0};

    (void) state;
    check(&f, "a.txt", "", t2_slice_of("hello"), "hello", 5, NULL);
    check(&f, "a.txt", "identity", t2_slice_of("hello"), "hello", 5, NULL);
    check(&f, "a.txt", "br", t2_slice_of("hello"), NULL, 0, "encoding 'br'");
    f.size_bytes = 4;
    check(&f, "a.txt", "", t2_slice_of("hello"), NULL, 0, "5 bytes, expected 4");
}

static void test_encoded(void **state)
{
    struct t2_buf once = {0}, twice = {0}, large = {0};
    struct dg_source_file f = {0};
    char hex[T2_SHA256_HEX];

    (void) state;
    gzip_member(&once, "hello", 5);
    gzip_member(&twice, once.data, once.len_bytes);
    check(&f, "a.txt", "gzip", t2_buf_slice(&once), "hello", 5, NULL);
    check(&f, "a.txt", "x-gzip", t2_buf_slice(&once), "hello", 5, NULL);
    /* servers say so of every .gz file, and mean the file itself */
    check(&f, "a.gz", "gzip", t2_buf_slice(&once), once.data, once.len_bytes, NULL);
    check(&f, "a.gz", "gzip", t2_buf_slice(&twice), once.data, once.len_bytes, NULL);
    t2_sha256_of("hello", 5, hex);
    f.sha256 = hex;
    check(&f, "a.txt", "gzip", t2_buf_slice(&once), "hello", 5, NULL);
    t2_sha256_of(once.data, once.len_bytes, hex);
    check(&f, "a.bin", "gzip", t2_buf_slice(&once), once.data, once.len_bytes, NULL);
    hex[0] = hex[0] == '0' ? '1' : '0';
    check(&f, "a.txt", "gzip", t2_buf_slice(&once), NULL, 0, "has SHA-256");
    f.sha256 = NULL;
    once.len_bytes -= 9;
    check(&f, "a.txt", "gzip", t2_buf_slice(&once), NULL, 0, "a.txt.part");
    t2_buf_clear(&once);
    memset(t2_buf_reserve(&large, 1001), 'x', 1001);
    gzip_member(&once, large.data, 1001);
    check(&f, "a.txt", "gzip", t2_buf_slice(&once), NULL, 0, "unpacks to more than 1000 bytes");
    t2_buf_release(&once);
    t2_buf_release(&twice);
    t2_buf_release(&large);
}

T_MAIN(cmocka_unit_test(test_plain), cmocka_unit_test(test_encoded))
