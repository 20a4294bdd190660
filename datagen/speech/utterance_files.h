/*
 * datagen/speech/utterance_files.h - files that list utterances: transcripts of LibriSpeech, tables
 * with a sound file and its text, Kaldi's data directories, Common Voice's tables.
 *
 * A file is given as its bytes; `name` is for messages.  All texts have to be UTF-8 (T2_EFORMAT
 * names file and line).
 */
#ifndef DG_UTTERANCE_FILES_H
#define DG_UTTERANCE_FILES_H

#include "base/buf.h"
#include "base/err.h"

/* Borrowed for the call. */
struct dg_utterance {
    struct t2_slice id;      /* empty: what the sound file is called */
    struct t2_slice speaker; /* empty: not known */
    struct t2_slice audio;   /* the sound file, as the list names it */
    struct t2_slice text;
    double start_s, end_s; /* the part of the sound; 0 and 0: all of it */
};
typedef enum t2_status (*dg_see_utterance)(void *context, const struct dg_utterance *u,
                                           struct t2_err *err);

/* "ID text" a line: audio is the ID, its speaker is what comes before the first '-'. */
T2_MUST_CHECK enum t2_status dg_read_transcripts(struct t2_slice file, const char *name,
                                                 dg_see_utterance see, void *context,
                                                 struct t2_err *err);

/*
 * Columns between tabs: sound file, text, speaker, ID; the last two may be missing.  A first row
 * that has names of columns (path, audio, file, filename; sentence, text, transcript; speaker,
 * client_id; id, utt_id) says where they are; others are passed over.
 */
T2_MUST_CHECK enum t2_status dg_read_sound_table(struct t2_slice file, const char *name,
                                                 dg_see_utterance see, void *context,
                                                 struct t2_err *err);

/* Common Voice's first release: a heading, then "filename,text,..." as CSV.  The ID is the file's
 * name. */
T2_MUST_CHECK enum t2_status dg_read_voice_table(struct t2_slice file, const char *name,
                                                 dg_see_utterance see, void *context,
                                                 struct t2_err *err);

/* The files of a Kaldi directory; those that are not there are empty. */
struct dg_kaldi_files {
    struct t2_slice text;     /* "ID text" */
    struct t2_slice wav_scp;  /* "RECORDING file"; commands ("... |") are refused */
    struct t2_slice segments; /* "ID RECORDING start end", seconds; else IDs are recordings */
    struct t2_slice utt2spk;  /* "ID SPEAKER" */
};
/* In the order of `text`. */
T2_MUST_CHECK enum t2_status dg_read_kaldi(const struct dg_kaldi_files *files, const char *name,
                                           dg_see_utterance see, void *context, struct t2_err *err);

#endif
