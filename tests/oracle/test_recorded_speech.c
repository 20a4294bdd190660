/*
 * tests/oracle/test_recorded_speech.c - features of speech and the convolutions behind them against
 * what Tensor2Tensor computed (T2_DATA/oracles/t2t_units/speech.*, of a file of
 * librispeech-sample).
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "audio/log_mel.h"
#include "audio/waveform.h"
#include "base/alloc.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/json.h"
#include "tests/support/op_check.h"
#include "tests/support/t.h"
#include "train/ckpt/safetensors.h"
#include "train/models/speech_bottom.h"

static const char folder[] = "oracles/t2t_units";
/* The original's own numbers are float32: its recomputation in double is this far away. */
static const double close = 1e-5, close_normalised = 3e-5;

static struct t2_err err;

struct recording {
    struct t2_json_doc *doc;
    const struct t2_json_value *root;
    struct ckpt_file *file;
};

static void open_recording(struct recording *r)
{
    char *json = t2_asprintf("%s/speech.json", folder);
    char *tensors = t2_asprintf("%s/speech.safetensors", folder);

    if (t2_json_load(t_data_path(json), &r->doc, &err) != T2_OK)
        t_skip("no %s in T2_DATA", json);
    r->root = t2_json_root(r->doc);
    if (ckpt_open(t_data_path(tensors), &r->file, &err) != T2_OK)
        fail_msg("%s", err.message);
    t2_free(json);
    t2_free(tensors);
}

static void close_recording(struct recording *r)
{
    ckpt_close(r->file);
    t2_json_free(r->doc);
}

/* Owned by the caller, aligned; *n values. */
static float *floats(const struct recording *r, const char *name, size_t *n)
{
    const struct ckpt_tensor *t = ckpt_find(r->file, name);
    float *values;

    if (!t)
        fail_msg("no tensor %s", name);
    *n = t->n_bytes / sizeof *values;
    values = t2_alloc(*n, sizeof *values);
    memcpy(values, t->data, t->n_bytes);
    return values;
}

static void compare(const struct recording *r, const char *name, const float *ours,
                    double tolerance)
{
    size_t n;
    float *theirs = floats(r, name, &n);

    print_message("%s\n", name);
    t_assert_close(ours, theirs, n, tolerance, tolerance);
    t2_free(theirs);
}

/* The file lies in librispeech-sample/LibriSpeech/SET/SPEAKER/CHAPTER. */
static void find_sound(const struct recording *r, struct t2_buf *file)
{
    const char *name = t2_json_as_string(t2_json_get(r->root, "file"), "");
    struct t2_strs parts = {0};
    char *path;

    t2_strs_split(&parts, name, '-');
    assert_true(parts.n >= 2);
    path = t2_asprintf("librispeech-sample/LibriSpeech/test-clean/%s/%s/%s", parts.items[0],
                       parts.items[1], name);
    if (t2_read_file(t_data_path(path), 0, file, &err) != T2_OK)
        t_skip("no %s in T2_DATA", path);
    t2_free(path);
    t2_strs_release(&parts);
}

static void check_pcm(const struct recording *r, const struct aud_waveform *w)
{
    struct t2_sha256 *h = t2_sha256_new();
    char sha256[T2_SHA256_HEX];

    t2_sha256_update(h, w->samples, w->n * sizeof *w->samples);
    t2_sha256_peek(h, sha256);
    t2_sha256_free(h);
    assert_int_equal(w->n, t2_json_as_i64(t2_json_get(r->root, "samples"), 0));
    assert_string_equal(sha256, t2_json_as_string(t2_json_get(r->root, "pcm16_sha256"), ""));
}

static void check_features(const struct recording *r, const float *x, size_t n)
{
    size_t frames = aud_mel_frames(n), columns = AUD_MEL_BANDS * AUD_MEL_CHANNELS;
    float *bands = t2_alloc(frames * AUD_MEL_BANDS, sizeof *bands);
    float *features = t2_alloc((frames + AUD_PAD_FRAMES) * columns, sizeof *features);
    struct aud_mel_scratch s = {0};

    assert_int_equal(frames, t2_json_as_i64(t2_json_get(r->root, "frames"), 0));
    aud_log_mel(x, n, bands);
    compare(r, "log_mel_first_20", bands, close);
    compare(r, "log_mel_last_3", bands + (frames - 3) * AUD_MEL_BANDS, close);
    aud_speech_features(x, n, &s, features);
    compare(r, "normalized_first_20", features, close_normalised);
    for (size_t i = frames * columns; i < (frames + AUD_PAD_FRAMES) * columns; i++)
        assert_true(features[i] == 0.0f);
    aud_mel_scratch_release(&s);
    t2_free(features);
    t2_free(bands);
}

static void test_features(void **state)
{
    struct recording r = {NULL};
    struct t2_buf file = {NULL, 0, 0};
    struct aud_waveform w = {0};
    float *x, *matrix = t2_alloc((AUD_HALF + 1) * AUD_MEL_BANDS, sizeof *matrix);
    enum t2_status st;

    (void) state;
    open_recording(&r);
    find_sound(&r, &file);
    st = aud_waveform_read(file.data, file.len_bytes, &w, &err);
    if (st == T2_EUNSUPPORTED)
        t_skip("%s", err.message);
    assert_int_equal(st, T2_OK);
    check_pcm(&r, &w);
    aud_mel_matrix(matrix);
    /* the original's edges are float32, 2e-4 apart where a band is 35 mel wide */
    compare(&r, "mel_matrix", matrix, 2e-5);
    x = t2_alloc(w.n, sizeof *x);
    for (size_t i = 0; i < w.n; i++)
        x[i] = aud_float(w.samples[i]);
    check_features(&r, x, w.n);
    t2_free(x);
    t2_free(matrix);
    aud_waveform_release(&w);
    t2_buf_release(&file);
    close_recording(&r);
}

/* ---- the bottom ---- */

/* "transformer/…/conv2d/kernel" -> the recording's name. */
static void set_variables(const struct recording *r, struct gr_params *p)
{
    static const char scope[] = "speech_recognition_modality/speech_recognition_modality/";

    for (int i = 0; i < p->n_variables; i++) {
        const struct gr_variable *v = &p->variables[i];
        const char *rest = strstr(v->name, scope);
        char *name;
        float *values;
        size_t n;

        assert_non_null(rest);
        name =
            t2_asprintf("bottom/var/bottom/speech_recognition_modality/%s", rest + strlen(scope));
        values = floats(r, name, &n);
        assert_int_equal(n, v->n);
        p->dev->upload_now(p->dev, p->values + v->offset, values, n * sizeof *values);
        t2_free(values);
        t2_free(name);
    }
}

/* The features with zeros behind them, as many rows as are read. */
static float *pad(const struct recording *r, int32_t *positions)
{
    const struct ckpt_tensor *t = ckpt_find(r->file, "bottom/in");
    size_t rows, columns = AUD_MEL_BANDS * AUD_MEL_CHANNELS, n;
    float *from = floats(r, "bottom/in", &n), *to;

    assert_int_equal(t->dims[0], 1);
    *positions = mdl_speech_positions((int32_t) t->dims[1]);
    rows = (size_t) mdl_speech_rows(*positions);
    assert_true(rows >= (size_t) t->dims[1]);
    to = t2_alloc(rows * columns, sizeof *to);
    memcpy(to, from, n * sizeof *to);
    t2_free(from);
    return to;
}

static void test_bottom(void **state)
{
    struct recording r = {NULL};
    struct dev *d = op_device("cpu", 2);
    struct mdl_problem problem = {.speech = true};
    struct gr_context context = {0};
    struct gr_params params;
    struct gr_tensor *x, *y;
    struct mdl_hparams *hp;
    struct mdl_build b;
    int32_t positions;
    float *in, *ours;
    void *arena;

    (void) state;
    open_recording(&r);
    in = pad(&r, &positions);
    assert_int_equal(mdl_hparams_new("transformer_librispeech", &hp, &err), T2_OK);
    mdl_hp_set_int(hp, "hidden_size", ckpt_find(r.file, "bottom/out")->dims[3]);
    gr_params_init(&params, d);
    params.values_only = true;
    b = (struct mdl_build){.g = gr_new(d, &params, false),
                           .model = "transformer",
                           .hp = hp,
                           .problem = &problem};
    x = gr_floats(b.g, 4, (int64_t[]){1, mdl_speech_rows(positions), AUD_MEL_BANDS, 3});
    y = mdl_speech_bottom(&b, x);
    assert_int_equal(y->dims[1], ckpt_find(r.file, "bottom/out")->dims[1]);
    assert_int_equal(gr_params_freeze(&params, &err), T2_OK);
    set_variables(&r, &params);
    assert_int_equal(gr_finish(b.g, NULL, &y, 1, &err), T2_OK);
    arena = d->alloc(d, b.g->arena_bytes);
    gr_bind(b.g, arena);
    d->upload_now(d, x->value, in, (size_t) x->n * sizeof *in);
    gr_run_forward(b.g, &context);
    ours = t2_alloc((size_t) y->n, sizeof *ours);
    d->download(d, ours, y->value, (size_t) y->n * sizeof *ours);
    compare(&r, "bottom/out", ours, close);
    t2_free(ours);
    t2_free(in);
    gr_free(b.g);
    d->free(d, arena);
    gr_params_release(&params);
    mdl_hparams_free(hp);
    close_recording(&r);
}

T_MAIN(cmocka_unit_test(test_features), cmocka_unit_test(test_bottom))
