/*
 * tests/unit/datagen/source/test_archive_in_place.c - members of tar archives where they lie, and
 * what is refused.
 */
#include "base/file.h"
#include "base/str.h"
#include "datagen/source/archive_in_place.h"
#include "tests/unit/datagen/source/archives.h"

static struct t2_err err = T2_ERR_INIT;
static char path[4096];

static const char *at(const char *name)
{
    snprintf(path, sizeof path, "%s", t_tmp_path(name));
    return path;
}

/* "name=content;" of each. */
static enum t2_status note(void *context, const char *name, const struct dg_place *place,
                           struct t2_err *e)
{
    struct t2_buf *out = context, content = {NULL, 0, 0};
    enum t2_status st = dg_place_read(path, place, &content, e);

    t2_buf_printf(out, "%s=%.*s;", name, (int) content.len_bytes, (const char *) content.data);
    t2_buf_release(&content);
    return st;
}

static void assert_places(const struct dg_place *place, const char *expected)
{
    struct t2_buf out = {NULL, 0, 0};

    assert_int_equal(dg_archive_places(path, place, "shown", note, &out, &err), T2_OK);
    assert_string_equal(t2_buf_cstr(&out), expected);
    t2_buf_release(&out);
}

static void assert_refused(const struct dg_place *place, const char *why)
{
    struct t2_buf out = {NULL, 0, 0};

    assert_int_equal(dg_archive_places(path, place, "shown", note, &out, &err), T2_EFORMAT);
    t_assert_contains(err.message, "'shown'");
    t_assert_contains(err.message, why);
    t2_buf_release(&out);
}

static char long_name[300];

static void test_members(void **state)
{
    static const struct t_member members[] = {{"./a", "alpha", NULL, NULL},
                                              {"d/b", "", NULL, NULL},
                                              {long_name, "long", NULL, NULL}};
    static const char *const formats[] = {"ustar", "pax", "gnutar"};
    char expected[400];

    (void) state;
    for (size_t i = 0; i < 3; i++) {
        memset(long_name, 'x', i == 0 ? 60 : 299);
        snprintf(expected, sizeof expected, "a=alpha;d/b=;%s=long;", long_name);
        t_write_archive(at("m.tar"), formats[i], "none", NULL, members, 3);
        assert_places(NULL, expected);
    }
}

static void test_part(void **state)
{
    static const struct t_member members[] = {{"in", "side", NULL, NULL}};
    struct t2_buf tar = {NULL, 0, 0};
    struct dg_place place;

    (void) state;
    t_write_archive(at("p.tar"), "ustar", "none", NULL, members, 1);
    assert_int_equal(t2_read_file(path, 0, &tar, &err), T2_OK);
    place = (struct dg_place){700, tar.len_bytes};
    for (int i = 0; i < 700; i++)
        t2_buf_push(&tar, 'z');
    memmove(tar.data + 700, tar.data, place.bytes);
    memset(tar.data, 'y', 700);
    t_write_file(at("part"), tar.data, tar.len_bytes);
    assert_places(&place, "in=side;");
    assert_refused(NULL, "no tar archive");
    place.bytes = 900; /* within the member's padding */
    assert_refused(&place, "Truncated input");
    place.bytes = 514; /* within its contents */
    assert_refused(&place, "cut short in member 'in'");
    place.bytes = 1024; /* behind its padding: the end is missing */
    assert_refused(&place, "the end of the archive is missing");
    place.bytes = 1 << 20;
    assert_refused(&place, "cut short");
    place = (struct dg_place){UINT64_MAX - 3, 2};
    assert_refused(&place, "cut short");
    place = (struct dg_place){690, tar.len_bytes};
    t2_buf_clear(&tar);
    assert_int_equal(dg_place_read(path, &place, &tar, &err), T2_EFORMAT);
    t_assert_contains(err.message, "was cut short while it was read");
    t2_buf_release(&tar);
    assert_int_equal(dg_archive_places(at("none"), NULL, "shown", note, &tar, &err), T2_ENOTFOUND);
    assert_int_equal(dg_place_read(path, &place, &tar, &err), T2_ENOTFOUND);
}

static void assert_member_refused(struct t_member m, const char *why)
{
    t_write_archive(at("r.tar"), "pax", "none", NULL, &m, 1);
    assert_refused(NULL, why);
}

static void test_refused(void **state)
{
    static const struct t_member good = {"a", "b", NULL, NULL};
    static const char *const filters[] = {"gzip", "bzip2", "xz"};
    static const char *const texts[][2] = {{"<!DOCTYPE html><html></html>\n", "web page"},
                                           {"version https://git-lfs.github.com/spec/v1\n",
                                            "Git LFS"},
                                           {"just a text", "no tar archive"},
                                           {"", "no tar archive"}};
    struct t2_buf tar = {NULL, 0, 0};

    (void) state;
    assert_member_refused((struct t_member){"../a", "b", NULL, NULL}, "a name with '..'");
    assert_member_refused((struct t_member){"/a", "b", NULL, NULL}, "an absolute name");
    assert_member_refused((struct t_member){"a\\b", "b", NULL, NULL}, "a backslash");
    assert_member_refused((struct t_member){"a\033b", NULL, "/etc/passwd", NULL},
                          "'a?b' has a link");
    assert_member_refused((struct t_member){"a", NULL, NULL, "b"}, "a link as its contents");
    for (size_t i = 0; i < 3; i++) {
        t_write_archive(at("c.tar"), "ustar", filters[i], NULL, &good, 1);
        assert_refused(NULL, "is compressed");
    }
    t_write_archive(at("c.zip"), "zip", "none", NULL, &good, 1);
    assert_refused(NULL, "is compressed");
    for (size_t i = 0; i < 4; i++) {
        t_write_file(at("text"), texts[i][0], strlen(texts[i][0]));
        assert_refused(NULL, texts[i][1]);
    }
    /* a header that claims more than there is */
    t_write_archive(at("big.tar"), "ustar", "none", NULL, &good, 1);
    assert_int_equal(t2_read_file(path, 0, &tar, &err), T2_OK);
    memcpy(tar.data + 124, "77777777777", 11);
    {
        unsigned sum = 8 * ' ';
        for (int i = 0; i < 512; i++)
            sum += i >= 148 && i < 156 ? 0 : tar.data[i];
        snprintf((char *) tar.data + 148, 8, "%06o", sum);
    }
    t_write_file(path, tar.data, tar.len_bytes);
    assert_refused(NULL, "cut short in member 'a'");
    tar.data[0] ^= 1; /* its checksum */
    t_write_file(path, tar.data, tar.len_bytes);
    assert_refused(NULL, "Unrecognized archive format");
    t2_buf_release(&tar);
}

T_MAIN(cmocka_unit_test(test_members), cmocka_unit_test(test_part), cmocka_unit_test(test_refused))
