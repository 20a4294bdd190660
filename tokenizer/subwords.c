/*
 * tokenizer/subwords.c - T2T's SubwordTextEncoder: greedily the longest entry that matches.
 *
 * Spec t2t-datagen.md §4.5.  The way back is in subwords_decode.c, the cache of words in
 * word_cache.c.
 */
#include "tokenizer/subwords.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "base/alloc.h"
#include "tokenizer/encoder_kinds.h"
#include "tokenizer/unicode.h"
#include "tokenizer/word_cache.h"
#include "tokenizer/word_scan.h"

enum { SMALL_WORD = 120 }; /* bytes escaped on the stack */

static void free_model(void *model)
{
    struct tok_subwords *m = model;

    tok_alphabet_release(&m->alphabet);
    tok_trie_release(&m->trie);
    t2_free(m->shapes);
    t2_free(m);
}

static enum t2_status no_entry(const uint8_t *word, size_t len_bytes, const uint8_t *at,
                               size_t left_bytes, struct t2_err *err)
{
    uint32_t c;
    bool valid;

    tok_utf8_decode(at, left_bytes, &c, &valid);
    return t2_fail(err, T2_EFORMAT,
                   "word '%.*s' cannot be cut: no entry of the vocabulary begins with U+%04" PRIX32
                   " there",
                   (int) (len_bytes < 100 ? len_bytes : 100), (const char *) word, c);
}

/* Who builds a vocabulary and writes it needs none. */
static const struct tok_trie *trie_of(const struct tok_encoder *e)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    struct tok_subwords *m = e->model;

    if (atomic_load_explicit(&m->has_trie, memory_order_acquire))
        return &m->trie;
    pthread_mutex_lock(&lock);
    if (!atomic_load_explicit(&m->has_trie, memory_order_relaxed))
        tok_trie_init(&m->trie, e->entries, (size_t) e->n);
    atomic_store_explicit(&m->has_trie, true, memory_order_release);
    pthread_mutex_unlock(&lock);
    return &m->trie;
}

/*
 * Cuts an escaped word: at each place the longest entry of the trie.  Single characters and the
 * escapes are entries, so this fails only for broken vocabularies.
 */
static enum t2_status cut(const struct tok_encoder *e, const uint8_t *escaped, size_t n_escaped,
                          struct t2_slice word, struct tok_ids *ids, struct t2_err *err)
{
    const struct tok_trie *trie = trie_of(e);

    for (size_t at = 0; at < n_escaped;) {
        size_t n = 0;
        int32_t id = tok_trie_longest(trie, escaped + at, n_escaped - at, &n);

        if (id < 0)
            return no_entry(word.data, word.len_bytes, escaped + at, n_escaped - at, err);
        tok_ids_push(ids, id);
        at += n;
    }
    return T2_OK;
}

/* Most words need no escapes; they are copied to the stack with their '_' and cut there. */
static enum t2_status cut_word(const struct tok_encoder *e, const uint8_t *word, size_t len_bytes,
                               struct t2_buf *scratch, struct tok_ids *ids, struct t2_err *err)
{
    const struct tok_subwords *m = e->model;
    struct t2_slice slice = {word, len_bytes};

    if (len_bytes < SMALL_WORD) {
        uint8_t small[SMALL_WORD], escape = 0;

        for (size_t i = 0; i < len_bytes; i++) {
            small[i] = word[i];
            escape |= m->needs_escape[word[i]];
        }
        small[len_bytes] = '_';
        if (!escape)
            return cut(e, small, len_bytes + 1, slice, ids, err);
    }
    t2_buf_clear(scratch);
    tok_escape(&m->alphabet, word, len_bytes, scratch);
    return cut(e, scratch->data, scratch->len_bytes, slice, ids, err);
}

/* Without a cache. */
static enum t2_status cut_batch(const struct tok_encoder *e, const struct tok_scan *scan,
                                struct tok_pending *batch, struct t2_buf *scratch,
                                struct tok_ids *ids, struct t2_err *err)
{
    for (size_t i = 0; i < scan->n_words; i++) {
        T2_TRY(cut_word(e, scan->text + scan->starts[i], (size_t) (scan->ends[i] - scan->starts[i]),
                        scratch, ids, err));
        batch[i].ids_end = ids->n;
    }
    return T2_OK;
}

static enum t2_status look_up_batch(struct tok_cache *cache, const struct tok_scan *scan,
                                    struct tok_pending *batch, struct tok_ids *ids,
                                    struct t2_err *err)
{
    for (size_t i = 0; i < scan->n_words; i++) {
        batch[i].word = scan->text + scan->starts[i];
        batch[i].len_bytes = (size_t) (scan->ends[i] - scan->starts[i]);
        tok_cache_prepare(cache, &batch[i], scan->text, scan->len_bytes);
    }
    return tok_cache_encode(cache, batch, scan->n_words, ids, err);
}

/* batch[i].ids_end is where the ids of word i end, which gives the ends of lines.  ends NULL: the
 * text is one line. */
static enum t2_status encode_lines(const struct tok_encoder *e, struct tok_cache *cache,
                                   const uint8_t *text, size_t len_bytes, struct tok_ids *ids,
                                   struct tok_ends *ends, struct t2_err *err)
{
    struct tok_pending batch[TOK_SCAN_MAX];
    enum t2_status st = T2_OK;
    struct t2_buf scratch;
    struct tok_scan scan;

    t2_buf_init(&scratch);
    tok_scan_init(&scan, text, len_bytes, ends != NULL);
    while (st == T2_OK && tok_scan_next(&scan)) {
        size_t first = ids->n;

        if (cache)
            st = look_up_batch(cache, &scan, batch, ids, err);
        else
            st = cut_batch(e, &scan, batch, &scratch, ids, err);
        for (size_t i = 0; st == T2_OK && i < scan.n_lines; i++)
            tok_ends_push(ends, scan.lines[i] > 0 ? batch[scan.lines[i] - 1].ids_end : first);
    }
    t2_buf_release(&scratch);
    return st;
}

static enum t2_status encode(const struct tok_encoder *e, struct tok_cache *cache,
                             const uint8_t *text, size_t len_bytes, struct tok_ids *ids,
                             struct t2_err *err)
{
    return encode_lines(e, cache, text, len_bytes, ids, NULL, err);
}

static void write_file(const struct tok_encoder *e, struct t2_buf *file)
{
    const char *quote = ((const struct tok_subwords *) e->model)->is_quoted ? "'" : "";

    for (int32_t i = 0; i < e->n; i++) {
        t2_buf_puts(file, quote);
        t2_buf_append(file, e->entries[i].data, e->entries[i].len_bytes);
        t2_buf_puts(file, quote);
        t2_buf_push(file, '\n');
    }
}

static const struct tok_kind kind = {
    .name = "subwords",
    .keeps_ids = true,
    .encode = encode,
    .encode_lines = encode_lines,
    .cut = cut_word,
    .decode = tok_subwords_decode,
    .write = write_file,
    .free_model = free_model,
};

const struct tok_subwords *tok_subwords_model(const struct tok_encoder *e)
{
    return e->kind == &kind ? e->model : NULL;
}

static struct tok_encoder *make(const struct t2_slice *entries, size_t n, bool is_quoted)
{
    struct tok_encoder *e = tok_encoder_new(&kind, entries, n);
    struct tok_subwords *m = t2_alloc(1, sizeof *m);

    e->model = m;
    e->special.pad = TOK_PAD;
    e->special.eos = TOK_EOS;
    m->is_quoted = is_quoted;
    m->shapes = t2_alloc(n, 1);
    tok_alphabet_init(&m->alphabet);
    for (size_t i = 0; i < n; i++) {
        m->shapes[i] = tok_entry_shape(e->entries[i]);
        tok_alphabet_add(&m->alphabet, e->entries[i].data, e->entries[i].len_bytes);
    }
    for (unsigned b = 0; b < 256; b++)
        m->needs_escape[b] =
            b >= 0x80 || b == '\\' || b == '_' || b == '\n' || !tok_alphabet_has(&m->alphabet, b);
    return e;
}

/* With its trie: files are read beside other work. */
struct tok_encoder *tok_subwords_of(const struct t2_slice *entries, size_t n, bool is_quoted)
{
    struct tok_encoder *e = make(entries, n, is_quoted);

    (void) trie_of(e);
    return e;
}

struct tok_encoder *tok_subwords_new(const struct t2_slice *entries, size_t n)
{
    return make(entries, n, true);
}
