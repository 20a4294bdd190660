/*
 * tokenizer/subword_probe.c - the rounds of one probe: count, keep, cut the words again.
 *
 * A node that all places together do not bring to min_count can never be kept, so a probe works on
 * the tree without those.  The first round needs no counting: each place begins a piece.
 *
 * All arrays are by node, children before parents, so that one pass from the first to the last
 * adds children to parents, and one from the last to the first brings values down:
 *
 *   count_piece    cut the words by match[]; count[locus of each cut]++
 *   keep_range     sum upwards; left = count - given; kept when left >= min_count; given upwards
 *                  (see subword_tree.h); match of a node that is not kept = its parent's, downwards
 *
 * The nodes below a symbol stand together and have nothing to do with others but the root, whose
 * values nobody needs: passes over nodes go by ranges of whole symbols, on all threads.  To count,
 * threads have arrays of their own (n_pieces, n_nodes), added in order: integers, so the result
 * does not depend on their number.
 */
#include <stdatomic.h>
#include <string.h>

#include "base/alloc.h"
#include "base/err.h"
#include "tokenizer/subword_tree_build.h"

static const uint32_t DROPPED = UINT32_MAX;

enum {
    MAP_PIECE = 1 << 16,            /* places */
    COUNT_PIECE_MIN = 1 << 15,      /* places worth a thread */
    COUNT_SCRATCH_MAX = 512u << 20, /* bytes for the threads' own counts */
    COUNT_PIECES_MAX = 64,
    CHUNK = 1 << 14,    /* places that a piece takes at a time */
    RANGES_A_THREAD = 8 /* symbols are not alike */
};

/* The nodes of some symbols. */
struct range {
    uint32_t from, to; /* in the whole tree */
    uint32_t first, n; /* here */
    size_t n_kept;     /* by the last round */
    size_t to_list;    /* where they go in the list */
};

/* Of struct tok_probe_arrays. */
enum { MAP, OLD, PARENT, LOCUS, MATCH, COUNT, GIVEN };

struct probe {
    const struct tok_tree *t;
    const struct tok_words *words;
    struct t2_pool *pool;
    struct tok_probe_arrays *arrays;
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
    _Atomic uint64_t taken; /* places that pieces have */
    struct range *ranges;
    int64_t n_ranges;
    int round, iterations;
    struct tok_kept *kept;
};

/* One of the arrays, for n objects; not zeroed: threads fill all of it. */
static void *array(const struct probe *p, int which, size_t n, size_t size)
{
    struct tok_probe_arrays *a = p->arrays;

    if (a->bytes[which] < n * size) {
        t2_free(a->items[which]);
        a->items[which] = t2_realloc(NULL, n, size);
        a->bytes[which] = n * size;
    }
    return a->items[which];
}

void tok_probe_arrays_release(struct tok_probe_arrays *a)
{
    for (int i = 0; i < TOK_PROBE_ARRAYS; i++)
        t2_free(a->items[i]);
    *a = (struct tok_probe_arrays){0};
}

static void cut_ranges(struct probe *p)
{
    const struct tok_tree *t = p->t;
    uint32_t root = t->n_nodes - 1, at = 0;
    uint32_t wanted = RANGES_A_THREAD * (uint32_t) t2_pool_threads(p->pool);

    p->ranges = t2_alloc(wanted, sizeof *p->ranges);
    for (uint32_t k = 0; k < wanted; k++) {
        uint32_t to = (uint32_t) ((uint64_t) root * (k + 1) / wanted);

        if (to <= at)
            continue;
        while (t->depth[to - 1] != 1) /* a symbol's node is the last of those below it */
            to++;
        p->ranges[p->n_ranges++] = (struct range){.from = at, .to = to};
        at = to;
    }
}

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

/* Nodes that can be kept, and all of depth 1, are numbered within the range. */
static void number_range(void *arg, int64_t k, int worker)
{
    struct probe *p = arg;
    struct range *r = &p->ranges[k];
    const struct tok_tree *t = p->t;
    uint32_t n = 0; /* not in *r, whose cache line has the next range, which is another thread's */

    (void) worker;
    for (uint32_t i = r->from; i < r->to; i++) {
        bool keep = t->count[i] >= p->min_count || t->depth[i] <= 1;

        p->map[i] = keep ? n : DROPPED;
        n += keep;
    }
    r->n = n;
}

/* From parents to children: the suffixes of a node that is dropped go to what is above it. */
static void move_range(void *arg, int64_t k, int worker)
{
    struct probe *p = arg;
    const struct range *r = &p->ranges[k];
    const struct tok_tree *t = p->t;

    (void) worker;
    for (uint32_t i = r->to; i-- > r->from;) {
        uint32_t up = p->map[t->parent[i]], to = p->map[i];

        if (to == DROPPED) {
            p->map[i] = up;
            continue;
        }
        p->map[i] = to += r->first;
        p->old[to] = i;
        p->parent[to] = up;
        p->count[to] = t->count[i];
    }
}

static void plan_pieces(struct probe *p)
{
    int64_t n = t2_pool_threads(p->pool);
    int64_t room = (int64_t) (COUNT_SCRATCH_MAX / sizeof *p->count / p->n_nodes);
    int64_t work = (int64_t) p->words->n_symbols / COUNT_PIECE_MIN;

    n = n < room ? n : room;
    n = n < work ? n : work;
    n = n < COUNT_PIECES_MAX ? n : COUNT_PIECES_MAX;
    p->n_pieces = n > 1 ? n : 1;
    p->count = array(p, COUNT, (size_t) p->n_pieces * p->n_nodes, sizeof *p->count);
}

static void prune(struct probe *p)
{
    uint32_t root = p->t->n_nodes - 1, n = 0;

    cut_ranges(p);
    t2_pool_run(p->pool, p->n_ranges, number_range, p);
    for (int64_t k = 0; k < p->n_ranges; k++) {
        p->ranges[k].first = n;
        n += p->ranges[k].n;
    }
    p->n_nodes = n + 1;
    p->old = array(p, OLD, p->n_nodes, sizeof *p->old);
    p->parent = array(p, PARENT, p->n_nodes, sizeof *p->parent);
    p->match = array(p, MATCH, p->n_nodes, sizeof *p->match);
    p->given = array(p, GIVEN, p->n_nodes, sizeof *p->given);
    plan_pieces(p);
    p->map[root] = p->parent[n] = n;
    p->old[n] = root;
    p->match[n] = 1;
    t2_pool_run(p->pool, p->n_ranges, move_range, p);
    if (p->locus)
        t2_pool_run(p->pool, ((int64_t) p->words->n_symbols + MAP_PIECE - 1) / MAP_PIECE, map_piece,
                    p);
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

/* Cuts words from .. to - 1 and counts the suffixes at the cuts. */
static void count_words(const struct probe *p, uint32_t from, uint32_t to, uint64_t *count)
{
    const struct tok_words *w = p->words;
    const uint64_t *whole = p->t->whole;

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

/* Pieces take words as long as there are any, as they are not equally fast. */
static void count_piece(void *arg, int64_t piece, int worker)
{
    struct probe *p = arg;
    const struct tok_words *w = p->words;
    uint64_t *count = p->count + (size_t) piece * p->n_nodes, at;

    (void) worker;
    memset(count, 0, p->n_nodes * sizeof *count);
    while ((at = atomic_fetch_add_explicit(&p->taken, CHUNK, memory_order_relaxed)) < w->n_symbols)
        count_words(p, word_from(w, at), word_from(w, at + CHUNK), count);
}

/* Of the range's nodes, what the pieces have counted. */
static void add_pieces(struct probe *p, const struct range *r)
{
    const uint32_t first = r->first, end = first + r->n;

    for (int64_t k = 1; k < p->n_pieces; k++)
        for (uint32_t i = first; i < end; i++)
            p->count[i] += p->count[(size_t) k * p->n_nodes + i];
}

/* Leaves in count[] what longer strings have left, in match[] the length of the longest kept string
 * on the path; after the last round 0 where the node is not kept.  Single characters always are. */
static void keep_range(void *arg, int64_t k, int worker)
{
    struct probe *p = arg;
    struct range *r = &p->ranges[k];
    const uint32_t *depth = p->t->depth;
    const uint32_t root = p->n_nodes - 1, first = r->first, end = first + r->n;
    const bool is_first = p->round == 0; /* children are in their parents' counts already */
    size_t n_kept = 0;

    (void) worker;
    if (!is_first)
        add_pieces(p, r);
    memset(p->given + first, 0, r->n * sizeof *p->given);
    for (uint32_t i = first; i < end; i++) {
        uint64_t given = p->given[i], count = p->count[i], left = count - given;
        uint32_t len = depth[p->old[i]], up = p->parent[i];
        bool enough = left >= p->min_count, keep = enough || len == 1;

        if (up != root) {
            p->given[up] += enough ? count : given;
            p->count[up] += is_first ? 0 : count;
        }
        p->count[i] = left;
        p->match[i] = keep ? len : 0;
        n_kept += keep;
    }
    r->n_kept = n_kept;
    if (p->round + 1 == p->iterations)
        return;
    for (uint32_t i = end; i-- > first;)
        if (p->match[i] == 0)
            p->match[i] = p->match[p->parent[i]];
}

static void list_range(void *arg, int64_t k, int worker)
{
    struct probe *p = arg;
    const struct range *r = &p->ranges[k];
    size_t to = r->to_list;

    (void) worker;
    for (uint32_t i = r->first; i < r->first + r->n; i++)
        if (p->match[i] != 0)
            p->kept[to++] = (struct tok_kept){p->count[i], p->old[i]};
}

/* Kept strings, of all ranges. */
static size_t count_kept(struct probe *p)
{
    size_t n = 0;

    for (int64_t k = 0; k < p->n_ranges; k++) {
        p->ranges[k].to_list = n;
        n += p->ranges[k].n_kept;
    }
    return n;
}

void tok_tree_probe(const struct tok_tree *t, const struct tok_words *words, uint64_t min_count,
                    int iterations, struct t2_pool *pool, struct tok_probe_arrays *arrays,
                    size_t *sizes, struct tok_kept **kept, size_t *n_kept)
{
    struct probe p = {.t = t,
                      .words = words,
                      .pool = pool,
                      .arrays = arrays,
                      .min_count = min_count,
                      .iterations = iterations};

    T2_ASSERT(min_count >= 1 && min_count >= t->min_count && iterations >= 1);
    p.map = array(&p, MAP, t->n_nodes, sizeof *p.map);
    if (t->min_count <= 1) /* else the tree was made to be small */
        p.locus = array(&p, LOCUS, words->n_symbols, sizeof *p.locus);
    prune(&p);
    for (p.round = 0; p.round < iterations; p.round++) {
        atomic_init(&p.taken, 0);
        if (p.round > 0)
            t2_pool_run(pool, p.n_pieces, count_piece, &p);
        t2_pool_run(pool, p.n_ranges, keep_range, &p);
        sizes[p.round] = count_kept(&p);
    }
    *n_kept = sizes[iterations - 1];
    *kept = p.kept = t2_realloc(NULL, *n_kept, sizeof *p.kept);
    t2_pool_run(pool, p.n_ranges, list_range, &p);
    t2_free(p.ranges);
}
