/*
 * tokenizer/vocab_words.c - see vocab_words.h.
 *
 * The table of counts is walked by pieces, on all threads: once for the characters, once for the
 * number of symbols of each piece, once to write them where they belong.
 */
#include "tokenizer/vocab_words.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "tokenizer/unicode.h"

enum { TABLE_PIECE = 1 << 14 /* cursors of the table */ };

static int64_t n_pieces(const struct tok_counts *counts)
{
    return (int64_t) ((tok_counts_end(counts) + TABLE_PIECE - 1) / TABLE_PIECE);
}

/* Next word of a piece; *cursor begins at the piece's first. */
static bool next_in(const struct tok_counts *counts, int64_t piece, size_t *cursor,
                    struct t2_slice *word, uint64_t *n)
{
    return tok_counts_next(counts, cursor, word, n) &&
           *cursor <= ((size_t) piece + 1) * TABLE_PIECE;
}

/* ---- alphabet ---- */

/* Occurrences of a code point. */
struct occurrences {
    uint64_t n;
    uint32_t code_point;
};

/* Falling counts, then rising code points. */
static int compare_occurrences(const void *a, const void *b)
{
    const struct occurrences *x = a, *y = b;

    if (x->n != y->n)
        return x->n < y->n ? 1 : -1;
    return (x->code_point > y->code_point) - (x->code_point < y->code_point);
}

/* The most frequent characters of the words, as many as cover the share that is asked for. */
static void add_covering(struct tok_alphabet *set, const struct tok_counts *counts, double share)
{
    uint64_t *by_code_point = t2_alloc(TOK_CODE_POINTS, sizeof *by_code_point);
    struct occurrences *all;
    struct t2_slice word;
    size_t cursor = 0, n_all = 0;
    uint64_t n, total = 0, covered = 0;

    while (tok_counts_next(counts, &cursor, &word, &n))
        for (size_t at = 0; at < word.len_bytes; total += n) {
            uint32_t c;
            bool valid;

            at += tok_utf8_decode(word.data + at, word.len_bytes - at, &c, &valid);
            n_all += by_code_point[c] == 0;
            by_code_point[c] += n;
        }
    all = t2_alloc(n_all, sizeof *all);
    n_all = 0;
    for (uint32_t c = 0; c < TOK_CODE_POINTS; c++)
        if (by_code_point[c] > 0)
            all[n_all++] = (struct occurrences){by_code_point[c], c};
    qsort(all, n_all, sizeof *all, compare_occurrences);
    for (size_t i = 0; i < n_all && (double) covered < share * (double) total; i++) {
        covered += all[i].n;
        set->bits[all[i].code_point / 64] |= (uint64_t) 1 << all[i].code_point % 64;
    }
    t2_free(all);
    t2_free(by_code_point);
}

struct gathering {
    const struct tok_counts *counts;
    struct tok_alphabet *sets; /* per worker */
};

static void gather_piece(void *arg, int64_t piece, int worker)
{
    struct gathering *g = arg;
    size_t cursor = (size_t) piece * TABLE_PIECE;
    struct t2_slice word;
    uint64_t n;

    while (next_in(g->counts, piece, &cursor, &word, &n))
        tok_alphabet_add(&g->sets[worker], word.data, word.len_bytes);
}

static void add_all(struct tok_alphabet *set, const struct tok_counts *counts, struct t2_pool *pool)
{
    int n = t2_pool_threads(pool);
    struct gathering g = {counts, t2_alloc((size_t) n, sizeof *g.sets)};

    for (int k = 0; k < n; k++)
        tok_alphabet_init(&g.sets[k]);
    t2_pool_run(pool, n_pieces(counts), gather_piece, &g);
    for (int k = 0; k < n; k++) {
        for (size_t i = 0; i < TOK_CODE_POINTS / 64; i++)
            set->bits[i] |= g.sets[k].bits[i];
        tok_alphabet_release(&g.sets[k]);
    }
    t2_free(g.sets);
}

void tok_ranks_init(struct tok_ranks *r, const struct tok_counts *counts,
                    const char *const *reserved, size_t n_reserved, double coverage,
                    struct t2_pool *pool)
{
    *r = (struct tok_ranks){0};
    tok_alphabet_init(&r->set);
    if (coverage > 0 && coverage < 1)
        add_covering(&r->set, counts, coverage);
    else
        add_all(&r->set, counts, pool);
    for (size_t i = 0; i < n_reserved; i++) {
        struct t2_slice s = t2_slice_of(reserved[i]);

        tok_alphabet_add(&r->set, s.data, s.len_bytes);
    }
    r->before = t2_alloc(TOK_CODE_POINTS / 64, sizeof *r->before);
    for (uint32_t i = 0; i < TOK_CODE_POINTS / 64; i++) {
        r->before[i] = r->n;
        r->n += (uint32_t) __builtin_popcountll(r->set.bits[i]);
    }
    r->code_points = t2_alloc(r->n, sizeof *r->code_points);
    for (uint32_t i = 0, rank = 0; i < TOK_CODE_POINTS / 64; i++)
        for (uint64_t bits = r->set.bits[i]; bits != 0; bits &= bits - 1)
            r->code_points[rank++] = i * 64 + (uint32_t) __builtin_ctzll(bits);
}

void tok_ranks_release(struct tok_ranks *r)
{
    tok_alphabet_release(&r->set);
    t2_free(r->before);
    t2_free(r->code_points);
    *r = (struct tok_ranks){0};
}

/* ---- words ---- */

/*
 * The rank of a code point: the number of smaller ones in the alphabet, by blocks of 64 and a
 * population count.
 */
static uint32_t rank_of(const struct tok_ranks *r, uint32_t c)
{
    uint64_t smaller = ((uint64_t) 1 << c % 64) - 1;

    return r->before[c / 64] + (uint32_t) __builtin_popcountll(r->set.bits[c / 64] & smaller);
}

size_t tok_escape_symbols(const struct tok_ranks *r, const uint8_t *word, size_t len_bytes,
                          uint32_t *to)
{
    size_t n = 0, at = 0;

    while (at <= len_bytes) {
        char number[16] = "";
        const char *s = number;
        uint32_t c = '_';
        bool valid;

        if (at == len_bytes)
            at++;
        else {
            at += tok_utf8_decode(word + at, len_bytes - at, &c, &valid);
            if (c == '\\')
                s = "\\\\";
            else if (c == '_')
                s = "\\u";
            else if (c == '\n' || !tok_alphabet_has(&r->set, c))
                snprintf(number, sizeof number, "\\%" PRIu32 ";", c);
        }
        if (*s == 0) {
            if (to)
                to[n] = rank_of(r, c);
            n++;
        }
        for (; *s != 0; s++, n++)
            if (to)
                to[n] = rank_of(r, (uint8_t) *s);
    }
    return n;
}

/* Of a piece of the table: its words and symbols, and those before it. */
struct piece {
    size_t n_words, n_symbols, first_word, first_symbol;
};

struct escaping {
    const struct tok_counts *counts;
    const struct tok_ranks *ranks;
    struct piece *pieces;
    struct tok_words *words;
};

static void measure_piece(void *arg, int64_t k, int worker)
{
    const struct escaping *e = arg;
    struct piece *piece = &e->pieces[k];
    size_t cursor = (size_t) k * TABLE_PIECE;
    struct t2_slice word;
    uint64_t n;

    (void) worker;
    for (; next_in(e->counts, k, &cursor, &word, &n); piece->n_words++)
        piece->n_symbols += tok_escape_symbols(e->ranks, word.data, word.len_bytes, NULL);
}

static void escape_piece(void *arg, int64_t k, int worker)
{
    const struct escaping *e = arg;
    struct tok_words *w = e->words;
    size_t cursor = (size_t) k * TABLE_PIECE, at = e->pieces[k].first_word;
    size_t to = e->pieces[k].first_symbol;
    struct t2_slice word;
    uint64_t n;

    (void) worker;
    for (; next_in(e->counts, k, &cursor, &word, &n); at++) {
        to += tok_escape_symbols(e->ranks, word.data, word.len_bytes, w->symbols + to);
        w->counts[at] = n;
        w->starts[at + 1] = (uint32_t) to;
    }
}

enum t2_status tok_words_init(struct tok_words *w, const struct tok_ranks *r,
                              const struct tok_counts *counts, struct t2_pool *pool,
                              struct t2_err *err)
{
    int64_t n = n_pieces(counts);
    struct escaping e = {counts, r, t2_alloc((size_t) n, sizeof *e.pieces), w};
    size_t n_words = 0, n_symbols = 0;
    enum t2_status st = T2_OK;

    *w = (struct tok_words){0};
    t2_pool_run(pool, n, measure_piece, &e);
    for (int64_t k = 0; k < n; k++) {
        e.pieces[k].first_word = n_words;
        e.pieces[k].first_symbol = n_symbols;
        n_words += e.pieces[k].n_words;
        n_symbols += e.pieces[k].n_symbols;
    }
    if (n_symbols == 0)
        st = t2_fail(err, T2_EFORMAT, "no word to build a vocabulary from");
    else if (n_symbols >= INT32_MAX)
        st = t2_fail(err, T2_EUNSUPPORTED,
                     "the distinct words have %zu characters in all; a vocabulary can be built "
                     "from fewer than %" PRId32,
                     n_symbols, INT32_MAX);
    if (st == T2_OK) {
        w->n_words = (uint32_t) n_words;
        w->n_symbols = (uint32_t) n_symbols;
        w->n_kinds = r->n;
        w->last = rank_of(r, '_');
        w->symbols = t2_alloc(n_symbols, sizeof *w->symbols);
        w->starts = t2_alloc(n_words + 1, sizeof *w->starts);
        w->counts = t2_alloc(n_words, sizeof *w->counts);
        t2_pool_run(pool, n, escape_piece, &e);
    }
    t2_free(e.pieces);
    return st;
}
