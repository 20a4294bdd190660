/*
 * test_mix_stream.c - the exact order of a mixture.
 */
#include "datagen/source/mix_stream.h"

#include "tests/unit/datagen/source/sample_list.h"

/* Sources by number: a has 4 samples, b 2, c none. */
static enum t2_status open_list(const void *context, const struct dg_options *options, size_t i,
                                struct dg_stream **stream, struct t2_err *err)
{
    static const char *const a[] = {"a", "1", "a", "2", "a", "3", "a", "4", NULL};
    static const char *const b[] = {"b", "1", "b", "2", NULL};
    static const char *const c[] = {NULL};
    static const char *const *const lists[] = {a, b, c};

    (void) context;
    (void) options;
    (void) err;
    *stream = sample_list_new(lists[i]);
    return T2_OK;
}

static void check(uint32_t weight_a, uint32_t weight_b, const char *expected)
{
    const uint32_t weights[] = {weight_a, weight_b};
    struct dg_stream *s = NULL;
    struct t2_err err = T2_ERR_INIT;
    struct t2_buf text = {0};

    assert_int_equal(dg_mix_stream_new(open_list, NULL, NULL, weights, 2, &s, &err), T2_OK);
    assert_int_equal(read_stream(s, &text, &err), T2_OK);
    assert_string_equal(t2_buf_cstr(&text), expected);
    t2_buf_release(&text);
}

static void test_order(void **state)
{
    (void) state;
    check(1, 1, "a>1 b>1 a>2 b>2 a>3 b>1 a>4 b>2");
    check(3, 1, "a>1 a>2 a>3 b>1 a>4 a>1 a>2 b>2 a>3 a>4 a>1");
    check(1, 3, "b>1 b>2 a>1 b>1 b>2 b>1 a>2 b>2 b>1 b>2 a>3 b>1 b>2 b>1 a>4 b>2 b>1 b>2");
    check(1000000, 500000, "a>1 a>2 b>1 a>3 a>4 b>2 a>1 a>2");
}

static void test_files_and_plan(void **state)
{
    static const uint32_t weights[] = {1, 4};
    struct dg_stream *s = NULL;
    struct dg_sample sample = {0};
    struct t2_err err = T2_ERR_INIT;
    struct dg_input_sizes sizes = {0};

    (void) state;
    assert_int_equal(dg_mix_stream_new(open_list, NULL, NULL, weights, 2, &s, &err), T2_OK);
    assert_int_equal(s->describe(s, &sizes, &err), T2_OK);
    assert_string_equal(t2_buf_cstr(&sizes.text),
                        "    weight 1:\n    a list\n    weight 4:\n    a list\n");
    dg_input_sizes_release(&sizes);
    s->hash_on = true;
    while (s->next(s, &sample, &err) == T2_OK)
        continue;
    assert_int_equal(s->files.n, 2); /* each source once, however often it began again */
    assert_int_equal(s->files.items[0].lines, 4);
    assert_int_equal(s->files.items[1].lines, 2);
    dg_stream_free(s);
}

static void test_source_without_samples(void **state)
{
    static const uint32_t weights[] = {1, 1, 1};
    struct dg_stream *s = NULL;
    struct t2_err err = T2_ERR_INIT;
    struct t2_buf text = {0};

    (void) state;
    assert_int_equal(dg_mix_stream_new(open_list, NULL, NULL, weights, 3, &s, &err), T2_OK);
    assert_int_equal(read_stream(s, &text, &err), T2_EFORMAT);
    t_assert_contains(err.message, "source 3 of the mixture has no samples");
    t2_buf_release(&text);
}

T_MAIN(cmocka_unit_test(test_order), cmocka_unit_test(test_files_and_plan),
       cmocka_unit_test(test_source_without_samples))
