/*
 * base/remote/store_http.c - files of a web server: looked at, read, and nothing else.
 */
#include "base/remote/store.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/remote/http_headers.h"
#include "base/remote/object_hashes.h"
#include "base/remote/remote_call.h"

static enum t2_status http_stat(const struct t2_location *l, struct t2_object *o,
                                struct t2_err *err)
{
    struct t2_call c = {.l = l, .what = "read", .ok_absent = true};
    enum t2_status st;

    *o = (struct t2_object){0};
    c.request.url = l->path;
    c.request.head_only = true;
    st = t2_call_run(&c, err);
    if (st != T2_OK || c.answer.status == 404) {
        t2_call_release(&c);
        return st;
    }
    *o = (struct t2_object){.is_there = true, .bytes = c.answer.length_bytes};
    if (!c.answer.has_length)
        st = t2_fail(err, T2_EUNSUPPORTED,
                     "'%s': the server does not say how long it is; download it (curl -O) and "
                     "name the local file",
                     l->path);
    o->whole_only = strcmp(c.answer.accept_ranges, "bytes") != 0;
    if (t2_is_strong_etag(c.answer.etag))
        snprintf(o->version, sizeof o->version, "%s", c.answer.etag);
    (void) t2_http_date(c.answer.last_modified, &o->changed_s);
    t2_call_release(&c);
    return st;
}

static enum t2_status http_read(const struct t2_location *l, struct t2_object *o, uint64_t offset,
                                uint64_t n, t2_store_sink sink, void *context, struct t2_err *err)
{
    struct t2_call c = {.l = l,
                        .what = "read",
                        .sink = sink,
                        .context = context,
                        .is_ranged = true,
                        .range_from = offset,
                        .range_bytes = n,
                        .total_bytes = o->bytes};
    enum t2_status st;

    c.request.url = l->path;
    if (o->version[0])
        t2_strs_printf(&c.headers, "If-Match: %s", o->version);
    st = t2_call_run(&c, err);
    t2_call_release(&c);
    return st;
}

static enum t2_status http_list(const struct t2_location *l, size_t most, t2_store_entry entry,
                                void *context, struct t2_err *err)
{
    (void) most, (void) entry, (void) context;
    return t2_fail(err, T2_EUNSUPPORTED,
                   "'%s': a web server has no folders; name each file, or use gs:// or s3://",
                   l->path);
}

static enum t2_status refuse(const struct t2_location *l, struct t2_err *err)
{
    return t2_fail(err, T2_EUNSUPPORTED,
                   "'%s': https:// is only read; write to a local path, gs:// or s3://", l->path);
}

static enum t2_status http_put(const struct t2_location *l, const struct t2_upload *u,
                               struct t2_object *o, struct t2_err *err)
{
    (void) u, (void) o;
    return refuse(l, err);
}

static enum t2_status http_remove(const struct t2_location *l, struct t2_err *err)
{
    return refuse(l, err);
}

const struct t2_store t2_store_http = {.name = "a web server",
                                       .stat = http_stat,
                                       .read = http_read,
                                       .list = http_list,
                                       .put = http_put,
                                       .remove = http_remove};
