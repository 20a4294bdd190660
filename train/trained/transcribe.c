/*
 * train/trained/transcribe.c - sound files become lines of text.
 */
#include "train/trained/transcribe.h"

#include <inttypes.h>
#include <string.h>

#include "audio/waveform.h"
#include "base/alloc.h"
#include "base/file.h"
#include "base/json_writer.h"
#include "base/list_tree.h"
#include "base/progress.h"
#include "base/signals.h"
#include "base/text.h"
#include "train/eval/word_error.h"
#include "train/input/speech_recipe.h"

static const uint64_t most_bytes = UINT64_C(1) << 30; /* of a sound file */

struct sounds {
    struct t2_strs paths, texts; /* texts: "" where it is not known */
    struct t2_buf known;         /* (paths.n) bytes: is the text known? */
};

static void add_sound(struct sounds *s, char *path, const char *text)
{
    t2_strs_take(&s->paths, path);
    t2_strs_push(&s->texts, text ? text : "");
    t2_buf_push(&s->known, text != NULL);
}

static void release_sounds(struct sounds *s)
{
    t2_strs_release(&s->paths);
    t2_strs_release(&s->texts);
    t2_buf_release(&s->known);
}

/* ---- which ones ---- */

static bool is_sound_name(const char *name)
{
    static const char *const ends[] = {".wav", ".flac", ".ogg", ".opus", ".mp3", ".aiff", ".au"};
    const char *dot = strrchr(name, '.');
    char lower[8] = "";

    for (size_t i = 0; dot && dot[i] && i + 1 < sizeof lower; i++)
        lower[i] = (char) (dot[i] >= 'A' && dot[i] <= 'Z' ? dot[i] + 'a' - 'A' : dot[i]);
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (strcmp(lower, ends[i]) == 0)
            return true;
    return false;
}

static enum t2_status list_folder(const char *dir, struct sounds *s, struct t2_err *err)
{
    struct t2_strs names = {0};
    enum t2_status st = t2_list_tree(dir, &names, err);

    for (size_t i = 0; i < names.n; i++)
        if (is_sound_name(names.items[i]))
            add_sound(s, t2_path_join(dir, names.items[i]), NULL);
    t2_strs_release(&names);
    return st;
}

static void add_line(const char *dir, struct t2_slice line, struct sounds *s)
{
    char *path = t2_strndup((const char *) line.data, line.len_bytes), *text;
    size_t n = strlen(path);

    if (n > 0 && path[n - 1] == '\r')
        path[n - 1] = '\0';
    text = strchr(path, '\t');
    if (text)
        *text++ = '\0';
    if (path[0] != '\0')
        add_sound(s, path[0] == '/' ? t2_strdup(path) : t2_path_join(dir, path), text);
    t2_free(path);
}

static enum t2_status read_list(const char *from, struct sounds *s, struct t2_err *err)
{
    char *dir = t2_path_dir(from);
    struct t2_slice line;
    struct t2_in *in = NULL;
    enum t2_status st;

    T2_GOTO(st, out, t2_in_new(from, &in, err));
    while ((st = t2_in_line(in, &line, err)) == T2_OK) {
        if (t2_utf8_invalid_at(line.data, line.len_bytes) < line.len_bytes) {
            st = t2_fail(err, T2_EFORMAT,
                         "'%s': line %" PRIu64 ": neither a sound file with the end of one in its "
                         "name nor a list in UTF-8",
                         from, t2_in_line_number(in));
            break;
        }
        add_line(dir, line, s);
    }
    t2_in_free(in);
out:
    t2_free(dir);
    return st == T2_EOF ? T2_OK : st;
}

static enum t2_status find_sounds(const char *from, struct sounds *s, struct t2_err *err)
{
    if (t2_is_dir(from))
        T2_TRY(list_folder(from, s, err));
    else if (is_sound_name(from))
        add_sound(s, t2_strdup(from), NULL);
    else
        T2_TRY(read_list(from, s, err));
    if (s->paths.n == 0)
        return t2_fail(err, T2_ENOTFOUND, "'%s': no sound files there", from);
    return T2_OK;
}

/* ---- one by one ---- */

struct job {
    const struct tr_trained *t;
    struct dec_translator *d;
    struct in_speech_recipe recipe;
    struct in_speech_worker worker;
    struct aud_waveform waveform;
    struct t2_buf file;
    struct ev_error *error;
    struct ev_edits words, characters;
    struct tr_transcribe_report *report;
};

/* The features of a file -> *features (H, 80, 3), owned by the caller, and their positions. */
static enum t2_status hear(struct job *j, const char *path, size_t i, float **features,
                           int32_t *positions, struct t2_err *err)
{
    const struct in_speech_name name = {.seed = j->t->state.seed, .index = i};
    struct aud_waveform *w = &j->waveform;
    int32_t rows;
    float *x;

    T2_TRY(t2_read_file(path, most_bytes, &j->file, err));
    if (aud_waveform_read(j->file.data, j->file.len_bytes, w, err) != T2_OK)
        return t2_wrap(err, "'%s'", path);
    x = in_speech_waveform(&j->worker, w->n);
    for (size_t k = 0; k < w->n; k++)
        x[k] = aud_float(w->samples[k]);
    *positions = mdl_speech_positions(in_speech_frames(&j->recipe, w->n));
    rows = mdl_speech_rows(*positions);
    *features = t2_alloc((size_t) rows * IN_SPEECH_COLUMNS, sizeof **features);
    in_speech_features(&j->recipe, &name, &j->worker, w->n, rows, *features);
    j->report->sound_s += (double) w->n / AUD_RATE;
    return T2_OK;
}

static enum t2_status compare(struct job *j, struct t2_slice text, const char *reference,
                              struct t2_err *err)
{
    struct t2_slice said = t2_slice_of(reference);

    j->report->n_known++;
    T2_TRY(ev_error_line(j->error, text, said, false, &j->words, err));
    return ev_error_line(j->error, text, said, true, &j->characters, err);
}

static void write_json(struct t2_out *out, const char *path, const struct dec_hypothesis *h,
                       const char *reference)
{
    struct t2_buf line = {NULL, 0, 0};
    struct t2_json json;

    t2_json_init(&json, &line, 0);
    t2_json_object(&json);
    t2_json_kv_string(&json, "file", path);
    t2_json_kv_string(&json, "text", t2_buf_cstr(&h->text));
    t2_json_kv_double(&json, "score", h->score);
    if (reference)
        t2_json_kv_string(&json, "reference", reference);
    t2_json_end_object(&json);
    t2_buf_push(&line, '\n');
    t2_out_write(out, line.data, line.len_bytes);
    t2_buf_release(&line);
}

static enum t2_status transcribe_one(struct job *j, const struct sounds *s, size_t i,
                                     int32_t n_best, bool json, struct t2_out *out,
                                     struct t2_err *err)
{
    const char *path = s->paths.items[i];
    const char *reference = s->known.data[i] ? s->texts.items[i] : NULL;
    struct dec_hypothesis *h = t2_alloc((size_t) n_best, sizeof *h);
    float *features = NULL;
    int32_t positions = 0;
    enum t2_status st;

    T2_GOTO(st, out, hear(j, path, i, &features, &positions, err));
    T2_GOTO(st, out, dec_transcribe(j->d, features, positions, h, err));
    if (reference)
        T2_GOTO(st, out, compare(j, t2_buf_slice(&h[0].text), reference, err));
    for (int32_t k = 0; k < n_best && json; k++)
        write_json(out, path, &h[k], reference);
    for (int32_t k = 0; k < n_best && !json; k++) {
        t2_out_write(out, h[k].text.data, h[k].text.len_bytes);
        t2_out_puts(out, k + 1 < n_best ? "\t" : "\n");
    }
out:
    for (int32_t k = 0; k < n_best; k++)
        t2_buf_release(&h[k].text);
    t2_free(h);
    t2_free(features);
    return st;
}

static enum t2_status transcribe_all(struct job *j, const struct sounds *s,
                                     const struct tr_transcribe_options *o, struct t2_out *out,
                                     struct t2_err *err)
{
    struct t2_progress progress;
    enum t2_status st = T2_OK;

    t2_progress_start(&progress, "listening", "sounds", s->paths.n);
    for (size_t i = 0; i < s->paths.n && st == T2_OK; i++) {
        st = t2_check_interrupt(err);
        if (st == T2_OK)
            st = transcribe_one(j, s, i, dec_n_best_of(j->d), o->json, out, err);
        j->report->n_sounds++;
        t2_progress_update(&progress, i + 1);
    }
    t2_progress_end(&progress);
    return st;
}

enum t2_status tr_transcribe(const struct tr_trained *t, struct dec_translator *d,
                             const struct tr_transcribe_options *o,
                             struct tr_transcribe_report *report, struct t2_err *err)
{
    struct job j = {.t = t, .d = d, .error = ev_error_new(), .report = report};
    char *from = t2_path_expand(o->from);
    struct sounds s = {.paths = {0}};
    double started = t2_now_s();
    struct t2_out *out = NULL;
    enum t2_status st;

    *report = (struct tr_transcribe_report){.n_sounds = 0};
    T2_GOTO(st, out, in_speech_recipe_of(mdl_hparams_of(t->m), &j.recipe, err));
    T2_GOTO(st, out, find_sounds(from, &s, err));
    T2_GOTO(st, out, t2_out_new(o->to, &out, err));
    T2_GOTO(st, out, transcribe_all(&j, &s, o, out, err));
    st = t2_out_commit(out, err);
    out = NULL;
    report->word_error_rate = ev_error_rate(&j.words);
    report->character_error_rate = ev_error_rate(&j.characters);
    report->seconds = t2_now_s() - started;
out:
    t2_out_abort(out);
    release_sounds(&s);
    in_speech_worker_release(&j.worker);
    aud_waveform_release(&j.waveform);
    t2_buf_release(&j.file);
    ev_error_free(j.error);
    t2_free(from);
    return st;
}
