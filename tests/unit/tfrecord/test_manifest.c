/*
 * test_manifest.c - reading the part of a manifest that every data set has, and the look at a
 * journal.
 */
#include "tfrecord/manifest.h"

#include <string.h>

#include "base/alloc.h"
#include "tests/support/t.h"

#define SHA "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

static const char good[] =
    "{\"format\": \"t2t.c data set\", \"format_version\": 1, \"problem\": \"x\", \"own\": [1.0], "
    "\"features\": [{\"name\": \"inputs\", \"kind\": \"int64\", \"min_length\": 1, "
    "\"max_length\": 5, \"n_values\": 9, \"min_value\": -1, \"max_value\": 40}], "
    "\"splits\": {\"train\": {\"records\": 3, \"shards\": ["
    "{\"file\": \"x-train-00000-of-00002\", \"records\": 2, \"bytes\": 60, \"sha256\": \"" SHA
    "\"}, "
    "{\"file\": \"x-train-00001-of-00002\", \"records\": 1, \"bytes\": 30, \"sha256\": \"" SHA "\"}"
    "]}, \"odd name\": {\"records\": 0, \"shards\": []}}}";

static void test_good(void **state)
{
    struct tfr_manifest *m = NULL;
    struct t2_err err = T2_ERR_INIT;

    (void) state;
    assert_int_equal(tfr_manifest_parse(good, strlen(good), "dir/m", &m, &err), T2_OK);
    assert_string_equal(m->problem, "x");
    assert_string_equal(m->path, "dir/m");
    assert_int_equal(m->n_splits, 2);
    assert_int_equal(tfr_manifest_records(m), 3);
    assert_string_equal(m->splits[1].name, "odd name");
    assert_int_equal(tfr_manifest_find_split(m, "train")->n_shards, 2);
    assert_int_equal(tfr_manifest_find_split(m, "train")->shards[1].bytes, 30);
    assert_null(tfr_manifest_find_split(m, "dev"));
    assert_int_equal(tfr_manifest_find_feature(m, "inputs")->min_value, -1);
    assert_null(tfr_manifest_find_feature(m, "input"));
    assert_int_equal(strlen(m->sha256), 64);
    tfr_manifest_free(m);
    tfr_manifest_free(NULL);
}

/* The good text with one part replaced. */
static void check_bad(const char *part, const char *by, const char *message)
{
    const char *at = strstr(good, part);
    struct tfr_manifest *m = NULL;
    struct t2_err err = T2_ERR_INIT;
    struct t2_buf text = {0};

    assert_non_null(at);
    t2_buf_append(&text, good, (size_t) (at - good));
    t2_buf_puts(&text, by);
    t2_buf_puts(&text, at + strlen(part));
    assert_int_equal(tfr_manifest_parse(t2_buf_cstr(&text), text.len_bytes, "the_path", &m, &err),
                     T2_EFORMAT);
    assert_null(m);
    t_assert_contains(err.message, "the_path");
    t_assert_contains(err.message, message);
    t2_buf_release(&text);
}

static void test_bad(void **state)
{
    (void) state;
    check_bad("t2t.c data set", "other", "\"format\" is not \"t2t.c data set\"");
    check_bad("\"format_version\": 1", "\"format_version\": 2", "\"format_version\" is not 1");
    check_bad("\"problem\": \"x\", ", "", "\"problem\" is not a string");
    check_bad("\"features\": [", "\"features\": 3, \"f\": [", "\"features\" is not a list");
    check_bad("\"min_length\": 1, ", "", "\"min_length\" is not an integer");
    check_bad("\"max_length\": 5", "\"max_length\": -5", "\"max_length\" is not a count");
    check_bad("\"splits\": {", "\"splits\": 3, \"s\": {", "\"splits\" is not an object");
    check_bad("\"shards\": [", "\"shards\": 3, \"s\": [", "\"shards\" is not a list of shards");
    check_bad("x-train-00001-of-00002", "/etc/x", "\"file\" is not a plain file name");
    check_bad("x-train-00001-of-00002", "..", "\"file\" is not a plain file name");
    check_bad("x-train-00001-of-00002", "x-train-00000-of-00002", "a list of different files");
    check_bad("\"records\": 2", "\"records\": 5", "\"records\" is not the sum");
    check_bad("\"records\": 2", "\"records\": 9223372036854775807", "can be summed up");
    check_bad(SHA, "xyz", "\"sha256\" is not a SHA-256");
    check_bad("]}}}", "", "");
}

static void test_load(void **state)
{
    const char *path = t_tmp_path("x.manifest.json");
    struct tfr_manifest *m = NULL;
    struct t2_err err = T2_ERR_INIT;

    (void) state;
    assert_int_equal(tfr_manifest_load(path, &m, &err), T2_ENOTFOUND);
    t_write_file(path, good, strlen(good));
    assert_int_equal(tfr_manifest_load(path, &m, &err), T2_OK);
    assert_string_equal(m->path, path);
    tfr_manifest_free(m);
}

static void write_journal(const char *manifest_path, const char *before)
{
    char *path = tfr_journal_path(manifest_path);
    struct t2_buf text = {0};

    t2_buf_printf(&text, "{\"before\": \"%s\", \"command\": \"tfrec append x\"}", before);
    t_write_file(path, t2_buf_cstr(&text), text.len_bytes);
    t2_buf_release(&text);
    t2_free(path);
}

static void test_journal(void **state)
{
    const char *path = t_tmp_path("x.manifest.json");
    struct tfr_manifest *m = NULL;
    struct t2_err err = T2_ERR_INIT;
    char sha256[65], *name;

    (void) state;
    name = tfr_journal_path("d/x.manifest.json");
    assert_string_equal(name, "d/.x.edit.json");
    t2_free(name);
    t_write_file(path, good, strlen(good));
    assert_int_equal(tfr_manifest_load(path, &m, &err), T2_OK);
    memcpy(sha256, m->sha256, sizeof sha256);
    tfr_manifest_free(m);
    write_journal(path, sha256);
    assert_int_equal(tfr_manifest_load(path, &m, &err), T2_EIO);
    assert_null(m);
    t_assert_contains(err.message, "stopped halfway");
    t_assert_contains(err.message, "finish it with: tfrec append x");
    write_journal(path, SHA); /* of another manifest: the edit is done, or the set was made anew */
    assert_int_equal(tfr_manifest_load(path, &m, &err), T2_OK);
    tfr_manifest_free(m);
}

T_MAIN(cmocka_unit_test(test_good), cmocka_unit_test(test_bad), cmocka_unit_test(test_load),
       cmocka_unit_test(test_journal))
