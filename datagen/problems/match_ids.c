/*
 * datagen/problems/match_ids.c - what two sequences of ids have in common.
 */
#include "datagen/problems/match_ids.h"

#include <string.h>

#include "base/alloc.h"
#include "base/err.h"

enum { LEAST_LENGTH = 3, MOST_DEPTH = 128 };

struct sequences {
    const int32_t *a, *b;
    size_t n_a, n_b;
};

void dg_matcher_release(struct dg_matcher *m)
{
    t2_free(m->items);
    t2_free(m->firsts);
    memset(m, 0, sizeof *m);
}

static void push(struct dg_matcher *m, struct dg_match match)
{
    if (m->n == m->capacity) {
        m->capacity = m->capacity ? 2 * m->capacity : 64;
        m->items = t2_realloc(m->items, m->capacity, sizeof *m->items);
    }
    m->items[m->n++] = match;
}

/* Notes the first place of each id in the part of b.  Entries of other turns are of other parts. */
static void note_firsts(struct dg_matcher *m, const int32_t *b, size_t start, size_t end)
{
    if (++m->turn == 0) {
        memset(m->firsts, 0, m->n_firsts * sizeof *m->firsts);
        m->turn = 1;
    }
    for (size_t j = end; j-- > start;)
        m->firsts[b[j]] = (struct dg_first){(uint32_t) j, m->turn};
}

/* The equal run through a[i] and b[j], inside the parts. */
static struct dg_match run_through(const struct sequences *s, const struct dg_match *parts,
                                   size_t i, size_t j)
{
    struct dg_match run = {true, i, i + 1, j, j + 1};

    while (run.i1 > parts->i1 && run.j1 > parts->j1 && s->a[run.i1 - 1] == s->b[run.j1 - 1]) {
        run.i1--;
        run.j1--;
    }
    while (run.i2 < parts->i2 && run.j2 < parts->j2 && s->a[run.i2] == s->b[run.j2]) {
        run.i2++;
        run.j2++;
    }
    return run;
}

static size_t worth(const struct sequences *s, const struct dg_match *run)
{
    size_t length = run->i2 - run->i1;

    if (run->i1 == 0 && run->j1 == 0)
        length += LEAST_LENGTH;
    if (run->i2 == s->n_a && run->j2 == s->n_b)
        length += LEAST_LENGTH;
    return length;
}

/* The run of most worth, the first of those; returns its worth, 0: there is none. */
static size_t find_best(struct dg_matcher *m, const struct sequences *s,
                        const struct dg_match *parts, struct dg_match *best)
{
    size_t i = parts->i1, most = 0;

    note_firsts(m, s->b, parts->j1, parts->j2);
    while (i < parts->i2) {
        const struct dg_first *first = &m->firsts[s->a[i]];
        struct dg_match run;
        if (first->turn != m->turn) {
            i++;
            continue;
        }
        run = run_through(s, parts, i, first->place);
        if (worth(s, &run) > most) {
            most = worth(s, &run);
            *best = run;
        }
        i = run.i2;
    }
    return most;
}

static void match_parts(struct dg_matcher *m, const struct sequences *s, struct dg_match parts,
                        int depth)
{
    struct dg_match best = {false, 0, 0, 0, 0};

    if (parts.i1 == parts.i2 && parts.j1 == parts.j2)
        return;
    if (parts.i1 == parts.i2 || parts.j1 == parts.j2 || depth == 0 ||
        find_best(m, s, &parts, &best) < LEAST_LENGTH) {
        push(m, parts);
        return;
    }
    match_parts(m, s, (struct dg_match){false, parts.i1, best.i1, parts.j1, best.j1}, depth - 1);
    push(m, best);
    match_parts(m, s, (struct dg_match){false, best.i2, parts.i2, best.j2, parts.j2}, depth - 1);
}

/* Room for every id there is. */
static void make_room(struct dg_matcher *m, const int32_t *ids, size_t n)
{
    size_t need = m->n_firsts;

    for (size_t i = 0; i < n; i++) {
        T2_DASSERT(ids[i] >= 0);
        if ((size_t) ids[i] >= need)
            need = (size_t) ids[i] + 1;
    }
    if (need == m->n_firsts)
        return;
    m->firsts = t2_realloc(m->firsts, need, sizeof *m->firsts);
    memset(m->firsts + m->n_firsts, 0, (need - m->n_firsts) * sizeof *m->firsts);
    m->n_firsts = need;
}

void dg_match_ids(struct dg_matcher *m, const int32_t *a, size_t n_a, const int32_t *b, size_t n_b)
{
    const struct sequences s = {a, b, n_a, n_b};

    T2_ASSERT(n_a < UINT32_MAX && n_b < UINT32_MAX);
    m->n = 0;
    make_room(m, a, n_a);
    make_room(m, b, n_b);
    match_parts(m, &s, (struct dg_match){false, 0, n_a, 0, n_b}, MOST_DEPTH);
}
