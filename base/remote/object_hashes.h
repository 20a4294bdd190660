/*
 * base/remote/object_hashes.h - the hashes that a server says an object has.
 */
#ifndef T2_BASE_REMOTE_OBJECT_HASHES_H
#define T2_BASE_REMOTE_OBJECT_HASHES_H

#include "base/remote/store.h"

/* Each takes what it understands and leaves *o alone otherwise. */
void t2_object_take_crc32c(struct t2_object *o, const char *text);     /* 8 hex digits or base64 */
void t2_object_take_md5_base64(struct t2_object *o, const char *text); /* Google's md5Hash */
void t2_object_take_etag(struct t2_object *o, const char *etag);       /* "<32 hex digits>" */

#endif
