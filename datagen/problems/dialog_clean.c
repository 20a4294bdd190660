/*
 * datagen/problems/dialog_clean.c - utterances as the original's regular expressions leave them.
 */
#include <string.h>

#include "datagen/problems/dialog_text.h"
#include "tokenizer/unicode.h"

/* Python's open(errors="ignore") and lower(), then only characters of `keep` and a-z; all others
 * are gone, so that what could not be decoded is too. */
static void lower_and_keep(struct t2_slice line, const char *keep, struct t2_buf *text)
{
    struct t2_buf valid = {0}, lower = {0};

    tok_utf8_replace(&valid, line.data, line.len_bytes);
    if (valid.len_bytes)
        tok_lower(&lower, valid.data, valid.len_bytes);
    t2_buf_clear(text);
    for (size_t i = 0; i < lower.len_bytes; i++) {
        uint8_t c = lower.data[i];
        if ((c >= 'a' && c <= 'z') || (c != 0 && c < 0x80 && strchr(keep, c)))
            t2_buf_push(text, c);
    }
    t2_buf_release(&valid);
    t2_buf_release(&lower);
}

/* re.sub of a fixed text: from the left, what was replaced is not looked at again. */
static void replace(struct t2_buf *text, const char *what, const char *by)
{
    struct t2_buf made = {0};
    size_t n = strlen(what), i = 0;

    while (i < text->len_bytes) {
        if (text->len_bytes - i >= n && memcmp(text->data + i, what, n) == 0) {
            t2_buf_puts(&made, by);
            i += n;
        } else {
            t2_buf_push(&made, text->data[i++]);
        }
    }
    t2_buf_release(text);
    *text = made;
}

static bool is_letter(uint8_t c)
{
    return c >= 'a' && c <= 'z';
}

/* " '[a-z]": the apostrophe goes. */
static void drop_opening_quotes(struct t2_buf *text)
{
    size_t i = 0, n = 0;

    while (i < text->len_bytes) {
        const uint8_t *s = text->data + i;
        if (text->len_bytes - i >= 3 && s[0] == ' ' && s[1] == '\'' && is_letter(s[2])) {
            uint8_t letter = s[2];
            text->data[n++] = ' ';
            text->data[n++] = letter;
            i += 3;
        } else {
            text->data[n++] = *s;
            i++;
        }
    }
    text->len_bytes = n;
}

/* "[^ n]'[^ t]": a blank before every apostrophe in it. */
static void part_apostrophes(struct t2_buf *text)
{
    struct t2_buf made = {0};
    size_t i = 0;

    while (i < text->len_bytes) {
        const uint8_t *s = text->data + i;
        bool fits = text->len_bytes - i >= 3 && s[1] == '\'' && s[0] != ' ' && s[0] != 'n' &&
                    s[2] != ' ' && s[2] != 't';
        size_t n = fits ? 3 : 1;
        for (size_t k = 0; k < n; k++) {
            if (fits && s[k] == '\'')
                t2_buf_push(&made, ' ');
            t2_buf_push(&made, s[k]);
        }
        i += n;
    }
    t2_buf_release(text);
    *text = made;
}

static void set_marks_apart(struct t2_buf *text)
{
    replace(text, ".", " . ");
    replace(text, "?", " ? ");
    replace(text, "!", " ! ");
    replace(text, " ' ", " ");
}

void dg_clean_utterance(struct t2_slice line, struct t2_buf *text)
{
    lower_and_keep(line, " .?!'0123456789", text);
    set_marks_apart(text);
    drop_opening_quotes(text);
    replace(text, "n't", " n't");
    part_apostrophes(text);
}

void dg_clean_subtitle(struct t2_slice line, struct t2_buf *text)
{
    lower_and_keep(line, " .!?'\t\\", text);
    replace(text, "\\' ", " '");
    replace(text, "\\", " ");
    set_marks_apart(text);
    replace(text, "n't", " n't");
}
