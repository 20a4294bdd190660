/*
 * Tests of train/trained/transcribe.c: files, folders and lists; what is known is compared; a file
 * that is no sound is named.
 */
#include "train/trained/transcribe.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "tests/support/t.h"
#include "tests/support/wave_file.h"

enum { SAMPLES = 1600 };

static struct t2_err err;

static void put_sound(const char *name, double hz)
{
    int16_t samples[SAMPLES];
    struct t2_buf file = {NULL, 0, 0};
    char *dir = t2_path_dir(t_tmp_path(name));

    wave_tone(samples, SAMPLES, hz, 16000);
    wave_put(&file, samples, SAMPLES, 1, 16000);
    assert_int_equal(t2_make_dirs(dir, &err), T2_OK);
    t_write_file(t_tmp_path(name), file.data, file.len_bytes);
    t2_free(dir);
    t2_buf_release(&file);
}

/* A model of librispeech without a run, with made-up variables. */
static void open_model(struct tr_trained *t)
{
    struct mdl_hparams *hp = NULL;

    *t = (struct tr_trained){.state = {.seed = 1, .step = 70}};
    assert_int_equal(mdl_hparams_new("transformer_librispeech", &hp, &err), T2_OK);
    assert_int_equal(mdl_hparams_override(hp,
                                          "hidden_size=8,filter_size=8,num_encoder_layers=1,"
                                          "num_decoder_layers=1,max_input_seq_length=40",
                                          &err),
                     T2_OK);
    mdl_hparams_for_eval(hp);
    assert_int_equal(tr_data_set_open("librispeech", t_tmp_path(""), &t->data, &err), T2_OK);
    assert_true(t->data.view->is_speech && t->data.problem.speech);
    assert_int_equal(dg_side_encoder(&t->data.view->targets, &t->targets, &err), T2_OK);
    assert_int_equal(dev_open("cpu", 2, &t->dev, &err), T2_OK);
    if (mdl_new("transformer", t->dev, hp, &t->data.problem, MDL_EVAL, &t->m, &err) != T2_OK ||
        mdl_initialise(t->m, 3, &err) != T2_OK)
        fail_msg("%s", err.message);
    mdl_hparams_free(hp);
}

/* What is written about `from`; free(). */
static char *transcribe(const struct tr_trained *t, const char *from, int beam, bool json,
                        struct tr_transcribe_report *report)
{
    struct tr_transcribe_options o = {.from = t_tmp_path(from),
                                      .to = t_tmp_path("lines"),
                                      .json = json};
    struct dec_hparams hp = {.beam_size = beam,
                             .alpha = 0.6,
                             .extra_length = 3,
                             .delimiter = "\n",
                             .multiproblem_task_id = -1};
    struct dec_parts parts = {.m = t->m, .targets = t->targets, .hp = &hp, .seed = 1};
    struct dec_translator *d;
    enum t2_status st;
    size_t n;

    assert_int_equal(dec_translator_new(&parts, &d, &err), T2_OK);
    st = tr_transcribe(t, d, &o, report, &err);
    dec_translator_free(d);
    if (st == T2_EUNSUPPORTED)
        t_skip("%s", err.message);
    return st == T2_OK ? t_read_file(t_tmp_path("lines"), &n) : NULL;
}

static int count_lines(const char *text)
{
    int n = 0;

    for (; *text; text++)
        n += *text == '\n';
    return n;
}

static void test_sources(void **state)
{
    struct tr_transcribe_report r;
    struct tr_trained t;
    char *one, *list, *json;

    (void) state;
    put_sound("sounds/a.wav", 300);
    put_sound("sounds/deep/b.WAV", 500);
    t_write_file(t_tmp_path("sounds/note.txt"), "no sound", 8);
    t_write_file(t_tmp_path("sounds/list"), "a.wav\tHE SAID\r\ndeep/b.WAV\n", 26);
    open_model(&t);
    one = transcribe(&t, "sounds/a.wav", 1, false, &r);
    assert_int_equal(count_lines(one), 1);
    assert_int_equal(r.n_known, 0);
    list = transcribe(&t, "sounds/list", 1, false, &r);
    assert_int_equal(count_lines(list), 2);
    assert_int_equal(r.n_sounds, 2);
    assert_int_equal(r.n_known, 1);
    assert_true(r.word_error_rate > 0);
    assert_true(strncmp(one, list, strlen(one)) == 0);
    json = transcribe(&t, "sounds", 2, true, &r);
    assert_int_equal(count_lines(json), 2);
    t_assert_contains(json, "deep/b.WAV\"");
    t_assert_contains(json, "\"score\":");
    free(one);
    free(list);
    free(json);
    tr_trained_close(&t);
}

static void test_refused(void **state)
{
    struct tr_transcribe_report r;
    struct tr_trained t;

    (void) state;
    put_sound("sounds/a.wav", 300);
    t_write_file(t_tmp_path("sounds/bad.wav"), "no sound", 8);
    open_model(&t);
    assert_null(transcribe(&t, "sounds/bad.wav", 1, false, &r));
    t_assert_contains(err.message, "bad.wav");
    assert_int_equal(t2_make_dirs(t_tmp_path("nothing"), &err), T2_OK);
    assert_null(transcribe(&t, "nothing", 1, false, &r));
    t_assert_contains(err.message, "no sound files there");
    tr_trained_close(&t);
}

T_MAIN(cmocka_unit_test(test_sources), cmocka_unit_test(test_refused))
