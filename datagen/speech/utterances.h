/*
 * datagen/speech/utterances.h - samples that are an utterance each: a sound file and what is said
 * in it (spec t2t-datagen.md §7.1; T2T's speech_recognition.py).
 *
 * A family lists the utterances of a split; this sorts them, reads the sound files, of a source or
 * by their paths, and hashes them.  The list lies on disk where it is long.  Records are made of
 * the files on any thread (dg_utterance_finish): waveforms, waveform_lens, targets, raw_transcript,
 * utt_id, spk_id.
 */
#ifndef DG_UTTERANCES_H
#define DG_UTTERANCES_H

#include "base/hash.h"
#include "datagen/feature_list.h"
#include "datagen/source/source_files.h"
#include "datagen/speech/utterance_files.h"
#include "tfrecord/external_sort.h"

struct dg_utterances;

enum { DG_MOST_SPEECH_PARTS = 4 };

/* Utterances that are sorted together.  Constant. */
struct dg_speech_part {
    const struct dg_source *source; /* NULL: files by their paths */
    const char *patterns[3];        /* of the source's files, sounds and lists; NULL-ended */
    const char *prefix;             /* the family's: "LibriSpeech/dev-clean", "cv-valid-" */
    /* Adds the utterances (dg_utterances_add). */
    enum t2_status (*list)(struct dg_utterances *s, const struct dg_speech_part *part,
                           struct t2_err *err);
    bool in_order; /* they stay in the order of the list; else sorted by ID */
};

/* The context of a problem. */
struct dg_speech_spec {
    struct {
        const struct dg_speech_part *const *items;
        size_t n;                           /* at most DG_MOST_SPEECH_PARTS */
    } parts[DG_N_SPLITS];                   /* one after the other */
    const struct dg_source *const *sources; /* all that prepare brings, NULL-ended */
};

struct dg_utterances {
    struct dg_stream base;
    const struct dg_speech_spec *spec;
    const struct dg_options *options;
    enum dg_split split;
    struct dg_file_set *files; /* of the part; NULL: paths */
    struct t2_strs paths;      /* of sounds that are in no source */

    /* inside */
    size_t part;
    struct dg_file_set *sets[DG_MOST_SPEECH_PARTS]; /* of parts so far: origins have their names */
    struct tfr_sorter *sorted;                      /* of the part; NULL: it is not listed yet */
    uint64_t n_listed, n_read;                      /* of all parts */
    struct t2_buf row, facts, content;
    struct t2_sha256 *hash;
    uint64_t bytes_hashed;
};

/* Functions of struct dg_problem whose context is a struct dg_speech_spec. */
T2_MUST_CHECK enum t2_status dg_utterances_open(const struct dg_problem *p,
                                                const struct dg_options *options,
                                                enum dg_split split, struct dg_stream **stream,
                                                struct t2_err *err);
T2_MUST_CHECK enum t2_status dg_utterances_prepare(const struct dg_problem *p,
                                                   const struct dg_options *options,
                                                   struct t2_err *err);
T2_MUST_CHECK enum t2_status dg_utterance_finish(const struct dg_problem *p,
                                                 const struct dg_texts *texts, struct dg_record *r,
                                                 struct t2_err *err);
/* Its record.more_fields; with record.replaces_sides. */
extern const char *const dg_utterance_fields[];

/* For `list`: u, whose sound is file `file` of s->files, or, where there are none, of s->paths. */
T2_MUST_CHECK enum t2_status dg_utterances_add(struct dg_utterances *s,
                                               const struct dg_utterance *u, size_t file,
                                               struct t2_err *err);

#endif
