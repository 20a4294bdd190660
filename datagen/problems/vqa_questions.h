/*
 * datagen/problems/vqa_questions.h - the questions of VQA v2, and the numbers of their answers.
 */
#ifndef DG_VQA_QUESTIONS_H
#define DG_VQA_QUESTIONS_H

#include "datagen/source/source_json.h"

struct t2_mt;

/* The archive, as T2T unpacks it, and what is in it beside the questions. */
extern const struct dg_source_file dg_vqa_file;
extern const struct dg_source dg_vqa_source;
#define DG_VQA_WORDS "question.vocab.10000"
#define DG_VQA_ANSWERS "answer.label.3000"

/* Zero-initialise; dg_questions_release. */
struct dg_questions {
    struct t2_json_doc *doc;
    char *path;
    size_t n;
    struct dg_question {
        int64_t picture, number;
        const char *text;
        size_t first, n_answers; /* into the answers */
    } * items;
    int64_t *answers;
    size_t n_answers;
};

/* files, if not NULL: the file that is read is added.  T2_EFORMAT names the annotation; an answer that is not listed is
 * one, none at all is 0. */
T2_MUST_CHECK enum t2_status dg_questions_read(enum dg_split split,
                                               const struct dg_options *options,
                                               struct dg_input_files *files, struct dg_questions *q,
                                               struct t2_err *err);
void dg_questions_release(struct dg_questions *q);
/* Draws as much as the original does to mix the questions of a split. */
T2_MUST_CHECK enum t2_status dg_questions_skip(enum dg_split split,
                                               const struct dg_options *options, struct t2_mt *mt,
                                               struct t2_err *err);
/* A text of the archive, appended. */
T2_MUST_CHECK enum t2_status dg_vqa_member(const char *member, const struct dg_options *options,
                                           struct t2_buf *text, struct t2_err *err);

#endif
