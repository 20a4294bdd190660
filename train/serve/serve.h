/*
 * train/serve/serve.h - t2t-decoder --serve: translations, or classes of images, over HTTP, in the
 * shape of TensorFlow Serving's REST interface.
 *
 *   GET  /v1/models/NAME[/versions/N]            which version there is
 *   GET  /v1/models/NAME[/versions/N]/metadata   its signature
 *   POST /v1/models/NAME[/versions/N]:predict    predict_request.h
 *   POST /v1/models/NAME[/versions/N]:classify   the same, of a model of images
 *   GET  /healthz, /metrics, /                   alive, Prometheus, a page to try it
 *
 * The version is the step of the checkpoint.  Errors are {"error": "..."}: 400 a request that makes
 * no sense, 404 no such model, 405, 413 too large, 429 the queue is full, 503 waited too long or
 * stopping; the last two with Retry-After.
 */
#ifndef SRV_SERVE_H
#define SRV_SERVE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "train/decode/translator.h"
#include "train/serve/row_batches.h"

/* What is served; borrowed. */
struct srv_model {
    struct dec_translator *translator;    /* keeps ids; NULL of images */
    const struct srv_image_model *images; /* NULL of texts */
    int64_t version;
};

struct srv_options {
    const char *address; /* http_service.h */
    const char *name;    /* NAME */
    const struct dec_hparams *hp;
    uint64_t max_body_bytes;
    int64_t max_instances; /* of a request */
    int64_t max_ids;       /* of a source */
    int64_t max_waiting;   /* instances, at least max_instances */
    int64_t timeout_s;     /* what has waited so long is given up; also a slow client */
    /* Called about every second: between batches, and may replace *model; while texts stream, says
     * whether it would.  The two are both there, or NULL. */
    void (*look_for_newer)(void *context, struct srv_model *model);
    bool (*is_there_newer)(void *context, const struct srv_model *model);
    void (*listening)(void *context, const char *url); /* called once */
    void *context;
};

/*
 * Serves until SIGINT or SIGTERM, and then until all that was accepted is answered.
 *
 * The calling thread alone uses the model.  T2_EUSAGE, T2_EIO, T2_EUNSUPPORTED as
 * srv_http_new; T2_EDEVICE: the device was lost.
 */
T2_MUST_CHECK enum t2_status srv_serve(const struct srv_options *o, struct srv_model *model,
                                       struct t2_err *err);

#endif
