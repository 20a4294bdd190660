/*
 * datagen/problems/news_text.h - CNN and Daily Mail stories with their highlights, as text files in
 * tmp_dir (spec t2t-datagen.md §5.8; T2T's cnn_dailymail.py).
 */
#ifndef DG_NEWS_TEXT_H
#define DG_NEWS_TEXT_H

#include "base/buf.h"
#include "datagen/problem.h"

/* NULL-ended. */
extern const struct dg_source_file *const dg_news_files[];

/*
 * Makes cnndm.{train,dev,test}.{source,target} of tmp_dir out of the stories and the lists of their
 * addresses, line by line, unless both files of a split are there.
 */
T2_MUST_CHECK enum t2_status dg_news_make(const struct dg_options *options, struct t2_err *err);
/* Are both files of a split there? */
bool dg_news_is_made(const struct dg_options *options, enum dg_split split);
/* Tells the sizes of the archives. */
void dg_news_sizes(const struct dg_options *options, struct dg_input_sizes *sizes);
/* Path of one of these files; owned by the caller. */
char *dg_news_path(const struct dg_options *options, enum dg_split split, bool is_target);

/*
 * Takes a story apart: its lines, CR deleted and stripped, with a full stop where the end of a
 * sentence is missing, joined by blanks; what follows "@highlight" is the summary.  false: one of
 * the two is empty.
 */
bool dg_news_story(struct t2_slice file, struct t2_buf *story, struct t2_buf *summary);

#endif
