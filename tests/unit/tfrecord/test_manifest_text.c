/*
 * test_manifest_text.c - a manifest is written as it was read but for what an edit changes.
 */
#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "base/json.h"
#include "tests/support/t.h"
#include "tfrecord/manifest.h"

#define SHA "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

static const char layout[] = "{\n"
                             " \"format\": \"t2t.c data set\",\n"
                             " \"format_version\": 1,\n"
                             " \"problem\": \"x\",\n"
                             "%s"
                             " \"features\": [\n"
                             "  {\n"
                             "   \"name\": \"a\",\n"
                             "   \"kind\": \"int64\",\n"
                             "   \"min_length\": 1,\n"
                             "   \"max_length\": 2,\n"
                             "   \"n_values\": 3,\n"
                             "   \"min_value\": -9223372036854775808,\n"
                             "   \"max_value\": 9223372036854775807\n"
                             "  }\n"
                             " ],\n"
                             " \"splits\": {\n"
                             "  \"train\": {\n"
                             "   \"records\": 2,\n"
                             "   \"shards\": [\n"
                             "    {\n"
                             "     \"file\": \"s\",\n"
                             "     \"records\": 2,\n"
                             "     \"bytes\": 30,\n"
                             "     \"sha256\": \"" SHA "\"\n"
                             "    }\n"
                             "   ]\n"
                             "  }\n"
                             " },\n"
                             "%s"
                             " \"data_sha256\": \"%s\"%s\n"
                             "}\n";

static const char own_before[] = " \"made_from\": {\n"
                                 "  \"z\": 1.0,\n"
                                 "  \"a\": [\n"
                                 "   null,\n"
                                 "   18014398509481985\n"
                                 "  ]\n"
                                 " },\n";
static const char vocab_after[] = " \"vocabularies\": {\n"
                                  "  \"targets\": {\n"
                                  "   \"file\": \"v\",\n"
                                  "   \"sha256\": \"" SHA "\"\n"
                                  "  }\n"
                                  " },\n";

static struct t2_err err;

static struct tfr_manifest *parse(const char *text)
{
    struct tfr_manifest *m = NULL;

    if (tfr_manifest_parse(text, strlen(text), "m", &m, &err) != T2_OK)
        fail_msg("%s", err.message);
    return m;
}

static char *text_of(const struct tfr_manifest *m, const struct tfr_manifest_edit *edit)
{
    struct t2_buf out = {0};

    if (tfr_manifest_text(m, "tfrec index", "0.2", edit, &out, &err) != T2_OK)
        fail_msg("%s", err.message);
    return t2_buf_detach(&out);
}

static void data_hash(const char *lines, char sha256[65])
{
    t2_sha256_of(lines, strlen(lines), sha256);
}

static void test_unknown_members_stay(void **state)
{
    char sha256[65], *text, *again;
    struct tfr_manifest *m;

    (void) state;
    data_hash(SHA "  s\n" SHA "  v\n", sha256);
    text = t2_asprintf(layout, own_before, vocab_after, sha256, ",\n \"later\": {}");
    m = parse(text);
    again = text_of(m, NULL);
    assert_string_equal(again, text);
    t2_free(again);
    t2_free(text);
    tfr_manifest_free(m);
}

static void test_new(void **state)
{
    struct tfr_manifest_shard shard = {.file = t2_strdup("s"), .n_records = 2, .bytes = 30};
    struct tfr_manifest_split split = {t2_strdup("train"), 2, &shard, 1};
    struct tfr_manifest_feature feature = {t2_strdup("a"), t2_strdup("int64"), 1, 2, 3,
                                           INT64_MIN,      INT64_MAX};
    struct tfr_manifest m = {.problem = t2_strdup("x"),
                             .splits = &split,
                             .n_splits = 1,
                             .features = &feature,
                             .n_features = 1};
    char sha256[65], *text, *wanted;

    (void) state;
    memcpy(shard.sha256, SHA, 65);
    data_hash(SHA "  s\n", sha256);
    wanted = t2_asprintf(layout, " \"version\": \"0.2\",\n \"command\": \"tfrec index\",\n", "",
                         sha256, "");
    text = text_of(&m, NULL);
    assert_string_equal(text, wanted);
    tfr_manifest_free(parse(text));
    t2_free(text);
    t2_free(wanted);
    t2_free(shard.file);
    t2_free(split.name);
    tfr_manifest_release_feature(&feature);
    t2_free(m.problem);
}

static void test_history(void **state)
{
    const struct tfr_manifest_edit edit = {"tfrec append", "0.3", SHA, 2, 7};
    char *text = t2_asprintf(layout, own_before, "", SHA, ""), *again;
    struct tfr_manifest *m = parse(text);
    const struct t2_json_value *history, *entry;

    (void) state;
    m->splits[0].shards[0].n_records = m->splits[0].n_records = 7;
    again = text_of(m, &edit);
    tfr_manifest_free(m);
    m = parse(again);
    t2_free(again);
    again = text_of(m, &edit); /* a second entry after the first */
    tfr_manifest_free(m);
    m = parse(again);
    history = t2_json_get(t2_json_root(m->doc), "history");
    assert_int_equal(t2_json_size(history), 2);
    entry = t2_json_item(history, 0);
    assert_string_equal(t2_json_as_string(t2_json_get(entry, "command"), ""), "tfrec append");
    assert_string_equal(t2_json_as_string(t2_json_get(entry, "version"), ""), "0.3");
    assert_int_equal(t2_json_as_i64(t2_json_get(entry, "records_before"), 0), 2);
    assert_int_equal(t2_json_as_i64(t2_json_get(entry, "records_after"), 0), 7);
    assert_string_equal(t2_json_as_string(t2_json_get(entry, "data_sha256_before"), ""), SHA);
    assert_string_equal(
        t2_json_as_string(t2_json_get(entry, "data_sha256_after"), ""),
        t2_json_as_string(t2_json_get(t2_json_item(history, 1), "data_sha256_before"), "?"));
    assert_string_equal(
        t2_json_as_string(t2_json_get(t2_json_item(history, 1), "data_sha256_after"), ""),
        t2_json_as_string(t2_json_get(t2_json_root(m->doc), "data_sha256"), "?"));
    assert_int_equal(m->splits[0].n_records, 7);
    t2_free(again);
    t2_free(text);
    tfr_manifest_free(m);
}

/* Deeper than the writer goes: a message, no abort. */
static void test_too_deep(void **state)
{
    struct t2_buf own = {0}, out = {0};
    struct tfr_manifest *m;
    char *text;

    (void) state;
    t2_buf_puts(&own, " \"deep\": ");
    for (int i = 0; i < 100; i++)
        t2_buf_push(&own, '[');
    for (int i = 0; i < 100; i++)
        t2_buf_push(&own, ']');
    t2_buf_puts(&own, ",\n");
    text = t2_asprintf(layout, t2_buf_cstr(&own), "", SHA, "");
    m = parse(text);
    assert_int_equal(tfr_manifest_text(m, NULL, NULL, NULL, &out, &err), T2_EFORMAT);
    t_assert_contains(err.message, "'m': JSON is nested more than 64 levels deep");
    t2_buf_release(&own);
    t2_buf_release(&out);
    t2_free(text);
    tfr_manifest_free(m);
}

T_MAIN(cmocka_unit_test(test_unknown_members_stay), cmocka_unit_test(test_new),
       cmocka_unit_test(test_history), cmocka_unit_test(test_too_deep))
