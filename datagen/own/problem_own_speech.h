/*
 * datagen/own/problem_own_speech.h - a problem out of a user's own recordings and their
 * transcripts.
 *
 * A split is a table (audio TAB text [TAB speaker [TAB ID]], paths below the table's folder), a
 * Kaldi data directory (text, wav.scp, maybe segments and utt2spk), or a folder as LibriSpeech's
 * (transcripts "ID text" in ID.trans.txt beside the files ID.flac).  Records are those of the
 * speech problems.
 */
#ifndef DG_PROBLEM_OWN_SPEECH_H
#define DG_PROBLEM_OWN_SPEECH_H

#include "base/err.h"
#include "datagen/problem.h"

/* Flags of the command line; "" where not given.  Borrowed for the life of the problem. */
struct dg_own_speech {
    const char *name;
    const char *from[DG_N_SPLITS];
};

/* T2_EUSAGE when the flags contradict each other.  *p is owned by the caller. */
T2_MUST_CHECK enum t2_status dg_own_speech_new(const struct dg_own_speech *own,
                                               struct dg_problem **p, struct t2_err *err);
void dg_own_speech_free(struct dg_problem *p);

#endif
