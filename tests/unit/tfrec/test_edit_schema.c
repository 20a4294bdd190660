/*
 * test_edit_schema.c - features of a manifest from records; vocabularies bound their ids.
 */
#include "base/json.h"
#include "tests/unit/tfrec/edit_set.h"

static struct rec_schema *schema;
static struct tfr_input_file file = {.path = NULL};
static const struct tfr_inputs in = {&file, 1, 0};

static void see(const struct tfr_feature *features, size_t n)
{
    struct t2_buf record = {0};
    struct tfr_example ex = {0};
    struct rec_values scratch = {0};
    const struct rec_at at = {schema->n_records, 0, schema->n_records};

    tfr_example_build(&record, features, n);
    ES_OK(tfr_example_parse(&ex, t2_buf_slice(&record), &es_err));
    ES_OK(rec_schema_see(schema, &ex, &scratch, at, &es_err));
    rec_values_release(&scratch);
    tfr_example_release(&ex);
    t2_buf_release(&record);
}

static void release(struct tfr_manifest_feature *f, size_t n)
{
    for (size_t i = 0; i < n; i++)
        tfr_manifest_release_feature(&f[i]);
    t2_free(f);
}

static void test_features(void **state)
{
    static const int64_t ints[] = {5, -2};
    const struct tfr_feature two = {.name = "b", .kind = TFR_INT64, .n = 2, .ints = ints};
    const struct tfr_feature one = {.name = "a", .kind = TFR_INT64, .n = 1, .ints = ints};
    const struct tfr_feature none = {.name = "none", .kind = TFR_NONE};
    struct tfr_manifest_feature old = {.name = t2_strdup("gone"), .kind = t2_strdup("float")};
    struct tfr_manifest_feature old2 = {.name = t2_strdup("b"), .kind = t2_strdup("none")};
    const struct tfr_manifest_feature known[] = {old, old2};
    struct tfr_manifest_feature *f = NULL;
    size_t n = 0;

    (void) state;
    schema = rec_schema_new();
    see((struct tfr_feature[]){two, one, none}, 3);
    see((struct tfr_feature[]){two}, 1);
    rec_schema_sort(schema);
    ES_OK(rec_features_of(schema, &in, known, 2, &f, &n, &es_err));
    assert_int_equal(n, 4); /* the known ones first, then by name */
    assert_string_equal(f[0].name, "gone");
    assert_string_equal(f[0].kind, "float");
    assert_int_equal(f[0].max_length + f[0].n_values, 0);
    assert_string_equal(f[1].name, "b");
    assert_string_equal(f[1].kind, "int64");
    assert_int_equal(f[1].min_length, 2);
    assert_int_equal(f[1].n_values, 4);
    assert_int_equal(f[1].min_value, -2);
    assert_int_equal(f[1].max_value, 5);
    assert_string_equal(f[2].name, "a");
    assert_int_equal(f[2].min_length, 0); /* not in every record */
    assert_int_equal(f[2].max_length, 1);
    assert_string_equal(f[3].kind, "none");
    release(f, n);
    tfr_manifest_release_feature(&old);
    tfr_manifest_release_feature(&old2);
    rec_schema_free(schema);
}

static void test_disagreement(void **state)
{
    static const int64_t i = 1;
    static const float x = 1;
    const struct tfr_feature a = {.name = "a", .kind = TFR_INT64, .n = 1, .ints = &i};
    const struct tfr_feature b = {.name = "a", .kind = TFR_FLOAT, .n = 1, .floats = &x};
    struct tfr_manifest_feature *f = NULL;
    struct t2_err err = T2_ERR_INIT;
    size_t n = 0;

    (void) state;
    file.path = t2_strdup("the_file");
    schema = rec_schema_new();
    see(&a, 1);
    see(&b, 1);
    rec_schema_sort(schema);
    assert_int_equal(rec_features_of(schema, &in, NULL, 0, &f, &n, &err), T2_EFORMAT);
    assert_null(f);
    t_assert_contains(err.message,
                      "'the_file': record 1: feature 'a' is float, in records before it is int64");
    rec_schema_free(schema);
    t2_free(file.path);
}

static void test_vocabulary(void **state)
{
    static const char text[] = "{\"format\": \"t2t.c data set\", \"format_version\": 1, "
                               "\"problem\": \"x\", \"splits\": {}, \"vocabularies\": "
                               "{\"inputs\": {\"size\": 6}}, \"features\": [{\"name\": \"inputs\", "
                               "\"kind\": \"int64\", \"min_length\": 1, \"max_length\": 9, "
                               "\"n_values\": 9, \"min_value\": 0, \"max_value\": 5}]}";
    struct rec_edit e = {0};
    struct rec_values scratch = {0};

    (void) state;
    ES_OK(tfr_manifest_parse(text, strlen(text), "m", &e.m, &es_err));
    for (int64_t id = -1; id <= 6; id++) {
        const int64_t ids[] = {0, id};
        const struct tfr_feature f = {.name = "inputs", .kind = TFR_INT64, .n = 2, .ints = ids};
        struct t2_buf record = {0};
        struct tfr_example ex = {0};
        struct t2_err err = T2_ERR_INIT;
        bool fits = id >= 0 && id < 6;
        tfr_example_build(&record, &f, 1);
        ES_OK(tfr_example_parse(&ex, t2_buf_slice(&record), &es_err));
        assert_int_equal(rec_edit_check_record(&e, &ex, &scratch, &err), fits ? T2_OK : T2_EFORMAT);
        if (!fits)
            t_assert_contains(err.message, "but the vocabulary of the data set has the ids 0 to 5");
        tfr_example_release(&ex);
        t2_buf_release(&record);
    }
    rec_values_release(&scratch);
    tfr_manifest_free(e.m);
}

T_MAIN(cmocka_unit_test(test_features), cmocka_unit_test(test_disagreement),
       cmocka_unit_test(test_vocabulary))
