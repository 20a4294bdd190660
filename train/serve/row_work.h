/*
 * train/serve/row_work.h - what is done with the rows that wait (row_batches.h): they are
 * translated (text_rows.c) or classified (classified_rows.c).
 */
#ifndef SRV_ROW_WORK_H
#define SRV_ROW_WORK_H

#include "train/serve/row_batches.h"

struct srv_row_work {
    /* Makes memory for the results of a job, and gives it back, from NULL, too. */
    void (*begin)(const struct srv_batches *b, struct srv_job *job);
    void (*release)(const struct srv_batches *b, struct srv_job *job);
    /* Reads an instance into *ids; *idle: nothing is to be done for it.  A failure refuses the job.
     */
    enum t2_status (*take)(const struct srv_batches *b, const struct srv_instance *from,
                           struct tok_ids *ids, bool *idle, struct t2_err *err);
    /* The most rows of a batch. */
    size_t (*most)(const struct srv_batches *b);
    /* Which rows, in ascending order, the first is 0: *n of up to `most`. */
    enum t2_status (*pick)(const struct srv_batches *b, size_t *picked, size_t most, size_t *n,
                           struct t2_err *err);
    /* One batch: results go into the jobs; a row that is to be done again is not finished. */
    enum t2_status (*run)(struct srv_batches *b, const size_t *picked, size_t n, bool *finished,
                          struct t2_err *err);
    void (*put)(const struct srv_batches *b, const struct srv_job *job, struct t2_buf *json);
};

extern const struct srv_row_work srv_text_rows, srv_image_rows;

/* Which of n rows of texts, the oldest first, make the next batch: at most `most` indices,
 * ascending, the first is 0.  Returns how many. */
size_t srv_pick_rows(const struct srv_row *rows, size_t n, size_t most, size_t *picked);

/* Do texts of so many ids go together? */
bool srv_similar(size_t a, size_t b);

/* ---- stream_texts.c ---- */

/* All texts that wait, and what comes meanwhile; *streamed false: a batch is to be run in their
 * place. */
T2_MUST_CHECK enum t2_status srv_stream_texts(struct srv_batches *b, bool *streamed,
                                              struct t2_err *err);

/* ---- waiting_rows.c ---- */

enum { SRV_OK = 200, SRV_BAD_REQUEST = 400, SRV_FAILED = 500, SRV_UNAVAILABLE = 503 };

const struct srv_row_work *srv_work_of(const struct srv_batches *b);
/* Takes the i-th row out of those that wait. */
struct srv_row srv_take_row(struct srv_batches *b, size_t i);
/* The row is done, and with its last one its job. */
void srv_finish_row(struct srv_batches *b, struct srv_row *r);
/* All instances have what they are to have. */
void srv_complete(struct srv_batches *b, struct srv_job *job);
/* Finishes the job with this status; its rows do not wait any more. */
void srv_refuse(struct srv_batches *b, struct srv_job *job, int status, const char *message);
/* These rows, which were taken, failed: their jobs are told. */
void srv_give_up(struct srv_batches *b, const struct srv_row *rows, size_t n,
                 const struct t2_err *err);

#endif
