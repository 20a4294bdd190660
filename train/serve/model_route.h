/*
 * train/serve/model_route.h - the path of a request, as TensorFlow Serving reads it:
 * /v1/models/NAME[/versions/N][/metadata|:VERB].
 */
#ifndef SRV_MODEL_ROUTE_H
#define SRV_MODEL_ROUTE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"

enum srv_verb {
    SRV_STATUS,   /* nothing behind the model */
    SRV_METADATA, /* /metadata */
    SRV_PREDICT,  /* :predict */
    SRV_CLASSIFY, /* :classify */
    SRV_REGRESS   /* :regress */
};

struct srv_route {
    struct t2_slice name; /* borrowed from the path; not empty */
    int64_t version;      /* -1: the newest */
    enum srv_verb verb;
};

/* false: no path of a model.  Nothing is unescaped: a name has letters, digits and "._-" only. */
bool srv_route_parse(const char *path, struct srv_route *route);

#endif
