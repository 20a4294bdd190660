/*
 * datagen/problems/page_histories.c - pages out of a dump.
 */
#include "datagen/problems/page_histories.h"

#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "base/signals.h"
#include "datagen/problems/wiki_marks.h"
#include "datagen/source/archive.h"
#include "datagen/source/archive_kind.h"

enum { CHUNK_BYTES = 1 << 20 };

static const char page_start[] = "  <page>\n", page_end[] = "  </page>\n";
static const char revision_start[] = "    <revision>\n", revision_end[] = "    </revision>\n";

struct dg_histories {
    char *path;
    struct t2_in *in; /* the file, or the member of `archive` */
    struct dg_archive *archive;
    bool at_end;  /* of all input */
    bool is_dump; /* it begins as one, or has a page */
    uint64_t max_page_bytes, n_unpacked, max_unpacked;
    struct dg_drops *drops;
    struct t2_buf window;   /* read, not given yet */
    size_t at;              /* in the window: what is before it was given */
    uint64_t window_offset; /* of the window's first byte */
    struct t2_slice *revisions;
    size_t capacity;
};

/* ---- bytes ---- */

static enum t2_status next_member(struct dg_histories *h, struct t2_err *err)
{
    struct dg_member m;

    t2_in_free(h->in);
    h->in = NULL;
    T2_TRY(dg_archive_next(h->archive, &m, err));
    dg_archive_text(h->archive, &h->in);
    return T2_OK;
}

/* Members follow each other as if they were one text: `7z x -so`. */
static enum t2_status read_some(struct dg_histories *h, uint8_t *to, size_t len_bytes, size_t *n,
                                struct t2_err *err)
{
    enum t2_status st;

    *n = 0;
    while (!h->at_end) {
        T2_TRY(t2_in_read(h->in, to, len_bytes, n, err));
        if (*n > 0)
            break;
        st = h->archive ? next_member(h, err) : T2_EOF;
        if (st != T2_OK && st != T2_EOF)
            return st;
        h->at_end = st == T2_EOF;
    }
    h->n_unpacked += *n;
    if (h->max_unpacked && h->n_unpacked > h->max_unpacked)
        return t2_fail(err, T2_EFORMAT,
                       "'%s': more than %" PRIu64 " bytes unpacked, the limit that was set",
                       h->path, h->max_unpacked);
    return T2_OK;
}

/* Reads more behind the window, of which what was given goes first. */
static enum t2_status fill(struct dg_histories *h, struct t2_err *err)
{
    size_t n = 0;
    uint8_t *to;

    T2_TRY(t2_check_interrupt(err));
    if (h->at > 0) {
        h->window.len_bytes -= h->at;
        memmove(h->window.data, h->window.data + h->at, h->window.len_bytes);
        h->window_offset += h->at;
        h->at = 0;
    }
    to = t2_buf_reserve(&h->window, CHUNK_BYTES);
    T2_TRY(read_some(h, to, CHUNK_BYTES, &n, err));
    h->window.len_bytes += n;
    return T2_OK;
}

/* ---- opening ---- */

static enum t2_status open_archive(struct dg_histories *h, struct t2_err *err)
{
    const struct dg_unpack_limits limits = {UINT64_MAX, 0};
    enum t2_status st;

    t2_in_free(h->in);
    h->in = NULL;
    h->window.len_bytes = 0;
    T2_TRY(dg_archive_open(h->path, &limits, &h->archive, err));
    st = next_member(h, err);
    if (st == T2_EOF)
        st = t2_fail(err, T2_EFORMAT, "'%s' has no members", h->path);
    return st;
}

/* Opens the archive if the file is one, and finds out whether the text is a whole dump (it begins
 * with <mediawiki>) or bare pages. */
static enum t2_status look_at_start(struct dg_histories *h, struct t2_err *err)
{
    enum dg_bytes_kind kind;

    T2_TRY(fill(h, err));
    kind = dg_bytes_kind(h->window.data, h->window.len_bytes);
    if (kind == DG_BYTES_7Z || kind == DG_BYTES_BZIP2 || kind == DG_BYTES_XZ ||
        kind == DG_BYTES_ZIP || kind == DG_BYTES_TAR) {
        T2_TRY(open_archive(h, err));
        T2_TRY(fill(h, err));
    }
    h->is_dump = dg_wiki_find(t2_buf_slice(&h->window), "<mediawiki", 0) < h->window.len_bytes;
    return T2_OK;
}

struct dg_histories *dg_histories_of(struct t2_in *in, const char *name, uint64_t max_page_bytes,
                                     struct dg_drops *drops)
{
    struct dg_histories *h = t2_alloc(1, sizeof *h);

    h->in = in;
    h->path = t2_strdup(name);
    h->max_page_bytes = max_page_bytes;
    h->drops = drops;
    return h;
}

enum t2_status dg_histories_open(const char *path, uint64_t max_page_bytes, uint64_t max_unpacked,
                                 struct dg_drops *drops, struct dg_histories **histories,
                                 struct t2_err *err)
{
    struct dg_histories *h;
    struct t2_in *in;
    enum t2_status st;

    *histories = NULL;
    T2_TRY(t2_in_new(path, &in, err));
    h = dg_histories_of(in, path, max_page_bytes, drops);
    st = look_at_start(h, err);
    h->max_unpacked = max_unpacked;
    if (st == T2_OK)
        *histories = h;
    else
        dg_histories_free(h);
    return st;
}

void dg_histories_free(struct dg_histories *h)
{
    if (!h)
        return;
    t2_in_free(h->in);
    dg_archive_free(h->archive);
    t2_buf_release(&h->window);
    t2_free(h->revisions);
    t2_free(h->path);
    t2_free(h);
}

/* ---- pages ---- */

static void drop(struct dg_histories *h, const char *reason)
{
    if (h->drops)
        dg_drops_add(h->drops, reason, h->path, 0, NULL);
}

static struct t2_slice rest(const struct dg_histories *h)
{
    return dg_wiki_part(t2_buf_slice(&h->window), h->at, h->window.len_bytes);
}

/* Moves behind the mark; what is before it is not wanted.  T2_EOF: it comes no more. */
static enum t2_status skip_to(struct dg_histories *h, const char *mark, struct t2_err *err)
{
    size_t len_bytes = strlen(mark);

    for (;;) {
        struct t2_slice s = rest(h);
        size_t found = dg_wiki_find(s, mark, 0);
        if (found < s.len_bytes) {
            h->at += found + len_bytes;
            return T2_OK;
        }
        if (h->at_end)
            return T2_EOF;
        if (s.len_bytes >= len_bytes) /* its last bytes may begin a mark */
            h->at += s.len_bytes - (len_bytes - 1);
        T2_TRY(fill(h, err));
    }
}

/* The page that begins at h->at, all of it in the window; h->at is behind it then.  raw->data is
 * NULL for one that is left out. */
static enum t2_status take_page(struct dg_histories *h, struct t2_slice *raw, struct t2_err *err)
{
    size_t looked = 0, len_bytes = strlen(page_end);
    enum t2_status st;

    for (;;) {
        struct t2_slice s = rest(h);
        size_t end = dg_wiki_find(s, page_end, looked);
        if (end >= h->max_page_bytes && s.len_bytes >= h->max_page_bytes + len_bytes) {
            drop(h, "a page of more bytes than --wiki_revision_max_page_size_exp allows");
            *raw = (struct t2_slice){NULL, 0};
            st = skip_to(h, page_end, err);
            return st == T2_EOF ? T2_OK : st;
        }
        if (end < s.len_bytes) {
            *raw = dg_wiki_part(s, 0, end);
            h->at += end + len_bytes;
            return T2_OK;
        }
        if (h->at_end) {
            drop(h, "the dump ends inside a page");
            return T2_EOF;
        }
        looked = s.len_bytes >= len_bytes ? s.len_bytes - (len_bytes - 1) : 0;
        T2_TRY(fill(h, err));
    }
}

static enum t2_status find_between(struct t2_slice page, const char *start_tag, const char *end_tag,
                                   struct t2_slice *found, struct t2_err *err)
{
    size_t start = dg_wiki_find(page, start_tag, 0), end = dg_wiki_find(page, end_tag, 0);

    if (start == page.len_bytes || end == page.len_bytes)
        return t2_fail(err, T2_EFORMAT, "a page has no %s...%s", start_tag, end_tag);
    *found = dg_wiki_part(page, start + strlen(start_tag), end);
    return T2_OK;
}

static enum t2_status check_id(struct t2_slice id, struct t2_err *err)
{
    size_t i;

    for (i = 0; i < id.len_bytes; i++) {
        if (id.data[i] < '0' || id.data[i] > '9')
            break;
    }
    if (id.len_bytes > 0 && i == id.len_bytes)
        return T2_OK;
    return t2_fail(err, T2_EFORMAT, "the <id> of a page is no number");
}

static enum t2_status cut_revisions(struct dg_histories *h, struct t2_slice raw,
                                    struct dg_page_history *page, struct t2_err *err)
{
    size_t at = 0;

    for (;;) {
        size_t start = dg_wiki_find(raw, revision_start, at), end;
        if (start == raw.len_bytes)
            break;
        end = dg_wiki_find(raw, revision_end, start);
        if (end == raw.len_bytes)
            return t2_fail(err, T2_EFORMAT, "a revision of a page has no end");
        if (page->n_revisions == h->capacity) {
            h->capacity = h->capacity ? 2 * h->capacity : 64;
            h->revisions = t2_realloc(h->revisions, h->capacity, sizeof *h->revisions);
        }
        h->revisions[page->n_revisions++] = dg_wiki_part(raw, start + strlen(revision_start), end);
        at = end + strlen(revision_end);
    }
    page->revisions = h->revisions;
    return T2_OK;
}

static enum t2_status parse_page(struct dg_histories *h, struct t2_slice raw,
                                 struct dg_page_history *page, bool *is_wanted, struct t2_err *err)
{
    T2_TRY(find_between(raw, "<title>", "</title>", &page->title, err));
    T2_TRY(find_between(raw, "<id>", "</id>", &page->id, err));
    T2_TRY(check_id(page->id, err));
    *is_wanted = dg_wiki_find(page->title, ":", 0) == page->title.len_bytes;
    return *is_wanted ? cut_revisions(h, raw, page, err) : T2_OK;
}

enum t2_status dg_histories_next(struct dg_histories *h, struct dg_page_history *page,
                                 struct t2_err *err)
{
    struct t2_slice raw = {NULL, 0};
    bool is_wanted = false;
    enum t2_status st;

    while (!is_wanted) {
        *page = (struct dg_page_history){.n_revisions = 0};
        st = skip_to(h, page_start, err);
        if (st == T2_EOF && !h->is_dump)
            return t2_fail(err, T2_EFORMAT,
                           "'%s' is no dump of page histories: no <mediawiki at its start, and no "
                           "<page>",
                           h->path);
        if (st != T2_OK)
            return st;
        h->is_dump = true;
        page->offset = h->window_offset + h->at - strlen(page_start);
        T2_TRY(take_page(h, &raw, err));
        if (raw.data && parse_page(h, raw, page, &is_wanted, err) != T2_OK)
            return t2_wrap(err, "'%s': page at offset %" PRIu64 " of the text", h->path,
                           page->offset);
    }
    return T2_OK;
}
