/*
 * bench/object_store.c - a store of objects in memory that speaks as Amazon S3 does, so fast that
 * programs which ask it are what is measured; a latency makes it as far away as a real one.
 *
 *   object_store FILE [LATENCY_MS]      FILE gets the port
 *
 * A thread for each connection, one answer after the other.  Each is late by the latency, the first
 * of a connection by twice as much again, for the handshakes of TCP and TLS.  Any bucket is there,
 * and no signature is checked.  tests/support/object_server.py checks them and fails on demand; it
 * is Python, and its own processor time hides what clients do.
 */
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/evp.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/base64.h"
#include "base/buf.h"
#include "base/crc32c.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/str.h"

enum { MOST_HEAD = 64 << 10, MOST_PARTS = 10001, MOST_UPLOADS = 1024, PAGE = 1000 };

struct object {
    char *key; /* "bucket/x/y" */
    uint8_t *data;
    size_t n;
    char etag[48], meta[512]; /* meta: header lines x-amz-meta-*, as they came */
    time_t changed;
    int n_users; /* whoever sends it, and the table */
};

struct upload {
    char meta[512];
    struct object *parts[MOST_PARTS];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct object **objects; /* sorted by key */
static size_t n_objects, capacity;
static struct upload *uploads[MOST_UPLOADS];
static int n_uploads;
static int64_t latency_ms;

/* ---- objects ---- */

static void let_go(struct object *o)
{
    bool is_last;

    if (!o)
        return;
    pthread_mutex_lock(&lock);
    is_last = --o->n_users == 0;
    pthread_mutex_unlock(&lock);
    if (!is_last)
        return;
    t2_free(o->key);
    t2_free(o->data);
    t2_free(o);
}

/* The first that is not in front of the key; under the lock. */
static size_t place_of(const char *key)
{
    size_t low = 0, high = n_objects;

    while (low < high) {
        size_t middle = (low + high) / 2;

        if (strcmp(objects[middle]->key, key) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool is_at(size_t i, const char *key)
{
    return i < n_objects && strcmp(objects[i]->key, key) == 0;
}

static struct object *find(const char *key)
{
    struct object *o = NULL;
    size_t i;

    pthread_mutex_lock(&lock);
    i = place_of(key);
    if (is_at(i, key))
        (o = objects[i])->n_users++;
    pthread_mutex_unlock(&lock);
    return o;
}

/* Puts o, or nothing, where the object of this key is. */
static void replace(const char *key, struct object *o)
{
    struct object *before = NULL;
    size_t i;

    pthread_mutex_lock(&lock);
    i = place_of(key);
    if (is_at(i, key)) {
        before = objects[i];
        if (!o)
            memmove(objects + i, objects + i + 1, (--n_objects - i) * sizeof *objects);
    } else if (o) {
        if (n_objects == capacity)
            objects = t2_realloc(objects, capacity = capacity * 2 + 1024, sizeof *objects);
        memmove(objects + i + 1, objects + i, (n_objects++ - i) * sizeof *objects);
    }
    if (o) {
        objects[i] = o;
        o->n_users++;
    }
    pthread_mutex_unlock(&lock);
    let_go(before);
}

/* Takes the bytes. */
static struct object *object_of(const char *key, uint8_t *data, size_t n, const char *meta)
{
    struct object *o = t2_alloc(1, sizeof *o);

    *o = (struct object){
        .key = t2_strdup(key), .data = data, .n = n, .changed = time(NULL), .n_users = 1};
    snprintf(o->meta, sizeof o->meta, "%s", meta);
    return o;
}

/* What clients compare with the MD5 of an object that was sent whole. */
static void take_md5(struct object *o)
{
    uint8_t digest[T2_MD5_BYTES];

    if (EVP_Digest(o->data, o->n, digest, NULL, EVP_md5(), NULL) != 1)
        abort();
    for (int i = 0; i < T2_MD5_BYTES; i++)
        snprintf(o->etag + 1 + 2 * i, 3, "%02x", digest[i]);
    o->etag[0] = o->etag[33] = '"';
}

/* Of parts, and of what they make, nobody compares it: a number will do, and costs nothing. */
static void take_number(struct object *o)
{
    static atomic_int number;

    snprintf(o->etag, sizeof o->etag, "\"%032x-2\"", (unsigned) atomic_fetch_add(&number, 1));
}

/* ---- requests ---- */

struct request {
    int fd;
    char head[MOST_HEAD];
    size_t n_head; /* of the head, with its blank line */
    size_t n_read; /* in `head`: the head, and what came behind it */
    char method[8];
    char *key, *query; /* in `head`, the key without %xx */
    uint8_t *body;
    size_t n_body;
    char meta[512], range[64];
    char crc32c[16];    /* x-amz-checksum-crc32c: of the body, as it is sent */
    bool asks_checksum; /* x-amz-checksum-algorithm: of an upload in parts */
    bool is_waiting;    /* Expect: 100-continue */
};

static bool send_all(int fd, struct iovec *v, int n)
{
    while (n > 0) {
        ssize_t sent = writev(fd, v, n);

        if (sent <= 0)
            return false;
        while (n > 0 && (size_t) sent >= v->iov_len)
            sent -= (ssize_t) (v++, n--, v[-1].iov_len);
        if (n > 0) {
            v->iov_base = (char *) v->iov_base + sent;
            v->iov_len -= (size_t) sent;
        }
    }
    return true;
}

static bool answer(struct request *r, const char *status, const char *headers, const void *body,
                   size_t n)
{
    char head[2048];
    int len = snprintf(head, sizeof head, "HTTP/1.1 %s\r\n%sContent-Length: %zu\r\n\r\n", status,
                       headers, n);
    struct iovec v[2] = {{head, (size_t) len}, {(void *) (uintptr_t) body, n}};

    return send_all(r->fd, v, strcmp(r->method, "HEAD") == 0 || n == 0 ? 1 : 2);
}

static bool answer_text(struct request *r, const char *status, const char *text)
{
    return answer(r, status, "Content-Type: application/xml\r\n", text, strlen(text));
}

static void unescape(char *s)
{
    char *to = s;

    for (; *s; s++) {
        unsigned byte;

        if (*s == '%' && sscanf(s + 1, "%2x", &byte) == 1) {
            *to++ = (char) byte;
            s += 2;
        } else {
            *to++ = *s == '+' ? ' ' : *s;
        }
    }
    *to = '\0';
}

/* The value of a key of the query, unescaped; false without it. */
static bool parameter(const struct request *r, const char *name, char *value, size_t n)
{
    size_t len = strlen(name);

    for (const char *p = r->query; *p; p += strcspn(p, "&"), p += *p == '&') {
        size_t here = strcspn(p, "=&");

        if (here != len || strncmp(p, name, len) != 0)
            continue;
        p += len + (p[len] == '=');
        snprintf(value, n, "%.*s", (int) strcspn(p, "&"), p);
        unescape(value);
        return true;
    }
    return false;
}

static bool read_head(struct request *r)
{
    char *end;

    memmove(r->head, r->head + r->n_head, r->n_read -= r->n_head);
    while (!(end = memmem(r->head, r->n_read, "\r\n\r\n", 4))) {
        ssize_t n = read(r->fd, r->head + r->n_read, sizeof r->head - 1 - r->n_read);

        if (n <= 0)
            return false;
        r->n_read += (size_t) n;
    }
    r->n_head = (size_t) (end + 4 - r->head);
    return true;
}

static void take_headers(struct request *r)
{
    char *line = r->head, *next;

    r->n_body = 0;
    r->meta[0] = r->range[0] = r->crc32c[0] = '\0';
    r->is_waiting = r->asks_checksum = false;
    for (; line < r->head + r->n_head - 2; line = next) {
        next = (char *) memchr(line, '\n', (size_t) (r->head + r->n_head - line)) + 1;
        if (strncasecmp(line, "Content-Length:", 15) == 0)
            r->n_body = strtoul(line + 15, NULL, 10);
        else if (strncasecmp(line, "Range:", 6) == 0)
            snprintf(r->range, sizeof r->range, "%.*s", (int) strcspn(line, "\r\n"), line);
        else if (strncasecmp(line, "Expect: 100", 11) == 0)
            r->is_waiting = true;
        else if (strncasecmp(line, "x-amz-checksum-algorithm: CRC32C\r", 33) == 0)
            r->asks_checksum = true;
        else if (strncasecmp(line, "x-amz-checksum-crc32c: ", 23) == 0)
            snprintf(r->crc32c, sizeof r->crc32c, "%.*s", (int) strcspn(line + 23, "\r\n"),
                     line + 23);
        else if (strncasecmp(line, "x-amz-meta-", 11) == 0)
            snprintf(r->meta + strlen(r->meta), sizeof r->meta - strlen(r->meta), "%.*s",
                     (int) (next - line), line);
    }
}

static bool read_body(struct request *r)
{
    size_t have = r->n_read - r->n_head;
    struct iovec go_on = {(char *) (uintptr_t) "HTTP/1.1 100 Continue\r\n\r\n", 25};

    if (r->is_waiting && have == 0 && !send_all(r->fd, &go_on, 1))
        return false;
    have = have < r->n_body ? have : r->n_body;
    r->body = t2_realloc(NULL, r->n_body + 1, 1);
    memcpy(r->body, r->head + r->n_head, have);
    r->n_head += have; /* what is behind it is the next request */
    while (have < r->n_body) {
        ssize_t n = read(r->fd, r->body + have, r->n_body - have);

        if (n <= 0)
            return false;
        have += (size_t) n;
    }
    return true;
}

static bool read_request(struct request *r)
{
    char *space, *end;

    if (!read_head(r))
        return false;
    take_headers(r);
    space = memchr(r->head, ' ', r->n_head);
    end = space ? memchr(space + 1, ' ', r->n_head - (size_t) (space + 1 - r->head)) : NULL;
    if (!end || (size_t) (space - r->head) >= sizeof r->method)
        return false;
    snprintf(r->method, sizeof r->method, "%.*s", (int) (space - r->head), r->head);
    *end = '\0';
    r->key = space + 2; /* behind "/" */
    r->query = strchr(r->key, '?');
    if (r->query)
        *r->query++ = '\0';
    else
        r->query = end;
    unescape(r->key);
    return read_body(r);
}

/* ---- answers ---- */

static bool send_object(struct request *r)
{
    struct object *o = find(r->key);
    unsigned long long first = 0, last;
    char headers[1024], date[64], range[96] = "";
    struct tm tm;
    bool ok;

    if (!o)
        return answer_text(r, "404 Not Found", "<Error><Code>NoSuchKey</Code></Error>");
    last = o->n - 1;
    if (r->range[0] && sscanf(r->range + 6, " bytes=%llu-%llu", &first, &last) > 0) {
        last = last < o->n ? last : o->n - 1;
        snprintf(range, sizeof range, "Content-Range: bytes %llu-%llu/%zu\r\n", first, last, o->n);
    }
    strftime(date, sizeof date, "%a, %d %b %Y %H:%M:%S GMT", gmtime_r(&o->changed, &tm));
    snprintf(headers, sizeof headers,
             "ETag: %s\r\nLast-Modified: %s\r\nAccept-Ranges: bytes\r\n%s%s", o->etag, date, range,
             o->meta);
    ok = answer(r, range[0] ? "206 Partial Content" : "200 OK", headers, o->data + first,
                (size_t) (last + 1 - first));
    let_go(o);
    return ok;
}

static void put_entry(struct t2_buf *text, const struct object *o, const char *key)
{
    char date[64];
    struct tm tm;

    strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%S.000Z", gmtime_r(&o->changed, &tm));
    t2_buf_printf(text,
                  "<Contents><Key>%s</Key><LastModified>%s</LastModified><ETag>&quot;%.*s&quot;"
                  "</ETag><Size>%zu</Size><StorageClass>STANDARD</StorageClass></Contents>",
                  key, date, (int) strlen(o->etag) - 2, o->etag + 1, o->n);
}

/* The bucket's name is r->key; a page of keys behind `after`, both versions of the request. */
static bool send_list(struct request *r)
{
    char prefix[1024] = "", after[1024] = "", delimiter[8] = "", most[16] = "";
    struct t2_buf text = {0};
    char *full, *folder = NULL;
    size_t n = 0, bucket = strcspn(r->key, "/"), limit;
    const char *last = NULL;
    bool ok;

    (void) parameter(r, "prefix", prefix, sizeof prefix);
    (void) parameter(r, "delimiter", delimiter, sizeof delimiter);
    limit = parameter(r, "max-keys", most, sizeof most) ? strtoul(most, NULL, 10) : PAGE;
    if (!parameter(r, "continuation-token", after, sizeof after))
        (void) parameter(r, "marker", after, sizeof after);
    full = t2_asprintf("%.*s/%s", (int) bucket, r->key, prefix);
    t2_buf_puts(&text, "<ListBucketResult xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">");
    pthread_mutex_lock(&lock);
    for (size_t i = place_of(full); i < n_objects && n < limit; i++) {
        const char *key = objects[i]->key, *cut;

        if (!t2_starts_with(key, full))
            break;
        key += bucket + 1;
        if (strcmp(key, after) <= 0 || (folder && t2_starts_with(key, folder)))
            continue;
        cut = delimiter[0] ? strstr(key + strlen(prefix), delimiter) : NULL;
        if (cut) {
            t2_free(folder);
            folder = t2_strndup(key, (size_t) (cut + 1 - key));
            t2_buf_printf(&text, "<CommonPrefixes><Prefix>%s</Prefix></CommonPrefixes>", folder);
        } else {
            put_entry(&text, objects[i], key);
        }
        last = ++n == limit ? key : NULL;
    }
    if (last)
        t2_buf_printf(&text,
                      "<NextContinuationToken>%s</NextContinuationToken><NextMarker>%s"
                      "</NextMarker>",
                      last, last);
    pthread_mutex_unlock(&lock);
    t2_buf_printf(&text, "<IsTruncated>%s</IsTruncated></ListBucketResult>",
                  last ? "true" : "false");
    ok = answer_text(r, "200 OK", t2_buf_cstr(&text));
    t2_buf_release(&text);
    t2_free(folder);
    t2_free(full);
    return ok;
}

static bool answer_etag(struct request *r, const struct object *o)
{
    char header[128];

    snprintf(header, sizeof header, "ETag: %s\r\n", o->etag);
    return answer(r, "200 OK", header, "", 0);
}

static bool begin_upload(struct request *r)
{
    struct upload *u = t2_alloc(1, sizeof *u);
    char text[256];
    int id;

    memset(u, 0, sizeof *u);
    memcpy(u->meta, r->meta, sizeof u->meta);
    pthread_mutex_lock(&lock);
    id = n_uploads++ % MOST_UPLOADS;
    uploads[id] = u;
    pthread_mutex_unlock(&lock);
    snprintf(
        text, sizeof text,
        "<InitiateMultipartUploadResult><UploadId>%d</UploadId></InitiateMultipartUploadResult>",
        id);
    return answer(r, "200 OK", r->asks_checksum ? "x-amz-checksum-algorithm: CRC32C\r\n" : "", text,
                  strlen(text));
}

/* The request that joins: all parts that came, in order. */
static bool join_parts(struct request *r, struct upload *u)
{
    struct t2_buf all = {0};
    struct object *o;
    char text[256];
    size_t n = 0;

    for (int i = 0; i < MOST_PARTS; i++)
        n += u->parts[i] ? u->parts[i]->n : 0;
    (void) t2_buf_reserve(&all, n);
    for (int i = 0; i < MOST_PARTS; i++) {
        if (u->parts[i])
            t2_buf_append(&all, u->parts[i]->data, u->parts[i]->n);
        let_go(u->parts[i]);
        u->parts[i] = NULL;
    }
    o = object_of(r->key, all.data, all.len_bytes, u->meta);
    take_number(o);
    replace(r->key, o);
    snprintf(text, sizeof text,
             "<CompleteMultipartUploadResult><ETag>&quot;%.*s&quot;</ETag>"
             "</CompleteMultipartUploadResult>",
             (int) strlen(o->etag) - 2, o->etag + 1);
    let_go(o);
    return answer_text(r, "200 OK", text);
}

/* A store compares what it is told of a part: that is part of what an upload takes. */
static bool is_sound(const struct request *r)
{
    uint32_t crc = t2_crc32c(0, r->body, r->n_body);
    struct t2_buf text = {0};
    bool ok;

    t2_base64_encode_u32(crc, &text);
    ok = strcmp(t2_buf_cstr(&text), r->crc32c) == 0;
    t2_buf_release(&text);
    return ok;
}

static bool take_body(struct request *r)
{
    char id[32], part[16];
    bool has_id = parameter(r, "uploadId", id, sizeof id);
    struct upload *u = has_id ? uploads[strtoul(id, NULL, 10) % MOST_UPLOADS] : NULL;
    struct object *o;
    bool ok;

    if (strcmp(r->method, "POST") == 0)
        return u ? join_parts(r, u) : begin_upload(r);
    if (r->crc32c[0] && !is_sound(r))
        return answer_text(r, "400 Bad Request", "<Error><Code>BadDigest</Code></Error>");
    o = object_of(r->key, r->body, r->n_body, r->meta);
    r->body = NULL;
    if (u && parameter(r, "partNumber", part, sizeof part)) {
        take_number(o);
        u->parts[strtoul(part, NULL, 10) % MOST_PARTS] = o;
        return answer_etag(r, o);
    }
    take_md5(o);
    ok = answer_etag(r, o);
    replace(r->key, o);
    let_go(o);
    return ok;
}

static bool serve(struct request *r)
{
    char unused[8], *slash = strchr(r->key, '/');

    if (strcmp(r->method, "DELETE") == 0) {
        replace(r->key, NULL);
        return answer(r, "204 No Content", "", "", 0);
    }
    if ((strcmp(r->method, "PUT") == 0 || strcmp(r->method, "POST") == 0) && slash && slash[1])
        return take_body(r);
    if (slash && slash[1])
        return send_object(r);
    if (strcmp(r->method, "GET") != 0 || parameter(r, "location", unused, sizeof unused))
        return answer_text(r, "200 OK", "<LocationConstraint/>");
    return send_list(r);
}

static void wait_ms(int64_t ms)
{
    struct timespec pause = {ms / 1000, (long) (ms % 1000) * 1000000};

    (void) nanosleep(&pause, NULL);
}

static void *serve_connection(void *arg)
{
    struct request *r = arg;
    bool is_first = true, ok = true;

    while (ok && read_request(r)) {
        wait_ms(latency_ms * (is_first ? 3 : 1));
        is_first = false;
        ok = serve(r);
        t2_free(r->body);
        r->body = NULL;
    }
    (void) close(r->fd);
    t2_free(r->body);
    t2_free(r);
    return NULL;
}

int main(int argc, char **argv)
{
    struct sockaddr_in a = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t n = sizeof a;
    int one = 1, s = socket(AF_INET, SOCK_STREAM, 0);
    struct t2_err err = T2_ERR_INIT;
    char port[16];

    if (argc < 2 || (argc > 2 && !t2_parse_i64(argv[2], &latency_ms))) {
        fprintf(stderr, "object_store FILE [LATENCY_MS]\n");
        return 2;
    }
    (void) signal(SIGPIPE, SIG_IGN);
    if (bind(s, (struct sockaddr *) &a, sizeof a) != 0 || listen(s, 512) != 0 ||
        getsockname(s, (struct sockaddr *) &a, &n) != 0) {
        perror("object_store");
        return 1;
    }
    snprintf(port, sizeof port, "%d\n", ntohs(a.sin_port));
    if (t2_write_file(argv[1], port, strlen(port), &err) != T2_OK) {
        fprintf(stderr, "object_store: %s\n", err.message);
        return 1;
    }
    for (;;) {
        struct request *r = t2_alloc(1, sizeof *r);
        pthread_t thread;

        memset(r, 0, sizeof *r);
        r->fd = accept(s, NULL, NULL);
        if (r->fd < 0)
            return 1;
        (void) setsockopt(r->fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
        if (pthread_create(&thread, NULL, serve_connection, r) == 0)
            (void) pthread_detach(thread);
    }
}
