/*
 * base/remote/xml_walk.c - a strict reader of little XML.
 *
 *   document = blanks [ "<?" ... "?>" ] misc element misc
 *   misc     = *( blank / comment )
 *   element  = "<" name *attribute ( "/>" / ">" content "</" name ">" )
 *   content  = *( text / element / comment / "<![CDATA[" ... "]]>" )
 *
 * One pass with the open elements on a stack: the path of their names, and for each the place where
 * its text begins in one buffer of texts.
 */
#include "base/remote/xml_walk.h"

#include <string.h>

#include "base/alloc.h"
#include "base/budget.h"
#include "base/text.h"

enum { MAX_DEPTH = 16, MAX_NAME = 64, WORK_PER_BYTE = 4 };

struct walk {
    const char *xml, *end, *at;
    const char *origin;
    struct t2_budget budget;
    t2_xml_element element;
    void *context;
    char path[MAX_DEPTH * (MAX_NAME + 1)];
    size_t path_ends[MAX_DEPTH]; /* length of the path with this element */
    size_t text_begins[MAX_DEPTH];
    int depth;
    bool had_root;
    struct t2_buf texts;
};

static enum t2_status bad(const struct walk *w, const char *what, struct t2_err *err)
{
    return t2_fail(err, T2_EFORMAT, "'%s': XML, offset %td: %s", w->origin, w->at - w->xml, what);
}

static bool begins(const struct walk *w, const char *s)
{
    size_t n = strlen(s);

    return (size_t) (w->end - w->at) >= n && memcmp(w->at, s, n) == 0;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static void skip_blanks(struct walk *w)
{
    while (w->at < w->end && is_blank(*w->at))
        w->at++;
}

/* From w->at over everything up to and with `until`. */
static enum t2_status skip_past(struct walk *w, const char *until, struct t2_err *err)
{
    const char *found = memmem(w->at, (size_t) (w->end - w->at), until, strlen(until));

    if (!found)
        return bad(w, "it ends in the middle", err);
    w->at = found + strlen(until);
    return T2_OK;
}

static bool is_name_byte(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-' || c == '.' || c == ':';
}

static size_t name_length(const struct walk *w)
{
    size_t n = 0;

    while (w->at + n < w->end && is_name_byte(w->at[n]))
        n++;
    return n;
}

static void put_utf8(struct t2_buf *out, uint32_t c)
{
    if (c < 0x80) {
        t2_buf_push(out, (uint8_t) c);
        return;
    }
    if (c >= 0x10000) {
        t2_buf_push(out, (uint8_t) (0xF0 | c >> 18));
        t2_buf_push(out, (uint8_t) (0x80 | (c >> 12 & 0x3F)));
    } else if (c >= 0x800) {
        t2_buf_push(out, (uint8_t) (0xE0 | c >> 12));
    }
    if (c >= 0x800)
        t2_buf_push(out, (uint8_t) (0x80 | (c >> 6 & 0x3F)));
    else
        t2_buf_push(out, (uint8_t) (0xC0 | c >> 6));
    t2_buf_push(out, (uint8_t) (0x80 | (c & 0x3F)));
}

/* "&#233;" and "&#xE9;", behind "&#". */
static bool number_of(const char *s, size_t n, uint32_t *c)
{
    uint32_t base = n > 0 && s[0] == 'x' ? 16 : 10;

    *c = 0;
    if (base == 16)
        s++, n--;
    if (n == 0 || n > 7)
        return false;
    for (size_t i = 0; i < n; i++) {
        uint32_t digit = s[i] >= '0' && s[i] <= '9'                 ? (uint32_t) (s[i] - '0')
                         : base == 16 && s[i] >= 'a' && s[i] <= 'f' ? (uint32_t) (s[i] - 'a' + 10)
                         : base == 16 && s[i] >= 'A' && s[i] <= 'F' ? (uint32_t) (s[i] - 'A' + 10)
                                                                    : 99;
        if (digit == 99)
            return false;
        *c = *c * base + digit;
    }
    return *c > 0 && *c < 0x110000 && !(*c >= 0xD800 && *c < 0xE000);
}

static enum t2_status read_entity(struct walk *w, struct t2_err *err)
{
    static const char *const names[] = {"amp", "lt", "gt", "quot", "apos"};
    const char *from = w->at + 1;
    const char *end = memchr(from, ';', (size_t) (w->end - from < 12 ? w->end - from : 12));
    size_t n = end ? (size_t) (end - from) : 0;
    uint32_t c;

    if (n == 0)
        return bad(w, "'&' without an entity", err);
    if (from[0] == '#') {
        if (!number_of(from + 1, n - 1, &c))
            return bad(w, "no such character", err);
        put_utf8(&w->texts, c);
        w->at = end + 1;
        return T2_OK;
    }
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strlen(names[i]) == n && memcmp(from, names[i], n) == 0) {
            t2_buf_push(&w->texts, (uint8_t) "&<>\"'"[i]);
            w->at = end + 1;
            return T2_OK;
        }
    }
    return bad(w, "an entity that is not XML's own", err);
}

static enum t2_status open_element(struct walk *w, const char *name, size_t n, struct t2_err *err)
{
    size_t at = w->depth > 0 ? w->path_ends[w->depth - 1] : 0;

    if (w->depth == MAX_DEPTH)
        return bad(w, "elements within elements without end", err);
    if (n > MAX_NAME - 1)
        return bad(w, "a name of an element that is too long", err);
    if (at > 0)
        w->path[at++] = '/';
    memcpy(w->path + at, name, n);
    w->path[at + n] = '\0';
    w->path_ends[w->depth] = at + n;
    w->text_begins[w->depth] = w->texts.len_bytes;
    w->depth++;
    return T2_OK;
}

static enum t2_status close_element(struct walk *w, struct t2_err *err)
{
    size_t begin = w->text_begins[w->depth - 1];
    const char *text = t2_buf_cstr(&w->texts);
    enum t2_status st;

    if (memchr(text + begin, '\0', w->texts.len_bytes - begin))
        return bad(w, "a NUL", err);
    st = w->element(w->context, w->path, text + begin, err);
    w->texts.len_bytes = begin;
    t2_buf_reserve(&w->texts, 0)[0] = 0;
    w->depth--;
    w->path[w->depth > 0 ? w->path_ends[w->depth - 1] : 0] = '\0';
    w->had_root = true;
    return st;
}

/* Attributes, to the '>' of the tag. */
static enum t2_status skip_attributes(struct walk *w, bool *is_empty, struct t2_err *err)
{
    for (;;) {
        const char *from = w->at;
        size_t n;

        skip_blanks(w);
        *is_empty = begins(w, "/>");
        if (*is_empty || begins(w, ">")) {
            w->at += *is_empty ? 2 : 1;
            return T2_OK;
        }
        n = name_length(w);
        if (n == 0 || w->at == from)
            return bad(w, "a tag that is not whole", err);
        w->at += n;
        skip_blanks(w);
        if (!begins(w, "="))
            return bad(w, "an attribute without a value", err);
        w->at++;
        skip_blanks(w);
        if (!begins(w, "\"") && !begins(w, "'"))
            return bad(w, "a value without quotes", err);
        w->at++;
        T2_TRY(skip_past(w, w->at[-1] == '"' ? "\"" : "'", err));
    }
}

static enum t2_status begin_tag(struct walk *w, struct t2_err *err)
{
    const char *name;
    bool is_empty = false;
    size_t n;

    if (w->depth == 0 && w->had_root)
        return bad(w, "a second element behind the first", err);
    w->at++;
    name = w->at;
    n = name_length(w);
    if (n == 0)
        return bad(w, "'<' without a name", err);
    T2_TRY(open_element(w, name, n, err));
    w->at += n;
    T2_TRY(skip_attributes(w, &is_empty, err));
    return is_empty ? close_element(w, err) : T2_OK;
}

static enum t2_status end_tag(struct walk *w, struct t2_err *err)
{
    size_t n, begin, len;

    w->at += 2;
    n = name_length(w);
    if (w->depth == 0)
        return bad(w, "an end without a begin", err);
    begin = w->depth > 1 ? w->path_ends[w->depth - 2] + 1 : 0;
    len = w->path_ends[w->depth - 1] - begin;
    if (n != len || memcmp(w->at, w->path + begin, n) != 0)
        return bad(w, "an end tag of another element", err);
    w->at += n;
    skip_blanks(w);
    if (!begins(w, ">"))
        return bad(w, "a tag that is not whole", err);
    w->at++;
    return close_element(w, err);
}

static enum t2_status read_cdata(struct walk *w, struct t2_err *err)
{
    const char *from = w->at + strlen("<![CDATA[");

    if (w->depth == 0)
        return bad(w, "text outside of the element", err);
    T2_TRY(skip_past(w, "]]>", err));
    t2_buf_append(&w->texts, from, (size_t) (w->at - 3 - from));
    return T2_OK;
}

static enum t2_status read_text(struct walk *w, struct t2_err *err)
{
    const char *from = w->at;

    while (w->at < w->end && *w->at != '<' && *w->at != '&')
        w->at++;
    if (w->depth > 0) {
        t2_buf_append(&w->texts, from, (size_t) (w->at - from));
        return T2_OK;
    }
    for (; from < w->at; from++)
        if (!is_blank(*from))
            return bad(w, "text outside of the element", err);
    return T2_OK;
}

static enum t2_status step(struct walk *w, struct t2_err *err)
{
    if (*w->at == '&')
        return w->depth > 0 ? read_entity(w, err) : bad(w, "text outside of the element", err);
    if (*w->at != '<')
        return read_text(w, err);
    if (begins(w, "<!--"))
        return skip_past(w, "-->", err);
    if (begins(w, "<![CDATA["))
        return read_cdata(w, err);
    if (begins(w, "<?"))
        return w->at == w->xml ? skip_past(w, "?>", err)
                               : bad(w, "an instruction for a program", err);
    if (begins(w, "<!"))
        return bad(w, "a document type, which answers of object stores do not have", err);
    return begins(w, "</") ? end_tag(w, err) : begin_tag(w, err);
}

static enum t2_status walk_all(struct walk *w, struct t2_err *err)
{
    while (w->at < w->end) {
        const char *from = w->at;

        T2_TRY(step(w, err));
        T2_TRY(t2_budget_spend(&w->budget, (uint64_t) (w->at - from), err));
    }
    if (w->depth > 0 || !w->had_root)
        return bad(w, "it ends in the middle", err);
    return T2_OK;
}

enum t2_status t2_xml_walk(const char *xml, size_t len_bytes, const char *origin,
                           t2_xml_element element, void *context, struct t2_err *err)
{
    struct walk w = {.xml = xml,
                     .end = xml + len_bytes,
                     .at = xml,
                     .origin = origin,
                     .element = element,
                     .context = context};
    enum t2_status st;

    t2_budget_init(&w.budget, origin, "bytes", 1024, WORK_PER_BYTE, len_bytes);
    if (t2_utf8_invalid_at((const uint8_t *) xml, len_bytes) < len_bytes)
        return t2_fail(err, T2_EFORMAT, "'%s': XML that is not UTF-8", origin);
    st = walk_all(&w, err);
    t2_buf_release(&w.texts);
    return st;
}
