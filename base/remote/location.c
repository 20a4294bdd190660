/*
 * base/remote/location.c - remote paths taken apart.
 */
#include "base/remote/location.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <strings.h>

#include "base/alloc.h"
#include "base/str.h"

/* Keys of a query whose values let whoever reads them in. */
static bool has_signature(const char *url)
{
    static const char *const keys[] = {
        "signature=", "sig=", "x-amz-credential=", "token=", "x-amz-security-token=", "password="};
    const char *query = strchr(url, '?');

    for (size_t i = 0; query && i < sizeof keys / sizeof *keys; i++)
        if (strcasestr(query, keys[i]))
            return true;
    return false;
}

static enum t2_status check_url(const char *url, const char *host, struct t2_err *err)
{
    size_t n = strcspn(host, "/?#");

    /* Such a path is not repeated in the message. */
    if (memchr(host, '@', n))
        return t2_fail(err, T2_EUSAGE,
                       "a URL with a user and a password in it: messages would "
                       "print them; use s3:// or gs:// with credentials");
    if (has_signature(url))
        return t2_fail(err, T2_EUSAGE,
                       "a URL of '%.*s' with a signature or token in it: messages and manifests "
                       "would hold it; use s3:// or gs:// with credentials",
                       (int) n, host);
    return n > 0 ? T2_OK : t2_fail(err, T2_EUSAGE, "'%s': a URL without a host", url);
}

/* "x//y/" is "x/y": names are put together from folders with and without a slash at the end. */
static char *normal_key(const char *s)
{
    char *key = t2_alloc(strlen(s) + 1, 1);
    size_t n = 0;

    for (; *s; s++)
        if (*s != '/' || (n > 0 && key[n - 1] != '/'))
            key[n++] = *s;
    while (n > 0 && key[n - 1] == '/')
        n--;
    key[n] = '\0';
    return key;
}

static bool is_bucket_name(const char *s, size_t n)
{
    if (n == 0 || n > 222)
        return false;
    for (size_t i = 0; i < n; i++)
        if (!((s[i] >= 'a' && s[i] <= 'z') || (s[i] >= 'A' && s[i] <= 'Z') ||
              (s[i] >= '0' && s[i] <= '9') || s[i] == '-' || s[i] == '.' || s[i] == '_'))
            return false;
    return true;
}

enum t2_status t2_location_parse(const char *path, struct t2_location *l, struct t2_err *err)
{
    const char *rest = strstr(path, "://");
    size_t n;

    *l = (struct t2_location){.scheme = t2_path_scheme(path)};
    T2_ASSERT(rest && t2_is_remote(path));
    rest += 3;
    l->path = t2_strdup(path);
    if (l->scheme == T2_SCHEME_HTTP) {
        l->bucket = t2_strdup("");
        l->key = t2_strdup(path);
        l->name = t2_strdup(path);
        return check_url(path, rest, err);
    }
    n = strcspn(rest, "/");
    l->bucket = t2_strndup(rest, n);
    l->key = normal_key(rest + n);
    l->name = t2_asprintf("%s://%s%s%s", l->scheme == T2_SCHEME_S3 ? "s3" : "gs", l->bucket,
                          *l->key ? "/" : "", l->key);
    if (!is_bucket_name(rest, n))
        return t2_fail(err, T2_EUSAGE,
                       "'%s': the name of a bucket is wanted behind '://': letters, digits, '-', "
                       "'_' and '.'",
                       path);
    return T2_OK;
}

void t2_location_release(struct t2_location *l)
{
    t2_free(l->path);
    t2_free(l->name);
    t2_free(l->bucket);
    t2_free(l->key);
    *l = (struct t2_location){0};
}

void t2_url_encode(const char *s, const char *also, struct t2_buf *out)
{
    static const char digits[] = "0123456789ABCDEF";

    for (; *s; s++) {
        uint8_t c = (uint8_t) *s;
        bool is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                        (c >= '0' && c <= '9') || strchr("-._~", c) || strchr(also, c);

        if (is_plain) {
            t2_buf_push(out, c);
            continue;
        }
        t2_buf_push(out, '%');
        t2_buf_push(out, (uint8_t) digits[c >> 4]);
        t2_buf_push(out, (uint8_t) digits[c & 15]);
    }
}
