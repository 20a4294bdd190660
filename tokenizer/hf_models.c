/*
 * tokenizer/hf_models.c - the models of tokenizer.json: BPE, WordPiece, Unigram.
 *
 *   BPE         bytes (byte_bpe.h), or characters with prefix and suffix, then merges by rank
 *   WordPiece   the longest entry at each place, with the prefix inside a word; a word that
 *               cannot be cut, or has more than max_chars characters, is unknown as a whole
 *   Unigram     the cut of the highest sum of scores (Viterbi): best[i] is the best cut of the
 *               first i bytes; a character without an entry costs the lowest score less 10
 */
#include <string.h>

#include "base/alloc.h"
#include "base/map.h"
#include "tokenizer/hf_tokenizer.h"
#include "tokenizer/sentencepiece.h"
#include "tokenizer/unicode.h"

static const double UNKNOWN_PENALTY = 10;

static int32_t id_of(const struct tok_hf_model *m, const void *token, size_t len_bytes)
{
    const uint64_t *id = t2_map_find(m->vocab, token, len_bytes);

    return id ? (int32_t) *id : -1;
}

/* The ids of the bytes <0xNN>; false when one of them is missing. */
static bool put_bytes(const struct tok_hf_model *m, const uint8_t *s, size_t len_bytes,
                      struct tok_ids *ids)
{
    for (size_t i = 0; i < len_bytes; i++)
        if (m->bytes[s[i]] < 0)
            return false;
    for (size_t i = 0; i < len_bytes; i++)
        tok_ids_push(ids, m->bytes[s[i]]);
    return true;
}

/* ---- BPE over characters ---- */

/* The id of character `at` of a word, with what the vocabulary puts around it. */
static int32_t char_id(const struct tok_hf_model *m, const uint8_t *piece, size_t at, size_t n,
                       size_t len_bytes, struct t2_buf *token)
{
    t2_buf_clear(token);
    if (at > 0)
        t2_buf_append(token, m->prefix.data, m->prefix.len_bytes);
    t2_buf_append(token, piece + at, n);
    if (at + n == len_bytes)
        t2_buf_append(token, m->end_of_word.data, m->end_of_word.len_bytes);
    return id_of(m, token->data, token->len_bytes);
}

static void cut_chars(const struct tok_hf_model *m, const uint8_t *piece, size_t len_bytes,
                      struct tok_ids *ids)
{
    struct tok_ids symbols = {NULL, 0, 0};
    struct t2_buf token = {NULL, 0, 0};
    bool after_unknown = false;

    for (size_t at = 0, n; at < len_bytes; at += n) {
        int32_t id;
        uint32_t c;
        bool valid;

        n = tok_utf8_decode(piece + at, len_bytes - at, &c, &valid);
        id = char_id(m, piece, at, n, len_bytes, &token);
        if (id >= 0) {
            tok_ids_push(&symbols, id);
            after_unknown = false;
        } else if (!(m->byte_fallback && put_bytes(m, piece + at, n, &symbols)) &&
                   m->unknown >= 0) {
            if (!(m->fuse_unknown && after_unknown))
                tok_ids_push(&symbols, m->unknown);
            after_unknown = true;
        }
    }
    tok_merge_symbols(m->bpe.merges, symbols.items, symbols.n, ids);
    tok_ids_release(&symbols);
    t2_buf_release(&token);
}

/* A byte-level word by the characters of its bytes: when one of them has no token, or the
 * vocabulary has other things around characters. */
static void cut_mapped(const struct tok_hf_model *m, const uint8_t *piece, size_t len_bytes,
                       struct tok_ids *ids)
{
    struct t2_buf chars = {NULL, 0, 0};

    for (size_t i = 0; i < len_bytes; i++) {
        uint8_t bytes[4];

        t2_buf_append(&chars, bytes, tok_hf_byte_char(piece[i], bytes));
    }
    if (m->ignore_merges && id_of(m, chars.data, chars.len_bytes) >= 0)
        tok_ids_push(ids, id_of(m, chars.data, chars.len_bytes));
    else
        cut_chars(m, chars.data, chars.len_bytes, ids);
    t2_buf_release(&chars);
}

/* ---- WordPiece ---- */

static bool cut_wordpiece(const struct tok_hf_model *m, const uint8_t *piece, size_t len_bytes,
                          struct tok_ids *ids)
{
    size_t n_chars = 0, n_before = ids->n, at = 0;

    for (size_t i = 0; i < len_bytes; i++)
        n_chars += (piece[i] & 0xC0) != 0x80;
    while (at < len_bytes && n_chars <= m->max_chars) {
        const struct tok_trie *trie = at == 0 ? &m->first : &m->rest;
        size_t n = 0;
        int32_t id = tok_trie_longest(trie, piece + at, len_bytes - at, &n);

        if (id < 0)
            break;
        tok_ids_push(ids, id);
        at += n;
    }
    if (at < len_bytes) {
        ids->n = n_before;
        if (m->unknown < 0)
            return false;
        tok_ids_push(ids, m->unknown);
    }
    return true;
}

/* ---- Unigram: lattice::encode_optimized, in double ---- */

struct best {
    double score;
    int32_t id;
    int64_t from; /* -1: none ends here yet */
};

static void offer(struct best *b, double score, int32_t id, size_t from)
{
    if (b->from < 0 || score > b->score)
        *b = (struct best){score, id, (int64_t) from};
}

/*
 * All entries that begin at `from`, by one walk down the trie, extend the best cut that ends
 * there. An unknown character is offered only where no entry is just this character, so every
 * place is reached.
 */
static void offer_pieces(const struct tok_hf_model *m, const uint8_t *s, size_t len_bytes,
                         size_t from, struct best *best)
{
    const struct tok_trie_cell *cells = m->pieces.cells;
    size_t char_bytes = tok_sp_char_bytes(s + from, len_bytes - from);
    bool has_single = false;
    uint32_t node = 0;

    for (size_t i = from; i < len_bytes; i++) {
        uint32_t next = cells[node].base ^ s[i];
        if (cells[next].parent != node)
            break;
        node = next;
        if (cells[node].id < 0)
            continue;
        offer(&best[i + 1], m->scores[cells[node].id] + best[from].score, cells[node].id, from);
        has_single |= i + 1 - from == char_bytes;
    }
    if (!has_single)
        offer(&best[from + char_bytes], m->min_score - UNKNOWN_PENALTY + best[from].score, -1,
              from);
}

static void put_unknown(const struct tok_hf_model *m, const uint8_t *s, size_t len_bytes,
                        struct tok_ids *ids)
{
    int32_t id = id_of(m, s, len_bytes);

    if (id >= 0) /* the text is the unknown token's own name */
        tok_ids_push(ids, id);
    else if (!(m->byte_fallback && put_bytes(m, s, len_bytes, ids)) && m->unknown >= 0)
        tok_ids_push(ids, m->unknown);
}

/* Neighbouring unknown characters are one unknown piece. */
static void cut_unigram(const struct tok_hf_model *m, const uint8_t *s, size_t len_bytes,
                        struct tok_ids *ids)
{
    struct best *best = t2_alloc(len_bytes + 1, sizeof *best);
    struct tok_ids ends = {NULL, 0, 0}; /* of the pieces, the last first */
    size_t from = 0, unknown_from = 0;
    bool in_unknown = false;

    for (size_t i = 1; i <= len_bytes; i++)
        best[i].from = -1;
    for (size_t at = 0; at < len_bytes; at += tok_sp_char_bytes(s + at, len_bytes - at))
        offer_pieces(m, s, len_bytes, at, best);
    for (size_t end = len_bytes; end > 0; end = (size_t) best[end].from)
        tok_ids_push(&ends, (int32_t) end);
    while (ends.n > 0) {
        size_t end = (size_t) ends.items[--ends.n];
        bool is_unknown = best[end].id < 0 || best[end].id == m->unknown;

        if (is_unknown && !in_unknown)
            unknown_from = from;
        if (!is_unknown) {
            if (in_unknown)
                put_unknown(m, s + unknown_from, from - unknown_from, ids);
            tok_ids_push(ids, best[end].id);
        }
        in_unknown = is_unknown;
        from = end;
    }
    if (in_unknown)
        put_unknown(m, s + unknown_from, from - unknown_from, ids);
    tok_ids_release(&ends);
    t2_free(best);
}

bool tok_hf_model_cut(const struct tok_hf_model *m, bool is_byte_level, const uint8_t *piece,
                      size_t len_bytes, struct tok_ids *ids)
{
    if (m->type == TOK_HF_WORDPIECE)
        return cut_wordpiece(m, piece, len_bytes, ids);
    if (m->type == TOK_HF_UNIGRAM)
        cut_unigram(m, piece, len_bytes, ids);
    else if (is_byte_level && m->is_mapped)
        cut_mapped(m, piece, len_bytes, ids);
    else if (is_byte_level)
        tok_byte_bpe_cut(&m->bpe, piece, len_bytes, ids);
    else if (m->ignore_merges && id_of(m, piece, len_bytes) >= 0)
        tok_ids_push(ids, id_of(m, piece, len_bytes));
    else
        cut_chars(m, piece, len_bytes, ids);
    return true;
}
