/*
 * tokenizer/subwords_decode.c - from subwords back to text (SubwordTextEncoder.decode).
 *
 * Spec t2t-datagen.md §4.5: concatenate, split at '_', unescape, join words.
 */
#include <string.h>

#include "tokenizer/encoder_kinds.h"
#include "tokenizer/escape.h"
#include "tokenizer/subwords.h"
#include "tokenizer/unicode.h"

/* Properties of an entry that decoding uses, computed once per vocabulary. */
enum shape {
    HAS_BACKSLASH = 1,
    ENDS_WORD = 2,   /* its last byte is '_' */
    INNER_END = 4,   /* there is a '_' before the last byte */
    BEGINS_ALNUM = 8 /* the first code point, as it stands, is alphanumeric */
};

uint8_t tok_entry_shape(struct t2_slice entry)
{
    uint8_t shape = 0;
    uint32_t c;
    bool valid;

    if (entry.len_bytes == 0)
        return 0;
    tok_utf8_decode(entry.data, entry.len_bytes, &c, &valid);
    if (tok_is_alnum(c))
        shape |= BEGINS_ALNUM;
    if (memchr(entry.data, '\\', entry.len_bytes))
        shape |= HAS_BACKSLASH;
    if (entry.data[entry.len_bytes - 1] == '_')
        shape |= ENDS_WORD;
    if (memchr(entry.data, '_', entry.len_bytes - 1))
        shape |= INNER_END;
    return shape;
}

/* The word being put together at the end of text.  Whether a blank stands before it depends on its
 * first character, which may be known only when the word is complete and unescaped. */
struct joiner {
    struct t2_buf *text;
    struct t2_buf scratch;
    size_t start; /* of the word that is open */
    bool is_open;
    bool is_escaped; /* it has a backslash */
    bool is_placed;  /* its first character is known, so a blank stands before it if one must */
    bool is_alnum;   /* that character is alphanumeric */
    bool last_alnum; /* as is that of the word before */
};

static void place_word(struct joiner *j, bool alnum)
{
    j->is_placed = true;
    j->is_alnum = alnum;
    if (alnum && j->last_alnum)
        t2_buf_push(j->text, ' ');
    j->start = j->text->len_bytes;
}

static void add_piece(struct joiner *j, const uint8_t *piece, size_t len_bytes, bool alnum,
                      bool escaped)
{
    if (len_bytes == 0)
        return;
    if (!j->is_open) {
        j->is_open = true;
        j->is_placed = j->is_escaped = false;
        j->start = j->text->len_bytes;
        if (piece[0] != '\\')
            place_word(j, alnum);
    }
    j->is_escaped |= escaped;
    t2_buf_append(j->text, piece, len_bytes);
}

static void end_word(struct joiner *j)
{
    if (!j->is_open)
        return;
    if (j->is_escaped) {
        struct t2_buf *text = j->text;
        uint32_t c;
        bool valid;

        t2_buf_clear(&j->scratch);
        tok_unescape(text->data + j->start, text->len_bytes - j->start, &j->scratch);
        text->len_bytes = j->start;
        if (!j->is_placed) {
            tok_utf8_decode(j->scratch.data, j->scratch.len_bytes, &c, &valid);
            place_word(j, tok_is_alnum(c));
        }
        t2_buf_append(text, j->scratch.data, j->scratch.len_bytes);
    }
    j->last_alnum = j->is_alnum;
    j->is_open = false;
}

/* An entry with a '_' inside, in the parts between. */
static void add_parts(struct joiner *j, struct t2_slice entry)
{
    size_t from = 0;

    for (size_t i = 0; i <= entry.len_bytes; i++) {
        struct t2_slice part = {entry.data + from, i - from};
        uint8_t shape;

        if (i < entry.len_bytes && entry.data[i] != '_')
            continue;
        shape = tok_entry_shape(part);
        add_piece(j, part.data, part.len_bytes, shape & BEGINS_ALNUM, shape & HAS_BACKSLASH);
        if (i < entry.len_bytes)
            end_word(j);
        from = i + 1;
    }
}

void tok_subwords_decode(const struct tok_encoder *e, const int32_t *ids, size_t n,
                         struct t2_buf *text)
{
    const struct tok_subwords *m = e->model;
    struct joiner j = {.text = text};

    for (size_t i = 0; i < n; i++) {
        struct t2_slice entry = tok_entry(e, ids[i]);
        unsigned shape;

        if (entry.len_bytes == 0)
            continue;
        shape = m->shapes[ids[i]];
        if (shape & INNER_END) {
            add_parts(&j, entry);
            continue;
        }
        add_piece(&j, entry.data, entry.len_bytes - (shape & ENDS_WORD ? 1 : 0),
                  shape & BEGINS_ALNUM, shape & HAS_BACKSLASH);
        if (shape & ENDS_WORD)
            end_word(&j);
    }
    end_word(&j);
    t2_buf_release(&j.scratch);
}
