/*
 * train/serve/predict_request.h - the body of a :predict or :classify request, and of its answer,
 * in the shape of TensorFlow Serving's REST interface (tensorflow_serving/g3doc/api_rest.md).
 *
 * What is asked for:
 *   {"instances": [I, ...]}    rows; the answer is {"predictions": [P, ...]}
 *   {"inputs": I or [I, ...]}  a column; the answer is {"outputs": {"outputs": [...], ...}}
 *   {"examples": [I, ...]}     of :classify; the answer is {"results": [[["class", p], ...], ...]}
 * beside "signature_name": "serving_default", which may be left out.  I of a model of texts is one
 * of
 *   "a text"
 *   {"b64": "..."}             a tf.train.Example with ids in the feature "inputs" ("targets" of a
 *                              language model), EOS included, as t2t-query-server sends it
 *   {"input": I}, {"inputs": I}
 *   [5, 7, 1]                  ids
 * P is {"outputs": ids, "scores": number, "text": "..."}, with return_beams lists of these.  Ids
 * end with EOS, where the search came to it; nothing is padded.
 *
 * I of a model of images is one of
 *   {"b64": "..."}             the bytes of a JPEG, PNG, ...
 *   {"image_bytes": I}, {"image": I}, {"image/encoded": I}, {"input": I}, {"inputs": I}
 * P is {"classes": label, "probabilities": [p, ...], "classid": label, "class": "name"}: what the
 * ResNet of tensorflow/tpu and the flowers example answer, both; their signatures "classify" and
 * "classes" may be named.
 */
#ifndef SRV_PREDICT_REQUEST_H
#define SRV_PREDICT_REQUEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "tokenizer/encoder.h"
#include "train/decode/translator.h"

/* What is to be translated: a text, valid UTF-8, or ids; or an image: the bytes of a file. */
struct srv_instance {
    bool is_ids;
    struct t2_buf text; /* or the file */
    struct tok_ids ids;
};

struct srv_request {
    struct srv_instance *instances; /* (n) */
    size_t n;
    bool columns; /* "inputs" */
    bool examples;
};

/* What a body may be. */
struct srv_form {
    bool images;   /* the model is of images, else of texts */
    bool examples; /* :classify, else :predict */
    size_t most_instances;
};

/*
 * Reads a body.  T2_EFORMAT: the message says what is wrong with it; T2_ENOMEM: there are more
 * than most_instances.  *r is then empty, else owned by the caller.
 */
T2_MUST_CHECK enum t2_status srv_request_parse(struct t2_slice body, const struct srv_form *form,
                                               struct srv_request *r, struct t2_err *err);
void srv_request_release(struct srv_request *r);

/* Appends the answer: outputs are (r->n, n_best); `beams`: lists, also of one. */
void srv_put_predictions(const struct srv_request *r, const struct dec_hypothesis *outputs,
                         int32_t n_best, bool beams, struct t2_buf *json);
/* The name of a class; borrowed until the next call. */
typedef const char *(*srv_class_name_fn)(void *context, int32_t label);
/* Appends the answer: probabilities are (r->n, n_classes). */
void srv_put_classes(const struct srv_request *r, const double *probabilities, int32_t n_classes,
                     srv_class_name_fn name, void *context, struct t2_buf *json);
/* Appends {"error": message}. */
void srv_put_error(const char *message, struct t2_buf *json);

#endif
