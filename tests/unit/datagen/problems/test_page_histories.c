/*
 * test_page_histories.c - pages out of dumps.
 */
#include "datagen/problems/page_histories.h"

#include <string.h>

#include "base/file.h"
#include "tests/support/t.h"
#include "tests/unit/datagen/problems/page_dumps.h"
#include "tests/unit/datagen/source/archives.h"

/* Bytes that come in pieces of `step`. */
struct pieces {
    struct t2_slice left;
    size_t step;
};

static enum t2_status give(void *context, void *data, size_t len_bytes, size_t *n_read,
                           struct t2_err *err)
{
    struct pieces *p = context;
    size_t n = p->step < len_bytes ? p->step : len_bytes;

    (void) err;
    n = n < p->left.len_bytes ? n : p->left.len_bytes;
    memcpy(data, p->left.data, n);
    p->left.data += n;
    p->left.len_bytes -= n;
    *n_read = n;
    return T2_OK;
}

/* "title/id@offset: revisions ..." */
static enum t2_status list(struct dg_histories *h, struct t2_buf *text, struct t2_err *err)
{
    struct dg_page_history page;
    enum t2_status st;

    while ((st = dg_histories_next(h, &page, err)) == T2_OK) {
        t2_buf_printf(text, "%.*s/%.*s@%d:", (int) page.title.len_bytes,
                      (const char *) page.title.data, (int) page.id.len_bytes,
                      (const char *) page.id.data, (int) page.offset);
        for (size_t i = 0; i < page.n_revisions; i++)
            t2_buf_printf(text, " %zu", page.revisions[i].len_bytes);
        t2_buf_push(text, '\n');
    }
    dg_histories_free(h);
    return st;
}

static enum t2_status list_pieces(const char *dump, size_t step, uint64_t max_page_bytes,
                                  struct dg_drops *drops, struct t2_buf *text, struct t2_err *err)
{
    struct pieces pieces = {t2_slice_of(dump), step};
    struct t2_in *in;

    t2_in_new_from("x", give, &pieces, &in);
    return list(dg_histories_of(in, "x", max_page_bytes, drops), text, err);
}

#define THREE                                                                                      \
    DUMP(PAGE("A", "1", REVISION("a") REVISION("bb")) PAGE("Talk:A", "2", REVISION("c"))           \
             PAGE("B", "3", ) PAGE("C", "4", REVISION("")))

static void test_pages(void **state)
{
    struct t2_err err = T2_ERR_INIT;

    (void) state;
    for (size_t step = 1; step < 900; step += step < 40 ? 1 : 97) {
        struct t2_buf text = {0};
        assert_int_equal(list_pieces(THREE, step, 1 << 20, NULL, &text, &err), T2_EOF);
        assert_string_equal(t2_buf_cstr(&text), "A/1@39: 59 60\nB/3@455:\nC/4@525: 58\n");
        t2_buf_release(&text);
    }
}

static void test_large_pages(void **state)
{
    /* between the marks of page A: 232 bytes */
    static const struct {
        uint64_t most;
        const char *pages;
        uint64_t n_dropped;
    } cases[] = {{233, "A/1@39: 59 60\nB/3@455:\nC/4@525: 58\n", 0},
                 {232, "B/3@455:\nC/4@525: 58\n", 1},
                 {70, "B/3@455:\n", 3},
                 {1, "", 4}};
    struct t2_err err = T2_ERR_INIT;

    (void) state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        for (size_t step = 1; step < 900; step += 71) {
            struct dg_drops drops = {.n = 0};
            struct t2_buf text = {0};
            assert_int_equal(list_pieces(THREE, step, cases[i].most, &drops, &text, &err), T2_EOF);
            assert_string_equal(t2_buf_cstr(&text), cases[i].pages);
            assert_int_equal(drops.total, cases[i].n_dropped);
            t2_buf_release(&text);
            dg_drops_release(&drops);
        }
    }
}

static void test_end_inside_page(void **state)
{
    struct t2_err err = T2_ERR_INIT;
    struct dg_drops drops = {.n = 0};
    struct t2_buf text = {0};

    (void) state;
    assert_int_equal(list_pieces(PAGE("A", "1", ) "  <page>\n    <title>B", 5, 1 << 20, &drops,
                                 &text, &err),
                     T2_EOF);
    assert_string_equal(t2_buf_cstr(&text), "A/1@0:\n");
    assert_string_equal(drops.items[0].reason, "the dump ends inside a page");
    t2_buf_release(&text);
    dg_drops_release(&drops);
}

static void check_refused(const char *dump, const char *part)
{
    struct t2_err err = T2_ERR_INIT;
    struct t2_buf text = {0};

    assert_int_equal(list_pieces(dump, 64, 1 << 20, NULL, &text, &err), T2_EFORMAT);
    t_assert_contains(err.message, part);
    t2_buf_release(&text);
}

static void test_refusals(void **state)
{
    (void) state;
    check_refused("", "'x' is no dump of page histories");
    check_refused("<!doctype html><html>", "'x' is no dump of page histories");
    check_refused("  <page>\n    <id>1</id>\n  </page>\n",
                  "'x': page at offset 0 of the text: a page has no <title>...</title>");
    check_refused("  <page>\n  </page>\n", "no <title>");
    check_refused("  <page>\n    <title>A</title>\n  </page>\n", "no <id>...</id>");
    check_refused(PAGE("A", "x1", ), "is no number");
    check_refused(PAGE("A", "", ), "is no number");
    check_refused(PAGE("A", "1", "    <revision>\n"), "a revision of a page has no end");
}

static void check_file(const char *path, const char *expected)
{
    struct dg_histories *h = NULL;
    struct t2_err err = T2_ERR_INIT;
    struct t2_buf text = {0};

    assert_int_equal(dg_histories_open(path, 1 << 20, 0, NULL, &h, &err), T2_OK);
    assert_int_equal(list(h, &text, &err), T2_EOF);
    assert_string_equal(t2_buf_cstr(&text), expected);
    t2_buf_release(&text);
}

static void test_files(void **state)
{
    static const struct t_member members[] = {{"a.xml", DUMP(PAGE("A", "1", )), NULL, NULL},
                                              {"b.xml", DUMP(PAGE("B", "2", )), NULL, NULL}};
    struct dg_histories *h = NULL;
    struct t2_err err = T2_ERR_INIT;

    (void) state;
    t_write_file(t_tmp_path("plain.xml"), members[0].content, strlen(members[0].content));
    check_file(t_tmp_path("plain.xml"), "A/1@39:\n");
    t_write_archive(t_tmp_path("x.7z"), "7zip", "none", NULL, members, 2);
    check_file(t_tmp_path("x.7z"), "A/1@39:\nB/2@161:\n");
    t_write_archive(t_tmp_path("x.zip"), "zip", "none", NULL, members, 2);
    check_file(t_tmp_path("x.zip"), "A/1@39:\nB/2@161:\n");
    t_write_archive(t_tmp_path("x.bz2"), "raw", "bzip2", NULL, members, 1);
    check_file(t_tmp_path("x.bz2"), "A/1@39:\n");
    t_write_archive(t_tmp_path("x.gz"), "raw", "gzip", NULL, members, 1);
    check_file(t_tmp_path("x.gz"), "A/1@39:\n");
    t_write_archive(t_tmp_path("x.xz"), "raw", "xz", NULL, members, 1);
    check_file(t_tmp_path("x.xz"), "A/1@39:\n");
    assert_int_equal(dg_histories_open(t_tmp_path("none"), 1, 0, NULL, &h, &err), T2_ENOTFOUND);
    assert_null(h);
}

/* A 7z archive that was cut, and one with a byte that differs. */
static void test_damage(void **state)
{
    static const struct t_member member = {"a.xml", DUMP(PAGE("A", "1", REVISION("x"))), NULL,
                                           NULL};
    struct t2_buf bytes = {0}, text = {0};
    struct dg_histories *h = NULL;
    struct t2_err err = T2_ERR_INIT;

    (void) state;
    t_write_archive(t_tmp_path("x.7z"), "7zip", "none", "7zip:compression=store", &member, 1);
    assert_int_equal(t2_read_file(t_tmp_path("x.7z"), 0, &bytes, &err), T2_OK);
    t_write_file(t_tmp_path("cut.7z"), bytes.data, bytes.len_bytes - 20);
    assert_int_equal(dg_histories_open(t_tmp_path("cut.7z"), 1 << 20, 0, NULL, &h, &err),
                     T2_EFORMAT);
    t_assert_contains(err.message, "cut.7z");
    bytes.data[60] ^= 1;
    t_write_file(t_tmp_path("bad.7z"), bytes.data, bytes.len_bytes);
    assert_int_equal(dg_histories_open(t_tmp_path("bad.7z"), 1 << 20, 0, NULL, &h, &err) == T2_OK
                         ? list(h, &text, &err)
                         : err.status,
                     T2_EFORMAT);
    t2_buf_release(&bytes);
    t2_buf_release(&text);
}

static void test_max_unpacked(void **state)
{
    struct dg_histories *h = NULL;
    struct t2_err err = T2_ERR_INIT;
    struct t2_buf zeros = {0}, text = {0};

    (void) state;
    t2_buf_puts(&zeros, "<mediawiki>");
    memset(t2_buf_reserve(&zeros, 4 << 20), ' ', 4 << 20);
    zeros.len_bytes += 4 << 20;
    t_write_file(t_tmp_path("long.xml"), zeros.data, zeros.len_bytes);
    assert_int_equal(dg_histories_open(t_tmp_path("long.xml"), 1 << 20, 3 << 20, NULL, &h, &err),
                     T2_OK);
    assert_int_equal(list(h, &text, &err), T2_EFORMAT);
    t_assert_contains(err.message, "more than 3145728 bytes unpacked");
    t2_buf_release(&zeros);
}

T_MAIN(cmocka_unit_test(test_pages), cmocka_unit_test(test_large_pages),
       cmocka_unit_test(test_end_inside_page), cmocka_unit_test(test_refusals),
       cmocka_unit_test(test_files), cmocka_unit_test(test_damage),
       cmocka_unit_test(test_max_unpacked))
