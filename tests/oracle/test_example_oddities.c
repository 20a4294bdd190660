/*
 * What tfrec verify warns of, against both parsers of TensorFlow:
 * goldens/formats/example-cases.json and the recorded verdicts.  A warning when and only when
 * parse_example refused, or gave other values than protobuf, in at least one version.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/json.h"
#include "tests/support/t.h"
#include "tfrecord/example.h"
#include "tfrecord/example_check.h"

/* Refused or different for another reason: the feature has another kind than was asked for. */
static const char *const other_reasons[] = {"duplicate_key_kinds_rev", "kind_mismatch"};
/* Different values, not refusals. */
static const char *const other_values[] = {"oneof_twice_same", "tag_overlong"};

static bool is_among(const char *name, const char *const *names, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (strcmp(name, names[i]) == 0)
            return true;
    }
    return false;
}

static struct t2_json_doc *load(const char *name)
{
    char path[256];
    struct t2_err err = T2_ERR_INIT;
    struct t2_json_doc *doc = NULL;

    snprintf(path, sizeof path, "goldens/formats/%s", name);
    if (!t_data_path(path))
        t_skip("no %s in T2_DATA", path);
    assert_int_equal(t2_json_load(t_data_path(path), &doc, &err), T2_OK);
    return doc;
}

static size_t from_hex(const char *hex, uint8_t *out)
{
    size_t n = strlen(hex) / 2;

    for (size_t i = 0; i < n; i++) {
        char two[3] = {hex[2 * i], hex[2 * i + 1], '\0'};
        out[i] = (uint8_t) strtoul(two, NULL, 16);
    }
    return n;
}

static bool refused(const struct t2_json_doc *verdicts, const char *name)
{
    const struct t2_json_value *v =
        t2_json_get(t2_json_get(t2_json_root(verdicts), "examples"), name);

    return t2_json_get(t2_json_get(v, "parse_varlen"), "refused") != NULL;
}

static bool is_read(const struct t2_json_doc *verdicts, const char *name)
{
    const struct t2_json_value *v =
        t2_json_get(t2_json_get(t2_json_root(verdicts), "examples"), name);

    return t2_json_get(t2_json_get(v, "proto"), "ok") != NULL;
}

static void test_verdicts(void **state)
{
    struct t2_json_doc *cases = load("example-cases.json");
    struct t2_json_doc *v1 = load("example-verdicts.tf1.json");
    struct t2_json_doc *v2 = load("example-verdicts.tf2.json");
    const struct t2_json_value *list = t2_json_get(t2_json_root(cases), "examples");
    size_t n_warned = 0, n_judged = 0;
    (void) state;

    assert_int_equal(t2_json_size(list), t2_json_size(t2_json_get(t2_json_root(v1), "examples")));
    assert_int_equal(t2_json_size(list), t2_json_size(t2_json_get(t2_json_root(v2), "examples")));

    for (size_t i = 0; i < t2_json_size(list); i++) {
        const char *name = t2_json_as_string(t2_json_get(t2_json_item(list, i), "name"), "?");
        const char *hex = t2_json_as_string(t2_json_get(t2_json_item(list, i), "hex"), "");
        uint8_t *data = malloc(strlen(hex) / 2 + 1);
        struct t2_slice record = {data, from_hex(hex, data)};
        struct tfr_example ex = {0};
        struct tfr_oddity odd[8];
        struct t2_err err = T2_ERR_INIT;
        if (tfr_example_parse(&ex, record, &err) == T2_OK && !is_among(name, other_reasons, 2)) {
            size_t n = tfr_example_oddities(record, odd, 8);
            bool differs =
                refused(v1, name) || refused(v2, name) || is_among(name, other_values, 2);
            if ((n > 0) != differs)
                fail_msg("%s: %zu warnings%s%s", name, n, n > 0 ? ": " : "",
                         n > 0 ? odd[0].words : "");
            n_warned += n > 0;
            n_judged++;
        } else {
            /* what protobuf reads, so do we */
            assert_true(is_among(name, other_reasons, 2) || !is_read(v1, name) ||
                        !is_read(v2, name));
        }
        tfr_example_release(&ex);
        free(data);
    }
    assert_true(n_warned > 0 && n_judged > n_warned); /* both were seen */
    t2_json_free(cases);
    t2_json_free(v1);
    t2_json_free(v2);
}

T_MAIN(cmocka_unit_test(test_verdicts))
