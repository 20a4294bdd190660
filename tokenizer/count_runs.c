/*
 * tokenizer/count_runs.c - runs in levels: FAN_IN runs of one level are merged into one of the
 * next, so the number of open files and buffers grows with the logarithm of what is counted.
 *
 * A run, in a file without a name, sorted by the bytes of the words; their number is in struct run:
 *
 *   { length of the word: varint | count: varint | the word }
 *
 * With FAN_IN = 32 a word is written once per level, log32(runs) times, and at most 32 * 8 files
 * are open.
 */
#include "tokenizer/count_runs.h"

#include <pthread.h>
#include <stdbool.h>
#include <string.h>

#include "base/alloc.h"
#include "base/signals.h"
#include "base/spool.h"
#include "base/str.h"
#include "tokenizer/counts.h"

enum {
    FAN_IN = 32,
    MAX_LEVELS = 8, /* more words than fit into 64 bits of bytes */
    LOOK_EVERY = 1 << 16
};

struct run {
    struct t2_spool *spool;
    uint64_t n_words;
};

struct tok_runs {
    char *beside;
    pthread_mutex_t lock;
    struct run runs[MAX_LEVELS][FAN_IN];
    size_t n_runs[MAX_LEVELS];
    size_t n_added;
    struct t2_err failure;
};

/* An input of a merge: a run, or a sorted table. */
struct source {
    struct t2_spool *spool;
    uint64_t n_left; /* of the spool */
    const struct tok_counts *table;
    size_t cursor;
    struct t2_buf buffer;
    struct t2_slice word; /* in front */
    uint64_t n;
};

struct tok_merge {
    struct source *sources;
    struct source **heap; /* the least word first */
    size_t n_sources, n_heap;
    struct t2_buf word;
    uint64_t n_given;
};

/* ---- files ---- */

static size_t put_varint(uint8_t *to, uint64_t v)
{
    size_t n = 0;

    for (; v >= 0x80; v >>= 7)
        to[n++] = (uint8_t) (v | 0x80);
    to[n++] = (uint8_t) v;
    return n;
}

static void put_word(struct run *r, struct t2_slice word, uint64_t n)
{
    uint8_t head[20];
    size_t len = put_varint(head, word.len_bytes);

    len += put_varint(head + len, n);
    t2_spool_write(r->spool, head, len);
    t2_spool_write(r->spool, word.data, word.len_bytes);
    r->n_words++;
}

static enum t2_status get_varint(struct t2_spool *s, uint64_t *v, struct t2_err *err)
{
    uint8_t byte = 0x80;

    *v = 0;
    for (unsigned shift = 0; byte >= 0x80 && shift < 64; shift += 7) {
        T2_TRY(t2_spool_read(s, &byte, 1, err));
        *v |= (uint64_t) (byte & 0x7F) << shift;
    }
    return T2_OK;
}

/* ---- merging ---- */

static bool is_before(const struct source *a, const struct source *b)
{
    return t2_slice_cmp(a->word, b->word) < 0;
}

/*
 * A binary heap of pointers to sources, the least word at 0; the children of i are 2 i + 1 and 2 i
 * + 2. Equal words need no order among sources, because their counts are added.
 */
static void sift_down(struct tok_merge *m, size_t at)
{
    struct source *s = m->heap[at];

    for (;;) {
        size_t child = 2 * at + 1;

        if (child >= m->n_heap)
            break;
        if (child + 1 < m->n_heap && is_before(m->heap[child + 1], m->heap[child]))
            child++;
        if (!is_before(m->heap[child], s))
            break;
        m->heap[at] = m->heap[child];
        at = child;
    }
    m->heap[at] = s;
}

/* Makes s->word the next word; T2_EOF after the last. */
static enum t2_status advance(struct source *s, struct t2_err *err)
{
    uint64_t len;

    if (!s->spool)
        return tok_counts_next(s->table, &s->cursor, &s->word, &s->n) ? T2_OK : T2_EOF;
    if (s->n_left == 0)
        return T2_EOF;
    s->n_left--;
    T2_TRY(get_varint(s->spool, &len, err));
    T2_TRY(get_varint(s->spool, &s->n, err));
    if (len > t2_spool_bytes(s->spool))
        return t2_fail(err, T2_EIO, "a temporary file of counts was changed by another program");
    t2_buf_clear(&s->buffer);
    t2_buf_reserve(&s->buffer, len);
    T2_TRY(t2_spool_read(s->spool, s->buffer.data, len, err));
    s->word = (struct t2_slice){s->buffer.data, len};
    return T2_OK;
}

/* The first words of all sources; those without one do not take part. */
static enum t2_status start(struct tok_merge *m, struct t2_err *err)
{
    for (size_t i = 0; i < m->n_sources; i++) {
        enum t2_status st = T2_OK;

        if (m->sources[i].spool)
            st = t2_spool_rewind(m->sources[i].spool, err);
        if (st == T2_OK)
            st = advance(&m->sources[i], err);
        if (st == T2_OK)
            m->heap[m->n_heap++] = &m->sources[i];
        else if (st != T2_EOF)
            return st;
    }
    for (size_t i = m->n_heap / 2; i-- > 0;)
        sift_down(m, i);
    return T2_OK;
}

static struct tok_merge *new_merge(size_t n_sources)
{
    struct tok_merge *m = t2_alloc(1, sizeof *m);

    m->n_sources = n_sources;
    m->sources = t2_alloc(n_sources, sizeof *m->sources);
    m->heap = t2_alloc(n_sources, sizeof *m->heap);
    return m;
}

void tok_merge_free(struct tok_merge *m)
{
    if (!m)
        return;
    for (size_t i = 0; i < m->n_sources; i++)
        t2_buf_release(&m->sources[i].buffer);
    t2_free(m->sources);
    t2_free(m->heap);
    t2_buf_release(&m->word);
    t2_free(m);
}

/* The source at the top of the heap gives its next word and sinks to its place, or leaves. */
static enum t2_status advance_first(struct tok_merge *m, struct t2_err *err)
{
    enum t2_status st = advance(m->heap[0], err);

    if (st == T2_EOF)
        m->heap[0] = m->heap[--m->n_heap];
    else if (st != T2_OK)
        return st;
    if (m->n_heap > 1)
        sift_down(m, 0);
    return T2_OK;
}

/* The counts of equal words, which come from the top one after the other, are added. */
enum t2_status tok_merge_next(struct tok_merge *m, struct t2_slice *word, uint64_t *n,
                              struct t2_err *err)
{
    if (++m->n_given % LOOK_EVERY == 0)
        T2_TRY(t2_check_interrupt(err));
    if (m->n_heap == 0)
        return T2_EOF;
    t2_buf_clear(&m->word);
    t2_buf_append(&m->word, m->heap[0]->word.data, m->heap[0]->word.len_bytes);
    *n = 0;
    do {
        *n += m->heap[0]->n;
        T2_TRY(advance_first(m, err));
    } while (m->n_heap > 0 && t2_slice_eq(m->heap[0]->word, t2_buf_slice(&m->word)));
    *word = t2_buf_slice(&m->word);
    return T2_OK;
}

enum t2_status tok_merge_new(struct tok_runs *runs, struct tok_counts **tables, size_t n_tables,
                             struct tok_merge **m, struct t2_err *err)
{
    size_t n_runs = 0, to = 0;
    enum t2_status st;

    *m = NULL;
    if (runs)
        T2_TRY(tok_runs_status(runs, err));
    for (size_t k = 0; runs && k < MAX_LEVELS; k++)
        n_runs += runs->n_runs[k];
    *m = new_merge(n_runs + n_tables);
    for (size_t i = 0; i < n_tables; i++) {
        tok_counts_sort(tables[i]);
        (*m)->sources[to++].table = tables[i];
    }
    for (size_t k = 0; runs && k < MAX_LEVELS; k++)
        for (size_t i = 0; i < runs->n_runs[k]; i++) {
            (*m)->sources[to].spool = runs->runs[k][i].spool;
            (*m)->sources[to++].n_left = runs->runs[k][i].n_words;
        }
    st = start(*m, err);
    if (st != T2_OK) {
        tok_merge_free(*m);
        *m = NULL;
    }
    return st;
}

/* ---- runs ---- */

struct tok_runs *tok_runs_new(const char *beside)
{
    struct tok_runs *r = t2_alloc(1, sizeof *r);

    r->beside = t2_strdup(beside);
    pthread_mutex_init(&r->lock, NULL);
    return r;
}

static void drop_level(struct tok_runs *r, size_t level)
{
    for (size_t i = 0; i < r->n_runs[level]; i++)
        t2_spool_free(r->runs[level][i].spool);
    r->n_runs[level] = 0;
}

void tok_runs_free(struct tok_runs *r)
{
    if (!r)
        return;
    for (size_t k = 0; k < MAX_LEVELS; k++)
        drop_level(r, k);
    pthread_mutex_destroy(&r->lock);
    t2_free(r->beside);
    t2_free(r);
}

/* All runs of a level as one run. */
static enum t2_status join_level(struct tok_runs *r, size_t level, struct run *joined,
                                 struct t2_err *err)
{
    struct tok_merge *m = new_merge(r->n_runs[level]);
    struct t2_slice word;
    enum t2_status st;
    uint64_t n;

    for (size_t i = 0; i < m->n_sources; i++) {
        m->sources[i].spool = r->runs[level][i].spool;
        m->sources[i].n_left = r->runs[level][i].n_words;
    }
    st = t2_spool_new(r->beside, &joined->spool, err);
    if (st == T2_OK)
        st = start(m, err);
    while (st == T2_OK && (st = tok_merge_next(m, &word, &n, err)) == T2_OK)
        put_word(joined, word, n);
    tok_merge_free(m);
    return st == T2_EOF ? T2_OK : st;
}

/* Adds a run to level 0; a level that is full becomes one run of the next.  Called with the lock
 * held. */
static enum t2_status keep_run(struct tok_runs *r, struct run run, struct t2_err *err)
{
    for (size_t level = 0;; level++) {
        struct run joined = {NULL, 0};
        enum t2_status st;

        r->runs[level][r->n_runs[level]++] = run;
        if (r->n_runs[level] < FAN_IN || level + 1 == MAX_LEVELS)
            return T2_OK;
        st = join_level(r, level, &joined, err);
        if (st != T2_OK) {
            t2_spool_free(joined.spool);
            return st;
        }
        drop_level(r, level);
        run = joined;
    }
}

void tok_runs_add(struct tok_runs *r, struct tok_counts *c)
{
    struct t2_err err = T2_ERR_INIT;
    struct run run = {NULL, 0};
    struct t2_slice word;
    size_t cursor = 0;
    uint64_t n;
    enum t2_status st = t2_spool_new(r->beside, &run.spool, &err);

    if (st == T2_OK) {
        tok_counts_sort(c);
        while (tok_counts_next(c, &cursor, &word, &n))
            put_word(&run, word, n);
        st = t2_spool_rewind(run.spool, &err); /* so that a full disk is noticed now */
    }
    tok_counts_clear(c);
    pthread_mutex_lock(&r->lock);
    r->n_added++;
    if (st == T2_OK && r->failure.status == T2_OK)
        st = keep_run(r, run, &err);
    else
        t2_spool_free(run.spool);
    if (st != T2_OK && r->failure.status == T2_OK)
        r->failure = err;
    pthread_mutex_unlock(&r->lock);
}

enum t2_status tok_runs_status(struct tok_runs *r, struct t2_err *err)
{
    enum t2_status st;

    pthread_mutex_lock(&r->lock);
    st = r->failure.status;
    if (st != T2_OK)
        *err = r->failure;
    pthread_mutex_unlock(&r->lock);
    return st;
}

size_t tok_runs_count(const struct tok_runs *r)
{
    return r->n_added;
}
