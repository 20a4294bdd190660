/*
 * T2T's and the official bucket tables and the batches that tf.data emitted for a known stream,
 * against ours.  T2_DATA/oracles/input-pipeline, *.json, made by make/t2t_batching_and_rates.py and
 * make/official_transformer.py there.
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/json.h"
#include "tests/support/t.h"
#include "train/input/order.h"
#include "train/input/scheme.h"

static struct t2_err err;

static struct t2_json_doc *load(const char *name)
{
    const char *path = t_data_path(name);
    struct t2_json_doc *doc = NULL;

    if (!path)
        t_skip("no %s in T2_DATA", name);
    if (t2_json_load(path, &doc, &err) != T2_OK)
        fail_msg("%s", err.message);
    return doc;
}

static int64_t int_of(const struct t2_json_value *object, const char *key)
{
    const struct t2_json_value *v = t2_json_get(object, key);

    assert_int_equal(t2_json_type(v), T2_JSON_INT);
    return t2_json_as_i64(v, 0);
}

static void same_ints(const struct t2_json_value *array, const int32_t *ours, size_t n)
{
    assert_int_equal(t2_json_size(array), n);
    for (size_t i = 0; i < n; i++)
        assert_int_equal(ours[i], t2_json_as_i64(t2_json_item(array, i), -1));
}

static enum t2_status scheme_of_call(const struct t2_json_value *call, struct in_scheme *s)
{
    return in_scheme_new(int_of(call, "batch_size"), int_of(call, "max_length"),
                         int_of(call, "min_length_bucket"),
                         t2_json_as_double(t2_json_get(call, "length_bucket_step"), 0),
                         t2_json_as_bool(t2_json_get(call, "drop_long_sequences"), false),
                         int_of(call, "shard_multiplier"), int_of(call, "length_multiplier"),
                         int_of(call, "min_length"), s, &err);
}

static void test_tables(void **state)
{
    struct t2_json_doc *doc = load("oracles/input-pipeline/t2t-batching-tables.json");
    const struct t2_json_value *tables = t2_json_get(t2_json_root(doc), "tables");

    (void) state;
    assert_true(t2_json_size(tables) > 0);
    for (size_t i = 0; i < t2_json_size(tables); i++) {
        const struct t2_json_value *table = t2_json_item(tables, i);
        const struct t2_json_value *result = t2_json_get(table, "result");
        const char *error = t2_json_as_string(t2_json_get(result, "error"), NULL);
        struct in_scheme s;

        if (error) {
            assert_int_equal(scheme_of_call(t2_json_get(table, "call"), &s), T2_EUSAGE);
            continue;
        }
        if (scheme_of_call(t2_json_get(table, "call"), &s) != T2_OK)
            fail_msg("table %zu: %s", i, err.message);
        same_ints(t2_json_get(result, "boundaries"), s.boundaries, (size_t) s.n_boundaries);
        same_ints(t2_json_get(result, "batch_sizes"), s.batch_sizes, (size_t) s.n_boundaries + 1);
        assert_int_equal(s.min_length, int_of(result, "min_length"));
        assert_int_equal(s.max_length, int_of(result, "max_length"));
        assert_int_equal(s.shuffle_queue_size, int_of(result, "shuffle_queue_size"));
        in_scheme_release(&s);
    }
    t2_json_free(doc);
}

/* The stream after T2T's filter. */
struct stream {
    uint32_t n;
    uint32_t *example; /* its number in the file */
    int32_t *inputs, *targets;
    uint16_t *bucket_of;
};

static struct stream read_stream(const struct t2_json_value *lengths, const struct in_scheme *s)
{
    size_t n = t2_json_size(lengths);
    struct stream x = {0, t2_alloc(n, sizeof *x.example), t2_alloc(n, sizeof *x.inputs),
                       t2_alloc(n, sizeof *x.targets), t2_alloc(n, sizeof *x.bucket_of)};

    assert_true(n > 0);
    for (size_t i = 0; i < n; i++) {
        const struct t2_json_value *pair = t2_json_item(lengths, i);
        int32_t a = (int32_t) t2_json_as_i64(t2_json_item(pair, 0), -1);
        int32_t b = (int32_t) t2_json_as_i64(t2_json_item(pair, 1), -1);
        int32_t longer = a > b ? a : b;

        if (longer < s->min_length || longer > s->max_length)
            continue;
        x.example[x.n] = (uint32_t) i;
        x.inputs[x.n] = a;
        x.targets[x.n] = b;
        x.bucket_of[x.n++] = (uint16_t) in_scheme_bucket(s, longer);
    }
    return x;
}

static void same_batch(const struct t2_json_value *batch, const struct stream *x,
                       const struct in_pass *p, uint64_t k)
{
    const struct t2_json_value *examples = t2_json_get(batch, "examples");
    uint64_t n = p->begins[k + 1] - p->begins[k];
    int32_t inputs = 0, targets = 0;

    assert_int_equal(t2_json_size(examples), n);
    for (uint64_t i = 0; i < n; i++) {
        uint32_t s = p->samples[p->begins[k] + i];

        assert_int_equal(x->example[s], t2_json_as_i64(t2_json_item(examples, i), -1));
        inputs = x->inputs[s] > inputs ? x->inputs[s] : inputs;
        targets = x->targets[s] > targets ? x->targets[s] : targets;
    }
    same_ints(t2_json_get(batch, "inputs_shape"), (int32_t[]){(int32_t) n, inputs}, 2);
    same_ints(t2_json_get(batch, "targets_shape"), (int32_t[]){(int32_t) n, targets}, 2);
}

/* min_length_bucket 8 and length_bucket_step 1.1 are what the generator calls with. */
static void check_case(const struct t2_json_value *c, const struct t2_json_value *lengths)
{
    const struct t2_json_value *batches = t2_json_get(c, "batches");
    struct in_scheme s;
    struct in_pass p;
    struct stream x;

    if (in_scheme_new(int_of(c, "batch_size"), int_of(c, "max_length"), 8, 1.1,
                      t2_json_as_bool(t2_json_get(c, "drop_long_sequences"), false),
                      int_of(c, "shard_multiplier"), 1, 0, &s, &err) != T2_OK)
        fail_msg("%s", err.message);
    same_ints(t2_json_get(c, "boundaries"), s.boundaries, (size_t) s.n_boundaries);
    same_ints(t2_json_get(c, "batch_sizes"), s.batch_sizes, (size_t) s.n_boundaries + 1);
    x = read_stream(lengths, &s);
    in_pass_init(&p, x.n, x.bucket_of, s.n_boundaries + 1, s.batch_sizes);
    assert_int_equal(p.n_batches, t2_json_size(batches));
    for (uint64_t k = 0; k < p.n_batches; k++)
        same_batch(t2_json_item(batches, k), &x, &p, k);
    in_pass_release(&p);
    in_scheme_release(&s);
    t2_free(x.example);
    t2_free(x.inputs);
    t2_free(x.targets);
    t2_free(x.bucket_of);
}

static void test_emitted_batches(void **state)
{
    struct t2_json_doc *doc = load("oracles/input-pipeline/t2t-batches.json");
    const struct t2_json_value *cases = t2_json_get(t2_json_root(doc), "cases");
    const struct t2_json_value *lengths = t2_json_get(t2_json_root(doc), "lengths");

    (void) state;
    assert_true(t2_json_size(cases) > 0);
    for (size_t i = 0; i < t2_json_size(cases); i++)
        check_case(t2_json_item(cases, i), lengths);
    t2_json_free(doc);
}

/* ---- official ---- */

static void same_sizes(const struct t2_json_value *table, int64_t max_length)
{
    const struct t2_json_value *below = t2_json_get(table, "below");
    const struct t2_json_value *all = t2_json_get(table, "batch_sizes"), *sizes = NULL;
    size_t n = t2_json_size(below);

    assert_true(t2_json_size(all) > 0);
    for (size_t i = 0; i < t2_json_size(all); i++) {
        int64_t batch_size = atoll(t2_json_member(all, i, &sizes));
        struct in_scheme s;

        if (in_scheme_official(batch_size, max_length, 1, false, &s, &err) != T2_OK)
            fail_msg("batch_size %lld, max_length %lld: %s", (long long) batch_size,
                     (long long) max_length, err.message);
        assert_int_equal(s.n_boundaries + 1, n);
        for (size_t b = 0; b + 1 < n; b++)
            assert_int_equal(s.boundaries[b], t2_json_as_i64(t2_json_item(below, b), -1));
        assert_int_equal(s.max_length + 1, t2_json_as_i64(t2_json_item(below, n - 1), -1));
        same_ints(sizes, s.batch_sizes, n);
        in_scheme_release(&s);
    }
}

static void test_official_tables(void **state)
{
    struct t2_json_doc *doc = load("oracles/input-pipeline/official-batching-tables.json");
    const struct t2_json_value *dynamic = t2_json_get(t2_json_root(doc), "dynamic");
    const struct t2_json_value *fixed = t2_json_get(t2_json_root(doc), "static");

    (void) state;
    assert_true(t2_json_size(dynamic) > 0 && t2_json_size(fixed) > 0);
    for (size_t i = 0; i < t2_json_size(dynamic); i++)
        same_sizes(t2_json_item(dynamic, i), int_of(t2_json_item(dynamic, i), "max_length"));
    for (size_t i = 0; i < t2_json_size(fixed); i++) {
        const struct t2_json_value *t = t2_json_item(fixed, i);
        int64_t batch_size = (int64_t) t2_json_as_double(t2_json_get(t, "batch_size"), 0);
        int64_t sentences = int_of(t, "sentences");
        struct in_scheme s;
        enum t2_status st = in_scheme_official(batch_size, int_of(t, "max_length"),
                                               int_of(t, "replicas"), true, &s, &err);

        assert_int_equal(st, sentences > 0 ? T2_OK : T2_EUSAGE);
        if (st != T2_OK)
            continue;
        assert_int_equal(s.n_boundaries, 0);
        assert_int_equal(s.batch_sizes[0], sentences);
        assert_int_equal(s.pad_to, int_of(t, "max_length"));
        in_scheme_release(&s);
    }
    t2_json_free(doc);
}

static void check_official_case(const struct t2_json_value *c, const struct t2_json_value *lengths)
{
    const struct t2_json_value *batches = t2_json_get(c, "batches");
    bool is_static = t2_json_as_bool(t2_json_get(c, "static_batch"), false);
    struct in_scheme s;
    struct in_pass p;
    struct stream x;

    if (in_scheme_official(int_of(c, "batch_size"), int_of(c, "max_length"), int_of(c, "replicas"),
                           is_static, &s, &err) != T2_OK)
        fail_msg("%s", err.message);
    x = read_stream(lengths, &s);
    in_pass_init(&p, x.n, x.bucket_of, s.n_boundaries + 1, s.batch_sizes);
    if (is_static) { /* the rest is dropped, rows are padded */
        if (p.begins[p.n_batches] - p.begins[p.n_batches - 1] < (uint64_t) s.batch_sizes[0])
            p.n_batches--;
        for (uint32_t i = 0; i < x.n; i++)
            x.inputs[i] = x.targets[i] = s.pad_to;
    }
    assert_int_equal(p.n_batches, t2_json_size(batches));
    for (uint64_t k = 0; k < p.n_batches; k++)
        same_batch(t2_json_item(batches, k), &x, &p, k);
    in_pass_release(&p);
    in_scheme_release(&s);
    t2_free(x.example);
    t2_free(x.inputs);
    t2_free(x.targets);
    t2_free(x.bucket_of);
}

static void test_official_batches(void **state)
{
    struct t2_json_doc *doc = load("oracles/input-pipeline/official-batches.json");
    const struct t2_json_value *cases = t2_json_get(t2_json_root(doc), "cases");

    (void) state;
    assert_true(t2_json_size(cases) > 0);
    for (size_t i = 0; i < t2_json_size(cases); i++)
        check_official_case(t2_json_item(cases, i), t2_json_get(t2_json_root(doc), "lengths"));
    t2_json_free(doc);
}

T_MAIN(cmocka_unit_test(test_tables), cmocka_unit_test(test_emitted_batches),
       cmocka_unit_test(test_official_tables), cmocka_unit_test(test_official_batches))
