/*
 * tokenizer/hf_tokenizer.c - the road of a text through a tokenizer.json; reading the file is in
 * hf_json.c.
 */
#include "tokenizer/hf_tokenizer.h"

#include <string.h>

#include "base/alloc.h"
#include "base/json.h"
#include "base/map.h"
#include "tokenizer/encoder_kinds.h"
#include "tokenizer/unicode.h"
#include "tokenizer/word_cache.h"

static void free_model(void *model)
{
    struct tok_hf_tokenizer *h = model;

    t2_buf_release(&h->file);
    t2_json_free(h->doc);
    t2_free(h->added.contents);
    t2_free(h->added.ids);
    t2_free(h->added.lstrip);
    t2_free(h->added.rstrip);
    t2_free(h->added.single_word);
    t2_free(h->added.special);
    tok_trie_release(&h->added.trie);
    t2_map_free(h->model.vocab);
    tok_byte_bpe_release(&h->model.bpe);
    tok_trie_release(&h->model.first);
    tok_trie_release(&h->model.rest);
    tok_trie_release(&h->model.pieces);
    t2_free(h->model.scores);
    t2_free(h->is_special);
    t2_buf_release(&h->normalizer.charsmap);
    t2_free(h);
}

/* ---- encode ---- */

struct encoding {
    const struct tok_encoder *e;
    const struct tok_hf_tokenizer *h;
    struct tok_cache *cache;
    struct tok_ids *ids;
    struct t2_buf text, scratch;
    enum t2_status st;
    struct t2_err *err;
};

static enum t2_status cut(const struct tok_encoder *e, const uint8_t *word, size_t len_bytes,
                          struct t2_buf *scratch, struct tok_ids *ids, struct t2_err *err)
{
    const struct tok_hf_tokenizer *h = e->model;

    (void) scratch;
    (void) err;
    tok_hf_model_cut(&h->model, h->pre.is_byte_level, word, len_bytes, ids);
    return T2_OK;
}

static void add_piece(void *arg, const uint8_t *piece, size_t len_bytes)
{
    struct encoding *x = arg;
    struct tok_pending p = {.word = piece, .len_bytes = len_bytes};

    if (x->st != T2_OK)
        return;
    if (x->cache == NULL) {
        tok_hf_model_cut(&x->h->model, x->h->pre.is_byte_level, piece, len_bytes, x->ids);
        return;
    }
    tok_cache_prepare(x->cache, &p, piece, len_bytes);
    x->st = tok_cache_encode(x->cache, &p, 1, x->ids, x->err);
}

/* Text between added tokens. */
static void encode_part(struct encoding *x, const uint8_t *text, size_t len_bytes, bool is_first)
{
    if (len_bytes == 0)
        return;
    t2_buf_clear(&x->text);
    tok_utf8_replace(&x->text, text, len_bytes);
    tok_hf_normalize(&x->h->normalizer, &x->text, &x->scratch);
    if (x->text.len_bytes > INT32_MAX / 2) {
        x->st = t2_fail(x->err, T2_EFORMAT, "a line of %zu bytes is too long when it is normalised",
                        len_bytes);
        return;
    }
    tok_hf_pretokenize(&x->h->pre, &x->text, is_first, &x->scratch, add_piece, x);
}

static bool is_word_char(uint32_t c)
{
    return c == '_' || tok_has_category(c, TOK_CAT_L | TOK_CAT_N | TOK_CAT_M);
}

/* May the added token stand here, for those that must be single words? */
static bool stands_alone(const uint8_t *text, size_t len_bytes, size_t from, size_t to)
{
    uint32_t c;
    bool valid;
    size_t before = from;

    if (to < len_bytes) {
        tok_utf8_decode(text + to, len_bytes - to, &c, &valid);
        if (is_word_char(c))
            return false;
    }
    if (from == 0)
        return true;
    do
        --before;
    while (before > 0 && (text[before] & 0xC0) == 0x80);
    tok_utf8_decode(text + before, len_bytes - before, &c, &valid);
    return !is_word_char(c);
}

/* The first added token from `at` on, the longest of those that begin there: its number, or -1. */
static int32_t next_added(const struct tok_hf_added *a, const uint8_t *text, size_t len_bytes,
                          size_t at, size_t *from, size_t *to)
{
    for (; a->n > 0 && at < len_bytes; ++at) {
        size_t n = 0;
        int32_t k = tok_trie_longest(&a->trie, text + at, len_bytes - at, &n);

        if (k < 0 || (a->single_word[k] && !stands_alone(text, len_bytes, at, at + n)))
            continue;
        *from = at;
        *to = at + n;
        return k;
    }
    return -1;
}

static enum t2_status encode(const struct tok_encoder *e, struct tok_cache *cache,
                             const uint8_t *text, size_t len_bytes, struct tok_ids *ids,
                             struct t2_err *err)
{
    const struct tok_hf_tokenizer *h = e->model;
    struct encoding x = {.e = e, .h = h, .cache = cache, .ids = ids, .err = err};
    size_t at = 0, from = 0, to = 0;
    int32_t k;

    T2_TRY(tok_check_line(e, len_bytes, err));
    if (!e->is_bare)
        tok_ids_append(ids, h->before, h->n_before);
    while (x.st == T2_OK && (k = next_added(&h->added, text, len_bytes, at, &from, &to)) >= 0) {
        const uint8_t *part = text + at, *after = text + to;
        size_t n = from - at, left = len_bytes - to;

        if (h->added.lstrip[k])
            tok_strip_end(part, &n);
        encode_part(&x, part, n, at == 0);
        tok_ids_push(ids, h->added.ids[k]);
        if (h->added.rstrip[k]) {
            size_t rest = left;
            const uint8_t *p = after;
            uint32_t c;
            bool valid;
            while (rest > 0) {
                size_t step = tok_utf8_decode(p, rest, &c, &valid);
                if (!tok_is_white(c))
                    break;
                p += step;
                rest -= step;
            }
            after = p;
        }
        at = (size_t) (after - text);
    }
    if (x.st == T2_OK)
        encode_part(&x, text + at, len_bytes - at, at == 0);
    if (!e->is_bare)
        tok_ids_append(ids, h->after, h->n_after);
    t2_buf_release(&x.text);
    t2_buf_release(&x.scratch);
    return x.st;
}

static void write_file(const struct tok_encoder *e, struct t2_buf *file)
{
    const struct tok_hf_tokenizer *h = e->model;

    t2_buf_append(file, h->file.data, h->file.len_bytes);
}

#define KIND(what)                                                                                 \
    {                                                                                              \
        .name = "tokenizer.json " what, .encode = encode, .cut = cut, .decode = tok_hf_decode,     \
        .write = write_file, .free_model = free_model                                              \
    }
static const struct tok_kind kinds[] = {
    [TOK_HF_BPE] = KIND("BPE"),
    [TOK_HF_WORDPIECE] = KIND("WordPiece"),
    [TOK_HF_UNIGRAM] = KIND("Unigram"),
};

/* ---- making ---- */

static int32_t find_id(const struct tok_hf_tokenizer *h, const char *const *names, size_t n)
{
    for (size_t i = 0; i < n; ++i) {
        const uint64_t *id = t2_map_find(h->model.vocab, names[i], strlen(names[i]));
        if (id)
            return (int32_t) *id;
        for (size_t k = 0; k < h->added.n; ++k)
            if (t2_slice_eq(h->added.contents[k], t2_slice_of(names[i])))
                return h->added.ids[k];
    }
    return -1;
}

static void find_special(struct tok_encoder *e)
{
    static const char *const pads[] = {"<pad>", "[PAD]", "<|padding|>"};
    static const char *const ends[] = {"</s>", "[SEP]", "<|endoftext|>", "<|end_of_text|>",
                                       "<eos>"};
    static const char *const begins[] = {"<s>", "[CLS]", "<|begin_of_text|>", "<bos>"};
    const struct tok_hf_tokenizer *h = e->model;

    e->special.pad = find_id(h, pads, sizeof(pads) / sizeof(pads[0]));
    e->special.eos = find_id(h, ends, sizeof(ends) / sizeof(ends[0]));
    e->special.bos = find_id(h, begins, sizeof(begins) / sizeof(begins[0]));
    e->special.unknown = h->model.unknown;
}

enum t2_status tok_hf_parse(const char *origin, const void *data, size_t len_bytes,
                            struct tok_encoder **e, struct t2_err *err)
{
    struct tok_hf_tokenizer *h = t2_alloc(1, sizeof(*h));
    struct t2_slice *entries = NULL;
    size_t n = 0;
    enum t2_status st;

    *e = NULL;
    t2_buf_append(&h->file, data, len_bytes);
    st = tok_hf_read(h, origin, &entries, &n, err);
    if (st == T2_OK) {
        *e = tok_encoder_new(&kinds[h->model.type], entries, n);
        (*e)->model = h;
        find_special(*e);
    } else {
        free_model(h);
    }
    t2_free(entries);
    return st;
}

const struct tok_hf_tokenizer *tok_hf_model_of(const struct tok_encoder *e)
{
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); ++i)
        if (e->kind == &kinds[i])
            return e->model;
    return NULL;
}

bool tok_hf_looks_like(const void *data, size_t len_bytes)
{
    const uint8_t *p = data;
    size_t i = 0;

    while (i < len_bytes && memchr(" \t\r\n", p[i], 4) != NULL)
        ++i;
    return i < len_bytes && p[i] == '{';
}
