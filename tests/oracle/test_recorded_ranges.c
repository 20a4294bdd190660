/*
 * tests/oracle/test_recorded_ranges.c - the registered ranges against those that Tensor2Tensor's
 * own registry has: names, kinds, values, scales.
 */
#include "base/json.h"
#include "base/text.h"
#include "tests/support/t.h"
#include "train/tune/hparam_range.h"

static struct t2_json_doc *read_recording(const char *path)
{
    struct t2_err err = T2_ERR_INIT;
    struct t2_json_doc *doc = NULL;
    struct t2_buf text = {0};
    struct t2_in *in = NULL;
    size_t n;

    assert_int_equal(t2_in_new(path, &in, &err), T2_OK);
    do {
        assert_int_equal(t2_in_read(in, t2_buf_reserve(&text, 1 << 16), 1 << 16, &n, &err), T2_OK);
        text.len_bytes += n;
    } while (n > 0);
    t2_in_free(in);
    if (t2_json_parse((const char *) text.data, text.len_bytes, path, &doc, &err) != T2_OK)
        fail_msg("%s", err.message);
    t2_buf_release(&text);
    return doc;
}

/* `item` is a number or a word of the recording. */
static void check_value(const char *ours, const struct t2_json_value *item)
{
    double value;

    if (t2_json_type(item) == T2_JSON_STRING) {
        assert_string_equal(ours, t2_json_as_string(item, NULL));
        return;
    }
    assert_true(t2_parse_double(ours, &value));
    assert_true(value == t2_json_as_double(item, -1e300));
}

/* [kind, name, values, scale] or [kind, name, min, max, scale]; a categorical has no scale. */
static void check_param(const struct tune_param *p, const struct t2_json_value *want)
{
    static const char *const kinds[] = {"float", "int", "discrete", "categorical"};
    const struct t2_json_value *values = t2_json_item(want, 2);
    size_t n = t2_json_size(want);

    assert_string_equal(kinds[p->kind], t2_json_as_string(t2_json_item(want, 0), NULL));
    assert_string_equal(p->name, t2_json_as_string(t2_json_item(want, 1), NULL));
    if (p->kind == TUNE_FLOAT || p->kind == TUNE_INT) {
        assert_true(p->min == t2_json_as_double(values, -1e300));
        assert_true(p->max == t2_json_as_double(t2_json_item(want, 3), -1e300));
    } else {
        assert_int_equal(p->values.n, t2_json_size(values));
        for (size_t i = 0; i < p->values.n; i++)
            check_value(p->values.items[i], t2_json_item(values, i));
    }
    if (p->kind != TUNE_CATEGORICAL)
        assert_int_equal(p->scale, t2_json_as_i64(t2_json_item(want, n - 1), 0));
}

static void test_registered(void **state)
{
    const char *path = t_data_path("reference-runs/registry/ranged_hparams.json.gz");
    struct t2_strs names = {0};
    struct t2_json_doc *doc;

    (void) state;
    if (!path)
        t_skip("no reference-runs/registry in T2_DATA");
    doc = read_recording(path);
    tune_list_ranges(&names);
    assert_int_equal(names.n, t2_json_size(t2_json_root(doc)));
    for (size_t i = 0; i < names.n; i++) {
        const struct t2_json_value *want = t2_json_get(t2_json_root(doc), names.items[i]);
        struct t2_err err = T2_ERR_INIT;
        struct tune_range *range;

        assert_int_equal(tune_range_open(names.items[i], &range, &err), T2_OK);
        assert_true(range->n > 0);
        assert_int_equal(range->n, t2_json_size(want));
        for (size_t k = 0; k < range->n; k++)
            check_param(&range->params[k], t2_json_item(want, k));
        tune_range_free(range);
    }
    t2_strs_release(&names);
    t2_json_free(doc);
}

T_MAIN(cmocka_unit_test(test_registered))
