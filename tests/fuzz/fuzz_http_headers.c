/*
 * tests/fuzz/fuzz_http_headers.c - base/remote/http_headers.c: whatever a server sends is a sound
 * value or refused.
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/remote/http_headers.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool ok)
{
    if (!ok)
        abort();
}

static void values(const char *s)
{
    struct t2_http_content_range r;
    int64_t n = -1;

    if (t2_http_retry_after(s, 1000000000, &n))
        check(n >= 0);
    if (t2_http_date(s, &n))
        check(n >= INT64_C(-2208988800) && n < INT64_C(253402300801)); /* years 1900 to 9999 */
    if (t2_http_content_range(s, &r)) {
        check(r.has_bytes || r.has_total);
        check(!r.has_bytes || r.first <= r.last);
        check(!r.has_bytes || !r.has_total || r.last < r.total);
    }
    if (t2_is_strong_etag(s))
        check(s[0] == '"');
    (void) t2_is_html_type(s);
}

static void names(const char *s)
{
    const char *name = t2_url_name(s);
    char scheme[16], *path = t2_url_local_path(s), *url;

    check(!name || t2_is_file_name(name));
    t2_url_scheme(s, scheme);
    check(strspn(scheme, "abcdefghijklmnopqrstuvwxyz0123456789+-.") == strlen(scheme) ||
          !t2_is_http_url(s));
    check(!path || !t2_is_http_url(s));
    t2_free(path);
    if (!name)
        return;
    /* a name in a URL is one name, and comes back */
    url = t2_mirror_url("file:///m/", name);
    path = t2_url_local_path(url);
    check(path && strncmp(path, "/m/", 3) == 0 && strcmp(path + 3, name) == 0);
    t2_free(path);
    t2_free(url);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *s = t2_bytes_dup(data, size);

    values(s);
    names(s);
    t2_free(s);
    return 0;
}
