/*
 * tokenizer/vocab_file.c - reading vocabulary files of Tensor2Tensor.
 *
 * Spec t2t-datagen.md §4.8, §4.10.
 *
 * The kind of a file is found by its content, in this order: a SentencePiece protobuf, tiktoken's
 * base64 lines, tokenizer.json, subword-nmt's version line, then T2T's own kinds, which are any
 * text: quoted subwords, plain subwords, words (encoder.h).
 */
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/hash.h"
#include "tokenizer/byte_bpe.h"
#include "tokenizer/encoder_kinds.h"
#include "tokenizer/escape.h"
#include "tokenizer/hf_tokenizer.h"
#include "tokenizer/list_kinds.h"
#include "tokenizer/sentencepiece.h"
#include "tokenizer/subword_nmt.h"
#include "tokenizer/unicode.h"

enum { MAX_FILE_BYTES = 256 << 20 };

/* Lines without CR and without blanks at the end, in one buffer. */
struct lines {
    struct t2_buf text;
    struct t2_slice *items;
    size_t n;
};

static void lines_release(struct lines *l)
{
    t2_buf_release(&l->text);
    t2_free(l->items);
}

static size_t count_lines(struct t2_slice file)
{
    size_t n = 0;

    for (size_t i = 0; i < file.len_bytes; i++)
        n += file.data[i] == '\n';
    return n + (file.len_bytes > 0 && file.data[file.len_bytes - 1] != '\n');
}

static enum t2_status split_lines(const char *path, struct t2_slice file, struct lines *l,
                                  struct t2_err *err)
{
    const uint8_t *at, *end;

    if (file.len_bytes == 0)
        return t2_fail(err, T2_EFORMAT, "'%s': the vocabulary file is empty", path);
    at = file.data;
    end = at + file.len_bytes;
    l->items = t2_alloc(count_lines(file), sizeof *l->items);
    t2_buf_reserve(&l->text, file.len_bytes); /* from here on it does not move */
    while (at < end) {
        const uint8_t *stop = memchr(at, '\n', (size_t) (end - at));
        size_t start = l->text.len_bytes, len;

        if (!stop)
            stop = end;
        len = (size_t) (stop - at);
        if (tok_utf8_invalid_at(at, len) != len)
            return t2_fail(err, T2_EFORMAT,
                           "'%s': line %zu is not UTF-8: this is no vocabulary file", path,
                           l->n + 1);
        while (at < stop) {
            const uint8_t *cr = memchr(at, '\r', (size_t) (stop - at));
            const uint8_t *to = cr ? cr : stop;

            t2_buf_append(&l->text, at, (size_t) (to - at));
            at = cr ? to + 1 : stop;
        }
        len = l->text.len_bytes - start;
        tok_strip_end(l->text.data + start, &len);
        l->items[l->n++] = (struct t2_slice){l->text.data + start, len};
        at = stop + 1;
    }
    return T2_OK;
}

static bool line_is(struct t2_slice line, const char *s)
{
    return t2_slice_eq(line, t2_slice_of(s));
}

/* A line in quotes; a single quote character alone counts, as in the original. */
static bool is_quoted(struct t2_slice line)
{
    uint8_t q;

    if (line.len_bytes == 0)
        return false;
    q = line.data[0];
    return (q == '\'' || q == '"') && line.data[line.len_bytes - 1] == q;
}

static struct t2_slice unquoted(struct t2_slice line)
{
    if (!is_quoted(line))
        return line;
    if (line.len_bytes == 1)
        return (struct t2_slice){line.data, 0};
    return (struct t2_slice){line.data + 1, line.len_bytes - 2};
}

/* Every vocabulary that the builder makes has the escape characters as entries of their own. */
static bool has_escape_characters(const struct lines *l)
{
    size_t n_escapes = strlen(tok_escape_characters), n_found = 0;
    bool found[256] = {false}, word_end = false;

    for (size_t i = 0; i < l->n; i++) {
        struct t2_slice line = l->items[i];

        if (line.len_bytes > 1 && line.data[line.len_bytes - 1] == '_')
            word_end = true;
        if (line.len_bytes == 1 && !found[line.data[0]] &&
            strchr(tok_escape_characters, line.data[0]) && line.data[0] != 0) {
            found[line.data[0]] = true;
            n_found++;
        }
    }
    return word_end && n_found == n_escapes;
}

static enum t2_status check_quotes(const char *path, const struct lines *l, struct t2_err *err)
{
    for (size_t i = 0; i < l->n; i++)
        if (!is_quoted(l->items[i]))
            return t2_fail(err, T2_EFORMAT,
                           "'%s': line %zu is not in quotes, but line 1 is: this is no "
                           "vocabulary file",
                           path, i + 1);
    return T2_OK;
}

/* Each line one word, without blanks on both sides. */
static enum t2_status check_words(const char *path, struct lines *l, struct t2_err *err)
{
    for (size_t i = 0; i < l->n; i++) {
        struct t2_slice *line = &l->items[i];
        size_t at = 0;

        tok_strip(&line->data, &line->len_bytes);
        while (at < line->len_bytes) {
            uint32_t c;
            bool valid;

            at += tok_utf8_decode(line->data + at, line->len_bytes - at, &c, &valid);
            if (tok_is_space(c) || c == 0)
                return t2_fail(err, T2_EFORMAT,
                               "'%s': line %zu is not one word: this is neither a subword "
                               "vocabulary nor a list of words",
                               path, i + 1);
        }
    }
    return T2_OK;
}

static enum t2_status make_encoder(const char *path, struct lines *l, struct tok_encoder **e,
                                   struct t2_err *err)
{
    bool quoted, subwords;

    if (l->n > INT32_MAX)
        return t2_fail(err, T2_EFORMAT, "'%s': %zu lines are too many for a vocabulary", path,
                       l->n);
    if (l->items[0].len_bytes >= 4 && memcmp(l->items[0].data, "### ", 4) == 0)
        return t2_fail(err, T2_EUNSUPPORTED,
                       "'%s': line 1 is a TensorFlow Datasets header: another kind of encoder",
                       path);
    quoted = is_quoted(l->items[0]) && l->items[0].len_bytes > 1;
    subwords = quoted || line_is(l->items[0], "<pad>_") ||
               (line_is(l->items[0], "<pad>") && has_escape_characters(l));
    if (quoted)
        T2_TRY(check_quotes(path, l, err));
    if (!subwords && tok_table_of_entries(l->items, l->n))
        return t2_fail(err, T2_EUNSUPPORTED, "'%s': %s", path,
                       tok_table_of_entries(l->items, l->n));
    if (!subwords)
        T2_TRY(check_words(path, l, err));
    if (subwords)
        for (size_t i = 0; i < l->n; i++)
            l->items[i] = unquoted(l->items[i]);
    *e = subwords ? tok_subwords_of(l->items, l->n, quoted) : tok_tokens_of(l->items, l->n);
    return T2_OK;
}

/* Kinds of other programs, asked in order. */
static const struct {
    bool (*looks_like)(const void *data, size_t len_bytes);
    enum t2_status (*parse)(const char *origin, const void *data, size_t len_bytes,
                            struct tok_encoder **e, struct t2_err *err);
} foreign[] = {
    {tok_sp_looks_like, tok_sp_parse},
    {tok_tiktoken_looks_like, tok_tiktoken_parse},
    {tok_hf_looks_like, tok_hf_parse},
    {tok_nmt_looks_like, tok_nmt_parse},
};

enum t2_status tok_parse(const char *origin, const void *data, size_t len_bytes,
                         struct tok_encoder **e, struct t2_err *err)
{
    struct lines l = {.items = NULL};
    enum t2_status st;

    *e = NULL;
    for (size_t i = 0; i < sizeof foreign / sizeof *foreign; i++)
        if (foreign[i].looks_like(data, len_bytes)) {
            T2_TRY(foreign[i].parse(origin, data, len_bytes, e, err));
            t2_sha256_of(data, len_bytes, (*e)->sha256);
            return T2_OK;
        }
    t2_buf_init(&l.text);
    T2_GOTO(st, out, split_lines(origin, (struct t2_slice){data, len_bytes}, &l, err));
    T2_GOTO(st, out, make_encoder(origin, &l, e, err));
    t2_sha256_of(data, len_bytes, (*e)->sha256);
out:
    lines_release(&l);
    return st;
}

enum t2_status tok_load(const char *path, struct tok_encoder **e, struct t2_err *err)
{
    struct t2_buf file;
    enum t2_status st;

    *e = NULL;
    t2_buf_init(&file);
    st = t2_read_file(path, MAX_FILE_BYTES, &file, err);
    if (st == T2_OK)
        st = tok_parse(path, file.data, file.len_bytes, e, err);
    t2_buf_release(&file);
    return st;
}
