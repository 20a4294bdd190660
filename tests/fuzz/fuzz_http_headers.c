/*
 * tests/fuzz/fuzz_http_headers.c - datagen/fetch/http_headers.c: whatever a server sends is a sound
 * value or refused.
 */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "datagen/fetch/http_headers.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool ok)
{
    if (!ok)
        abort();
}

static void values(const char *s)
{
    struct dg_content_range r;
    int64_t n = -1;

    if (dg_retry_after(s, 1000000000, &n))
        check(n >= 0);
    if (dg_http_date(s, &n))
        check(n >= INT64_C(-2208988800) && n < INT64_C(253402300801)); /* years 1900 to 9999 */
    if (dg_content_range(s, &r)) {
        check(r.has_bytes || r.has_total);
        check(!r.has_bytes || r.first <= r.last);
        check(!r.has_bytes || !r.has_total || r.last < r.total);
    }
    if (dg_is_strong_etag(s))
        check(s[0] == '"');
    (void) dg_is_html_type(s);
}

static void names(const char *s)
{
    const char *name = dg_url_name(s);
    char scheme[16], *path = dg_url_local_path(s), *url;

    check(!name || dg_is_file_name(name));
    dg_url_scheme(s, scheme);
    check(strspn(scheme, "abcdefghijklmnopqrstuvwxyz0123456789+-.") == strlen(scheme) ||
          !dg_is_http_url(s));
    check(!path || !dg_is_http_url(s));
    t2_free(path);
    if (!name)
        return;
    /* a name in a URL is one name, and comes back */
    url = dg_mirror_url("file:///m/", name);
    path = dg_url_local_path(url);
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
