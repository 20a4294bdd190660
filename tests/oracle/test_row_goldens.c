/*
 * Rows in the proto shape against protobuf's recorded values: goldens/formats/example-cases.json
 * and example-verdicts.*.json, of Examples and SequenceExamples.  (bench/check_rows.py compares
 * with MessageToJson itself where protobuf is installed.)
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "tests/support/t.h"
#include "tfrec/row_json.h"
#include "tfrec/rows.h"

static struct rec_row row;

static struct t2_json_doc *load(const char *name)
{
    struct t2_err err = T2_ERR_INIT;
    struct t2_json_doc *doc = NULL;
    const char *path = t_data_path(name);

    if (!path)
        t_skip("no %s in T2_DATA", name);
    if (t2_json_load(path, &doc, &err) != T2_OK)
        fail_msg("%s", err.message);
    return doc;
}

static void unhex(const char *hex, struct t2_buf *out)
{
    t2_buf_clear(out);
    for (size_t i = 0; hex[i] != '\0'; i += 2) {
        char two[3] = {hex[i], hex[i + 1], '\0'};
        t2_buf_push(out, (uint8_t) strtoul(two, NULL, 16));
    }
}

/* A value of a row as the verdicts write it: bytes and float bits in hexadecimal. */
static bool same_value(const char *list, const struct t2_json_value *ours, const char *recorded)
{
    const char *text = t2_json_as_string(ours, "");
    struct t2_buf bytes = {0}, expected = {0};
    bool same;

    if (strcmp(list, "int64List") == 0)
        return strcmp(text, recorded) == 0;
    if (strcmp(list, "floatList") == 0) {
        uint32_t bits = (uint32_t) strtoul(recorded, NULL, 16);
        float wanted, v = (float) t2_json_as_double(ours, 0);
        memcpy(&wanted, &bits, 4);
        if (!isfinite(wanted))
            return strcmp(text, isnan(wanted) ? "NaN" : wanted > 0 ? "Infinity" : "-Infinity") == 0;
        return memcmp(&v, &wanted, 4) == 0;
    }
    unhex(recorded, &expected);
    same = t2_base64_decode(t2_slice_of(text), &bytes) &&
           t2_slice_eq(t2_buf_slice(&bytes), t2_buf_slice(&expected));
    t2_buf_release(&bytes);
    t2_buf_release(&expected);
    return same;
}

static bool same_feature(const struct t2_json_value *ours, const struct t2_json_value *recorded)
{
    const char *kind = t2_json_as_string(t2_json_get(recorded, "kind"), NULL);
    const char *list = !kind                             ? NULL
                       : strcmp(kind, "int64_list") == 0 ? "int64List"
                       : strcmp(kind, "float_list") == 0 ? "floatList"
                                                         : "bytesList";
    const struct t2_json_value *wanted, *values;

    if (!list)
        return ours && t2_json_size(ours) == 0;
    wanted = t2_json_get(recorded, strcmp(list, "floatList") == 0 ? "bits" : "values");
    values = t2_json_get(t2_json_get(ours, list), "value");
    if (!t2_json_get(ours, list) || t2_json_size(values) != t2_json_size(wanted))
        return false;
    for (size_t i = 0; i < t2_json_size(wanted); i++) {
        if (!same_value(list, t2_json_item(values, i),
                        t2_json_as_string(t2_json_item(wanted, i), "?")))
            return false;
    }
    return true;
}

static bool same_features(const struct t2_json_value *ours, const struct t2_json_value *recorded)
{
    if (t2_json_size(ours) != t2_json_size(recorded))
        return false;
    for (size_t i = 0; i < t2_json_size(recorded); i++) {
        const struct t2_json_value *feature;
        const char *name = t2_json_member(recorded, i, &feature);
        if (!same_feature(t2_json_get(ours, name), feature))
            return false;
    }
    return true;
}

static bool same_lists(const struct t2_json_value *ours, const struct t2_json_value *recorded)
{
    if (t2_json_size(ours) != t2_json_size(recorded))
        return false;
    for (size_t i = 0; i < t2_json_size(recorded); i++) {
        const struct t2_json_value *steps;
        const char *name = t2_json_member(recorded, i, &steps);
        const struct t2_json_value *list = t2_json_get(t2_json_get(ours, name), "feature");
        if (!t2_json_get(ours, name) || t2_json_size(list) != t2_json_size(steps))
            return false;
        for (size_t k = 0; k < t2_json_size(steps); k++) {
            if (!same_feature(t2_json_item(list, k), t2_json_item(steps, k)))
                return false;
        }
    }
    return true;
}

/* Is the row what the verdict says?  json NULL: the record was refused. */
static bool agrees(const struct t2_json_value *json, const struct t2_json_value *verdict,
                   bool sequence)
{
    const struct t2_json_value *ok = t2_json_get(verdict, "ok");
    const struct t2_json_value *map;

    if (!ok)
        return !json;
    if (!json)
        return false;
    if (!sequence)
        return same_features(t2_json_get(t2_json_get(json, "features"), "feature"), ok);
    /* Without feature lists it is shown as the Example that it may be as well. */
    map = t2_json_get(json, t2_json_get(json, "features") ? "features" : "context");
    return same_features(t2_json_get(map, "feature"), t2_json_get(ok, "context")) &&
           same_lists(t2_json_get(t2_json_get(json, "featureLists"), "featureList"),
                      t2_json_get(ok, "feature_lists"));
}

static size_t check_cases(const char *group, bool sequence)
{
    const struct rec_row_options o = {.shape = REC_PROTO};
    struct t2_json_doc *cases = load("goldens/formats/example-cases.json");
    struct t2_json_doc *tables[] = {load("goldens/formats/example-verdicts.tf1.json"),
                                    load("goldens/formats/example-verdicts.tf2.json")};
    const struct t2_json_value *list = t2_json_get(t2_json_root(cases), group);
    struct t2_buf record = {0}, line = {0};
    size_t n = t2_json_size(list);

    for (size_t k = 0; k < 2; k++)
        assert_int_equal(t2_json_size(t2_json_get(t2_json_root(tables[k]), group)), n);
    for (size_t i = 0; i < n; i++) {
        const struct t2_json_value *c = t2_json_item(list, i);
        const char *name = t2_json_as_string(t2_json_get(c, "name"), "");
        struct t2_json_doc *doc = NULL;
        struct t2_err err = T2_ERR_INIT;
        bool agreed = false;
        unhex(t2_json_as_string(t2_json_get(c, "hex"), ""), &record);
        t2_buf_clear(&line);
        if (rec_row_print(&o, &row, 0, t2_buf_slice(&record), &line, &err) == T2_OK &&
            t2_json_parse(t2_buf_cstr(&line), line.len_bytes, name, &doc, &err) != T2_OK)
            fail_msg("%s: not JSON: %s", name, err.message);
        for (size_t k = 0; k < 2; k++) {
            const struct t2_json_value *v =
                t2_json_get(t2_json_get(t2_json_root(tables[k]), group), name);
            agreed |= agrees(doc ? t2_json_root(doc) : NULL, t2_json_get(v, "proto"), sequence);
        }
        if (!agreed && !(sequence && strcmp(name, "truncated") == 0))
            fail_msg("%s: %s", name, t2_buf_cstr(&line));
        t2_json_free(doc);
    }
    t2_buf_release(&record);
    t2_buf_release(&line);
    t2_json_free(cases);
    t2_json_free(tables[0]);
    t2_json_free(tables[1]);
    return n;
}

static void test_examples(void **state)
{
    (void) state;
    assert_true(check_cases("examples", false) > 0);
}

static void test_sequences(void **state)
{
    (void) state;
    assert_true(check_cases("sequence_examples", true) > 0);
    rec_row_release(&row);
}

T_MAIN(cmocka_unit_test(test_examples), cmocka_unit_test(test_sequences))
