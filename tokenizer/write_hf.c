/*
 * tokenizer/write_hf.c - tokenizer.json: its frame, and conversions to it from tiktoken's ranks,
 * codes of subword-nmt and BERT's vocab.txt.  From SentencePiece: write_hf_sp.c.
 *
 * A tokenizer.json, in the order of its keys:
 *
 *   {"version": "1.0", "truncation": null, "padding": null,
 *    "added_tokens": [...], "normalizer": ..., "pre_tokenizer": ..., "post_processor": ...,
 *    "decoder": ...,
 *    "model": {"type": "BPE" or "WordPiece", ..., "vocab": {TOKEN: ID, ...},
 *              "merges": [[LEFT, RIGHT], ...]}}
 *
 * The three conversions:
 *
 *   source        pre_tokenizer            model                     decoder
 *   tiktoken      Split by the pattern,    BPE over byte characters, ByteLevel
 *                 then ByteLevel           ignore_merges
 *   subword-nmt   Split at U+0020          BPE, suffix "</w>"        BPEDecoder
 *   BERT          BertPreTokenizer         WordPiece, prefix "##"    WordPiece
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/json_writer.h"
#include "base/map.h"
#include "tokenizer/byte_bpe.h"
#include "tokenizer/convert_kinds.h"
#include "tokenizer/hf_tokenizer.h"
#include "tokenizer/subword_nmt.h"

/* ---- the frame ---- */

void tok_hf_kv_null(struct t2_json *j, const char *key)
{
    t2_json_key(j, key);
    t2_json_null(j);
}

void tok_hf_begin(struct t2_json *j, struct t2_buf *file)
{
    t2_json_init(j, file, 1);
    t2_json_object(j);
    t2_json_kv_string(j, "version", "1.0");
    tok_hf_kv_null(j, "truncation");
    tok_hf_kv_null(j, "padding");
}

void tok_hf_end(struct t2_json *j)
{
    t2_json_end_object(j); /* the model */
    t2_json_end_object(j);
    t2_buf_push(j->out, '\n');
}

static void put_token(struct t2_json *j, const char *key, struct t2_slice token)
{
    t2_json_key(j, key);
    t2_json_bytes(j, token.data, token.len_bytes);
}

void tok_hf_added_tokens(struct t2_json *j, const struct t2_slice *contents, const int32_t *ids,
                         size_t n, bool special)
{
    t2_json_key(j, "added_tokens");
    t2_json_array(j);
    for (size_t i = 0; i < n; i++) {
        t2_json_object(j);
        t2_json_kv_i64(j, "id", ids[i]);
        put_token(j, "content", contents[i]);
        t2_json_kv_bool(j, "single_word", false);
        t2_json_kv_bool(j, "lstrip", false);
        t2_json_kv_bool(j, "rstrip", false);
        t2_json_kv_bool(j, "normalized", false);
        t2_json_kv_bool(j, "special", special);
        t2_json_end_object(j);
    }
    t2_json_end_array(j);
}

void tok_hf_replace(struct t2_json *j, const char *how, const char *from, const char *to)
{
    t2_json_object(j);
    t2_json_kv_string(j, "type", "Replace");
    t2_json_key(j, "pattern");
    t2_json_object(j);
    t2_json_kv_string(j, how, from);
    t2_json_end_object(j);
    t2_json_kv_string(j, "content", to);
    t2_json_end_object(j);
}

void tok_hf_split(struct t2_json *j, const char *how, const char *at, const char *behavior)
{
    t2_json_object(j);
    t2_json_kv_string(j, "type", "Split");
    t2_json_key(j, "pattern");
    t2_json_object(j);
    t2_json_kv_string(j, how, at);
    t2_json_end_object(j);
    t2_json_kv_string(j, "behavior", behavior);
    t2_json_kv_bool(j, "invert", false);
    t2_json_end_object(j);
}

void tok_hf_begin_bpe(struct t2_json *j, const char *unknown, const char *suffix, bool fuse_unknown,
                      bool byte_fallback, bool ignore_merges)
{
    t2_json_key(j, "model");
    t2_json_object(j);
    t2_json_kv_string(j, "type", "BPE");
    tok_hf_kv_null(j, "dropout");
    t2_json_key(j, "unk_token");
    if (unknown)
        t2_json_string(j, unknown);
    else
        t2_json_null(j);
    tok_hf_kv_null(j, "continuing_subword_prefix");
    t2_json_key(j, "end_of_word_suffix");
    if (suffix)
        t2_json_string(j, suffix);
    else
        t2_json_null(j);
    t2_json_kv_bool(j, "fuse_unk", fuse_unknown);
    t2_json_kv_bool(j, "byte_fallback", byte_fallback);
    t2_json_kv_bool(j, "ignore_merges", ignore_merges);
}

void tok_hf_put_vocab(struct t2_json *j, const struct t2_slice *tokens, size_t n)
{
    struct t2_buf key = {NULL, 0, 0};

    t2_json_key(j, "vocab");
    t2_json_object(j);
    for (size_t i = 0; i < n; i++) {
        if (tokens[i].len_bytes == 0)
            continue;
        t2_buf_clear(&key);
        t2_buf_append(&key, tokens[i].data, tokens[i].len_bytes);
        t2_json_kv_i64(j, t2_buf_cstr(&key), (int64_t) i);
    }
    t2_json_end_object(j);
    t2_buf_release(&key);
}

void tok_hf_merge(struct t2_json *j, struct t2_slice left, struct t2_slice right)
{
    t2_json_array(j);
    t2_json_bytes(j, left.data, left.len_bytes);
    t2_json_bytes(j, right.data, right.len_bytes);
    t2_json_end_array(j);
}

/* ---- tiktoken ---- */

/* Tokens as byte-level BPE spells them; one buffer, by id. */
struct spelled {
    struct t2_buf text;
    struct t2_slice *items;
};

/*
 * A token's bytes as ByteLevel's 256 printable characters (tok_hf_byte_char), each 1 or 2 bytes of
 * UTF-8.
 */
static void spell(const struct tok_encoder *e, struct spelled *s)
{
    size_t *ends = t2_alloc((size_t) e->n, sizeof *ends);

    s->items = t2_alloc((size_t) e->n, sizeof *s->items);
    for (int32_t i = 0; i < e->n; i++) {
        for (size_t k = 0; k < e->entries[i].len_bytes; k++) {
            uint8_t bytes[4];
            t2_buf_append(&s->text, bytes, tok_hf_byte_char(e->entries[i].data[k], bytes));
        }
        ends[i] = s->text.len_bytes;
    }
    for (int32_t i = 0; i < e->n; i++) {
        size_t from = i > 0 ? ends[i - 1] : 0;
        s->items[i] = (struct t2_slice){s->text.data + from, ends[i] - from};
    }
    t2_free(ends);
}

static void put_byte_level(struct t2_json *j, bool use_regex)
{
    t2_json_object(j);
    t2_json_kv_string(j, "type", "ByteLevel");
    t2_json_kv_bool(j, "add_prefix_space", false);
    t2_json_kv_bool(j, "trim_offsets", true);
    t2_json_kv_bool(j, "use_regex", use_regex);
    t2_json_end_object(j);
}

static void put_byte_level_pre(struct t2_json *j, enum tok_pattern pattern)
{
    t2_json_key(j, "pre_tokenizer");
    if (pattern == TOK_PATTERN_GPT2) {
        put_byte_level(j, true);
        return;
    }
    t2_json_object(j);
    t2_json_kv_string(j, "type", "Sequence");
    t2_json_key(j, "pretokenizers");
    t2_json_array(j);
    tok_hf_split(j, "Regex", tok_pattern_regex(pattern), "Isolated");
    put_byte_level(j, false);
    t2_json_end_array(j);
    t2_json_end_object(j);
}

/* All pairs that make a token whose split is not known (tok_splits.n_wrong); every other token gets
 * one merge, its split. */
static void put_all_pairs(struct t2_json *j, const struct spelled *s, struct t2_map *ids,
                          struct t2_slice token, struct t2_slice spelled)
{
    for (size_t k = 1; k < token.len_bytes; k++) {
        const uint64_t *left = t2_map_find(ids, token.data, k);
        const uint64_t *right = t2_map_find(ids, token.data + k, token.len_bytes - k);
        if (left && right && spelled.len_bytes > 0)
            tok_hf_merge(j, s->items[*left], s->items[*right]);
    }
}

static void put_ranked_merges(struct t2_json *j, const struct tok_encoder *e,
                              const struct spelled *s, const struct tok_splits *splits)
{
    struct t2_map *ids = t2_map_new();

    for (int32_t i = 0; splits->n_wrong > 0 && i < e->n; i++)
        if (e->entries[i].len_bytes > 0)
            *t2_map_at(ids, e->entries[i].data, e->entries[i].len_bytes, NULL) = (uint64_t) i;
    t2_json_key(j, "merges");
    t2_json_array(j);
    for (int32_t i = 0; i < e->n; i++) {
        const struct tok_split *x = &splits->items[i];
        if (x->left >= 0)
            tok_hf_merge(j, s->items[x->left], s->items[x->right]);
        else if (splits->n_wrong > 0)
            put_all_pairs(j, s, ids, e->entries[i], s->items[i]);
    }
    t2_json_end_array(j);
    t2_map_free(ids);
}

enum t2_status tok_hf_from_tiktoken(const struct tok_encoder *e, struct tok_conversion *c,
                                    struct t2_err *err)
{
    int64_t *ranks = t2_alloc((size_t) e->n, sizeof *ranks);
    const struct tok_ranked ranked = {e->entries, ranks, (size_t) e->n, false};
    struct spelled s = {.items = NULL};
    struct tok_splits splits;
    struct t2_json j;

    (void) err;
    for (int32_t i = 0; i < e->n; i++)
        ranks[i] = i;
    tok_splits_init(&splits, &ranked);
    tok_differs_by_splits(c, &splits);
    spell(e, &s);
    tok_hf_begin(&j, &c->file);
    tok_hf_added_tokens(&j, NULL, NULL, 0, false);
    tok_hf_kv_null(&j, "normalizer");
    put_byte_level_pre(&j, tok_tiktoken_pattern(e->n));
    tok_hf_kv_null(&j, "post_processor");
    t2_json_key(&j, "decoder");
    put_byte_level(&j, true);
    tok_hf_begin_bpe(&j, NULL, NULL, false, false, true);
    tok_hf_put_vocab(&j, s.items, (size_t) e->n);
    put_ranked_merges(&j, e, &s, &splits);
    tok_hf_end(&j);
    tok_note(c,
             "rank files do not hold their pattern: it is that of the published file of %" PRId32
             " ranks, or GPT-2's; special tokens are not in them either",
             e->n);
    tok_splits_release(&splits);
    t2_buf_release(&s.text);
    t2_free(s.items);
    t2_free(ranks);
    return T2_OK;
}

/* ---- subword-nmt ---- */

struct nmt_merges {
    struct t2_json *j;
    struct t2_map *seen;
    struct t2_buf key;
};

/* A pair that comes again keeps its first rank; in tokenizer.json the last would count. */
static void put_nmt_merge(void *arg, struct t2_slice left, struct t2_slice right)
{
    struct nmt_merges *m = arg;
    bool inserted;

    t2_buf_clear(&m->key);
    t2_buf_append(&m->key, left.data, left.len_bytes);
    t2_buf_push(&m->key, ' ');
    t2_buf_append(&m->key, right.data, right.len_bytes);
    (void) t2_map_at(m->seen, m->key.data, m->key.len_bytes, &inserted);
    if (inserted)
        tok_hf_merge(m->j, left, right);
}

static void put_nmt_merges(struct t2_json *j, const struct tok_encoder *e)
{
    struct nmt_merges m = {j, t2_map_new(), {NULL, 0, 0}};

    t2_json_key(j, "merges");
    t2_json_array(j);
    tok_nmt_merges(e, put_nmt_merge, &m);
    t2_json_end_array(j);
    t2_map_free(m.seen);
    t2_buf_release(&m.key);
}

/*
 * apply_bpe.py strips CR, LF and blanks at the ends of a line and cuts at blanks; a Split with
 * "Removed" drops empty pieces, so runs of blanks need no rule.
 */
static void put_nmt_cutting(struct t2_json *j)
{
    t2_json_key(j, "normalizer");
    t2_json_object(j);
    t2_json_kv_string(j, "type", "Sequence");
    t2_json_key(j, "normalizers");
    t2_json_array(j);
    tok_hf_replace(j, "Regex", "\\A[\r\n ]+", "");
    tok_hf_replace(j, "Regex", "[\r\n ]+\\z", "");
    t2_json_end_array(j);
    t2_json_end_object(j);
    t2_json_key(j, "pre_tokenizer");
    tok_hf_split(j, "String", " ", "Removed");
}

enum t2_status tok_hf_from_nmt(const struct tok_encoder *e, struct tok_conversion *c,
                               struct t2_err *err)
{
    size_t n = tok_nmt_n_symbols(e) + 1;
    struct t2_slice *tokens = t2_alloc(n, sizeof *tokens);
    struct t2_json j;

    (void) err;
    tokens[0] = t2_slice_of("<unk>");
    for (size_t i = 1; i < n; i++) {
        tokens[i] = tok_nmt_symbol(e, i - 1);
        if (t2_slice_eq(tokens[i], tokens[0]))
            tok_differs(c, "unknown: the codes make <unk> themselves, which is the name of the "
                           "unknown token too");
    }
    tok_hf_begin(&j, &c->file);
    tok_hf_added_tokens(&j, NULL, NULL, 0, false);
    put_nmt_cutting(&j);
    tok_hf_kv_null(&j, "post_processor");
    t2_json_key(&j, "decoder");
    t2_json_object(&j);
    t2_json_kv_string(&j, "type", "BPEDecoder");
    t2_json_kv_string(&j, "suffix", "</w>");
    t2_json_end_object(&j);
    tok_hf_begin_bpe(&j, "<unk>", "</w>", false, false, false);
    tok_hf_put_vocab(&j, tokens, n);
    put_nmt_merges(&j, e);
    tok_hf_end(&j);
    tok_note(c, "codes have no ids; these are t2t-vocab's: 0 <unk>, then letters and merges in the "
                "order of the file");
    t2_free(tokens);
    return T2_OK;
}

/* ---- BERT's vocab.txt ---- */

static int32_t id_of(const struct tok_encoder *e, const char *token)
{
    int32_t found = -1;

    for (int32_t i = 0; i < e->n; i++)
        if (t2_slice_eq(e->entries[i], t2_slice_of(token)))
            found = i; /* of equal ones the last, as its readers do */
    return found;
}

static void put_bert_cutting(struct t2_json *j, bool cased)
{
    t2_json_key(j, "normalizer");
    t2_json_object(j);
    t2_json_kv_string(j, "type", "BertNormalizer");
    t2_json_kv_bool(j, "clean_text", true);
    t2_json_kv_bool(j, "handle_chinese_chars", true);
    tok_hf_kv_null(j, "strip_accents");
    t2_json_kv_bool(j, "lowercase", !cased);
    t2_json_end_object(j);
    t2_json_key(j, "pre_tokenizer");
    t2_json_object(j);
    t2_json_kv_string(j, "type", "BertPreTokenizer");
    t2_json_end_object(j);
}

static void put_bert_end(struct t2_json *j, const char *key, const char *token, int32_t id)
{
    t2_json_key(j, key);
    t2_json_array(j);
    t2_json_string(j, token);
    t2_json_i64(j, id);
    t2_json_end_array(j);
}

static void put_bert_ends(struct t2_json *j, int32_t cls, int32_t sep)
{
    t2_json_key(j, "post_processor");
    if (cls < 0 || sep < 0) {
        t2_json_null(j);
        return;
    }
    t2_json_object(j);
    t2_json_kv_string(j, "type", "BertProcessing");
    put_bert_end(j, "sep", "[SEP]", sep);
    put_bert_end(j, "cls", "[CLS]", cls);
    t2_json_end_object(j);
}

static void put_wordpiece_model(struct t2_json *j, const struct tok_encoder *e, int32_t most_chars)
{
    t2_json_key(j, "model");
    t2_json_object(j);
    t2_json_kv_string(j, "type", "WordPiece");
    t2_json_kv_string(j, "unk_token", "[UNK]");
    t2_json_kv_string(j, "continuing_subword_prefix", "##");
    t2_json_kv_i64(j, "max_input_chars_per_word", most_chars > 0 ? most_chars : 100);
    tok_hf_put_vocab(j, e->entries, (size_t) e->n);
}

enum t2_status tok_hf_from_wordpiece(const struct tok_encoder *e, struct tok_conversion *c,
                                     struct t2_err *err)
{
    static const char *const specials[] = {"[UNK]", "[SEP]", "[CLS]", "[PAD]", "[MASK]"};
    struct t2_slice contents[5];
    int32_t ids[5];
    size_t n = 0;
    struct t2_json j;

    if (id_of(e, "[UNK]") < 0)
        return t2_fail(err, T2_EUNSUPPORTED,
                       "no WordPiece vocabulary: it has no entry [UNK] for unknown words");
    for (size_t i = 0; i < 5; i++) {
        if (id_of(e, specials[i]) < 0)
            continue;
        contents[n] = t2_slice_of(specials[i]);
        ids[n++] = id_of(e, specials[i]);
    }
    tok_hf_begin(&j, &c->file);
    tok_hf_added_tokens(&j, contents, ids, n, true);
    put_bert_cutting(&j, c->cased);
    put_bert_ends(&j, id_of(e, "[CLS]"), id_of(e, "[SEP]"));
    t2_json_key(&j, "decoder");
    t2_json_object(&j);
    t2_json_kv_string(&j, "type", "WordPiece");
    t2_json_kv_string(&j, "prefix", "##");
    t2_json_kv_bool(&j, "cleanup", true);
    t2_json_end_object(&j);
    put_wordpiece_model(&j, e, c->most_chars);
    tok_hf_end(&j);
    tok_note(c, "vocab.txt does not say so: text is %s",
             c->cased ? "kept as it is (--cased)"
                      : "lower-cased and loses its accents; --cased keeps both");
    return T2_OK;
}
