/*
 * Tests of train/input/value_maker.c: batches of rows of values, for any number of ranks; texts are
 * padded to the longest; shapes are as foretold.
 */
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "tests/support/record_writer.h"
#include "tests/support/t.h"
#include "tfrecord/example.h"
#include "train/input/input.h"

enum { N = 23, FEATURES = 3, LABELS = 4 };

static struct t2_err err;

/* Record i: floats i, i + 1/4, i + 1/2, or i % 5 + 1 ids; the labels of the bits of i. */
static char *shards(bool table)
{
    const char *path = t_tmp_path("values-train-00000-of-00001");
    struct t_writer *w = NULL;
    struct t2_buf record = {0};

    assert_int_equal(t_writer_new(path, &w, &err), T2_OK);
    for (int i = 0; i < N; i++) {
        float x[FEATURES] = {(float) i, (float) i + 0.25F, (float) i + 0.5F};
        int64_t ids[5] = {2, 3, 4, 5, 6}, set[LABELS];
        size_t n = 0;
        struct tfr_feature f[2] = {{.name = "inputs",
                                    .kind = table ? TFR_FLOAT : TFR_INT64,
                                    .n = table ? FEATURES : (size_t) (i % 5 + 1)},
                                   {.name = "targets", .kind = TFR_INT64}};

        if (table)
            f[0].floats = x;
        else
            f[0].ints = ids;
        for (int k = 0; k < LABELS; k++)
            if (i >> k & 1)
                set[n++] = k;
        f[1].n = n;
        f[1].ints = set;
        t2_buf_clear(&record);
        tfr_example_build(&record, f, n > 0 ? 2 : 1);
        t_writer_add(w, record.data, record.len_bytes);
    }
    assert_int_equal(t_writer_commit(w, &err), T2_OK);
    t2_buf_release(&record);
    return t2_path_dir(path);
}

static struct mdl_hparams *hparams(void)
{
    struct mdl_hparams *hp = NULL;

    assert_int_equal(mdl_hparams_new("transformer_tiny", &hp, &err), T2_OK);
    assert_int_equal(mdl_hparams_override(hp, "batch_size=10", &err), T2_OK);
    return hp;
}

static struct in_input *open_input(const char *dir, bool table, bool training, int rank,
                                   int n_ranks)
{
    const struct in_options o = {.data_dir = dir,
                                 .dataset = "values",
                                 .split = "train",
                                 .inputs_feature = "inputs",
                                 .inputs_vocab = 10,
                                 .targets_feature = "targets",
                                 .targets_vocab = LABELS,
                                 .n_numbers = table ? FEATURES : 0,
                                 .target = MDL_TARGET_SET,
                                 .training = training,
                                 .seed = 5,
                                 .global_batch_size = true,
                                 .rank = rank,
                                 .n_ranks = n_ranks};
    struct mdl_hparams *hp = hparams();
    struct in_input *in = NULL;

    if (in_new(&o, hp, &in, &err) != T2_OK)
        fail_msg("%s", err.message);
    mdl_hparams_free(hp);
    return in;
}

static void check_labels(const float *values, int i)
{
    for (int k = 0; k < LABELS; k++)
        assert_true(values[k] == (float) (i >> k & 1));
}

static void test_table(void **state)
{
    char *dir = shards(true);
    struct in_input *in = open_input(dir, true, false, 0, 1);
    struct mdl_hparams *hp = hparams();
    struct mdl_shape *shapes;
    struct mdl_batch b;
    uint64_t samples;
    size_t n;
    int i = 0;

    (void) state;
    assert_int_equal(in_shapes(in, hp, &shapes, &n, &err), T2_OK);
    assert_int_equal(n, 1);
    assert_int_equal(shapes[0].batch, 10);
    assert_int_equal(shapes[0].channels, FEATURES);
    assert_int_equal(shapes[0].n_values, LABELS);
    while (in_next(in, &b, &samples, &err) == T2_OK) {
        assert_int_equal(b.batch, i < 20 ? 10 : 3);
        assert_true(b.height == 1 && b.width == 1 && b.channels == FEATURES);
        assert_true(b.n_values == LABELS && !b.targets && !b.inputs);
        for (int32_t r = 0; r < b.batch; r++, i++) {
            assert_true(b.images[r * FEATURES + 1] == (float) i + 0.25F);
            check_labels(b.values + (size_t) r * LABELS, i);
        }
    }
    assert_int_equal(i, N);
    t2_free(shapes);
    mdl_hparams_free(hp);
    in_free(in);
    t2_free(dir);
}

static void test_texts(void **state)
{
    char *dir = shards(false);
    struct in_input *in = open_input(dir, false, false, 0, 1);
    struct mdl_batch b;
    uint64_t samples;
    int rows = 0;

    (void) state;
    while (in_next(in, &b, &samples, &err) == T2_OK) {
        assert_true(b.n_values == LABELS && !b.targets && !b.images && b.targets_length == 1);
        for (int32_t r = 0; r < b.batch; r++, rows++) {
            const int32_t *row = b.inputs + r * b.inputs_length;
            int32_t n = 0;

            while (n < b.inputs_length && row[n] == n + 2)
                n++;
            assert_in_range(n, 1, 5);
            for (; n < b.inputs_length; n++)
                assert_int_equal(row[n], 0);
        }
    }
    assert_int_equal(rows, N);
    in_free(in);
    t2_free(dir);
}

/* The rows of two ranks, one behind the other, are those of one. */
static void test_ranks(void **state)
{
    char *dir = shards(true);
    struct in_input *one = open_input(dir, true, true, 0, 1);
    struct in_input *of_two[2] = {open_input(dir, true, true, 0, 2),
                                  open_input(dir, true, true, 1, 2)};
    struct mdl_batch whole, part;
    uint64_t samples;

    (void) state;
    for (int step = 0; step < 5; step++) {
        size_t at = 0;

        assert_int_equal(in_next(one, &whole, &samples, &err), T2_OK);
        for (int r = 0; r < 2; r++) {
            assert_int_equal(in_next(of_two[r], &part, &samples, &err), T2_OK);
            assert_memory_equal(part.images, whole.images + at * FEATURES,
                                (size_t) part.batch * FEATURES * sizeof(float));
            assert_memory_equal(part.values, whole.values + at * LABELS,
                                (size_t) part.batch * LABELS * sizeof(float));
            at += (size_t) part.batch;
        }
        assert_int_equal(at, whole.batch);
    }
    in_free(one);
    in_free(of_two[0]);
    in_free(of_two[1]);
    t2_free(dir);
}

T_MAIN(cmocka_unit_test(test_table), cmocka_unit_test(test_texts), cmocka_unit_test(test_ranks))
