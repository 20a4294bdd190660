/*
 * tokenizer/sentencepiece.c - SentencePiece as an encoder: SentencePieceProcessor::Encode and
 * Decode.
 *
 *   text --normalize--> text with U+2581 for blanks --cut_unigram or cut_bpe--> (id, length) pairs
 *        --unknown ids: one per run, or <0xNN> per byte--> ids
 *
 * Differences between SentencePiece's own versions and settings are in the model:
 * add_dummy_prefix, remove_extra_whitespaces, byte_fallback, unknown_surface.
 */
#include "tokenizer/sentencepiece.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/map.h"
#include "tokenizer/encoder_kinds.h"
#include "tokenizer/unicode.h"

#define SPACE_SYMBOL "\xE2\x96\x81" /* U+2581 */

enum { SYMBOL_BYTES = 3 };

static void free_model(void *model)
{
    struct tok_sp_model *m = model;

    t2_buf_release(&m->file);
    t2_free(m->pieces);
    t2_free(m->scores);
    t2_free(m->types);
    tok_trie_release(&m->trie);
    tok_trie_release(&m->user_trie);
    t2_map_free(m->ids);
    t2_free(m);
}

/* ---- encode ---- */

/* A piece that is unknown: one id for a run of them, or the ids of its bytes. */
static void put_unknown(const struct tok_sp_model *m, const uint8_t *at, size_t len_bytes,
                        bool after_unknown, struct tok_ids *ids)
{
    if (!m->byte_fallback) {
        if (!after_unknown)
            tok_ids_push(ids, m->unknown);
        return;
    }
    for (size_t i = 0; i < len_bytes; i++)
        tok_ids_push(ids, m->bytes[at[i]] >= 0 ? m->bytes[at[i]] : m->unknown);
}

static enum t2_status encode(const struct tok_encoder *e, struct tok_cache *cache,
                             const uint8_t *text, size_t len_bytes, struct tok_ids *ids,
                             struct t2_err *err)
{
    const struct tok_sp_model *m = e->model;
    struct t2_buf normal = {NULL, 0, 0};
    struct tok_sp_cut cut = {.ids = {NULL, 0, 0}};
    bool after_unknown = false;
    size_t at = 0;

    (void) cache;
    T2_TRY(tok_check_line(e, len_bytes, err));
    tok_sp_normalize(m, text, len_bytes, &normal);
    if (normal.len_bytes > INT32_MAX) {
        t2_buf_release(&normal);
        return t2_fail(err, T2_EFORMAT, "a line of %zu bytes is too long when it is normalised",
                       len_bytes);
    }
    if (normal.len_bytes > 0 && m->model_type == TOK_SP_UNIGRAM)
        tok_sp_cut_unigram(m, normal.data, normal.len_bytes, &cut);
    else if (normal.len_bytes > 0)
        tok_sp_cut_bpe(m, normal.data, normal.len_bytes, &cut);
    for (size_t i = 0; i < cut.ids.n; i++) {
        bool is_unknown = cut.ids.items[i] == m->unknown;
        size_t n = (size_t) cut.lengths.items[i];
        if (is_unknown)
            put_unknown(m, normal.data + at, n, after_unknown, ids);
        else
            tok_ids_push(ids, cut.ids.items[i]);
        after_unknown = is_unknown;
        at += n;
    }
    tok_ids_release(&cut.ids);
    tok_ids_release(&cut.lengths);
    t2_buf_release(&normal);
    return T2_OK;
}

/* ---- decode ---- */

/* Bytes of <0xNN> pieces that follow each other: whole characters, U+FFFD for each byte of none. */
static void put_bytes(const struct t2_buf *bytes, struct t2_buf *text)
{
    for (size_t at = 0; at < bytes->len_bytes;) {
        uint32_t c;
        bool valid;
        size_t n = tok_utf8_decode(bytes->data + at, bytes->len_bytes - at, &c, &valid);

        if (valid && !(c >= 0xD800 && c < 0xE000)) {
            t2_buf_append(text, bytes->data + at, n);
            at += n;
        } else {
            t2_buf_puts(text, "\xEF\xBF\xBD");
            at++;
        }
    }
}

/* Appends a piece, its U+2581 as blanks. */
static void put_piece(struct t2_slice piece, struct t2_buf *text)
{
    for (size_t i = 0; i < piece.len_bytes;) {
        if (piece.len_bytes - i >= SYMBOL_BYTES &&
            memcmp(piece.data + i, SPACE_SYMBOL, SYMBOL_BYTES) == 0) {
            t2_buf_push(text, ' ');
            i += SYMBOL_BYTES;
        } else {
            t2_buf_push(text, piece.data[i++]);
        }
    }
}

/* true: a blank at the beginning was dropped, and counts as one that was seen. */
static bool decode_piece(const struct tok_sp_model *m, int32_t id, bool at_start,
                         struct t2_buf *text)
{
    struct t2_slice piece = m->pieces[id];
    bool dropped = false;

    if (m->types[id] == TOK_SP_CONTROL)
        return false;
    if (m->types[id] == TOK_SP_UNKNOWN) {
        t2_buf_append(text, m->unknown_surface.data, m->unknown_surface.len_bytes);
        return false;
    }
    if (at_start && (m->normalizer.add_dummy_prefix || m->normalizer.remove_extra_whitespaces) &&
        piece.len_bytes >= SYMBOL_BYTES && memcmp(piece.data, SPACE_SYMBOL, SYMBOL_BYTES) == 0) {
        piece.data += SYMBOL_BYTES;
        piece.len_bytes -= SYMBOL_BYTES;
        dropped = !m->normalizer.remove_extra_whitespaces;
    }
    put_piece(piece, text);
    return dropped;
}

static void decode(const struct tok_encoder *e, const int32_t *ids, size_t n, struct t2_buf *text)
{
    const struct tok_sp_model *m = e->model;
    struct t2_buf bytes = {NULL, 0, 0};
    size_t from = text->len_bytes;
    bool at_start = true, seen = false;

    for (size_t i = 0; i < n; i++) {
        int32_t id = ids[i];
        if (id < 0 || id >= m->n)
            continue;
        if (m->types[id] == TOK_SP_BYTE) {
            for (unsigned b = 0; b < 256; b++)
                if (m->bytes[b] == id)
                    t2_buf_push(&bytes, (uint8_t) b);
            continue;
        }
        put_bytes(&bytes, text);
        t2_buf_clear(&bytes);
        if (seen || text->len_bytes > from)
            at_start = false;
        seen = decode_piece(m, id, at_start, text);
    }
    put_bytes(&bytes, text);
    t2_buf_release(&bytes);
}

static void write_file(const struct tok_encoder *e, struct t2_buf *file)
{
    const struct tok_sp_model *m = e->model;

    t2_buf_append(file, m->file.data, m->file.len_bytes);
}

static const struct tok_kind unigram_kind = {
    .name = "SentencePiece unigram",
    .encode = encode,
    .decode = decode,
    .write = write_file,
    .free_model = free_model,
};
static const struct tok_kind bpe_kind = {
    .name = "SentencePiece BPE",
    .encode = encode,
    .decode = decode,
    .write = write_file,
    .free_model = free_model,
};

const struct tok_sp_model *tok_sp_model_of(const struct tok_encoder *e)
{
    return e->kind == &unigram_kind || e->kind == &bpe_kind ? e->model : NULL;
}

/* ---- preparing ---- */

static enum t2_status check_model(const struct tok_sp_model *m, const char *origin,
                                  struct t2_err *err)
{
    if (m->model_type != TOK_SP_UNIGRAM && m->model_type != TOK_SP_BPE)
        return t2_fail(err, T2_EUNSUPPORTED,
                       "'%s': a SentencePiece model of type %d; unigram (1) and BPE (2) are known",
                       origin, (int) m->model_type);
    if (m->n == 0)
        return t2_fail(err, T2_EFORMAT, "'%s': a SentencePiece model without pieces", origin);
    return T2_OK;
}

/* Whether the segmentation may use the piece: not control, unknown or byte pieces. */
static bool is_cut(const struct tok_sp_model *m, int32_t id)
{
    uint8_t type = m->types[id];

    return type == TOK_SP_NORMAL || type == TOK_SP_USER_DEFINED || type == TOK_SP_UNUSED;
}

/* Tries over the pieces that text may be cut into. */
static void make_tries(struct tok_sp_model *m)
{
    struct t2_slice *cut = t2_alloc((size_t) m->n, sizeof *cut);
    struct t2_slice *user = t2_alloc((size_t) m->n, sizeof *user);

    for (int32_t i = 0; i < m->n; i++) {
        if (m->types[i] == TOK_SP_USER_DEFINED) {
            user[i] = m->pieces[i];
            m->has_user = true;
        }
        if (is_cut(m, i))
            cut[i] = m->pieces[i];
    }
    tok_trie_init(&m->trie, cut, (size_t) m->n);
    if (m->has_user)
        tok_trie_init(&m->user_trie, user, (size_t) m->n);
    t2_free(user);
    t2_free(cut);
}

static int32_t id_of_byte_piece(struct t2_slice piece)
{
    static const char digits[] = "0123456789ABCDEF";
    const char *high, *low;

    if (piece.len_bytes != 6 || memcmp(piece.data, "<0x", 3) != 0 || piece.data[5] != '>')
        return -1;
    high = memchr(digits, piece.data[3], 16);
    low = memchr(digits, piece.data[4], 16);
    return high && low ? (int32_t) ((high - digits) * 16 + (low - digits)) : -1;
}

/* One piece on its own: what SentencePiece itself refuses. */
static enum t2_status check_piece(struct tok_sp_model *m, int32_t i, const char *origin,
                                  struct t2_err *err)
{
    int32_t byte = m->types[i] == TOK_SP_BYTE ? id_of_byte_piece(m->pieces[i]) : -1;

    if (m->pieces[i].len_bytes == 0)
        return t2_fail(err, T2_EFORMAT, "'%s': piece %" PRId32 " is empty", origin, i);
    if (!isfinite(m->scores[i]))
        return t2_fail(err, T2_EFORMAT, "'%s': the score of piece %" PRId32 " is no number", origin,
                       i);
    if (m->types[i] == TOK_SP_BYTE && (byte < 0 || !m->byte_fallback))
        return t2_fail(err, T2_EFORMAT, "'%s': piece %" PRId32 " is a byte %s", origin, i,
                       byte < 0 ? "without a number" : "but byte_fallback is off");
    if (byte >= 0)
        m->bytes[byte] = i;
    if (m->types[i] == TOK_SP_UNKNOWN) {
        if (m->unknown >= 0)
            return t2_fail(err, T2_EFORMAT,
                           "'%s': pieces %" PRId32 " and %" PRId32 " are both the unknown one",
                           origin, m->unknown, i);
        m->unknown = i;
    }
    return T2_OK;
}

/* Pieces by their bytes, those for text apart from the others. */
static enum t2_status index_pieces(struct tok_sp_model *m, const char *origin, struct t2_err *err)
{
    struct t2_map *others = t2_map_new();
    enum t2_status st = T2_OK;

    m->ids = t2_map_new();
    for (int32_t i = 0; st == T2_OK && i < m->n; i++) {
        bool inserted;
        uint64_t *id = t2_map_at(is_cut(m, i) ? m->ids : others, m->pieces[i].data,
                                 m->pieces[i].len_bytes, &inserted);

        if (!inserted)
            st = t2_fail(err, T2_EFORMAT, "'%s': pieces %" PRIu64 " and %" PRId32 " are the same",
                         origin, *id, i);
        *id = (uint64_t) i;
    }
    t2_map_free(others);
    return st;
}

static enum t2_status prepare(struct tok_sp_model *m, const char *origin, struct t2_err *err)
{
    bool any = false;

    T2_TRY(check_model(m, origin, err));
    memset(m->bytes, -1, sizeof m->bytes);
    m->unknown = -1; /* the piece's type says it, not the trainer's unk_id */
    for (int32_t i = 0; i < m->n; i++) {
        T2_TRY(check_piece(m, i, origin, err));
        if (m->types[i] != TOK_SP_NORMAL)
            continue;
        if (!any || m->scores[i] < m->min_score)
            m->min_score = m->scores[i];
        any = true;
    }
    if (m->unknown < 0)
        return t2_fail(err, T2_EFORMAT, "'%s': a SentencePiece model without an unknown piece",
                       origin);
    for (int b = 0; m->byte_fallback && b < 256; b++)
        if (m->bytes[b] < 0)
            return t2_fail(err, T2_EFORMAT, "'%s': byte_fallback without the piece <0x%02X>",
                           origin, (unsigned) b);
    T2_TRY(index_pieces(m, origin, err));
    make_tries(m);
    return T2_OK;
}

enum t2_status tok_sp_parse(const char *origin, const void *data, size_t len_bytes,
                            struct tok_encoder **e, struct t2_err *err)
{
    struct tok_sp_model *m = t2_alloc(1, sizeof *m);
    enum t2_status st;

    *e = NULL;
    t2_buf_append(&m->file, data, len_bytes);
    st = tok_sp_read(m, origin, err);
    if (st == T2_OK)
        st = prepare(m, origin, err);
    if (st != T2_OK) {
        free_model(m);
        return st;
    }
    *e = tok_encoder_new(m->model_type == TOK_SP_BPE ? &bpe_kind : &unigram_kind, m->pieces,
                         (size_t) m->n);
    (*e)->model = m;
    (*e)->special = (struct tok_special){m->pad, m->eos, m->unknown, m->bos};
    return T2_OK;
}
