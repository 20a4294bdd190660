/*
 * train/serve/predict_request.h - the body of a :predict request, and of its answer, in the shape
 * of TensorFlow Serving's REST interface (tensorflow_serving/g3doc/api_rest.md).
 *
 * What is asked for:
 *   {"instances": [I, ...]}    rows; the answer is {"predictions": [P, ...]}
 *   {"inputs": I or [I, ...]}  a column; the answer is {"outputs": {"outputs": [...], ...}}
 * beside "signature_name": "serving_default", which may be left out.  I is one of
 *   "a text"
 *   {"b64": "..."}             a tf.train.Example with ids in the feature "inputs" ("targets" of a
 *                              language model), EOS included, as t2t-query-server sends it
 *   {"input": I}, {"inputs": I}
 *   [5, 7, 1]                  ids
 * P is {"outputs": ids, "scores": number, "text": "..."}, with return_beams lists of these.  Ids
 * end with EOS, where the search came to it; nothing is padded.
 */
#ifndef SRV_PREDICT_REQUEST_H
#define SRV_PREDICT_REQUEST_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/err.h"
#include "tokenizer/encoder.h"
#include "train/decode/translator.h"

/* What is to be translated: a text, valid UTF-8, or ids. */
struct srv_instance {
    bool is_ids;
    struct t2_buf text;
    struct tok_ids ids;
};

struct srv_request {
    struct srv_instance *instances; /* (n) */
    size_t n;
    bool columns; /* "inputs" */
};

/*
 * Reads a body.  T2_EFORMAT: the message says what is wrong with it; T2_ENOMEM: there are more
 * than most_instances.  *r is then empty, else owned by the caller.
 */
T2_MUST_CHECK enum t2_status srv_request_parse(struct t2_slice body, size_t most_instances,
                                               struct srv_request *r, struct t2_err *err);
void srv_request_release(struct srv_request *r);

/* Appends the answer: outputs are (r->n, n_best); `beams`: lists, also of one. */
void srv_put_predictions(const struct srv_request *r, const struct dec_hypothesis *outputs,
                         int32_t n_best, bool beams, struct t2_buf *json);
/* Appends {"error": message}. */
void srv_put_error(const char *message, struct t2_buf *json);

#endif
