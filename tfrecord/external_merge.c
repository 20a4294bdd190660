/*
 * tfrecord/external_merge.c - a heap of runs, each read through its own part of the memory.
 *
 * Every run has an equal share of the memory as its buffer.  When there are more runs than buffers
 * of a useful size, neighbouring runs are first joined into longer ones, in order, so that equal
 * keys keep theirs.
 */
#include "tfrecord/external_merge.h"

#include "base/alloc.h"
#include "base/signals.h"
#include "tfrecord/external_file.h"

enum { MIN_BUFFER = 8 << 10, MAX_BUFFER = 4 << 20, WRITE_BYTES = 1 << 20 };

/* A run being read: buf[pos ..] is not yet taken. */
struct cursor {
    uint64_t at, end; /* in the file: what is not yet in the buffer */
    struct t2_buf buf;
    size_t pos;
    struct t2_slice key, data; /* of the item at pos */
    size_t number;             /* of the run */
};

struct tfr_merge {
    const struct tfr_external_file *file;
    struct cursor *cursors;
    size_t n_cursors;
    struct cursor **heap; /* the one with the first item on top */
    size_t n;
    size_t buffer_bytes;
    struct cursor *taken; /* whose item was given */
};

/* ---- cursors ---- */

/* Makes n_bytes from pos ready. */
static enum t2_status fill(const struct tfr_merge *m, struct cursor *c, size_t n_bytes,
                           struct t2_err *err)
{
    size_t held = c->buf.len_bytes - c->pos;
    size_t room = n_bytes > m->buffer_bytes ? n_bytes : m->buffer_bytes;

    if (held >= n_bytes)
        return T2_OK;
    if (held > 0)
        memmove(c->buf.data, c->buf.data + c->pos, held);
    c->buf.len_bytes = held;
    c->pos = 0;
    size_t wanted = room - held;
    if (wanted > c->end - c->at)
        wanted = (size_t) (c->end - c->at);
    T2_ASSERT(held + wanted >= n_bytes);
    uint8_t *to = t2_buf_reserve(&c->buf, wanted);
    T2_TRY(tfr_external_file_read(m->file, c->at, to, wanted, err));
    c->buf.len_bytes += wanted;
    c->at += wanted;
    return T2_OK;
}

/* The item at pos; T2_EOF at the end of the run. */
static enum t2_status look(const struct tfr_merge *m, struct cursor *c, struct t2_err *err)
{
    if (c->pos == c->buf.len_bytes && c->at == c->end) {
        t2_buf_release(&c->buf);
        c->pos = 0;
        return T2_EOF;
    }
    T2_TRY(fill(m, c, TFR_ITEM_HEAD, err));
    T2_TRY(fill(m, c, tfr_item_bytes(c->buf.data + c->pos), err));
    tfr_item_split(c->buf.data + c->pos, &c->key, &c->data);
    return T2_OK;
}

/* ---- the heap ---- */

static bool before(const struct cursor *a, const struct cursor *b)
{
    int c = t2_slice_cmp(a->key, b->key);

    return c != 0 ? c < 0 : a->number < b->number;
}

static void sift_down(struct tfr_merge *m, size_t root)
{
    struct cursor *moved = m->heap[root];

    for (size_t child; (child = 2 * root + 1) < m->n; root = child) {
        if (child + 1 < m->n && before(m->heap[child + 1], m->heap[child]))
            child++;
        if (!before(m->heap[child], moved))
            break;
        m->heap[root] = m->heap[child];
    }
    m->heap[root] = moved;
}

/* The memory without which a run cannot be merged. */
static size_t cost_of(const struct tfr_run *run)
{
    return run->largest_bytes > MIN_BUFFER ? run->largest_bytes : MIN_BUFFER;
}

/* How many of the n runs from the first on fit into max_memory together; two at least. */
static size_t n_that_fit(const struct tfr_run *runs, size_t n, size_t max_memory)
{
    size_t used = 0, i = 0;

    while (i < n && (i < 2 || cost_of(&runs[i]) <= max_memory - used)) {
        used += cost_of(&runs[i]);
        used = used < max_memory ? used : max_memory;
        i++;
    }
    return i;
}

/* What a run's buffer may have: what the largest items leave, shared out. */
static size_t buffer_of(const struct tfr_run *runs, size_t n, size_t max_memory)
{
    size_t used = 0, bytes;

    for (size_t i = 0; i < n && used < max_memory; i++)
        used += cost_of(&runs[i]);
    bytes = MIN_BUFFER + (used < max_memory ? max_memory - used : 0) / n;
    return bytes < MAX_BUFFER ? bytes : MAX_BUFFER;
}

/* runs[0 .. n): a merge of them. */
static enum t2_status open_merge(const struct tfr_external_file *file, const struct tfr_run *runs,
                                 size_t n, size_t max_memory, struct tfr_merge **out,
                                 struct t2_err *err)
{
    struct tfr_merge *m = t2_alloc(1, sizeof *m);

    *out = m;
    m->file = file;
    m->cursors = t2_alloc(n, sizeof *m->cursors);
    m->heap = t2_alloc(n, sizeof(struct cursor *));
    m->n_cursors = n;
    m->buffer_bytes = buffer_of(runs, n, max_memory);
    for (size_t i = 0; i < n; i++) {
        struct cursor *c = &m->cursors[i];
        c->at = runs[i].begin;
        c->end = runs[i].end;
        c->number = i;
        enum t2_status st = look(m, c, err);
        if (st == T2_OK)
            m->heap[m->n++] = c;
        else if (st != T2_EOF)
            return st;
    }
    for (size_t i = m->n / 2; i-- > 0;)
        sift_down(m, i);
    return T2_OK;
}

enum t2_status tfr_merge_next(struct tfr_merge *m, struct t2_slice *key, struct t2_slice *data,
                              struct t2_err *err)
{
    if (m->taken) { /* on top of the heap */
        m->taken->pos += TFR_ITEM_HEAD + m->taken->key.len_bytes + m->taken->data.len_bytes;
        enum t2_status st = look(m, m->taken, err);
        if (st == T2_EOF)
            m->heap[0] = m->heap[--m->n];
        else if (st != T2_OK)
            return st;
        if (m->n > 0)
            sift_down(m, 0);
        m->taken = NULL;
    }
    if (m->n == 0)
        return T2_EOF;
    m->taken = m->heap[0];
    *key = m->taken->key;
    *data = m->taken->data;
    return T2_OK;
}

void tfr_merge_free(struct tfr_merge *m)
{
    if (!m)
        return;
    for (size_t i = 0; i < m->n_cursors; i++)
        t2_buf_release(&m->cursors[i].buf);
    t2_free(m->cursors);
    t2_free(m->heap);
    t2_free(m);
}

/* ---- more runs than buffers ---- */

/* Merges runs[0 .. n) into one run at the end of `to`. */
static enum t2_status join(struct tfr_external_file *from, const struct tfr_run *runs, size_t n,
                           size_t max_memory, struct tfr_external_file *to, struct tfr_run *joined,
                           struct t2_err *err)
{
    struct tfr_merge *m = NULL;
    struct t2_buf out = {NULL, 0, 0};
    struct t2_slice key, data;
    enum t2_status st = open_merge(from, runs, n, max_memory, &m, err);

    joined->begin = tfr_external_file_bytes(to);
    joined->largest_bytes = 0;
    for (size_t i = 0; i < n; i++)
        if (runs[i].largest_bytes > joined->largest_bytes)
            joined->largest_bytes = runs[i].largest_bytes;
    while (st == T2_OK && (st = tfr_merge_next(m, &key, &data, err)) == T2_OK) {
        size_t bytes = TFR_ITEM_HEAD + key.len_bytes + data.len_bytes;
        if (out.len_bytes + bytes > WRITE_BYTES) {
            st = tfr_external_file_append(to, out.data, out.len_bytes, err);
            out.len_bytes = 0;
        }
        if (st == T2_OK && bytes > WRITE_BYTES) { /* not through the buffer: it lies in one piece */
            st = tfr_external_file_append(to, key.data - TFR_ITEM_HEAD, bytes, err);
        } else if (st == T2_OK) {
            tfr_item_put(t2_buf_reserve(&out, bytes), key, data);
            out.len_bytes += bytes;
        }
        if (st == T2_OK && out.len_bytes == 0)
            st = t2_check_interrupt(err);
    }
    if (st == T2_EOF)
        st = tfr_external_file_append(to, out.data, out.len_bytes, err);
    joined->end = tfr_external_file_bytes(to);
    if (st == T2_OK)
        tfr_external_file_forget(from, runs[0].begin, runs[n - 1].end - runs[0].begin);
    t2_buf_release(&out);
    tfr_merge_free(m);
    return st;
}

static enum t2_status join_neighbours(const char *dir, struct tfr_external_file **file,
                                      struct tfr_run **runs, size_t *n_runs, size_t max_memory,
                                      struct t2_err *err)
{
    struct tfr_external_file *to = NULL;
    size_t n_joined = 0;
    enum t2_status st = tfr_external_file_new(dir, &to, err);

    for (size_t i = 0, n; st == T2_OK && i < *n_runs; i += n) {
        struct tfr_run joined = {0, 0, 0};
        n = n_that_fit(*runs + i, *n_runs - i, max_memory);
        st = join(*file, *runs + i, n, max_memory, to, &joined, err);
        (*runs)[n_joined++] = joined; /* n_joined <= i */
    }
    if (st != T2_OK) {
        tfr_external_file_free(to);
        return st;
    }
    tfr_external_file_free(*file);
    *file = to;
    *n_runs = n_joined;
    return T2_OK;
}

enum t2_status tfr_merge_new(const char *dir, struct tfr_external_file **file,
                             struct tfr_run **runs, size_t *n_runs, size_t max_memory,
                             struct tfr_merge **m, struct t2_err *err)
{
    enum t2_status st;

    *m = NULL;
    while (n_that_fit(*runs, *n_runs, max_memory) < *n_runs)
        T2_TRY(join_neighbours(dir, file, runs, n_runs, max_memory, err));
    st = open_merge(*file, *runs, *n_runs, max_memory, m, err);
    if (st != T2_OK) {
        tfr_merge_free(*m);
        *m = NULL;
    }
    return st;
}
