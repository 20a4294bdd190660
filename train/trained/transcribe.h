/*
 * train/trained/transcribe.h - t2t-decoder for speech: what is said in sound files.
 *
 * Each file is searched by itself: what is padded changes what is heard, so batches would change
 * each other's texts.
 */
#ifndef TR_TRANSCRIBE_H
#define TR_TRANSCRIBE_H

#include "train/decode/translator.h"
#include "train/trained/trained.h"

struct tr_transcribe_options {
    /* A sound file, a folder (all sound files below it, by their names' ends, in the order of
     * bytes), or a list: a path a line, below the list's folder, and behind a tab, if it is known,
     * what is said. */
    const char *from;
    const char *to; /* file; "-" is stdout */
    bool json;      /* lines are objects: file, text, score, reference */
};

struct tr_transcribe_report {
    uint64_t n_sounds;
    uint64_t n_known;                             /* of which the list says what is said */
    double word_error_rate, character_error_rate; /* of these */
    double sound_s, seconds;
};

/* Writes a line of text for each file.  T2_EFORMAT names a file that is no sound; T2_EUNSUPPORTED:
 * libsndfile is not there. */
T2_MUST_CHECK enum t2_status tr_transcribe(const struct tr_trained *t, struct dec_translator *d,
                                           const struct tr_transcribe_options *options,
                                           struct tr_transcribe_report *report, struct t2_err *err);

#endif
