/*
 * audio/sound_file.h - the samples of a sound file: WAV, FLAC, Ogg (Vorbis, Opus), MP3 and what
 * else libsndfile reads, by content.
 *
 * libsndfile is opened when the first file is (base/library.h).
 */
#ifndef AUD_SOUND_FILE_H
#define AUD_SOUND_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

/* Longer ones are refused: a record holds an utterance, in 4 bytes a sample. */
enum { AUD_MOST_SECONDS = 3600, AUD_MOST_CHANNELS = 64, AUD_MOST_RATE = 768000 };

/* Zero-initialise, use again, release. */
struct aud_sound {
    int32_t rate; /* samples a second, of a channel */
    int32_t channels;
    bool is_pcm16;  /* stored as 16 bits: `pcm` is exact, and `samples` is empty */
    size_t n;       /* samples of a channel */
    int16_t *pcm;   /* (n, channels) */
    float *samples; /* (n, channels), full scale is 1 */
    size_t pcm_capacity, samples_capacity; /* inside */
};
void aud_sound_release(struct aud_sound *s);

/* T2_EFORMAT: no sound file, a damaged one, or one of more than AUD_MOST_SECONDS (the message has
 * no name of the file); T2_EUNSUPPORTED: libsndfile is not there. */
T2_MUST_CHECK enum t2_status aud_sound_read(const uint8_t *file, size_t len_bytes,
                                            struct aud_sound *s, struct t2_err *err);

#endif
