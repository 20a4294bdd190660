/*
 * base/remote/store_s3.c - Amazon S3 and servers that speak as it does.
 *
 * Buckets are in the host's name (bucket.s3.region.amazonaws.com), and in the path where an
 * endpoint is given or the name has a dot, which TLS certificates do not cover.  libcurl signs
 * requests (version 4); it takes path and query as they stand, so both are written as the signature
 * wants them: encoded, keys of the query in order of bytes.
 *
 * An upload of more than a part is a multipart upload: parts of 16 MiB and more, several at once;
 * the object appears with the last request.  Each part carries its CRC-32C where the store says
 * that it compares it, else its MD5, which takes ten times as long.  Every object carries the
 * CRC-32C of its bytes (x-amz-meta-t2-crc32c), because the ETag of several parts is no hash of the
 * whole.
 */
#include "base/remote/store.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#include "base/alloc.h"
#include "base/base64.h"
#include "base/crc32c.h"
#include "base/crc32c_join.h"
#include "base/hash.h"
#include "base/io.h"
#include "base/pool.h"
#include "base/remote/aws_account.h"
#include "base/remote/http_headers.h"
#include "base/remote/object_hashes.h"
#include "base/remote/remote_call.h"
#include "base/remote/s3_listing.h"
#include "base/remote/upload_parts.h"
#include "base/remote/xml_walk.h"
#include "base/str.h"

/* ---- requests ---- */

enum { READ_BYTES = 256 << 10 };

struct s3 {
    struct t2_call call;
    struct t2_aws_account account;
    char *url, *sign_for;
};

/* http://host/bucket/key?query; the query is encoded and in order. */
static char *url_of(const struct t2_aws_account *a, const struct t2_location *l, const char *key,
                    const char *query)
{
    struct t2_buf url = {0};

    if (a->endpoint) {
        size_t n = strlen(a->endpoint);

        while (n > 0 && a->endpoint[n - 1] == '/')
            n--;
        t2_buf_append(&url, a->endpoint, n);
        t2_buf_printf(&url, "/%s", l->bucket);
    } else if (strchr(l->bucket, '.')) {
        t2_buf_printf(&url, "https://s3.%s.amazonaws.com/%s", a->region, l->bucket);
    } else {
        t2_buf_printf(&url, "https://%s.s3.%s.amazonaws.com", l->bucket, a->region);
    }
    t2_buf_push(&url, '/');
    t2_url_encode(key, "/", &url);
    if (query)
        t2_buf_printf(&url, "?%s", query);
    return t2_buf_detach(&url);
}

static enum t2_status begin(struct s3 *s, const struct t2_location *l, const char *what,
                            const char *key, const char *query, struct t2_err *err)
{
    *s = (struct s3){.call = {.l = l, .what = what}};
    if (t2_aws_account_load(&s->account, err) != T2_OK)
        return t2_wrap(err, "'%s'", l->path);
    s->url = url_of(&s->account, l, key, query);
    s->call.request.url = s->url;
    s->call.request.keep_redirect = true;
    s->call.who = s->account.who;
    if (s->account.key_id) {
        s->sign_for = t2_asprintf("%s:s3", s->account.region);
        s->call.request.sign_for = s->sign_for;
        s->call.request.user = s->account.key_id;
        s->call.request.secret = s->account.secret;
    }
    if (s->account.key_id && s->account.token)
        t2_strs_printf(&s->call.secret_headers, "x-amz-security-token: %s", s->account.token);
    return T2_OK;
}

static void end(struct s3 *s)
{
    t2_call_release(&s->call);
    t2_aws_account_release(&s->account);
    t2_free(s->url);
    t2_free(s->sign_for);
}

/* ---- reading ---- */

/* Hashes of the whole object, from an answer for a part of it, too.  An ETag is the MD5 of the
 * bytes, unless there is a '-' (several parts) or they are encrypted with a key of KMS or of the
 * customer, when it is 32 other digits. */
static void take_hashes(const struct t2_http_answer *a, struct t2_object *o)
{
    if (!o->has_crc32c)
        t2_object_take_crc32c(o, a->t2_crc32c);
    if (!o->has_md5 && !t2_starts_with(a->amz_encryption, "aws:kms") && !a->amz_customer_key[0])
        t2_object_take_etag(o, a->etag);
}

static void describe(const struct t2_http_answer *a, struct t2_object *o)
{
    *o = (struct t2_object){.is_there = true, .bytes = a->length_bytes};
    snprintf(o->version, sizeof o->version, "%s", a->etag);
    (void) t2_http_date(a->last_modified, &o->changed_s);
    take_hashes(a, o);
    if (!o->has_crc32c)
        t2_object_take_crc32c(o, a->amz_crc32c);
}

/* The answer to HEAD has no text: the same as GET says why. */
static enum t2_status ask_why(const struct t2_location *l, struct t2_err *err)
{
    struct t2_err why = T2_ERR_INIT;
    struct s3 s;

    if (begin(&s, l, "read", l->key, NULL, &why) == T2_OK) {
        s.call.request.range = "0-0";
        if (t2_call_run(&s.call, &why) != T2_OK)
            *err = why;
    }
    end(&s);
    return err->status;
}

static enum t2_status s3_stat(const struct t2_location *l, struct t2_object *o, struct t2_err *err)
{
    struct s3 s;
    enum t2_status st;

    *o = (struct t2_object){0};
    T2_GOTO(st, out, begin(&s, l, "read", l->key, NULL, err));
    t2_strs_push(&s.call.headers, "x-amz-checksum-mode: ENABLED");
    s.call.request.head_only = true;
    s.call.request.ignore_interrupt = true;
    s.call.ok_absent = true;
    st = t2_call_run(&s.call, err);
    if (st == T2_EIO && s.call.answer.status >= 300 && s.call.answer.status < 500)
        st = ask_why(l, err);
    if (st != T2_OK || s.call.answer.status == 404)
        goto out;
    if (!s.call.answer.has_length)
        st = t2_fail(err, T2_EFORMAT, "'%s': the server does not say how long it is", l->path);
    else
        describe(&s.call.answer, o);
out:
    end(&s);
    return st;
}

static enum t2_status s3_read(const struct t2_location *l, struct t2_object *o, uint64_t offset,
                              uint64_t n, t2_store_sink sink, void *context, struct t2_err *err)
{
    struct s3 s;
    enum t2_status st;

    T2_GOTO(st, out, begin(&s, l, "read", l->key, NULL, err));
    s.call.sink = sink;
    s.call.context = context;
    s.call.is_ranged = true;
    s.call.range_from = offset;
    s.call.range_bytes = n;
    s.call.total_bytes = o->bytes;
    if (o->version[0])
        t2_strs_printf(&s.call.headers, "If-Match: %s", o->version);
    st = t2_call_run(&s.call, err);
    if (st == T2_OK)
        take_hashes(&s.call.answer, o);
out:
    end(&s);
    return st;
}

static enum t2_status s3_list(const struct t2_location *l, size_t most, t2_store_entry entry,
                              void *context, struct t2_err *err)
{
    struct t2_s3_page page = {.prefix = t2_asprintf(*l->key ? "%s/" : "%s", l->key)};
    char *token = NULL;
    enum t2_status st = T2_OK;

    do {
        struct t2_buf query = {0};
        struct s3 s;

        if (token) {
            t2_buf_puts(&query, "continuation-token=");
            t2_url_encode(token, "", &query);
            t2_buf_push(&query, '&');
        }
        t2_buf_puts(&query, "delimiter=%2F&encoding-type=url&list-type=2");
        if (most > 0)
            t2_buf_printf(&query, "&max-keys=%zu", most);
        t2_buf_puts(&query, "&prefix=");
        t2_url_encode(page.prefix, "", &query);
        st = begin(&s, l, "list", "", t2_buf_cstr(&query), err);
        s.call.request.ignore_interrupt = true;
        if (st == T2_OK)
            st = t2_call_run(&s.call, err);
        if (st == T2_OK)
            st = t2_s3_page_read(&page, t2_buf_cstr(&s.call.text), s.call.text.len_bytes, l->path,
                                 entry, context, err);
        t2_free(token);
        token = page.next_token;
        page.next_token = NULL;
        end(&s);
        t2_buf_release(&query);
    } while (st == T2_OK && token && most == 0);
    t2_free(token);
    t2_free(page.prefix);
    return st;
}

/* ---- writing ---- */

/* Hashes that the server compares with what comes. */
static void add_crc32c(struct s3 *s, uint32_t crc)
{
    struct t2_buf text = {0};

    t2_base64_encode_u32(crc, &text);
    t2_strs_printf(&s->call.headers, "x-amz-checksum-crc32c: %s", t2_buf_cstr(&text));
    t2_buf_release(&text);
}

static void add_md5(struct s3 *s, const char hex[T2_MD5_HEX])
{
    uint8_t digest[T2_MD5_BYTES];
    struct t2_buf text = {0};

    for (int i = 0; i < T2_MD5_BYTES; i++) {
        unsigned byte = 0;

        (void) sscanf(hex + 2 * i, "%2x", &byte);
        digest[i] = (uint8_t) byte;
    }
    t2_base64_encode((struct t2_slice){digest, T2_MD5_BYTES}, &text);
    t2_strs_printf(&s->call.headers, "Content-MD5: %s", t2_buf_cstr(&text));
    t2_buf_release(&text);
}

/* Bytes of a file on their way out: [from, from + n). */
struct stretch {
    const struct t2_upload *u;
    uint64_t from, n;
    struct t2_err err; /* why they cannot be read */
};

static bool read_stretch(void *context, uint64_t offset, void *to, size_t n)
{
    struct stretch *b = context;

    return t2_upload_read(b->u, b->from + offset, to, n, &b->err) == T2_OK;
}

/* The stretch's CRC-32C.  Where no TLS protects the bytes their SHA-256 is part of the signature,
 * as in Amazon's own programs. */
static enum t2_status hash_stretch(struct s3 *s, struct stretch *b, uint32_t *crc,
                                   struct t2_err *err)
{
    struct t2_sha256 *sha = t2_starts_with(s->url, "https:") ? NULL : t2_sha256_new();
    char hex[T2_SHA256_HEX] = "UNSIGNED-PAYLOAD";
    uint8_t *buffer = t2_realloc(NULL, READ_BYTES, 1);
    bool ok = true;

    *crc = 0;
    for (uint64_t at = 0; at < b->n && ok;) {
        size_t n = b->n - at < READ_BYTES ? (size_t) (b->n - at) : READ_BYTES;

        ok = read_stretch(b, at, buffer, n);
        if (ok)
            *crc = t2_crc32c(*crc, buffer, n);
        if (ok && sha)
            t2_sha256_update(sha, buffer, n);
        at += n;
    }
    if (sha)
        t2_sha256_peek(sha, hex);
    t2_sha256_free(sha);
    t2_free(buffer);
    if (s->sign_for)
        t2_strs_printf(&s->call.headers, "x-amz-content-sha256: %s", hex);
    if (!ok)
        *err = b->err;
    return err->status;
}

static enum t2_status md5_of_stretch(const struct stretch *b, char hex[T2_MD5_HEX],
                                     struct t2_err *err)
{
    int errnum = t2_md5_fd(b->u->fd, b->from, b->n, hex);

    return errnum ? t2_fail_errno(err, errnum, "cannot read '%s'", b->u->local) : T2_OK;
}

static enum t2_status send_stretch(struct s3 *s, struct stretch *b, struct t2_err *err)
{
    t2_strs_push(&s->call.headers, "Content-Type: application/octet-stream");
    s->call.request.method = "PUT";
    s->call.request.has_upload = true;
    s->call.request.upload_bytes = b->n;
    s->call.request.ignore_interrupt = true;
    s->call.source = read_stretch;
    s->call.context = b;
    if (t2_call_run(&s->call, err) != T2_OK && b->err.status != T2_OK)
        *err = b->err;
    return err->status;
}

static enum t2_status put_whole(const struct t2_location *l, const struct t2_upload *u,
                                struct t2_object *o, bool *is_certain, struct t2_err *err)
{
    struct stretch all = {.u = u, .n = u->bytes, .err = T2_ERR_INIT};
    char md5[T2_MD5_HEX];
    uint32_t crc;
    struct s3 s;
    enum t2_status st;

    T2_GOTO(st, out, begin(&s, l, "write", l->key, NULL, err));
    t2_strs_printf(&s.call.headers, "x-amz-meta-t2-crc32c: %08" PRIx32, u->crc32c);
    T2_GOTO(st, out, hash_stretch(&s, &all, &crc, err));
    T2_GOTO(st, out, md5_of_stretch(&all, md5, err));
    add_md5(&s, md5);
    T2_GOTO(st, out, send_stretch(&s, &all, err));
    describe(&s.call.answer, o);
    o->bytes = u->bytes;
    if (!t2_http_date(s.call.answer.date, &o->changed_s))
        o->changed_s = (int64_t) time(NULL);
    /* The server has compared the MD5; its ETag is that, where it has no keys of its own. */
    *is_certain = o->has_md5 && strcmp(o->md5, md5) == 0;
out:
    end(&s);
    return st;
}

/* A request without a body, or with a short text, whose answer is a text. */
static enum t2_status post(const struct t2_location *l, const char *method, const char *query,
                           const struct t2_buf *body, struct t2_buf *answer, struct t2_err *err)
{
    struct s3 s;
    enum t2_status st;

    T2_GOTO(st, out, begin(&s, l, "write", l->key, query, err));
    s.call.request.method = method;
    s.call.request.ignore_interrupt = true;
    if (body) {
        s.call.request.has_upload = true;
        s.call.request.upload = t2_buf_cstr(body);
        s.call.request.upload_bytes = body->len_bytes;
        t2_strs_push(&s.call.headers, "Content-Type: application/octet-stream");
    }
    s.call.ok_absent = strcmp(method, "DELETE") == 0;
    st = t2_call_run(&s.call, err);
    if (st == T2_OK && answer)
        t2_buf_append(answer, t2_buf_cstr(&s.call.text), s.call.text.len_bytes);
out:
    end(&s);
    return st;
}

struct part {
    char etag[64];
    uint32_t crc32c;
};

struct parts {
    const struct t2_location *l;
    const struct t2_upload *u;
    char *id;
    bool knows_crc32c; /* the server compares it with each part's bytes; else the MD5 */
    uint64_t part_bytes, n;
    struct part *items;
};

static uint64_t bytes_of_part(const struct parts *p, uint64_t i)
{
    uint64_t left = p->u->bytes - i * p->part_bytes;

    return left < p->part_bytes ? left : p->part_bytes;
}

static enum t2_status put_part(void *context, uint64_t i, struct t2_err *err)
{
    struct parts *p = context;
    char *query = t2_asprintf("partNumber=%" PRIu64 "&uploadId=%s", i + 1, p->id), md5[T2_MD5_HEX];
    struct stretch b = {p->u, i * p->part_bytes, bytes_of_part(p, i), T2_ERR_INIT};
    struct part *part = &p->items[i];
    struct s3 s;
    enum t2_status st;

    T2_GOTO(st, out, begin(&s, p->l, "write", p->l->key, query, err));
    T2_GOTO(st, out, hash_stretch(&s, &b, &part->crc32c, err));
    if (p->knows_crc32c) {
        add_crc32c(&s, part->crc32c);
    } else {
        T2_GOTO(st, out, md5_of_stretch(&b, md5, err));
        add_md5(&s, md5);
    }
    T2_GOTO(st, out, send_stretch(&s, &b, err));
    if (strlen(s.call.answer.etag) >= sizeof part->etag || strpbrk(s.call.answer.etag, "<>&"))
        st = t2_fail(err, T2_EFORMAT, "'%s': the server gives a part an ETag that is none",
                     p->l->path);
    else
        memcpy(part->etag, s.call.answer.etag, strlen(s.call.answer.etag) + 1);
out:
    end(&s);
    t2_free(query);
    return st;
}

static enum t2_status note_id(void *context, const char *path, const char *text, struct t2_err *err)
{
    struct t2_buf *id = context;

    (void) err;
    if (strcmp(path, "InitiateMultipartUploadResult/UploadId") == 0) {
        t2_buf_clear(id);
        t2_url_encode(text, "", id);
    }
    return T2_OK;
}

/* *status: of the answer. */
static enum t2_status ask_for_id(struct parts *p, bool with_crc32c, struct t2_buf *id, int *status,
                                 struct t2_err *err)
{
    struct s3 s;
    enum t2_status st;

    T2_GOTO(st, out, begin(&s, p->l, "write", p->l->key, "uploads=", err));
    s.call.request.method = "POST";
    s.call.request.has_upload = true;
    s.call.request.upload = "";
    s.call.request.ignore_interrupt = true;
    t2_strs_push(&s.call.headers, "Content-Type: application/octet-stream");
    t2_strs_printf(&s.call.headers, "x-amz-meta-t2-crc32c: %08" PRIx32, p->u->crc32c);
    if (with_crc32c)
        t2_strs_push(&s.call.headers, "x-amz-checksum-algorithm: CRC32C");
    st = t2_call_run(&s.call, err);
    *status = s.call.answer.status;
    p->knows_crc32c = with_crc32c && strcasecmp(s.call.answer.amz_checksum, "CRC32C") == 0;
    if (st == T2_OK)
        st = t2_xml_walk(t2_buf_cstr(&s.call.text), s.call.text.len_bytes, p->l->path, note_id, id,
                         err);
out:
    end(&s);
    return st;
}

/* Stores that know no checksums pass over the header, or refuse it. */
static enum t2_status begin_parts(struct parts *p, struct t2_err *err)
{
    struct t2_buf id = {0};
    struct t2_err refused = T2_ERR_INIT;
    int status = 0;
    enum t2_status st = ask_for_id(p, true, &id, &status, &refused);

    if (st != T2_OK && (status == 400 || status == 501))
        st = ask_for_id(p, false, &id, &status, err);
    else if (st != T2_OK)
        *err = refused;
    if (st == T2_OK && id.len_bytes == 0)
        st =
            t2_fail(err, T2_EFORMAT, "'%s': the server begins an upload without an id", p->l->path);
    if (st == T2_OK)
        p->id = t2_buf_detach(&id);
    t2_buf_release(&id);
    return st;
}

static enum t2_status note_etag(void *context, const char *path, const char *text,
                                struct t2_err *err)
{
    char *etag = context;

    if (strcmp(path, "CompleteMultipartUploadResult/ETag") == 0)
        snprintf(etag, 256, "%s", text);
    else if (strcmp(path, "Error/Code") == 0)
        return t2_fail(err, T2_EIO,
                       "the server could not join the parts (%s); run the same "
                       "command again",
                       text);
    return T2_OK;
}

/* The answer may be 200 and say in its text that it failed. */
static enum t2_status join_parts(struct parts *p, char etag[256], struct t2_err *err)
{
    char *query = t2_asprintf("uploadId=%s", p->id);
    struct t2_buf text = {0}, answer = {0};
    enum t2_status st;

    t2_buf_puts(&text, "<CompleteMultipartUpload>");
    for (uint64_t i = 0; i < p->n; i++) {
        t2_buf_printf(&text, "<Part><PartNumber>%" PRIu64 "</PartNumber><ETag>%s</ETag>", i + 1,
                      p->items[i].etag);
        if (p->knows_crc32c) {
            t2_buf_puts(&text, "<ChecksumCRC32C>");
            t2_base64_encode_u32(p->items[i].crc32c, &text);
            t2_buf_puts(&text, "</ChecksumCRC32C>");
        }
        t2_buf_puts(&text, "</Part>");
    }
    t2_buf_puts(&text, "</CompleteMultipartUpload>");
    st = post(p->l, "POST", query, &text, &answer, err);
    if (st == T2_OK && t2_xml_walk(t2_buf_cstr(&answer), answer.len_bytes, p->l->path, note_etag,
                                   etag, err) != T2_OK)
        st = t2_wrap(err, "'%s'", p->l->path);
    t2_buf_release(&text);
    t2_buf_release(&answer);
    t2_free(query);
    return st;
}

/* What the object's name of the whole says must be what was sent. */
static enum t2_status check_unchanged(const struct parts *p, struct t2_err *err)
{
    uint32_t crc = 0;

    for (uint64_t i = 0; i < p->n; i++)
        crc = t2_crc32c_join(crc, p->items[i].crc32c, bytes_of_part(p, i));
    return crc == p->u->crc32c
               ? T2_OK
               : t2_fail(err, T2_EIO, "'%s' changed while it was copied out", p->u->local);
}

static enum t2_status put_parts(const struct t2_location *l, const struct t2_upload *u,
                                char etag[256], struct t2_err *err)
{
    struct parts p = {.l = l, .u = u, .part_bytes = t2_upload_part_bytes(u->bytes)};
    enum t2_status st;

    p.n = (u->bytes + p.part_bytes - 1) / p.part_bytes;
    T2_TRY(begin_parts(&p, err));
    p.items = t2_alloc((size_t) p.n, sizeof *p.items);
    st = t2_upload_in_parts(p.n, put_part, &p, err);
    if (st == T2_OK)
        st = check_unchanged(&p, err);
    if (st == T2_OK)
        st = join_parts(&p, etag, err);
    if (st != T2_OK) { /* parts of an upload that is never joined cost money for ever */
        struct t2_err ignored = T2_ERR_INIT;
        char *query = t2_asprintf("uploadId=%s", p.id);

        (void) post(l, "DELETE", query, NULL, NULL, &ignored);
        t2_free(query);
    }
    t2_free(p.items);
    t2_free(p.id);
    return st;
}

static enum t2_status s3_put(const struct t2_location *l, const struct t2_upload *u,
                             struct t2_object *o, struct t2_err *err)
{
    char etag[256] = "";

    bool is_certain = false;

    T2_TRY(t2_upload_is_one_request(u) ? put_whole(l, u, o, &is_certain, err)
                                       : put_parts(l, u, etag, err));
    if (!is_certain)
        T2_TRY(s3_stat(l, o, err));
    if (!o->is_there || o->bytes != u->bytes || (o->has_crc32c && o->crc32c != u->crc32c))
        return t2_fail(err, T2_EIO,
                       "'%s' does not read back as it was written; does another run write it?",
                       l->path);
    o->has_crc32c = true;
    o->crc32c = u->crc32c;
    return T2_OK;
}

static enum t2_status s3_remove(const struct t2_location *l, struct t2_err *err)
{
    return post(l, "DELETE", NULL, NULL, NULL, err);
}

const struct t2_store t2_store_s3 = {.name = "S3",
                                     .stat = s3_stat,
                                     .read = s3_read,
                                     .list = s3_list,
                                     .put = s3_put,
                                     .remove = s3_remove};
