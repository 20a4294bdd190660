/*
 * tests/support/speech_sources.h - recordings that the tests of speech problems put into tmp_dir.
 *
 * They hold WAV files whatever their names end with: libsndfile goes by content.
 */
#ifndef T2_TESTS_SPEECH_SOURCES_H
#define T2_TESTS_SPEECH_SOURCES_H

#include "tests/support/problem_check.h"
#include "tests/support/wave_file.h"

enum { SPEECH_SAMPLES = 3200 };

/* A fifth of a second of a tone. */
static inline void speech_put(const char *folder, const char *name, double hz)
{
    int16_t samples[SPEECH_SAMPLES];
    struct t2_buf file = {NULL, 0, 0};

    wave_tone(samples, SPEECH_SAMPLES, hz, 16000);
    wave_put(&file, samples, SPEECH_SAMPLES, 1, 16000);
    pc_put(folder, name, file.data, file.len_bytes);
    t2_buf_release(&file);
}

/* The facts and texts of all samples, "facts|text", a line each; an error as its message. */
static inline void speech_samples(const char *problem, const char *tmp_dir, enum dg_split split,
                                  struct t2_buf *text)
{
    struct dg_options options = pc_options(tmp_dir);
    const struct dg_problem *p = dg_find(problem);
    struct t2_err err = T2_ERR_INIT;
    struct dg_stream *s = NULL;
    enum t2_status st;

    assert_non_null(p);
    assert_int_equal(t2_make_dirs(options.data_dir, &err), T2_OK);
    st = p->prepare(p, &options, &err);
    if (st == T2_OK)
        st = p->open(p, &options, split, &s, &err);
    if (st == T2_OK)
        s->hash_on = true;
    while (st == T2_OK) {
        struct dg_sample sample = {.shard = 0};

        st = s->next(s, &sample, &err);
        if (st != T2_OK)
            break;
        assert_true(sample.context.len_bytes > 2 * SPEECH_SAMPLES);
        assert_non_null(sample.inputs_origin.path);
        t2_buf_append(text, sample.inputs.data, sample.inputs.len_bytes);
        t2_buf_push(text, '|');
        t2_buf_append(text, sample.targets.data, sample.targets.len_bytes);
        t2_buf_push(text, '\n');
    }
    if (st != T2_EOF)
        t2_buf_printf(text, "error: %s\n", err.message);
    else
        assert_int_equal(s->files.n, 1);
    dg_stream_free(s);
}

static inline void speech_check(const char *problem, const char *tmp_dir, enum dg_split split,
                                const char *expected)
{
    struct t2_buf text = {NULL, 0, 0};

    speech_samples(problem, tmp_dir, split, &text);
    assert_string_equal(t2_buf_cstr(&text), expected);
    t2_buf_release(&text);
}

#endif
