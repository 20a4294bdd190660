/*
 * Tests of train/input/speech_maker.c: batches of utterances have the shapes that were foretold,
 * the same bits for any number of threads and ranks, and end with zeros.
 */
#include <string.h>

#include "tests/unit/train/speech_shards.h"
#include "train/input/input.h"
#include "train/input/speech_recipe.h"

enum { N = 17 };

static struct t2_err err;

static struct in_input *open_input(const char *dir, const char *changes, bool training, int threads,
                                   int rank, int n_ranks)
{
    const struct in_options o = {.data_dir = dir,
                                 .dataset = "speech",
                                 .split = "train",
                                 .targets_feature = "targets",
                                 .targets_vocab = 256,
                                 .speech = true,
                                 .training = training,
                                 .seed = 5,
                                 .num_threads = threads,
                                 .rank = rank,
                                 .n_ranks = n_ranks};
    struct mdl_hparams *hp = NULL;
    struct in_input *in = NULL;

    assert_int_equal(mdl_hparams_new("transformer_librispeech", &hp, &err), T2_OK);
    if (mdl_hparams_override(hp, changes, &err) != T2_OK || in_new(&o, hp, &in, &err) != T2_OK)
        fail_msg("%s", err.message);
    mdl_hparams_free(hp);
    return in;
}

static const char *shards(void)
{
    const char *dir = t_tmp_path("speech");

    speech_write(dir, N);
    return dir;
}

static size_t floats_of(const struct mdl_batch *b)
{
    return (size_t) b->batch * (size_t) b->height * IN_SPEECH_COLUMNS;
}

static void test_shapes(void **state)
{
    static const char changes[] = "use_fixed_batch_size=true,batch_size=4";
    struct in_input *in = open_input(shards(), changes, false, 2, 0, 1);
    struct mdl_hparams *hp = NULL;
    struct mdl_shape *shapes;
    struct mdl_batch b;
    uint64_t samples;
    size_t n, rows = 0;

    (void) state;
    assert_int_equal(mdl_hparams_new("transformer_librispeech", &hp, &err), T2_OK);
    assert_int_equal(mdl_hparams_override(hp, changes, &err), T2_OK);
    assert_int_equal(in_shapes(in, hp, &shapes, &n, &err), T2_OK);
    assert_int_equal(n, 1);
    while (in_next(in, &b, &samples, &err) == T2_OK) {
        assert_int_equal(b.height, mdl_speech_rows(b.inputs_length));
        assert_true(b.height <= shapes[0].height && b.inputs_length <= shapes[0].inputs_length);
        assert_true(b.width == AUD_MEL_BANDS && b.channels == AUD_MEL_CHANNELS && !b.inputs);
        assert_true(b.batch <= shapes[0].batch && b.targets_length <= shapes[0].targets_length);
        /* the last frames are the padding's, whichever utterance it is */
        for (size_t i = floats_of(&b) - 100 * IN_SPEECH_COLUMNS; i < floats_of(&b); i++)
            assert_true(b.images[i] == 0.0f);
        rows += (size_t) b.batch;
    }
    assert_int_equal(rows, N);
    t2_free(shapes);
    mdl_hparams_free(hp);
    in_free(in);
}

static void test_threads_and_ranks(void **state)
{
    static const char changes[] = "use_fixed_batch_size=true,batch_size=6,specaugment_time_masks=1,"
                                  "specaugment_time_width=3,specaugment_frequency_masks=2";
    const char *dir = shards();
    struct in_input *one = open_input(dir, changes, true, 1, 0, 1);
    struct in_input *many = open_input(dir, changes, true, 4, 0, 1);
    struct in_input *first = open_input(dir, changes, true, 2, 0, 2);
    struct in_input *second = open_input(dir, changes, true, 2, 1, 2);

    (void) state;
    for (int k = 0; k < 5; k++) {
        struct mdl_batch a, b, c, d;
        uint64_t samples;

        assert_int_equal(in_next(one, &a, &samples, &err), T2_OK);
        assert_int_equal(in_next(many, &b, &samples, &err), T2_OK);
        assert_int_equal(in_next(first, &c, &samples, &err), T2_OK);
        assert_int_equal(in_next(second, &d, &samples, &err), T2_OK);
        assert_int_equal(a.batch, 6);
        assert_memory_equal(a.images, b.images, floats_of(&a) * sizeof(float));
        assert_int_equal(floats_of(&a), floats_of(&c) + floats_of(&d));
        assert_memory_equal(a.images, c.images, floats_of(&c) * sizeof(float));
        assert_memory_equal(a.images + floats_of(&c), d.images, floats_of(&d) * sizeof(float));
    }
    in_free(one);
    in_free(many);
    in_free(first);
    in_free(second);
}

/* Lengths are frames times bands, as the original counts them. */
static void test_buckets(void **state)
{
    struct in_input *in = open_input(shards(), "batch_size=60000,max_length=24000", true, 2, 0, 1);
    struct in_stats s = in_stats_of(in);

    (void) state;
    /* 250 frames of padding and 10 a unit: those of up to 4 units, 290 frames, are 23,200 */
    assert_int_equal(s.n_records, N);
    assert_int_equal(s.n_too_long, 0);
    in_free(in);
    in = open_input(t_tmp_path("speech"), "batch_size=60000,max_length=23000", true, 2, 0, 1);
    assert_int_equal(in_stats_of(in).n_too_long, 3 + 3);
    in_free(in);
}

T_MAIN(cmocka_unit_test(test_shapes), cmocka_unit_test(test_threads_and_ranks),
       cmocka_unit_test(test_buckets))
