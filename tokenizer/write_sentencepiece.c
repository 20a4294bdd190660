/*
 * tokenizer/write_sentencepiece.c - conversion of tokenizer.json (Unigram, BPE over characters) to
 * SentencePiece models.
 *
 * The normalizer must be what write_hf_sp.c writes, or a part of it: character map, blanks removed,
 * blank in front, blanks as U+2581; Llama's is.  Metaspace is taken where it does the same.
 */
#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "base/map.h"
#include "tokenizer/convert_kinds.h"
#include "tokenizer/hf_tokenizer.h"
#include "tokenizer/sentencepiece.h"
#include "tokenizer/sp_write.h"

#define SPACE_SYMBOL "\xE2\x96\x81" /* U+2581 */

/* ---- normalizer ---- */

static bool is_step(const struct tok_hf_step *s, enum tok_hf_step_type type, const char *from,
                    const char *to)
{
    return s->type == type && (!from || t2_slice_eq(s->from, t2_slice_of(from))) &&
           (!to || t2_slice_eq(s->to, t2_slice_of(to)));
}

/* The three steps that remove blanks, from i on. */
static bool removes_blanks(const struct tok_hf_steps *s, size_t i)
{
    return i + 3 <= s->n && is_step(&s->items[i], TOK_HF_TRIM, " ", "") && s->items[i].left &&
           is_step(&s->items[i + 1], TOK_HF_COLLAPSE, " ", " ") &&
           is_step(&s->items[i + 2], TOK_HF_TRIM, " " SPACE_SYMBOL, "") && s->items[i + 2].right;
}

/* false: it has steps that SentencePiece has not.  *marks: blanks become U+2581. */
static bool read_steps(const struct tok_hf_steps *s, struct tok_sp_normal *n, bool *marks)
{
    size_t i = 0;

    if (i < s->n && s->items[i].type == TOK_HF_PRECOMPILED) {
        n->map = t2_buf_slice(&s->charsmap);
        i++;
    }
    if (removes_blanks(s, i)) {
        n->remove_extra_whitespaces = true;
        i += 3;
    }
    if (i < s->n && is_step(&s->items[i], TOK_HF_PREPEND, NULL, SPACE_SYMBOL)) {
        n->add_dummy_prefix = true;
        i++;
    }
    if (i < s->n && is_step(&s->items[i], TOK_HF_REPLACE, " ", SPACE_SYMBOL)) {
        *marks = true;
        i++;
    }
    return i == s->n;
}

/* Whether an entry lies across the beginning of a word: a mark inside it, or no entry for the mark
 * alone. */
static bool crosses_words(const struct tok_hf_tokenizer *h)
{
    const struct t2_map *vocab = h->model.vocab;

    for (size_t i = 0; i < t2_map_count(vocab); i++) {
        struct t2_slice s = t2_map_key(vocab, i);
        if (s.len_bytes > 1 &&
            memmem(s.data + 1, s.len_bytes - 1, SPACE_SYMBOL, strlen(SPACE_SYMBOL)))
            return true;
    }
    return !t2_map_find(vocab, SPACE_SYMBOL, strlen(SPACE_SYMBOL));
}

static void read_metaspace(const struct tok_hf_tokenizer *h, struct tok_sp_normal *n,
                           struct tok_conversion *c)
{
    if (!t2_slice_eq(h->pre.replacement, t2_slice_of(SPACE_SYMBOL)))
        tok_differs(c, "blanks: they become '%.*s' here, U+2581 in SentencePiece",
                    (int) h->pre.replacement.len_bytes, (const char *) h->pre.replacement.data);
    if (h->pre.prepend != TOK_HF_NEVER) {
        n->add_dummy_prefix = true;
        if (!n->remove_extra_whitespaces)
            tok_differs(c, "blanks: Metaspace puts none before a text that begins with one, "
                           "SentencePiece does");
    }
    if (h->pre.split && crosses_words(h))
        tok_differs(c, "words: Metaspace cuts text before each blank, SentencePiece does not, and "
                       "some entries lie across");
}

static struct tok_sp_normal find_normal(const struct tok_hf_tokenizer *h, struct tok_conversion *c)
{
    struct tok_sp_normal n = {{NULL, 0}, false, false};
    bool marks = false;

    if (!read_steps(&h->normalizer, &n, &marks))
        tok_differs(c, "normalizer: it has steps that SentencePiece has not; they are left out");
    if (n.map.len_bytes > 0)
        tok_differs(c, "normalizer: SentencePiece takes the longest rule of the character map at "
                       "each byte, tokenizers the shortest of each grapheme cluster: letters with "
                       "several marks differ");
    if (h->pre.cut == TOK_HF_CUT_METASPACE)
        read_metaspace(h, &n, c);
    else if (h->pre.cut != TOK_HF_CUT_NONE)
        tok_differs(c, "pre-tokenizer: SentencePiece does not cut text before its model");
    else if (!marks)
        tok_differs(c, "blanks: they become U+2581 in SentencePiece, here they stay");
    return n;
}

/* ---- pieces ---- */

struct pieces {
    const struct tok_encoder *e;
    const struct tok_hf_tokenizer *h;
    const struct tok_hf_order *order; /* of BPE */
    bool has_bytes;                   /* all 256, and byte_fallback */
    int32_t unknown;                  /* e->n: one more, at the end */
    size_t n_unlisted;                /* letters by now */
};

static bool is_added(const struct tok_hf_tokenizer *h, int32_t id, bool *special)
{
    for (size_t i = 0; i < h->added.n; i++)
        if (h->added.items[i].id == id) {
            *special = h->added.items[i].special;
            return true;
        }
    return false;
}

static bool is_byte(const struct pieces *p, int32_t id)
{
    for (int b = 0; b < 256; b++)
        if (p->h->model.bytes[b] == id)
            return p->has_bytes;
    return false;
}

static bool is_letter(struct t2_slice s)
{
    return s.len_bytes > 0 && tok_symbol_bytes(s, 0, true) == s.len_bytes;
}

static enum tok_sp_type type_of(const struct pieces *p, int32_t id)
{
    bool special = false;

    if (id == p->unknown)
        return TOK_SP_UNKNOWN;
    if (is_byte(p, id))
        return TOK_SP_BYTE;
    if (p->e->entries[id].len_bytes == 0)
        return TOK_SP_CONTROL;
    if (is_added(p->h, id, &special))
        return special ? TOK_SP_CONTROL : TOK_SP_USER_DEFINED;
    if (p->order && p->order->ranks[id] == TOK_NO_RANK && !is_letter(p->e->entries[id]))
        return TOK_SP_CONTROL; /* no merge makes it */
    return TOK_SP_NORMAL;
}

/* Scores of BPE order the merges: 0, -1, -2, ... by rank; letters, which no merge makes, follow
 * below all of them.  Those of a unigram model are the original's. */
static float score_of(struct pieces *p, int32_t id, enum tok_sp_type type)
{
    if (type != TOK_SP_NORMAL)
        return 0;
    if (!p->order)
        return (float) p->h->model.scores[id];
    if (p->order->ranks[id] != TOK_NO_RANK)
        return -(float) p->order->ranks[id];
    return -(float) (p->order->n + p->n_unlisted++);
}

static void put_pieces(struct pieces *p, struct t2_buf *file)
{
    struct t2_buf name = {NULL, 0, 0};

    for (int32_t id = 0; id < p->e->n; id++) {
        enum tok_sp_type type = type_of(p, id);
        struct t2_slice piece = p->e->entries[id];

        if (piece.len_bytes == 0) { /* a hole: SentencePiece has none */
            t2_buf_clear(&name);
            t2_buf_printf(&name, "<unused_%" PRId32 ">", id);
            piece = t2_buf_slice(&name);
        }
        tok_sp_put_piece(file, piece, score_of(p, id, type), type);
    }
    if (p->unknown == p->e->n)
        tok_sp_put_piece(file, t2_slice_of("<unknown>"), 0, TOK_SP_UNKNOWN);
    t2_buf_release(&name);
}

/* SentencePiece refuses a model that has a piece twice; an added token may be so. */
static enum t2_status check_twice(const struct tok_encoder *e, struct t2_err *err)
{
    struct t2_map *ids = t2_map_new();
    enum t2_status st = T2_OK;

    for (int32_t i = 0; st == T2_OK && i < e->n; i++) {
        bool inserted = true;
        uint64_t *id = NULL;
        if (e->entries[i].len_bytes > 0)
            id = t2_map_at(ids, e->entries[i].data, e->entries[i].len_bytes, &inserted);
        if (!inserted)
            st = t2_fail(err, T2_EUNSUPPORTED,
                         "ids %" PRIu64 " and %" PRId32
                         " are the same token, which SentencePiece cannot have",
                         *id, i);
        else if (id)
            *id = (uint64_t) i;
    }
    t2_map_free(ids);
    return st;
}

/* ---- what differs ---- */

static void check_common(const struct tok_hf_tokenizer *h, struct tok_conversion *c)
{
    if (h->n_before + h->n_after > 0)
        tok_differs(c, "ends: the ids that the post-processor puts around a text are left out");
    if (h->added.n > 0)
        tok_differs(c,
                    "added tokens: %zu (the first is '%.*s') become control pieces, which no text "
                    "is cut into, or user-defined ones",
                    h->added.n,
                    (int) (h->added.items[0].content.len_bytes < 100
                               ? h->added.items[0].content.len_bytes
                               : 100),
                    (const char *) h->added.items[0].content.data);
}

static void check_bpe(const struct pieces *p, struct tok_conversion *c)
{
    const struct tok_hf_model *m = &p->h->model;

    if (m->prefix.len_bytes + m->end_of_word.len_bytes > 0)
        tok_differs(c, "marks: SentencePiece has no continuing_subword_prefix, no "
                       "end_of_word_suffix");
    if (m->ignore_merges)
        tok_differs(c, "merges: ignore_merges takes whole pieces, SentencePiece merges always");
    if (!p->has_bytes && m->unknown < 0)
        tok_differs(c, "unknown: characters without a token are dropped here, unknown there");
    else if (!p->has_bytes && !m->fuse_unknown)
        tok_differs(c, "unknown: neighbouring unknown characters are one unknown piece there");
    if (m->byte_fallback && !p->has_bytes)
        tok_differs(c, "bytes: not all 256 have a token");
    if (p->order->n >= 1 << 23)
        tok_differs(c, "scores: more merges than float can count");
}

static void check_unigram(const struct pieces *p, struct tok_conversion *c)
{
    tok_differs(c, "scores: tokenizers adds them in double, SentencePiece in float: of cuts whose "
                   "sums are nearly equal ('00 0', '0 00') the other one may win");
    if (p->h->model.unknown < 0)
        tok_differs(c, "unknown: there is no unknown token; one is put at the end");
}

static bool has_all_bytes(const struct tok_hf_model *m)
{
    for (int b = 0; b < 256; b++)
        if (m->bytes[b] < 0)
            return false;
    return m->byte_fallback;
}

enum t2_status tok_sentencepiece_from_hf(const struct tok_encoder *e, struct tok_conversion *c,
                                         struct t2_err *err)
{
    const struct tok_hf_tokenizer *h = tok_hf_model_of(e);
    struct pieces p = {.e = e, .h = h, .has_bytes = has_all_bytes(&h->model)};
    struct tok_hf_order order = {.n = 0};
    struct tok_sp_normal n;

    if (h->model.type == TOK_HF_WORDPIECE || h->pre.is_byte_level)
        return t2_fail(err, T2_EUNSUPPORTED,
                       "%s: SentencePiece has unigram models and BPE over characters only",
                       h->pre.is_byte_level ? "byte-level BPE" : "WordPiece");
    T2_TRY(check_twice(e, err));
    p.unknown = h->model.unknown >= 0 ? h->model.unknown : e->n;
    n = find_normal(h, c);
    check_common(h, c);
    if (h->model.type == TOK_HF_BPE) {
        tok_hf_order_init(&order, e, h, c);
        p.order = &order;
        check_bpe(&p, c);
    } else {
        check_unigram(&p, c);
    }
    put_pieces(&p, &c->file);
    tok_sp_put_trainer(&c->file,
                       &(struct tok_sp_trainer){.type = p.order ? TOK_SP_BPE : TOK_SP_UNIGRAM,
                                                .n = e->n + (p.unknown == e->n),
                                                .byte_fallback = p.has_bytes,
                                                .unknown = p.unknown,
                                                .bos = e->special.bos,
                                                .eos = e->special.eos,
                                                .pad = e->special.pad});
    tok_sp_put_normalizer(&c->file, &n);
    tok_hf_order_release(&order);
    return T2_OK;
}
