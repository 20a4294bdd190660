/*
 * tokenizer/subword_tree_groups.c - the tree by groups of first symbols: several at a time on the
 * threads, or, without its rare nodes, one after the other, never all of it at a time.
 *
 * Suffixes that begin with other symbols have no node in common but the root.  So the suffixes of
 * each group are sorted by themselves and become nodes that lie one behind the other.  Groups go
 * from the highest first symbol to the lowest, so the numbering is that of the whole tree, whatever
 * the groups.
 *
 * All nodes: suffixes are sorted and their nodes counted, then each group makes its own where it
 * belongs.  Without the rare ones: each group's nodes, in memory of their own, go as soon as they
 * are counted; peak memory is words, locus and one group of about a sixteenth of the suffixes with
 * its nodes, in place of all suffixes and nodes.
 */
#include <string.h>

#include "base/alloc.h"
#include "base/err.h"
#include "tokenizer/subword_tree_build.h"
#include "tokenizer/suffix_sort.h"

enum {
    GROUPS = 16,
    GROUPS_A_THREAD = 4, /* at least, as they are not alike */
    PIECES_MAX = 256,    /* into which words are cut */
    WORDS_MIN = 1 << 12  /* of such a piece */
};

/* What suffixes are sorted in, kept from one group to the next. */
struct sorting {
    struct tok_suffix *items, *spare;
    uint32_t n;
};

/* The suffixes that begin with a symbol from `low` up to, not with, `high`. */
struct group {
    uint32_t low, high;
    uint32_t n;        /* suffixes */
    uint32_t n_unused; /* symbols that no suffix begins with */
    int32_t *order;    /* (n) places; in the end sorted */
    uint32_t *shared;  /* (n) symbols that each shares with the one before it */
    uint32_t first_node, n_nodes;
    uint64_t count; /* of all its suffixes */
};

struct grouping {
    struct tok_tree *t;
    const struct tok_words *words;
    uint32_t limit;
    struct group *groups;
    int64_t n_groups;
    /* of all nodes */
    uint32_t *by_size;  /* (n_groups) groups, the largest first: they are begun in this order */
    uint32_t *group_of; /* (n_kinds) by first symbol */
    uint32_t *next;     /* (pieces of words, row): where the piece's next place of a group goes */
    int64_t row;        /* n_groups, and so many that two rows have no cache line in common */
    int32_t *order;     /* (n_symbols) of the groups, one behind the other */
    uint32_t *shared;
    struct sorting *sortings; /* of each thread */
};

/* Groups of about as many suffixes, one symbol at least. */
static void cut(struct grouping *a, uint32_t wanted)
{
    const struct tok_words *w = a->words;
    uint32_t *sizes = t2_alloc(w->n_kinds, sizeof *sizes);
    uint32_t most = w->n_symbols / wanted;
    int64_t capacity = 0;

    for (uint32_t i = 0; i < w->n_symbols; i++)
        sizes[w->symbols[i]]++;
    for (uint32_t high = w->n_kinds, low; high > 0; high = low) {
        struct group g = {.high = high};

        for (low = high; low > 0 && (low == high || g.n + sizes[low - 1] <= most); low--) {
            g.n += sizes[low - 1];
            g.n_unused += sizes[low - 1] == 0;
        }
        g.low = low;
        if (a->n_groups == capacity) {
            capacity = 2 * capacity + 64;
            a->groups = t2_realloc(a->groups, (size_t) capacity, sizeof *a->groups);
        }
        a->groups[a->n_groups++] = g;
    }
    t2_free(sizes);
}

/* Places of the group's suffixes, of all words. */
static void collect(const struct tok_words *w, const struct group *g, struct tok_suffix *items)
{
    uint32_t n = 0;

    /* Every place is written and the group's are kept: no branch to mispredict. */
    for (uint32_t i = 0; i < w->n_symbols; i++) {
        items[n].place = i;
        n += w->symbols[i] - g->low < g->high - g->low;
    }
    T2_ASSERT(n == g->n);
}

static void need(struct sorting *s, uint32_t n)
{
    if (s->items && n <= s->n)
        return;
    t2_free(s->items);
    t2_free(s->spare);
    s->n = n;
    s->items = t2_realloc(NULL, (size_t) n + 1, sizeof *s->items);
    s->spare = t2_realloc(NULL, (size_t) n + 1, sizeof *s->spare);
}

static void release(struct sorting *s)
{
    t2_free(s->items);
    t2_free(s->spare);
}

/* s->items has the group's places, rising; sorts them and fills order and shared. */
static void sort_group(const struct grouping *a, const struct group *g, const struct sorting *s)
{
    const struct tok_suffix_text text = {a->words->symbols, a->t->locus, a->words->n_kinds};
    struct tok_suffix *items = s->items;

    for (uint32_t i = 0, k = 0; i < g->n; i++) {
        while (a->words->starts[k + 1] <= items[i].place)
            k++;
        items[i].word = k;
    }
    tok_sort_suffixes(&text, items, g->n, s->spare);
    for (uint32_t i = 0; i < g->n; i++) {
        g->order[i] = (int32_t) items[i].place;
        g->shared[i] = (uint32_t) items[i].shared;
    }
}

/* The group's nodes become the next ones of t, whose locus is the whole tree's; those of depth 1
 * get no parent. */
static void make_nodes(const struct grouping *a, const struct group *g, struct tok_tree *t,
                       uint32_t capacity)
{
    struct tok_tree_builder b = {
        .t = t, .words = a->words, .order = g->order, .shared = g->shared, .capacity = capacity};

    tok_tree_begin(&b);
    b.next_symbol = g->high;
    tok_tree_visit(&b, (int32_t) g->n);
    tok_tree_unused_symbols(&b, g->low);
    t2_free(b.stack);
}

/* ---- all nodes ---- */

/* Words of a piece of work. */
static uint32_t piece_words(const struct tok_words *w)
{
    uint32_t n = w->n_words / PIECES_MAX + 1;

    return n > WORDS_MIN ? n : WORDS_MIN;
}

static int64_t n_pieces(const struct tok_words *w)
{
    uint32_t words = piece_words(w);

    return ((int64_t) w->n_words + words - 1) / words;
}

/* The words of a piece: first .. end - 1. */
static uint32_t first_word(const struct tok_words *w, int64_t piece, uint32_t *end)
{
    uint32_t n = piece_words(w), first = (uint32_t) piece * n;

    *end = w->n_words - first < n ? w->n_words : first + n;
    return first;
}

/* Lengths of the piece's suffixes, and how many are of each group. */
static void measure_piece(void *arg, int64_t piece, int worker)
{
    const struct grouping *a = arg;
    const struct tok_words *w = a->words;
    uint32_t *n = a->next + piece * a->row, end, first = first_word(w, piece, &end);

    (void) worker;
    tok_tree_find_lengths(a->t, w, first, end, a->limit);
    for (uint32_t p = w->starts[first]; p < w->starts[end]; p++)
        n[a->group_of[w->symbols[p]]]++;
}

static void place_piece(void *arg, int64_t piece, int worker)
{
    const struct grouping *a = arg;
    const struct tok_words *w = a->words;
    uint32_t *next = a->next + piece * a->row, end, first = first_word(w, piece, &end);

    (void) worker;
    for (uint32_t p = w->starts[first]; p < w->starts[end]; p++) {
        uint32_t g = a->group_of[w->symbols[p]];

        a->groups[g].order[next[g]++] = (int32_t) p;
    }
}

/* Every group gets its places in `order`, rising. */
static void place_all(struct grouping *a, struct t2_pool *pool)
{
    enum { CACHE_LINE = 64 / sizeof *a->next };
    int64_t pieces = n_pieces(a->words);
    uint32_t at = 0;

    a->row = a->n_groups + CACHE_LINE;
    a->group_of = t2_alloc(a->words->n_kinds, sizeof *a->group_of);
    a->next = t2_alloc((size_t) (pieces * a->row), sizeof *a->next);
    a->order = t2_realloc(NULL, a->words->n_symbols, sizeof *a->order);
    a->shared = t2_realloc(NULL, a->words->n_symbols, sizeof *a->shared);
    for (int64_t i = 0; i < a->n_groups; i++)
        for (uint32_t c = a->groups[i].low; c < a->groups[i].high; c++)
            a->group_of[c] = (uint32_t) i;
    t2_pool_run(pool, pieces, measure_piece, a);
    for (int64_t i = 0; i < a->n_groups; i++) {
        struct group *g = &a->groups[i];
        uint32_t sum = 0;

        for (int64_t k = 0; k < pieces; k++) {
            uint32_t n = a->next[k * a->row + i];

            a->next[k * a->row + i] = sum;
            sum += n;
        }
        T2_ASSERT(sum == g->n);
        g->order = a->order + at;
        g->shared = a->shared + at;
        at += sum;
    }
    t2_pool_run(pool, pieces, place_piece, a);
    t2_free(a->group_of);
    t2_free(a->next);
}

/* By insertion: there are few. */
static void order_by_size(struct grouping *a)
{
    a->by_size = t2_alloc((size_t) a->n_groups, sizeof *a->by_size);
    for (uint32_t i = 0; i < a->n_groups; i++) {
        uint32_t k = i;

        for (; k > 0 && a->groups[a->by_size[k - 1]].n < a->groups[i].n; k--)
            a->by_size[k] = a->by_size[k - 1];
        a->by_size[k] = i;
    }
}

static void sort_piece(void *arg, int64_t piece, int worker)
{
    const struct grouping *a = arg;
    struct group *g = &a->groups[a->by_size[piece]];
    struct sorting *s = &a->sortings[worker];

    need(s, g->n);
    for (uint32_t i = 0; i < g->n; i++)
        s->items[i].place = (uint32_t) g->order[i];
    sort_group(a, g, s);
    g->n_nodes = g->n_unused + tok_tree_count_nodes(a->t, g->order, g->shared, (int32_t) g->n);
}

static void node_piece(void *arg, int64_t piece, int worker)
{
    const struct grouping *a = arg;
    struct group *g = &a->groups[a->by_size[piece]];
    struct tok_tree t = *a->t; /* the same arrays */

    (void) worker;
    t.n_nodes = g->first_node;
    make_nodes(a, g, &t, g->first_node + g->n_nodes);
    T2_ASSERT(t.n_nodes == g->first_node + g->n_nodes);
}

/* Each place adds its word's count to its deepest node.  The last place of all words has the same
 * node, to which threads would add at the same time: its sum is added at once. */
static void count_piece(void *arg, int64_t piece, int worker)
{
    const struct grouping *a = arg;
    const struct tok_words *w = a->words;
    struct tok_tree *t = a->t;
    uint32_t to, from = first_word(w, piece, &to);
    uint64_t ends = 0;

    (void) worker;
    for (uint32_t k = from; k < to; k++) {
        for (uint32_t p = w->starts[k]; p + 1 < w->starts[k + 1]; p++)
            __atomic_fetch_add(&t->count[t->locus[p]], w->counts[k], __ATOMIC_RELAXED);
        ends += w->counts[k];
    }
    __atomic_fetch_add(&t->count[t->locus[w->starts[to] - 1]], ends, __ATOMIC_RELAXED);
}

/* Children come first. */
static void sum_piece(void *arg, int64_t piece, int worker)
{
    const struct grouping *a = arg;
    struct group *g = &a->groups[a->by_size[piece]];
    struct tok_tree *t = a->t;
    uint32_t root = t->n_nodes - 1;

    (void) worker;
    for (uint32_t i = g->first_node; i < g->first_node + g->n_nodes; i++)
        if (t->depth[i] == 1) {
            t->parent[i] = root;
            g->count += t->count[i];
        } else
            t->count[t->parent[i]] += t->count[i];
}

static void make_all(struct grouping *a, struct t2_pool *pool)
{
    struct tok_tree *t = a->t;
    int threads = t2_pool_threads(pool);
    uint32_t root;

    place_all(a, pool);
    order_by_size(a);
    a->sortings = t2_alloc((size_t) threads, sizeof *a->sortings);
    t2_pool_run(pool, a->n_groups, sort_piece, a);
    for (int i = 0; i < threads; i++)
        release(&a->sortings[i]);
    t2_free(a->sortings);
    for (int64_t i = 0; i < a->n_groups; i++) {
        a->groups[i].first_node = t->n_nodes;
        t->n_nodes += a->groups[i].n_nodes;
    }
    root = t->n_nodes++;
    t->parent = t2_alloc(t->n_nodes, sizeof *t->parent);
    t->depth = t2_alloc(t->n_nodes, sizeof *t->depth);
    t->at = t2_alloc(t->n_nodes, sizeof *t->at);
    t2_pool_run(pool, a->n_groups, node_piece, a);
    t2_free(a->order);
    t2_free(a->shared);
    t->count = t2_alloc(t->n_nodes, sizeof *t->count);
    t2_pool_run(pool, n_pieces(a->words), count_piece, a);
    t2_pool_run(pool, a->n_groups, sum_piece, a);
    t2_free(a->by_size);
    t->parent[root] = root;
    for (int64_t i = 0; i < a->n_groups; i++)
        t->count[root] += a->groups[i].count;
}

/* ---- without the rare ones ---- */

/* Occurrences of the group's nodes. */
static void count_nodes(const struct tok_words *w, const struct group *g, struct tok_tree *t,
                        const struct tok_suffix *items)
{
    t->count = t2_alloc((size_t) t->n_nodes + 1, sizeof *t->count);
    for (uint32_t i = 0; i < g->n; i++)
        t->count[t->locus[items[i].place]] += w->counts[items[i].word];
    for (uint32_t i = 0; i < t->n_nodes; i++)
        if (t->depth[i] > 1)
            t->count[t->parent[i]] += t->count[i];
}

/* Appends the group's nodes, those of u, to t but for the rare ones, whose suffixes go to what is
 * above them.  depth says later which have the root as parent. */
static void append_frequent(struct tok_tree *t, uint32_t *capacity, const struct group *g,
                            const struct tok_tree *u)
{
    uint32_t *map = t2_alloc((size_t) u->n_nodes + 1, sizeof *map), n = t->n_nodes;

    for (uint32_t i = 0; i < u->n_nodes; i++) {
        bool stays = u->depth[i] <= 1 || u->count[i] >= t->min_count;

        map[i] = stays ? n++ : TOK_NO_NODE;
    }
    if (n + 1 > *capacity) { /* and the root */
        *capacity = n + n / 4 + 1;
        t->parent = t2_realloc(t->parent, *capacity, sizeof *t->parent);
        t->depth = t2_realloc(t->depth, *capacity, sizeof *t->depth);
        t->at = t2_realloc(t->at, *capacity, sizeof *t->at);
        t->count = t2_realloc(t->count, *capacity, sizeof *t->count);
    }
    for (uint32_t i = u->n_nodes; i-- > 0;) {
        uint32_t to = map[i];

        if (to == TOK_NO_NODE) {
            map[i] = map[u->parent[i]];
            continue;
        }
        t->parent[to] = u->depth[i] > 1 ? map[u->parent[i]] : TOK_NO_NODE;
        t->depth[to] = u->depth[i];
        t->at[to] = u->at[i];
        t->count[to] = u->count[i];
    }
    for (uint32_t i = 0; i < g->n; i++)
        t->locus[g->order[i]] = map[t->locus[g->order[i]]];
    t->n_nodes = n;
    t2_free(map);
}

static void make_frequent(struct grouping *a)
{
    struct tok_tree *t = a->t;
    uint32_t capacity = 0, root;

    tok_tree_find_lengths(t, a->words, 0, a->words->n_words, a->limit);
    for (int64_t k = 0; k < a->n_groups; k++) {
        struct group *g = &a->groups[k];
        struct tok_tree u = {.locus = t->locus};
        struct sorting s = {0};

        need(&s, g->n);
        collect(a->words, g, s.items);
        g->order = t2_realloc(NULL, (size_t) g->n + 1, sizeof *g->order);
        g->shared = t2_realloc(NULL, (size_t) g->n + 1, sizeof *g->shared);
        sort_group(a, g, &s);
        make_nodes(a, g, &u, 0);
        t2_free(g->shared);
        count_nodes(a->words, g, &u, s.items);
        release(&s);
        append_frequent(t, &capacity, g, &u);
        t2_free(g->order);
        u.locus = NULL;
        tok_tree_release(&u);
    }
    root = t->n_nodes++;
    t->parent[root] = root;
    t->depth[root] = t->at[root] = 0;
    t->count[root] = 0;
    for (uint32_t i = 0; i < root; i++)
        if (t->depth[i] == 1) {
            t->parent[i] = root;
            t->count[root] += t->count[i];
        }
}

void tok_tree_by_groups(struct tok_tree *t, const struct tok_words *words, uint32_t limit,
                        struct t2_pool *pool)
{
    struct grouping a = {.t = t, .words = words, .limit = limit};
    uint32_t wanted = GROUPS_A_THREAD * (uint32_t) t2_pool_threads(pool);

    T2_ASSERT(limit > 0);
    t->locus = t2_alloc(words->n_symbols, sizeof *t->locus);
    cut(&a, wanted > GROUPS ? wanted : GROUPS);
    if (t->min_count > 1)
        make_frequent(&a);
    else
        make_all(&a, pool);
    t2_free(a.groups);
}
