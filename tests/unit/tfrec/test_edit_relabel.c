/*
 * test_edit_relabel.c - new values: parsed, put in, everything else the same.
 */
#include "tfrec/edit_relabel.h"

#include "tests/unit/tfrec/edit_set.h"

static const int64_t ints[] = {3, 1, 3};
static const float floats[] = {0.5f, -1};
static struct t2_slice texts[2];
static struct tfr_feature all[4];

static void make_record(struct t2_buf *out)
{
    texts[0] = t2_slice_of("cat");
    texts[1] = t2_slice_of("dog");
    all[0] = (struct tfr_feature){.name = "f", .kind = TFR_FLOAT, .n = 2, .floats = floats};
    all[1] = (struct tfr_feature){.name = "i", .kind = TFR_INT64, .n = 3, .ints = ints};
    all[2] = (struct tfr_feature){.name = "n", .kind = TFR_NONE};
    all[3] = (struct tfr_feature){.name = "t", .kind = TFR_BYTES, .n = 2, .bytes = texts};
    t2_buf_clear(out);
    tfr_example_build(out, all, 4);
}

/* The record after r; wanted: `all` with this feature replaced (number 4: added), NULL: nothing
 * changes. Releases r. */
static void check(struct rec_relabel *r, size_t number, const struct tfr_feature *wanted)
{
    struct t2_buf record = {0}, out = {0}, expected = {0};
    struct tfr_example ex = {0};
    struct tfr_feature features[5];
    enum rec_verdict verdict = REC_DROP;

    make_record(&record);
    ES_OK(tfr_example_parse(&ex, t2_buf_slice(&record), &es_err));
    ES_OK(rec_relabel_record(r, &ex, &out, &verdict, &es_err));
    assert_int_equal(verdict, wanted ? REC_CHANGE : REC_KEEP);
    if (wanted) {
        memcpy(features, all, sizeof all);
        features[number] = *wanted;
        tfr_example_build(&expected, features, number == 4 ? 5 : 4);
        assert_true(t2_slice_eq(t2_buf_slice(&out), t2_buf_slice(&expected)));
    } else {
        assert_int_equal(out.len_bytes, 0);
    }
    tfr_example_release(&ex);
    t2_buf_release(&record);
    t2_buf_release(&out);
    t2_buf_release(&expected);
    rec_relabel_release(r);
}

static void test_map(void **state)
{
    struct rec_relabel r = {0};
    const int64_t swapped[] = {1, 3, 1};
    struct t2_slice words[] = {t2_slice_of("cat"), t2_slice_of("")};

    (void) state;
    ES_OK(rec_relabel_parse_map(&r, "i", "int64", "3:1,1:3", &es_err)); /* all at once */
    check(&r, 1, &(struct tfr_feature){.name = "i", .kind = TFR_INT64, .n = 3, .ints = swapped});
    ES_OK(rec_relabel_parse_map(&r, "i", "int64", "7:8,3:3", &es_err));
    check(&r, 0, NULL);
    ES_OK(rec_relabel_parse_map(&r, "t", "bytes", "dog:", &es_err));
    check(&r, 3, &(struct tfr_feature){.name = "t", .kind = TFR_BYTES, .n = 2, .bytes = words});
    ES_OK(rec_relabel_parse_map(&r, "absent", "int64", "3:1", &es_err));
    check(&r, 0, NULL);
    ES_OK(rec_relabel_parse_map(&r, "n", "int64", "3:1", &es_err)); /* there, without a list */
    check(&r, 0, NULL);
}

static void test_set(void **state)
{
    struct rec_relabel r = {0};
    const int64_t one[] = {-7}, same[] = {3, 1, 3};
    const float two[] = {0.25f, 1e10f};
    struct t2_slice text = t2_slice_of("a,b=c");

    (void) state;
    ES_OK(rec_relabel_parse_set(&r, "i", "int64", "-7", &es_err));
    check(&r, 1, &(struct tfr_feature){.name = "i", .kind = TFR_INT64, .n = 1, .ints = one});
    ES_OK(rec_relabel_parse_set(&r, "i", "int64", "3,1,3", &es_err));
    assert_memory_equal(r.new_ints, same, sizeof same);
    check(&r, 0, NULL);
    ES_OK(rec_relabel_parse_set(&r, "i", "int64", "", &es_err)); /* an empty list */
    check(&r, 1, &(struct tfr_feature){.name = "i", .kind = TFR_INT64, .n = 0});
    ES_OK(rec_relabel_parse_set(&r, "f", "float", "0.25,1e10", &es_err));
    check(&r, 0, &(struct tfr_feature){.name = "f", .kind = TFR_FLOAT, .n = 2, .floats = two});
    ES_OK(rec_relabel_parse_set(&r, "t", "bytes", "a,b=c", &es_err));
    check(&r, 3, &(struct tfr_feature){.name = "t", .kind = TFR_BYTES, .n = 1, .bytes = &text});
    ES_OK(rec_relabel_parse_set(&r, "n", "int64", "-7", &es_err));
    check(&r, 2, &(struct tfr_feature){.name = "n", .kind = TFR_INT64, .n = 1, .ints = one});
    ES_OK(rec_relabel_parse_set(&r, "z", "int64", "-7", &es_err));
    check(&r, 4, &(struct tfr_feature){.name = "z", .kind = TFR_INT64, .n = 1, .ints = one});
}

static void refused_map(const char *kind, const char *text, const char *message)
{
    struct rec_relabel r = {0};
    struct t2_err err = T2_ERR_INIT;

    assert_int_equal(rec_relabel_parse_map(&r, "i", kind, text, &err), T2_EUSAGE);
    t_assert_contains(err.message, message);
    rec_relabel_release(&r);
}

static void refused_set(const char *kind, const char *text, const char *message)
{
    struct rec_relabel r = {0};
    struct t2_err err = T2_ERR_INIT;

    assert_int_equal(rec_relabel_parse_set(&r, "i", kind, text, &err), T2_EUSAGE);
    t_assert_contains(err.message, message);
    rec_relabel_release(&r);
}

static void test_refusals(void **state)
{
    struct rec_relabel r = {0};
    struct t2_buf record = {0}, out = {0};
    struct tfr_example ex = {0};
    enum rec_verdict verdict;
    struct t2_err err = T2_ERR_INIT;

    (void) state;
    refused_map("int64", "", "--map is empty");
    refused_map("int64", "3", "'3' in --map is not old:new");
    refused_map("int64", "1:2:3", "'1:2:3' in --map is not old:new");
    refused_map("int64", "a:2", "'a' is no value of feature 'i', which is int64");
    refused_map("int64", "2:9223372036854775808", "is no value of feature");
    refused_map("int64", "1:2,01:3", "--map says twice what '01' becomes");
    refused_map("bytes", "a:b,a:c", "--map says twice what 'a' becomes");
    refused_map("float", "1:2", "feature 'i' is float");
    refused_map("none", "1:2", "not known of which kind");
    refused_set("int64", "1,x", "'x' is no value of feature 'i'");
    refused_set("int64", "1.5", "'1.5' is no value");
    refused_set("float", "nan", "'nan' is no value");
    ES_OK(rec_relabel_parse_set(&r, "f", "int64", "1", &es_err)); /* a record of another kind */
    make_record(&record);
    ES_OK(tfr_example_parse(&ex, t2_buf_slice(&record), &es_err));
    assert_int_equal(rec_relabel_record(&r, &ex, &out, &verdict, &err), T2_EFORMAT);
    t_assert_contains(err.message, "feature 'f' is float, in the data set it is int64");
    rec_relabel_release(&r);
    tfr_example_release(&ex);
    t2_buf_release(&record);
    t2_buf_release(&out);
}

T_MAIN(cmocka_unit_test(test_map), cmocka_unit_test(test_set), cmocka_unit_test(test_refusals))
