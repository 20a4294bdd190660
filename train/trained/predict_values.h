/*
 * train/trained/predict_values.h - t2t-decoder for models of which a side is values: rows of
 * numbers or texts in, numbers, labels or classes out.
 */
#ifndef TR_PREDICT_VALUES_H
#define TR_PREDICT_VALUES_H

#include "train/trained/trained.h"

/* Are inputs or targets of the problem values? */
bool tr_has_values(const struct mdl_problem *problem);

/* T2_EUNSUPPORTED where the problem of t has values and something else is wanted than a file of
 * lines. */
T2_MUST_CHECK enum t2_status tr_check_of_values(const struct tr_trained *t, bool other,
                                                struct t2_err *err);

struct tr_predict_options {
    const char *from; /* a file of lines; "-" is stdin */
    const char *to;   /* a file; "-" is stdout */
    int64_t batch_size;
    uint64_t max_memory; /* of a batch with packed weights, in host memory: fewer rows; 0: any */
    bool json;           /* lines are objects: targets; or labels or class, and probabilities */
};

struct tr_predict_report {
    uint64_t n_rows, n_batches;
    double seconds;
};

/*
 * Line n of the output is of line n of the input: numbers "%.9g" with commas between them; labels
 * that hold (whose probability is above 1/2), with '|' between them; the likeliest class.
 *
 * An input is a text, or numbers between blanks, tabs, commas or semicolons; a first line in which
 * nothing is a number names the columns and gives no output.  T2_EFORMAT names file and line of
 * what is no finite number, or of another number of them; and it is the status when the model gives
 * something that is not finite.
 */
T2_MUST_CHECK enum t2_status tr_predict_values(const struct tr_trained *t,
                                               const struct tr_predict_options *options,
                                               struct tr_predict_report *report,
                                               struct t2_err *err);

#endif
