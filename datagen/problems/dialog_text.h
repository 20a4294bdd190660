/*
 * datagen/problems/dialog_text.h - dialogs as T2T prepares them: cleaned utterances and answers,
 * line by line (spec t2t-datagen.md §5.8; T2T's dialog_*.py).
 */
#ifndef DG_DIALOG_TEXT_H
#define DG_DIALOG_TEXT_H

#include "datagen/source/source_files.h"
#include "datagen/vocabs/ranked_words.h"

/* The destination of utterances while raw data are read. */
struct dg_dialogs {
    struct t2_out *out[DG_N_SPLITS][2]; /* source, target; NULL: not written */
    struct dg_ranked_words *words;      /* of the training dialogs; NULL: not counted */
    uint64_t n_pairs[DG_N_SPLITS];
};
/* The split for the counter that runs to 100: 80 of 100 dialogs are TRAIN, 10 DEV, 10 TEST. */
enum dg_split dg_dialog_split(int counter);
void dg_dialog_put(struct dg_dialogs *d, enum dg_split split, bool is_target, struct t2_slice line);
void dg_dialog_pair(struct dg_dialogs *d, enum dg_split split, struct t2_slice source,
                    struct t2_slice target);
/* Counts the words of a line for the vocabulary when the split is TRAIN. */
void dg_dialog_count(struct dg_dialogs *d, enum dg_split split, struct t2_slice line);

/* Reads all dialogs of the raw data (of source, with options->tmp_dir where it is). */
typedef enum t2_status (*dg_dialog_reader)(const struct dg_source *source,
                                           const struct dg_options *options, struct dg_dialogs *d,
                                           struct t2_err *err);
T2_MUST_CHECK enum t2_status dg_read_cornell(const struct dg_source *source,
                                             const struct dg_options *options, struct dg_dialogs *d,
                                             struct t2_err *err);
T2_MUST_CHECK enum t2_status dg_read_dailydialog(const struct dg_source *source,
                                                 const struct dg_options *options,
                                                 struct dg_dialogs *d, struct t2_err *err);
T2_MUST_CHECK enum t2_status dg_read_personachat(const struct dg_source *source,
                                                 const struct dg_options *options,
                                                 struct dg_dialogs *d, struct t2_err *err);
T2_MUST_CHECK enum t2_status dg_read_opensubtitles(const struct dg_source *source,
                                                   const struct dg_options *options,
                                                   struct dg_dialogs *d, struct t2_err *err);

/* Replaces *text by the line in lower case without all but a-z, 0-9, blank . ? ! ', marks between
 * blanks and apostrophes set apart (DialogAbstract.clean_line). */
void dg_clean_utterance(struct t2_slice line, struct t2_buf *text);
/* As DialogOpensubtitles64k2009.clean_line: no digits, backslashes are blanks. */
void dg_clean_subtitle(struct t2_slice line, struct t2_buf *text);

#endif
