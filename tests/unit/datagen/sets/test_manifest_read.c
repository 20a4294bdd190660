/*
 * test_manifest_read.c - reading a manifest: what it must say, and what it may not.
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "datagen/problem.h"
#include "tests/support/t.h"

#define SHA "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

static const char good[] =
    "{\"format\": \"t2t.c data set\", \"format_version\": 1, \"problem\": \"x\", "
    "\"dataset_filename\": \"x\", \"version\": \"0.1\", \"command\": \"t2t-datagen\", "
    "\"random_seed\": 7, \"has_inputs\": true, \"input_space_id\": 3, \"target_space_id\": 8, "
    "\"vocabularies\": {"
    "\"inputs\": {\"kind\": \"subwords\", \"file\": \"v\", \"size\": 10, \"sha256\": \"" SHA "\"}, "
    "\"targets\": {\"kind\": \"bytes\", \"file\": null, \"size\": 258, \"sha256\": \"\"}}, "
    "\"features\": [{\"name\": \"inputs\", \"kind\": \"int64\", \"min_length\": 1, "
    "\"max_length\": 5, \"n_values\": 9, \"min_value\": 1, \"max_value\": 40}], "
    "\"splits\": {\"train\": {\"records\": 3, \"shards\": ["
    "{\"file\": \"x-train-00000-of-00002\", \"records\": 2, \"bytes\": 60, \"sha256\": \"" SHA
    "\"}, "
    "{\"file\": \"x-train-00001-of-00002\", \"records\": 1, \"bytes\": 30, \"sha256\": \"" SHA "\"}"
    "]}}, \"dropped\": {\"total\": 4, \"reasons\": []}, \"data_sha256\": \"" SHA "\"}";

static enum t2_status load(const char *text, size_t len_bytes, const char *name,
                           struct dg_manifest **m, struct t2_err *err)
{
    const char *path = t_tmp_path(name);

    t_write_file(path, text, len_bytes);
    return dg_manifest_load(path, m, err);
}

static void test_good(void **state)
{
    struct dg_manifest *m = NULL;
    struct t2_err err = T2_ERR_INIT;

    (void) state;
    assert_int_equal(load(good, strlen(good), "m", &m, &err), T2_OK);
    assert_string_equal(m->problem, "x");
    assert_int_equal(m->random_seed, 7);
    assert_int_equal(m->inputs_vocab.size, 10);
    assert_string_equal(m->inputs_vocab.file, "v");
    assert_int_equal(m->targets_vocab.kind, DG_VOCAB_BYTES);
    assert_null(m->targets_vocab.file);
    assert_int_equal(m->splits[DG_TRAIN].n_shards, 2);
    assert_int_equal(m->splits[DG_TRAIN].n_records, 3);
    assert_int_equal(m->splits[DG_TRAIN].shards[1].bytes, 30);
    assert_int_equal(m->splits[DG_DEV].n_shards, 0);
    assert_int_equal(m->features[0].max_value, 40);
    assert_int_equal(m->n_dropped, 4);
    assert_int_equal(m->target_space_id, 8);
    assert_int_equal(strlen(m->sha256), 64);
    dg_manifest_free(m);
    dg_manifest_free(NULL);
}

/* The good text with one part replaced. */
static void check_bad(const char *part, const char *by, const char *message)
{
    const char *at = strstr(good, part);
    struct dg_manifest *m = NULL;
    struct t2_err err = T2_ERR_INIT;
    struct t2_buf text = {0};

    assert_non_null(at);
    t2_buf_append(&text, good, (size_t) (at - good));
    t2_buf_puts(&text, by);
    t2_buf_puts(&text, at + strlen(part));
    assert_int_equal(load(t2_buf_cstr(&text), text.len_bytes, "the_path", &m, &err), T2_EFORMAT);
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
    check_bad("\"random_seed\": 7", "\"random_seed\": -7", "\"random_seed\" is not a count");
    check_bad("\"random_seed\": 7", "\"random_seed\": 7.5", "\"random_seed\" is not an integer");
    check_bad("\"has_inputs\": true", "\"has_inputs\": 1", "\"has_inputs\" is not true or false");
    check_bad("\"kind\": \"subwords\"", "\"kind\": \"bpe\"",
              "\"kind\" is not a kind of vocabulary");
    check_bad("\"file\": \"v\"", "\"file\": \"../v\"", "\"file\" is not a plain file name");
    check_bad("\"file\": \"v\"", "\"file\": \"..\"", "\"file\" is not a plain file name");
    check_bad("\"file\": \"v\"", "\"file\": \"\"", "\"file\" is not a plain file name");
    check_bad("x-train-00001-of-00002", "/etc/x", "\"file\" is not a plain file name");
    check_bad("\"records\": 2", "\"records\": 5", "\"records\" is not the sum");
    check_bad(SHA, "xyz", "\"sha256\" is not a SHA-256");
    check_bad("\"features\": [", "\"features\": 3, \"f\": [", "\"features\" is not a list");
    check_bad("\"shards\": [", "\"shards\": 3, \"s\": [", "\"shards\" is not a list of shards");
    check_bad("\"total\": 4, ", "", "\"total\" is not an integer");
    check_bad("}}", "", "");
}

static void test_load(void **state)
{
    const char *path = t_tmp_path("x.manifest.json");
    struct dg_manifest *m = NULL;
    struct t2_err err = T2_ERR_INIT;
    char *name;

    (void) state;
    t_write_file(path, good, strlen(good));
    assert_int_equal(dg_manifest_load(path, &m, &err), T2_OK);
    dg_manifest_free(m);
    assert_int_equal(dg_manifest_load(t_tmp_path("absent"), &m, &err), T2_ENOTFOUND);
    assert_null(m);
    name = dg_manifest_path("dir/", "x");
    assert_string_equal(name, "dir/x.manifest.json");
    t2_free(name);
}

/* As `tfrec index` writes it for shards from elsewhere. */
static void test_foreign(void **state)
{
    static const char text[] =
        "{\"format\": \"t2t.c data set\", \"format_version\": 1, \"problem\": \"x\", "
        "\"version\": \"0.1\", \"command\": \"tfrec index\", \"features\": [], "
        "\"splits\": {\"train\": {\"records\": 0, \"shards\": []}}, \"history\": [{}, {}], "
        "\"data_sha256\": \"" SHA "\"}";
    struct dg_manifest *m = NULL;
    struct t2_err err = T2_ERR_INIT;

    (void) state;
    assert_int_equal(load(text, strlen(text), "m", &m, &err), T2_OK);
    assert_true(m->is_foreign);
    assert_int_equal(m->n_edits, 2);
    assert_null(m->dataset_filename);
    dg_manifest_free(m);
    assert_int_equal(load(good, strlen(good), "m", &m, &err), T2_OK);
    assert_false(m->is_foreign);
    assert_int_equal(m->n_edits, 0);
    dg_manifest_free(m);
    check_bad("\"vocabularies\": {", "\"v\": {", "\"kind\" is not a kind of vocabulary");
}

static void check_labels(const char *by, bool is_good)
{
    static const char targets[] =
        "{\"kind\": \"bytes\", \"file\": null, \"size\": 258, \"sha256\": \"\"}";
    const char *at = strstr(good, targets);
    struct dg_manifest *m = NULL;
    struct t2_err err = T2_ERR_INIT;
    struct t2_buf text = {0};

    t2_buf_append(&text, good, (size_t) (at - good));
    t2_buf_puts(&text, by);
    t2_buf_puts(&text, at + strlen(targets));
    assert_int_equal(load(t2_buf_cstr(&text), text.len_bytes, "m", &m, &err),
                     is_good ? T2_OK : T2_EFORMAT);
    if (is_good) {
        assert_true(m->targets_vocab.is_label);
        assert_int_equal(m->targets_vocab.labels.n, 2);
        assert_string_equal(m->targets_vocab.labels.items[1], "pos");
    }
    dg_manifest_free(m);
    t2_buf_release(&text);
}

static void test_labels(void **state)
{
    (void) state;
    check_labels("{\"kind\": \"classes\", \"size\": 2, \"labels\": [\"neg\", \"pos\"]}", true);
    check_labels("{\"kind\": \"classes\", \"size\": 3, \"labels\": [\"neg\", \"pos\"]}", false);
}

static void test_model_needs_its_keys(void **state)
{
    static const char *const without[] = {"model", "id_offset"};
    struct dg_manifest *m = NULL;
    struct t2_err err = T2_ERR_INIT;
    char *model = t2_strdup(good), *at = strstr(model, "subwords");

    (void) state;
    memcpy(at, "model\",   ", 10); /* as long as before: subwords", */
    for (size_t i = 0; i < 2; i++) {
        char *text = t2_asprintf("%.*s%s%s", (int) (at - model + 8), model,
                                 i == 0 ? "" : "\"model\": \"tiktoken\", ", at + 8);

        assert_int_equal(load(text, strlen(text), "m", &m, &err), T2_EFORMAT);
        t_assert_contains(err.message, without[i]);
        t2_free(text);
    }
    t2_free(model);
}

T_MAIN(cmocka_unit_test(test_labels), cmocka_unit_test(test_model_needs_its_keys),
       cmocka_unit_test(test_good), cmocka_unit_test(test_bad), cmocka_unit_test(test_foreign),
       cmocka_unit_test(test_load))
