/*
 * tokenizer/hf_json.c - reading tokenizer.json.
 *
 * Every part has a "type"; one that is not known here is refused by name.
 *
 * tokenizers combines parts freely; here only the combinations of published models are known, and
 * each is one form of struct tok_hf_tokenizer:
 *
 *   pre_tokenizer   null | ByteLevel | Split | Metaspace | BertPreTokenizer | WhitespaceSplit
 *                   | Sequence [Split, ByteLevel] | Sequence [WhitespaceSplit, Metaspace]
 *   post_processor  null | ByteLevel | BertProcessing | RobertaProcessing | TemplateProcessing
 *                   | Sequence of these
 *   decoder         null | ByteLevel | WordPiece | Metaspace | BPEDecoder
 *                   | Sequence [Replace, ByteFallback, Fuse, Strip?] | Sequence [Fuse, Replace...]
 *
 * A refusal is better than a guess: an unknown part would change ids without a sign.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/json.h"
#include "base/map.h"
#include "tokenizer/hf_reading.h"
#include "tokenizer/unicode.h"

#define METASPACE "\xE2\x96\x81" /* U+2581 */

enum {
    MAX_ADDED = 1 << 14, /* each is compared with those before */
    MAX_REPLACES = 1 << 12,
    MAX_GROWTH = 64 /* of a text by a decoder's */
};

/* ---- pre-tokenizer ---- */

static enum t2_status read_split(struct tok_hf_reading *r, const struct t2_json_value *v)
{
    const struct t2_json_value *pattern = t2_json_get(v, "pattern");
    const char *regex = t2_json_as_string(t2_json_get(pattern, "Regex"), "");
    struct t2_slice text = tok_hf_string_of(pattern, "String", "");

    if (t2_slice_eq(text, t2_slice_of(" ")) &&
        strcmp(t2_json_as_string(t2_json_get(v, "behavior"), ""), "Removed") == 0 &&
        !tok_hf_flag_of(v, "invert", false)) {
        r->h->pre.cut = TOK_HF_CUT_SPACE;
        return T2_OK;
    }
    if (strcmp(t2_json_as_string(t2_json_get(v, "behavior"), ""), "MergedWithPrevious") == 0 &&
        text.len_bytes > 0 && !tok_hf_flag_of(v, "invert", false)) {
        r->h->pre.cut = TOK_HF_CUT_BEHIND;
        r->h->pre.end = text;
        return T2_OK;
    }
    if (strcmp(t2_json_as_string(t2_json_get(v, "behavior"), ""), "Isolated") != 0 ||
        tok_hf_flag_of(v, "invert", false))
        return tok_hf_unknown_part(r, "pre-tokenizer", "Split that is not Isolated");
    r->h->pre.cut = TOK_HF_CUT_PATTERN;
    r->h->pre.pattern = tok_pattern_of(regex);
    if (r->h->pre.pattern == TOK_PATTERN_UNKNOWN)
        return tok_hf_unknown_part(r, "pattern", regex);
    return T2_OK;
}

static enum tok_hf_prepend prepend_of(const struct t2_json_value *metaspace)
{
    const char *scheme = t2_json_as_string(t2_json_get(metaspace, "prepend_scheme"), NULL);

    if (!scheme)
        return tok_hf_flag_of(metaspace, "add_prefix_space", true) ? TOK_HF_ALWAYS : TOK_HF_NEVER;
    if (strcmp(scheme, "first") == 0)
        return TOK_HF_FIRST;
    return strcmp(scheme, "never") == 0 ? TOK_HF_NEVER : TOK_HF_ALWAYS;
}

static enum t2_status read_metaspace(struct tok_hf_reading *r, const struct t2_json_value *v)
{
    struct tok_hf_pretokenizer *p = &r->h->pre;
    size_t char_bytes;
    uint32_t c;
    bool valid;

    p->cut = TOK_HF_CUT_METASPACE;
    p->replacement = tok_hf_string_of(v, "replacement", METASPACE);
    p->split = tok_hf_flag_of(v, "split", true);
    p->prepend = prepend_of(v);
    char_bytes = p->replacement.len_bytes == 0
                     ? 0
                     : tok_utf8_decode(p->replacement.data, p->replacement.len_bytes, &c, &valid);
    if (char_bytes == 0 || char_bytes != p->replacement.len_bytes)
        return tok_hf_broken(r, "a Metaspace replacement that is not one character");
    return T2_OK;
}

static enum t2_status read_pretokenizer(struct tok_hf_reading *r, const struct t2_json_value *v)
{
    struct tok_hf_pretokenizer *p = &r->h->pre;
    const struct t2_json_value *list = t2_json_get(v, "pretokenizers");

    if (t2_json_type(v) == T2_JSON_NULL)
        return T2_OK;
    if (tok_hf_is(v, "ByteLevel")) {
        p->is_byte_level = true;
        p->add_prefix_space = tok_hf_flag_of(v, "add_prefix_space", true);
        if (p->cut == TOK_HF_CUT_NONE) {
            p->cut = TOK_HF_CUT_PATTERN;
            p->pattern = tok_hf_flag_of(v, "use_regex", true) ? TOK_PATTERN_GPT2 : TOK_PATTERN_NONE;
        } else if (tok_hf_flag_of(v, "use_regex", true)) {
            return tok_hf_unknown_part(r, "pre-tokenizer",
                                       "ByteLevel with its pattern after another");
        }
        return T2_OK;
    }
    if (tok_hf_is(v, "Split"))
        return read_split(r, v);
    if (tok_hf_is(v, "Metaspace"))
        return read_metaspace(r, v);
    if (tok_hf_is(v, "BertPreTokenizer") || tok_hf_is(v, "WhitespaceSplit")) {
        p->cut = tok_hf_is(v, "BertPreTokenizer") ? TOK_HF_CUT_BERT : TOK_HF_CUT_BLANKS;
        return T2_OK;
    }
    /* Split and then ByteLevel, as Llama 3 and Qwen 2 have it. */
    if (tok_hf_is(v, "Sequence") && t2_json_size(list) == 2 &&
        tok_hf_is(t2_json_item(list, 0), "Split") &&
        tok_hf_is(t2_json_item(list, 1), "ByteLevel")) {
        T2_TRY(read_pretokenizer(r, t2_json_item(list, 0)));
        return read_pretokenizer(r, t2_json_item(list, 1));
    }
    if (tok_hf_is(v, "Sequence") && t2_json_size(list) == 2 &&
        tok_hf_is(t2_json_item(list, 0), "WhitespaceSplit") &&
        tok_hf_is(t2_json_item(list, 1), "Metaspace")) {
        T2_TRY(read_metaspace(r, t2_json_item(list, 1)));
        /* "first" would need the place in the text before it was normalised. */
        if (p->prepend == TOK_HF_FIRST)
            return tok_hf_unknown_part(r, "pre-tokenizer", "WhitespaceSplit with Metaspace first");
        p->cut = TOK_HF_CUT_BLANKS_METASPACE;
        return T2_OK;
    }
    return tok_hf_unknown_part(r, "pre-tokenizer", tok_hf_type_of(v));
}

/* ---- the rest ---- */

/* The id that tokenizers gives an added token, whatever the file says: the model's when the model
 * has it, else the next one that is free. */
static int64_t id_of_added(const struct tok_hf_reading *r, struct t2_slice content)
{
    const struct tok_hf_added *a = &r->h->added;
    const uint64_t *id = t2_map_find(r->h->model.vocab, content.data, content.len_bytes);
    int64_t highest = -1;

    if (id)
        return (int64_t) *id;
    for (size_t i = 0; i < a->n; i++) {
        if (t2_slice_eq(a->items[i].content, content))
            return a->items[i].id;
        if (a->items[i].id > highest)
            highest = a->items[i].id;
    }
    return highest >= (int64_t) r->n_vocab ? highest + 1 : (int64_t) r->n_vocab;
}

/* Two tries of added tokens: one is searched in the text as it stands, the other, of the tokens'
 * normal forms, in the normalized text. */
static enum t2_status make_added_tries(struct tok_hf_reading *r)
{
    struct tok_hf_tokenizer *h = r->h;
    struct tok_hf_added *a = &h->added;
    struct t2_slice *raw = t2_alloc(a->n, sizeof *raw), *normal = t2_alloc(a->n, sizeof *normal);
    struct t2_buf *all = &a->normal_forms, one = {NULL, 0, 0}, scratch = {NULL, 0, 0};
    enum t2_status st = T2_OK;
    size_t at = 0;

    for (size_t i = 0; i < a->n; i++) {
        struct t2_slice content = a->items[i].content;

        if (!a->items[i].normalized) {
            raw[i] = content;
            continue;
        }
        t2_buf_clear(&one);
        t2_buf_append(&one, content.data, content.len_bytes);
        if (!tok_hf_normalize(&h->normalizer, &one, &scratch)) {
            st = tok_hf_broken(r, "the normal form of an added token is too long");
            break;
        }
        t2_buf_append(all, one.data, one.len_bytes);
        normal[i].len_bytes = one.len_bytes;
        a->has_normal |= one.len_bytes > 0;
    }
    for (size_t i = 0; st == T2_OK && i < a->n; i++) {
        if (!a->items[i].normalized)
            continue;
        normal[i].data = all->data ? all->data + at : NULL;
        at += normal[i].len_bytes;
        r->entries[a->items[i].id] = normal[i];
    }
    if (st == T2_OK) {
        tok_trie_init(&a->raw, raw, a->n);
        tok_trie_init(&a->normal, normal, a->n);
    }
    t2_buf_release(&one);
    t2_buf_release(&scratch);
    t2_free(raw);
    t2_free(normal);
    return st;
}

static enum t2_status read_added(struct tok_hf_reading *r, const struct t2_json_value *list)
{
    struct tok_hf_added *a = &r->h->added;
    size_t n = t2_json_size(list);

    if (n > MAX_ADDED)
        return t2_fail(r->err, T2_EFORMAT, "'%s': %zu added tokens; %d are taken", r->origin, n,
                       MAX_ADDED);
    a->items = t2_alloc(n, sizeof *a->items);
    for (size_t i = 0; i < n; i++) {
        const struct t2_json_value *v = t2_json_item(list, i);
        struct t2_slice content = tok_hf_string_of(v, "content", "");
        int64_t id = id_of_added(r, content);
        bool special = tok_hf_flag_of(v, "special", false);

        if (content.len_bytes == 0)
            return tok_hf_broken(r, "an added token without content");
        T2_TRY(tok_hf_add_entry(r, id, content));
        a->items[a->n++] =
            (struct tok_hf_added_token){.content = content,
                                        .id = (int32_t) id,
                                        .lstrip = tok_hf_flag_of(v, "lstrip", false),
                                        .rstrip = tok_hf_flag_of(v, "rstrip", false),
                                        .single_word = tok_hf_flag_of(v, "single_word", false),
                                        .special = special,
                                        .normalized = tok_hf_flag_of(v, "normalized", !special)};
    }
    T2_TRY(make_added_tries(r));
    r->h->is_special = t2_alloc(r->n, sizeof(bool));
    for (size_t i = 0; i < n; i++)
        r->h->is_special[a->items[i].id] |= a->items[i].special;
    return T2_OK;
}

static enum t2_status put_around(struct tok_hf_reading *r, bool before, int64_t id)
{
    struct tok_hf_tokenizer *h = r->h;
    size_t *n = before ? &h->n_before : &h->n_after;

    if (id < 0 || (size_t) id >= r->n || *n == sizeof h->before / sizeof *h->before)
        return tok_hf_broken(r, "a post-processor with ids that are no tokens");
    (before ? h->before : h->after)[(*n)++] = (int32_t) id;
    return T2_OK;
}

/* "single" of a TemplateProcessing: special tokens before and after sequence A. */
static enum t2_status read_template(struct tok_hf_reading *r, const struct t2_json_value *v)
{
    const struct t2_json_value *single = t2_json_get(v, "single");
    const struct t2_json_value *specials = t2_json_get(v, "special_tokens");
    bool before = true;

    for (size_t i = 0; i < t2_json_size(single); i++) {
        const struct t2_json_value *part = t2_json_item(single, i);
        const struct t2_json_value *token = t2_json_get(part, "SpecialToken");
        const struct t2_json_value *ids;

        if (t2_json_get(part, "Sequence")) {
            before = false;
            continue;
        }
        ids = t2_json_get(t2_json_get(specials, t2_json_as_string(t2_json_get(token, "id"), "")),
                          "ids");
        for (size_t k = 0; k < t2_json_size(ids); k++)
            T2_TRY(put_around(r, before, t2_json_as_i64(t2_json_item(ids, k), -1)));
    }
    return T2_OK;
}

static enum t2_status read_post(struct tok_hf_reading *r, const struct t2_json_value *v, int depth)
{
    const struct t2_json_value *list = t2_json_get(v, "processors");

    if (t2_json_type(v) == T2_JSON_NULL || tok_hf_is(v, "ByteLevel"))
        return T2_OK;
    if (tok_hf_is(v, "BertProcessing") || tok_hf_is(v, "RobertaProcessing")) {
        T2_TRY(put_around(r, true, t2_json_as_i64(t2_json_item(t2_json_get(v, "cls"), 1), -1)));
        return put_around(r, false, t2_json_as_i64(t2_json_item(t2_json_get(v, "sep"), 1), -1));
    }
    if (tok_hf_is(v, "TemplateProcessing"))
        return read_template(r, v);
    if (tok_hf_is(v, "Sequence") && depth < 4) {
        for (size_t i = 0; i < t2_json_size(list); i++)
            T2_TRY(read_post(r, t2_json_item(list, i), depth + 1));
        return T2_OK;
    }
    return tok_hf_unknown_part(r, "post-processor", tok_hf_type_of(v));
}

/* Llama 2 and Gemma: Replace, ByteFallback, Fuse, and Strip of one blank in front. */
static enum t2_status read_steps(struct tok_hf_reading *r, const struct t2_json_value *list)
{
    static const char *const want[] = {"Replace", "ByteFallback", "Fuse", "Strip"};
    struct tok_hf_tokenizer *h = r->h;
    size_t n = t2_json_size(list);
    const struct t2_json_value *replace = t2_json_item(list, 0), *strip = t2_json_item(list, 3);
    struct t2_slice blank = t2_slice_of(" ");

    for (size_t i = 0; i < n; i++)
        if (i >= sizeof want / sizeof *want || !tok_hf_is(t2_json_item(list, i), want[i]))
            return tok_hf_unknown_part(r, "step of a decoder",
                                       tok_hf_type_of(t2_json_item(list, i)));
    if (n < 3)
        return tok_hf_unknown_part(r, "decoder",
                                   "Sequence of other than Replace, ByteFallback, Fuse, Strip");
    h->mark = tok_hf_string_of(t2_json_get(replace, "pattern"), "String", "");
    if (h->mark.len_bytes == 0 || !t2_slice_eq(tok_hf_string_of(replace, "content", ""), blank))
        return tok_hf_unknown_part(r, "decoder", "Replace that does not make blanks of a text");
    h->strip_blank = n > 3;
    if (h->strip_blank && (!t2_slice_eq(tok_hf_string_of(strip, "content", ""), blank) ||
                           t2_json_as_i64(t2_json_get(strip, "start"), -1) != 1 ||
                           t2_json_as_i64(t2_json_get(strip, "stop"), -1) != 0))
        return tok_hf_unknown_part(r, "decoder", "Strip of other than one blank in front");
    h->decoder = TOK_HF_DECODE_STEPS;
    return T2_OK;
}

/* By which factor a Replace can lengthen a text, at most. */
static double growth_of(const struct tok_hf_step *s)
{
    if (s->type != TOK_HF_REPLACE)
        return 1 + (double) s->to.len_bytes;
    return s->from.len_bytes == 0 || s->to.len_bytes <= s->from.len_bytes
               ? 1
               : (double) s->to.len_bytes / (double) s->from.len_bytes;
}

/* Fuse and then any number of Replace, as long as they lengthen a text by at most MAX_GROWTH. */
static enum t2_status read_fused(struct tok_hf_reading *r, const struct t2_json_value *list)
{
    struct tok_hf_tokenizer *h = r->h;
    size_t n = t2_json_size(list);
    double growth = 1;

    if (n > MAX_REPLACES)
        return tok_hf_broken(r, "more steps of a decoder than fit");
    h->decoder = TOK_HF_DECODE_FUSED;
    h->replaces = t2_alloc(n, sizeof *h->replaces);
    for (size_t i = 1; i < n; i++) {
        const struct t2_json_value *v = t2_json_item(list, i);

        if (!tok_hf_is(v, "Replace"))
            return tok_hf_unknown_part(r, "step of a decoder behind Fuse", tok_hf_type_of(v));
        T2_TRY(tok_hf_read_replace(r, "step of a decoder", v, &h->replaces[h->n_replaces]));
        growth *= growth_of(&h->replaces[h->n_replaces++]);
    }
    if (growth > MAX_GROWTH)
        return tok_hf_unknown_part(r, "decoder", "Replace that multiplies the text");
    return T2_OK;
}

static enum t2_status read_decoder(struct tok_hf_reading *r, const struct t2_json_value *v)
{
    struct tok_hf_tokenizer *h = r->h;

    if (t2_json_type(v) == T2_JSON_NULL)
        h->decoder = TOK_HF_DECODE_PLAIN;
    else if (tok_hf_is(v, "ByteLevel"))
        h->decoder = TOK_HF_DECODE_BYTE_LEVEL;
    else if (tok_hf_is(v, "WordPiece")) {
        h->decoder = TOK_HF_DECODE_WORDPIECE;
        h->prefix = tok_hf_string_of(v, "prefix", "##");
        h->cleanup = tok_hf_flag_of(v, "cleanup", true);
    } else if (tok_hf_is(v, "Metaspace")) {
        h->decoder = TOK_HF_DECODE_METASPACE;
        h->mark = tok_hf_string_of(v, "replacement", METASPACE);
        h->drop_first_marks = prepend_of(v) != TOK_HF_NEVER;
        if (h->mark.len_bytes == 0)
            return tok_hf_broken(r, "an empty Metaspace replacement");
    } else if (tok_hf_is(v, "BPEDecoder")) {
        h->decoder = TOK_HF_DECODE_BPE;
        h->suffix = tok_hf_string_of(v, "suffix", "</w>");
    } else if (tok_hf_is(v, "Sequence")) {
        const struct t2_json_value *list = t2_json_get(v, "decoders");

        return tok_hf_is(t2_json_item(list, 0), "Fuse") ? read_fused(r, list) : read_steps(r, list);
    } else {
        return tok_hf_unknown_part(r, "decoder", tok_hf_type_of(v));
    }
    return T2_OK;
}

enum t2_status tok_hf_read(struct tok_hf_tokenizer *h, const char *origin,
                           struct t2_slice **entries, size_t *n, struct t2_err *err)
{
    struct tok_hf_reading r = {.h = h, .origin = origin, .err = err};
    const struct t2_json_value *root;
    enum t2_status st;

    T2_TRY(t2_json_parse((const char *) h->file.data, h->file.len_bytes, origin, &h->doc, err));
    root = t2_json_root(h->doc);
    if (t2_json_type(t2_json_get(root, "model")) != T2_JSON_OBJECT)
        return t2_fail(
            err, T2_EFORMAT,
            "'%s' is JSON without a \"model\": no tokenizer.json, and no other vocabulary", origin);
    st = tok_hf_read_normalizer(&r, t2_json_get(root, "normalizer"), 0);
    if (st == T2_OK)
        st = read_pretokenizer(&r, t2_json_get(root, "pre_tokenizer"));
    if (st == T2_OK)
        st = tok_hf_read_model(&r, t2_json_get(root, "model"));
    if (st == T2_OK)
        st = read_added(&r, t2_json_get(root, "added_tokens"));
    if (st == T2_OK)
        st = read_post(&r, t2_json_get(root, "post_processor"), 0);
    if (st == T2_OK)
        st = read_decoder(&r, t2_json_get(root, "decoder"));
    h->model.bpe.pattern = h->pre.pattern;
    *entries = r.entries;
    *n = r.n;
    return st;
}
