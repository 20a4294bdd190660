/*
 * train/input/speech_recipe.c - a waveform as features.
 */
#include "train/input/speech_recipe.h"

#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"

static enum t2_status read_count(const struct mdl_hparams *hp, const char *hparam, int64_t most,
                                 int32_t *value, struct t2_err *err)
{
    int64_t n = mdl_hp_int(hp, hparam);

    if (n < 0 || n > most)
        return t2_fail(err, T2_EUSAGE, "hparam %s=%" PRId64 " must lie between 0 and %" PRId64,
                       hparam, n, most);
    *value = (int32_t) n;
    return T2_OK;
}

enum t2_status in_speech_recipe_of(const struct mdl_hparams *hp, struct in_speech_recipe *recipe,
                                   struct t2_err *err)
{
    enum { MOST_MASKS = 100, MOST_FRAMES = 1 << 20 };
    struct aud_spec_augment *a = &recipe->augment;

    *recipe = (struct in_speech_recipe){.max_frames = 0};
    T2_TRY(read_count(hp, "specaugment_frequency_masks", MOST_MASKS, &a->n_frequency, err));
    T2_TRY(read_count(hp, "specaugment_frequency_width", AUD_MEL_BANDS, &a->frequency_width, err));
    T2_TRY(read_count(hp, "specaugment_time_masks", MOST_MASKS, &a->n_time, err));
    T2_TRY(read_count(hp, "specaugment_time_width", MOST_FRAMES, &a->time_width, err));
    T2_TRY(read_count(hp, "max_input_seq_length", INT32_MAX / AUD_MEL_BANDS, &recipe->max_frames,
                      err));
    a->most_time = mdl_hp_float(hp, "specaugment_time_share");
    if (!(a->most_time >= 0 && a->most_time <= 1))
        return t2_fail(err, T2_EUSAGE, "hparam specaugment_time_share=%g must lie between 0 and 1",
                       a->most_time);
    return T2_OK;
}

int32_t in_speech_frames(const struct in_speech_recipe *recipe, size_t n)
{
    int32_t frames = (int32_t) (aud_mel_frames(n) + AUD_PAD_FRAMES);

    return recipe->max_frames > 0 && frames > recipe->max_frames ? recipe->max_frames : frames;
}

static float *need(float **items, size_t *capacity, size_t n)
{
    if (n > *capacity || !*items) {
        t2_free(*items);
        *capacity = n + n / 2;
        *items = t2_alloc(*capacity + 1, sizeof **items);
    }
    return *items;
}

float *in_speech_waveform(struct in_speech_worker *w, size_t n)
{
    return need(&w->waveform, &w->waveform_capacity, n);
}

void in_speech_features(const struct in_speech_recipe *recipe, const struct in_speech_name *name,
                        struct in_speech_worker *w, size_t n, int32_t rows, float *out)
{
    size_t frames = aud_mel_frames(n), all = frames + AUD_PAD_FRAMES;
    float *x = need(&w->features, &w->features_capacity, all * IN_SPEECH_COLUMNS);
    size_t kept = (size_t) in_speech_frames(recipe, n);

    aud_dither(w->waveform, n, name->seed, name->epoch, name->index);
    aud_speech_features(w->waveform, n, &w->scratch, x);
    if (name->training)
        aud_spec_augment(&recipe->augment, x, frames, name->seed, name->epoch, name->index);
    if (kept > (size_t) rows)
        kept = (size_t) rows;
    memcpy(out, x, kept * IN_SPEECH_COLUMNS * sizeof *out);
    memset(out + kept * IN_SPEECH_COLUMNS, 0,
           ((size_t) rows - kept) * IN_SPEECH_COLUMNS * sizeof *out);
}

void in_speech_worker_release(struct in_speech_worker *w)
{
    t2_free(w->waveform);
    t2_free(w->features);
    aud_mel_scratch_release(&w->scratch);
    *w = (struct in_speech_worker){0};
}
