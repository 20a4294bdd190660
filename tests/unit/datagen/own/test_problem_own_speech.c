/* Tests of datagen/own/problem_own_speech.c: tables, Kaldi directories, folders as LibriSpeech's.
 */
#include "datagen/own/problem_own_speech.h"

#include "tests/support/speech_sources.h"

static struct t2_err err;

/* The samples of `from`, "facts|text", a line each. */
static void check(const char *from, const char *expected)
{
    struct dg_own_speech own = {.name = "mine", .from = {from, "", ""}};
    struct dg_options options = pc_options("own");
    struct dg_sample sample = {.shard = 0};
    struct t2_buf text = {NULL, 0, 0};
    struct dg_stream *s;
    struct dg_problem *p;
    enum t2_status st;

    assert_int_equal(t2_make_dirs(options.data_dir, &err), T2_OK);
    assert_int_equal(dg_own_speech_new(&own, &p, &err), T2_OK);
    assert_int_equal(p->open(p, &options, DG_TRAIN, &s, &err), T2_OK);
    while ((st = s->next(s, &sample, &err)) == T2_OK) {
        t2_buf_append(&text, sample.inputs.data, sample.inputs.len_bytes);
        t2_buf_push(&text, '|');
        t2_buf_append(&text, sample.targets.data, sample.targets.len_bytes);
        t2_buf_push(&text, '\n');
    }
    if (st != T2_EOF)
        t2_buf_puts(&text, err.message);
    t_assert_contains(t2_buf_cstr(&text), expected);
    dg_stream_free(s);
    dg_own_speech_free(p);
    t2_buf_release(&text);
}

static void put_sounds(void)
{
    speech_put("own", "u2.wav", 300);
    speech_put("own", "u1.wav", 400);
    speech_put("own", "1/2/1-2-0.flac", 500);
    pc_put_text("own", "1/2/1-2.trans.txt", "1-2-0 READ\n");
    pc_put_text("own", "t.tsv", "u2.wav\ttwo\nu1.wav\tone\tann\n");
    pc_put_text("own", "kaldi/text", "b TWO\na ONE\n");
    pc_put_text("own", "kaldi/wav.scp", "a ../u1.wav\nb ../u2.wav\n");
}

static void test_kinds(void **state)
{
    (void) state;
    put_sounds();
    check(t_tmp_path("own/t.tsv"), "u2\tunknown\t0\t0|two\nu1\tann\t0\t0|one\n");
    check(t_tmp_path("own/kaldi"), "b\tunknown\t0\t0|TWO\na\tunknown\t0\t0|ONE\n");
    check(t_tmp_path("own"), "1-2-0\t1\t0\t0|READ\n");
    check(t_tmp_path("own/1/2/3"), "no such file");
    pc_put_text("own", "empty/note", "");
    check(t_tmp_path("own/empty"), "is no Kaldi data directory");
}

static void test_flags(void **state)
{
    struct dg_own_speech own = {.name = "", .from = {"t.tsv", "", ""}};
    struct dg_problem *p;

    (void) state;
    assert_int_equal(dg_own_speech_new(&own, &p, &err), T2_EUSAGE);
    own.name = "librispeech";
    assert_int_equal(dg_own_speech_new(&own, &p, &err), T2_EUSAGE);
    own.name = "mine";
    own.from[DG_TRAIN] = "";
    assert_int_equal(dg_own_speech_new(&own, &p, &err), T2_EUSAGE);
    t_assert_contains(err.message, "--kind=speech needs --train");
}

T_MAIN(cmocka_unit_test(test_kinds), cmocka_unit_test(test_flags))
