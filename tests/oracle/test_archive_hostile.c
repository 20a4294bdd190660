/*
 * test_archive_hostile.c - the archives of T2_DATA/goldens/hostile, judged as expected.json says:
 * walking all members, reading all bytes.  Two verdicts leave a choice; ours is to refuse
 * backslashes and devices.
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "base/json.h"
#include "base/log.h"
#include "datagen/source/archive.h"
#include "tests/support/t.h"

enum { MAX_MEMBERS = 16 };

/* The last member of a name counts. */
struct found {
    char *name[MAX_MEMBERS];
    char sha256[MAX_MEMBERS][T2_SHA256_HEX];
    size_t n;
};

static enum t2_status hash_member(struct dg_archive *a, char hex[T2_SHA256_HEX], struct t2_err *err)
{
    struct t2_sha256 *h = t2_sha256_new();
    uint8_t chunk[5000];
    size_t n = 1;
    enum t2_status st = T2_OK;

    while (n > 0 && (st = dg_archive_read(a, chunk, sizeof chunk, &n, err)) == T2_OK)
        t2_sha256_update(h, chunk, n);
    t2_sha256_peek(h, hex);
    t2_sha256_free(h);
    return st;
}

static enum t2_status walk(const char *path, bool skip_members, struct found *f, struct t2_err *err)
{
    struct dg_archive *a = NULL;
    struct dg_member m;
    enum t2_status st = dg_archive_open(path, NULL, &a, err);

    if (st != T2_OK)
        return st;
    while ((st = dg_archive_next(a, &m, err)) == T2_OK && !skip_members) {
        size_t i = 0;
        while (i < f->n && strcmp(f->name[i], m.name) != 0)
            i++;
        assert_true(i < MAX_MEMBERS);
        if (i == f->n)
            f->name[f->n++] = t2_strdup(m.name);
        if ((st = hash_member(a, f->sha256[i], err)) != T2_OK)
            break;
    }
    while (skip_members && st == T2_OK)
        st = dg_archive_next(a, &m, err);
    dg_archive_free(a);
    return st;
}

static void check(const char *name, const struct t2_json_value *v)
{
    bool accept = strcmp(t2_json_as_string(t2_json_get(v, "verdict"), ""), "accept") == 0;
    const struct t2_json_value *members = t2_json_get(v, "members");
    char *file = t2_asprintf("goldens/hostile/%s", name);
    const char *path = t_data_path(file);
    struct found f = {.n = 0};
    struct t2_err err = T2_ERR_INIT, skipped = T2_ERR_INIT;
    enum t2_status st;
    size_t k;

    assert_non_null(path);
    st = walk(path, false, &f, &err);
    if (accept && st != T2_EOF)
        fail_msg("%s is refused: %s", name, err.message);
    if (!accept && st == T2_EOF)
        fail_msg("%s is accepted", name);
    if (!accept) {
        assert_int_equal(st, T2_EFORMAT);
        t_assert_contains(err.message, name + strlen("archives/"));
    }
    for (size_t i = 0; accept && i < t2_json_size(members); i++) {
        const struct t2_json_value *sha256;
        const char *wanted = t2_json_member(members, i, &sha256);
        for (k = 0; k < f.n && strcmp(f.name[k], wanted) != 0; k++)
            continue;
        if (k == f.n)
            fail_msg("%s: no member '%s'", name, wanted);
        assert_string_equal(f.sha256[k], t2_json_as_string(sha256, ""));
    }
    if (accept)
        assert_int_equal(f.n, t2_json_size(members));
    /* members that nobody reads are no way past a refusal; a zip's data is not looked at then */
    st = walk(path, true, &f, &skipped);
    if (strcmp(name, "archives/damaged.zip") != 0)
        assert_int_equal(st == T2_EOF, accept);
    for (size_t i = 0; i < f.n; i++)
        t2_free(f.name[i]);
    t2_free(file);
}

static void test_all(void **state)
{
    const char *path = t_data_path("goldens/hostile/expected.json");
    struct t2_json_doc *doc = NULL;
    struct t2_err err = T2_ERR_INIT;
    const struct t2_json_value *root, *v;
    size_t n = 0;

    (void) state;
    if (!path)
        t_skip("no goldens/hostile in T2_DATA");
    t2_log_set_level(T2_LOG_ERROR);
    assert_int_equal(t2_json_load(path, &doc, &err), T2_OK);
    root = t2_json_root(doc);
    for (size_t i = 0; i < t2_json_size(root); i++) {
        const char *name = t2_json_member(root, i, &v);
        if (t2_starts_with(name, "archives/")) {
            check(name, v);
            n++;
        }
    }
    assert_true(n > 0);
    assert_int_equal(n, t_data_files("goldens/hostile/archives", NULL));
    t2_json_free(doc);
}

T_MAIN(cmocka_unit_test(test_all))
