/*
 * base/remote/remote_refusal.c - sentences for answers that are no success.
 */
#include "base/remote/remote_refusal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/json.h"
#include "base/remote/http_headers.h"
#include "base/remote/xml_walk.h"
#include "base/shown.h"

/* A server's words may hold anything, but no line breaks or control characters of ours. */
static void keep(char *to, size_t to_bytes, const char *text)
{
    size_t n = t2_show(to, to_bytes - 1, text, strlen(text));

    to[n] = '\0';
}

static enum t2_status note_xml(void *context, const char *path, const char *text,
                               struct t2_err *err)
{
    struct t2_server_words *w = context;

    (void) err;
    if (strcmp(path, "Error/Code") == 0)
        keep(w->code, sizeof w->code, text);
    else if (strcmp(path, "Error/Message") == 0)
        keep(w->message, sizeof w->message, text);
    return T2_OK;
}

static void note_json(struct t2_server_words *w, const struct t2_json_value *root)
{
    const struct t2_json_value *error = t2_json_get(root, "error");
    const struct t2_json_value *first = t2_json_item(t2_json_get(error, "errors"), 0);
    const char *code = t2_json_as_string(t2_json_get(first, "reason"), NULL);

    if (!code) /* of OAuth: {"error": "invalid_grant", "error_description": "..."} */
        code = t2_json_as_string(error, "");
    keep(w->code, sizeof w->code, code);
    keep(w->message, sizeof w->message,
         t2_json_as_string(t2_json_get(error, "message"),
                           t2_json_as_string(t2_json_get(root, "error_description"), "")));
}

void t2_server_words(const struct t2_call *c, struct t2_server_words *w)
{
    const char *text = t2_buf_cstr(&c->text);
    struct t2_err ignored = T2_ERR_INIT;
    struct t2_json_doc *doc = NULL;

    *w = (struct t2_server_words){{0}, {0}};
    if (text[strspn(text, " \t\r\n")] == '<') {
        if (t2_xml_walk(text, c->text.len_bytes, "answer", note_xml, w, &ignored) != T2_OK)
            *w = (struct t2_server_words){{0}, {0}};
    } else if (t2_json_parse(text, c->text.len_bytes, "answer", &doc, &ignored) == T2_OK) {
        note_json(w, t2_json_root(doc));
        t2_json_free(doc);
    }
}

static bool is_any(const char *code, const char *const *codes)
{
    for (; *codes; codes++)
        if (strcmp(code, *codes) == 0)
            return true;
    return false;
}

#define CODES(...) ((const char *const[]){__VA_ARGS__, NULL})

bool t2_refusal_may_pass(const struct t2_call *c, const struct t2_server_words *w)
{
    switch (c->answer.status) {
    case 408:
    case 429:
    case 500:
    case 502:
    case 503:
    case 504:
        return true;
    case 400: /* of an upload that was cut */
        return is_any(w->code, CODES("RequestTimeout", "IncompleteBody", "BadDigest"));
    default:
        return false;
    }
}

static const char *maker(const struct t2_call *c)
{
    return c->l->scheme == T2_SCHEME_S3 ? "AWS" : "Google";
}

/* Google answers a token's request that was signed too early or too late as it answers one of a
 * key that was withdrawn: invalid_grant.  Its limit is an hour back, and some minutes ahead. */
static bool is_clock_off(const struct t2_call *c)
{
    int64_t theirs = 0;

    return t2_http_date(c->answer.date, &theirs) && llabs((long long) (time(NULL) - theirs)) > 300;
}

static enum t2_status clock_wrong(const struct t2_call *c, struct t2_err *err)
{
    int64_t theirs = 0, ours = (int64_t) time(NULL);

    if (!t2_http_date(c->answer.date, &theirs))
        return t2_fail(err, T2_EIO,
                       "'%s': the server refuses the signature because this machine's clock is "
                       "wrong; set it (timedatectl set-ntp true)",
                       c->l->path);
    return t2_fail(
        err, T2_EIO,
        "'%s': this machine's clock is %lld s %s of the server's, so that it refuses the "
        "signature; set the clock (timedatectl set-ntp true)",
        c->l->path, llabs((long long) (ours - theirs)), ours > theirs ? "ahead" : "behind");
}

static enum t2_status expired(const struct t2_call *c, struct t2_err *err)
{
    const char *renew = c->l->scheme == T2_SCHEME_S3
                            ? "aws sso login, or a new AWS_SESSION_TOKEN"
                            : "gcloud auth application-default login, or a new key file";

    return t2_fail(
        err, T2_EIO,
        "'%s': the credentials of %s have expired or were withdrawn; renew them (%s) and run "
        "the same command again",
        c->l->path, c->who ? c->who : "this run", renew);
}

static enum t2_status unknown_key(const struct t2_call *c, const struct t2_server_words *w,
                                  struct t2_err *err)
{
    return t2_fail(
        err, T2_EIO,
        "'%s': the server does not know the credentials of %s (%s); correct them, or the "
        "endpoint if they are for another server",
        c->l->path, c->who ? c->who : "this run", w->code[0] ? w->code : "401");
}

static enum t2_status denied(const struct t2_call *c, const struct t2_server_words *w,
                             struct t2_err *err)
{
    const char *comma = w->message[0] ? ": " : "";

    if (c->l->scheme == T2_SCHEME_HTTP)
        return t2_fail(err, T2_EIO,
                       "'%s': the server does not let us read it (%d); download it "
                       "with your browser or curl and name the local file",
                       c->l->path, c->answer.status);
    if (!c->who)
        return t2_fail(err, T2_EIO,
                       "'%s': not open to everyone, and there are no %s credentials: %s (%d%s%s)",
                       c->l->path, maker(c),
                       c->l->scheme == T2_SCHEME_S3
                           ? "set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE"
                           : "set GOOGLE_APPLICATION_CREDENTIALS to a key file",
                       c->answer.status, comma, w->message);
    return t2_fail(
        err, T2_EIO,
        "'%s': the credentials of %s may not %s here (%d%s%s); ask the owner of '%s' for "
        "the right, or use other credentials",
        c->l->path, c->who, c->what, c->answer.status, comma, w->message, c->l->bucket);
}

static enum t2_status other_region(const struct t2_call *c, struct t2_err *err)
{
    if (c->answer.amz_bucket_region[0])
        return t2_fail(err, T2_EIO, "'%s': the bucket is in another region; set AWS_REGION=%s",
                       c->l->path, c->answer.amz_bucket_region);
    return t2_fail(err, T2_EIO,
                   "'%s': the bucket is elsewhere (%d); set AWS_REGION to its region, or "
                   "AWS_ENDPOINT_URL to its server",
                   c->l->path, c->answer.status);
}

static enum t2_status no_bucket(const struct t2_call *c, struct t2_err *err)
{
    return t2_fail(
        err, T2_ENOTFOUND,
        "'%s': there is no bucket '%s'; make it, or correct its name or the endpoint (%s)",
        c->l->path, c->l->bucket,
        c->l->scheme == T2_SCHEME_S3 ? "AWS_ENDPOINT_URL" : "STORAGE_EMULATOR_HOST");
}

static enum t2_status busy(const struct t2_call *c, const struct t2_server_words *w,
                           struct t2_err *err)
{
    const char *comma = w->code[0] ? " " : "";

    if (c->answer.status == 429 || c->answer.status == 503)
        return t2_fail(err, T2_EIO,
                       "'%s': the server is busy and refused every try (%d%s%s); run the same "
                       "command again later, or with a smaller T2_REMOTE_PARALLEL",
                       c->l->path, c->answer.status, comma, w->code);
    return t2_fail(err, T2_EIO,
                   "'%s': the server failed at every try (%d%s%s); run the same command again "
                   "later",
                   c->l->path, c->answer.status, comma, w->code);
}

/* RFC 6749, 5.2: what a server of tokens says. */
static enum t2_status no_token(const struct t2_call *c, const struct t2_server_words *w,
                               struct t2_err *err)
{
    if (is_clock_off(c))
        return clock_wrong(c, err);
    return strcmp(w->code, "invalid_grant") == 0 ? expired(c, err) : unknown_key(c, w, err);
}

enum t2_status t2_refusal(const struct t2_call *c, const struct t2_server_words *w,
                          struct t2_err *err)
{
    int status = c->answer.status;

    if (is_any(w->code, CODES("RequestTimeTooSkewed", "RequestInTheFuture")))
        return clock_wrong(c, err);
    if (is_any(w->code, CODES("ExpiredToken", "ExpiredTokenException", "TokenRefreshRequired")))
        return expired(c, err);
    if (is_any(w->code, CODES("InvalidAccessKeyId", "SignatureDoesNotMatch", "InvalidToken")))
        return unknown_key(c, w, err);
    if (is_any(w->code, CODES("invalid_grant", "invalid_client", "unauthorized_client")))
        return no_token(c, w, err);
    if (is_any(w->code, CODES("PermanentRedirect", "AuthorizationHeaderMalformed",
                              "TemporaryRedirect", "IllegalLocationConstraintException")) ||
        (c->l->scheme == T2_SCHEME_S3 && status >= 300 && status < 400))
        return other_region(c, err);
    if (strcmp(w->code, "NoSuchBucket") == 0)
        return no_bucket(c, err);
    if (t2_refusal_may_pass(c, w))
        return busy(c, w, err);
    if (status == 401)
        return c->who ? unknown_key(c, w, err) : denied(c, w, err);
    if (status == 403)
        return denied(c, w, err);
    if (status == 404)
        return t2_fail(err, T2_ENOTFOUND, "'%s': no such file", c->l->path);
    if (status == 412)
        return t2_fail(err, T2_EFORMAT,
                       "'%s' was changed while it was read; run the same command "
                       "again",
                       c->l->path);
    return t2_fail(err, T2_EIO, "'%s': cannot %s: the server answers %d%s%s%s%s", c->l->path,
                   c->what, status, w->code[0] ? " " : "", w->code, w->message[0] ? ": " : "",
                   w->message);
}
