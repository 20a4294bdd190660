/*
 * datagen/source/json_items.c - the items of one long array of a JSON document.
 */
#include "datagen/source/json_items.h"

#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "base/str.h"

enum { CHUNK_BYTES = 1 << 16, MAX_KEY_BYTES = 256, MAX_DEPTH = 1000, SHARE = 32 };

struct dg_json_items {
    struct dg_source_text *text;
    const char *key;
    uint64_t max_bytes;
    uint8_t chunk[CHUNK_BYTES];
    size_t at, n;
    uint64_t offset;      /* of the chunk */
    char open[MAX_DEPTH]; /* brackets that are not closed yet */
    int depth;
    bool in_string, is_escaped, has_begun, has_ended;
    bool is_key, key_fits; /* the string is a member's name, of the outermost object */
    bool is_wanted;        /* the member that comes, or is read, is the array */
    char name[MAX_KEY_BYTES];
    size_t name_len;
    bool after_comma; /* an item must come */
    struct t2_buf item;
    uint64_t n_items;
    struct t2_json_doc *doc;
};

struct dg_json_items *dg_json_items_new(struct dg_source_text *text, const char *key,
                                        uint64_t max_memory)
{
    struct dg_json_items *it = t2_alloc(1, sizeof *it);

    it->text = text;
    it->key = key;
    it->max_bytes = max_memory ? max_memory / SHARE : (uint64_t) 256 << 20;
    return it;
}

void dg_json_items_free(struct dg_json_items *it)
{
    if (!it)
        return;
    t2_json_free(it->doc);
    t2_buf_release(&it->item);
    t2_free(it);
}

static enum t2_status wrong(const struct dg_json_items *it, const char *what, struct t2_err *err)
{
    return t2_fail(err, T2_EFORMAT, "'%s': byte %" PRIu64 ": %s", it->text->path,
                   it->offset + it->at, what);
}

/* The rest of the source is read for its hash and checksums. */
static enum t2_status end(struct dg_json_items *it, struct t2_err *err)
{
    struct t2_buf none = {0};
    enum t2_status st;

    if (it->in_string || it->depth > 0 || !it->has_begun)
        return wrong(it, it->has_begun ? "ends within the document" : "is empty", err);
    st = dg_source_rest(it->text, 0, &none, err);
    t2_buf_release(&none);
    return st == T2_OK ? T2_EOF : st;
}

static enum t2_status parse_item(struct dg_json_items *it, const struct t2_json_value **value,
                                 struct t2_err *err)
{
    char *origin =
        t2_asprintf("%s: item %" PRIu64 " of \"%s\"", it->text->path, ++it->n_items, it->key);
    enum t2_status st;

    t2_json_free(it->doc);
    it->doc = NULL;
    t2_buf_push(&it->item, 0);
    st = t2_json_parse((const char *) it->item.data, it->item.len_bytes - 1, origin, &it->doc, err);
    t2_buf_clear(&it->item);
    if (st == T2_OK)
        *value = t2_json_root(it->doc);
    t2_free(origin);
    return st;
}

/* Is a byte of the array's items, no blank in front and no comma between them? */
static bool is_of_item(const struct dg_json_items *it, uint8_t c)
{
    if (!it->is_wanted || it->depth < 2 || it->open[1] != '[')
        return false;
    return it->depth > 2 || it->in_string ||
           !(c == ',' || c == ' ' || c == '\t' || c == '\n' || c == '\r');
}

static void begin_string(struct dg_json_items *it)
{
    it->in_string = true;
    it->is_key = it->depth == 1 && it->name_len == 0 && !it->key_fits;
    if (it->is_key)
        it->key_fits = true;
}

static void step_in_string(struct dg_json_items *it, uint8_t c)
{
    if (it->is_escaped)
        it->is_escaped = false;
    else if (c == '\\')
        it->is_escaped = true;
    else if (c == '"')
        it->in_string = false;
    if (!it->is_key)
        return;
    if (it->in_string && it->name_len + 1 < sizeof it->name)
        it->name[it->name_len++] = (char) c;
    else if (!it->in_string)
        it->is_wanted =
            it->name_len == strlen(it->key) && memcmp(it->name, it->key, it->name_len) == 0;
}

/* The next member of the outermost object. */
static void end_member(struct dg_json_items *it)
{
    it->is_key = it->key_fits = it->is_wanted = false;
    it->name_len = 0;
}

static enum t2_status step_bracket(struct dg_json_items *it, uint8_t c, struct t2_err *err)
{
    if (c == '{' || c == '[') {
        if (it->depth == 0 && (it->has_begun || c != '{'))
            return wrong(it, "a document is one object", err);
        if (it->depth == MAX_DEPTH)
            return wrong(it, "nested too deeply", err);
        it->has_begun = true;
        it->open[it->depth++] = (char) c;
        return T2_OK;
    }
    if (it->depth == 0 || it->open[it->depth - 1] != (c == '}' ? '{' : '['))
        return wrong(it, "a bracket that was not opened", err);
    --it->depth;
    return T2_OK;
}

/* One byte.  *is_item: an item is complete now. */
static enum t2_status step(struct dg_json_items *it, uint8_t c, bool *is_item, struct t2_err *err)
{
    bool was_of_item = is_of_item(it, c) && !(it->depth == 2 && c == ']');
    bool is_comma = !it->in_string && c == ',';

    *is_item = false;
    if (was_of_item) {
        t2_buf_push(&it->item, c);
        if (it->item.len_bytes > it->max_bytes)
            return t2_fail(err, T2_ENOMEM,
                           "'%s': item %" PRIu64 " of \"%s\" has more than %" PRIu64
                           " bytes, which is what one may have of --max_memory",
                           it->text->path, it->n_items + 1, it->key, it->max_bytes);
    } else if (it->is_wanted && it->depth == 2 && it->open[1] == '[' && !it->in_string &&
               (is_comma || c == ']')) {
        *is_item = it->item.len_bytes > 0;
        if ((is_comma || it->after_comma) && !*is_item)
            return wrong(it, "a comma without an item", err);
        it->after_comma = is_comma;
    }
    if (it->in_string) {
        step_in_string(it, c);
    } else if (c == '"') {
        if (it->depth == 0)
            return wrong(it, "a document is one object", err);
        begin_string(it);
    } else if (c == '{' || c == '[' || c == '}' || c == ']') {
        return step_bracket(it, c, err);
    } else if (it->depth == 0 && c != ' ' && c != '\n' && c != '\r' && c != '\t') {
        return wrong(it, "a document is one object", err);
    } else if (is_comma && it->depth == 1) {
        end_member(it);
    }
    return T2_OK;
}

enum t2_status dg_json_items_next(struct dg_json_items *it, const struct t2_json_value **item,
                                  struct t2_err *err)
{
    bool is_item;

    while (!it->has_ended) {
        if (it->at == it->n) {
            it->offset += it->n;
            it->at = 0;
            T2_TRY(t2_in_read(it->text->in, it->chunk, sizeof it->chunk, &it->n, err));
            it->has_ended = it->n == 0;
            continue;
        }
        T2_TRY(step(it, it->chunk[it->at], &is_item, err));
        ++it->at;
        if (is_item)
            return parse_item(it, item, err);
    }
    return end(it, err);
}
