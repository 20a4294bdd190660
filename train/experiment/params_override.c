/*
 * train/experiment/params_override.c - the forms of --params_override: name=value,name=value; YAML;
 * a file.
 *
 * The first form is Model Garden's regular expression, read by hand: a value is a list in brackets,
 * a quoted text, or text up to a comma.  A text that does not match is tried as YAML, then as the
 * name of a file.
 */
#include "train/experiment/params_override.h"

#include <ctype.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"

enum { MAX_FILE_BYTES = 16 << 20 };

static const char flag[] = "--params_override";

/* ---- name=value,name=value ---- */

/* Both borrowed from the text. */
struct entry {
    const char *name, *value;
    size_t name_bytes, value_bytes;
};

static const char *skip_blanks(const char *s)
{
    while (isspace((unsigned char) *s))
        s++;
    return s;
}

/* Behind what may end an entry, the end of the text or a comma with blanks; NULL for other text. */
static const char *entry_end(const char *s)
{
    if (*s == '\0')
        return s;
    return *s == ',' ? skip_blanks(s + 1) : NULL;
}

/* Reads one entry; returns the beginning of the next, NULL when the text is no entry. */
static const char *read_entry(const char *s, struct entry *e)
{
    const char *end = NULL, *next = NULL;

    e->name = s;
    if (!isalpha((unsigned char) *s))
        return NULL;
    while (isalnum((unsigned char) *s) || *s == '_' || *s == '.')
        s++;
    e->name_bytes = (size_t) (s - e->name);
    s = skip_blanks(s);
    if (*s != '=')
        return NULL;
    e->value = s = skip_blanks(s + 1);
    if (*s == '[') {
        end = s + strcspn(s + 1, "[]") + 1;
        end = *end == ']' ? end + 1 : NULL;
    } else if (*s == '\'' || *s == '"') { /* to the first such quote that an entry may end behind */
        end = s + 1;
        while ((end = strchr(end, *s)) && !entry_end(skip_blanks(++end)))
            continue;
    }
    if (end)
        next = entry_end(skip_blanks(end));
    if (!next && *s != '[') {
        end = s + strcspn(s, ",[");
        next = entry_end(end);
    }
    if (!next)
        return NULL;
    while (end > e->value && isspace((unsigned char) end[-1]))
        end--;
    e->value_bytes = (size_t) (end - e->value);
    return next;
}

static bool is_entries(const char *text)
{
    struct entry e;

    do {
        text = read_entry(text, &e);
    } while (text && *text != '\0');
    return text != NULL;
}

/* The value as YAML with one item: bare text that begins with g, s, ':' or '/' is text always. */
static void put_as_yaml(struct t2_buf *out, const struct entry *e)
{
    bool quoted = e->value_bytes > 0 && strchr("gs:/", e->value[0]);

    t2_buf_puts(out, quoted ? "['" : "[");
    for (size_t i = 0; i < e->value_bytes; i++) {
        if (quoted && e->value[i] == '\'')
            t2_buf_push(out, '\'');
        t2_buf_push(out, (uint8_t) e->value[i]);
    }
    t2_buf_puts(out, quoted ? "']" : "]");
}

static enum t2_status set_entry(struct exp_config *c, const char *text, const struct entry *e,
                                struct t2_err *err)
{
    static const struct t2_yaml_node null = {.kind = T2_YAML_SCALAR, .plain = true};
    char *name = t2_strndup(e->name, e->name_bytes), nothing[] = "";
    struct t2_yaml_node *tree = NULL, value = null;
    struct t2_err none = T2_ERR_INIT;
    struct t2_buf yaml = {0};
    enum t2_status st;

    put_as_yaml(&yaml, e);
    value.text = nothing;
    st = t2_yaml_tree(t2_buf_cstr(&yaml), yaml.len_bytes, flag, &tree, &none);
    if (st == T2_EUNSUPPORTED) {
        *err = none;
    } else if (st != T2_OK || tree->n > 1) {
        st = t2_fail(err, T2_EUSAGE, "%s: '%s=%.*s': the value is no YAML", flag, name,
                     (int) e->value_bytes, e->value);
    } else {
        if (tree->n == 1)
            value = tree->items[0]; /* borrowed */
        value.line = 1;
        value.column = (size_t) (e->name - text) + 1;
        st = exp_config_set(c, name, &value, flag, err);
    }
    t2_yaml_free(tree);
    t2_buf_release(&yaml);
    t2_free(name);
    return st;
}

/* ---- YAML ---- */

enum t2_status exp_override_file(struct exp_config *c, const char *path, struct t2_err *err)
{
    struct t2_yaml_node *tree = NULL;
    struct t2_buf text = {0};
    char *expanded = t2_path_expand(path);
    enum t2_status st = t2_read_file(expanded, MAX_FILE_BYTES, &text, err);

    if (st == T2_OK)
        st = t2_yaml_tree(t2_buf_cstr(&text), text.len_bytes, path, &tree, err);
    if (st == T2_OK)
        st = exp_config_merge(c, tree, path, err);
    t2_yaml_free(tree);
    t2_buf_release(&text);
    t2_free(expanded);
    return st;
}

enum t2_status exp_override(struct exp_config *c, const char *text, struct t2_err *err)
{
    struct t2_yaml_node *tree = NULL;
    struct entry e;
    enum t2_status st;

    if (text[0] == '\0')
        return T2_OK;
    if (is_entries(text)) {
        for (const char *at = text; *at != '\0';) {
            at = read_entry(at, &e);
            T2_TRY(set_entry(c, text, &e, err));
        }
        return T2_OK;
    }
    st = t2_yaml_tree(text, strlen(text), flag, &tree, err);
    if (st == T2_EFORMAT) /* what is no YAML was typed, not read from a file */
        st = err->status = T2_EUSAGE;
    if (st == T2_OK && tree && tree->kind == T2_YAML_SCALAR) {
        st = exp_override_file(c, tree->text, err);
        if (st == T2_ENOTFOUND)
            st = t2_fail(err, T2_EUSAGE, "%s: '%s' is neither name=value,..., nor YAML, nor a file",
                         flag, text);
    } else if (st == T2_OK) {
        st = exp_config_merge(c, tree, flag, err);
    }
    t2_yaml_free(tree);
    return st;
}
