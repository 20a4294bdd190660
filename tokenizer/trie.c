/*
 * tokenizer/trie.c - building the double array.
 *
 * Entries are sorted; a node is a range of them that share a prefix.  Cells are handed out in
 * blocks of 256.  Free cells of the last blocks are kept in a ring and tried in turn; older blocks
 * are left alone, which bounds the time (the idea of darts-clone).
 *
 *   child of node p by byte c:  q = cells[p].base ^ c,  which is one if cells[q].parent == p
 *
 * So a step is two loads and a comparison.  A cell is base, parent and id, 12 bytes; id -1 is a
 * node inside of entries.  base_taken keeps two nodes from having the same base.
 */
#include "tokenizer/trie.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/err.h"
#include "base/radix_sort.h"

enum { BLOCK = 256, OPEN_BLOCKS = 16 };
static const uint32_t NO_CELL = UINT32_MAX;         /* also the parent of a free cell */
static const uint32_t ROOT_PARENT = UINT32_MAX - 1; /* no node: the root has no parent */

struct item {
    uint64_t head; /* the first bytes, in their order, and zeros */
    struct t2_slice text;
    int32_t id;
};

struct range {
    size_t from, to; /* items */
    size_t depth;
    uint32_t node;
};

struct builder {
    struct tok_trie *t;
    struct item *items;
    size_t capacity;
    uint32_t *next, *previous; /* ring of free cells of open blocks */
    uint8_t *base_taken;
    uint32_t first_free; /* NO_CELL when the ring is empty */
    struct range *stack;
    size_t n_stack, stack_capacity;
};

static uint64_t head_of(struct t2_slice text)
{
    uint64_t head = 0;

    for (size_t i = 0; i < sizeof head; i++)
        head = head << 8 | (i < text.len_bytes ? text.data[i] : 0U);
    return head;
}

static int compare_items(const void *a, const void *b)
{
    const struct item *x = a, *y = b;
    int order = t2_slice_cmp(x->text, y->text);

    return order != 0 ? order : (x->id > y->id) - (x->id < y->id);
}

/* Most differ in their heads, which need no look at the text. */
static void order_items(struct item *items, size_t n)
{
    struct item *spare = t2_realloc(NULL, n + 1, sizeof *spare);

    t2_radix_sort(items, n, sizeof *items, spare);
    t2_free(spare);
    for (size_t from = 0, to; from < n; from = to) {
        for (to = from + 1; to < n && items[to].head == items[from].head;)
            to++;
        if (to - from > 1)
            qsort(items + from, to - from, sizeof *items, compare_items);
    }
}

/*
 * Sorted items without empty and repeated ones; returns how many.
 *
 * Of equal entries the last stays, as in T2T's dictionary from string to id.
 */
static size_t sort_items(struct item *items, const struct t2_slice *entries, size_t n)
{
    size_t n_items = 0, kept = 0;

    for (size_t i = 0; i < n; i++)
        if (entries[i].len_bytes > 0)
            items[n_items++] = (struct item){head_of(entries[i]), entries[i], (int32_t) i};
    order_items(items, n_items);
    for (size_t i = 0; i < n_items; i++)
        if (i + 1 == n_items || !t2_slice_eq(items[i].text, items[i + 1].text))
            items[kept++] = items[i];
    return kept;
}

static void unlink_cell(struct builder *b, uint32_t cell)
{
    if (b->next[cell] == cell) {
        b->first_free = NO_CELL;
        return;
    }
    b->next[b->previous[cell]] = b->next[cell];
    b->previous[b->next[cell]] = b->previous[cell];
    if (b->first_free == cell)
        b->first_free = b->next[cell];
}

static bool is_free(const struct builder *b, uint32_t cell)
{
    return b->t->cells[cell].parent == NO_CELL;
}

static void link_cell(struct builder *b, uint32_t cell)
{
    if (b->first_free == NO_CELL) {
        b->first_free = b->next[cell] = b->previous[cell] = cell;
        return;
    }
    b->next[cell] = b->first_free;
    b->previous[cell] = b->previous[b->first_free];
    b->next[b->previous[cell]] = cell;
    b->previous[b->first_free] = cell;
}

static uint32_t add_block(struct builder *b)
{
    size_t start = b->t->n_cells;

    T2_ASSERT(start + BLOCK < ROOT_PARENT);
    if (start + BLOCK > b->capacity) {
        b->capacity = b->capacity * 2 + 16 * BLOCK;
        b->t->cells = t2_realloc(b->t->cells, b->capacity, sizeof *b->t->cells);
        b->next = t2_realloc(b->next, b->capacity, sizeof *b->next);
        b->previous = t2_realloc(b->previous, b->capacity, sizeof *b->previous);
        b->base_taken = t2_realloc(b->base_taken, b->capacity, 1);
    }
    if (start >= OPEN_BLOCKS * BLOCK) {
        size_t old = start - OPEN_BLOCKS * BLOCK;

        for (size_t i = old; i < old + BLOCK; i++)
            if (is_free(b, (uint32_t) i))
                unlink_cell(b, (uint32_t) i);
    }
    b->t->n_cells = start + BLOCK;
    for (size_t i = start; i < start + BLOCK; i++) {
        b->t->cells[i] = (struct tok_trie_cell){.base = 0, .parent = NO_CELL, .id = -1};
        b->base_taken[i] = 0;
        link_cell(b, (uint32_t) i);
    }
    return (uint32_t) start;
}

static void take_cell(struct builder *b, uint32_t cell, uint32_t parent)
{
    unlink_cell(b, cell);
    b->t->cells[cell].parent = parent;
}

static bool base_fits(const struct builder *b, uint32_t base, const uint8_t *labels, size_t n)
{
    if (b->base_taken[base])
        return false;
    for (size_t i = 1; i < n; i++)
        if (!is_free(b, base ^ labels[i]))
            return false;
    return true;
}

/*
 * The first free cell of the ring where all labels fit, taken as the place of the first label; a
 * new block when there is none, where base = its start always fits.
 */
static uint32_t find_base(struct builder *b, const uint8_t *labels, size_t n)
{
    uint32_t cell = b->first_free;

    if (cell != NO_CELL) {
        do {
            if (base_fits(b, cell ^ labels[0], labels, n))
                return cell ^ labels[0];
            cell = b->next[cell];
        } while (cell != b->first_free);
    }
    return add_block(b);
}

static void push_range(struct builder *b, struct range r)
{
    if (b->n_stack == b->stack_capacity) {
        b->stack_capacity = b->stack_capacity * 2 + 64;
        b->stack = t2_realloc(b->stack, b->stack_capacity, sizeof *b->stack);
    }
    b->stack[b->n_stack++] = r;
}

/* Gives the node of a range its children and puts their ranges on the stack. */
static void expand(struct builder *b, struct range r)
{
    uint8_t labels[BLOCK];
    size_t starts[BLOCK + 1], n = 0;
    uint32_t base;

    if (b->items[r.from].text.len_bytes == r.depth) {
        b->t->cells[r.node].id = b->items[r.from].id;
        r.from++;
    }
    for (size_t i = r.from; i < r.to; i++) {
        uint8_t label = b->items[i].text.data[r.depth];

        if (n == 0 || labels[n - 1] != label) {
            starts[n] = i;
            labels[n++] = label;
        }
    }
    if (n == 0)
        return;
    starts[n] = r.to;
    base = find_base(b, labels, n);
    b->base_taken[base] = 1;
    b->t->cells[r.node].base = base;
    for (size_t i = 0; i < n; i++)
        take_cell(b, base ^ labels[i], r.node);
    for (size_t i = n; i-- > 0;)
        push_range(b, (struct range){starts[i], starts[i + 1], r.depth + 1, base ^ labels[i]});
}

void tok_trie_init(struct tok_trie *t, const struct t2_slice *entries, size_t n)
{
    struct builder b = {.t = t, .first_free = NO_CELL};
    size_t n_items;

    T2_ASSERT(n <= INT32_MAX);
    *t = (struct tok_trie){NULL, 0};
    b.items = t2_alloc(n, sizeof *b.items);
    n_items = sort_items(b.items, entries, n);
    add_block(&b);
    take_cell(&b, 0, ROOT_PARENT);
    if (n_items > 0)
        push_range(&b, (struct range){0, n_items, 0, 0});
    while (b.n_stack > 0)
        expand(&b, b.stack[--b.n_stack]);
    t2_free(b.items);
    t2_free(b.next);
    t2_free(b.previous);
    t2_free(b.base_taken);
    t2_free(b.stack);
}

void tok_trie_release(struct tok_trie *t)
{
    t2_free(t->cells);
    *t = (struct tok_trie){NULL, 0};
}
