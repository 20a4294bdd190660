/*
 * tokenizer/subword_probe.c - the rounds of one probe: count, keep, cut the words again.
 *
 * A node that all places together do not bring to min_count can never be kept, so a probe works on
 * the tree without those.  The first round needs no counting: each place begins a piece.
 *
 * All arrays are by node, children before parents, so that one pass from the first to the last
 * adds children to parents, and one from the last to the first brings values down:
 *
 *   count_round    cut the words by match[]; count[locus of each cut]++; sum upwards
 *   keep_round     left = count - given; kept when left >= min_count; given upwards (see
 *                  subword_tree.h)
 *   find_matches   match of a node that is not kept = match of its parent, downwards
 *
 * Threads count in arrays of their own (n_pieces, n_nodes), added in order: integers, so the
 * result does not depend on their number.
 */
#include <string.h>

#include "base/alloc.h"
#include "base/err.h"
#include "tokenizer/subword_tree_build.h"

static const uint32_t DROPPED = UINT32_MAX;

enum {
    MAP_PIECE = 1 << 16,            /* places */
    COUNT_PIECE_MIN = 1 << 15,      /* places worth a thread */
    COUNT_SCRATCH_MAX = 512u << 20, /* bytes for the threads' own counts */
    COUNT_PIECES_MAX = 64
};

struct probe {
    const struct tok_tree *t;
    const struct tok_words *words;
    struct t2_pool *pool;
    uint64_t min_count;
    uint32_t n_nodes;
    uint32_t *map;    /* node of the whole tree -> node here */
    uint32_t *old;    /* and back */
    uint32_t *parent; /* as in tok_tree, by the numbers here */
    uint32_t *locus;  /* NULL when memory is short: map says it of the tree's */
    uint32_t *match;  /* length of the longest kept string on the path to the node */
    uint64_t *count;  /* n_pieces arrays of n_nodes; the first is the sum in the end */
    uint64_t *given;
    int64_t n_pieces;
};

static void map_piece(void *arg, int64_t piece, int worker)
{
    struct probe *p = arg;
    uint32_t from = (uint32_t) piece * MAP_PIECE, to = from + MAP_PIECE;

    (void) worker;
    if (to > p->words->n_symbols)
        to = p->words->n_symbols;
    for (uint32_t i = from; i < to; i++)
        p->locus[i] = p->map[p->t->locus[i]];
}

/* Nodes that can be kept, all of depth 1, and the root. */
static void prune(struct probe *p)
{
    const struct tok_tree *t = p->t;
    uint32_t n = 0, root = t->n_nodes - 1;

    for (uint32_t i = 0; i < t->n_nodes; i++) {
        bool keep = t->count[i] >= p->min_count || t->depth[i] <= 1;

        p->map[i] = keep ? n : DROPPED;
        n += keep;
    }
    p->n_nodes = n;
    p->old = t2_alloc(n, sizeof *p->old);
    p->parent = t2_alloc(n, sizeof *p->parent);
    p->match = t2_alloc(n, sizeof *p->match);
    p->given = t2_alloc(n, sizeof *p->given);
    p->parent[n - 1] = n - 1;
    for (uint32_t i = root; i-- > 0;) {
        uint32_t up = p->map[t->parent[i]];

        if (p->map[i] == DROPPED) {
            p->map[i] = up;
            continue;
        }
        p->old[p->map[i]] = i;
        p->parent[p->map[i]] = up;
    }
    p->old[n - 1] = root;
    if (p->locus)
        tok_tree_run(p->pool, ((int64_t) p->words->n_symbols + MAP_PIECE - 1) / MAP_PIECE,
                     map_piece, p);
}

static void plan_pieces(struct probe *p)
{
    int64_t n = p->pool ? t2_pool_threads(p->pool) : 1;
    int64_t room = (int64_t) (COUNT_SCRATCH_MAX / sizeof *p->count / p->n_nodes);
    int64_t work = (int64_t) p->words->n_symbols / COUNT_PIECE_MIN;

    n = n < room ? n : room;
    n = n < work ? n : work;
    n = n < COUNT_PIECES_MAX ? n : COUNT_PIECES_MAX;
    p->n_pieces = n > 1 ? n : 1;
    p->count = t2_alloc((size_t) p->n_pieces * p->n_nodes, sizeof *p->count);
}

/* First word that begins at or behind place. */
static uint32_t word_from(const struct tok_words *w, uint64_t place)
{
    uint32_t low = 0, high = w->n_words;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;

        if (w->starts[middle] < place)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Cuts the words of one piece and counts the suffixes at the cuts. */
static void count_piece(void *arg, int64_t piece, int worker)
{
    struct probe *p = arg;
    const struct tok_words *w = p->words;
    const uint64_t *whole = p->t->whole;
    uint64_t *count = p->count + (size_t) piece * p->n_nodes;
    uint64_t n = w->n_symbols, parts = (uint64_t) p->n_pieces;
    uint32_t from = word_from(w, n * (uint64_t) piece / parts);
    uint32_t to = word_from(w, n * ((uint64_t) piece + 1) / parts);

    (void) worker;
    memset(count, 0, p->n_nodes * sizeof *count);
    for (uint32_t k = from; k < to; k++) {
        uint32_t end = w->starts[k + 1];
        uint64_t times = w->counts[k];

        for (uint32_t at = w->starts[k]; at < end;) {
            uint32_t node = p->locus ? p->locus[at] : p->map[p->t->locus[at]];

            count[node] += times;
            if (whole && (whole[at / 64] >> at % 64 & 1))
                break;
            at += p->match[node];
        }
    }
}

static void count_round(struct probe *p)
{
    tok_tree_run(p->pool, p->n_pieces, count_piece, p);
    for (int64_t k = 1; k < p->n_pieces; k++)
        for (uint32_t i = 0; i < p->n_nodes; i++)
            p->count[i] += p->count[(size_t) k * p->n_nodes + i];
    for (uint32_t i = 0; i + 1 < p->n_nodes; i++)
        p->count[p->parent[i]] += p->count[i];
}

/* Leaves in count[] what longer strings have left, in match[] the length of kept strings (0: not
 * kept).  Returns how many are kept; single characters always are. */
static size_t keep_round(struct probe *p)
{
    const uint32_t *depth = p->t->depth;
    size_t n_kept = 0;

    memset(p->given, 0, p->n_nodes * sizeof *p->given);
    for (uint32_t i = 0; i + 1 < p->n_nodes; i++) {
        uint64_t given = p->given[i], left = p->count[i] - given;
        uint32_t len = depth[p->old[i]];
        bool enough = left >= p->min_count;

        p->given[p->parent[i]] += enough ? p->count[i] : given;
        p->count[i] = left;
        p->match[i] = enough || len == 1 ? len : 0;
        n_kept += enough || len == 1;
    }
    return n_kept;
}

static void find_matches(struct probe *p)
{
    p->match[p->n_nodes - 1] = 1;
    for (uint32_t i = p->n_nodes - 1; i-- > 0;)
        if (p->match[i] == 0)
            p->match[i] = p->match[p->parent[i]];
}

static void list_kept(const struct probe *p, size_t n, struct tok_kept **kept, size_t *n_kept)
{
    size_t to = 0;

    *kept = t2_alloc(n, sizeof **kept);
    for (uint32_t i = 0; i + 1 < p->n_nodes; i++)
        if (p->match[i] != 0)
            (*kept)[to++] = (struct tok_kept){p->count[i], p->old[i]};
    *n_kept = to;
}

void tok_tree_probe(const struct tok_tree *t, const struct tok_words *words, uint64_t min_count,
                    int iterations, struct t2_pool *pool, size_t *sizes, struct tok_kept **kept,
                    size_t *n_kept)
{
    struct probe p = {.t = t, .words = words, .pool = pool, .min_count = min_count};

    T2_ASSERT(min_count >= 1 && min_count >= t->min_count && iterations >= 1);
    p.map = t2_alloc(t->n_nodes, sizeof *p.map);
    if (t->min_count <= 1) /* else the tree was made to be small */
        p.locus = t2_alloc(words->n_symbols, sizeof *p.locus);
    prune(&p);
    plan_pieces(&p);
    for (uint32_t i = 0; i < p.n_nodes; i++)
        p.count[i] = t->count[p.old[i]];
    for (int round = 0; round < iterations; round++) {
        if (round > 0)
            count_round(&p);
        sizes[round] = keep_round(&p);
        if (round + 1 < iterations)
            find_matches(&p);
    }
    list_kept(&p, sizes[iterations - 1], kept, n_kept);
    t2_free(p.map);
    t2_free(p.old);
    t2_free(p.parent);
    t2_free(p.locus);
    t2_free(p.match);
    t2_free(p.count);
    t2_free(p.given);
}
