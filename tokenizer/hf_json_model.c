/*
 * tokenizer/hf_json_model.c - the model of a tokenizer.json: tokens, merges, what is unknown.
 *
 *   BPE        "vocab": {TOKEN: ID}, "merges": ["LEFT RIGHT", ...] or [[LEFT, RIGHT], ...]
 *   WordPiece  "vocab": {TOKEN: ID}, "unk_token", "continuing_subword_prefix"
 *   Unigram    "vocab": [[TOKEN, SCORE], ...] (the index is the id), "unk_id"
 *
 * The merge of "a" and "##b" makes "ab": the prefix of the right side is dropped.
 */
#include <inttypes.h>
#include <stdio.h>

#include "base/alloc.h"
#include "base/map.h"
#include "tokenizer/hf_reading.h"

enum { MAX_IDS = 1 << 22 }; /* ten times the largest that are published; bounds memory */

/* ---- tokens ---- */

enum t2_status tok_hf_add_entry(struct tok_hf_reading *r, int64_t id, struct t2_slice token)
{
    if (id < 0 || id >= MAX_IDS)
        return t2_fail(r->err, T2_EFORMAT, "'%s': the token '%.*s' has id %" PRId64, r->origin,
                       (int) (token.len_bytes < 100 ? token.len_bytes : 100),
                       (const char *) token.data, id);
    if ((size_t) id >= r->capacity) {
        r->capacity = (size_t) id + (size_t) id / 2 + 256;
        r->entries = t2_realloc(r->entries, r->capacity, sizeof *r->entries);
    }
    if ((size_t) id >= r->n) {
        memset(r->entries + r->n, 0, ((size_t) id + 1 - r->n) * sizeof *r->entries);
        r->n = (size_t) id + 1;
    }
    r->entries[id] = token;
    return T2_OK;
}

static enum t2_status add_token(struct tok_hf_reading *r, int64_t id, const char *token)
{
    T2_TRY(tok_hf_add_entry(r, id, t2_slice_of(token)));
    *t2_map_at(r->h->model.vocab, token, strlen(token), NULL) = (uint64_t) id;
    return T2_OK;
}

/* An object token -> id. */
static enum t2_status read_vocab(struct tok_hf_reading *r, const struct t2_json_value *vocab)
{
    if (t2_json_type(vocab) != T2_JSON_OBJECT)
        return tok_hf_broken(r, "model.vocab is not an object");
    for (size_t i = 0; i < t2_json_size(vocab); i++) {
        const struct t2_json_value *id = NULL;
        const char *token = t2_json_member(vocab, i, &id);
        T2_TRY(add_token(r, t2_json_as_i64(id, -1), token));
    }
    return T2_OK;
}

static void find_byte_tokens(struct tok_hf_model *m)
{
    memset(m->bytes, -1, sizeof m->bytes);
    for (int b = 0; b < 256; b++) {
        char name[8];
        const uint64_t *id;
        int n = snprintf(name, sizeof name, "<0x%02X>", (unsigned) b);
        id = t2_map_find(m->vocab, name, (size_t) n);
        if (id)
            m->bytes[b] = (int32_t) *id;
    }
}

static bool has_all_bytes(const struct tok_hf_model *m)
{
    for (int b = 0; b < 256; b++)
        if (m->bytes[b] < 0)
            return false;
    return true;
}

/* ---- models ---- */

bool tok_hf_merge_sides(const struct t2_json_value *merge, struct t2_slice *left,
                        struct t2_slice *right)
{
    const char *text = t2_json_as_string(merge, NULL);
    const char *blank = text ? strchr(text, ' ') : NULL;

    if (blank) {
        *left = (struct t2_slice){(const uint8_t *) text, (size_t) (blank - text)};
        *right = t2_slice_of(blank + 1);
    } else {
        *left = t2_slice_of(t2_json_as_string(t2_json_item(merge, 0), ""));
        *right = t2_slice_of(t2_json_as_string(t2_json_item(merge, 1), ""));
    }
    return left->len_bytes > 0 && right->len_bytes > 0;
}

/* Of a pair that is there twice the last counts, as in the original. */
static enum t2_status read_merge(struct tok_hf_reading *r, const struct t2_json_value *v,
                                 uint32_t rank, struct t2_buf *joined)
{
    struct tok_hf_model *m = &r->h->model;
    struct t2_slice left, right, rest;
    const uint64_t *a, *b, *both;

    if (!tok_hf_merge_sides(v, &left, &right))
        return tok_hf_broken(r, "a merge that is not two tokens");
    rest = right;
    if (m->prefix.len_bytes > 0 && rest.len_bytes >= m->prefix.len_bytes &&
        memcmp(rest.data, m->prefix.data, m->prefix.len_bytes) == 0) {
        rest.data += m->prefix.len_bytes;
        rest.len_bytes -= m->prefix.len_bytes;
    }
    t2_buf_clear(joined);
    t2_buf_append(joined, left.data, left.len_bytes);
    t2_buf_append(joined, rest.data, rest.len_bytes);
    a = t2_map_find(m->vocab, left.data, left.len_bytes);
    b = t2_map_find(m->vocab, right.data, right.len_bytes);
    both = t2_map_find(m->vocab, joined->data, joined->len_bytes);
    if (!a || !b || !both)
        return t2_fail(r->err, T2_EFORMAT, "'%s': merge %u: a token of it is not in the vocabulary",
                       r->origin, rank);
    tok_merges_set(m->bpe.merges, (int32_t) *a, (int32_t) *b, rank, (int32_t) *both);
    return T2_OK;
}

/*
 * Prepares the encoder of bytes.  A vocabulary with all 256 byte characters is encoded by byte
 * (byte_bpe.h); is_mapped: one with prefixes, suffixes or missing bytes is encoded by symbols of
 * its tokens.  With ignore_merges a word that is a token as a whole is taken before any merge.
 */
static void prepare_bytes(struct tok_hf_model *m)
{
    struct t2_buf bytes = {NULL, 0, 0};

    m->is_mapped = m->prefix.len_bytes > 0 || m->end_of_word.len_bytes > 0;
    for (unsigned b = 0; b < 256; b++) {
        uint8_t name[4];
        const uint64_t *id = t2_map_find(m->vocab, name, tok_hf_byte_char((uint8_t) b, name));

        m->bpe.bytes[b] = id ? (int32_t) *id : -1;
        m->is_mapped |= !id && (m->unknown >= 0 || m->byte_fallback);
    }
    if (!m->ignore_merges || m->is_mapped)
        return;
    m->bpe.whole = t2_map_new();
    for (size_t i = 0; i < t2_map_count(m->vocab); i++) {
        t2_buf_clear(&bytes);
        if (tok_hf_bytes_of(t2_map_key(m->vocab, i), &bytes))
            *t2_map_at(m->bpe.whole, bytes.data, bytes.len_bytes, NULL) = t2_map_value(m->vocab, i);
    }
    t2_buf_release(&bytes);
}

/* The unk_token must be a token; but of WordPiece, whose original asks for it only when a word
 * cannot be cut. */
static enum t2_status read_unknown(struct tok_hf_reading *r, const struct t2_json_value *v)
{
    const char *token = t2_json_as_string(t2_json_get(v, "unk_token"), NULL);
    const uint64_t *id = token ? t2_map_find(r->h->model.vocab, token, strlen(token)) : NULL;

    if (token && !id && r->h->model.type != TOK_HF_WORDPIECE)
        return t2_fail(r->err, T2_EFORMAT, "'%s': the unk_token '%.100s' is not in the vocabulary",
                       r->origin, token);
    r->h->model.unknown = id ? (int32_t) *id : -1;
    return T2_OK;
}

static enum t2_status read_bpe(struct tok_hf_reading *r, const struct t2_json_value *v)
{
    struct tok_hf_model *m = &r->h->model;
    const struct t2_json_value *merges = t2_json_get(v, "merges");
    struct t2_buf joined = {NULL, 0, 0};
    enum t2_status st = T2_OK;

    m->type = TOK_HF_BPE;
    m->prefix = tok_hf_string_of(v, "continuing_subword_prefix", "");
    m->end_of_word = tok_hf_string_of(v, "end_of_word_suffix", "");
    m->byte_fallback = tok_hf_flag_of(v, "byte_fallback", false);
    m->fuse_unknown = tok_hf_flag_of(v, "fuse_unk", false);
    m->ignore_merges = tok_hf_flag_of(v, "ignore_merges", false);
    if (t2_json_type(t2_json_get(v, "dropout")) == T2_JSON_REAL)
        return tok_hf_unknown_part(r, "model", "BPE with dropout");
    T2_TRY(read_vocab(r, t2_json_get(v, "vocab")));
    m->bpe.merges = tok_merges_new(t2_json_size(merges));
    for (size_t i = 0; st == T2_OK && i < t2_json_size(merges); i++)
        st = read_merge(r, t2_json_item(merges, i), (uint32_t) i, &joined);
    t2_buf_release(&joined);
    if (st == T2_OK)
        st = read_unknown(r, v);
    if (st == T2_OK)
        prepare_bytes(m);
    return st;
}

/* Tokens with the prefix go into one trie, those without into the other. */
static void make_wordpiece_tries(struct tok_hf_reading *r)
{
    struct tok_hf_model *m = &r->h->model;
    struct t2_slice prefix = r->h->prefix;
    struct t2_slice *first = t2_alloc(r->n, sizeof *first), *rest = t2_alloc(r->n, sizeof *rest);

    for (size_t i = 0; i < r->n; i++) {
        struct t2_slice t = r->entries[i];
        first[i] = t;
        if (t.len_bytes > prefix.len_bytes && memcmp(t.data, prefix.data, prefix.len_bytes) == 0)
            rest[i] = (struct t2_slice){t.data + prefix.len_bytes, t.len_bytes - prefix.len_bytes};
    }
    tok_trie_init(&m->first, first, r->n);
    tok_trie_init(&m->rest, rest, r->n);
    t2_free(first);
    t2_free(rest);
}

static enum t2_status read_wordpiece(struct tok_hf_reading *r, const struct t2_json_value *v)
{
    struct tok_hf_model *m = &r->h->model;
    int64_t max_chars = t2_json_as_i64(t2_json_get(v, "max_input_chars_per_word"), 100);

    m->type = TOK_HF_WORDPIECE;
    m->max_chars = max_chars > 0 ? (size_t) max_chars : 0;
    r->h->prefix = m->prefix = tok_hf_string_of(v, "continuing_subword_prefix", "##");
    T2_TRY(read_vocab(r, t2_json_get(v, "vocab")));
    T2_TRY(read_unknown(r, v));
    if (!t2_json_as_string(t2_json_get(v, "unk_token"), NULL))
        return tok_hf_broken(r, "WordPiece without an unk_token");
    make_wordpiece_tries(r);
    return T2_OK;
}

static enum t2_status read_unigram(struct tok_hf_reading *r, const struct t2_json_value *v)
{
    struct tok_hf_model *m = &r->h->model;
    const struct t2_json_value *vocab = t2_json_get(v, "vocab");
    size_t n = t2_json_size(vocab);
    int64_t unknown = t2_json_as_i64(t2_json_get(v, "unk_id"), -1);

    m->type = TOK_HF_UNIGRAM;
    m->byte_fallback = tok_hf_flag_of(v, "byte_fallback", false);
    if (t2_json_type(vocab) != T2_JSON_ARRAY || n == 0 || n > MAX_IDS)
        return tok_hf_broken(r, "model.vocab is not a list of [token, score]");
    m->scores = t2_alloc(n, sizeof *m->scores);
    for (size_t i = 0; i < n; i++) {
        const struct t2_json_value *pair = t2_json_item(vocab, i);
        const char *token = t2_json_as_string(t2_json_item(pair, 0), NULL);
        if (!token)
            return tok_hf_broken(r, "model.vocab is not a list of [token, score]");
        T2_TRY(add_token(r, (int64_t) i, token));
        m->scores[i] = t2_json_as_double(t2_json_item(pair, 1), 0);
        if (i == 0 || m->scores[i] < m->min_score)
            m->min_score = m->scores[i];
    }
    tok_trie_init(&m->pieces, r->entries, r->n);
    find_byte_tokens(m);
    if (unknown < 0 && !(m->byte_fallback && has_all_bytes(m)))
        return tok_hf_broken(r, "Unigram without an unk_id");
    if (unknown >= (int64_t) n)
        return tok_hf_broken(r, "model.unk_id is no token");
    m->unknown = unknown < 0 ? -1 : (int32_t) unknown;
    return T2_OK;
}

enum t2_status tok_hf_read_model(struct tok_hf_reading *r, const struct t2_json_value *v)
{
    struct tok_hf_model *m = &r->h->model;
    bool has_type = tok_hf_type_of(v)[0] != 0;

    m->vocab = t2_map_new();
    m->unknown = -1;
    if (tok_hf_is(v, "BPE") || (!has_type && t2_json_get(v, "merges")))
        T2_TRY(read_bpe(r, v));
    else if (tok_hf_is(v, "WordPiece"))
        T2_TRY(read_wordpiece(r, v));
    else if (tok_hf_is(v, "Unigram"))
        T2_TRY(read_unigram(r, v));
    else
        return tok_hf_unknown_part(r, "model", tok_hf_type_of(v));
    r->n_vocab = m->type == TOK_HF_UNIGRAM ? r->n : t2_map_count(m->vocab);
    if (r->n == 0)
        return tok_hf_broken(r, "model.vocab is empty");
    find_byte_tokens(m);
    return T2_OK;
}
