/* Tests of train/input/speech_recipe.c: what hparams say; cut and filled up. */
#include "train/input/speech_recipe.h"

#include <string.h>

#include "base/alloc.h"
#include "tests/support/t.h"

static struct t2_err err;

static enum t2_status recipe_of(const char *changes, struct in_speech_recipe *r)
{
    struct mdl_hparams *hp = NULL;
    enum t2_status st;

    assert_int_equal(mdl_hparams_new("transformer_librispeech", &hp, &err), T2_OK);
    assert_int_equal(mdl_hparams_override(hp, changes, &err), T2_OK);
    st = in_speech_recipe_of(hp, r, &err);
    mdl_hparams_free(hp);
    return st;
}

static void test_hparams(void **state)
{
    struct in_speech_recipe r;

    (void) state;
    assert_int_equal(recipe_of("specaugment_time_masks=2", &r), T2_OK);
    assert_int_equal(r.augment.n_time, 2);
    assert_int_equal(r.augment.n_frequency, 0);
    assert_int_equal(r.max_frames, 1550);
    assert_int_equal(in_speech_frames(&r, 16001), 100 + AUD_PAD_FRAMES);
    assert_int_equal(in_speech_frames(&r, 16000 * 60), 1550);
    assert_int_equal(recipe_of("specaugment_frequency_width=81", &r), T2_EUSAGE);
    t_assert_contains(err.message, "specaugment_frequency_width=81 must lie between 0 and 80");
    assert_int_equal(recipe_of("specaugment_time_share=1.5", &r), T2_EUSAGE);
}

static void test_features(void **state)
{
    enum { SAMPLES = 3200, FRAMES = 20, ROWS = FRAMES + AUD_PAD_FRAMES + 7 };
    struct in_speech_recipe r = {.max_frames = 0};
    const struct in_speech_name name = {.seed = 1};
    struct in_speech_worker w = {.waveform = NULL};
    float *all = t2_alloc(ROWS * IN_SPEECH_COLUMNS, sizeof *all);
    float *few = t2_alloc(9 * IN_SPEECH_COLUMNS, sizeof *few);

    (void) state;
    t_fill(in_speech_waveform(&w, SAMPLES), SAMPLES, 3);
    in_speech_features(&r, &name, &w, SAMPLES, ROWS, all);
    for (size_t i = FRAMES * IN_SPEECH_COLUMNS; i < ROWS * IN_SPEECH_COLUMNS; i++)
        assert_true(all[i] == 0.0f);
    t_fill(in_speech_waveform(&w, SAMPLES), SAMPLES, 3);
    in_speech_features(&r, &name, &w, SAMPLES, 9, few);
    assert_memory_equal(all, few, 9 * IN_SPEECH_COLUMNS * sizeof *few);
    in_speech_worker_release(&w);
    t2_free(all);
    t2_free(few);
}

T_MAIN(cmocka_unit_test(test_hparams), cmocka_unit_test(test_features))
