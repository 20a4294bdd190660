/*
 * tokenizer/bpe_order.c - merging each entry alone, with the ranks below its own.
 *
 * Published vocabularies list entries and not merges.  An entry of rank r is made by the last
 * merge that happens when the entry's own bytes are merged with the ranks below r alone: two
 * symbols are left, and they are the pair.  An entry for which that does not hold either has no
 * merge at all (n_never) or one that merging would not choose (n_wrong), and a conversion by
 * merges is then not exact.
 */
#include "tokenizer/bpe_order.h"

#include "base/alloc.h"
#include "base/map.h"
#include "tokenizer/sentencepiece.h"

/* Entries of more symbols are not looked at and count as wrong: the work is quadratic. */
enum { MAX_SYMBOLS = 1024 };

struct merging {
    const struct tok_ranked *r;
    struct t2_map *ids;
    struct t2_slice token;
    uint32_t starts[MAX_SYMBOLS + 1]; /* of the symbols; the end of the token behind */
    int64_t pairs[MAX_SYMBOLS];       /* rank of symbol i with the next, TOK_NO_RANK when none */
    size_t n;
};

size_t tok_symbol_bytes(struct t2_slice s, size_t at, bool by_char)
{
    return by_char ? tok_sp_char_bytes(s.data + at, s.len_bytes - at) : 1;
}

static int32_t id_of(const struct merging *g, uint32_t from, uint32_t end)
{
    const uint64_t *id = t2_map_find(g->ids, g->token.data + from, end - from);

    return id ? (int32_t) *id : -1;
}

static void rank_pair(struct merging *g, size_t i, int64_t below)
{
    int32_t id = i + 1 < g->n ? id_of(g, g->starts[i], g->starts[i + 2]) : -1;
    int64_t rank = id >= 0 ? g->r->ranks[id] : TOK_NO_RANK;

    g->pairs[i] = rank < below ? rank : TOK_NO_RANK;
}

static bool split_symbols(struct merging *g)
{
    g->n = 0;
    for (size_t at = 0; at < g->token.len_bytes;
         at += tok_symbol_bytes(g->token, at, g->r->by_char)) {
        if (g->n == MAX_SYMBOLS)
            return false;
        g->starts[g->n++] = (uint32_t) at;
    }
    g->starts[g->n] = (uint32_t) g->token.len_bytes;
    return true;
}

/* The pair of the lowest rank, the leftmost of equals; n: there is none. */
static size_t best_pair(const struct merging *g)
{
    size_t best = g->n;

    for (size_t i = 0; i + 1 < g->n; i++)
        if (g->pairs[i] != TOK_NO_RANK && (best == g->n || g->pairs[i] < g->pairs[best]))
            best = i;
    return best;
}

static void merge_below(struct merging *g, int64_t below)
{
    size_t best;

    for (size_t i = 0; i < g->n; i++)
        rank_pair(g, i, below);
    while ((best = best_pair(g)) < g->n) {
        g->n--;
        for (size_t i = best + 1; i <= g->n; i++)
            g->starts[i] = g->starts[i + 1];
        for (size_t i = best + 1; i < g->n; i++)
            g->pairs[i] = g->pairs[i + 1];
        rank_pair(g, best, below);
        if (best > 0)
            rank_pair(g, best - 1, below);
    }
}

/* Can two entries, or symbols, make the token up? */
static bool has_pair(const struct merging *g)
{
    size_t first = tok_symbol_bytes(g->token, 0, g->r->by_char), n;

    for (size_t at = first; at < g->token.len_bytes; at += n) {
        n = tok_symbol_bytes(g->token, at, g->r->by_char);
        if ((at == first || id_of(g, 0, (uint32_t) at) >= 0) &&
            (at + n == g->token.len_bytes ||
             id_of(g, (uint32_t) at, (uint32_t) g->token.len_bytes) >= 0))
            return true;
    }
    return false;
}

static void split_token(struct merging *g, int32_t id, struct tok_splits *s)
{
    int64_t rank = g->r->ranks[id];
    bool fits = split_symbols(g);

    if (fits && g->n < 2)
        return;
    if (fits && rank != TOK_NO_RANK) {
        struct tok_split split;
        merge_below(g, rank);
        split.left = id_of(g, g->starts[0], g->starts[1]);
        split.right = g->n == 2 ? id_of(g, g->starts[1], g->starts[2]) : -1;
        if (g->n == 2 && split.left >= 0 && split.right >= 0) {
            s->items[id] = split;
            return;
        }
    }
    /* what merging may make, if not the way it makes the entry alone; without a rank nothing makes
     * it */
    if (!fits || (rank != TOK_NO_RANK && has_pair(g))) {
        if (s->n_wrong++ == 0)
            s->first_wrong = id;
    } else if (s->n_never++ == 0) {
        s->first_never = id;
    }
}

void tok_splits_init(struct tok_splits *s, const struct tok_ranked *r)
{
    struct merging *g = t2_alloc(1, sizeof *g);

    *s = (struct tok_splits){.items = t2_alloc(r->n, sizeof *s->items),
                             .first_wrong = -1,
                             .first_never = -1};
    g->r = r;
    g->ids = t2_map_new();
    for (size_t i = 0; i < r->n; i++)
        if (r->tokens[i].len_bytes > 0)
            *t2_map_at(g->ids, r->tokens[i].data, r->tokens[i].len_bytes, NULL) = (uint64_t) i;
    for (size_t i = 0; i < r->n; i++) {
        s->items[i] = (struct tok_split){-1, -1};
        g->token = r->tokens[i];
        if (g->token.len_bytes > 0)
            split_token(g, (int32_t) i, s);
    }
    t2_map_free(g->ids);
    t2_free(g);
}

void tok_splits_release(struct tok_splits *s)
{
    t2_free(s->items);
    *s = (struct tok_splits){.items = NULL};
}
