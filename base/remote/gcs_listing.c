/*
 * base/remote/gcs_listing.c - Google's objects and listings.
 */
#include "base/remote/gcs_listing.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/remote/entry_name.h"
#include "base/remote/object_hashes.h"
#include "base/str.h"

enum t2_status t2_gcs_object(const struct t2_json_value *v, const char *origin, struct t2_object *o,
                             struct t2_err *err)
{
    const char *size = t2_json_as_string(t2_json_get(v, "size"), "");
    const char *generation = t2_json_as_string(t2_json_get(v, "generation"), "0");
    uint64_t number;

    *o = (struct t2_object){.is_there = true};
    if (!t2_parse_u64(size, &o->bytes) || !t2_parse_u64(generation, &number))
        return t2_fail(err, T2_EFORMAT,
                       "'%s': the server describes an object without a size; is it one of Google "
                       "Cloud Storage?",
                       origin);
    if (number > 0)
        snprintf(o->version, sizeof o->version, "%s", generation);
    o->changed_s = t2_iso_time(t2_json_as_string(t2_json_get(v, "updated"), ""));
    t2_object_take_crc32c(o, t2_json_as_string(t2_json_get(v, "crc32c"), ""));
    t2_object_take_md5_base64(o, t2_json_as_string(t2_json_get(v, "md5Hash"), ""));
    return T2_OK;
}

enum t2_status t2_gcs_object_read(const char *json, size_t len_bytes, const char *origin,
                                  struct t2_object *o, struct t2_err *err)
{
    struct t2_json_doc *doc = NULL;
    enum t2_status st = t2_json_parse(json, len_bytes, origin, &doc, err);

    if (st == T2_OK)
        st = t2_gcs_object(t2_json_root(doc), origin, o, err);
    t2_json_free(doc);
    return st;
}

static enum t2_status give(const char *key, const char *prefix, const char *origin,
                           const struct t2_object *o, t2_store_entry entry, void *context,
                           struct t2_err *err)
{
    enum t2_status st = T2_OK;
    char *name = NULL;

    if (!key)
        return t2_fail(err, T2_EFORMAT, "'%s': a listing with an entry without a name", origin);
    T2_TRY(t2_entry_name(key, prefix, origin, &name, err));
    if (name)
        st = entry(context, name, o, err);
    t2_free(name);
    return st;
}

static enum t2_status read_page(const struct t2_json_value *root, const char *prefix,
                                const char *origin, t2_store_entry entry, void *context,
                                struct t2_err *err)
{
    const struct t2_json_value *items = t2_json_get(root, "items");
    const struct t2_json_value *prefixes = t2_json_get(root, "prefixes");

    if (t2_json_type(root) != T2_JSON_OBJECT)
        return t2_fail(err, T2_EFORMAT,
                       "'%s': the server's answer is no listing; is it one of "
                       "Google Cloud Storage?",
                       origin);
    for (size_t i = 0; i < t2_json_size(items); i++) {
        const struct t2_json_value *item = t2_json_item(items, i);
        struct t2_object o;

        T2_TRY(t2_gcs_object(item, origin, &o, err));
        T2_TRY(give(t2_json_as_string(t2_json_get(item, "name"), NULL), prefix, origin, &o, entry,
                    context, err));
    }
    for (size_t i = 0; i < t2_json_size(prefixes); i++)
        T2_TRY(give(t2_json_as_string(t2_json_item(prefixes, i), NULL), prefix, origin, NULL, entry,
                    context, err));
    return T2_OK;
}

enum t2_status t2_gcs_page_read(const char *json, size_t len_bytes, const char *prefix,
                                const char *origin, t2_store_entry entry, void *context,
                                char **next_token, struct t2_err *err)
{
    struct t2_json_doc *doc = NULL;
    const char *token;
    enum t2_status st;

    *next_token = NULL;
    T2_TRY(t2_json_parse(json, len_bytes, origin, &doc, err));
    st = read_page(t2_json_root(doc), prefix, origin, entry, context, err);
    token = t2_json_as_string(t2_json_get(t2_json_root(doc), "nextPageToken"), NULL);
    if (st == T2_OK && token && *token)
        *next_token = t2_strdup(token);
    t2_json_free(doc);
    return st;
}
