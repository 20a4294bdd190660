/*
 * tests/unit/datagen/source/test_archive.c - members as streams, in all wrappings; limits, links,
 * cuts.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "base/gzip.h"
#include "base/log.h"
#include "datagen/source/archive.h"
#include "tests/unit/datagen/source/archives.h"

static const struct t_member three[] = {
    {"./data/a.txt", "alpha\nbeta\n", NULL, NULL},
    {"data/empty", "", NULL, NULL},
    {"data/same", NULL, NULL, "./data/a.txt"},
};

/* "name=content;" for each member, then "!message" of a failure. */
static const char *listing(const char *path, const struct dg_unpack_limits *limits,
                           struct t2_buf *out)
{
    struct t2_err err = T2_ERR_INIT;
    struct dg_archive *a = NULL;
    struct dg_member m;
    char chunk[7];
    enum t2_status st = dg_archive_open(path, limits, &a, &err);

    t2_buf_clear(out);
    while (st == T2_OK && (st = dg_archive_next(a, &m, &err)) == T2_OK) {
        t2_buf_printf(out, "%s=", m.name);
        for (size_t n = 1; n > 0 && st == T2_OK;) {
            st = dg_archive_read(a, chunk, sizeof chunk, &n, &err);
            t2_buf_append(out, chunk, st == T2_OK ? n : 0);
        }
        t2_buf_puts(out, ";");
    }
    if (st != T2_EOF)
        t2_buf_printf(out, "!%s", err.message);
    dg_archive_free(a);
    return t2_buf_cstr(out);
}

static void test_wrappings(void **state)
{
    static const char *const filters[] = {"none", "gzip", "bzip2", "xz"};
    struct t2_buf out = {0};

    (void) state;
    for (size_t i = 0; i < sizeof filters / sizeof *filters; i++) {
        const char *path = t_tmp_path("any-name");
        t_write_archive(path, "ustar", filters[i], NULL, three, 3);
        assert_string_equal(listing(path, NULL, &out),
                            "data/a.txt=alpha\nbeta\n;data/empty=;data/same=alpha\nbeta\n;");
    }
    t_write_archive(t_tmp_path("x.zip"), "zip", "none", NULL, three, 2);
    assert_string_equal(listing(t_tmp_path("x.zip"), NULL, &out),
                        "data/a.txt=alpha\nbeta\n;data/empty=;");
    t_write_archive(t_tmp_path("x.7z"), "7zip", "none", NULL, three, 2);
    assert_string_equal(listing(t_tmp_path("x.7z"), NULL, &out),
                        "data/a.txt=alpha\nbeta\n;data/empty=;");
    t2_buf_release(&out);
}

/* A compressed file by itself is its own only member. */
static void test_single(void **state)
{
    static const char *const filters[] = {"gzip", "bzip2", "xz"};
    static const char *const names[] = {"a.en.gz", "a.en.bz2", "a.en.xz"};
    static const struct t_member one = {"raw", "text\n", NULL, NULL};
    struct t2_buf out = {0};

    (void) state;
    for (size_t i = 0; i < 3; i++) {
        t_write_archive(t_tmp_path(names[i]), "raw", filters[i], NULL, &one, 1);
        assert_string_equal(listing(t_tmp_path(names[i]), NULL, &out), "a.en=text\n;");
    }
    t_write_archive(t_tmp_path("a.tgz"), "raw", "gzip", NULL, &one, 1);
    t_assert_contains(listing(t_tmp_path("a.tgz"), NULL, &out), "is no archive of tar or zip");
    t_write_file(t_tmp_path("plain.txt"), "text\n", 5);
    t_assert_contains(listing(t_tmp_path("plain.txt"), NULL, &out), "nor a compressed file");
    t_assert_contains(listing(t_tmp_path("absent"), NULL, &out), "absent");
    t2_buf_release(&out);
}

/* However short it is cut, a compressed archive never comes to its end. */
static void test_cut_everywhere(void **state)
{
    static const char *const filters[] = {"gzip", "bzip2", "xz"};
    struct t2_buf out = {0};
    size_t n;

    (void) state;
    t2_log_set_level(T2_LOG_ERROR);
    for (size_t i = 0; i < 3; i++) {
        char *bytes;
        t_write_archive(t_tmp_path("whole"), "ustar", filters[i], NULL, three, 2);
        bytes = t_read_file(t_tmp_path("whole"), &n);
        for (size_t cut = 0; cut < n; cut += cut < 40 || cut + 40 > n ? 1 : 7) {
            t_write_file(t_tmp_path("cut.tar.x"), bytes, cut);
            if (!strchr(listing(t_tmp_path("cut.tar.x"), NULL, &out), '!'))
                fail_msg("%s, cut at %zu of %zu: %s", filters[i], cut, n, t2_buf_cstr(&out));
        }
        free(bytes);
    }
    t2_buf_release(&out);
}

static void test_refused_members(void **state)
{
    static const struct {
        struct t_member m;
        const char *why;
    } cases[] = {
        {{"a/../../b", "x", NULL, NULL}, "a name with '..'"},
        {{"/etc/b", "x", NULL, NULL}, "an absolute name"},
        {{"a\\b", "x", NULL, NULL}, "a backslash"},
        {{"l", NULL, "a", NULL}, "a symbolic link"},
        {{"l\x1b[2J", NULL, "a", NULL}, "'l?[2J'"},
        {{"l", NULL, NULL, "../a"}, "a name with '..'"},
        {{"l", NULL, NULL, "nowhere"}, "no file before it"},
        {{"l", NULL, NULL, "l"}, "no file before it"},
    };
    struct t2_buf out = {0};

    (void) state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        t_write_archive(t_tmp_path("refused.tar"), "ustar", "none", NULL, &cases[i].m, 1);
        t_assert_contains(listing(t_tmp_path("refused.tar"), NULL, &out), cases[i].why);
        t_assert_contains(t2_buf_cstr(&out), "refused.tar");
    }
    t_write_archive(t_tmp_path("secret.zip"), "zip", "none", "zip:encryption=traditional", three,
                    1);
    t_assert_contains(listing(t_tmp_path("secret.zip"), NULL, &out), "is encrypted");
    t2_buf_release(&out);
}

/* 66 MiB of zeros in a gzip file: fine by the ratio only when it is set so. */
static void write_bomb(const char *path)
{
    struct t2_deflater *z = t2_deflater_new(T2_DEFLATE_GZIP, 9);
    uint8_t *zeros = t2_alloc(1 << 20, 1), out[1 << 16];
    size_t used, made;
    bool ended = false;
    FILE *f = fopen(path, "wb");

    assert_non_null(f);
    for (size_t i = 0; i < 66; i++) {
        for (size_t at = 0; at < 1 << 20; at += used) {
            t2_deflater_step(z, zeros + at, (1 << 20) - at, false, out, sizeof out, &used, &made,
                             &ended);
            fwrite(out, 1, made, f);
        }
    }
    while (!ended) {
        t2_deflater_step(z, zeros, 0, true, out, sizeof out, &used, &made, &ended);
        fwrite(out, 1, made, f);
    }
    assert_int_equal(fclose(f), 0);
    t2_deflater_free(z);
    t2_free(zeros);
}

static enum t2_status size_of(const char *path, const struct dg_unpack_limits *limits,
                              uint64_t *bytes, struct t2_err *err)
{
    static uint8_t chunk[1 << 16];
    struct dg_archive *a = NULL;
    struct dg_member m;
    size_t n = 1;
    enum t2_status st = dg_archive_open(path, limits, &a, err);

    *bytes = 0;
    if (st == T2_OK)
        st = dg_archive_next(a, &m, err);
    while (st == T2_OK && n > 0) {
        st = dg_archive_read(a, chunk, sizeof chunk, &n, err);
        *bytes += n;
    }
    dg_archive_free(a);
    return st;
}

static void test_limits(void **state)
{
    static const struct dg_unpack_limits wide = {.max_ratio = 2000},
                                         narrow = {.max_ratio = 2000, .max_bytes = 1000000};
    const char *path = t_tmp_path("bomb.gz");
    struct t2_err err = T2_ERR_INIT;
    uint64_t bytes;

    (void) state;
    write_bomb(path);
    assert_int_equal(size_of(path, &wide, &bytes, &err), T2_OK);
    assert_int_equal(bytes, 66 << 20);
    assert_int_equal(size_of(path, NULL, &bytes, &err), T2_EFORMAT);
    t_assert_contains(err.message, "made to fill disks");
    assert_true(bytes < 65 << 20);
    assert_int_equal(size_of(path, &narrow, &bytes, &err), T2_EFORMAT);
    t_assert_contains(err.message, "more than 1000000 bytes unpacked");
    dg_set_unpack_limits(&wide);
    assert_int_equal(size_of(path, NULL, &bytes, &err), T2_OK);
    dg_set_unpack_limits(&(struct dg_unpack_limits){0});
}

/* Lines of a member, which may be gzip itself; the next member is found whether all was read or
 * not. */
static void test_text(void **state)
{
    static const struct t_member raw = {"raw", "eins\nzwei", NULL, NULL};
    struct t2_err err = T2_ERR_INIT;
    struct dg_archive *a = NULL;
    struct dg_member m;
    struct t2_slice line;
    struct t2_in *in;
    struct archive *w;
    char *bytes;
    size_t n;

    (void) state;
    t_write_archive(t_tmp_path("x.gz"), "raw", "gzip", NULL, &raw, 1);
    bytes = t_read_file(t_tmp_path("x.gz"), &n);
    w = archive_write_new();
    archive_write_set_format_ustar(w);
    assert_int_equal(archive_write_open_filename(w, t_tmp_path("nested.tar")), ARCHIVE_OK);
    for (size_t i = 0; i < 2; i++) {
        struct archive_entry *e = archive_entry_new();
        archive_entry_set_pathname(e, i ? "b.gz" : "a.gz");
        archive_entry_set_filetype(e, AE_IFREG);
        archive_entry_set_size(e, (la_int64_t) n);
        assert_int_equal(archive_write_header(w, e), ARCHIVE_OK);
        assert_int_equal(archive_write_data(w, bytes, n), (la_ssize_t) n);
        archive_entry_free(e);
    }
    archive_write_free(w);
    free(bytes);
    assert_int_equal(dg_archive_open(t_tmp_path("nested.tar"), NULL, &a, &err), T2_OK);
    assert_int_equal(dg_archive_next(a, &m, &err), T2_OK);
    assert_int_equal(m.bytes, n);
    assert_int_equal(dg_archive_next(a, &m, &err), T2_OK);
    assert_string_equal(m.name, "b.gz");
    dg_archive_text(a, &in);
    assert_int_equal(t2_in_line(in, &line, &err), T2_OK);
    assert_true(t2_slice_eq(line, t2_slice_of("eins")));
    assert_int_equal(t2_in_line(in, &line, &err), T2_OK);
    assert_true(t2_slice_eq(line, t2_slice_of("zwei")));
    assert_int_equal(t2_in_line(in, &line, &err), T2_EOF);
    t_assert_contains(t2_in_path(in), "nested.tar: b.gz");
    t2_in_free(in);
    assert_int_equal(dg_archive_next(a, &m, &err), T2_EOF);
    assert_int_equal(dg_archive_next(a, &m, &err), T2_EOF);
    dg_archive_free(a);
}

/* "a", then n times a small file and two links, to it and to "a": on the way to a file are all
 * links before it. */
static void write_links(const char *path, const char *filter, const char *content, size_t n)
{
    struct t_member *m = t2_alloc(3 * n + 1, sizeof *m);
    char(*names)[3][32] = t2_alloc(n, sizeof *names);

    m[0] = (struct t_member){"a", content, NULL, NULL};
    for (size_t i = 0; i < n; i++) {
        snprintf(names[i][0], sizeof names[i][0], "b%zu", i);
        snprintf(names[i][1], sizeof names[i][1], "to-b%zu", i);
        snprintf(names[i][2], sizeof names[i][2], "to-a%zu", i);
        m[3 * i + 1] = (struct t_member){names[i][0], "beta", NULL, NULL};
        m[3 * i + 2] = (struct t_member){names[i][1], NULL, NULL, names[i][0]};
        m[3 * i + 3] = (struct t_member){names[i][2], NULL, NULL, "a"};
    }
    t_write_archive(path, "ustar", filter, NULL, m, 3 * n + 1);
    t2_free(names);
    t2_free(m);
}

/* As many ways as 2^100 there were through a hundred links. */
static void test_many_links(void **state)
{
    static const struct t_member twice[] = {
        {"a", "old", NULL, NULL}, {"a", "new", NULL, NULL}, {"b", "beta", NULL, NULL},
        {"c", NULL, NULL, "b"},   {"d", NULL, NULL, "a"},   {"b", "other", NULL, NULL},
        {"e", NULL, NULL, "b"},   {"f", NULL, NULL, "./e"},
    };
    struct t2_buf out = {0}, expected = {0};

    (void) state;
    write_links(t_tmp_path("links.tar"), "none", "alpha", 100);
    t2_buf_puts(&expected, "a=alpha;");
    for (int i = 0; i < 100; i++)
        t2_buf_printf(&expected, "b%d=beta;to-b%d=beta;to-a%d=alpha;", i, i, i);
    assert_string_equal(listing(t_tmp_path("links.tar"), NULL, &out), t2_buf_cstr(&expected));
    t_write_archive(t_tmp_path("twice.tar"), "ustar", "gzip", NULL, twice,
                    sizeof twice / sizeof *twice);
    t_assert_contains(listing(t_tmp_path("twice.tar"), NULL, &out),
                      "a=old;a=new;b=beta;c=beta;d=new;b=other;e=other;!");
    t_assert_contains(t2_buf_cstr(&out), "'f' is a link to 'e', which is no file before it");
    t2_buf_release(&expected);
    t2_buf_release(&out);
}

/* 8 MiB that would be unpacked a thousand times. */
static void test_costly_links(void **state)
{
    enum { N = 8 << 20 };
    struct t2_err err = T2_ERR_INIT;
    struct dg_archive *a = NULL;
    struct dg_member m;
    char *content = t2_alloc(N + 1, 1);
    int n_given = 0;
    enum t2_status st;

    (void) state;
    memset(content, 'x', N);
    write_links(t_tmp_path("costly.tar.gz"), "gzip", content, 1000);
    t2_free(content);
    assert_int_equal(dg_archive_open(t_tmp_path("costly.tar.gz"), NULL, &a, &err), T2_OK);
    while ((st = dg_archive_next(a, &m, &err)) == T2_OK)
        n_given++;
    assert_int_equal(st, T2_EFORMAT);
    t_assert_contains(err.message, "would be read again for its hard links");
    t_assert_contains(err.message, "--hard-dereference");
    assert_true(n_given > 150 &&
                n_given < 600); /* 1.5 GiB of 8 GiB, some three members for each 8 MiB */
    dg_archive_free(a);
}

/* Nobody writes to the pipe, and nobody waits for it. */
static void test_pipe(void **state)
{
    struct t2_buf out = {0};

    (void) state;
    assert_int_equal(mkfifo(t_tmp_path("pipe.tar.gz"), 0600), 0);
    t_assert_contains(listing(t_tmp_path("pipe.tar.gz"), NULL, &out), "is not a regular file");
    t2_buf_release(&out);
}

T_MAIN(cmocka_unit_test(test_wrappings), cmocka_unit_test(test_single),
       cmocka_unit_test(test_cut_everywhere), cmocka_unit_test(test_refused_members),
       cmocka_unit_test(test_limits), cmocka_unit_test(test_text),
       cmocka_unit_test(test_many_links), cmocka_unit_test(test_costly_links),
       cmocka_unit_test(test_pipe))
