/*
 * train/input/speech_recipe.h - what becomes of a waveform between its record and the model: noise,
 * features (audio/log_mel.h), and in training, where hparams ask for it, masks (SpecAugment).
 */
#ifndef IN_SPEECH_RECIPE_H
#define IN_SPEECH_RECIPE_H

#include "audio/log_mel.h"
#include "audio/spec_augment.h"
#include "train/models/hparams.h"
#include "train/models/model.h"

enum { IN_SPEECH_COLUMNS = AUD_MEL_BANDS * AUD_MEL_CHANNELS };

struct in_speech_recipe {
    struct aud_spec_augment augment;
    int32_t max_frames; /* cut to so many, the zeros at the end counted; 0: not */
};

/* hparams specaugment_*, max_input_seq_length.  T2_EUSAGE: out of range. */
T2_MUST_CHECK enum t2_status in_speech_recipe_of(const struct mdl_hparams *hp,
                                                 struct in_speech_recipe *recipe,
                                                 struct t2_err *err);

/* Frames of a waveform of n samples, with the zeros at their end, cut. */
int32_t in_speech_frames(const struct in_speech_recipe *recipe, size_t n);

/* Which utterance of a run this is: names its random numbers. */
struct in_speech_name {
    bool training;
    uint64_t seed, epoch, index;
};

/* Zero-initialise, use again, release. */
struct in_speech_worker {
    float *waveform, *features;
    size_t waveform_capacity, features_capacity;
    struct aud_mel_scratch scratch;
};
void in_speech_worker_release(struct in_speech_worker *w);
/* Room for n samples, to be filled in. */
float *in_speech_waveform(struct in_speech_worker *w, size_t n);

/* w->waveform (n), which is changed -> out (rows, 80, 3): what does not fit is left out, what is
 * missing is zeros. */
void in_speech_features(const struct in_speech_recipe *recipe, const struct in_speech_name *name,
                        struct in_speech_worker *w, size_t n, int32_t rows, float *out);

#endif
