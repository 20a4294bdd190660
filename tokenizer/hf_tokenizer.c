/*
 * tokenizer/hf_tokenizer.c - encoding a text by a tokenizer.json; hf_json.c reads the file.
 *
 *   text --split at added tokens as they stand (added.raw)--> parts
 *        --normalize each--> --split at normal forms of added tokens (added.normal)--> parts
 *        --pre-tokenize--> pieces --model, through the word cache--> ids
 *
 * and the post-processor's ids around all.  Added tokens are found by a trie, the longest at the
 * first place; their ids go in as they are.
 */
#include "tokenizer/hf_tokenizer.h"

#include <string.h>

#include "base/alloc.h"
#include "base/json.h"
#include "base/map.h"
#include "tokenizer/encoder_kinds.h"
#include "tokenizer/small_regex.h"
#include "tokenizer/unicode.h"
#include "tokenizer/word_cache.h"

static void free_model(void *model)
{
    struct tok_hf_tokenizer *h = model;

    t2_buf_release(&h->file);
    t2_json_free(h->doc);
    t2_free(h->added.items);
    tok_trie_release(&h->added.raw);
    tok_trie_release(&h->added.normal);
    t2_buf_release(&h->added.normal_forms);
    t2_map_free(h->model.vocab);
    tok_byte_bpe_release(&h->model.bpe);
    tok_trie_release(&h->model.first);
    tok_trie_release(&h->model.rest);
    tok_trie_release(&h->model.pieces);
    t2_free(h->model.scores);
    t2_free(h->is_special);
    for (size_t i = 0; i < h->normalizer.n; i++)
        tok_regex_free(h->normalizer.items[i].regex);
    for (size_t i = 0; i < h->n_replaces; i++)
        tok_regex_free(h->replaces[i].regex);
    t2_free(h->replaces);
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
    if (tok_hf_model_cut(&h->model, h->pre.is_byte_level, word, len_bytes, ids))
        return T2_OK;
    return t2_fail(err, T2_EFORMAT,
                   "no entries make up '%.*s', and the unk_token is not in the vocabulary",
                   (int) (len_bytes < 100 ? len_bytes : 100), (const char *) word);
}

static void add_piece(void *arg, const uint8_t *piece, size_t len_bytes)
{
    struct encoding *x = arg;
    struct tok_pending p = {.word = piece, .len_bytes = len_bytes};

    if (x->st != T2_OK)
        return;
    if (!x->cache) {
        x->st = cut(x->e, piece, len_bytes, &x->scratch, x->ids, x->err);
        return;
    }
    tok_cache_prepare(x->cache, &p, piece, len_bytes);
    x->st = tok_cache_encode(x->cache, &p, 1, x->ids, x->err);
}

/* ---- added tokens ---- */

/* What is between added tokens; is_first: nothing stands before it. */
typedef void part_fn(struct encoding *x, const uint8_t *text, size_t len_bytes, bool is_first);

/* Whether an added token that must be a single word stands between characters that are no word
 * characters. */
static bool stands_alone(const uint8_t *text, size_t len_bytes, size_t from, size_t to)
{
    uint32_t c;
    bool valid;
    size_t before = from;

    if (to < len_bytes) {
        tok_utf8_decode(text + to, len_bytes - to, &c, &valid);
        if (tok_is_word_char(c))
            return false;
    }
    if (from == 0)
        return true;
    do
        before--;
    while (before > 0 && (text[before] & 0xC0) == 0x80);
    tok_utf8_decode(text + before, len_bytes - before, &c, &valid);
    return !tok_is_word_char(c);
}

/* The first added token from `at` on, the longest of those that begin there: its number, or -1. */
static int32_t next_added(const struct tok_hf_added *a, const struct tok_trie *trie,
                          const uint8_t *text, size_t len_bytes, size_t at, size_t *from,
                          size_t *to)
{
    size_t n;

    for (; at < len_bytes; at += n) {
        int32_t k = tok_trie_longest(trie, text + at, len_bytes - at, &n);

        if (k < 0) {
            n = 1;
            continue;
        }
        if (a->items[k].single_word && !stands_alone(text, len_bytes, at, at + n))
            continue; /* behind it, as the original goes on */
        *from = at;
        *to = at + n;
        return k;
    }
    return -1;
}

/* Bytes of white space that begin the text. */
static size_t white_in_front(const uint8_t *text, size_t len_bytes)
{
    size_t at = 0;

    while (at < len_bytes) {
        uint32_t c;
        bool valid;
        size_t n = tok_utf8_decode(text + at, len_bytes - at, &c, &valid);

        if (!tok_is_white(c))
            break;
        at += n;
    }
    return at;
}

/* The text without the white space that ends it. */
static size_t without_white_at_end(const uint8_t *text, size_t len_bytes)
{
    while (len_bytes > 0) {
        size_t at = len_bytes - 1;
        uint32_t c;
        bool valid;

        while (at > 0 && len_bytes - at < 4 && (text[at] & 0xC0) == 0x80)
            at--;
        if (tok_utf8_decode(text + at, len_bytes - at, &c, &valid) != len_bytes - at ||
            !tok_is_white(c))
            break;
        len_bytes = at;
    }
    return len_bytes;
}

/* Calls fn for what stands between the added tokens of a trie, and puts their ids. */
static void split_added(struct encoding *x, const struct tok_trie *trie, const uint8_t *text,
                        size_t len_bytes, bool is_first, part_fn *fn)
{
    const struct tok_hf_added *a = &x->h->added;
    size_t at = 0, from = 0, to = 0;
    int32_t k;

    while (x->st == T2_OK && (k = next_added(a, trie, text, len_bytes, at, &from, &to)) >= 0) {
        if (a->items[k].lstrip)
            from = at + without_white_at_end(text + at, from - at);
        fn(x, text + at, from - at, is_first && at == 0);
        tok_ids_push(x->ids, a->items[k].id);
        if (a->items[k].rstrip)
            to += white_in_front(text + to, len_bytes - to);
        at = to;
    }
    if (x->st == T2_OK)
        fn(x, text + at, len_bytes - at, is_first && at == 0);
}

/* Normalised text between added tokens. */
static void encode_normal(struct encoding *x, const uint8_t *text, size_t len_bytes, bool is_first)
{
    if (len_bytes > 0)
        tok_hf_pretokenize(&x->h->pre, (struct t2_slice){text, len_bytes}, is_first, &x->scratch,
                           add_piece, x);
}

/* Text between added tokens that are looked for before it is normalised. */
static void encode_raw(struct encoding *x, const uint8_t *text, size_t len_bytes, bool is_first)
{
    if (len_bytes == 0)
        return;
    t2_buf_clear(&x->text);
    tok_utf8_replace(&x->text, text, len_bytes);
    if (!tok_hf_normalize(&x->h->normalizer, &x->text, &x->scratch)) {
        x->st = t2_fail(x->err, T2_EFORMAT, "a line of %zu bytes is too long when it is normalised",
                        len_bytes);
        return;
    }
    if (x->h->added.has_normal)
        split_added(x, &x->h->added.normal, x->text.data, x->text.len_bytes, is_first,
                    encode_normal);
    else
        encode_normal(x, x->text.data, x->text.len_bytes, is_first);
}

static enum t2_status encode(const struct tok_encoder *e, struct tok_cache *cache,
                             const uint8_t *text, size_t len_bytes, struct tok_ids *ids,
                             struct t2_err *err)
{
    const struct tok_hf_tokenizer *h = e->model;
    struct encoding x = {.e = e, .h = h, .cache = cache, .ids = ids, .err = err};

    T2_TRY(tok_check_line(e, len_bytes, err));
    if (!e->is_bare)
        tok_ids_append(ids, h->before, h->n_before);
    if (h->added.n > 0)
        split_added(&x, &h->added.raw, text, len_bytes, true, encode_raw);
    else
        encode_raw(&x, text, len_bytes, true);
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
    for (size_t i = 0; i < n; i++) {
        const uint64_t *id = t2_map_find(h->model.vocab, names[i], strlen(names[i]));
        if (id)
            return (int32_t) *id;
        for (size_t k = 0; k < h->added.n; k++)
            if (t2_slice_eq(h->added.items[k].content, t2_slice_of(names[i])))
                return h->added.items[k].id;
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

    e->special.pad = find_id(h, pads, sizeof pads / sizeof *pads);
    e->special.eos = find_id(h, ends, sizeof ends / sizeof *ends);
    e->special.bos = find_id(h, begins, sizeof begins / sizeof *begins);
    e->special.unknown = h->model.unknown;
}

enum t2_status tok_hf_parse(const char *origin, const void *data, size_t len_bytes,
                            struct tok_encoder **e, struct t2_err *err)
{
    struct tok_hf_tokenizer *h = t2_alloc(1, sizeof *h);
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
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (e->kind == &kinds[i])
            return e->model;
    return NULL;
}

bool tok_hf_looks_like(const void *data, size_t len_bytes)
{
    const uint8_t *p = data;
    bool is_one_line = true;
    size_t i = 0;

    while (i < len_bytes && memchr(" \t\r\n", p[i], 4))
        i++;
    if (i == len_bytes || p[i] != '{')
        return false;
    /* and then a key: a list of words may begin with "{" too */
    for (++i; i < len_bytes && memchr(" \t\r\n", p[i], 4); i++)
        is_one_line &= p[i] != '\n';
    return i < len_bytes && (p[i] == '"' || (p[i] == '}' && is_one_line));
}
