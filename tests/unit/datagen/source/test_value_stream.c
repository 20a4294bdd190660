/*
 * test_value_stream.c - texts become numbers and sets of labels.
 */
#include "datagen/source/value_stream.h"

#include "tests/unit/datagen/source/sample_list.h"

static const struct dg_value_rule two_to_one = {.n_numbers = {2, 1}};

static void refused(const char *const *texts, const struct dg_value_rule *rule, const char *part)
{
    struct t2_err err = T2_ERR_INIT;
    struct t2_buf text = {0};

    assert_int_equal(read_stream(dg_value_stream_new(sample_list_new(texts), rule), &text, &err),
                     T2_EFORMAT);
    t_assert_contains(err.message, part);
    t2_buf_release(&text);
}

static void test_numbers(void **state)
{
    static const char *const texts[] = {"1.5\t-2e3", "7", " .5, 3 ;", "+4", NULL};
    static const float inputs[][2] = {{1.5F, -2000.0F}, {0.5F, 3.0F}};
    static const float targets[] = {7.0F, 4.0F};
    struct dg_stream *s = dg_value_stream_new(sample_list_new(texts), &two_to_one);
    struct t2_err err = T2_ERR_INIT;

    (void) state;
    for (int i = 0; i < 2; i++) {
        struct dg_sample sample = {0};

        assert_int_equal(s->next(s, &sample, &err), T2_OK);
        assert_int_equal(sample.n_reals[DG_INPUTS], 2);
        assert_memory_equal(sample.reals[DG_INPUTS], inputs[i], sizeof inputs[i]);
        assert_int_equal(sample.n_reals[DG_TARGETS], 1);
        assert_true(*sample.reals[DG_TARGETS] == targets[i]);
        assert_int_equal(sample.inputs.len_bytes + sample.targets.len_bytes, 0);
    }
    dg_stream_free(s);
}

static void test_bad_numbers(void **state)
{
    static const char *const word[] = {"1 2", "3", "1 x", "3", NULL};
    static const char *const few[] = {"1", "3", NULL}, *const many[] = {"1 2", "3 4", NULL};
    static const char *const not_finite[] = {"1 nan", "3", NULL}, *const large[] = {"1 1e99", "3",
                                                                                    NULL};

    (void) state;
    refused(word, &two_to_one, "'list': line 2: 'x' is not a finite number");
    refused(few, &two_to_one, "line 1: 1 number in the inputs, other samples have 2");
    refused(many, &two_to_one, "line 1: 2 numbers in the targets, other samples have 1");
    refused(not_finite, &two_to_one, "'nan' is not a finite number");
    refused(large, &two_to_one, "'1e99' is not a finite number");
}

/* Ascending, each once; none at all; the other side stays a text. */
static void test_sets(void **state)
{
    static const char *const texts[] = {"one", "c|a|c", "two", "", "three", " b \t", NULL};
    static const char *const other[] = {"one", "a|d", NULL};
    struct t2_strs labels = {0};
    const struct dg_value_rule rule = {.labels = &labels};
    struct t2_err err = T2_ERR_INIT;
    struct t2_buf text = {0};

    (void) state;
    t2_strs_split(&labels, "a,b,c", ',');
    assert_int_equal(read_stream(dg_value_stream_new(sample_list_new(texts), &rule), &text, &err),
                     T2_OK);
    assert_string_equal(t2_buf_cstr(&text), "one>[0][2] two> three>[1]");
    refused(other, &rule, "line 1: 'd' is not one of the labels");
    t2_buf_release(&text);
    t2_strs_release(&labels);
}

static void test_counts(void **state)
{
    static const char *const texts[] = {"1 2 3", "x", NULL}, *const none[] = {NULL},
                             *const empty[] = {"", "1", NULL};
    static const bool inputs[] = {true, false}, both[] = {true, true};
    struct dg_stream *s = sample_list_new(texts);
    struct t2_err err = T2_ERR_INIT;
    size_t n[DG_N_SIDES];

    (void) state;
    assert_int_equal(dg_count_values(s, inputs, n, &err), T2_OK);
    assert_int_equal(n[DG_INPUTS], 3);
    assert_int_equal(n[DG_TARGETS], 0);
    dg_stream_free(s);
    s = sample_list_new(none);
    assert_int_equal(dg_count_values(s, both, n, &err), T2_EFORMAT);
    t_assert_contains(err.message, "no sample");
    dg_stream_free(s);
    s = sample_list_new(empty);
    assert_int_equal(dg_count_values(s, both, n, &err), T2_EFORMAT);
    t_assert_contains(err.message, "line 1: the inputs have no number");
    dg_stream_free(s);
}

static void test_labels_found(void **state)
{
    static const char *const texts[] = {"1", "b|a", "2", "", "3", "c|a", NULL}, *const none[] = {
                                                                                    "1", "|", NULL};
    struct dg_stream *s = sample_list_new(texts);
    struct t2_strs labels = {0};
    struct t2_err err = T2_ERR_INIT;

    (void) state;
    assert_int_equal(dg_find_labels(s, &labels, &err), T2_OK);
    assert_int_equal(labels.n, 3);
    assert_string_equal(labels.items[0], "a");
    assert_string_equal(labels.items[2], "c");
    dg_stream_free(s);
    t2_strs_release(&labels);
    s = sample_list_new(none);
    assert_int_equal(dg_find_labels(s, &labels, &err), T2_EFORMAT);
    t_assert_contains(err.message, "no sample of --train has a label");
    dg_stream_free(s);
    t2_strs_release(&labels);
}

T_MAIN(cmocka_unit_test(test_numbers), cmocka_unit_test(test_bad_numbers),
       cmocka_unit_test(test_sets), cmocka_unit_test(test_counts),
       cmocka_unit_test(test_labels_found))
