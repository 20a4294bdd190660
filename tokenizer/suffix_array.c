/*
 * tokenizer/suffix_array.c - SA-IS (Nong, Zhang, Chan 2009) and the Phi method for common prefixes
 * (Karkkainen, Manzini, Puglisi 2009).
 *
 * A suffix is of type S when it is smaller than the next one, else L.  An S suffix behind an L one
 * is "leftmost S" (LMS).  Sorting the LMS suffixes, by recursion on their names, orders all others
 * by two sweeps.
 *
 *   text    m i s s i s s i p p i       * LMS
 *   type    L S L L S L L S L L L       the last suffix is L, as the empty suffix is smallest
 *             *     *     *
 *
 *   1  LMS positions to the ends of the buckets of their first symbol, in any order
 *   2  induce: sorts the LMS substrings (position to next LMS position)
 *   3  equal substrings get equal names; the names in text order are a text of at most n / 2
 *      symbols, whose suffix array, by recursion, orders the LMS suffixes
 *   4  LMS suffixes to the ends of their buckets in that order; induce: sorts all suffixes
 *
 * Time is linear.  Memory besides text and order (n int32): a bit per position and two counters
 * per symbol; names and the recursion's result live in `order` itself.  The symbols of a text of
 * words are characters, of which most texts have few, so buckets are small.
 */
#include "tokenizer/suffix_array.h"

#include <stdbool.h>
#include <string.h>

#include "base/alloc.h"
#include "base/err.h"

struct level {
    const uint32_t *text;
    int32_t n;
    uint32_t n_kinds;
    uint64_t *is_s;   /* bit per position */
    int32_t *counts;  /* per kind */
    int32_t *buckets; /* per kind: where the next one goes */
    int32_t *order;
};

static bool is_s(const struct level *v, int32_t i)
{
    return (v->is_s[i / 64] >> i % 64 & 1) != 0;
}

static bool is_lms(const struct level *v, int32_t i)
{
    return i > 0 && is_s(v, i) && !is_s(v, i - 1);
}

static void find_types(struct level *v)
{
    bool s = false; /* the last suffix is L: the end of the text is smaller than all */

    for (int32_t i = v->n - 1; i >= 0; i--) {
        if (i + 1 < v->n && v->text[i] != v->text[i + 1])
            s = v->text[i] < v->text[i + 1];
        v->is_s[i / 64] |= (uint64_t) s << i % 64;
        v->counts[v->text[i]]++;
    }
}

static void bucket_starts(struct level *v)
{
    int32_t sum = 0;

    for (uint32_t k = 0; k < v->n_kinds; k++) {
        v->buckets[k] = sum;
        sum += v->counts[k];
    }
}

static void bucket_ends(struct level *v)
{
    int32_t sum = 0;

    for (uint32_t k = 0; k < v->n_kinds; k++) {
        sum += v->counts[k];
        v->buckets[k] = sum;
    }
}

static void clear_order(struct level *v, int32_t from)
{
    for (int32_t i = from; i < v->n; i++)
        v->order[i] = -1;
}

/* From LMS suffixes at the ends of their buckets to all suffixes.  Left to right: the suffix one
 * before a sorted one, if of type L, is the next of its bucket; right to left: of type S, the last
 * but those placed.  An S suffix overwrites the LMS one that was put there first. */
static void induce(struct level *v)
{
    int32_t *order = v->order;

    bucket_starts(v);
    order[v->buckets[v->text[v->n - 1]]++] = v->n - 1;
    for (int32_t i = 0; i < v->n; i++) {
        int32_t before = order[i] - 1;

        if (before >= 0 && !is_s(v, before))
            order[v->buckets[v->text[before]]++] = before;
    }
    bucket_ends(v);
    for (int32_t i = v->n - 1; i >= 0; i--) {
        int32_t before = order[i] - 1;

        if (before >= 0 && is_s(v, before))
            order[--v->buckets[v->text[before]]] = before;
    }
}

/* Whether the LMS substrings at a and b (up to and with the next LMS position) are equal. */
static bool same_lms(const struct level *v, int32_t a, int32_t b)
{
    for (int32_t i = 0;; i++) {
        bool end_a, end_b;

        if (a + i == v->n || b + i == v->n)
            return false;
        if (v->text[a + i] != v->text[b + i] || is_s(v, a + i) != is_s(v, b + i))
            return false;
        end_a = i > 0 && is_lms(v, a + i);
        end_b = i > 0 && is_lms(v, b + i);
        if (end_a || end_b)
            return end_a && end_b;
    }
}

/* order[0 .. n_lms-1] holds the LMS positions sorted by substring; writes their names in text order
 * to the last n_lms places and returns how many names there are. */
static uint32_t name_lms(struct level *v, int32_t n_lms)
{
    uint32_t n_names = 0;
    int32_t last = -1, to = v->n;

    clear_order(v, n_lms);
    for (int32_t i = 0; i < n_lms; i++) {
        int32_t at = v->order[i];

        if (last < 0 || !same_lms(v, last, at))
            n_names++;
        v->order[n_lms + at / 2] = (int32_t) n_names - 1;
        last = at;
    }
    for (int32_t i = v->n - 1; i >= n_lms; i--)
        if (v->order[i] >= 0)
            v->order[--to] = v->order[i];
    return n_names;
}

/* Brings order[0 .. n_lms-1] from substring order to suffix order. */
static void sort_lms(struct level *v, int32_t n_lms)
{
    int32_t *names = v->order + (v->n - n_lms);
    uint32_t n_names = name_lms(v, n_lms);
    int32_t to = 0;

    if (n_names < (uint32_t) n_lms)
        tok_suffix_array((const uint32_t *) names, n_lms, n_names, v->order);
    else
        for (int32_t i = 0; i < n_lms; i++)
            v->order[names[i]] = i;
    for (int32_t i = 1; i < v->n; i++)
        if (is_lms(v, i))
            names[to++] = i;
    for (int32_t i = 0; i < n_lms; i++)
        v->order[i] = names[v->order[i]];
}

void tok_suffix_array(const uint32_t *text, int32_t n, uint32_t n_kinds, int32_t *order)
{
    struct level v = {.text = text, .n = n, .n_kinds = n_kinds, .order = order};
    int32_t n_lms = 0;

    T2_ASSERT(n >= 0);
    if (n == 0)
        return;
    v.is_s = t2_alloc((size_t) n / 64 + 1, sizeof *v.is_s);
    v.counts = t2_alloc(n_kinds, sizeof *v.counts);
    v.buckets = t2_alloc(n_kinds, sizeof *v.buckets);
    find_types(&v);

    clear_order(&v, 0);
    bucket_ends(&v);
    for (int32_t i = n - 1; i > 0; i--)
        if (is_lms(&v, i))
            order[--v.buckets[text[i]]] = i;
    induce(&v);
    for (int32_t i = 0; i < n; i++)
        if (is_lms(&v, order[i]))
            order[n_lms++] = order[i];
    sort_lms(&v, n_lms);

    clear_order(&v, n_lms);
    bucket_ends(&v);
    for (int32_t i = n_lms - 1; i >= 0; i--) {
        int32_t at = order[i];

        order[i] = -1;
        order[--v.buckets[text[at]]] = at;
    }
    induce(&v);
    t2_free(v.is_s);
    t2_free(v.counts);
    t2_free(v.buckets);
}

/*
 * Phi: the suffix at p + 1 shares with its predecessor at least one symbol less than the suffix at
 * p with its own, so h falls by at most one from place to place and all comparisons together are
 * linear.  Nothing is shared beyond `last`, the end of a word, nor beyond limit.
 */
void tok_suffix_shared(const uint32_t *text, int32_t n, const int32_t *order, uint32_t last,
                       uint32_t limit, uint32_t *shared)
{
    uint32_t h = 0;

    T2_ASSERT(n > 0 && text[n - 1] == last);
    /* First shared[p] holds the suffix before p; each place is read once before it is written. */
    shared[order[0]] = UINT32_MAX;
    for (int32_t i = 1; i < n; i++)
        shared[order[i]] = (uint32_t) order[i - 1];
    for (uint32_t p = 0; p < (uint32_t) n; p++) {
        uint32_t q = shared[p];

        if (q == UINT32_MAX) {
            shared[p] = h = 0;
            continue;
        }
        if (h == 0 || text[p + h - 1] != last)
            while (h < limit && text[p + h] == text[q + h])
                if (text[p + h++] == last)
                    break;
        shared[p] = h;
        if (h > 0)
            h--;
    }
}
