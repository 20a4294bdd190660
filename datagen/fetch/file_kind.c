/*
 * datagen/fetch/file_kind.c - checks the first bytes of a file against its expected kind.
 *
 * Servers answer with an HTML page and status 200 when a file is gone or needs a sign-in; its first
 * bytes show that before it is stored under the name of an archive.
 */
#include "datagen/fetch/file_kind.h"

#include <string.h>
#include <strings.h>

#include "base/str.h"

static const struct {
    enum dg_file_kind kind;
    const char *text;
    size_t n_magic;
    const char *magic;
} kinds[] = {
    {DG_KIND_GZIP, "a gzip file", 2, "\x1f\x8b"},
    {DG_KIND_BZIP2, "a bzip2 file", 3, "BZh"},
    {DG_KIND_XZ, "an xz file", 6,
     "\xfd"
     "7zXZ\0"},
    {DG_KIND_ZIP, "a zip file", 2, "PK"},
    {DG_KIND_NOT_HTML, "the file", 0, ""},
    {DG_KIND_ANY, "the file", 0, ""},
};
enum { N_KINDS = sizeof kinds / sizeof *kinds };

static const struct {
    const char *end;
    enum dg_file_kind kind;
} ends[] = {
    {".gz", DG_KIND_GZIP},    {".tgz", DG_KIND_GZIP},  {".bz2", DG_KIND_BZIP2},
    {".tbz2", DG_KIND_BZIP2}, {".tbz", DG_KIND_BZIP2}, {".xz", DG_KIND_XZ},
    {".txz", DG_KIND_XZ},     {".zip", DG_KIND_ZIP},   {".html", DG_KIND_ANY},
    {".htm", DG_KIND_ANY},    {".xml", DG_KIND_ANY},
};

enum dg_file_kind dg_kind_of_name(const char *name)
{
    size_t n = strlen(name), k;

    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        k = strlen(ends[i].end);
        if (n > k && strcasecmp(name + n - k, ends[i].end) == 0)
            return ends[i].kind;
    }
    return DG_KIND_NOT_HTML;
}

const char *dg_kind_text(enum dg_file_kind kind)
{
    size_t i;

    for (i = 0; i + 1 < N_KINDS && kinds[i].kind != kind; i++)
        continue;
    return kinds[i].text;
}

static size_t skip_to(const uint8_t *s, size_t i, size_t n, const char *what)
{
    size_t k = strlen(what);

    while (i + k <= n && memcmp(s + i, what, k) != 0)
        i++;
    return i + k <= n ? i + k : n;
}

/* Where the first tag is: behind a byte order mark, blanks, comments, an XML declaration. */
static size_t first_tag(const uint8_t *s, size_t n)
{
    size_t i = n >= 3 && memcmp(s, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;

    for (;;) {
        while (i < n && (s[i] == ' ' || (s[i] >= '\t' && s[i] <= '\r')))
            i++;
        if (n - i >= 4 && memcmp(s + i, "<!--", 4) == 0)
            i = skip_to(s, i, n, "-->");
        else if (n - i >= 5 && memcmp(s + i, "<?xml", 5) == 0)
            i = skip_to(s, i, n, "?>");
        else
            return i;
    }
}

bool dg_looks_like_html(const uint8_t *head, size_t n_bytes)
{
    static const char *const tags[] = {"<!doctype html", "<html",   "<head", "<body",
                                       "<title",         "<script", "<meta"};
    size_t at = first_tag(head, n_bytes), k;

    for (size_t i = 0; i < sizeof tags / sizeof *tags; i++) {
        k = strlen(tags[i]);
        if (n_bytes - at >= k && strncasecmp((const char *) head + at, tags[i], k) == 0 &&
            (n_bytes - at == k || strchr(" \t\r\n>/", head[at + k])))
            return true;
    }
    return false;
}

bool dg_kind_proved(enum dg_file_kind kind, const uint8_t *head, size_t n_bytes)
{
    for (size_t i = 0; i < N_KINDS; i++)
        if (kinds[i].kind == kind)
            return kinds[i].n_magic > 0 && n_bytes >= kinds[i].n_magic &&
                   memcmp(head, kinds[i].magic, kinds[i].n_magic) == 0;
    return false;
}

bool dg_kind_fits(enum dg_file_kind kind, const uint8_t *head, size_t n_bytes)
{
    if (kind == DG_KIND_ANY)
        return true;
    if (kind == DG_KIND_NOT_HTML)
        return !dg_looks_like_html(head, n_bytes);
    return dg_kind_proved(kind, head, n_bytes);
}

static size_t find_tag(const uint8_t *s, size_t n, size_t from, const char *tag)
{
    size_t k = strlen(tag);

    for (; from + k <= n; from++)
        if (strncasecmp((const char *) s + from, tag, k) == 0)
            return from;
    return n;
}

void dg_html_title(const uint8_t *page, size_t n_bytes, char title[80])
{
    size_t i = find_tag(page, n_bytes, 0, "<title"), n = 0, end;

    while (i < n_bytes && page[i] != '>')
        i++;
    end = find_tag(page, n_bytes, i, "</title");
    for (++i; i < end && end < n_bytes && n < 79; i++) {
        if (page[i] > ' ' && page[i] < 0x7f)
            title[n++] = (char) page[i];
        else if (n > 0 && title[n - 1] != ' ')
            title[n++] = ' ';
    }
    while (n > 0 && title[n - 1] == ' ')
        n--;
    title[n] = '\0';
}
