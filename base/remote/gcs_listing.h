/*
 * base/remote/gcs_listing.h - the JSON of Google Cloud Storage: an object, a page of a listing.
 */
#ifndef T2_BASE_REMOTE_GCS_LISTING_H
#define T2_BASE_REMOTE_GCS_LISTING_H

#include "base/json.h"
#include "base/remote/store.h"

/* Fields of an object that t2_gcs_object reads, for the parameter "fields". */
#define T2_GCS_FIELDS "name,size,generation,crc32c,md5Hash,updated"

/* T2_EFORMAT, naming origin, when size or generation are no numbers. */
T2_MUST_CHECK enum t2_status t2_gcs_object(const struct t2_json_value *v, const char *origin,
                                           struct t2_object *o, struct t2_err *err);
/* The same of the text of an answer. */
T2_MUST_CHECK enum t2_status t2_gcs_object_read(const char *json, size_t len_bytes,
                                                const char *origin, struct t2_object *o,
                                                struct t2_err *err);

/* Calls entry for each object and folder below prefix ("x/" or "").  *next_token is that of the
 * next page, NULL on the last; owned by the caller, also on failure. */
T2_MUST_CHECK enum t2_status t2_gcs_page_read(const char *json, size_t len_bytes,
                                              const char *prefix, const char *origin,
                                              t2_store_entry entry, void *context,
                                              char **next_token, struct t2_err *err);

#endif
