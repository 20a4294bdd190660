/*
 * base/remote/gcs_account.c - tokens of OAuth 2.
 *
 * A service account's key signs a statement (a JSON web token, RFC 7523), which Google's token
 * server exchanges for a token of an hour.  A user's file has a refresh token for the same
 * exchange.  The metadata server of a machine gives tokens to whoever asks on that machine.
 */
#include "base/remote/gcs_account.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/alloc.h"
#include "base/base64.h"
#include "base/file.h"
#include "base/json.h"
#include "base/progress.h"
#include "base/sha256_rsa.h"

enum { MOST_KEY_BYTES = 1 << 20, MOST_TOKEN_BYTES = 16 << 10, TOKEN_LIFE_S = 3600, EARLY_S = 300 };

static const char scope[] = "https://www.googleapis.com/auth/devstorage.read_write";

enum source { UNKNOWN, FILE_KEY, METADATA, NOBODY };

/* What this process has found out; under the lock. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct {
    enum source source;
    char *file;    /* FILE_KEY */
    char *who;     /* for messages */
    char *token;   /* NULL: none yet */
    double ends_s; /* of t2_now_s */
} ours;

static const char *variable(const char *name)
{
    const char *value = getenv(name);

    return value && *value ? value : NULL;
}

char *t2_gcs_server(void)
{
    const char *host = variable("STORAGE_EMULATOR_HOST");
    char *url;

    if (!host)
        return t2_strdup("https://storage.googleapis.com");
    url = t2_asprintf("%s%s", strstr(host, "://") ? "" : "http://", host);
    for (size_t n = strlen(url); n > 0 && url[n - 1] == '/'; n--)
        url[n - 1] = '\0';
    return url;
}

/* ---- asking for a token ---- */

static void put_base64url(struct t2_slice s, struct t2_buf *out)
{
    size_t from = out->len_bytes;

    t2_base64_encode(s, out);
    for (size_t i = from; i < out->len_bytes; i++) {
        if (out->data[i] == '+')
            out->data[i] = '-';
        else if (out->data[i] == '/')
            out->data[i] = '_';
    }
    while (out->len_bytes > from && out->data[out->len_bytes - 1] == '=')
        out->len_bytes--;
    t2_buf_reserve(out, 0)[0] = 0;
}

/* A token for headers: no line breaks, nothing that ends one. */
static bool is_clean(const char *token)
{
    size_t n = strlen(token);

    for (size_t i = 0; i < n; i++)
        if ((unsigned char) token[i] <= ' ' || (unsigned char) token[i] >= 0x7F)
            return false;
    return n > 0 && n < MOST_TOKEN_BYTES;
}

static enum t2_status take_token(const struct t2_buf *answer, const char *from, struct t2_err *err)
{
    struct t2_json_doc *doc = NULL;
    struct t2_err ignored = T2_ERR_INIT; /* its words may quote the token */
    const char *token = NULL;
    int64_t life_s = 0;

    if (t2_json_parse(t2_buf_cstr(answer), answer->len_bytes, from, &doc, &ignored) == T2_OK) {
        const struct t2_json_value *root = t2_json_root(doc);

        token = t2_json_as_string(t2_json_get(root, "access_token"), NULL);
        life_s = t2_json_as_i64(t2_json_get(root, "expires_in"), TOKEN_LIFE_S);
    }
    if (token && is_clean(token)) {
        t2_free(ours.token);
        ours.token = t2_strdup(token);
        ours.ends_s = t2_now_s() + (double) (life_s > EARLY_S ? life_s - EARLY_S : life_s / 2);
    }
    t2_json_free(doc);
    return ours.token ? T2_OK
                      : t2_fail(err, T2_EFORMAT,
                                "'%s' answers without a token; is it the token "
                                "server?",
                                from);
}

static enum t2_status ask(const char *url, const struct t2_buf *body, const char *header,
                          struct t2_err *err)
{
    struct t2_location l = {.scheme = T2_SCHEME_GS};
    struct t2_call c = {.l = &l, .what = "fetch a token", .who = ours.who};
    enum t2_status st;

    l.path = t2_strdup(url);
    l.bucket = t2_strdup("");
    l.key = t2_strdup("");
    c.request.url = url;
    c.request.keep_redirect = true;
    c.request.ignore_interrupt = true;
    if (header)
        t2_strs_push(&c.headers, header);
    if (body) {
        c.request.has_upload = true;
        c.request.upload = t2_buf_cstr(body);
        c.request.upload_bytes = body->len_bytes;
        t2_strs_push(&c.headers, "Content-Type: application/x-www-form-urlencoded");
    }
    st = t2_call_run(&c, err);
    if (st == T2_OK)
        st = take_token(&c.text, url, err);
    if (c.text.data)
        explicit_bzero(c.text.data, c.text.len_bytes);
    t2_call_release(&c);
    t2_location_release(&l);
    return st;
}

static enum t2_status sign_statement(const char *email, const char *key, const char *audience,
                                     struct t2_buf *statement, struct t2_err *err)
{
    static const char header[] = "{\"alg\":\"RS256\",\"typ\":\"JWT\"}";
    int64_t now_s = (int64_t) time(NULL);
    struct t2_buf claims = {0}, signature = {0};
    bool ok;

    t2_buf_printf(&claims,
                  "{\"iss\":\"%s\",\"scope\":\"%s\",\"aud\":\"%s\",\"iat\":%" PRId64
                  ",\"exp\":%" PRId64 "}",
                  email, scope, audience, now_s, now_s + TOKEN_LIFE_S);
    put_base64url(t2_slice_of(header), statement);
    t2_buf_push(statement, '.');
    put_base64url(t2_buf_slice(&claims), statement);
    ok = t2_rs256_sign(key, statement->data, statement->len_bytes, &signature);
    t2_buf_push(statement, '.');
    put_base64url(t2_buf_slice(&signature), statement);
    t2_buf_release(&claims);
    t2_buf_release(&signature);
    return ok ? T2_OK
              : t2_fail(err, T2_EFORMAT,
                        "'%s': its private_key is no RSA key in PEM; download the "
                        "key file again",
                        ours.file);
}

/* Fields of a key file go into JSON and URLs as they are. */
static bool is_plain(const char *s)
{
    return s && is_clean(s) && !strpbrk(s, "\"\\<>");
}

static enum t2_status by_service_account(const struct t2_json_value *root, struct t2_err *err)
{
    const char *email = t2_json_as_string(t2_json_get(root, "client_email"), NULL);
    const char *key = t2_json_as_string(t2_json_get(root, "private_key"), NULL);
    const char *url =
        t2_json_as_string(t2_json_get(root, "token_uri"), "https://oauth2.googleapis.com/token");
    struct t2_buf statement = {0}, body = {0};
    enum t2_status st;

    if (!is_plain(email) || !key || !is_plain(url))
        return t2_fail(err, T2_EFORMAT,
                       "'%s': a key file of a service account has client_email, private_key and "
                       "token_uri; download it again",
                       ours.file);
    st = sign_statement(email, key, url, &statement, err);
    t2_buf_puts(&body,
                "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer&assertion=");
    t2_buf_puts(&body, t2_buf_cstr(&statement));
    if (st == T2_OK)
        st = ask(url, &body, NULL, err);
    explicit_bzero(body.data, body.len_bytes);
    t2_buf_release(&body);
    t2_buf_release(&statement);
    return st;
}

static enum t2_status by_user(const struct t2_json_value *root, struct t2_err *err)
{
    static const char *const names[] = {"client_id", "client_secret", "refresh_token"};
    const char *url =
        t2_json_as_string(t2_json_get(root, "token_uri"), "https://oauth2.googleapis.com/token");
    struct t2_buf body = {0};
    enum t2_status st = T2_OK;

    t2_buf_puts(&body, "grant_type=refresh_token");
    for (int i = 0; i < 3 && st == T2_OK; i++) {
        const char *value = t2_json_as_string(t2_json_get(root, names[i]), NULL);

        if (!value)
            st = t2_fail(err, T2_EFORMAT,
                         "'%s': '%s' is missing; log in again (gcloud auth "
                         "application-default login)",
                         ours.file, names[i]);
        t2_buf_printf(&body, "&%s=", names[i]);
        t2_url_encode(value ? value : "", "", &body);
    }
    if (st == T2_OK)
        st = ask(url, &body, NULL, err);
    explicit_bzero(body.data, body.len_bytes);
    t2_buf_release(&body);
    return st;
}

static enum t2_status by_file(struct t2_err *err)
{
    struct t2_json_doc *doc = NULL;
    struct t2_err ignored = T2_ERR_INIT; /* a message about its JSON could quote the key */
    struct t2_buf text = {0};
    const struct t2_json_value *root;
    const char *type;
    enum t2_status st = t2_read_file(ours.file, MOST_KEY_BYTES, &text, err);

    if (st == T2_OK &&
        t2_json_parse(t2_buf_cstr(&text), text.len_bytes, ours.file, &doc, &ignored) != T2_OK)
        st = t2_fail(err, T2_EFORMAT,
                     "'%s' is no key file: it is not JSON "
                     "(GOOGLE_APPLICATION_CREDENTIALS)",
                     ours.file);
    root = t2_json_root(doc);
    type = t2_json_as_string(t2_json_get(root, "type"), "");
    if (st == T2_OK && strcmp(type, "service_account") == 0)
        st = by_service_account(root, err);
    else if (st == T2_OK && strcmp(type, "authorized_user") == 0)
        st = by_user(root, err);
    else if (st == T2_OK)
        st = t2_fail(err, T2_EUNSUPPORTED,
                     "'%s': credentials of the type '%.40s'; those of a service account "
                     "(service_account) and of a user (authorized_user) are understood",
                     ours.file, type);
    t2_json_free(doc);
    if (text.data)
        explicit_bzero(text.data, text.len_bytes);
    t2_buf_release(&text);
    return st;
}

static enum t2_status by_metadata(struct t2_err *err)
{
    const char *host = variable("GCE_METADATA_HOST");
    char *url = t2_asprintf("http://%s/computeMetadata/v1/instance/service-accounts/default/token",
                            host ? host : "metadata.google.internal");
    enum t2_status st = ask(url, NULL, "Metadata-Flavor: Google", err);

    t2_free(url);
    return st;
}

/* ---- which source ---- */

static char *well_known_file(void)
{
    const char *folder = variable("CLOUDSDK_CONFIG");

    return folder ? t2_path_join(folder, "application_default_credentials.json")
                  : t2_path_expand("~/.config/gcloud/application_default_credentials.json");
}

/* Whether the machine is one of Google's, without waiting for a name that nobody answers to. */
static bool is_on_google(void)
{
    struct t2_buf vendor = {0};
    struct t2_err ignored = T2_ERR_INIT;
    bool yes = variable("GCE_METADATA_HOST") ||
               (t2_read_file("/sys/class/dmi/id/product_name", 4096, &vendor, &ignored) == T2_OK &&
                strstr(t2_buf_cstr(&vendor), "Google"));

    t2_buf_release(&vendor);
    return yes;
}

static void look_for_source(void)
{
    const char *named = variable("GOOGLE_APPLICATION_CREDENTIALS");
    char *known = well_known_file();

    if (named) {
        ours.source = FILE_KEY;
        ours.file = t2_path_expand(named);
    } else if (variable("STORAGE_EMULATOR_HOST")) {
        ours.source = NOBODY;
    } else if (t2_exists(known)) {
        ours.source = FILE_KEY;
        ours.file = t2_strdup(known);
    } else {
        ours.source = is_on_google() ? METADATA : NOBODY;
    }
    if (ours.source == FILE_KEY)
        ours.who = t2_asprintf("'%s'", ours.file);
    else if (ours.source == METADATA)
        ours.who = t2_strdup("this machine (its metadata server)");
    t2_free(known);
}

static void forget_token(void)
{
    if (ours.token)
        explicit_bzero(ours.token, strlen(ours.token));
    t2_free(ours.token);
    ours.token = NULL;
}

static enum t2_status get_token(bool is_afresh, struct t2_err *err)
{
    if (ours.source == UNKNOWN)
        look_for_source();
    if (ours.source == NOBODY)
        return T2_OK;
    if (is_afresh || (ours.token && t2_now_s() >= ours.ends_s))
        forget_token();
    if (ours.token)
        return T2_OK;
    return ours.source == FILE_KEY ? by_file(err) : by_metadata(err);
}

enum t2_status t2_gcs_authorize(struct t2_call *c, bool is_afresh, struct t2_err *err)
{
    enum t2_status st;

    pthread_mutex_lock(&lock);
    st = get_token(is_afresh, err);
    c->who = ours.who;
    t2_strs_release(&c->secret_headers);
    if (st == T2_OK && ours.token)
        t2_strs_printf(&c->secret_headers, "Authorization: Bearer %s", ours.token);
    pthread_mutex_unlock(&lock);
    if (st != T2_OK)
        return t2_wrap(err, "'%s': no token for Google Cloud Storage", c->l->path);
    return T2_OK;
}
