/*
 * base/yaml_tree.c - libyaml's events into a tree.
 *
 * The events that libyaml gives, and the function that takes each:
 *
 *   stream   = STREAM-START [ DOCUMENT-START value DOCUMENT-END ] STREAM-END      take_documents
 *   value    = SCALAR                                                           take_scalar
 *            | SEQUENCE-START { value } SEQUENCE-END                            take_list
 *            | MAPPING-START { SCALAR value } MAPPING-END                       take_mapping
 *
 * Keys are single words; each at most once.  Depth, keys and directives are bounded.
 *
 * libyaml has resolved indentation, quoting, folding and escapes when the events arrive; what a
 * plain scalar means (number, null, bool) is left to the reader of the tree, which is why `plain`
 * is kept. Aliases are refused: they make a tree of exponential size out of a short text.
 * MAX_DEPTH also bounds the recursion of take and release.
 */
#include "base/yaml_tree.h"

#include <string.h>
#include <yaml.h>

#include "base/alloc.h"
#include "base/map.h"

enum { MAX_DEPTH = 60, MAX_KEYS = 10000, MAX_DIRECTIVES = 100 };

struct reading {
    yaml_parser_t parser;
    const char *origin;
    int depth;
    struct t2_err *err;
};

static enum t2_status fail_at(const struct reading *r, yaml_mark_t at, const char *what)
{
    return t2_fail(r->err, T2_EFORMAT, "'%s': line %zu, column %zu: %s", r->origin, at.line + 1,
                   at.column + 1, what);
}

/* The next event, which the caller deletes. */
static enum t2_status next_event(struct reading *r, yaml_event_t *e)
{
    if (yaml_parser_parse(&r->parser, e))
        return T2_OK;
    if (r->parser.error == YAML_MEMORY_ERROR)
        t2_out_of_memory("cannot read '%s'", r->origin);
    return fail_at(r, r->parser.problem_mark, r->parser.problem ? r->parser.problem : "no YAML");
}

static void release(struct t2_yaml_node *node)
{
    for (size_t i = 0; i < node->n; i++)
        release(&node->items[i]);
    t2_free(node->items);
    t2_free(node->text);
    t2_free(node->tag);
    t2_free(node->key);
}

static enum t2_status take(struct reading *r, const yaml_event_t *e, struct t2_yaml_node *node);

/* A new last item, zeroed. */
static struct t2_yaml_node *add(struct t2_yaml_node *node, size_t *capacity)
{
    if (node->n == *capacity) {
        *capacity = *capacity ? 2 * *capacity : 4;
        node->items = t2_realloc(node->items, *capacity, sizeof *node->items);
    }
    memset(&node->items[node->n], 0, sizeof *node->items);
    return &node->items[node->n++];
}

static enum t2_status take_list(struct reading *r, struct t2_yaml_node *node)
{
    enum t2_status st = T2_OK;
    size_t capacity = 0;
    bool more = true;

    while (st == T2_OK && more) {
        yaml_event_t e;

        T2_TRY(next_event(r, &e));
        more = e.type != YAML_SEQUENCE_END_EVENT;
        if (more)
            st = take(r, &e, add(node, &capacity));
        yaml_event_delete(&e);
    }
    return st;
}

static enum t2_status check_key(const struct reading *r, const yaml_event_t *key,
                                struct t2_map *keys)
{
    bool inserted;

    if (key->type != YAML_SCALAR_EVENT)
        return fail_at(r, key->start_mark, "a key that is not a word");
    t2_map_at(keys, key->data.scalar.value, strlen((const char *) key->data.scalar.value),
              &inserted);
    if (!inserted)
        return fail_at(r, key->start_mark, "this key is there twice");
    if (t2_map_count(keys) > MAX_KEYS)
        return fail_at(r, key->start_mark, "too many keys");
    return T2_OK;
}

/* A key and its value. */
static enum t2_status take_member(struct reading *r, const yaml_event_t *key,
                                  struct t2_yaml_node *item)
{
    yaml_event_t value;
    enum t2_status st;

    item->key = t2_strdup((const char *) key->data.scalar.value);
    item->key_line = key->start_mark.line + 1;
    item->key_column = key->start_mark.column + 1;
    T2_TRY(next_event(r, &value));
    st = take(r, &value, item);
    yaml_event_delete(&value);
    return st;
}

static enum t2_status take_mapping(struct reading *r, struct t2_yaml_node *node)
{
    struct t2_map *keys = t2_map_new();
    enum t2_status st = T2_OK;
    size_t capacity = 0;
    bool more = true;

    while (st == T2_OK && more) {
        yaml_event_t e;

        st = next_event(r, &e);
        if (st != T2_OK)
            break;
        more = e.type != YAML_MAPPING_END_EVENT;
        if (more)
            st = check_key(r, &e, keys);
        if (more && st == T2_OK)
            st = take_member(r, &e, add(node, &capacity));
        yaml_event_delete(&e);
    }
    t2_map_free(keys);
    return st;
}

static void take_tag(struct t2_yaml_node *node, const yaml_char_t *tag)
{
    if (tag)
        node->tag = t2_strdup((const char *) tag);
}

static enum t2_status take_scalar(struct reading *r, const yaml_event_t *e,
                                  struct t2_yaml_node *node)
{
    const char *s = (const char *) e->data.scalar.value;

    if (strlen(s) != e->data.scalar.length)
        return fail_at(r, e->start_mark, "a text with a NUL character");
    node->kind = T2_YAML_SCALAR;
    node->text = t2_strdup(s);
    node->plain = e->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
    take_tag(node, e->data.scalar.tag);
    return T2_OK;
}

/* The value that begins with e. */
static enum t2_status take(struct reading *r, const yaml_event_t *e, struct t2_yaml_node *node)
{
    enum t2_status st = T2_OK;

    node->line = e->start_mark.line + 1;
    node->column = e->start_mark.column + 1;
    if (++r->depth > MAX_DEPTH)
        return fail_at(r, e->start_mark, "nested too deeply");
    switch (e->type) {
    case YAML_SCALAR_EVENT:
        st = take_scalar(r, e, node);
        break;
    case YAML_SEQUENCE_START_EVENT:
        node->kind = T2_YAML_LIST;
        take_tag(node, e->data.sequence_start.tag);
        st = take_list(r, node);
        break;
    case YAML_MAPPING_START_EVENT:
        node->kind = T2_YAML_MAPPING;
        take_tag(node, e->data.mapping_start.tag);
        st = take_mapping(r, node);
        break;
    case YAML_ALIAS_EVENT:
        st = fail_at(r, e->start_mark, "aliases (*name) are not understood here");
        break;
    default:
        st = fail_at(r, e->start_mark, "a value was expected");
        break;
    }
    r->depth--;
    return st;
}

static bool is_value(const yaml_event_t *e)
{
    return e->type == YAML_SCALAR_EVENT || e->type == YAML_SEQUENCE_START_EVENT ||
           e->type == YAML_MAPPING_START_EVENT || e->type == YAML_ALIAS_EVENT;
}

static enum t2_status take_documents(struct reading *r, struct t2_yaml_node **root)
{
    bool more = true, any = false;
    enum t2_status st = T2_OK;

    while (st == T2_OK && more) {
        yaml_event_t e;

        T2_TRY(next_event(r, &e));
        more = e.type != YAML_STREAM_END_EVENT;
        if (e.type == YAML_DOCUMENT_START_EVENT && any)
            st = fail_at(r, e.start_mark, "more than one document");
        any = any || e.type == YAML_DOCUMENT_START_EVENT;
        if (is_value(&e)) {
            *root = t2_alloc(1, sizeof **root);
            st = take(r, &e, *root);
        }
        yaml_event_delete(&e);
    }
    return st;
}

/* libyaml compares every %TAG with all before it, so their number is bounded before it sees any. */
static enum t2_status check_directives(const char *text, size_t len_bytes, const char *origin,
                                       struct t2_err *err)
{
    size_t n = 0, line = 0;

    for (const char *at = text, *end = text + len_bytes; at && at < end; line++) {
        n += *at == '%';
        if (n > MAX_DIRECTIVES)
            return t2_fail(err, T2_EFORMAT, "'%s': line %zu: more than %d directives (%%)", origin,
                           line + 1, MAX_DIRECTIVES);
        at = memchr(at, '\n', (size_t) (end - at));
        at = at ? at + 1 : NULL;
    }
    return T2_OK;
}

enum t2_status t2_yaml_tree(const char *text, size_t len_bytes, const char *origin,
                            struct t2_yaml_node **root, struct t2_err *err)
{
    struct reading r = {.origin = origin, .err = err};
    enum t2_status st;

    *root = NULL;
    T2_TRY(check_directives(text, len_bytes, origin, err));
    if (!yaml_parser_initialize(&r.parser))
        t2_out_of_memory("cannot read '%s'", origin);
    yaml_parser_set_input_string(&r.parser, (const unsigned char *) text, len_bytes);
    st = take_documents(&r, root);
    yaml_parser_delete(&r.parser);
    if (st != T2_OK) {
        t2_yaml_free(*root);
        *root = NULL;
    }
    return st;
}

void t2_yaml_free(struct t2_yaml_node *root)
{
    if (!root)
        return;
    release(root);
    t2_free(root);
}
