/*
 * tokenizer/write_hf_sp.c - conversion of SentencePiece models to tokenizer.json.
 *
 * The normaliser becomes a sequence of steps, in SentencePiece's order:
 *
 *   Precompiled                     its character map
 *   Replace \A[ ]+, " {2,}", and    remove_extra_whitespaces: blanks in front, runs, and at the end
 *     [ U+2581]+\z                  blanks and U+2581
 *   Prepend U+2581                  add_dummy_prefix
 *   Replace " "                     blanks as U+2581
 *
 * There is no pre-tokenizer, as SentencePiece does not cut text before its model.  Control pieces
 * are entries but no added tokens: a text that spells one is text, as there.
 */
#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "base/base64.h"
#include "base/json_writer.h"
#include "tokenizer/convert_kinds.h"
#include "tokenizer/sentencepiece.h"

#define SPACE_SYMBOL "\xE2\x96\x81" /* U+2581 */

static size_t count_type(const struct tok_sp_model *m, enum tok_sp_type type, int32_t *first)
{
    size_t n = 0;

    for (int32_t i = m->n; i-- > 0;)
        if (m->types[i] == type) {
            n++;
            *first = i;
        }
    return n;
}

/* ---- what differs ---- */

static void check_normalizer(const struct tok_sp_model *m, struct tok_conversion *c)
{
    if (m->normalizer.units.len_bytes > 0)
        tok_differs(
            c,
            "normalizer: tokenizers applies the character map by grapheme clusters and takes the "
            "shortest rule that begins one, SentencePiece takes the longest at each byte: "
            "letters with several marks, ligatures with marks and conjoining Hangul differ");
    if (m->treat_whitespace_as_suffix)
        tok_differs(c, "blanks: this model has them at the end of words "
                       "(treat_whitespace_as_suffix), tokenizers cannot");
    if (!m->normalizer.escape_whitespaces)
        tok_differs(c, "blanks: this model keeps them (escape_whitespaces is off); here they "
                       "become U+2581");
}

static void check_pieces(const struct tok_sp_model *m, struct tok_conversion *c)
{
    int32_t first = -1;
    size_t n = count_type(m, TOK_SP_USER_DEFINED, &first), n_bytes = 0;

    if (n > 0)
        tok_differs(c,
                    "user-defined pieces: %zu (the first is '%.*s') become added tokens; the text "
                    "on each side of one is normalised on its own",
                    n, (int) m->pieces[first].len_bytes, (const char *) m->pieces[first].data);
    n = count_type(m, TOK_SP_UNUSED, &first);
    if (n > 0)
        tok_differs(c, "unused pieces: %zu (the first has id %" PRId32 ") would be used", n, first);
    for (int b = 0; b < 256; b++)
        n_bytes += m->bytes[b] >= 0;
    if (m->byte_fallback && n_bytes < 256)
        tok_differs(c,
                    "bytes: %zu of 256 have a piece; a character with others is unknown as a "
                    "whole in tokenizers, by its byte in SentencePiece",
                    n_bytes);
}

/* ---- the frame ---- */

static void put_map(struct t2_json *j, const struct tok_sp_normalizer *n)
{
    const uint8_t *from = n->units.data - 4; /* with the size of the array in front */
    struct t2_slice map = {from, 4 + n->units.len_bytes + n->replacements.len_bytes};
    struct t2_buf text = {NULL, 0, 0};

    t2_base64_encode(map, &text);
    t2_json_object(j);
    t2_json_kv_string(j, "type", "Precompiled");
    t2_json_kv_string(j, "precompiled_charsmap", t2_buf_cstr(&text));
    t2_json_end_object(j);
    t2_buf_release(&text);
}

static void put_normalizer(struct t2_json *j, const struct tok_sp_model *m)
{
    const struct tok_sp_normalizer *n = &m->normalizer;

    t2_json_key(j, "normalizer");
    t2_json_object(j);
    t2_json_kv_string(j, "type", "Sequence");
    t2_json_key(j, "normalizers");
    t2_json_array(j);
    if (n->units.len_bytes > 0)
        put_map(j, n);
    if (n->remove_extra_whitespaces) {
        tok_hf_replace(j, "Regex", "\\A[ ]+", "");
        tok_hf_replace(j, "Regex", " {2,}", " ");
        tok_hf_replace(j, "Regex", "[ " SPACE_SYMBOL "]+\\z", "");
    }
    if (n->add_dummy_prefix) {
        t2_json_object(j);
        t2_json_kv_string(j, "type", "Prepend");
        t2_json_kv_string(j, "prepend", SPACE_SYMBOL);
        t2_json_end_object(j);
    }
    tok_hf_replace(j, "String", " ", SPACE_SYMBOL);
    t2_json_end_array(j);
    t2_json_end_object(j);
}

static void put_simple(struct t2_json *j, const char *type)
{
    t2_json_object(j);
    t2_json_kv_string(j, "type", type);
    t2_json_end_object(j);
}

static void put_decoder(struct t2_json *j, const struct tok_sp_model *m)
{
    t2_json_key(j, "decoder");
    t2_json_object(j);
    t2_json_kv_string(j, "type", "Sequence");
    t2_json_key(j, "decoders");
    t2_json_array(j);
    tok_hf_replace(j, "String", SPACE_SYMBOL, " ");
    put_simple(j, "ByteFallback");
    put_simple(j, "Fuse");
    if (m->normalizer.add_dummy_prefix || m->normalizer.remove_extra_whitespaces) {
        t2_json_object(j);
        t2_json_kv_string(j, "type", "Strip");
        t2_json_kv_string(j, "content", " ");
        t2_json_kv_i64(j, "start", 1);
        t2_json_kv_i64(j, "stop", 0);
        t2_json_end_object(j);
    }
    t2_json_end_array(j);
    t2_json_end_object(j);
}

static void put_user_defined(struct t2_json *j, const struct tok_sp_model *m)
{
    struct t2_slice *contents = t2_alloc((size_t) m->n, sizeof *contents);
    int32_t *ids = t2_alloc((size_t) m->n, sizeof *ids);
    size_t n = 0;

    for (int32_t i = 0; i < m->n; i++)
        if (m->types[i] == TOK_SP_USER_DEFINED) {
            contents[n] = m->pieces[i];
            ids[n++] = i;
        }
    tok_hf_added_tokens(j, contents, ids, n, false);
    t2_free(ids);
    t2_free(contents);
}

/* ---- BPE ---- */

static size_t n_chars(struct t2_slice s)
{
    size_t n = 0;

    for (size_t at = 0; at < s.len_bytes; n++)
        at += tok_symbol_bytes(s, at, true);
    return n;
}

/* Ids of the pieces that merging makes, the best first. */
static int32_t *by_score(const struct tok_sp_model *m, size_t *n)
{
    const size_t n_pieces = m->n > 0 ? (size_t) m->n : 0;
    int32_t *ids = t2_alloc(n_pieces, sizeof *ids), *other;

    *n = 0;
    for (int32_t i = 0; i < m->n; i++)
        if ((m->types[i] == TOK_SP_NORMAL || m->types[i] == TOK_SP_UNUSED) &&
            n_chars(m->pieces[i]) > 1)
            ids[(*n)++] = i;
    /* stable merge sort: equal scores stay in the order of their ids */
    other = t2_alloc(n_pieces, sizeof *other);
    for (size_t width = 1; width < *n; width *= 2) {
        for (size_t from = 0; from < *n; from += 2 * width) {
            size_t mid = from + width < *n ? from + width : *n;
            size_t end = mid + width < *n ? mid + width : *n, a = from, b = mid;
            for (size_t k = from; k < end; k++)
                other[k] = b == end || (a < mid && m->scores[ids[a]] >= m->scores[ids[b]])
                               ? ids[a++]
                               : ids[b++];
        }
        memcpy(ids, other, *n * sizeof *ids);
    }
    t2_free(other);
    return ids;
}

static void check_scores(const struct tok_sp_model *m, const int32_t *ids, size_t n,
                         struct tok_conversion *c)
{
    size_t n_equal = 0, n_letters = 0;

    for (size_t k = 1; k < n; k++)
        n_equal += m->scores[ids[k]] == m->scores[ids[k - 1]];
    for (int32_t i = 0; i < m->n; i++)
        n_letters += m->types[i] != TOK_SP_NORMAL && m->types[i] != TOK_SP_UNUSED &&
                     m->types[i] != TOK_SP_USER_DEFINED && n_chars(m->pieces[i]) == 1;
    if (n_equal > 0)
        tok_differs(c,
                    "scores: %zu pieces have the score of another; SentencePiece merges the "
                    "leftmost of them first, tokenizers one kind before the other",
                    n_equal);
    if (n_letters > 0)
        tok_differs(c, "control pieces: %zu are single characters, which a text may hold",
                    n_letters);
}

static void put_bpe(struct t2_json *j, const struct tok_sp_model *m, struct tok_conversion *c)
{
    int64_t *ranks = t2_alloc((size_t) m->n, sizeof *ranks);
    const struct tok_ranked ranked = {m->pieces, ranks, (size_t) m->n, true};
    struct t2_buf unknown = {NULL, 0, 0};
    struct tok_splits splits;
    size_t n;
    int32_t *ids = by_score(m, &n);

    for (int32_t i = 0; i < m->n; i++)
        ranks[i] = TOK_NO_RANK;
    for (size_t k = 0; k < n; k++)
        ranks[ids[k]] = (int64_t) k;
    check_scores(m, ids, n, c);
    tok_splits_init(&splits, &ranked);
    tok_differs_by_splits(c, &splits);
    t2_buf_append(&unknown, m->pieces[m->unknown].data, m->pieces[m->unknown].len_bytes);
    tok_hf_begin_bpe(j, t2_buf_cstr(&unknown), NULL, true, m->byte_fallback, false);
    tok_hf_put_vocab(j, m->pieces, (size_t) m->n);
    t2_json_key(j, "merges");
    t2_json_array(j);
    for (size_t k = 0; k < n; k++) {
        const struct tok_split *x = &splits.items[ids[k]];
        if (x->left >= 0)
            tok_hf_merge(j, m->pieces[x->left], m->pieces[x->right]);
    }
    t2_json_end_array(j);
    tok_splits_release(&splits);
    t2_buf_release(&unknown);
    t2_free(ids);
    t2_free(ranks);
}

/* ---- unigram ---- */

/* Pieces that no text is cut into are in the list all the same; with the lowest score they are
 * taken only by a text that spells them, and the price of an unknown character stays. */
static double score_of(const struct tok_sp_model *m, int32_t id)
{
    bool is_normal = m->types[id] == TOK_SP_NORMAL || m->types[id] == TOK_SP_UNUSED;

    return (double) (is_normal ? m->scores[id] : m->min_score);
}

static void put_unigram(struct t2_json *j, const struct tok_sp_model *m, struct tok_conversion *c)
{
    tok_differs(c, "scores: SentencePiece adds them in float, tokenizers in double: of cuts whose "
                   "sums are nearly equal ('00 0', '0 00') the other one may win");
    tok_differs(c, "control pieces: a text that spells the name of one (<s>, <0x41>) is cut into "
                   "it");
    t2_json_key(j, "model");
    t2_json_object(j);
    t2_json_kv_string(j, "type", "Unigram");
    t2_json_kv_i64(j, "unk_id", m->unknown);
    t2_json_key(j, "vocab");
    t2_json_array(j);
    for (int32_t i = 0; i < m->n; i++) {
        t2_json_array(j);
        t2_json_bytes(j, m->pieces[i].data, m->pieces[i].len_bytes);
        t2_json_double(j, score_of(m, i));
        t2_json_end_array(j);
    }
    t2_json_end_array(j);
    t2_json_kv_bool(j, "byte_fallback", m->byte_fallback);
}

enum t2_status tok_hf_from_sentencepiece(const struct tok_encoder *e, struct tok_conversion *c,
                                         struct t2_err *err)
{
    const struct tok_sp_model *m = tok_sp_model_of(e);
    struct t2_json j;

    (void) err;
    check_normalizer(m, c);
    check_pieces(m, c);
    tok_hf_begin(&j, &c->file);
    put_user_defined(&j, m);
    put_normalizer(&j, m);
    tok_hf_kv_null(&j, "pre_tokenizer");
    tok_hf_kv_null(&j, "post_processor");
    put_decoder(&j, m);
    if (m->model_type == TOK_SP_BPE)
        put_bpe(&j, m, c);
    else
        put_unigram(&j, m, c);
    tok_hf_end(&j);
    return T2_OK;
}
