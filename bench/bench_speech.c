/*
 * bench/bench_speech.c - measures features of speech: one kind of work on sound files, one JSON
 * line. "value" is seconds of sound a second of the processor's time, the median of the
 * repetitions.
 *
 * Work: mel (logarithms of 80 bands of waveforms in memory), features (with differences and
 * normalisation), decode (sound file to waveform), all (decode and features).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "audio/log_mel.h"
#include "audio/waveform.h"
#include "base/alloc.h"
#include "base/file.h"
#include "base/flags.h"

enum { MAX_REPS = 100, MAX_FILES = 10000, COLUMNS = AUD_MEL_BANDS * AUD_MEL_CHANNELS };

static const char *work = "features", *list = "";
static int64_t reps = 7, passes = 5;

static struct t2_buf files[MAX_FILES];
static struct {
    float *x;
    size_t n;
} waves[MAX_FILES];
static size_t n_files;
static double sound_s;

static void must(enum t2_status st, const struct t2_err *err)
{
    if (st != T2_OK) {
        fprintf(stderr, "bench_speech: error: %s\n", err->message);
        exit(1);
    }
}

static void to_floats(const struct aud_waveform *w, float *x)
{
    for (size_t i = 0; i < w->n; i++)
        x[i] = aud_float(w->samples[i]);
}

static void load(void)
{
    struct t2_err err = T2_ERR_INIT;
    struct t2_strs paths = {0};
    struct aud_waveform w = {0};

    t2_strs_split(&paths, list, ',');
    for (size_t i = 0; i < paths.n && i < MAX_FILES; i++) {
        must(t2_read_file(paths.items[i], 0, &files[i], &err), &err);
        must(aud_waveform_read(files[i].data, files[i].len_bytes, &w, &err), &err);
        waves[i].x = t2_alloc(w.n, sizeof(float));
        waves[i].n = w.n;
        to_floats(&w, waves[i].x);
        sound_s += (double) w.n / AUD_RATE;
        n_files++;
    }
    aud_waveform_release(&w);
    t2_strs_release(&paths);
}

/* All files once; what was made depends on all of it. */
static double pass(struct aud_mel_scratch *s, struct aud_waveform *w, float *out, float *x)
{
    bool decodes = strcmp(work, "decode") == 0 || strcmp(work, "all") == 0;
    struct t2_err err = T2_ERR_INIT;
    double sum = 0;

    for (size_t i = 0; i < n_files; i++) {
        const float *wave = waves[i].x;

        if (decodes) {
            must(aud_waveform_read(files[i].data, files[i].len_bytes, w, &err), &err);
            to_floats(w, x);
            wave = x;
        }
        if (strcmp(work, "mel") == 0)
            aud_log_mel(wave, waves[i].n, out);
        else if (strcmp(work, "decode") != 0)
            aud_speech_features(wave, waves[i].n, s, out);
        sum += (double) (decodes ? x[waves[i].n / 2] : out[7]);
    }
    return sum;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *) a, y = *(const double *) b;

    return x < y ? -1 : x > y;
}

/* One thread's work; what else runs on the machine changes it least. */
static double processor_s(void)
{
    struct timespec t;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double) t.tv_sec + 1e-9 * (double) t.tv_nsec;
}

int main(int argc, char **argv)
{
    static const struct t2_flag table[] = {
        {"work", T2_FLAG_STRING, &work, "NAME", "mel, features, decode or all.", NULL},
        {"files", T2_FLAG_STRING, &list, "PATHS", "Sound files, with commas.", NULL},
        {"reps", T2_FLAG_INT, &reps, "N", "Repetitions.", NULL},
        {"passes", T2_FLAG_INT, &passes, "N", "Passes over the files in each.", NULL},
    };
    static const struct t2_tool tool = {.name = "bench_speech",
                                        .usage = "--files=A.flac,B.flac",
                                        .summary = "Measures features of speech.",
                                        .flags = table,
                                        .n_flags = sizeof table / sizeof *table};
    struct t2_err err = T2_ERR_INIT;
    struct aud_mel_scratch s = {0};
    struct aud_waveform w = {0};
    struct t2_strs rest = {0};
    double rates[MAX_REPS], sum = 0;
    size_t longest = 0;
    float *out, *x;

    must(t2_flags_parse(&tool, argc, argv, &rest, &err), &err);
    t2_strs_release(&rest);
    load();
    for (size_t i = 0; i < n_files; i++)
        longest = waves[i].n > longest ? waves[i].n : longest;
    out = t2_alloc((aud_mel_frames(longest) + AUD_PAD_FRAMES) * COLUMNS, sizeof *out);
    x = t2_alloc(longest + 1, sizeof *x);
    for (int64_t r = 0; r < reps && r < MAX_REPS; r++) {
        double begin = processor_s();

        for (int64_t k = 0; k < passes; k++)
            sum += pass(&s, &w, out, x);
        rates[r] = sound_s * (double) passes / (processor_s() - begin);
    }
    qsort(rates, (size_t) reps, sizeof *rates, by_value);
    printf("{\"work\": \"%s\", \"value\": %.1f, \"sound_s\": %.3f, \"sum\": %.6g}\n", work,
           rates[reps / 2], sound_s, sum);
    return 0;
}
