/*
 * base/remote/store_gcs.c - Google Cloud Storage, by its JSON API.
 *
 * Reads name the generation that was looked at, so that an object which is replaced is noticed.
 * Uploads name the CRC-32C of the whole, which the server compares before the object appears: small
 * ones are one request of two parts (what it is, and its bytes), large ones a resumable upload of
 * pieces, which goes on where the server says it stands.
 */
#include "base/remote/store.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/base64.h"
#include "base/json_writer.h"
#include "base/remote/gcs_account.h"
#include "base/remote/gcs_listing.h"
#include "base/remote/known_objects.h"
#include "base/remote/object_hashes.h"
#include "base/remote/remote_call.h"
#include "base/remote/upload_parts.h"

enum { PIECE_BYTES = 64 << 20, MOST_LOST = 8 };

static const char boundary[] = "t2t-c-part-5f1e9a";

/* ---- requests ---- */

/* <server><before>/b/<bucket>/o[/<key>][?<query>] */
static char *url_of(const char *before, const struct t2_location *l, bool with_key,
                    const char *query)
{
    struct t2_buf url = {0};
    char *server = t2_gcs_server();

    t2_buf_printf(&url, "%s%s/b/%s/o", server, before, l->bucket);
    if (with_key) {
        t2_buf_push(&url, '/');
        t2_url_encode(l->key, "", &url);
    }
    if (query)
        t2_buf_printf(&url, "?%s", query);
    t2_free(server);
    return t2_buf_detach(&url);
}

/* url is the call's from here on; given back by end. */
static void begin(struct t2_call *c, const struct t2_location *l, const char *what, char *url)
{
    *c = (struct t2_call){.l = l, .what = what, .authorize = t2_gcs_authorize};
    c->request.url = url;
    c->request.keep_redirect = true;
    c->request.ignore_interrupt = true;
}

static void end(struct t2_call *c)
{
    union {
        const char *borrowed;
        char *owned;
    } url = {c->request.url};

    t2_call_release(c);
    t2_free(url.owned);
}

/* The server says "404" of an object and of a bucket; only the second ends a run. */
static enum t2_status check_bucket(const struct t2_location *l, struct t2_err *err)
{
    static const struct t2_object seen = {.is_there = true, .is_folder = true};
    char *server, *bucket = t2_asprintf("gs://%s", l->bucket);
    struct t2_object o;
    struct t2_call c;
    enum t2_status st;

    if (t2_known_get(bucket, &o)) {
        t2_free(bucket);
        return T2_OK;
    }
    server = t2_gcs_server();
    begin(&c, l, "look at its bucket",
          t2_asprintf("%s/storage/v1/b/%s/o?maxResults=1&fields=nextPageToken", server, l->bucket));
    c.ok_absent = true;
    st = t2_call_run(&c, err);
    if (st == T2_OK && c.answer.status == 404)
        st = t2_fail(err, T2_ENOTFOUND,
                     "'%s': there is no bucket '%s'; make it, or correct its name or the endpoint "
                     "(STORAGE_EMULATOR_HOST)",
                     l->path, l->bucket);
    else if (st == T2_OK)
        t2_known_set(bucket, &seen);
    end(&c);
    t2_free(bucket);
    t2_free(server);
    return st;
}

/* ---- reading ---- */

static enum t2_status gcs_stat(const struct t2_location *l, struct t2_object *o, struct t2_err *err)
{
    struct t2_call c;
    enum t2_status st;

    *o = (struct t2_object){0};
    begin(&c, l, "read", url_of("/storage/v1", l, true, "fields=" T2_GCS_FIELDS));
    c.ok_absent = true;
    st = t2_call_run(&c, err);
    if (st == T2_OK && c.answer.status == 404)
        st = check_bucket(l, err);
    else if (st == T2_OK)
        st = t2_gcs_object_read(t2_buf_cstr(&c.text), c.text.len_bytes, l->path, o, err);
    end(&c);
    return st;
}

static enum t2_status gcs_read(const struct t2_location *l, struct t2_object *o, uint64_t offset,
                               uint64_t n, t2_store_sink sink, void *context, struct t2_err *err)
{
    char *query = t2_asprintf("alt=media%s%s", o->version[0] ? "&generation=" : "", o->version);
    struct t2_call c;
    enum t2_status st;

    begin(&c, l, "read", url_of("/storage/v1", l, true, query));
    c.request.ignore_interrupt = false;
    c.request.accept_gzip = true;
    c.sink = sink;
    c.context = context;
    c.is_ranged = true;
    c.range_from = offset;
    c.range_bytes = n;
    c.total_bytes = o->bytes;
    st = t2_call_run(&c, err);
    if (st == T2_ENOTFOUND && o->version[0])
        st = t2_fail(err, T2_EFORMAT,
                     "'%s' was changed or removed while it was read; run the same "
                     "command again",
                     l->path);
    end(&c);
    t2_free(query);
    return st;
}

static char *list_query(const char *prefix, size_t most, const char *token)
{
    struct t2_buf query = {0};

    t2_buf_puts(&query, "delimiter=%2F&prefix=");
    t2_url_encode(prefix, "", &query);
    if (most > 0)
        t2_buf_printf(&query, "&maxResults=%zu", most);
    if (token) {
        t2_buf_puts(&query, "&pageToken=");
        t2_url_encode(token, "", &query);
    }
    t2_buf_puts(&query, "&fields=nextPageToken,prefixes,items(" T2_GCS_FIELDS ")");
    return t2_buf_detach(&query);
}

static enum t2_status gcs_list(const struct t2_location *l, size_t most, t2_store_entry entry,
                               void *context, struct t2_err *err)
{
    char *prefix = t2_asprintf(*l->key ? "%s/" : "%s", l->key), *token = NULL;
    enum t2_status st = T2_OK;

    do {
        char *query = list_query(prefix, most, token);
        struct t2_call c;

        begin(&c, l, "list", url_of("/storage/v1", l, false, query));
        c.ok_absent = true;
        t2_free(token);
        token = NULL;
        st = t2_call_run(&c, err);
        if (st == T2_OK && c.answer.status == 404)
            st = check_bucket(l, err);
        else if (st == T2_OK)
            st = t2_gcs_page_read(t2_buf_cstr(&c.text), c.text.len_bytes, prefix, l->path, entry,
                                  context, &token, err);
        end(&c);
        t2_free(query);
    } while (st == T2_OK && token && most == 0);
    t2_free(token);
    t2_free(prefix);
    return st;
}

/* ---- writing ---- */

/* {"name": ..., "crc32c": ...}: the server refuses other bytes. */
static void put_metadata(const struct t2_location *l, const struct t2_upload *u, struct t2_buf *out)
{
    uint8_t sum[4] = {(uint8_t) (u->crc32c >> 24), (uint8_t) (u->crc32c >> 16),
                      (uint8_t) (u->crc32c >> 8), (uint8_t) u->crc32c};
    struct t2_buf text = {0};
    struct t2_json json;

    t2_base64_encode((struct t2_slice){sum, sizeof sum}, &text);
    t2_json_init(&json, out, 0);
    t2_json_object(&json);
    t2_json_kv_string(&json, "name", l->key);
    t2_json_kv_string(&json, "crc32c", t2_buf_cstr(&text));
    t2_json_kv_string(&json, "contentType", "application/octet-stream");
    t2_json_end_object(&json);
    t2_buf_release(&text);
}

static char *upload_url(const struct t2_location *l, const char *type)
{
    struct t2_buf query = {0};
    char *url;

    t2_buf_printf(&query, "uploadType=%s&name=", type);
    t2_url_encode(l->key, "", &query);
    url = url_of("/upload/storage/v1", l, false, t2_buf_cstr(&query));
    t2_buf_release(&query);
    return url;
}

static void set_body(struct t2_call *c, const char *method, const void *data, uint64_t n)
{
    c->request.method = method;
    c->request.has_upload = true;
    c->request.upload = data;
    c->request.upload_bytes = n;
}

static enum t2_status put_whole(const struct t2_location *l, const struct t2_upload *u,
                                struct t2_object *o, struct t2_err *err)
{
    struct t2_buf body = {0};
    struct t2_call c;
    enum t2_status st;

    t2_buf_printf(&body, "--%s\r\nContent-Type: application/json; charset=UTF-8\r\n\r\n", boundary);
    put_metadata(l, u, &body);
    t2_buf_printf(&body, "\r\n--%s\r\nContent-Type: application/octet-stream\r\n\r\n", boundary);
    begin(&c, l, "write", upload_url(l, "multipart"));
    t2_upload_take_room(u->bytes);
    T2_GOTO(st, out,
            t2_upload_read(u, 0, t2_buf_reserve(&body, (size_t) u->bytes), (size_t) u->bytes, err));
    body.len_bytes += (size_t) u->bytes;
    t2_buf_printf(&body, "\r\n--%s--\r\n", boundary);
    t2_strs_printf(&c.headers, "Content-Type: multipart/related; boundary=%s", boundary);
    set_body(&c, "POST", body.data, body.len_bytes);
    T2_GOTO(st, out, t2_call_run(&c, err));
    st = t2_gcs_object_read(t2_buf_cstr(&c.text), c.text.len_bytes, l->path, o, err);
out:
    end(&c);
    t2_buf_release(&body);
    t2_upload_give_room(u->bytes);
    return st;
}

/* The address of a resumable upload, on the server that was asked. */
static enum t2_status begin_pieces(const struct t2_location *l, const struct t2_upload *u,
                                   char **session, struct t2_err *err)
{
    char *server = t2_gcs_server();
    struct t2_buf body = {0};
    struct t2_call c;
    enum t2_status st;

    put_metadata(l, u, &body);
    begin(&c, l, "write", upload_url(l, "resumable"));
    t2_strs_push(&c.headers, "Content-Type: application/json; charset=UTF-8");
    t2_strs_push(&c.headers, "X-Upload-Content-Type: application/octet-stream");
    t2_strs_printf(&c.headers, "X-Upload-Content-Length: %" PRIu64, u->bytes);
    set_body(&c, "POST", body.data, body.len_bytes);
    st = t2_call_run(&c, err);
    if (st == T2_OK && !t2_starts_with(c.answer.location, server))
        st = t2_fail(err, T2_EFORMAT,
                     "'%s': the server begins an upload at an address of another "
                     "server, or at none",
                     l->path);
    *session = st == T2_OK ? t2_strdup(c.answer.location) : NULL;
    end(&c);
    t2_buf_release(&body);
    t2_free(server);
    return st;
}

/* "bytes=0-N" of a 308: N + 1 bytes are there; none without it. */
static bool stands_at(const struct t2_call *c, uint64_t *at)
{
    uint64_t last;

    *at = 0;
    if (!c->answer.range[0])
        return true;
    if (!t2_starts_with(c->answer.range, "bytes=0-") ||
        !t2_parse_u64(c->answer.range + strlen("bytes=0-"), &last))
        return false;
    *at = last + 1;
    return true;
}

struct pieces {
    const struct t2_location *l;
    const struct t2_upload *u;
    const char *session;
    struct t2_object *o;
    uint8_t *piece;
    uint64_t at;
    bool is_done;
};

/* One request; n 0 asks where the upload stands. */
static enum t2_status send_piece(struct pieces *p, size_t n, struct t2_err *err)
{
    struct t2_call c;
    enum t2_status st;

    begin(&c, p->l, "write", t2_strdup(p->session));
    if (n > 0)
        t2_strs_printf(&c.headers, "Content-Range: bytes %" PRIu64 "-%" PRIu64 "/%" PRIu64, p->at,
                       p->at + n - 1, p->u->bytes);
    else
        t2_strs_printf(&c.headers, "Content-Range: bytes */%" PRIu64, p->u->bytes);
    t2_strs_push(&c.headers, "Content-Type: application/octet-stream");
    set_body(&c, "PUT", p->piece, n);
    c.single_try = n > 0;
    T2_GOTO(st, out, t2_call_run(&c, err));
    p->is_done = c.answer.status != 308;
    if (p->is_done)
        st = t2_gcs_object_read(t2_buf_cstr(&c.text), c.text.len_bytes, p->l->path, p->o, err);
    else if (!stands_at(&c, &p->at) || p->at > p->u->bytes)
        st = t2_fail(err, T2_EFORMAT, "'%s': the server does not say what of it has come",
                     p->l->path);
out:
    end(&c);
    return st;
}

static enum t2_status put_pieces(const struct t2_location *l, const struct t2_upload *u,
                                 struct t2_object *o, struct t2_err *err)
{
    struct pieces p = {.l = l, .u = u, .o = o};
    char *session = NULL;
    int n_lost = 0;
    enum t2_status st;

    T2_TRY(begin_pieces(l, u, &session, err));
    p.session = session;
    t2_upload_take_room(PIECE_BYTES);
    p.piece = t2_realloc(NULL, PIECE_BYTES, 1);
    st = T2_OK;
    while (st == T2_OK && !p.is_done) {
        uint64_t left = u->bytes - p.at, before = p.at;
        size_t n = left < PIECE_BYTES ? (size_t) left : PIECE_BYTES;

        st = t2_upload_read(u, p.at, p.piece, n, err);
        if (st == T2_OK)
            st = send_piece(&p, n, err);
        if (st == T2_EIO && n_lost < MOST_LOST) { /* asked with pauses and tries of its own */
            *err = (struct t2_err) T2_ERR_INIT;
            st = send_piece(&p, 0, err);
        }
        n_lost = p.at > before ? 0 : n_lost + 1;
        if (st == T2_OK && !p.is_done && n_lost > MOST_LOST)
            st = t2_fail(err, T2_EIO,
                         "'%s': the server takes no more of it after %" PRIu64
                         " bytes; run the same command again",
                         l->path, p.at);
    }
    t2_free(p.piece);
    t2_upload_give_room(PIECE_BYTES);
    t2_free(session);
    return st;
}

static enum t2_status gcs_put(const struct t2_location *l, const struct t2_upload *u,
                              struct t2_object *o, struct t2_err *err)
{
    enum t2_status st =
        t2_upload_is_one_request(u) ? put_whole(l, u, o, err) : put_pieces(l, u, o, err);

    if (st == T2_ENOTFOUND) /* nothing has to be there but the bucket */
        T2_TRY(check_bucket(l, err));
    T2_TRY(st);
    if (o->bytes != u->bytes || (o->has_crc32c && o->crc32c != u->crc32c))
        return t2_fail(err, T2_EIO,
                       "'%s' is not on the server as it was sent; does another run write it?",
                       l->path);
    return T2_OK;
}

static enum t2_status gcs_remove(const struct t2_location *l, struct t2_err *err)
{
    struct t2_call c;
    enum t2_status st;

    begin(&c, l, "remove", url_of("/storage/v1", l, true, NULL));
    c.request.method = "DELETE";
    c.ok_absent = true;
    st = t2_call_run(&c, err);
    end(&c);
    return st;
}

const struct t2_store t2_store_gcs = {.name = "Google Cloud Storage",
                                      .stat = gcs_stat,
                                      .read = gcs_read,
                                      .list = gcs_list,
                                      .put = gcs_put,
                                      .remove = gcs_remove};
