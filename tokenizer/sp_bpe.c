/*
 * tokenizer/sp_bpe.c - bpe::Model::SampleEncode without sampling: the best-scored pair of
 * neighbours is merged until none is a piece.
 *
 * Pairs wait in a heap; the symbols are a list over the text.  A pair in the heap is stale when a
 * symbol of it was merged meanwhile, which its length shows.
 */
#include <string.h>

#include "base/alloc.h"
#include "base/map.h"
#include "tokenizer/sentencepiece.h"

/* Neighbours; an empty symbol was merged into the one before. */
struct symbol {
    uint32_t at, len_bytes;
    int32_t before, after;
    bool is_frozen; /* a user-defined piece: never merged */
};

/* A pair that is a piece. */
struct pair {
    float score;
    int32_t left, right;
    uint32_t len_bytes; /* of both when it was found */
};

struct merging {
    const struct tok_sp_model *m;
    const uint8_t *text;
    struct symbol *symbols;
    size_t n_symbols;
    struct pair *heap;
    size_t n_heap, heap_capacity;
    struct t2_map *split; /* bytes of a merged piece that is unused -> length of its left part */
};

/* Higher scores first, then what stands further left. */
static bool comes_before(const struct pair *a, const struct pair *b)
{
    return a->score > b->score || (a->score == b->score && a->left < b->left);
}

static void push_pair(struct merging *g, struct pair p)
{
    size_t i = g->n_heap++;

    if (g->n_heap > g->heap_capacity) {
        g->heap_capacity = g->heap_capacity ? 2 * g->heap_capacity : 64;
        g->heap = t2_realloc(g->heap, g->heap_capacity, sizeof *g->heap);
    }
    for (; i > 0 && comes_before(&p, &g->heap[(i - 1) / 2]); i = (i - 1) / 2)
        g->heap[i] = g->heap[(i - 1) / 2];
    g->heap[i] = p;
}

static struct pair pop_pair(struct merging *g)
{
    struct pair top = g->heap[0], last = g->heap[--g->n_heap];
    size_t i = 0;

    for (;;) {
        size_t child = 2 * i + 1;
        if (child >= g->n_heap)
            break;
        if (child + 1 < g->n_heap && comes_before(&g->heap[child + 1], &g->heap[child]))
            child++;
        if (!comes_before(&g->heap[child], &last))
            break;
        g->heap[i] = g->heap[child];
        i = child;
    }
    if (g->n_heap > 0)
        g->heap[i] = last;
    return top;
}

static void consider(struct merging *g, int32_t left, int32_t right)
{
    const struct symbol *l, *r;
    const uint64_t *id;
    uint32_t len;

    if (left < 0 || right < 0)
        return;
    l = &g->symbols[left];
    r = &g->symbols[right];
    if (l->is_frozen || r->is_frozen)
        return;
    len = l->len_bytes + r->len_bytes;
    id = t2_map_find(g->m->ids, g->text + l->at, len);
    if (!id)
        return;
    push_pair(g, (struct pair){g->m->scores[*id], left, right, len});
    if (g->m->types[*id] == TOK_SP_UNUSED)
        *t2_map_at(g->split, g->text + l->at, len, NULL) = l->len_bytes;
}

static void split_symbols(struct merging *g, size_t len_bytes)
{
    size_t capacity = 0;

    for (size_t at = 0; at < len_bytes;) {
        size_t n = 0;
        bool frozen = g->m->has_user &&
                      tok_trie_longest(&g->m->user_trie, g->text + at, len_bytes - at, &n) >= 0;

        if (!frozen)
            n = tok_sp_char_bytes(g->text + at, len_bytes - at);
        if (g->n_symbols == capacity) {
            capacity = capacity ? 2 * capacity : 64;
            g->symbols = t2_realloc(g->symbols, capacity, sizeof *g->symbols);
        }
        g->symbols[g->n_symbols] =
            (struct symbol){(uint32_t) at, (uint32_t) n, (int32_t) g->n_symbols - 1,
                            at + n < len_bytes ? (int32_t) g->n_symbols + 1 : -1, frozen};
        g->n_symbols++;
        at += n;
    }
}

static void merge_all(struct merging *g)
{
    for (size_t i = 1; i < g->n_symbols; i++)
        consider(g, (int32_t) i - 1, (int32_t) i);
    while (g->n_heap > 0) {
        struct pair p = pop_pair(g);
        struct symbol *l = &g->symbols[p.left], *r = &g->symbols[p.right];

        if (l->len_bytes == 0 || r->len_bytes == 0 || l->len_bytes + r->len_bytes != p.len_bytes)
            continue; /* one of them was merged since */
        l->len_bytes = p.len_bytes;
        l->after = r->after;
        if (r->after >= 0)
            g->symbols[r->after].before = p.left;
        r->len_bytes = 0;
        consider(g, l->before, p.left);
        consider(g, p.left, l->after);
    }
}

/* Unused pieces are taken apart again, the way they were merged. */
static void put_piece(struct merging *g, uint32_t at, uint32_t len_bytes, struct tok_sp_cut *cut)
{
    const uint64_t *id = t2_map_find(g->m->ids, g->text + at, len_bytes);
    const uint64_t *left = NULL;

    if (id && g->m->types[*id] == TOK_SP_UNUSED)
        left = t2_map_find(g->split, g->text + at, len_bytes);
    if (left && *left > 0 && *left < len_bytes) {
        uint32_t n = (uint32_t) *left;
        put_piece(g, at, n, cut);
        put_piece(g, at + n, len_bytes - n, cut);
        return;
    }
    if (id && g->m->types[*id] == TOK_SP_UNUSED)
        id = NULL; /* a letter: there is no other way to have it */
    tok_ids_push(&cut->ids, id ? (int32_t) *id : g->m->unknown);
    tok_ids_push(&cut->lengths, (int32_t) len_bytes);
}

void tok_sp_cut_bpe(const struct tok_sp_model *m, const uint8_t *text, size_t len_bytes,
                    struct tok_sp_cut *cut)
{
    struct merging g = {.m = m, .text = text, .split = t2_map_new()};

    split_symbols(&g, len_bytes);
    merge_all(&g);
    for (int32_t i = 0; i >= 0 && (size_t) i < g.n_symbols; i = g.symbols[i].after)
        put_piece(&g, g.symbols[i].at, g.symbols[i].len_bytes, cut);
    t2_map_free(g.split);
    t2_free(g.heap);
    t2_free(g.symbols);
}
