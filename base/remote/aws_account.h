/*
 * base/remote/aws_account.h - who we are for S3, and which server it is.
 *
 * As Amazon's own tools look: the environment (AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY,
 * AWS_SESSION_TOKEN, AWS_REGION or AWS_DEFAULT_REGION, AWS_ENDPOINT_URL_S3 or AWS_ENDPOINT_URL),
 * then the profile AWS_PROFILE ("default") of the files AWS_SHARED_CREDENTIALS_FILE
 * (~/.aws/credentials) and AWS_CONFIG_FILE (~/.aws/config).  Without a key, requests are not
 * signed: buckets that are open to everyone can be read.
 */
#ifndef T2_BASE_REMOTE_AWS_ACCOUNT_H
#define T2_BASE_REMOTE_AWS_ACCOUNT_H

#include "base/err.h"

/* NULL: not given, but for region, which is "us-east-1" then.  secret and token are never printed:
 * who says for a message where they are from. */
struct t2_aws_account {
    char *key_id, *secret, *token, *region, *endpoint, *who;
};

/* Read anew each time, so that a long run takes credentials that were renewed in a file.  T2_EUSAGE
 * for half a key, a profile that is nowhere, and what cannot be in a header.  *a is owned by the
 * caller (t2_aws_account_release, also on failure). */
T2_MUST_CHECK enum t2_status t2_aws_account_load(struct t2_aws_account *a, struct t2_err *err);
void t2_aws_account_release(struct t2_aws_account *a);

#endif
