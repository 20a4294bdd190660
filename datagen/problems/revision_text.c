/*
 * datagen/problems/revision_text.c - the prose of one revision.
 */
#include "datagen/problems/revision_text.h"

#include <math.h>
#include <string.h>

#include "datagen/problems/wiki_marks.h"

bool dg_revision_counts(uint64_t n, double skip_factor)
{
    double step;

    if (skip_factor <= 1.0)
        return true;
    step = log(skip_factor);
    return (int64_t) (log1p((double) n) / step) != (int64_t) (log((double) n + 2.0) / step);
}

void dg_revision_scratch_release(struct dg_revision_scratch *s)
{
    t2_buf_release(&s->a);
    t2_buf_release(&s->b);
}

/* Braces may be nested; a '}' too many counts as one that opens.  _remove_curly_braces */
static void drop_braces(struct t2_slice text, struct t2_buf *out)
{
    size_t from = 0;
    int64_t depth = 0;

    t2_buf_clear(out);
    for (size_t i = 0; i < text.len_bytes; i++) {
        if (text.data[i] != '{' && text.data[i] != '}')
            continue;
        if (depth == 0)
            t2_buf_append(out, text.data + from, i - from);
        depth += text.data[i] == '{' ? 1 : -1;
        from = i + 1;
    }
    if (depth == 0 && from < text.len_bytes)
        t2_buf_append(out, text.data + from, text.len_bytes - from);
}

/* T2T's pattern is [a-zA-z"']: what lies between Z and a is in it. */
static bool begins_prose(uint8_t c)
{
    return (c >= 'A' && c <= 'z') || c == '"' || c == '\'';
}

static void keep_prose(struct t2_slice text, struct t2_buf *out)
{
    size_t end;

    t2_buf_clear(out);
    for (size_t at = 0; at < text.len_bytes; at = end + 1) {
        end = dg_wiki_find(text, "\n", at);
        if (end == at || !begins_prose(text.data[at]))
            continue;
        if (out->len_bytes)
            t2_buf_push(out, '\n');
        t2_buf_append(out, text.data + at, end - at);
    }
}

static enum t2_status find_text(struct t2_slice revision, struct t2_slice *text, struct t2_err *err)
{
    size_t start = dg_wiki_find(revision, "<text", 0);
    size_t close = dg_wiki_find(revision, ">", start);
    size_t end = dg_wiki_find(revision, "</text>", 0);

    if (close == revision.len_bytes)
        return t2_fail(err, T2_EFORMAT, "a revision has no <text ...>");
    *text = end == revision.len_bytes ? dg_wiki_part(revision, 0, 0)
                                      : dg_wiki_part(revision, close + 1, end);
    return T2_OK;
}

enum t2_status dg_revision_text(struct t2_slice revision, struct dg_revision_scratch *scratch,
                                struct t2_buf *text, struct t2_err *err)
{
    struct t2_slice raw = {NULL, 0};

    T2_TRY(find_text(revision, &raw, err));
    drop_braces(raw, &scratch->a);
    dg_wiki_drop_references(t2_buf_slice(&scratch->a), &scratch->b);
    dg_wiki_open_links(t2_buf_slice(&scratch->b), &scratch->a);
    dg_wiki_drop_quotes(t2_buf_slice(&scratch->a), &scratch->b);
    keep_prose(t2_buf_slice(&scratch->b), text);
    return T2_OK;
}
