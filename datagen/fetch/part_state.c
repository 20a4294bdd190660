/*
 * datagen/fetch/part_state.c - "<name>.part.json": what a part was downloaded from, for resuming
 * it.
 *
 *   { "url", "etag", "last_modified", "content_encoding": texts of the answer, "" when absent,
 *     "total_bytes": of the whole file, 0 when unknown }
 */
#include "datagen/fetch/part_state.h"

#include <string.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "base/file.h"
#include "base/json_want.h"
#include "base/json_writer.h"

/* The value is sent in a header line again, so control characters, which could end it, are
 * refused. */
static void want_header(struct t2_json_want *w, const struct t2_json_value *object, const char *key,
                        char *out, size_t out_bytes)
{
    char *s = t2_json_want_string(w, object, key);
    size_t n = strlen(s);

    if (n >= out_bytes)
        t2_json_complain(w, key, "a header value of that length");
    for (size_t i = 0; i < n; i++)
        if ((unsigned char) s[i] < 0x20 || s[i] == 0x7f)
            t2_json_complain(w, key, "a header value");
    if (w->status == T2_OK)
        memcpy(out, s, n + 1);
    t2_free(s);
}

enum t2_status dg_part_state_parse(const char *text, size_t len_bytes, const char *origin,
                                   struct dg_part_state *s, struct t2_err *err)
{
    struct t2_json_want w = {.origin = origin, .err = err, .status = T2_OK};
    const struct t2_json_value *root;
    struct t2_json_doc *doc = NULL;

    memset(s, 0, sizeof *s);
    T2_TRY(t2_json_parse(text, len_bytes, origin, &doc, err));
    root = t2_json_root(doc);
    s->url = t2_json_want_string(&w, root, "url");
    want_header(&w, root, "etag", s->etag, sizeof s->etag);
    want_header(&w, root, "last_modified", s->last_modified, sizeof s->last_modified);
    want_header(&w, root, "content_encoding", s->content_encoding, sizeof s->content_encoding);
    s->total_bytes = t2_json_want_u64(&w, root, "total_bytes");
    t2_json_free(doc);
    return w.status;
}

enum t2_status dg_part_state_write(const char *path, const struct dg_part_state *s,
                                   struct t2_err *err)
{
    struct t2_buf text = {0};
    struct t2_json j;
    enum t2_status st;

    t2_json_init(&j, &text, 2);
    t2_json_object(&j);
    t2_json_kv_string(&j, "url", s->url);
    t2_json_kv_string(&j, "etag", s->etag);
    t2_json_kv_string(&j, "last_modified", s->last_modified);
    t2_json_kv_string(&j, "content_encoding", s->content_encoding);
    t2_json_kv_u64(&j, "total_bytes", s->total_bytes);
    t2_json_end_object(&j);
    t2_buf_push(&text, '\n');
    st = t2_write_file(path, text.data, text.len_bytes, err);
    t2_buf_release(&text);
    return st;
}

void dg_part_state_release(struct dg_part_state *s)
{
    t2_free(s->url);
    memset(s, 0, sizeof *s);
}
