/*
 * base/remote/store.h - what an object store can do, whatever its protocol.
 *
 * A store keeps objects: bytes under a key, written whole, read in ranges.  Folders are only
 * prefixes of keys.  Three stores: store_s3.c, store_gcs.c, and store_http.c, which only reads.
 * Functions may be called by several threads.
 */
#ifndef T2_BASE_REMOTE_STORE_H
#define T2_BASE_REMOTE_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/remote/location.h"

/* What is known of an object; zeros where nothing is there. */
struct t2_object {
    bool is_there;
    bool is_folder;  /* of a listing; nothing else is known of it */
    bool whole_only; /* the server gives no ranges */
    uint64_t bytes;
    int64_t changed_s; /* since 1970 */
    char version[256]; /* ETag or generation: other bytes have another one */
    bool has_crc32c, has_md5;
    uint32_t crc32c;
    char md5[33]; /* lower-case hex */
};

/* One entry of a listing: an object with its name behind the prefix, or a folder (object NULL). */
typedef enum t2_status (*t2_store_entry)(void *context, const char *name,
                                         const struct t2_object *object, struct t2_err *err);
/* Bytes in order.  false ends the request; the caller knows why. */
typedef bool (*t2_store_sink)(void *context, const void *data, size_t len_bytes);

/* A local file that is to become an object. */
struct t2_upload {
    int fd;
    uint64_t bytes;
    uint32_t crc32c;
    const char *local; /* its path, for messages */
};

struct t2_store {
    const char *name; /* "Amazon S3" */
    /* Nothing there is T2_OK; no bucket is T2_ENOTFOUND. */
    enum t2_status (*stat)(const struct t2_location *l, struct t2_object *o, struct t2_err *err);
    /* n bytes (> 0) from offset on of the version that o describes; T2_EFORMAT when it is another
     * one by now.  Adds the hashes of the whole that the answer names to *o. */
    enum t2_status (*read)(const struct t2_location *l, struct t2_object *o, uint64_t offset,
                           uint64_t n, t2_store_sink sink, void *context, struct t2_err *err);
    /* Objects and folders directly below l, in any order.  most > 0: at most so many entries. */
    enum t2_status (*list)(const struct t2_location *l, size_t most, t2_store_entry entry,
                           void *context, struct t2_err *err);
    /* The object appears whole or not at all; *o describes it. */
    enum t2_status (*put)(const struct t2_location *l, const struct t2_upload *u,
                          struct t2_object *o, struct t2_err *err);
    /* Absent is fine. */
    enum t2_status (*remove)(const struct t2_location *l, struct t2_err *err);
};

extern const struct t2_store t2_store_s3, t2_store_gcs, t2_store_http;

const struct t2_store *t2_store_of(const struct t2_location *l);

#endif
