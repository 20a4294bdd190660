/*
 * Tests of train/input/record.c: sides, truncation, prepended inputs, ids outside the vocabulary.
 */
#include "train/input/record.h"

#include <math.h>

#include "tests/support/t.h"

static struct t2_err err;
static const struct in_recipe plain = {.inputs_feature = "inputs",
                                       .targets_feature = "targets",
                                       .inputs_vocab = 10,
                                       .targets_vocab = 20};

static void build(struct t2_buf *b, const int64_t *inputs, size_t n_inputs, const int64_t *targets,
                  size_t n_targets)
{
    const struct tfr_feature features[] = {
        {.name = "inputs", .kind = TFR_INT64, .n = n_inputs, .ints = inputs},
        {.name = "targets", .kind = TFR_INT64, .n = n_targets, .ints = targets}};

    t2_buf_clear(b);
    tfr_example_build(b, features, 2);
}

static void same(const int32_t *ids, int32_t n, const int32_t *expected, int32_t n_expected)
{
    assert_int_equal(n, n_expected);
    for (int32_t i = 0; i < n; i++)
        assert_int_equal(ids[i], expected[i]);
}

static void test_context_follows_the_inputs(void **state)
{
    const int64_t inputs[] = {3, 1}, context[] = {4, 5, 1}, targets[] = {7};
    const struct tfr_feature features[] = {
        {.name = "context", .kind = TFR_INT64, .n = 3, .ints = context},
        {.name = "inputs", .kind = TFR_INT64, .n = 2, .ints = inputs},
        {.name = "targets", .kind = TFR_INT64, .n = 1, .ints = targets}};
    struct in_recipe r = plain;
    struct in_sample s = {0};
    struct t2_buf b = {0};

    (void) state;
    tfr_example_build(&b, features, 3);
    r.context_separator = 2;
    assert_int_equal(in_sample_parse(&s, &r, t2_buf_slice(&b), &err), T2_OK);
    same(s.inputs, s.inputs_length, (const int32_t[]){3, 1, 2, 4, 5, 1}, 6);
    t2_buf_clear(&b);
    tfr_example_build(&b, features + 1, 2);
    assert_int_equal(in_sample_parse(&s, &r, t2_buf_slice(&b), &err), T2_EFORMAT);
    t_assert_contains(err.message, "no feature 'context'");
    in_sample_release(&s);
    t2_buf_release(&b);
}

static void test_sides_and_limits(void **state)
{
    const int64_t inputs[] = {3, 4, 5, 1}, targets[] = {7, 9, 1};
    struct in_recipe r = plain;
    struct in_sample s = {0};
    struct t2_buf b = {0};

    (void) state;
    build(&b, inputs, 4, targets, 3);
    assert_int_equal(in_sample_parse(&s, &r, t2_buf_slice(&b), &err), T2_OK);
    same(s.inputs, s.inputs_length, (const int32_t[]){3, 4, 5, 1}, 4);
    same(s.targets, s.targets_length, (const int32_t[]){7, 9, 1}, 3);

    r.max_inputs = 2;
    r.max_targets = 1;
    assert_int_equal(in_sample_parse(&s, &r, t2_buf_slice(&b), &err), T2_OK);
    same(s.inputs, s.inputs_length, (const int32_t[]){3, 4}, 2);
    same(s.targets, s.targets_length, (const int32_t[]){7}, 1);

    r.prepend = true; /* inputs are cut first, the joined sequence then */
    r.max_targets = 0;
    assert_int_equal(in_sample_parse(&s, &r, t2_buf_slice(&b), &err), T2_OK);
    same(s.inputs, s.inputs_length, (const int32_t[]){3, 4}, 2);
    same(s.targets, s.targets_length, (const int32_t[]){3, 4, 0, 7, 9, 1}, 6);
    r.max_targets = 4;
    assert_int_equal(in_sample_parse(&s, &r, t2_buf_slice(&b), &err), T2_OK);
    same(s.targets, s.targets_length, (const int32_t[]){3, 4, 0, 7}, 4);

    r = plain;
    r.inputs_feature = NULL;
    assert_int_equal(in_sample_parse(&s, &r, t2_buf_slice(&b), &err), T2_OK);
    assert_int_equal(s.inputs_length, 0);
    assert_int_equal(s.targets_length, 3);
    in_sample_release(&s);
    t2_buf_release(&b);
}

static void refused(const int64_t *inputs, size_t n_inputs, const int64_t *targets,
                    size_t n_targets, const char *says)
{
    struct in_sample s = {0};
    struct t2_buf b = {0};

    build(&b, inputs, n_inputs, targets, n_targets);
    assert_int_equal(in_sample_parse(&s, &plain, t2_buf_slice(&b), &err), T2_EFORMAT);
    t_assert_contains(err.message, says);
    in_sample_release(&s);
    t2_buf_release(&b);
}

/* A mask of n numbers, as floats or as int64; what is wrong with it is said. */
static void masked(const int64_t *mask, size_t n, bool floats, const char *says)
{
    static const int64_t inputs[] = {3, 1}, targets[] = {7, 0, 9, 1};
    float values[8] = {0};
    const struct tfr_feature features[] = {
        {.name = "inputs", .kind = TFR_INT64, .n = 2, .ints = inputs},
        {.name = "targets", .kind = TFR_INT64, .n = 4, .ints = targets},
        {.name = "targets_mask",
         .kind = floats ? TFR_FLOAT : TFR_INT64,
         .n = n,
         .ints = mask,
         .floats = values}};
    struct in_recipe r = plain;
    struct in_sample s = {0};
    struct t2_buf b = {0};

    for (size_t i = 0; i < n; i++)
        values[i] = (float) mask[i];
    r.targets_mask = true;
    r.max_targets = 3;
    tfr_example_build(&b, features, 3);
    if (says) {
        assert_int_equal(in_sample_parse(&s, &r, t2_buf_slice(&b), &err), T2_EFORMAT);
        t_assert_contains(err.message, says);
    } else {
        assert_int_equal(in_sample_parse(&s, &r, t2_buf_slice(&b), &err), T2_OK);
        same(s.targets, s.targets_length, (const int32_t[]){7, 0, 9}, 3);
        for (int i = 0; i < 3; i++)
            assert_int_equal(s.targets_mask[i], mask[i]);
    }
    in_sample_release(&s);
    t2_buf_release(&b);
}

static void test_masks_of_targets(void **state)
{
    const int64_t inputs[] = {3}, targets[] = {7};
    struct in_recipe r = plain;
    struct in_sample s = {0};
    struct t2_buf b = {0};

    (void) state;
    for (int floats = 0; floats < 2; floats++) {
        masked((const int64_t[]){1, 0, 1, 0}, 4, floats, NULL);
        masked((const int64_t[]){0, 0, 0, 0}, 4, floats, NULL);
        masked((const int64_t[]){1, 0, 2, 0}, 4, floats, "targets_mask[2] is 2, not 0 or 1");
        masked((const int64_t[]){1, 1, 1, 0}, 4, floats,
               "targets_mask[1] is 1, but targets[1] is padding");
    }
    masked((const int64_t[]){1, 0, 1}, 3, false, "'targets_mask' has 3 values, not 4");
    masked((const int64_t[]){1, 0, 1}, 3, true, "no list of 4 floats 'targets_mask'");
    masked((const int64_t[]){-1, 0, 1, 1}, 4, false, "targets_mask[0] is -1");
    masked((const int64_t[]){1, 0, 1, 1, 1}, 5, false, "'targets_mask' has 5 values, not 4");
    build(&b, inputs, 1, targets, 1);
    r.targets_mask = true;
    assert_int_equal(in_sample_parse(&s, &r, t2_buf_slice(&b), &err), T2_EFORMAT);
    t_assert_contains(err.message, "it has no feature 'targets_mask'");
    in_sample_release(&s);
    t2_buf_release(&b);
}

static void test_ids_outside_the_vocabulary(void **state)
{
    (void) state;
    refused((const int64_t[]){3, 10}, 2, (const int64_t[]){1}, 1,
            "inputs[1] is 10, but the vocabulary has 10 entries");
    refused((const int64_t[]){3}, 1, (const int64_t[]){1, 2, -1}, 3,
            "targets[2] is -1, but the vocabulary has 20 entries");
    refused((const int64_t[]){3}, 1, (const int64_t[]){INT64_C(4294967297)}, 1,
            "targets[0] is 4294967297");
}

static void test_records_that_are_no_pairs(void **state)
{
    const int64_t ids[] = {1};
    const float numbers[] = {1.0f};
    const struct tfr_feature one[] = {{.name = "inputs", .kind = TFR_INT64, .n = 1, .ints = ids}};
    const struct tfr_feature wrong[] = {
        {.name = "inputs", .kind = TFR_INT64, .n = 1, .ints = ids},
        {.name = "targets", .kind = TFR_FLOAT, .n = 1, .floats = numbers}};
    struct in_sample s = {0};
    struct t2_buf b = {0};

    (void) state;
    tfr_example_build(&b, one, 1);
    assert_int_equal(in_sample_parse(&s, &plain, t2_buf_slice(&b), &err), T2_EFORMAT);
    t_assert_contains(err.message, "no feature 'targets'");
    t2_buf_clear(&b);
    tfr_example_build(&b, wrong, 2);
    assert_int_equal(in_sample_parse(&s, &plain, t2_buf_slice(&b), &err), T2_EFORMAT);
    t_assert_contains(err.message, "'targets' holds float values");
    assert_int_equal(in_sample_parse(&s, &plain, t2_slice_of("\xff\xff"), &err), T2_EFORMAT);
    in_sample_release(&s);
    t2_buf_release(&b);
}

static void test_empty_lists_have_length_0(void **state)
{
    struct in_sample s = {0};
    struct t2_buf b = {0};

    (void) state;
    build(&b, NULL, 0, NULL, 0);
    assert_int_equal(in_sample_parse(&s, &plain, t2_buf_slice(&b), &err), T2_OK);
    assert_int_equal(s.inputs_length, 0);
    assert_int_equal(s.targets_length, 0);
    in_sample_release(&s);
    t2_buf_release(&b);
}

static void test_recipe_of_hparams(void **state)
{
    struct mdl_hparams *hp = NULL;
    struct in_recipe r = plain;

    (void) state;
    assert_int_equal(mdl_hparams_new("transformer_base", &hp, &err), T2_OK);
    assert_int_equal(in_recipe_set(&r, hp, &err), T2_OK);
    assert_false(r.prepend);
    assert_int_equal(r.max_inputs, 0);
    mdl_hp_set_string(hp, "prepend_mode", "prepend_inputs_full_attention");
    mdl_hp_set_int(hp, "max_input_seq_length", 5);
    assert_int_equal(in_recipe_set(&r, hp, &err), T2_OK);
    assert_true(r.prepend);
    assert_int_equal(r.max_inputs, 5);
    r.inputs_feature = NULL; /* a language model has nothing to prepend */
    assert_int_equal(in_recipe_set(&r, hp, &err), T2_OK);
    assert_false(r.prepend);
    mdl_hp_set_int(hp, "max_input_seq_length", -5);
    assert_int_equal(in_recipe_set(&r, hp, &err), T2_EUSAGE);
    mdl_hp_set_int(hp, "split_to_length", 5);
    mdl_hp_set_int(hp, "max_input_seq_length", 0);
    assert_int_equal(in_recipe_set(&r, hp, &err), T2_OK);
    assert_int_equal(r.split, 5);
    mdl_hp_set_bool(hp, "pack_dataset", true);
    assert_int_equal(in_recipe_set(&r, hp, &err), T2_EUSAGE);
    t_assert_contains(err.message, "the problem has no inputs");
    r.inputs_feature = "inputs";
    assert_int_equal(in_recipe_set(&r, hp, &err), T2_EUSAGE);
    t_assert_contains(err.message, "split_to_length=5 do not go together");
    mdl_hp_set_int(hp, "split_to_length", 0);
    assert_int_equal(in_recipe_set(&r, hp, &err), T2_OK);
    assert_int_equal(r.packing, IN_PACK_LATEST);
    assert_int_equal(r.packed_length, 256);
    mdl_hp_set_bool(hp, "use_custom_ops", false);
    assert_int_equal(in_recipe_set(&r, hp, &err), T2_OK);
    assert_int_equal(r.packing, IN_PACK_QUEUE);
    mdl_hp_set_int(hp, "max_length", 0);
    assert_int_equal(in_recipe_set(&r, hp, &err), T2_EUSAGE);
    t_assert_contains(err.message, "needs max_length");
    mdl_hparams_free(hp);
}

static struct t2_buf record_of(size_t n, const char *const *names, const int32_t *const *ids,
                               const size_t *lengths)
{
    struct t2_buf b = {0};

    tfr_example_build_ids(&b, n, names, ids, lengths);
    return b;
}

static void test_split(void **state)
{
    static const char *const names[] = {"inputs", "targets"};
    static const int32_t a[] = {2, 3, 4, 5, 6, 7}, b[] = {8, 9, 10, 11};
    const int32_t *const ids[] = {a, b};
    struct in_recipe r = plain;
    struct in_sample s = {0};
    struct t2_buf text = record_of(2, names, ids, (size_t[]){6, 4});

    (void) state;
    r.split = 2;
    assert_int_equal(in_sample_parse(&s, &r, t2_buf_slice(&text), &err), T2_OK);
    assert_int_equal(s.n_pieces, 2); /* the shorter side's */
    assert_int_equal(s.inputs_length, 2);
    assert_int_equal(s.targets_length, 2);
    assert_int_equal(s.inputs[in_sample_piece(&r, 1)], 4);
    assert_int_equal(s.targets[in_sample_piece(&r, 1)], 10);
    r.split = 4;
    assert_int_equal(in_sample_parse(&s, &r, t2_buf_slice(&text), &err), T2_EFORMAT);
    t_assert_contains(err.message, "cannot be cut into pieces of 4");
    in_sample_release(&s);
    t2_buf_release(&text);
}

/* What the packing operation of the original takes: the first `length` ids, as many as are not
 * 0. */
static void test_lengths_to_pack(void **state)
{
    static const char *const names[] = {"inputs", "targets"};
    static const int32_t a[] = {2, 0, 4, 5, 6, 7}, b[] = {8};
    const int32_t *const ids[] = {a, b};
    struct in_recipe r = plain;
    struct in_sample s = {0};
    struct t2_buf text = record_of(2, names, ids, (size_t[]){6, 1});

    (void) state;
    r.packing = IN_PACK_LATEST;
    r.packed_length = 4;
    assert_int_equal(in_sample_parse(&s, &r, t2_buf_slice(&text), &err), T2_OK);
    assert_int_equal(s.inputs_length, 3);
    assert_int_equal(s.targets_length, 1);
    r.packing = IN_PACK_QUEUE; /* drops what is longer; the index does that */
    assert_int_equal(in_sample_parse(&s, &r, t2_buf_slice(&text), &err), T2_OK);
    assert_int_equal(s.inputs_length, 6);
    in_sample_release(&s);
    t2_buf_release(&text);
}

static void test_packed_records(void **state)
{
    static const char *const names[] = {"inputs",
                                        "targets",
                                        "inputs_segmentation",
                                        "inputs_position",
                                        "targets_segmentation",
                                        "targets_position"};
    static const int32_t a[] = {2, 3, 4}, seg[] = {1, 1, 2}, pos[] = {0, 1, 0}, bad[] = {0, -1, 0};
    const int32_t *ids[] = {a, a, seg, pos, seg, pos};
    struct in_recipe r = plain;
    struct in_sample s = {0};
    struct t2_buf text = record_of(6, names, ids, (size_t[]){3, 3, 3, 3, 3, 3});

    (void) state;
    assert_true(in_record_is_packed("targets", t2_buf_slice(&text)));
    r.packed = true;
    assert_int_equal(in_sample_parse(&s, &r, t2_buf_slice(&text), &err), T2_OK);
    assert_memory_equal(s.inputs_segmentation, seg, sizeof seg);
    assert_memory_equal(s.inputs_position, pos, sizeof pos);
    assert_memory_equal(s.targets_segmentation, seg, sizeof seg);
    assert_memory_equal(s.targets_position, pos, sizeof pos);
    t2_buf_release(&text);

    text = record_of(6, names, ids, (size_t[]){3, 3, 3, 2, 3, 3});
    assert_int_equal(in_sample_parse(&s, &r, t2_buf_slice(&text), &err), T2_EFORMAT);
    t_assert_contains(err.message, "'inputs_position' has 2 values for 3 ids");
    t2_buf_release(&text);
    ids[5] = bad;
    text = record_of(6, names, ids, (size_t[]){3, 3, 3, 3, 3, 3});
    assert_int_equal(in_sample_parse(&s, &r, t2_buf_slice(&text), &err), T2_EFORMAT);
    t_assert_contains(err.message, "targets_position[1] is -1, which cannot be right");
    t2_buf_release(&text);
    text = record_of(2, names, ids, (size_t[]){3, 3});
    assert_false(in_record_is_packed("targets", t2_buf_slice(&text)));
    assert_int_equal(in_sample_parse(&s, &r, t2_buf_slice(&text), &err), T2_EFORMAT);
    t_assert_contains(err.message, "no feature 'inputs_segmentation'");
    t2_buf_release(&text);
    in_sample_release(&s);
}

/* Floats, or ids, in; floats, a set of labels or one label out. */
static void test_values(void **state)
{
    const float x[] = {1.5F, -2.0F}, y[] = {3.0F}, bad[] = {1.0F, NAN};
    const int64_t ids[] = {3, 1}, set[] = {2, 0}, outside[] = {4};
    const struct tfr_feature of_x = {.name = "inputs", .kind = TFR_FLOAT, .n = 2, .floats = x};
    const struct tfr_feature of_bad = {.name = "inputs", .kind = TFR_FLOAT, .n = 2, .floats = bad};
    const struct tfr_feature of_ids = {.name = "inputs", .kind = TFR_INT64, .n = 2, .ints = ids};
    const struct tfr_feature of_y = {.name = "targets", .kind = TFR_FLOAT, .n = 1, .floats = y};
    const struct tfr_feature of_set = {.name = "targets", .kind = TFR_INT64, .n = 2, .ints = set};
    const struct tfr_feature far = {.name = "targets", .kind = TFR_INT64, .n = 1, .ints = outside};
    const struct {
        struct tfr_feature features[2];
        size_t n;
        enum mdl_target_kind target;
        int32_t n_numbers, vocab;
        const char *refusal;
        float values[3];
    } rows[] = {{{of_x, of_y}, 2, MDL_TARGET_REALS, 2, 1, NULL, {3.0F}},
                {{of_ids, of_set}, 2, MDL_TARGET_SET, 0, 3, NULL, {1, 0, 1}},
                {{of_x}, 1, MDL_TARGET_SET, 2, 3, NULL, {0, 0, 0}},
                {{of_x, far}, 2, MDL_TARGET_IDS, 2, 5, NULL, {0}},
                {{of_x, far}, 2, MDL_TARGET_SET, 2, 3, "targets[0] is 4", {0}},
                {{of_x, of_set}, 2, MDL_TARGET_IDS, 2, 5, "has 2 labels", {0}},
                {{of_x, of_y}, 2, MDL_TARGET_REALS, 3, 1, "no list of 3 floats 'inputs'", {0}},
                {{of_x, of_set}, 2, MDL_TARGET_REALS, 2, 2, "no list of 2 floats 'targets'", {0}},
                {{of_bad, of_y}, 2, MDL_TARGET_REALS, 2, 1, "inputs[1] is nan", {0}}};

    (void) state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct in_recipe r = plain;
        struct in_sample s = {0};
        struct t2_buf b = {0};

        r.n_numbers = rows[i].n_numbers;
        r.target = rows[i].target;
        r.targets_vocab = rows[i].vocab;
        tfr_example_build(&b, rows[i].features, rows[i].n);
        assert_int_equal(in_sample_parse(&s, &r, t2_buf_slice(&b), &err),
                         rows[i].refusal ? T2_EFORMAT : T2_OK);
        if (rows[i].refusal)
            t_assert_contains(err.message, rows[i].refusal);
        else if (r.target != MDL_TARGET_IDS)
            assert_memory_equal(s.target_values, rows[i].values, (size_t) r.targets_vocab * 4);
        else
            same(s.targets, s.targets_length, (const int32_t[]){4}, 1);
        if (!rows[i].refusal && r.n_numbers > 0)
            assert_memory_equal(s.numbers, x, sizeof x);
        in_sample_release(&s);
        t2_buf_release(&b);
    }
}

T_MAIN(cmocka_unit_test(test_values), cmocka_unit_test(test_context_follows_the_inputs),
       cmocka_unit_test(test_split), cmocka_unit_test(test_lengths_to_pack),
       cmocka_unit_test(test_packed_records), cmocka_unit_test(test_sides_and_limits),
       cmocka_unit_test(test_ids_outside_the_vocabulary), cmocka_unit_test(test_masks_of_targets),
       cmocka_unit_test(test_records_that_are_no_pairs),
       cmocka_unit_test(test_empty_lists_have_length_0), cmocka_unit_test(test_recipe_of_hparams))
