/*
 * datagen/problem_files/file_sources.c - `files` and `sources` of a problem file.
 */
#include "datagen/problem_files/file_sources.h"

#include <string.h>
#include <strings.h>

#include "base/alloc.h"
#include "base/remote/http_headers.h"
#include "base/remote_path.h"
#include "base/str.h"

enum { MAX_ENTRIES = 256 };

/* ---- one entry
 * ------------------------------------------------------------------------------- */

static enum t2_status read_type(const struct dg_file_value *v, enum dg_file_kind *kind,
                                struct t2_err *err)
{
    static const struct {
        const char *name;
        enum dg_file_kind kind;
    } types[] = {
        {"gzip", DG_KIND_GZIP}, {"bzip2", DG_KIND_BZIP2}, {"xz", DG_KIND_XZ},
        {"zip", DG_KIND_ZIP},   {"any", DG_KIND_ANY},
    };
    const char *type;

    T2_TRY(dg_value_string(v, &type, err));
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        if (strcmp(type, types[i].name) == 0) {
            *kind = types[i].kind;
            return T2_OK;
        }
    }
    return dg_value_wrong(v, "gzip, bzip2, xz, zip or any", err);
}

/* Keys of `files` alone; T2_ENOTFOUND, without a message, is another key. */
static enum t2_status read_files_key(const struct dg_file_value *v, const char *key,
                                     struct dg_file_source *s, struct t2_err *err)
{
    if (strcmp(key, "gone") == 0)
        return dg_value_string(v, &s->file.gone, err);
    if (strcmp(key, "folder") == 0)
        return dg_value_string(v, &s->source.folder, err);
    if (strcmp(key, "unpacked") == 0)
        return dg_value_string(v, &s->source.sign, err);
    if (strcmp(key, "plain") == 0)
        return dg_value_flag(v, &s->source.is_plain, err);
    return T2_ENOTFOUND;
}

static enum t2_status read_key(const struct dg_file_value *v, const char *key,
                               struct dg_file_source *s, struct t2_err *err)
{
    size_t n;

    if (strcmp(key, "url") == 0)
        return dg_value_list(v, &s->file.urls, &n, err);
    if (strcmp(key, "members") == 0 && !s->key)
        return dg_value_list(v, &s->members, &s->n_members, err);
    if (strcmp(key, "size") == 0)
        return dg_value_count(v, &s->file.size_bytes, err);
    if (strcmp(key, "about") == 0)
        return dg_value_count(v, &s->file.about_bytes, err);
    if (strcmp(key, "text_factor") == 0)
        return dg_value_real(v, &s->file.text_factor, err);
    if (strcmp(key, "type") == 0)
        return read_type(v, &s->file.kind, err);
    if (strcmp(key, "file") == 0)
        return dg_value_string(v, &s->file.name, err);
    if (strcmp(key, "sha256") == 0)
        return dg_value_string(v, &s->file.sha256, err);
    if (strcmp(key, "licence") == 0)
        return dg_value_string(v, &s->file.licence, err);
    return s->key ? read_files_key(v, key, s, err) : T2_ENOTFOUND;
}

static enum t2_status read_members(const struct dg_file_value *v, struct dg_file_source *s,
                                   struct t2_err *err)
{
    for (size_t i = 0; i < t2_json_size(v->json); i++) {
        struct dg_file_value member = *v;
        const char *key = t2_json_member(v->json, i, &member.json);
        enum t2_status st;

        member.key = dg_file_keep(v->memory, t2_asprintf("%s.%s", v->key, key));
        st = read_key(&member, key, s, err);
        if (st == T2_ENOTFOUND)
            return t2_fail(err, T2_EFORMAT,
                           "'%s': %s is not known; there are url, file, size, about, text_factor, "
                           "sha256, licence, type, %s",
                           v->path, member.key,
                           s->key ? "gone, folder, unpacked, plain" : "members");
        T2_TRY(st);
    }
    return T2_OK;
}

static enum t2_status check_urls(const struct dg_file_value *v, const struct dg_file_source *s,
                                 struct t2_err *err)
{
    for (size_t i = 0; s->file.urls && s->file.urls[i]; i++) {
        const char *url = s->file.urls[i];
        if (!t2_is_http_url(url) && strncasecmp(url, "file://", 7) != 0 &&
            t2_refuse_remote(url, err) != T2_OK)
            return t2_wrap(err, "'%s': %s.url", v->path, v->key);
    }
    return T2_OK;
}

static enum t2_status check_name(const struct dg_file_value *v, const struct dg_file_source *s,
                                 struct t2_err *err)
{
    struct t2_err reason = T2_ERR_INIT;
    char *name = NULL;

    if (!s->key)
        return T2_OK;
    if (dg_source_name(&s->file, &name, &reason) != T2_OK)
        return t2_fail(err, T2_EFORMAT, "'%s': %s: %s", v->path, v->key, reason.message);
    t2_free(name);
    return T2_OK;
}

static enum t2_status read_entry(const struct dg_file_value *v, struct dg_file_source *s,
                                 struct t2_err *err)
{
    struct dg_file_value sha256 = *v;

    T2_TRY(read_members(v, s, err));
    sha256.key = dg_file_keep(v->memory, t2_asprintf("%s.sha256", v->key));
    if (s->file.sha256 &&
        (strlen(s->file.sha256) != 64 || strspn(s->file.sha256, "0123456789abcdef") != 64))
        return dg_value_wrong(&sha256, "64 hexadecimal digits in lower case", err);
    T2_TRY(check_urls(v, s, err));
    T2_TRY(check_name(v, s, err));
    s->source.file = &s->file;
    if (s->source.is_plain)
        s->source.sign = s->file.name;
    return T2_OK;
}

/* ---- all of them
 * ----------------------------------------------------------------------------- */

enum t2_status dg_file_read_sources(const struct dg_file_value *v, struct dg_file_sources *sources,
                                    struct t2_err *err)
{
    size_t n = t2_json_size(v->json);

    if (t2_json_type(v->json) != T2_JSON_ARRAY)
        return dg_value_wrong(v, "a list of mappings with url", err);
    if (n > MAX_ENTRIES)
        return t2_fail(err, T2_EFORMAT, "'%s': more than %d sources", v->path, MAX_ENTRIES);
    sources->items = dg_file_alloc(v->memory, n, sizeof *sources->items);
    sources->n = n;
    for (size_t i = 0; i < n; i++) {
        struct dg_file_value item = *v;

        item.json = t2_json_item(v->json, i);
        if (t2_json_type(item.json) != T2_JSON_OBJECT)
            return dg_value_wrong(v, "a list of mappings with url", err);
        T2_TRY(read_entry(&item, &sources->items[i], err));
        if (!sources->items[i].file.urls)
            return dg_value_wrong(v, "a list of mappings with url", err);
    }
    return T2_OK;
}

enum t2_status dg_file_read_files(const struct dg_file_value *v, struct dg_file_sources *files,
                                  struct t2_err *err)
{
    size_t n = t2_json_size(v->json);

    if (t2_json_type(v->json) != T2_JSON_OBJECT)
        return dg_value_wrong(v, "a mapping of names to mappings with url", err);
    if (n > MAX_ENTRIES)
        return t2_fail(err, T2_EFORMAT, "'%s': more than %d files", v->path, MAX_ENTRIES);
    files->items = dg_file_alloc(v->memory, n, sizeof *files->items);
    files->n = n;
    for (size_t i = 0; i < n; i++) {
        struct dg_file_value item = *v;
        struct dg_file_source *s = &files->items[i];

        s->key = t2_json_member(v->json, i, &item.json);
        item.key = dg_file_keep(v->memory, t2_asprintf("files.%s", s->key));
        if (t2_json_type(item.json) != T2_JSON_OBJECT)
            return dg_value_wrong(&item, "a mapping with url", err);
        T2_TRY(read_entry(&item, s, err));
        if (!s->file.urls && !s->file.gone)
            return dg_value_wrong(&item, "a mapping with url, or gone", err);
    }
    return T2_OK;
}

enum t2_status dg_file_find(const struct dg_file_sources *files, const struct dg_file_value *v,
                            const struct dg_file_source **found, struct t2_err *err)
{
    const char *names[MAX_ENTRIES], *name, *near;

    T2_TRY(dg_value_string(v, &name, err));
    for (size_t i = 0; i < files->n; i++) {
        names[i] = files->items[i].key;
        if (strcmp(names[i], name) == 0) {
            *found = &files->items[i];
            return T2_OK;
        }
    }
    near = t2_nearest(name, names, files->n);
    return t2_fail(err, T2_EFORMAT, "'%s': %s: '%s' is none of its files%s%s%s", v->path, v->key,
                   name, near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
}
