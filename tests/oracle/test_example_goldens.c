/*
 * Example parsing against recorded verdicts of TensorFlow: goldens/formats/example-cases.json and
 * the tables example-verdicts.*.json beside it.
 *
 * A case must come out as protobuf took it in at least one recorded version (they differ in a few).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/json.h"
#include "tests/support/t.h"
#include "tfrecord/example.h"

enum { MAX_TABLES = 8 };

struct tables {
    struct t2_json_doc *cases;
    struct t2_json_doc *verdicts[MAX_TABLES];
    size_t n;
};

static struct t2_json_doc *load(const char *path)
{
    struct t2_err err = T2_ERR_INIT;
    struct t2_json_doc *doc = NULL;

    if (t2_json_load(path, &doc, &err) != T2_OK)
        fail_msg("%s", err.message);
    return doc;
}

static void load_tables(struct tables *t)
{
    const char *dir = t_data_path("goldens/formats");
    struct t2_strs names = {0};
    struct t2_err err = T2_ERR_INIT;

    *t = (struct tables){0};
    if (!dir || !t_data_path("goldens/formats/example-cases.json"))
        t_skip("no goldens/formats/example-cases.json in T2_DATA");
    t->cases = load(t_data_path("goldens/formats/example-cases.json"));
    assert_int_equal(t2_list_dir(dir, &names, &err), T2_OK);
    for (size_t i = 0; i < names.n && t->n < MAX_TABLES; i++) {
        if (t2_starts_with(names.items[i], "example-verdicts.")) {
            char *path = t2_path_join(dir, names.items[i]);
            t->verdicts[t->n++] = load(path);
            t2_free(path);
        }
    }
    t2_strs_release(&names);
    assert_true(t->n > 0);
}

static void release_tables(struct tables *t)
{
    t2_json_free(t->cases);
    for (size_t i = 0; i < t->n; i++)
        t2_json_free(t->verdicts[i]);
}

/* Hexadecimal -> bytes whose end touches a forbidden page. */
static uint8_t *unhex(const char *hex, size_t *n)
{
    uint8_t *p;

    *n = strlen(hex) / 2;
    p = t_guarded_alloc(*n + (*n == 0));
    for (size_t i = 0; i < *n; i++) {
        char two[3] = {hex[2 * i], hex[2 * i + 1], '\0'};
        p[i] = (uint8_t) strtoul(two, NULL, 16);
    }
    return p;
}

/* One value as the tables write it: bytes and float bits in hexadecimal, numbers in decimal. quiet:
 * NaNs as Python's float, a double, leaves them. */
static void format_value(const struct tfr_view *v, size_t i, bool quiet, struct t2_buf *text)
{
    t2_buf_clear(text);
    if (v->kind == TFR_INT64) {
        int64_t *values = t2_alloc(v->n, sizeof *values);
        tfr_view_ints(v, values);
        t2_buf_printf(text, "%lld", (long long) values[i]);
        t2_free(values);
    } else if (v->kind == TFR_FLOAT) {
        float *values = t2_alloc(v->n, sizeof *values);
        uint32_t bits;
        tfr_view_floats(v, values);
        memcpy(&bits, values + i, 4);
        if (quiet && (bits & 0x7fffffff) > 0x7f800000)
            bits |= 0x400000;
        t2_buf_printf(text, "%08x", bits);
        t2_free(values);
    } else {
        struct t2_slice *values = t2_alloc(v->n, sizeof *values);
        tfr_view_bytes(v, values);
        for (size_t k = 0; k < values[i].len_bytes; k++)
            t2_buf_printf(text, "%02x", values[i].data[k]);
        t2_free(values);
    }
}

static enum tfr_kind kind_of(const struct t2_json_value *feature)
{
    const char *kind = t2_json_as_string(t2_json_get(feature, "kind"), "");

    if (strcmp(kind, "bytes_list") == 0)
        return TFR_BYTES;
    if (strcmp(kind, "float_list") == 0)
        return TFR_FLOAT;
    return strcmp(kind, "int64_list") == 0 ? TFR_INT64 : TFR_NONE;
}

static bool same_feature(const struct tfr_view *v, const struct t2_json_value *feature)
{
    const struct t2_json_value *values =
        t2_json_get(feature, v && v->kind == TFR_FLOAT ? "bits" : "values");
    struct t2_buf text = {0};
    bool same = v && v->kind == kind_of(feature) && v->n == t2_json_size(values);

    for (size_t i = 0; same && i < v->n; i++) {
        format_value(v, i, true, &text);
        same = strcmp(t2_buf_cstr(&text), t2_json_as_string(t2_json_item(values, i), "?")) == 0;
    }
    t2_buf_release(&text);
    return same;
}

/* Is this what the table says of the case?  verdict: {"ok": {name: feature}} or {"refused":
 * text}. */
static bool agrees(const struct t2_json_value *verdict, enum t2_status st,
                   const struct tfr_example *ex)
{
    const struct t2_json_value *ok = t2_json_get(verdict, "ok");

    if (t2_json_type(ok) != T2_JSON_OBJECT)
        return st == T2_EFORMAT;
    if (st != T2_OK || ex->n != t2_json_size(ok))
        return false;
    for (size_t i = 0; i < ex->n; i++) {
        const struct t2_json_value *feature = NULL;
        const char *name = t2_json_member(ok, i, &feature);
        if (!same_feature(tfr_example_find(ex, name), feature))
            return false;
    }
    return true;
}

static void test_verdicts(void **state)
{
    struct tables t;
    struct tfr_example ex = {0};
    size_t n_wrong = 0, n_judged = 0;
    (void) state;

    load_tables(&t);
    const struct t2_json_value *cases = t2_json_get(t2_json_root(t.cases), "examples");
    for (size_t i = 0; i < t2_json_size(cases); i++) {
        const struct t2_json_value *c = t2_json_item(cases, i);
        const char *name = t2_json_as_string(t2_json_get(c, "name"), "?");
        struct t2_err err = T2_ERR_INIT;
        struct t2_slice record;
        uint8_t *p = unhex(t2_json_as_string(t2_json_get(c, "hex"), ""), &record.len_bytes);
        bool judged = false, right = false;
        record.data = p;
        enum t2_status st = tfr_example_parse(&ex, record, &err);
        for (size_t k = 0; k < t.n; k++) {
            const struct t2_json_value *table =
                t2_json_get(t2_json_root(t.verdicts[k]), "examples");
            const struct t2_json_value *verdict = t2_json_get(t2_json_get(table, name), "proto");
            judged |= verdict != NULL;
            right |= verdict && agrees(verdict, st, &ex);
        }
        n_judged += judged;
        if (judged && !right) {
            print_error("case '%s': %s\n", name,
                        st == T2_OK ? "accepted, or other values" : err.message);
            n_wrong++;
        }
        t_guarded_free(p, record.len_bytes + (record.len_bytes == 0));
    }
    print_message("%zu cases\n", n_judged);
    tfr_example_release(&ex);
    release_tables(&t);
    assert_int_equal(n_wrong, 0);
    assert_true(n_judged > 0);
}

/* What TensorFlow's parse_example makes of a case that both its parsers take alike is what is in
 * our views too. */
static void test_parse_example_agrees(void **state)
{
    struct tables t;
    struct tfr_example ex = {0};
    size_t n_compared = 0;
    struct t2_buf text = {0};
    (void) state;

    load_tables(&t);
    const struct t2_json_value *cases = t2_json_get(t2_json_root(t.cases), "examples");
    for (size_t i = 0; i < t2_json_size(cases); i++) {
        const struct t2_json_value *c = t2_json_item(cases, i);
        const char *name = t2_json_as_string(t2_json_get(c, "name"), "?");
        const struct t2_json_value *table = t2_json_get(t2_json_root(t.verdicts[0]), "examples");
        const struct t2_json_value *ok =
            t2_json_get(t2_json_get(t2_json_get(table, name), "parse_varlen"), "ok");
        struct t2_err err = T2_ERR_INIT;
        struct t2_slice record;
        uint8_t *p = unhex(t2_json_as_string(t2_json_get(c, "hex"), ""), &record.len_bytes);
        record.data = p;
        if (tfr_example_parse(&ex, record, &err) == T2_OK) {
            for (size_t k = 0; k < t2_json_size(ok); k++) {
                const struct t2_json_value *values = NULL;
                const struct tfr_view *v = tfr_example_find(&ex, t2_json_member(ok, k, &values));
                /* joined lists and tags longer than needed are where the two parsers differ */
                if (!v || v->joined || t2_json_size(values) == 0)
                    continue;
                assert_int_equal(v->n, t2_json_size(values));
                for (size_t m = 0; m < v->n; m++) {
                    format_value(v, m, false, &text);
                    assert_string_equal(t2_buf_cstr(&text),
                                        t2_json_as_string(t2_json_item(values, m), "?"));
                    n_compared++;
                }
            }
        }
        t_guarded_free(p, record.len_bytes + (record.len_bytes == 0));
    }
    t2_buf_release(&text);
    tfr_example_release(&ex);
    release_tables(&t);
    assert_true(n_compared > 0);
}

T_MAIN(cmocka_unit_test(test_verdicts), cmocka_unit_test(test_parse_example_agrees))
