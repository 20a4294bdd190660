/*
 * tokenizer/tiktoken.c - tiktoken's rank files as an encoder.
 *
 * A line is the base64 of a token's bytes, a blank and its rank, which is its id.  The merges are
 * implicit: of all neighbours take those whose bytes together have the lowest rank.  The pattern is not in
 * the file; it is known by the number of ranks of the published files, else GPT-2's.  No special tokens:
 * what looks like one in a text is text.
 */
#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "base/base64.h"
#include "base/map.h"
#include "tokenizer/byte_bpe.h"
#include "tokenizer/encoder_kinds.h"
#include "tokenizer/unicode.h"

enum { CL100K_RANKS = 100256, O200K_RANKS = 199998, LLAMA3_RANKS = 128000, QWEN_RANKS = 151643 };

static void free_model(void *model)
{
    tok_byte_bpe_release(model);
    t2_free(model);
}

static enum t2_status encode(const struct tok_encoder *e, struct tok_cache *cache,
                             const uint8_t *text, size_t len_bytes, struct tok_ids *ids,
                             struct t2_err *err)
{
    return tok_byte_bpe_encode(e->model, cache, text, len_bytes, ids, err);
}

static enum t2_status cut(const struct tok_encoder *e, const uint8_t *word, size_t len_bytes,
                          struct t2_buf *scratch, struct tok_ids *ids, struct t2_err *err)
{
    (void) scratch;
    (void) err;
    tok_byte_bpe_cut(e->model, word, len_bytes, ids);
    return T2_OK;
}

static void decode(const struct tok_encoder *e, const int32_t *ids, size_t n, struct t2_buf *text)
{
    struct t2_buf bytes = {NULL, 0, 0};

    for (size_t i = 0; i < n; ++i)
        if (ids[i] >= 0 && ids[i] < e->n)
            t2_buf_append(&bytes, e->entries[ids[i]].data, e->entries[ids[i]].len_bytes);
    tok_utf8_replace(text, bytes.data, bytes.len_bytes);
    t2_buf_release(&bytes);
}

static void write_file(const struct tok_encoder *e, struct t2_buf *file)
{
    for (int32_t i = 0; i < e->n; ++i) {
        if (e->entries[i].len_bytes == 0)
            continue;
        t2_base64_encode(e->entries[i], file);
        t2_buf_printf(file, " %" PRId32 "\n", i);
    }
}

static const struct tok_kind kind = {
    .name = "tiktoken ranks",
    .encode = encode,
    .cut = cut,
    .decode = decode,
    .write = write_file,
    .free_model = free_model,
};

/* ---- reading ---- */

/* A token's bytes stand in text, at ends[rank - 1] .. ends[rank]; ranks are dense and in order. */
struct ranks {
    struct t2_buf text;
    struct tok_ids ends;
};

static bool parse_line(struct t2_slice line, struct t2_buf *text, uint64_t *rank)
{
    const uint8_t *blank = memchr(line.data, ' ', line.len_bytes);
    size_t n = blank ? (size_t) (blank - line.data) : 0, i = n + 1;

    *rank = 0;
    if (n == 0 || i >= line.len_bytes || !t2_base64_decode((struct t2_slice){line.data, n}, text))
        return false;
    for (; i < line.len_bytes; ++i) {
        if (line.data[i] < '0' || line.data[i] > '9' || *rank > INT32_MAX)
            return false;
        *rank = *rank * 10 + (uint64_t) (line.data[i] - '0');
    }
    return true;
}

static enum t2_status read_ranks(const char *origin, struct t2_slice file, struct ranks *r,
                                 struct t2_err *err)
{
    const uint8_t *p = file.data, *end = p + file.len_bytes;

    for (size_t number = 1; p < end; ++number) {
        const uint8_t *lf = memchr(p, '\n', (size_t) (end - p));
        struct t2_slice line = {p, (size_t) ((lf ? lf : end) - p)};
        size_t before = r->text.len_bytes;
        uint64_t rank;

        p = lf ? lf + 1 : end;
        if (line.len_bytes > 0 && line.data[line.len_bytes - 1] == '\r')
            --line.len_bytes;
        if (line.len_bytes == 0)
            continue;
        if (!parse_line(line, &r->text, &rank) || r->text.len_bytes == before)
            return t2_fail(err, T2_EFORMAT, "'%s': line %zu is not '<base64> <rank>'", origin,
                           number);
        if (rank != r->ends.n)
            return t2_fail(err, T2_EFORMAT, "'%s': line %zu has rank %" PRIu64 ", %zu comes next",
                           origin, number, rank, r->ends.n);
        if (r->text.len_bytes > INT32_MAX)
            return t2_fail(err, T2_EFORMAT, "'%s' is too large for ranks", origin);
        tok_ids_push(&r->ends, (int32_t) r->text.len_bytes);
    }
    return T2_OK;
}

/* Every way to cut a token into two tokens is a merge. */
static void make_merges(struct tok_byte_bpe *b, const struct tok_encoder *e)
{
    struct t2_map *ids = t2_map_new();

    for (int32_t i = 0; i < e->n; ++i)
        *t2_map_at(ids, e->entries[i].data, e->entries[i].len_bytes, NULL) = (uint64_t) i;
    memset(b->bytes, -1, sizeof(b->bytes));
    b->merges = tok_merges_new((size_t) e->n * 2);
    for (int32_t i = 0; i < e->n; ++i) {
        struct t2_slice token = e->entries[i];

        if (token.len_bytes == 1)
            b->bytes[token.data[0]] = i;
        for (size_t k = 1; k < token.len_bytes; ++k) {
            const uint64_t *left = t2_map_find(ids, token.data, k);
            const uint64_t *right = t2_map_find(ids, token.data + k, token.len_bytes - k);
            if (left && right)
                tok_merges_add(b->merges, (int32_t) *left, (int32_t) *right, (uint32_t) i, i);
        }
    }
    b->whole = ids;
}

static enum tok_pattern pattern_of_size(int32_t n)
{
    if (n == CL100K_RANKS || n == LLAMA3_RANKS)
        return TOK_PATTERN_CL100K;
    if (n == QWEN_RANKS)
        return TOK_PATTERN_CL100K_1;
    return n == O200K_RANKS ? TOK_PATTERN_O200K : TOK_PATTERN_GPT2;
}

enum t2_status tok_tiktoken_parse(const char *origin, const void *data, size_t len_bytes,
                                  struct tok_encoder **e, struct t2_err *err)
{
    struct ranks r = {.text = {NULL, 0, 0}};
    struct tok_byte_bpe *b;
    struct t2_slice *entries;
    enum t2_status st = read_ranks(origin, (struct t2_slice){data, len_bytes}, &r, err);

    *e = NULL;
    if (st == T2_OK) {
        entries = t2_alloc(r.ends.n, sizeof(*entries));
        for (size_t i = 0; i < r.ends.n; ++i) {
            size_t from = i > 0 ? (size_t) r.ends.items[i - 1] : 0;
            entries[i] = (struct t2_slice){r.text.data + from, (size_t) r.ends.items[i] - from};
        }
        *e = tok_encoder_new(&kind, entries, r.ends.n);
        b = t2_alloc(1, sizeof(*b));
        (*e)->model = b;
        make_merges(b, *e);
        b->pattern = pattern_of_size((*e)->n);
        for (unsigned i = 0; st == T2_OK && i < 256; ++i)
            if (b->bytes[i] < 0)
                st = t2_fail(err, T2_EFORMAT, "'%s' has no rank for the byte %u", origin, i);
        t2_free(entries);
    }
    if (st != T2_OK) {
        tok_free(*e);
        *e = NULL;
    }
    t2_buf_release(&r.text);
    tok_ids_release(&r.ends);
    return st;
}

/* The first line is the base64 of few bytes, a blank and 0. */
bool tok_tiktoken_looks_like(const void *data, size_t len_bytes)
{
    const uint8_t *lf = memchr(data, '\n', len_bytes < 1024 ? len_bytes : 1024);
    struct t2_buf text = {NULL, 0, 0};
    uint64_t rank = 1;
    bool ok;

    if (lf == NULL)
        return false;
    struct t2_slice line = {data, (size_t) (lf - (const uint8_t *) data)};
    if (line.len_bytes > 0 && line.data[line.len_bytes - 1] == '\r')
        --line.len_bytes;
    ok = parse_line(line, &text, &rank) && rank == 0 && text.len_bytes > 0;
    t2_buf_release(&text);
    return ok;
}
