/*
 * datagen/problems/vqa_questions.h - the questions of VQA v2, and the numbers of their answers.
 */
#ifndef DG_VQA_QUESTIONS_H
#define DG_VQA_QUESTIONS_H

#include "datagen/source/scratch_sort.h"
#include "datagen/source/source_files.h"

struct t2_mt;

/* The archive, as T2T unpacks it, and what is in it beside the questions. */
extern const struct dg_source_file dg_vqa_file;
extern const struct dg_source dg_vqa_source;
#define DG_VQA_WORDS "question.vocab.10000"
#define DG_VQA_ANSWERS "answer.label.3000"

/* Zero-initialise; dg_question_release. */
struct dg_question {
    int64_t image, number;
    struct t2_buf text;
    struct t2_buf answers; /* int64_t, their numbers; [0] when there are none */
};
void dg_question_release(struct dg_question *q);

/* The questions of a split in some order, on disk until they are asked for.  Zero-initialise;
 * dg_questions_release. */
struct dg_questions {
    char *path; /* of the document */
    uint64_t n;
    struct tfr_sorter *sorted;
};
void dg_questions_release(struct dg_questions *q);
enum dg_question_order {
    DG_QUESTIONS_MIXED,   /* as random.shuffle draws it from *mt */
    DG_QUESTIONS_BY_IMAGE /* by the image's number, then as in the document */
};
/*
 * Reads them.  files, if not NULL: the file that is read is added.  mt: NULL when they are not
 * mixed.  T2_EFORMAT names the annotation; an answer that is not listed is one, none at all is 0.
 */
T2_MUST_CHECK enum t2_status dg_questions_read(enum dg_split split,
                                               const struct dg_options *options,
                                               struct dg_input_files *files,
                                               enum dg_question_order order, struct t2_mt *mt,
                                               struct dg_questions *q, struct t2_err *err);
/* T2_EOF after the last. */
T2_MUST_CHECK enum t2_status dg_questions_next(struct dg_questions *q, struct dg_question *one,
                                               struct t2_err *err);
/* Questions, sorted by image, that are looked for by the image's number; a number and an offset for
 * each are held. Zero-initialise; dg_question_index_release. */
struct dg_question_index {
    struct t2_map *offsets; /* of the image's in the spool */
    struct t2_spool *spool;
    uint64_t at; /* the question that comes next */
    struct t2_buf data;
};
void dg_question_index_release(struct dg_question_index *ix);
/* Takes all of q.  T2_ENOMEM when the numbers do not fit into a part of --max_memory. */
T2_MUST_CHECK enum t2_status dg_question_index_fill(struct dg_question_index *ix,
                                                    struct dg_questions *q,
                                                    const struct dg_options *options,
                                                    struct t2_err *err);
/* Are there questions on the image?  They come next then; a second time there are none. */
bool dg_question_index_find(struct dg_question_index *ix, int64_t image);
/* T2_EOF after the last on the image. */
T2_MUST_CHECK enum t2_status dg_question_index_next(struct dg_question_index *ix,
                                                    struct dg_question *one, struct t2_err *err);

/* Draws as much as the original does to mix the questions of a split. */
T2_MUST_CHECK enum t2_status dg_questions_skip(enum dg_split split,
                                               const struct dg_options *options, struct t2_mt *mt,
                                               struct t2_err *err);
/* A text of the archive, appended. */
T2_MUST_CHECK enum t2_status dg_vqa_member(const char *member, const struct dg_options *options,
                                           struct t2_buf *text, struct t2_err *err);

#endif
