/*
 * base/remote/store.c - which store a path is in.
 */
#include "base/remote/store.h"

const struct t2_store *t2_store_of(const struct t2_location *l)
{
    switch (l->scheme) {
    case T2_SCHEME_S3:
        return &t2_store_s3;
    case T2_SCHEME_GS:
        return &t2_store_gcs;
    default:
        return &t2_store_http;
    }
}
