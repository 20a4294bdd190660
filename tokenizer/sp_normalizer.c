/*
 * tokenizer/sp_normalizer.c - Normalizer::Normalize of SentencePiece.
 *
 * The text is taken prefix by prefix: a user-defined piece stays as it is, a prefix in the map
 * becomes its replacement, any other character stays, an invalid byte becomes U+FFFD.  Blanks
 * become U+2581, runs of them one, and one is put in front.
 */
#include <string.h>

#include "tokenizer/sentencepiece.h"
#include "tokenizer/unicode.h"

#define SPACE_SYMBOL "\xE2\x96\x81" /* U+2581 */

enum { SYMBOL_BYTES = 3, MAX_MATCHES = 32 };

static const uint8_t blank = ' ';

/* ---- Darts' double array ---- */

static uint32_t unit_at(const struct tok_sp_normalizer *n, uint64_t i)
{
    const uint8_t *p = n->units.data + 4 * i;

    return (uint32_t) p[0] | (uint32_t) p[1] << 8 | (uint32_t) p[2] << 16 | (uint32_t) p[3] << 24;
}

/*
 * Units of Darts-clone: bits 0-7 the byte that leads here, 8 a value follows, 9 the offset is
 * shifted by 8 more, 10-30 offset, 31 this is a value (the other 31 bits).
 */
static uint64_t offset_of(uint32_t unit)
{
    return (uint64_t) (unit >> 10) << ((unit & 1u << 9) >> 6);
}

/* The longest prefix that the map replaces, or the shortest of at most max_matches: its length, 0
 * when there is none; *value is where the replacement stands. */
static size_t mapped(const struct tok_sp_normalizer *n, const uint8_t *s, size_t len_bytes,
                     size_t max_matches, uint32_t *value)
{
    uint64_t n_units = n->units.len_bytes / 4, at;
    size_t longest = 0, n_matches = 0;

    if (n_units == 0)
        return 0;
    at = offset_of(unit_at(n, 0));
    if (len_bytes > TOK_SP_MAX_KEY) /* a damaged array may have circles */
        len_bytes = TOK_SP_MAX_KEY;
    for (size_t i = 0; i < len_bytes && n_matches < max_matches; i++) {
        uint32_t unit;
        at ^= s[i];
        if (at >= n_units)
            break;
        unit = unit_at(n, at);
        if ((unit & (1u << 31 | 0xFF)) != s[i])
            break;
        at ^= offset_of(unit);
        if (unit >> 8 & 1) {
            if (at >= n_units)
                break;
            *value = unit_at(n, at) & 0x7FFFFFFF;
            longest = i + 1;
            n_matches++;
        }
    }
    return longest;
}

static struct t2_slice replacement_at(const struct tok_sp_normalizer *n, uint32_t value)
{
    const uint8_t *p = n->replacements.data + value, *nul;
    size_t left = n->replacements.len_bytes - value;

    nul = memchr(p, 0, left);
    return (struct t2_slice){p, nul ? (size_t) (nul - p) : left};
}

size_t tok_sp_map_shortest(const struct tok_sp_normalizer *n, const uint8_t *s, size_t len_bytes,
                           struct t2_slice *to)
{
    uint32_t value = 0;
    size_t used = mapped(n, s, len_bytes, 1, &value);

    if (used == 0 || value >= n->replacements.len_bytes)
        return 0;
    *to = replacement_at(n, value);
    return used;
}

/* ---- prefixes ---- */

/* The normal form of the prefix at s that is taken next; *used is its length. */
static struct t2_slice normal_prefix(const struct tok_sp_model *m, const uint8_t *s,
                                     size_t len_bytes, size_t *used)
{
    const struct tok_sp_normalizer *n = &m->normalizer;
    uint32_t value = 0, c;
    bool valid;

    if (m->has_user && tok_trie_longest(&m->user_trie, s, len_bytes, used) >= 0)
        return (struct t2_slice){s, *used};
    *used = mapped(n, s, len_bytes, MAX_MATCHES, &value);
    if (*used > 0)
        return value < n->replacements.len_bytes ? replacement_at(n, value)
                                                 : (struct t2_slice){s, 0};
    *used = tok_utf8_decode(s, len_bytes, &c, &valid);
    if (valid && !(c >= 0xD800 && c < 0xE000))
        return (struct t2_slice){s, *used};
    *used = 1;
    return t2_slice_of("\xEF\xBF\xBD");
}

static void put_blank(const struct tok_sp_model *m, struct t2_buf *out)
{
    if (m->normalizer.escape_whitespaces)
        t2_buf_append(out, SPACE_SYMBOL, SYMBOL_BYTES);
    else
        t2_buf_push(out, ' ');
}

static bool ends_with_blank(const struct tok_sp_model *m, const struct t2_buf *out, size_t from)
{
    size_t n = m->normalizer.escape_whitespaces ? SYMBOL_BYTES : 1;
    const void *symbol = m->normalizer.escape_whitespaces ? (const void *) SPACE_SYMBOL : &blank;

    return out->len_bytes - from >= n && memcmp(out->data + out->len_bytes - n, symbol, n) == 0;
}

void tok_sp_normalize(const struct tok_sp_model *m, const uint8_t *text, size_t len_bytes,
                      struct t2_buf *out)
{
    const struct tok_sp_normalizer *n = &m->normalizer;
    size_t from = out->len_bytes, used = 0;
    bool after_blank = n->remove_extra_whitespaces;

    while (n->remove_extra_whitespaces && len_bytes > 0) {
        struct t2_slice p = normal_prefix(m, text, len_bytes, &used);
        if (p.len_bytes != 1 || p.data[0] != ' ')
            break;
        text += used;
        len_bytes -= used;
    }
    if (len_bytes == 0)
        return;
    if (n->add_dummy_prefix && !m->treat_whitespace_as_suffix)
        put_blank(m, out);
    while (len_bytes > 0 && out->len_bytes <= INT32_MAX) {
        struct t2_slice p = normal_prefix(m, text, len_bytes, &used);
        while (after_blank && p.len_bytes > 0 && p.data[0] == ' ') {
            p.data++;
            p.len_bytes--;
        }
        if (p.len_bytes > 0) {
            for (size_t i = 0; i < p.len_bytes; i++) {
                if (p.data[i] == ' ')
                    put_blank(m, out);
                else
                    t2_buf_push(out, p.data[i]);
            }
            after_blank = p.data[p.len_bytes - 1] == ' ';
        }
        text += used;
        len_bytes -= used;
        if (!n->remove_extra_whitespaces)
            after_blank = false;
    }
    while (n->remove_extra_whitespaces && ends_with_blank(m, out, from))
        out->data[out->len_bytes -= n->escape_whitespaces ? SYMBOL_BYTES : 1] = 0;
    if (n->add_dummy_prefix && m->treat_whitespace_as_suffix)
        put_blank(m, out);
}
