/*
 * test_edit_records.c - only shards that change are written; counts, schema and indexes follow.
 */
#include "tfrec/edit_records.h"

#include <unistd.h>

#include "tests/unit/tfrec/edit_set.h"

/* What happens to record `number`. */
static enum rec_verdict verdicts[ES_TRAIN + ES_DEV];
static bool change_to_text;

static enum t2_status judge(const void *context, struct rec_where_scratch *scratch,
                            const struct tfr_example *ex, struct t2_slice record, uint64_t number,
                            struct t2_buf *out, enum rec_verdict *verdict, struct t2_err *err)
{
    int64_t v[3];

    (void) context;
    (void) scratch;
    (void) record;
    (void) err;
    *verdict = verdicts[number];
    if (*verdict == REC_CHANGE && change_to_text) {
        const struct t2_slice text = t2_slice_of("x");
        const struct tfr_feature f = {.name = "label", .kind = TFR_BYTES, .n = 1, .bytes = &text};
        tfr_example_build(out, &f, 1);
    } else if (*verdict == REC_CHANGE) {
        tfr_view_ints(tfr_example_find(ex, "inputs"), v);
        es_example(out, v[0], 77);
    }
    return T2_OK;
}

static struct rec_edit_counts counts;

static enum t2_status edit(const char *set, const char *split, int n_threads, struct t2_err *err)
{
    const struct rec_edit_rule rule = {judge, true, split, NULL};
    struct t2_pool *pool = t2_pool_new(n_threads);
    struct rec_edit *e = es_open(set, "tfrec test", NULL);
    enum t2_status st = rec_edit_records(e, &rule, pool, &counts, err);

    if (st == T2_OK && counts.n_shards > 0)
        st = rec_edit_commit(e, err);
    rec_edit_free(e);
    t2_pool_free(pool);
    return st;
}

static void begin(void)
{
    memset(verdicts, 0, sizeof verdicts);
    change_to_text = false;
}

static void test_only_touched_shards(void **state)
{
    const char *set = es_make("touched");
    struct stat first = es_stat(set, "x-train-00000-of-00003");
    struct stat dev = es_stat(set, "x-dev-00000-of-00001");

    (void) state;
    begin();
    verdicts[4] = REC_DROP;
    verdicts[7] = REC_CHANGE;
    ES_OK(edit(set, NULL, 1, &es_err));
    assert_int_equal(counts.n_dropped, 1);
    assert_int_equal(counts.n_changed, 1);
    assert_int_equal(counts.n_shards, 2);
    assert_string_equal(es_content(set), "0 1 2 | 3 5 | 6 7* 8 9 / 0 1 2 3 ");
    es_assert_same_file(es_stat(set, "x-train-00000-of-00003"), first);
    es_assert_same_file(es_stat(set, "x-dev-00000-of-00001"), dev);
}

static void test_schema_follows(void **state)
{
    const char *set = es_make("schema");
    struct tfr_manifest *m = NULL;

    (void) state;
    begin();
    verdicts[0] = verdicts[9] = verdicts[8] = verdicts[10] = REC_DROP;
    verdicts[13] = REC_CHANGE;
    ES_OK(edit(set, NULL, 2, &es_err));
    ES_OK(tfr_manifest_load(set, &m, &es_err));
    assert_int_equal(tfr_manifest_find_feature(m, "inputs")->min_value, 1);
    assert_int_equal(tfr_manifest_find_feature(m, "inputs")->max_value, 7);
    assert_int_equal(tfr_manifest_find_feature(m, "label")->max_value, 77);
    assert_int_equal(tfr_manifest_find_feature(m, "label")->n_values, 10);
    tfr_manifest_free(m);
}

static void test_all_records(void **state)
{
    const char *set = es_make("all");
    struct tfr_manifest *m = NULL;

    (void) state;
    begin();
    for (size_t i = 0; i < ES_TRAIN + ES_DEV; i++)
        verdicts[i] = REC_DROP;
    ES_OK(edit(set, NULL, 2, &es_err));
    assert_string_equal(es_content(set), "| | / ");
    ES_OK(tfr_manifest_load(set, &m, &es_err));
    assert_int_equal(m->n_features, 2); /* still known, without values */
    assert_string_equal(tfr_manifest_find_feature(m, "inputs")->kind, "int64");
    assert_int_equal(tfr_manifest_find_feature(m, "inputs")->n_values, 0);
    tfr_manifest_free(m);
}

static void test_one_split_and_threads(void **state)
{
    char hashes[2][65];

    (void) state;
    begin();
    for (size_t i = 0; i < ES_TRAIN + ES_DEV; i += 2)
        verdicts[i] = i % 4 ? REC_DROP : REC_CHANGE;
    for (int i = 0; i < 2; i++) {
        const char *set = es_make(i ? "split2" : "split1");
        struct tfr_manifest *m = NULL;
        ES_OK(edit(set, "dev", 1 + i, &es_err));
        assert_int_equal(counts.n_shards, 1);
        assert_string_equal(es_content(set), "0 1 2 | 3 4 5 | 6 7 8 9 / 1 2* 3 ");
        ES_OK(tfr_manifest_load(set, &m, &es_err));
        memcpy(hashes[i], m->sha256, 65);
        tfr_manifest_free(m);
    }
    assert_string_equal(hashes[0], hashes[1]);
}

static void test_nothing(void **state)
{
    const char *set = es_make("nothing");

    (void) state;
    begin();
    ES_OK(edit(set, NULL, 1, &es_err));
    assert_int_equal(counts.n_shards, 0);
    assert_string_equal(es_content(set), es_untouched);
}

static void test_indexes_go(void **state)
{
    const char *set = es_make("indexes");

    (void) state;
    begin();
    verdicts[0] = REC_DROP;
    t_write_file(t_tmp_path("indexes/x-train-00000-of-00003.idx"), "", 0);
    t_write_file(t_tmp_path("indexes/x-train-00000-of-00003.tfri"), "", 0);
    t_write_file(t_tmp_path("indexes/x-train-00001-of-00003.tfri"), "", 0);
    ES_OK(edit(set, NULL, 1, &es_err));
    assert_null(strstr(es_names(set), "x-train-00000-of-00003.idx"));
    assert_null(strstr(es_names(set), "x-train-00000-of-00003.tfri"));
    assert_non_null(strstr(es_names(set), "x-train-00001-of-00003.tfri"));
}

static void refused(const char *set, const char *message)
{
    struct t2_err err = T2_ERR_INIT;

    assert_int_equal(edit(set, NULL, 2, &err), T2_EFORMAT);
    t_assert_contains(err.message, message);
    assert_null(strstr(es_names(set), "edit"));
}

static void test_refusals(void **state)
{
    const char *set = es_make("refusals");
    char *text, *at;
    size_t n;

    (void) state;
    begin();
    change_to_text = true;
    verdicts[5] = REC_CHANGE;
    refused(set,
            "x-train-00001-of-00003': record 2 at offset 106: feature 'label' is bytes, in the "
            "data set it is int64");
    assert_string_equal(es_content(set), es_untouched);
    /* counts that are not those of the files */
    begin();
    text = t_read_file(set, &n);
    at = strstr(text, "\"records\": 3");
    at[11] = '4';
    at = strstr(text, "\"records\": 3");
    at[11] = '2';
    t_write_file(set, text, n);
    refused(set, "x-train-00000-of-00003' has 3 records, but its manifest says 4");
    free(text);
}

T_MAIN(cmocka_unit_test(test_only_touched_shards), cmocka_unit_test(test_schema_follows),
       cmocka_unit_test(test_all_records), cmocka_unit_test(test_one_split_and_threads),
       cmocka_unit_test(test_nothing), cmocka_unit_test(test_indexes_go),
       cmocka_unit_test(test_refusals))
