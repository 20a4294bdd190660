/*
 * train/serve/query.h - asks a server of TensorFlow Serving's REST interface for one text, as T2T's
 * t2t-query-server does by gRPC: the text's ids in a tf.train.Example, ids and scores back.
 */
#ifndef SRV_QUERY_H
#define SRV_QUERY_H

#include "base/err.h"
#include "base/str.h"

struct srv_query_options {
    const char *server;        /* "localhost:8501"; with http:// or https:// in front: as it is */
    const char *servable_name; /* letters, digits and "._-" */
    const char *problem, *data_dir; /* whose vocabularies are used */
    int timeout_s;                  /* without a byte of the answer */
};

struct srv_query;
/* T2_EUSAGE: a name that is none, or a problem that is not of texts. */
T2_MUST_CHECK enum t2_status srv_query_new(const struct srv_query_options *o, struct srv_query **q,
                                           struct t2_err *err);
void srv_query_free(struct srv_query *q); /* NULL is nothing */

/* What came back, the best first: texts, and their scores; owned by the caller. */
struct srv_answer {
    struct t2_strs texts;
    double *scores; /* (texts.n); NaN: the server does not say */
    bool is_list;   /* it came as a list: of several beams */
};
void srv_answer_release(struct srv_answer *a);

/*
 * T2_EIO: nobody answers; T2_EFORMAT: what is no answer, or an error of the server, whose message
 * is passed on.  Interrupted by a signal: T2_EINTERRUPTED.
 */
T2_MUST_CHECK enum t2_status srv_query_ask(struct srv_query *q, const char *text,
                                           struct srv_answer *a, struct t2_err *err);

/* An answer's body; `origin` names it in errors.  For srv_query_ask and its tests. */
struct tok_encoder;
T2_MUST_CHECK enum t2_status srv_read_answer(const char *body, size_t len_bytes, const char *origin,
                                             const struct tok_encoder *targets,
                                             struct srv_answer *a, struct t2_err *err);

#endif
