/*
 * datagen/source/json_items.c - the items of long arrays of a JSON document.
 *
 * The document is { "key": [ item, ... ], ... } or, without keys, [ item, ... ].  Every byte goes
 * through the grammar (base/json_grammar.h), whose state and depth give the place:
 *
 *   depth with keys   without
 *   0                 0         the document begins: '{' or '['
 *   1                 -         names of members: held, parsed, compared with the keys
 *   2                 1         items of an array of interest: held, parsed, given
 *   others                      passed over
 *
 * Only the bytes of one name or item are held (at most a share of --max_memory), so a document of
 * any size is read once, from a pipe or an archive.
 */
#include "datagen/source/json_items.h"

#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "base/json_grammar.h"
#include "base/str.h"

enum { CHUNK_BYTES = 1 << 16, MAX_KEY_BYTES = 1 << 12, SHARE = 32, NONE = DG_JSON_MOST_KEYS };
static const uint8_t byte_order_mark[] = {0xEF, 0xBB, 0xBF};

struct dg_json_items {
    struct dg_source_text *text;
    const char *const *keys; /* NULL: the document is the array */
    size_t n_keys;
    uint64_t max_bytes;
    uint8_t chunk[CHUNK_BYTES];
    size_t at, n;
    uint64_t offset; /* of the chunk */
    size_t n_mark;   /* bytes of a byte order mark so far */
    struct t2_json_grammar grammar;
    size_t key;       /* of the member that comes or is read; NONE: another one */
    bool is_in_array; /* items of `key` are read */
    bool is_held;     /* a name or an item is put together */
    struct t2_buf held;
    uint64_t held_from;
    uint64_t n_items[DG_JSON_MOST_KEYS];
    bool has[DG_JSON_MOST_KEYS], has_ended;
    uint64_t number;
    struct t2_json_doc *doc;
};

struct dg_json_items *dg_json_items_new(struct dg_source_text *text, const char *const *keys,
                                        uint64_t max_memory)
{
    struct dg_json_items *it = t2_alloc(1, sizeof *it);

    it->text = text;
    it->keys = keys;
    while (keys && keys[it->n_keys])
        it->n_keys++;
    T2_ASSERT(it->n_keys <= DG_JSON_MOST_KEYS);
    it->key = keys ? NONE : 0;
    it->max_bytes = max_memory ? max_memory / SHARE : (uint64_t) 256 << 20;
    return it;
}

void dg_json_items_free(struct dg_json_items *it)
{
    if (!it)
        return;
    t2_json_free(it->doc);
    t2_buf_release(&it->held);
    t2_free(it);
}

uint64_t dg_json_items_number(const struct dg_json_items *it)
{
    return it->number;
}

static uint64_t place(const struct dg_json_items *it)
{
    return it->offset + it->at;
}

static enum t2_status wrong_at(const struct dg_json_items *it, uint64_t at, const char *what,
                               struct t2_err *err)
{
    return t2_fail(err, T2_EFORMAT, "'%s': byte %" PRIu64 ": %s", it->text->path, at, what);
}

/* "item 3 of "data"", "item 3". */
static void put_item_name(const struct dg_json_items *it, uint64_t number, struct t2_buf *name)
{
    t2_buf_printf(name, "item %" PRIu64, number);
    if (it->keys)
        t2_buf_printf(name, " of \"%s\"", it->keys[it->key]);
}

/* ---- names and items ---- */

static void hold(struct dg_json_items *it)
{
    t2_buf_clear(&it->held);
    it->held_from = place(it);
    it->is_held = true;
}

static enum t2_status parse_held(struct dg_json_items *it, const char *what, struct t2_err *err)
{
    char *origin = t2_asprintf("'%s': byte %" PRIu64 ": %s", it->text->path, it->held_from, what);
    enum t2_status st;

    t2_json_free(it->doc);
    it->doc = NULL;
    st = t2_json_parse_unique(t2_buf_cstr(&it->held), it->held.len_bytes, origin, &it->doc, err);
    t2_free(origin);
    it->is_held = false;
    return st;
}

static enum t2_status end_name(struct dg_json_items *it, struct t2_err *err)
{
    const char *name;

    T2_TRY(parse_held(it, "a name", err));
    name = t2_json_as_string(t2_json_root(it->doc), "");
    for (it->key = 0; it->key < it->n_keys && strcmp(it->keys[it->key], name) != 0;)
        it->key++;
    if (it->key == it->n_keys)
        it->key = NONE;
    else if (it->has[it->key])
        return t2_fail(err, T2_EFORMAT, "'%s': byte %" PRIu64 ": \"%s\" is there a second time",
                       it->text->path, it->held_from, name);
    return T2_OK;
}

static enum t2_status end_item(struct dg_json_items *it, size_t *which,
                               const struct t2_json_value **item, struct t2_err *err)
{
    struct t2_buf name = {0};
    enum t2_status st;

    it->number = ++it->n_items[it->key];
    put_item_name(it, it->number, &name);
    st = parse_held(it, t2_buf_cstr(&name), err);
    t2_buf_release(&name);
    if (st == T2_OK)
        *item = t2_json_root(it->doc);
    if (which)
        *which = it->key;
    return st;
}

static enum t2_status too_large(const struct dg_json_items *it, struct t2_err *err)
{
    struct t2_buf name = {0};

    if (!it->is_in_array)
        return wrong_at(it, it->held_from, "a name that is too long", err);
    put_item_name(it, it->n_items[it->key] + 1, &name);
    (void) t2_fail(err, T2_ENOMEM,
                   "'%s': byte %" PRIu64 ": %s has more than %" PRIu64
                   " bytes, which is what one may have of --max_memory",
                   it->text->path, it->held_from, t2_buf_cstr(&name), it->max_bytes);
    t2_buf_release(&name);
    return T2_ENOMEM;
}

/* ---- byte by byte ---- */

/* How deep the items are; the array itself is one less. */
static int item_depth(const struct dg_json_items *it)
{
    return it->keys ? 2 : 1;
}

static enum t2_status begin_value(struct dg_json_items *it, uint8_t c, struct t2_err *err)
{
    const struct t2_json_grammar *g = &it->grammar;

    if (g->depth == 0 && c != (it->keys ? '{' : '['))
        return wrong_at(it, place(it),
                        it->keys ? "a document is one object" : "the document is an array", err);
    if (it->key != NONE && g->depth == item_depth(it) - 1) {
        if (c != '[')
            return t2_fail(err, T2_EFORMAT, "'%s': byte %" PRIu64 ": \"%s\" is no array",
                           it->text->path, place(it), it->keys[it->key]);
        it->has[it->key] = it->is_in_array = true;
    } else if (it->is_in_array && g->depth == item_depth(it)) {
        hold(it);
    }
    return T2_OK;
}

/* Acts on a byte before the grammar takes it: begins to hold a name or an item. */
static enum t2_status look_ahead(struct dg_json_items *it, uint8_t c, struct t2_err *err)
{
    const struct t2_json_grammar *g = &it->grammar;

    if (t2_json_is_blank(c) || it->is_held)
        return T2_OK;
    if (it->keys && g->depth == 1 && c == '"' &&
        (g->state == T2_JSON_WANTS_KEY || g->state == T2_JSON_WANTS_KEY_OR_END))
        hold(it);
    if (g->state == T2_JSON_WANTS_VALUE || (g->state == T2_JSON_WANTS_VALUE_OR_END && c != ']'))
        return begin_value(it, c, err);
    return T2_OK;
}

/* One byte.  *is_item: an item is complete now, by this byte, or by the end of a number before
 * it. */
static enum t2_status step(struct dg_json_items *it, uint8_t c, bool *is_item, struct t2_err *err)
{
    struct t2_json_grammar *g = &it->grammar;
    bool was_number, was_item = it->is_held && it->is_in_array;
    const char *what;

    T2_TRY(look_ahead(it, c, err));
    was_number = was_item && g->state == T2_JSON_IN_NUMBER && g->depth == item_depth(it);
    what = t2_json_grammar_step(g, c);
    if (what)
        return wrong_at(it, place(it), what, err);
    *is_item = was_number && g->state != T2_JSON_IN_NUMBER;
    if (it->is_held && !*is_item) {
        t2_buf_push(&it->held, c);
        if (it->held.len_bytes > (it->is_in_array ? it->max_bytes : MAX_KEY_BYTES))
            return too_large(it, err);
        *is_item = it->is_in_array && g->state == T2_JSON_AFTER_VALUE && g->depth == item_depth(it);
        if (!it->is_in_array && g->state == T2_JSON_WANTS_COLON)
            return end_name(it, err);
    }
    return T2_OK;
}

/* After the item, if there is one, was given: the end of its array may have been seen with it. */
static void end_array(struct dg_json_items *it)
{
    if (it->is_in_array && it->grammar.depth < item_depth(it)) {
        it->is_in_array = false;
        it->key = NONE;
    }
}

/* The rest of the source is read for its hash and checksums. */
static enum t2_status end(struct dg_json_items *it, struct t2_err *err)
{
    struct t2_buf none = {0};
    enum t2_status st;

    if (!t2_json_grammar_is_whole(&it->grammar))
        return wrong_at(it, place(it),
                        it->grammar.depth || it->grammar.state != T2_JSON_WANTS_VALUE
                            ? "ends within the document"
                            : "is empty",
                        err);
    for (size_t i = 0; i < it->n_keys; i++)
        if (!it->has[i])
            return t2_fail(err, T2_EFORMAT, "'%s' has no \"%s\"", it->text->path, it->keys[i]);
    st = dg_source_rest(it->text, 0, &none, err);
    t2_buf_release(&none);
    return st == T2_OK ? T2_EOF : st;
}

/* Editors on Windows put a byte order mark in front.  One byte, that or another. */
static enum t2_status take(struct dg_json_items *it, uint8_t c, bool *is_item, struct t2_err *err)
{
    if (place(it) == it->n_mark && it->n_mark < sizeof byte_order_mark &&
        c == byte_order_mark[it->n_mark]) {
        it->n_mark++;
        return T2_OK;
    }
    if (it->n_mark % sizeof byte_order_mark != 0)
        return wrong_at(it, place(it), "neither JSON nor a byte order mark", err);
    return step(it, c, is_item, err);
}

enum t2_status dg_json_items_next(struct dg_json_items *it, size_t *which,
                                  const struct t2_json_value **item, struct t2_err *err)
{
    bool is_item = false;

    while (!it->has_ended) {
        if (it->at == it->n) {
            it->offset += it->n;
            it->at = 0;
            T2_TRY(t2_in_read(it->text->in, it->chunk, sizeof it->chunk, &it->n, err));
            it->has_ended = it->n == 0;
            continue;
        }
        T2_TRY(take(it, it->chunk[it->at], &is_item, err));
        it->at++;
        if (is_item) {
            enum t2_status st = end_item(it, which, item, err);
            end_array(it);
            return st;
        }
        end_array(it);
    }
    return end(it, err);
}
