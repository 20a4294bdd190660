/*
 * test_datagen_hostile.c - the texts of T2_DATA/goldens/hostile, judged as expected.json says.
 *
 * Walks the table: a text file is read as both sides of a pair, a file with a partner with it, a
 * .tsv file as such.  .sgm belongs to other problems.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/json.h"
#include "datagen/source/sample_batch.h"
#include "tests/support/t.h"

/* Reads all samples; what was kept, how many lines the first file has. */
static enum t2_status read_all(struct dg_stream *s, uint64_t *n_kept, uint64_t *n_read,
                               uint64_t *last_kept, struct t2_err *err)
{
    struct dg_batcher r = {.stream = s};
    struct dg_batch b = {0};
    enum t2_status st;

    while ((st = dg_batcher_fill(&r, &b, err)) == T2_OK &&
           (st = dg_batch_clean(&b, err)) == T2_OK) {
        for (size_t i = 0; i < b.n; i++) {
            ++*n_read;
            if (!b.items[i].drop) {
                ++*n_kept;
                *last_kept = b.items[i].inputs_line;
            }
        }
    }
    dg_batch_release(&b);
    return st == T2_EOF ? T2_OK : st;
}

static char *path_of(const char *name)
{
    char *file = t2_asprintf("goldens/hostile/%s", name);
    const char *path = t_data_path(file);

    t2_free(file);
    return path ? t2_strdup(path) : NULL;
}

static void check_refusal(const char *name, const struct t2_json_value *v, const struct t2_err *err)
{
    int64_t bad_line = t2_json_as_i64(t2_json_get(v, "first_bad_line"), 0);
    char text[64];

    t_assert_contains(err->message, name + strlen("text/"));
    if (bad_line) {
        snprintf(text, sizeof text, "line %d: byte 0x", (int) bad_line);
        t_assert_contains(err->message, text);
    }
}

static void check(const char *name, const struct t2_json_value *v)
{
    const char *verdict = t2_json_as_string(t2_json_get(v, "verdict"), "");
    const char *partner = t2_json_as_string(t2_json_get(v, "pair"), NULL);
    const struct t2_json_value *rows = t2_json_get(v, "good_rows");
    char *path = path_of(name), *other = NULL;
    uint64_t n_kept = 0, n_read = 0, last_kept = 0;
    struct dg_text_parts parts = {0};
    struct t2_err err = T2_ERR_INIT;
    struct dg_stream *s = NULL;
    enum t2_status st;

    assert_non_null(path);
    if (partner) {
        char *file = t2_asprintf("text/%s", partner);
        other = path_of(file);
        t2_free(file);
    }
    dg_text_parts_add(&parts, path, rows ? NULL : other ? other : path);
    assert_int_equal(dg_text_stream_new(&parts, false, &s, &err), T2_OK);
    st = read_all(s, &n_kept, &n_read, &last_kept, &err);
    if ((st == T2_OK) != (strcmp(verdict, "accept") == 0))
        fail_msg("%s: expected %s, got %s", name, verdict, err.message);
    if (st != T2_OK)
        check_refusal(name, v, &err);
    else
        assert_int_equal(n_read, t2_json_as_i64(t2_json_get(v, "lines_at_lf"), -1));
    if (st == T2_OK && rows) {
        assert_int_equal(n_kept, t2_json_size(rows));
        assert_int_equal(last_kept, t2_json_as_i64(t2_json_item(rows, t2_json_size(rows) - 1), 0));
    }
    dg_stream_free(s);
    dg_text_parts_release(&parts);
    t2_free(path);
    t2_free(other);
}

static void test_texts(void **state)
{
    char *path = path_of("expected.json");
    struct t2_json_doc *doc = NULL;
    struct t2_err err = T2_ERR_INIT;
    const struct t2_json_value *root, *v;
    size_t n = 0;

    (void) state;
    if (!path)
        t_skip("no goldens/hostile in T2_DATA");
    assert_int_equal(t2_json_load(path, &doc, &err), T2_OK);
    root = t2_json_root(doc);
    for (size_t i = 0; i < t2_json_size(root); i++) {
        const char *name = t2_json_member(root, i, &v);
        if (strncmp(name, "text/", 5) != 0 || t2_ends_with(name, ".sgm"))
            continue;
        check(name, v);
        n++;
    }
    assert_true(n > 0);
    assert_int_equal(n, t_data_files("goldens/hostile/text", NULL) -
                            t_data_files("goldens/hostile/text", ".sgm"));
    t2_json_free(doc);
    t2_free(path);
}

T_MAIN(cmocka_unit_test(test_texts))
