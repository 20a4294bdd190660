/*
 * tokenizer/write_hf_subwords.c - tokenizer.json from subwords of Tensor2Tensor and the official
 * Transformer.
 *
 * Taking the longest entry again and again is what tokenizers calls WordPiece, with an empty
 * prefix.  What comes before it, words and escapes, must be normalizers, as only those change the
 * text:
 *
 *   1. \ becomes \/ and _ becomes \-: no letter or digit comes or goes, so the words stay; and _
 *      is free.
 *   2. _ ends each word; a blank alone between two words goes.
 *   3. \- becomes \u, \/ becomes \\, LF becomes \10;: these are T2T's escapes; and LF is free.
 *   4. LF between a character above 0x7F and its neighbours, so that no two are one grapheme
 *      cluster, which Precompiled would look up as one.  (Not at the start of a text: tokenizers
 *      0.23 panics.)
 *   5. Precompiled: each character that is not in the alphabet becomes \<number>;.  LF goes.
 *
 * The pre-tokenizer cuts behind each _.  The decoder does it all in reverse, except that it cannot
 * know all numbers.  Of the 1.1 million code points, those are in the map that Unicode has given a
 * character; others become U+FFFD first.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/base64.h"
#include "base/json_writer.h"
#include "base/map.h"
#include "tokenizer/charsmap.h"
#include "tokenizer/convert_kinds.h"
#include "tokenizer/subwords.h"
#include "tokenizer/unicode.h"

enum {
    PRIVATE_PLANES = 0xF0000, /* 15 and 16 */
    MAX_WORD_CHARS = 1000000000
};

/* What stands for these while the decoder looks for words; no characters. */
#define BACKSLASH "\xEF\xBF\xBF"
#define UNDERSCORE "\xEF\xBF\xBE"

static bool is_surrogate(uint32_t c)
{
    return c >= 0xD800 && c <= 0xDFFF;
}

static bool is_assigned(uint32_t c)
{
    return c < PRIVATE_PLANES && !is_surrogate(c) && tok_unicode_age(c) > 0;
}

/* ---- regular expressions ---- */

typedef bool in_set(const struct tok_alphabet *a, uint32_t c);

static bool is_letter_or_digit(const struct tok_alphabet *a, uint32_t c)
{
    (void) a;
    return tok_is_alnum(c) && !is_surrogate(c);
}

/* Neither mapped nor in the alphabet: becomes U+FFFD. */
static bool is_nothing(const struct tok_alphabet *a, uint32_t c)
{
    return !is_surrogate(c) && !is_assigned(c) && !tok_alphabet_has(a, c);
}

/* "\x{41}-\x{5a}\x{61}..." */
static void put_set(struct t2_buf *out, in_set *is_in, const struct tok_alphabet *a)
{
    for (uint32_t c = 0; c < TOK_CODE_POINTS; c++) {
        uint32_t last = c;

        if (!is_in(a, c))
            continue;
        while (last + 1 < TOK_CODE_POINTS && is_in(a, last + 1))
            last++;
        t2_buf_printf(out, "\\x{%" PRIx32 "}", c);
        if (last > c)
            t2_buf_printf(out, "-\\x{%" PRIx32 "}", last);
        c = last;
    }
}

/* A pattern in which @ stands for the set of letters and digits. */
static char *with_letters(const char *pattern)
{
    struct t2_buf letters = {NULL, 0, 0}, out = {NULL, 0, 0};

    put_set(&letters, is_letter_or_digit, NULL);
    for (; *pattern; pattern++) {
        if (*pattern == '@')
            t2_buf_append(&out, letters.data, letters.len_bytes);
        else
            t2_buf_push(&out, (uint8_t) *pattern);
    }
    t2_buf_release(&letters);
    return t2_buf_detach(&out);
}

static void put_word_ends(struct t2_json *j)
{
    /* behind a letter: a blank alone, or nothing; behind another character: the end of the text, or
     * a letter if the character was not such a blank */
    char *regex = with_letters("(?<=[@])(?: (?=[@])|(?![@]))|(?<=[^@])(?:\\z|(?<![@] )(?=[@]))");

    tok_hf_replace(j, "Regex", regex, "_");
    t2_free(regex);
}

/* ---- the normalizer ---- */

static void put_map(struct t2_json *j, const struct tok_alphabet *a)
{
    struct tok_charsmap map = {.units = NULL};
    struct t2_buf bytes = {NULL, 0, 0}, text = {NULL, 0, 0}, escape = {NULL, 0, 0};

    for (uint32_t c = 1; c < TOK_CODE_POINTS; c++) {
        if (c == '\n' || !is_assigned(c) || tok_alphabet_has(a, c))
            continue;
        t2_buf_clear(&escape);
        t2_buf_printf(&escape, "\\%" PRIu32 ";", c);
        tok_charsmap_add(&map, c, t2_buf_slice(&escape));
    }
    tok_charsmap_write(&map, &bytes);
    t2_base64_encode(t2_buf_slice(&bytes), &text);
    t2_json_object(j);
    t2_json_kv_string(j, "type", "Precompiled");
    t2_json_kv_string(j, "precompiled_charsmap", t2_buf_cstr(&text));
    t2_json_end_object(j);
    tok_charsmap_release(&map);
    t2_buf_release(&bytes);
    t2_buf_release(&text);
    t2_buf_release(&escape);
}

static void put_normalizer(struct t2_json *j, const struct tok_alphabet *a)
{
    struct t2_buf nothing = {NULL, 0, 0};

    t2_buf_push(&nothing, '[');
    put_set(&nothing, is_nothing, a);
    t2_buf_push(&nothing, ']');
    t2_json_key(j, "normalizer");
    t2_json_object(j);
    t2_json_kv_string(j, "type", "Sequence");
    t2_json_key(j, "normalizers");
    t2_json_array(j);
    tok_hf_replace(j, "Regex", t2_buf_cstr(&nothing), "\xEF\xBF\xBD");
    tok_hf_replace(j, "String", "\\", "\\/");
    tok_hf_replace(j, "String", "_", "\\-");
    put_word_ends(j);
    tok_hf_replace(j, "String", "\\-", "\\u");
    tok_hf_replace(j, "String", "\\/", "\\\\");
    tok_hf_replace(j, "String", "\n", "\\10;");
    if (!tok_alphabet_has(a, 0))
        tok_hf_replace(j, "Regex", "\\x00", "\\0;"); /* NUL ends the strings of the map */
    tok_hf_replace(j, "Regex", "(?<=[^\\x00-\\x7f])(?=.)|(?<=.)(?=[^\\x00-\\x7f])", "\n");
    put_map(j, a);
    tok_hf_replace(j, "String", "\n", "");
    t2_json_end_array(j);
    t2_json_end_object(j);
    t2_buf_release(&nothing);
}

/* ---- the rest ---- */

static void put_pretokenizer(struct t2_json *j)
{
    t2_json_key(j, "pre_tokenizer");
    tok_hf_split(j, "String", "_", "MergedWithPrevious");
}

/* Characters whose numbers the decoder knows: a rule each, so only those that texts of a vocabulary
 * without them hold first. */
static bool is_decoded(const struct tok_alphabet *a, uint32_t c)
{
    enum { END_OF_LATIN = 0x250, PUNCTUATION = 0x2000, END_OF_CURRENCY = 0x20D0 };

    return c > 0 && (c < END_OF_LATIN || (c >= PUNCTUATION && c < END_OF_CURRENCY)) &&
           is_assigned(c) && (c == '\n' || !tok_alphabet_has(a, c));
}

static void put_decoder(struct t2_json *j, const struct tok_alphabet *a)
{
    char *between = with_letters("(?<=[@])_(?=[@])");

    t2_json_key(j, "decoder");
    t2_json_object(j);
    t2_json_kv_string(j, "type", "Sequence");
    t2_json_key(j, "decoders");
    t2_json_array(j);
    t2_json_object(j);
    t2_json_kv_string(j, "type", "Fuse");
    t2_json_end_object(j);
    tok_hf_replace(j, "String", "\\\\", BACKSLASH);
    tok_hf_replace(j, "String", "\\u", UNDERSCORE);
    for (uint32_t c = 1; c < TOK_CODE_POINTS; c++) {
        uint8_t text[5] = {0};
        char escape[16];

        if (!is_decoded(a, c))
            continue;
        (void) tok_utf8_encode(c, text);
        snprintf(escape, sizeof escape, "\\%" PRIu32 ";", c);
        tok_hf_replace(j, "String", escape, (const char *) text);
    }
    tok_hf_replace(j, "Regex", between, " ");
    tok_hf_replace(j, "String", "_", "");
    tok_hf_replace(j, "String", UNDERSCORE, "_");
    tok_hf_replace(j, "String", BACKSLASH, "\\");
    t2_json_end_array(j);
    t2_json_end_object(j);
    t2_free(between);
}

/* Of equal entries only the last, which is the one that a text gives. */
static void put_entries(struct t2_json *j, const struct tok_encoder *e)
{
    struct t2_slice *entries = t2_alloc((size_t) e->n, sizeof *entries);
    struct t2_map *ids = t2_map_new();

    for (int32_t i = e->n - 1; i >= 0; i--) {
        bool inserted = false;

        if (e->entries[i].len_bytes > 0)
            (void) t2_map_at(ids, e->entries[i].data, e->entries[i].len_bytes, &inserted);
        if (inserted)
            entries[i] = e->entries[i];
    }
    tok_hf_put_vocab(j, entries, (size_t) e->n);
    t2_map_free(ids);
    t2_free(entries);
}

/* A word that cannot be cut is an error in T2T; so it is where the unknown token is none of the
 * vocabulary. */
static void put_model(struct t2_json *j, const struct tok_encoder *e)
{
    struct t2_buf unknown = {NULL, 0, 0};
    bool taken = true;

    t2_buf_puts(&unknown, "[UNK]");
    while (taken) {
        taken = false;
        for (int32_t i = 0; i < e->n; i++)
            taken = taken || t2_slice_eq(e->entries[i], t2_buf_slice(&unknown));
        if (taken)
            t2_buf_push(&unknown, '_');
    }
    t2_json_key(j, "model");
    t2_json_object(j);
    t2_json_kv_string(j, "type", "WordPiece");
    t2_json_kv_string(j, "unk_token", t2_buf_cstr(&unknown));
    t2_json_kv_string(j, "continuing_subword_prefix", "");
    t2_json_kv_i64(j, "max_input_chars_per_word", MAX_WORD_CHARS);
    put_entries(j, e);
    t2_buf_release(&unknown);
}

/* ---- the end of a text ---- */

static void put_piece(struct t2_json *j, const char *kind, const char *id)
{
    t2_json_object(j);
    t2_json_key(j, kind);
    t2_json_object(j);
    t2_json_kv_string(j, "id", id);
    t2_json_kv_i64(j, "type_id", 0);
    t2_json_end_object(j);
    t2_json_end_object(j);
}

/* Ids as the trainers give them to a model: each text with EOS behind it. */
static void put_end(struct t2_json *j, const char *eos)
{
    t2_json_key(j, "post_processor");
    t2_json_object(j);
    t2_json_kv_string(j, "type", "TemplateProcessing");
    t2_json_key(j, "single");
    t2_json_array(j);
    put_piece(j, "Sequence", "A");
    put_piece(j, "SpecialToken", eos);
    t2_json_end_array(j);
    t2_json_key(j, "pair");
    t2_json_array(j);
    put_piece(j, "Sequence", "A");
    put_piece(j, "SpecialToken", eos);
    put_piece(j, "Sequence", "B");
    put_piece(j, "SpecialToken", eos);
    t2_json_end_array(j);
    t2_json_key(j, "special_tokens");
    t2_json_object(j);
    t2_json_key(j, eos);
    t2_json_object(j);
    t2_json_kv_string(j, "id", eos);
    t2_json_key(j, "ids");
    t2_json_array(j);
    t2_json_i64(j, TOK_EOS);
    t2_json_end_array(j);
    t2_json_key(j, "tokens");
    t2_json_array(j);
    t2_json_string(j, eos);
    t2_json_end_array(j);
    t2_json_end_object(j);
    t2_json_end_object(j);
    t2_json_end_object(j);
}

enum t2_status tok_hf_from_subwords(const struct tok_encoder *e, struct tok_conversion *c,
                                    struct t2_err *err)
{
    const struct tok_alphabet *a = &tok_subwords_model(e)->alphabet;
    const int32_t special[] = {TOK_PAD, TOK_EOS};
    struct t2_buf eos = {NULL, 0, 0};
    struct t2_json j;

    (void) err;
    tok_hf_begin(&j, &c->file);
    tok_hf_added_tokens(&j, e->entries, special, c->ends ? 2 : 0, true);
    put_normalizer(&j, a);
    put_pretokenizer(&j);
    if (c->ends) {
        t2_buf_append(&eos, e->entries[TOK_EOS].data, e->entries[TOK_EOS].len_bytes);
        put_end(&j, t2_buf_cstr(&eos));
        t2_buf_release(&eos);
    } else {
        tok_hf_kv_null(&j, "post_processor");
    }
    put_decoder(&j, a);
    put_model(&j, e);
    tok_hf_end(&j);
    tok_differs(c,
                "encoding: code points without a character (unassigned, or private in planes 15 "
                "and 16) give the ids of U+FFFD instead of their own number; all other text gives "
                "the same ids");
    tok_differs(
        c, "decoding: characters that the vocabulary spells by number stay so (\\12354;), and a "
           "blank beside them may be lost, except Latin letters up to U+024F, punctuation "
           "and currency signs");
    if (!c->ends)
        tok_note(
            c, "<pad> and <EOS> are ids 0 and 1 and no special tokens: <EOS> is not appended, and "
               "nothing is left out in decoding");
    return T2_OK;
}
