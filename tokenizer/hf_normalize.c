/*
 * tokenizer/hf_normalize.c - the normalizers of tokenizer.json.
 *
 * A normalizer is a list of steps. Each step takes the whole text from one buffer and writes it
 * into the other, then the two are swapped; a result of more than TOK_HF_MAX_NORMAL_BYTES is
 * refused, as a Replace could otherwise grow a text without limit. The results follow tokenizers'
 * Rust code, whose function or module stands above each step.
 */
#include <string.h>

#include "tokenizer/hf_tokenizer.h"
#include "tokenizer/small_regex.h"
#include "tokenizer/unicode.h"

/* Appends the replacement of one character: nothing, the character itself, or others. */
typedef void char_fn(uint32_t c, struct t2_buf *out);

static void put(uint32_t c, struct t2_buf *out)
{
    uint8_t bytes[4];

    t2_buf_append(out, bytes, tok_utf8_encode(c, bytes));
}

static void each_char(const struct t2_buf *in, char_fn *fn, struct t2_buf *out)
{
    for (size_t at = 0; at < in->len_bytes;) {
        uint32_t c;
        bool valid;

        at += tok_utf8_decode(in->data + at, in->len_bytes - at, &c, &valid);
        fn(c, out);
    }
}

/*
 * tokenizers takes categories from two libraries with tables of their own, of Unicode 8.0 and 9.0;
 * what has another category since is in a list.  bench/check_vocabularies.py --characters compares
 * all characters.
 */
bool tok_hf_old_category(uint32_t c, uint32_t set, unsigned version)
{
    static const struct {
        uint32_t code_point, was;
    } changed[] = {{0x166D, TOK_CAT_P},  {0x1734, TOK_CAT_MN}, {0x1885, TOK_CAT_LO},
                   {0x1886, TOK_CAT_LO}, {0x1CF2, TOK_CAT_MC}, {0x1CF3, TOK_CAT_MC},
                   {0xA9BD, TOK_CAT_MC}, {0x111C9, TOK_CAT_P}};

    for (size_t i = 0; i < sizeof changed / sizeof *changed; i++)
        /* Mongolian's two became marks with 9.0 */
        if (c == changed[i].code_point && !(version == 900 && (c == 0x1885 || c == 0x1886)))
            return (changed[i].was & set) != 0;
    return tok_has_category(c, set) && tok_unicode_age(c) <= version;
}

static void without_marks(uint32_t c, struct t2_buf *out)
{
    if (!tok_hf_old_category(c, TOK_CAT_M, 900))
        put(c, out);
}

static void bert_without_accents(uint32_t c, struct t2_buf *out)
{
    if (!tok_hf_old_category(c, TOK_CAT_MN, 800))
        put(c, out);
}

/* normalizers::unicode::Nmt */
static void nmt(uint32_t c, struct t2_buf *out)
{
    static const uint32_t blanks[] = {0x09,   0x0A,   0x0C,   0x0D,   0x1680,
                                      0x200B, 0x200C, 0x200D, 0x200E, 0x200F,
                                      0x2028, 0x2029, 0x2581, 0xFEFF, 0xFFFD};

    if ((c >= 1 && c <= 8) || c == 0x0B || (c >= 0x0E && c <= 0x1F) || c == 0x7F || c == 0x8F ||
        c == 0x9F)
        return;
    for (size_t i = 0; i < sizeof blanks / sizeof *blanks; i++)
        if (c == blanks[i])
            c = ' ';
    put(c, out);
}

/* normalizers::bert: clean_text, which drops control characters before it looks for blanks. */
static void bert_clean(uint32_t c, struct t2_buf *out)
{
    bool is_line = c == '\t' || c == '\n' || c == '\r';

    if (c == 0 || c == 0xFFFD || (!is_line && tok_hf_old_category(c, TOK_CAT_C & ~1, 800)))
        return;
    put(is_line || tok_is_white(c) ? ' ' : c, out);
}

static void bert_chinese(uint32_t c, struct t2_buf *out)
{
    bool is_chinese = (c >= 0x4E00 && c <= 0x9FFF) || (c >= 0x3400 && c <= 0x4DBF) ||
                      (c >= 0x20000 && c <= 0x2A6DF) || (c >= 0x2A700 && c <= 0x2B73F) ||
                      (c >= 0x2B740 && c <= 0x2B81F) || (c >= 0x2B920 && c <= 0x2CEAF) ||
                      (c >= 0xF900 && c <= 0xFAFF) || (c >= 0x2F800 && c <= 0x2FA1F);

    if (is_chinese)
        put(' ', out);
    put(c, out);
    if (is_chinese)
        put(' ', out);
}

static void replace(const struct tok_hf_step *s, const struct t2_buf *in, struct t2_buf *out)
{
    for (size_t at = 0; at < in->len_bytes && out->len_bytes <= TOK_HF_MAX_NORMAL_BYTES;) {
        if (s->from.len_bytes > 0 && in->len_bytes - at >= s->from.len_bytes &&
            memcmp(in->data + at, s->from.data, s->from.len_bytes) == 0) {
            t2_buf_append(out, s->to.data, s->to.len_bytes);
            at += s->from.len_bytes;
        } else {
            t2_buf_push(out, in->data[at++]);
        }
    }
}

/* Rust's trim: White_Space, which is less than Python's strip takes. */
static void strip(const struct tok_hf_step *s, const struct t2_buf *in, struct t2_buf *out)
{
    const uint8_t *p = in->data;
    size_t n = in->len_bytes, end = 0;

    for (size_t at = 0, step; at < n; at += step) {
        uint32_t c;
        bool valid;

        step = tok_utf8_decode(p + at, n - at, &c, &valid);
        if (s->left && end == 0 && tok_is_white(c)) {
            p += at + step;
            n -= at + step;
            at = step = 0;
        } else if (!s->right || !tok_is_white(c)) {
            end = at + step;
        }
    }
    if (end > 0)
        t2_buf_append(out, p, end);
}

/* Whether the character of n bytes at p is in a set, which is a text of characters. */
static bool is_in(struct t2_slice set, const uint8_t *p, size_t n)
{
    return memmem(set.data, set.len_bytes, p, n) != NULL;
}

/*
 * Removes characters of a set (s->from) at the ends and puts s->to in front. The step back at the
 * end finds the first byte of the last character: at most three continuation bytes 10xxxxxx
 * precede it.
 */
static void trim(const struct tok_hf_step *s, const struct t2_buf *in, struct t2_buf *out)
{
    size_t from = 0, end = in->len_bytes, n;

    for (; s->left && from < end; from += n) {
        n = tok_sp_char_bytes(in->data + from, end - from);
        if (!is_in(s->from, in->data + from, n))
            break;
    }
    while (s->right && end > from) {
        for (n = 1; n < 4 && n < end - from && (in->data[end - n] & 0xC0) == 0x80; n++)
            ;
        if (!is_in(s->from, in->data + end - n, n))
            break;
        end -= n;
    }
    if (from > 0 || end < in->len_bytes)
        t2_buf_append(out, s->to.data, s->to.len_bytes);
    t2_buf_append(out, in->data + from, end - from);
}

/* Two or more copies of s->from in a row become one s->to. */
static void collapse(const struct tok_hf_step *s, const struct t2_buf *in, struct t2_buf *out)
{
    const size_t n = s->from.len_bytes;

    for (size_t at = 0; at < in->len_bytes && out->len_bytes <= TOK_HF_MAX_NORMAL_BYTES;) {
        size_t end = at;
        while (in->len_bytes - end >= n && memcmp(in->data + end, s->from.data, n) == 0)
            end += n;
        if (end >= at + 2 * n) {
            t2_buf_append(out, s->to.data, s->to.len_bytes);
            at = end;
        } else {
            t2_buf_push(out, in->data[at++]);
        }
    }
}

/* ---- Precompiled: the character map, but grapheme cluster by grapheme cluster ---- */

struct mapping {
    const struct tok_sp_normalizer *map;
    struct t2_buf *out;
};

static bool put_mapped(const struct mapping *x, const uint8_t *s, size_t len_bytes)
{
    struct t2_slice to;

    if (tok_sp_map_shortest(x->map, s, len_bytes, &to) == 0)
        return false;
    t2_buf_append(x->out, to.data, to.len_bytes);
    return true;
}

/* A short cluster is looked up whole, and the shortest rule that begins it replaces all of it; else
 * each character is looked up. */
static void map_cluster(void *arg, const uint8_t *s, size_t len_bytes)
{
    enum { SHORT_CLUSTER = 6 };
    const struct mapping *x = arg;

    if (len_bytes < SHORT_CLUSTER && put_mapped(x, s, len_bytes))
        return;
    for (size_t at = 0, n; at < len_bytes; at += n) {
        n = tok_sp_char_bytes(s + at, len_bytes - at);
        if (!put_mapped(x, s + at, n))
            t2_buf_append(x->out, s + at, n);
    }
}

static void apply(const struct tok_hf_steps *steps, const struct tok_hf_step *s,
                  const struct t2_buf *in, struct t2_buf *out)
{
    switch (s->type) {
    case TOK_HF_NFC:
        tok_normal_form(TOK_NFC, in->data, in->len_bytes, out);
        break;
    case TOK_HF_NFD:
        tok_normal_form(TOK_NFD, in->data, in->len_bytes, out);
        break;
    case TOK_HF_NFKC:
        tok_normal_form(TOK_NFKC, in->data, in->len_bytes, out);
        break;
    case TOK_HF_NFKD:
        tok_normal_form(TOK_NFKD, in->data, in->len_bytes, out);
        break;
    case TOK_HF_LOWERCASE:
        tok_lower_newest(in->data, in->len_bytes, out);
        break;
    case TOK_HF_STRIP_ACCENTS:
        each_char(in, without_marks, out);
        break;
    case TOK_HF_BERT_STRIP_ACCENTS:
        each_char(in, bert_without_accents, out);
        break;
    case TOK_HF_NMT:
        each_char(in, nmt, out);
        break;
    case TOK_HF_BERT_CLEAN:
        each_char(in, bert_clean, out);
        break;
    case TOK_HF_BERT_CHINESE:
        each_char(in, bert_chinese, out);
        break;
    case TOK_HF_REPLACE:
        replace(s, in, out);
        break;
    case TOK_HF_REPLACE_REGEX:
        tok_regex_replace(s->regex, t2_buf_slice(in), s->to, TOK_HF_MAX_NORMAL_BYTES, out);
        break;
    case TOK_HF_PREPEND:
        if (in->len_bytes > 0)
            t2_buf_append(out, s->to.data, s->to.len_bytes);
        t2_buf_append(out, in->data, in->len_bytes);
        break;
    case TOK_HF_STRIP:
        strip(s, in, out);
        break;
    case TOK_HF_TRIM:
        trim(s, in, out);
        break;
    case TOK_HF_COLLAPSE:
        collapse(s, in, out);
        break;
    case TOK_HF_PRECOMPILED:
        tok_graphemes(in->data, in->len_bytes, map_cluster, &(struct mapping){&steps->map, out});
        break;
    }
}

/* Nothing to replace is the usual case, of decoders with a rule for each of many characters above
 * all. */
static bool has_nothing(const struct tok_hf_step *s, const struct t2_buf *text)
{
    return s->type == TOK_HF_REPLACE &&
           (s->from.len_bytes == 0 || text->len_bytes < s->from.len_bytes ||
            !memmem(text->data, text->len_bytes, s->from.data, s->from.len_bytes));
}

static bool run_step(const struct tok_hf_steps *steps, const struct tok_hf_step *s,
                     struct t2_buf *text, struct t2_buf *scratch)
{
    struct t2_buf swap;

    if (has_nothing(s, text))
        return true;
    t2_buf_clear(scratch);
    apply(steps, s, text, scratch);
    swap = *text;
    *text = *scratch;
    *scratch = swap;
    return text->len_bytes <= TOK_HF_MAX_NORMAL_BYTES;
}

bool tok_hf_replace_all(const struct tok_hf_step *step, struct t2_buf *text, struct t2_buf *scratch)
{
    return run_step(NULL, step, text, scratch);
}

bool tok_hf_normalize(const struct tok_hf_steps *steps, struct t2_buf *text, struct t2_buf *scratch)
{
    for (size_t i = 0; i < steps->n; i++)
        if (!run_step(steps, &steps->items[i], text, scratch))
            return false;
    return true;
}
