/*
 * base/remote/s3_listing.h - a page of a listing of S3 (ListObjectsV2).
 */
#ifndef T2_BASE_REMOTE_S3_LISTING_H
#define T2_BASE_REMOTE_S3_LISTING_H

#include "base/remote/store.h"

struct t2_s3_page {
    char *prefix;     /* what was asked for: "x/" or ""; the caller's */
    char *next_token; /* of the next page, NULL on the last; owned by the caller */
};

/* Calls entry for each object and folder of the page.  T2_EFORMAT, naming origin, when it is no
 * listing, or one of other names than asked for. */
T2_MUST_CHECK enum t2_status t2_s3_page_read(struct t2_s3_page *page, const char *xml,
                                             size_t len_bytes, const char *origin,
                                             t2_store_entry entry, void *context,
                                             struct t2_err *err);

#endif
