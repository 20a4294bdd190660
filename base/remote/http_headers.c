/*
 * base/remote/http_headers.c - values of HTTP headers, and names in URLs.
 *
 * By hand, because strptime and getdate follow the locale and the time zone.  Every parser takes
 * the whole value or refuses it: a header that is not understood is treated as absent.
 */
#include "base/remote/http_headers.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "base/str.h"

static const char *skip_blanks(const char *s)
{
    while (*s == ' ' || *s == '\t')
        s++;
    return s;
}

/*
 * Digits, at least one, at most `most`; moves *s behind them.  A further digit is a refusal, so
 * `most` also keeps *v from overflowing: every caller asks for 18 or fewer.
 */
static bool number(const char **s, int most, uint64_t *v)
{
    int n = 0;

    for (*v = 0; n < most && **s >= '0' && **s <= '9'; ++*s, n++)
        *v = *v * 10 + (uint64_t) (**s - '0');
    return n > 0 && !(**s >= '0' && **s <= '9');
}

static bool literal(const char **s, const char *what)
{
    size_t n = strlen(what);

    if (strncasecmp(*s, what, n) != 0)
        return false;
    *s += n;
    return true;
}

/* 1 to 12; 0: none. */
static unsigned month_of(const char **s)
{
    static const char months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";

    for (unsigned i = 0; i < 12; i++)
        if (strncasecmp(*s, months + 3 * (size_t) i, 3) == 0) {
            *s += 3;
            return i + 1;
        }
    return 0;
}

/*
 * Days from 1970-01-01 in the Gregorian calendar; years from 1 on.
 *
 * 719162 days lie between 0001-01-01 and 1970-01-01.
 */
static int64_t days_of(int64_t year, unsigned month, unsigned day)
{
    static const unsigned before[] = {0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334};
    int64_t y = year - 1;
    bool is_leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;

    return y * 365 + y / 4 - y / 100 + y / 400 + before[month - 1] + (is_leap && month > 2) + day -
           1 - 719162;
}

static bool clock_of(const char **s, int64_t *seconds)
{
    uint64_t h, m, sec;

    if (!number(s, 2, &h) || !literal(s, ":") || !number(s, 2, &m) || !literal(s, ":") ||
        !number(s, 2, &sec) || h > 23 || m > 59 || sec > 60)
        return false;
    *seconds = (int64_t) (h * 3600 + m * 60 + sec);
    return true;
}

/*
 * The three forms of RFC 9110, 5.6.7:
 *
 *   Sun, 06 Nov 1994 08:49:37 GMT       IMF-fixdate
 *   Sunday, 06-Nov-94 08:49:37 GMT      RFC 850; years 00 to 69 are 2000 to 2069
 *   Sun Nov  6 08:49:37 1994            asctime
 *
 * The name of the day is skipped, not checked.  Letter case is ignored, as servers vary in it.
 */
bool t2_http_date(const char *value, int64_t *unix_s)
{
    const char *s = skip_blanks(value);
    uint64_t day, year;
    unsigned month;
    int64_t seconds;

    while (isalpha((unsigned char) *s)) /* the name of the day */
        s++;
    if (literal(&s, ", ")) { /* 06 Nov 1994 08:49:37 GMT, 06-Nov-94 08:49:37 GMT */
        if (!number(&s, 2, &day) || !(literal(&s, " ") || literal(&s, "-")) ||
            (month = month_of(&s)) == 0 || !(literal(&s, " ") || literal(&s, "-")) ||
            !number(&s, 4, &year) || !literal(&s, " ") || !clock_of(&s, &seconds) ||
            !literal(&s, " GMT"))
            return false;
        if (year < 100)
            year += year < 70 ? 2000 : 1900;
    } else { /* Sun Nov  6 08:49:37 1994 */
        if (!literal(&s, " ") || (month = month_of(&s)) == 0 || *s != ' ')
            return false;
        s = skip_blanks(s);
        if (!number(&s, 2, &day) || !literal(&s, " ") || !clock_of(&s, &seconds) ||
            !literal(&s, " ") || !number(&s, 4, &year))
            return false;
    }
    if (day < 1 || day > 31 || year < 1900 || *skip_blanks(s) != '\0')
        return false;
    *unix_s = days_of((int64_t) year, month, (unsigned) day) * 86400 + seconds;
    return true;
}

/* RFC 9110, 10.2.3: seconds, or a date. */
bool t2_http_retry_after(const char *value, int64_t now_unix_s, int64_t *wait_s)
{
    const char *s = skip_blanks(value);
    uint64_t n;
    int64_t when;

    if (number(&s, 9, &n) && *skip_blanks(s) == '\0') {
        *wait_s = (int64_t) n;
        return true;
    }
    if (!t2_http_date(value, &when))
        return false;
    *wait_s = when > now_unix_s ? when - now_unix_s : 0;
    return true;
}

/*
 * RFC 9110, 14.4: "bytes 0-499/1234"; a star stands for an unknown range or total:
 *
 *   value = "bytes" SP ( first "-" last | "*" ) "/" ( total | "*" )
 *
 * first and last are inclusive byte offsets.  Refused: last < first, last >= total, two stars.
 */
bool t2_http_content_range(const char *value, struct t2_http_content_range *range)
{
    enum { DIGITS = 18 };
    const char *s = skip_blanks(value);

    memset(range, 0, sizeof *range);
    if (!literal(&s, "bytes") || *s != ' ')
        return false;
    s = skip_blanks(s);
    if (!literal(&s, "*")) {
        range->has_bytes = true;
        if (!number(&s, DIGITS, &range->first) || !literal(&s, "-") ||
            !number(&s, DIGITS, &range->last) || range->last < range->first)
            return false;
    }
    if (!literal(&s, "/"))
        return false;
    if (!literal(&s, "*")) {
        range->has_total = true;
        if (!number(&s, DIGITS, &range->total))
            return false;
    }
    return *skip_blanks(s) == '\0' && (range->has_bytes || range->has_total) &&
           !(range->has_bytes && range->has_total && range->last >= range->total);
}

bool t2_is_html_type(const char *content_type)
{
    static const char *const types[] = {"text/html", "application/xhtml+xml"};
    const char *s = skip_blanks(content_type);
    size_t n;

    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        n = strlen(types[i]);
        if (strncasecmp(s, types[i], n) == 0 && strchr(" \t;", s[n]))
            return true;
    }
    return false;
}

/* RFC 9110, 8.8.3: weak ones begin with W/ and cannot be used in If-Range. */
bool t2_is_strong_etag(const char *etag)
{
    size_t n = strlen(etag);

    return n >= 2 && etag[0] == '"' && etag[n - 1] == '"';
}

/*
 * No separators, control characters, "." or "..": the name comes from a URL and is joined to a
 * folder of the user. 200 bytes leave room for suffixes below the 255 of most file systems.
 */
bool t2_is_file_name(const char *name)
{
    enum { MOST = 200 };
    const unsigned char *s = (const unsigned char *) name;

    if (*s == '\0' || strlen(name) > MOST || strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
        return false;
    for (; *s; s++)
        if (*s < 0x20 || *s == 0x7f || *s == '/')
            return false;
    return true;
}

const char *t2_url_name(const char *url)
{
    const char *slash = strrchr(url, '/');
    const char *name = slash ? slash + 1 : url;

    return t2_is_file_name(name) ? name : NULL;
}

/*
 * The part before "://" in lower case (RFC 3986, 3.1); empty for paths and for schemes of more
 * than 15 characters.
 */
void t2_url_scheme(const char *url, char scheme[16])
{
    size_t n = strcspn(url, ":/?#"), i;

    scheme[0] = '\0';
    if (n == 0 || n > 15 || strncmp(url + n, "://", 3) != 0)
        return;
    for (i = 0; i < n; i++)
        scheme[i] = (char) (url[i] >= 'A' && url[i] <= 'Z' ? url[i] + 32 : url[i]);
    scheme[n] = '\0';
}

bool t2_is_http_url(const char *url)
{
    char scheme[16];

    t2_url_scheme(url, scheme);
    return strcmp(scheme, "http") == 0 || strcmp(scheme, "https") == 0;
}

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    c = (char) (c | 0x20);
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/*
 * file:///path and file://localhost/path (RFC 8089), with %XX decoded. %00 is left as it is,
 * because a decoded NUL would cut the path.
 */
char *t2_url_local_path(const char *url)
{
    struct t2_buf path = {0};
    char scheme[16];
    int high, low;

    t2_url_scheme(url, scheme);
    if (scheme[0] == '\0')
        return strstr(url, "://") ? NULL : t2_strdup(url);
    if (strcmp(scheme, "file") != 0)
        return NULL;
    url += strlen("file://");
    if (strncasecmp(url, "localhost/", 10) == 0)
        url += 9;
    if (*url != '/')
        return NULL;
    for (; *url; url++) {
        high = *url == '%' ? hex_digit(url[1]) : -1;
        low = high >= 0 ? hex_digit(url[2]) : -1;
        if (low >= 0 && (high | low) != 0) {
            t2_buf_push(&path, (uint8_t) (high << 4 | low));
            url += 2;
        } else {
            t2_buf_push(&path, (uint8_t) *url);
        }
    }
    return t2_buf_detach(&path);
}

char *t2_mirror_url(const char *mirror, const char *name)
{
    struct t2_buf url = {0};
    size_t n = strlen(mirror);
    char scheme[16];

    t2_url_scheme(mirror, scheme);
    while (n > 0 && mirror[n - 1] == '/')
        n--;
    t2_buf_append(&url, mirror, n);
    t2_buf_push(&url, '/');
    for (; *name; name++) {
        if (scheme[0] == '\0' || isalnum((unsigned char) *name) || strchr("-._~+=,@", *name))
            t2_buf_push(&url, (uint8_t) *name);
        else
            t2_buf_printf(&url, "%%%02X", (unsigned) (unsigned char) *name);
    }
    return t2_buf_detach(&url);
}
