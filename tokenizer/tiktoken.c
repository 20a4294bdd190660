/*
 * tokenizer/tiktoken.c - tiktoken's rank files as an encoder.
 *
 * A line is the base64 of a token's bytes, a blank and its rank, which is its id.  The merges are
 * implicit: of all neighbours take those whose bytes together have the lowest rank.  The pattern is
 * not in the file; it is known by the number of ranks of the published files, else GPT-2's.  No
 * special tokens: what looks like one in a text is text.
 */
#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "base/base64.h"
#include "base/map.h"
#include "tokenizer/byte_bpe.h"
#include "tokenizer/encoder_kinds.h"
#include "tokenizer/trie.h"
#include "tokenizer/unicode.h"

enum { MAX_FIRST_RANK = 256 };
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
    T2_TRY(tok_check_line(e, len_bytes, err));
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

    for (size_t i = 0; i < n; i++)
        if (ids[i] >= 0 && ids[i] < e->n)
            t2_buf_append(&bytes, e->entries[ids[i]].data, e->entries[ids[i]].len_bytes);
    tok_utf8_replace(text, bytes.data, bytes.len_bytes);
    t2_buf_release(&bytes);
}

static void write_file(const struct tok_encoder *e, struct t2_buf *file)
{
    for (int32_t i = 0; i < e->n; i++) {
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

/* Published files have up to 200 000 ranks and 2 MB of tokens.  A token of n bytes has up to n
 * merges, so that these are what bounds memory. */
enum { MAX_RANK = 1 << 22, MAX_TOKEN_BYTES = 16 << 20 };

struct rank {
    size_t from, len_bytes; /* in text */
};

struct ranks {
    struct t2_buf text;
    struct rank *items; /* by rank; no bytes: a hole (p50k has one, for its special token) */
    size_t n, capacity;
};

static void ranks_release(struct ranks *r)
{
    t2_buf_release(&r->text);
    t2_free(r->items);
}

static bool parse_line(struct t2_slice line, struct t2_buf *text, uint64_t *rank)
{
    const uint8_t *blank = memchr(line.data, ' ', line.len_bytes);
    size_t n = blank ? (size_t) (blank - line.data) : 0, i = n + 1;

    *rank = 0;
    if (n == 0 || i >= line.len_bytes || !t2_base64_decode((struct t2_slice){line.data, n}, text))
        return false;
    for (; i < line.len_bytes; i++) {
        if (line.data[i] < '0' || line.data[i] > '9' || *rank > INT32_MAX)
            return false;
        *rank = *rank * 10 + (uint64_t) (line.data[i] - '0');
    }
    return true;
}

static void put_rank(struct ranks *r, size_t rank, struct rank token)
{
    if (rank >= r->capacity) {
        size_t n = rank + rank / 2 + 256;
        r->items = t2_realloc(r->items, n, sizeof *r->items);
        r->capacity = n;
    }
    if (rank >= r->n) {
        memset(r->items + r->n, 0, (rank + 1 - r->n) * sizeof *r->items);
        r->n = rank + 1;
    }
    r->items[rank] = token;
}

static enum t2_status read_ranks(const char *origin, struct t2_slice file, struct ranks *r,
                                 struct t2_err *err)
{
    const uint8_t *p = file.data, *end = p + file.len_bytes;

    for (size_t number = 1; p < end; number++) {
        const uint8_t *lf = memchr(p, '\n', (size_t) (end - p));
        struct t2_slice line = {p, (size_t) ((lf ? lf : end) - p)};
        size_t before = r->text.len_bytes;
        uint64_t rank;

        p = lf ? lf + 1 : end;
        if (line.len_bytes > 0 && line.data[line.len_bytes - 1] == '\r')
            line.len_bytes--;
        if (line.len_bytes == 0)
            continue;
        if (!parse_line(line, &r->text, &rank) || r->text.len_bytes == before)
            return t2_fail(err, T2_EFORMAT, "'%s': line %zu is not '<base64> <rank>'", origin,
                           number);
        if (rank >= MAX_RANK)
            return t2_fail(err, T2_EFORMAT,
                           "'%s': line %zu has rank %" PRIu64 "; ranks are below %d", origin,
                           number, rank, MAX_RANK);
        if (rank < r->n && r->items[rank].len_bytes > 0)
            return t2_fail(err, T2_EFORMAT,
                           "'%s': line %zu has rank %" PRIu64 ", which another line has too",
                           origin, number, rank);
        if (r->text.len_bytes > MAX_TOKEN_BYTES)
            return t2_fail(err, T2_EFORMAT,
                           "'%s': at line %zu the tokens are more than %d bytes in all", origin,
                           number, MAX_TOKEN_BYTES);
        put_rank(r, (size_t) rank, (struct rank){before, r->text.len_bytes - before});
    }
    return T2_OK;
}

/* The ids of all beginnings (or, of turned tries, ends) of a token: ids[k] of the one of k + 1
 * bytes. */
static void find_parts(const struct tok_trie *trie, const uint8_t *token, size_t len_bytes,
                       bool turned, int32_t *ids)
{
    uint32_t node = 0;
    size_t k = 0;

    for (; k < len_bytes; k++) {
        uint32_t next = trie->cells[node].base ^ token[turned ? len_bytes - 1 - k : k];

        if (trie->cells[next].parent != node)
            break;
        node = next;
        ids[k] = trie->cells[node].id;
    }
    for (; k < len_bytes; k++)
        ids[k] = -1;
}

/* A trie of the entries read from their ends. */
static void make_turned_trie(const struct tok_encoder *e, struct tok_trie *trie)
{
    struct t2_slice *turned = t2_alloc((size_t) e->n, sizeof *turned);
    uint8_t *bytes = t2_alloc(e->text.len_bytes, 1), *to = bytes;

    for (int32_t i = 0; i < e->n; i++) {
        struct t2_slice token = e->entries[i];

        turned[i] = (struct t2_slice){to, token.len_bytes};
        for (size_t k = token.len_bytes; k > 0; k--)
            *to++ = token.data[k - 1];
    }
    tok_trie_init(trie, turned, (size_t) e->n);
    t2_free(turned);
    t2_free(bytes);
}

/* Every way to cut a token into two tokens is a merge; the tries find them in time linear in the
 * token. */
static void make_merges(struct tok_byte_bpe *b, const struct tok_encoder *e)
{
    struct tok_trie begins, ends;
    size_t longest = 1;
    int32_t *left, *right;

    for (int32_t i = 0; i < e->n; i++)
        if (e->entries[i].len_bytes > longest)
            longest = e->entries[i].len_bytes;
    left = t2_alloc(longest, sizeof *left);
    right = t2_alloc(longest, sizeof *right);
    tok_trie_init(&begins, e->entries, (size_t) e->n);
    make_turned_trie(e, &ends);
    b->merges = tok_merges_new((size_t) e->n * 2);
    for (int32_t i = 0; i < e->n; i++) {
        size_t n = e->entries[i].len_bytes;

        find_parts(&begins, e->entries[i].data, n, false, left);
        find_parts(&ends, e->entries[i].data, n, true, right);
        for (size_t k = 1; k < n; k++)
            if (left[k - 1] >= 0 && right[n - k - 1] >= 0)
                tok_merges_add(b->merges, left[k - 1], right[n - k - 1], (uint32_t) i, i);
    }
    tok_trie_release(&begins);
    tok_trie_release(&ends);
    t2_free(left);
    t2_free(right);
}

/* Tokens by their bytes, and those of one byte. */
static enum t2_status find_tokens(const char *origin, struct tok_byte_bpe *b,
                                  const struct tok_encoder *e, struct t2_err *err)
{
    b->whole = t2_map_new();
    memset(b->bytes, -1, sizeof b->bytes);
    for (int32_t i = 0; i < e->n; i++) {
        struct t2_slice token = e->entries[i];
        bool inserted;
        uint64_t *id;

        if (token.len_bytes == 0)
            continue;
        id = t2_map_at(b->whole, token.data, token.len_bytes, &inserted);
        if (!inserted)
            return t2_fail(err, T2_EFORMAT,
                           "'%s': ranks %" PRIu64 " and %" PRId32 " are the same token", origin,
                           *id, i);
        *id = (uint64_t) i;
        if (token.len_bytes == 1)
            b->bytes[token.data[0]] = i;
    }
    for (unsigned i = 0; i < 256; i++)
        if (b->bytes[i] < 0)
            return t2_fail(err, T2_EFORMAT, "'%s' has no rank for the byte %u", origin, i);
    return T2_OK;
}

enum tok_pattern tok_tiktoken_pattern(int32_t n)
{
    if (n == CL100K_RANKS || n == LLAMA3_RANKS)
        return TOK_PATTERN_CL100K;
    if (n == QWEN_RANKS)
        return TOK_PATTERN_CL100K_1;
    return n == O200K_RANKS ? TOK_PATTERN_O200K : TOK_PATTERN_GPT2;
}

static struct tok_encoder *encoder_of(const struct ranks *r)
{
    struct t2_slice *entries = t2_alloc(r->n, sizeof *entries);
    struct tok_encoder *e;

    for (size_t i = 0; i < r->n; i++)
        entries[i] = (struct t2_slice){r->text.data + r->items[i].from, r->items[i].len_bytes};
    e = tok_encoder_new(&kind, entries, r->n);
    t2_free(entries);
    return e;
}

enum t2_status tok_tiktoken_parse(const char *origin, const void *data, size_t len_bytes,
                                  struct tok_encoder **e, struct t2_err *err)
{
    struct ranks r = {.items = NULL};
    struct tok_byte_bpe *b;
    enum t2_status st = read_ranks(origin, (struct t2_slice){data, len_bytes}, &r, err);

    *e = NULL;
    if (st == T2_OK) {
        *e = encoder_of(&r);
        (*e)->model = b = t2_alloc(1, sizeof *b);
        b->pattern = tok_tiktoken_pattern((*e)->n);
        st = find_tokens(origin, b, *e, err);
        if (st == T2_OK)
            make_merges(b, *e);
    }
    if (st != T2_OK) {
        tok_free(*e);
        *e = NULL;
    }
    ranks_release(&r);
    return st;
}

/* The first line is the base64 of few bytes, a blank and a low rank (special tokens may have the
 * first). */
bool tok_tiktoken_looks_like(const void *data, size_t len_bytes)
{
    const uint8_t *lf =
        len_bytes > 0 ? memchr(data, '\n', len_bytes < 1024 ? len_bytes : 1024) : NULL;
    struct t2_buf text = {NULL, 0, 0};
    uint64_t rank = MAX_FIRST_RANK;
    bool ok;

    if (!lf)
        return false;
    struct t2_slice line = {data, (size_t) (lf - (const uint8_t *) data)};
    if (line.len_bytes > 0 && line.data[line.len_bytes - 1] == '\r')
        line.len_bytes--;
    ok = parse_line(line, &text, &rank) && rank < MAX_FIRST_RANK && text.len_bytes > 0;
    t2_buf_release(&text);
    return ok;
}
