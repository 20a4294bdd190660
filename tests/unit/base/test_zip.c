/*
 * tests/unit/base/test_zip.c - archives that were written are read; cut and changed ones are
 * refused or give the same members.
 */
#include "base/zip.h"

#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/gzip.h"
#include "tests/support/t.h"

static const char path[] = "test_zip.tmp";

/* Not t2_write_file: there are thousands of them, and none needs to survive a power cut. */
static void write_file(const void *data, size_t n_bytes)
{
    FILE *f = fopen(path, "wb");

    assert_non_null(f);
    assert_int_equal(fwrite(data, 1, n_bytes, f), n_bytes);
    assert_int_equal(fclose(f), 0);
}

static void put(struct t2_zip_writer *w, struct t2_out *out, const char *name, const char *content)
{
    t2_zip_member(w, out, name, strlen(content), t2_crc32(0, content, strlen(content)));
    t2_out_puts(out, content);
}

static void write_archive(void)
{
    struct t2_zip_writer w = {.n = 0};
    struct t2_err err = T2_ERR_INIT;
    struct t2_out *out;

    assert_int_equal(t2_out_new(path, &out, &err), T2_OK);
    put(&w, out, "a", "alpha");
    put(&w, out, "é/b", "");
    put(&w, out, "c", "gamma gamma");
    t2_zip_end(&w, out);
    assert_int_equal(t2_out_commit(out, &err), T2_OK);
}

/* Number of members whose content is what was written; -1: refused. */
static int read_archive(void)
{
    static const char *const want[] = {"alpha", "", "gamma gamma"};
    struct t2_err err = T2_ERR_INIT;
    struct t2_zip *z;
    int n = 0;

    if (t2_zip_open(path, &z, &err) != T2_OK)
        return -1;
    for (size_t i = 0; i < t2_zip_count(z) && i < 3 && n >= 0; i++) {
        struct t2_slice content;
        if (t2_zip_content(z, i, path, &content, &err) != T2_OK)
            n = -1;
        else
            n += t2_slice_eq(content, t2_slice_of(want[i]));
    }
    t2_zip_free(z);
    return n;
}

static void test_there_and_back(void **state)
{
    struct t2_err err = T2_ERR_INIT;
    struct t2_zip *z;

    (void) state;
    write_archive();
    assert_int_equal(read_archive(), 3);
    assert_int_equal(t2_zip_open(path, &z, &err), T2_OK);
    assert_int_equal(t2_zip_count(z), 3);
    assert_string_equal(t2_zip_name(z, 1), "é/b");
    t2_zip_free(z);
    t2_zip_free(NULL);
    assert_int_equal(t2_remove(path, &err), T2_OK);
}

static void test_cut_and_changed(void **state)
{
    struct t2_err err = T2_ERR_INIT;
    struct t2_buf all = {0};
    int refused = 0;

    (void) state;
    write_archive();
    assert_int_equal(t2_read_file(path, 0, &all, &err), T2_OK);
    for (size_t cut = 0; cut < all.len_bytes; cut++) {
        write_file(all.data, cut);
        assert_int_equal(read_archive(), -1);
    }
    for (size_t i = 0; i < all.len_bytes; i++) {
        all.data[i] ^= 1;
        write_file(all.data, all.len_bytes);
        refused += read_archive() == -1;
        all.data[i] ^= 1;
    }
    assert_true(refused > 100); /* names, dates and versions are not under a CRC */
    assert_int_equal(t2_remove(path, &err), T2_OK);
    t2_buf_release(&all);
}

/* The directory names the first member for all three: what is inflated once would be inflated
 * thrice. */
static void test_shared_bytes(void **state)
{
    struct t2_err err = T2_ERR_INIT;
    struct t2_buf all = {0};
    struct t2_zip *z = NULL;
    size_t n_entries = 0;

    (void) state;
    write_archive();
    assert_int_equal(t2_read_file(path, 0, &all, &err), T2_OK);
    for (size_t i = 0; i + 46 <= all.len_bytes; i++) {
        if (memcmp(all.data + i, "PK\1\2", 4) != 0)
            continue;
        n_entries++;
        all.data[i + 20] = 50;
        memset(all.data + i + 42, 0, 4);
    }
    assert_int_equal(n_entries, 3);
    write_file(all.data, all.len_bytes);
    assert_int_equal(t2_zip_open(path, &z, &err), T2_EFORMAT);
    t_assert_contains(err.message, "they lie in each other");
    assert_int_equal(t2_remove(path, &err), T2_OK);
    t2_buf_release(&all);
}

T_MAIN(cmocka_unit_test(test_there_and_back), cmocka_unit_test(test_cut_and_changed),
       cmocka_unit_test(test_shared_bytes))
