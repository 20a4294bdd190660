/*
 * base/remote/http_headers.h - values of HTTP headers, and names in URLs.  All of it is hostile.
 */
#ifndef T2_BASE_REMOTE_HTTP_HEADERS_H
#define T2_BASE_REMOTE_HTTP_HEADERS_H

#include <stdbool.h>
#include <stdint.h>

/* Seconds since 1970 of "Sun, 06 Nov 1994 08:49:37 GMT" (and the two old forms of RFC 9110
 * 5.6.7). */
bool t2_http_date(const char *value, int64_t *unix_s);

/* Retry-After: seconds, or a date (compared with now_unix_s; one that is past gives 0). */
bool t2_http_retry_after(const char *value, int64_t now_unix_s, int64_t *wait_s);

/* Content-Range: "bytes 10-19/100"; a star for the total (unknown) or for 10-19 (of 416). */
struct t2_http_content_range {
    bool has_bytes, has_total;
    uint64_t first, last, total;
};
bool t2_http_content_range(const char *value, struct t2_http_content_range *range);

/* "text/html; charset=utf-8", "application/xhtml+xml". */
bool t2_is_html_type(const char *content_type);

/* May stand in If-Range: quoted and not weak. */
bool t2_is_strong_etag(const char *etag);

/* A plain file name: not empty, ".", "..", no '/', no control characters, at most 200 bytes. */
bool t2_is_file_name(const char *name);

/* The name T2T gives the file of a URL or path: all after the last '/', query included.  NULL when
 * that is no plain file name.  Borrowed from url. */
const char *t2_url_name(const char *url);

/* "https" of "https://host/x", in lower case, at most 15 bytes; "" for a local path. */
void t2_url_scheme(const char *url, char scheme[16]);
bool t2_is_http_url(const char *url);
/* The path of a local URL: "file:///x", "file://localhost/x" or "x"; %41 is decoded in the first
 * two.  NULL for others. Owned by the caller. */
char *t2_url_local_path(const char *url);

/* <mirror>/<name>, with what a URL cannot hold as %41 when mirror is one.  Owned by the caller. */
char *t2_mirror_url(const char *mirror, const char *name);

#endif
