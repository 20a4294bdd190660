/*
 * tests/unit/train/speech_shards.h - shards of utterances for tests: tones of different lengths and
 * a few letters each.
 */
#ifndef T2_TESTS_UNIT_TRAIN_SPEECH_SHARDS_H
#define T2_TESTS_UNIT_TRAIN_SPEECH_SHARDS_H

#include <math.h>

#include "base/alloc.h"
#include "base/file.h"
#include "tests/support/record_writer.h"
#include "tests/support/t.h"
#include "tfrecord/example.h"
#include "tfrecord/shards.h"

enum { SPEECH_UNIT = 1600 }; /* samples */

/* Utterance i has 1 + i % 5 units and 2 + i % 3 ids. */
static inline size_t speech_samples_of(uint64_t i)
{
    return (size_t) (1 + i % 5) * SPEECH_UNIT;
}

static inline void speech_record(uint64_t i, struct t2_buf *record)
{
    size_t n = speech_samples_of(i);
    float *x = t2_alloc(n, sizeof *x);
    int64_t targets[] = {67 + (int64_t) (i % 20), 70, 72, 1}, length = (int64_t) n;
    const struct tfr_feature features[] = {
        {.name = "waveforms", .kind = TFR_FLOAT, .n = n, .floats = x},
        {.name = "waveform_lens", .kind = TFR_INT64, .n = 1, .ints = &length},
        {.name = "targets", .kind = TFR_INT64, .n = 1 + i % 3, .ints = targets + 3 - i % 3}};

    for (size_t k = 0; k < n; k++)
        x[k] = 0.3f * sinf((float) k * 0.05f * (float) (1 + i % 7));
    t2_buf_clear(record);
    tfr_example_build(record, features, 3);
    t2_free(x);
}

/* n utterances in the shard <dir>/speech-train-00000-of-00001. */
static inline void speech_write(const char *dir, uint64_t n)
{
    char *path = t2_path_join(dir, "speech-train-00000-of-00001");
    struct t2_buf record = {NULL, 0, 0};
    struct t2_err err = T2_ERR_INIT;
    struct t_writer *w = NULL;

    assert_int_equal(t2_make_dirs(dir, &err), T2_OK);
    assert_int_equal(t_writer_new(path, &w, &err), T2_OK);
    for (uint64_t i = 0; i < n; i++) {
        speech_record(i, &record);
        t_writer_add(w, record.data, record.len_bytes);
    }
    if (t_writer_commit(w, &err) != T2_OK)
        fail_msg("%s", err.message);
    t2_buf_release(&record);
    t2_free(path);
}

#endif
