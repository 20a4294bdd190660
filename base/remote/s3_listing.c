/*
 * base/remote/s3_listing.c - what ListObjectsV2 answers, element by element.
 */
#include "base/remote/s3_listing.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/alloc.h"
#include "base/remote/entry_name.h"
#include "base/remote/http_headers.h"
#include "base/remote/object_hashes.h"
#include "base/remote/xml_walk.h"
#include "base/str.h"

struct reading {
    struct t2_s3_page *page;
    const char *origin;
    t2_store_entry entry;
    void *context;
    bool is_listing, is_truncated, is_encoded;
    struct t2_object object;
    char *name; /* of what is being read */
};

/* "%2F" back to "/"; '+' is a blank. */
static char *decoded(const char *s)
{
    char *to = t2_alloc(strlen(s) + 1, 1);
    size_t n = 0;

    for (; *s; s++) {
        unsigned value;

        if (*s == '%' && strspn(s + 1, "0123456789abcdefABCDEF") >= 2 &&
            sscanf(s + 1, "%2x", &value) == 1 && value != 0) {
            to[n++] = (char) value;
            s += 2;
        } else {
            to[n++] = *s == '+' ? ' ' : *s;
        }
    }
    to[n] = '\0';
    return to;
}

static void take_name(struct reading *r, const char *text)
{
    t2_free(r->name);
    r->name = r->is_encoded ? decoded(text) : t2_strdup(text);
}

static enum t2_status give(struct reading *r, bool is_folder, struct t2_err *err)
{
    enum t2_status st = T2_OK;
    char *name = NULL;

    if (!r->name)
        return t2_fail(err, T2_EFORMAT, "'%s': a listing with an entry without a name", r->origin);
    T2_TRY(t2_entry_name(r->name, r->page->prefix, r->origin, &name, err));
    if (name)
        st = r->entry(r->context, name, is_folder ? NULL : &r->object, err);
    t2_free(name);
    t2_free(r->name);
    r->name = NULL;
    r->object = (struct t2_object){.is_there = true};
    return st;
}

static enum t2_status take_size(struct reading *r, const char *text, struct t2_err *err)
{
    if (t2_parse_u64(text, &r->object.bytes))
        return T2_OK;
    return t2_fail(err, T2_EFORMAT, "'%s': a listing with the size '%.40s'", r->origin, text);
}

static enum t2_status on_element(void *context, const char *path, const char *text,
                                 struct t2_err *err)
{
    struct reading *r = context;

    if (!t2_starts_with(path, "ListBucketResult"))
        return T2_OK;
    path += strlen("ListBucketResult");
    if (*path == '\0')
        r->is_listing = true;
    else if (strcmp(path, "/EncodingType") == 0)
        r->is_encoded = strcmp(text, "url") == 0;
    else if (strcmp(path, "/IsTruncated") == 0)
        r->is_truncated = strcmp(text, "true") == 0;
    else if (strcmp(path, "/NextContinuationToken") == 0 && !r->page->next_token)
        r->page->next_token = t2_strdup(text);
    else if (strcmp(path, "/Contents/Key") == 0 || strcmp(path, "/CommonPrefixes/Prefix") == 0)
        take_name(r, text);
    else if (strcmp(path, "/Contents/Size") == 0)
        return take_size(r, text, err);
    else if (strcmp(path, "/Contents/ETag") == 0)
        snprintf(r->object.version, sizeof r->object.version, "%s", text);
    else if (strcmp(path, "/Contents/LastModified") == 0)
        r->object.changed_s = t2_iso_time(text);
    else if (strcmp(path, "/Contents") == 0)
        return give(r, false, err);
    else if (strcmp(path, "/CommonPrefixes") == 0)
        return give(r, true, err);
    return T2_OK;
}

/* Where the encoding is said behind the names, they cannot be read in one pass: it is looked for
 * first. */
static enum t2_status on_encoding(void *context, const char *path, const char *text,
                                  struct t2_err *err)
{
    struct reading *r = context;

    (void) err;
    if (strcmp(path, "ListBucketResult/EncodingType") == 0)
        r->is_encoded = strcmp(text, "url") == 0;
    return T2_OK;
}

enum t2_status t2_s3_page_read(struct t2_s3_page *page, const char *xml, size_t len_bytes,
                               const char *origin, t2_store_entry entry, void *context,
                               struct t2_err *err)
{
    struct reading r = {.page = page,
                        .origin = origin,
                        .entry = entry,
                        .context = context,
                        .object = {.is_there = true}};
    enum t2_status st = t2_xml_walk(xml, len_bytes, origin, on_encoding, &r, err);

    page->next_token = NULL;
    if (st == T2_OK)
        st = t2_xml_walk(xml, len_bytes, origin, on_element, &r, err);
    if (st == T2_OK && !r.is_listing)
        st = t2_fail(err, T2_EFORMAT,
                     "'%s': the server's answer is no listing; is the endpoint one of S3?", origin);
    if (st == T2_OK && r.is_truncated && !page->next_token)
        st = t2_fail(err, T2_EFORMAT, "'%s': a listing that is cut and says not how it goes on",
                     origin);
    if (st != T2_OK || !r.is_truncated) {
        t2_free(page->next_token);
        page->next_token = NULL;
    }
    t2_free(r.name);
    return st;
}
