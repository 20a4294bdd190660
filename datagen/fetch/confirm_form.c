/*
 * datagen/fetch/confirm_form.c - finding the form of a confirmation page.
 *
 * Google Drive answers with a page instead of a file when the file is too large for its virus scan;
 * the page has a form that asks for it again with a token.  Just enough of HTML is read to send it:
 * tags with attributes, comments skipped, five entities.  Forms with a password field or sent by
 * POST are not taken.
 *
 *   tag        = "<" name { any but ">" | quoted } ">"       comments "<!-- ... -->" skipped
 *   attribute  = name [ "=" ( '"' ... '"' | "'" ... "'" | unquoted up to a blank ) ]
 *   form       = <form action method> { <input type=hidden name value> } </form>
 */
#include "datagen/fetch/confirm_form.h"

#include <string.h>
#include <strings.h>

#include "base/alloc.h"
#include "base/buf.h"

struct tag {
    struct t2_slice name; /* "input", "/form" */
    struct t2_slice attributes;
};

static bool is_blank(uint8_t c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static bool is_word(struct t2_slice s, const char *word)
{
    return s.len_bytes == strlen(word) &&
           strncasecmp((const char *) s.data, word, s.len_bytes) == 0;
}

static bool begins(const uint8_t *s, size_t n, const char *what)
{
    return n >= strlen(what) && memcmp(s, what, strlen(what)) == 0;
}

/* The next tag at or behind *at; quotes may hold '>'. */
static bool next_tag(struct t2_slice page, size_t *at, struct tag *t)
{
    const uint8_t *s = page.data;
    size_t n = page.len_bytes, i = *at, start;
    uint8_t quote = 0;

    for (;;) {
        while (i < n && s[i] != '<')
            i++;
        if (i >= n)
            return false;
        if (!begins(s + i, n - i, "<!--"))
            break;
        for (i += 4; i < n && !begins(s + i, n - i, "-->"); i++)
            continue;
    }
    start = ++i;
    while (i < n && !is_blank(s[i]) && s[i] != '>' && (s[i] != '/' || i == start))
        i++;
    t->name = (struct t2_slice){s + start, i - start};
    start = i;
    for (; i < n && (quote || s[i] != '>'); i++) {
        if (quote && s[i] == quote)
            quote = 0;
        else if (!quote && (s[i] == '"' || s[i] == '\''))
            quote = s[i];
    }
    t->attributes = (struct t2_slice){s + start, i - start};
    *at = i < n ? i + 1 : n;
    return true;
}

/*
 * The five entities that forms need in values; others, numeric ones among them, stay as they are.
 */
static void push_decoded(struct t2_buf *out, struct t2_slice text)
{
    static const struct {
        const char *entity;
        char is;
    } entities[] = {{"&amp;", '&'}, {"&quot;", '"'}, {"&#39;", '\''}, {"&lt;", '<'}, {"&gt;", '>'}};
    size_t k;

    for (size_t i = 0; i < text.len_bytes;) {
        for (k = 0; k < sizeof entities / sizeof *entities; k++)
            if (begins(text.data + i, text.len_bytes - i, entities[k].entity))
                break;
        if (k < sizeof entities / sizeof *entities) {
            t2_buf_push(out, (uint8_t) entities[k].is);
            i += strlen(entities[k].entity);
        } else {
            t2_buf_push(out, text.data[i++]);
        }
    }
}

/* name="value", name='value', name=value, name. */
static bool next_attribute(struct t2_slice text, size_t *at, struct t2_slice *name,
                           struct t2_slice *value)
{
    const uint8_t *s = text.data;
    size_t n = text.len_bytes, i = *at, start;
    uint8_t quote = 0;

    while (i < n && (is_blank(s[i]) || s[i] == '/' || s[i] == '='))
        i++;
    if (i >= n)
        return false;
    for (start = i; i < n && !is_blank(s[i]) && s[i] != '='; i++)
        continue;
    *name = (struct t2_slice){s + start, i - start};
    *value = (struct t2_slice){s + i, 0};
    while (i < n && is_blank(s[i]))
        i++;
    if (i < n && s[i] == '=') {
        for (++i; i < n && is_blank(s[i]); i++)
            continue;
        if (i < n && (s[i] == '"' || s[i] == '\''))
            quote = s[i++];
        for (start = i; i < n && (quote ? s[i] != quote : !is_blank(s[i])); i++)
            continue;
        *value = (struct t2_slice){s + start, i - start};
        i += quote && i < n;
    }
    *at = i;
    return true;
}

/* The value of an attribute, "" when absent.  Owned by the caller; NUL and what is behind it is
 * cut. */
static char *attribute(const struct tag *t, const char *wanted)
{
    struct t2_slice name, value;
    struct t2_buf out = {0};
    size_t at = 0;

    while (next_attribute(t->attributes, &at, &name, &value))
        if (is_word(name, wanted)) {
            push_decoded(&out, value);
            break;
        }
    return t2_buf_detach(&out);
}

static bool attribute_is(const struct tag *t, const char *wanted, const char *value)
{
    char *s = attribute(t, wanted);
    bool same = strcasecmp(s, value) == 0;

    t2_free(s);
    return same;
}

/* Unreserved characters of RFC 3986, 2.3, as they are, all others as %XX. */
static void push_encoded(struct t2_buf *out, const char *s)
{
    for (; *s; s++) {
        if ((*s >= '0' && *s <= '9') || (*s >= 'a' && *s <= 'z') || (*s >= 'A' && *s <= 'Z') ||
            strchr("-._~", *s))
            t2_buf_push(out, (uint8_t) *s);
        else
            t2_buf_printf(out, "%%%02X", (unsigned) (unsigned char) *s);
    }
}

/* Adds name=value of a field; true when its name is "confirm", by which Drive's form is known. */
static bool add_field(const struct tag *t, struct t2_buf *query)
{
    char *name = attribute(t, "name"), *value = attribute(t, "value");
    bool confirms = strcmp(name, "confirm") == 0;

    if (*name) {
        if (query->len_bytes > 0)
            t2_buf_push(query, '&');
        push_encoded(query, name);
        t2_buf_push(query, '=');
        push_encoded(query, value);
    }
    t2_free(name);
    t2_free(value);
    return confirms;
}

/* The fields up to </form>. */
static bool read_fields(struct t2_slice page, size_t *at, struct t2_buf *query)
{
    bool confirms = false, asks_password = false;
    struct tag t;

    while (next_tag(page, at, &t) && !is_word(t.name, "/form")) {
        if (!is_word(t.name, "input"))
            continue;
        asks_password |= attribute_is(&t, "type", "password");
        if (attribute_is(&t, "type", "hidden"))
            confirms |= add_field(&t, query);
    }
    return confirms && !asks_password;
}

bool dg_confirm_form(const uint8_t *page, size_t n_bytes, struct dg_form *f)
{
    struct t2_slice all = {page, n_bytes};
    struct t2_buf query = {0};
    struct tag t;
    size_t at = 0;

    *f = (struct dg_form){0};
    while (next_tag(all, &at, &t)) {
        if (!is_word(t.name, "form"))
            continue;
        t2_buf_clear(&query);
        if (read_fields(all, &at, &query) && !attribute_is(&t, "method", "post")) {
            f->action = attribute(&t, "action");
            f->query = t2_buf_detach(&query);
            return true;
        }
    }
    t2_buf_release(&query);
    return false;
}

/*
 * A form sent by GET replaces the query of its action (HTML, "form submission": mutate action
 * URL).
 */
char *dg_form_url(const char *action_url, const struct dg_form *f)
{
    struct t2_buf url = {0};

    t2_buf_append(&url, action_url, strcspn(action_url, "?#"));
    t2_buf_push(&url, '?');
    t2_buf_puts(&url, f->query);
    return t2_buf_detach(&url);
}

void dg_form_release(struct dg_form *f)
{
    t2_free(f->action);
    t2_free(f->query);
    *f = (struct dg_form){0};
}
