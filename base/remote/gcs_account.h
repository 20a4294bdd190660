/*
 * base/remote/gcs_account.h - who we are for Google Cloud Storage.
 *
 * As Google's own libraries look: the file that GOOGLE_APPLICATION_CREDENTIALS names, else that of
 * "gcloud auth application-default login" (a key of a service account, or of a user), else the
 * metadata server of the machine (GCE_METADATA_HOST, metadata.google.internal).  Without any,
 * requests are not authorised: buckets that are open to everyone can be read.  With
 * STORAGE_EMULATOR_HOST only a file that is named by the variable is used.
 */
#ifndef T2_BASE_REMOTE_GCS_ACCOUNT_H
#define T2_BASE_REMOTE_GCS_ACCOUNT_H

#include "base/remote/remote_call.h"

/* The server, without a slash at the end: "https://storage.googleapis.com".  Owned by the caller.
 */
char *t2_gcs_server(void);

/* Puts "Authorization: Bearer ..." into c->secret_headers, or nothing when there are no
 * credentials, and sets c->who.  A token is kept until five minutes before it ends; is_afresh: the
 * last was refused. */
T2_MUST_CHECK enum t2_status t2_gcs_authorize(struct t2_call *c, bool is_afresh,
                                              struct t2_err *err);

#endif
