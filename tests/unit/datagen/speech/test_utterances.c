/* Tests of datagen/speech/utterances.c: records of utterances; parts of a sound. */
#include "datagen/speech/utterances.h"

#include "tests/support/speech_sources.h"

static struct t2_err err;

static enum t2_status finish(const char *facts, struct dg_record *r)
{
    int16_t samples[SPEECH_SAMPLES];
    struct t2_buf file = {NULL, 0, 0};
    struct dg_texts texts = {.split = DG_TRAIN};
    enum t2_status st;

    wave_tone(samples, SPEECH_SAMPLES, 300, 16000);
    wave_put(&file, samples, SPEECH_SAMPLES, 1, 16000);
    texts.text[DG_INPUTS] = t2_slice_of(facts);
    texts.text[DG_TARGETS] = t2_slice_of("HE SAID");
    texts.text[DG_CONTEXT] = t2_buf_slice(&file);
    dg_record_clear(r);
    st = dg_utterance_finish(NULL, &texts, r, &err);
    t2_buf_release(&file);
    if (st == T2_EUNSUPPORTED)
        t_skip("%s", err.message);
    return st;
}

static void test_record(void **state)
{
    struct dg_record r = {.n = 0};
    const struct dg_feature *f;

    (void) state;
    assert_int_equal(finish("id-1\tann\t0\t0", &r), T2_OK);
    f = dg_record_find(&r, "waveforms");
    assert_int_equal(f->n, SPEECH_SAMPLES);
    assert_true(f->floats[0] == 0.0f && f->floats[10] > 0.1f);
    assert_int_equal(dg_record_find(&r, "waveform_lens")->ints[0], SPEECH_SAMPLES);
    assert_true(t2_slice_eq(dg_record_find(&r, "utt_id")->bytes, t2_slice_of("id-1")));
    assert_true(t2_slice_eq(dg_record_find(&r, "spk_id")->bytes, t2_slice_of("ann")));
    dg_record_release(&r);
}

static void test_part(void **state)
{
    struct dg_record r = {.n = 0};

    (void) state;
    assert_int_equal(finish("id-1\tann\t0.1\t0.15", &r), T2_OK);
    assert_int_equal(dg_record_find(&r, "waveforms")->n, 800);
    assert_int_equal(finish("id-1\tann\t0.1\t9", &r), T2_OK); /* what is there */
    assert_int_equal(dg_record_find(&r, "waveforms")->n, SPEECH_SAMPLES - 1600);
    assert_int_equal(finish("id-1\tann\t0.3\t0.4", &r), T2_EFORMAT);
    t_assert_contains(err.message, "the sound has 0.200 s");
    dg_record_release(&r);
}

T_MAIN(cmocka_unit_test(test_record), cmocka_unit_test(test_part))
