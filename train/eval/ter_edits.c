/*
 * train/eval/ter_edits.c - see the header.
 *
 * Greedy search: of all moves of a run of words that the reference has elsewhere, make the one that
 * lowers the edit distance most, until none does.  The distance is Levenshtein's in a band around
 * the diagonal: row i (i words of the hypothesis) has the columns [from[i], to[i]).
 *
 * Bands depend on the two lengths only, which no move changes.  So a candidate shares all rows in
 * front of its first changed word with the hypothesis, and behind the last changed word both go on
 * by the same recurrence: there it can gain at most the largest difference of their rows.  A
 * candidate ends as soon as this is less than what the best one gained.
 */
#include "train/eval/ter_edits.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "base/alloc.h"
#include "base/err.h"

/* Tercom's limits, and sacreBLEU's on the number of candidates. */
enum { MAX_SHIFT_WORDS = 10, MAX_SHIFT_DISTANCE = 50, BEAM = 25, MAX_CANDIDATES = 1000 };
enum { INFINITE = 1 << 29 };
enum op { OP_NONE, OP_SAME, OP_SUBSTITUTE, OP_DELETE, OP_INSERT }; /* hypothesis into reference */

struct shift {
    int64_t gain;
    size_t length, start, target;
};

struct ev_ter {
    const uint32_t *r;
    size_t n_h, n_r;
    /* by row, n_h + 1 */
    size_t *from, *to, *offset;
    size_t rows_capacity;
    /* by cell of the rows of the hypothesis in hand: rows[offset[i] + j - from[i]] */
    int32_t *cost;
    uint8_t *op;
    size_t cells_capacity;
    /* a row each, n_r + 3 columns, column j at [j + 1] */
    int32_t *above, *row;
    uint8_t *row_op;
    size_t columns_capacity;
    /* by word */
    uint32_t *h, *shifted;
    int64_t *align; /* of the reference: its place in the hypothesis, or -1 */
    uint32_t *hypothesis_errors, *reference_errors; /* errors in front of a word */
    size_t words_capacity;
    size_t n_candidates;
};

struct ev_ter *ev_ter_edits_new(void)
{
    return t2_alloc(1, sizeof(struct ev_ter));
}

void ev_ter_edits_free(struct ev_ter *t)
{
    if (!t)
        return;
    t2_free(t->from);
    t2_free(t->to);
    t2_free(t->offset);
    t2_free(t->cost);
    t2_free(t->op);
    t2_free(t->above);
    t2_free(t->row);
    t2_free(t->row_op);
    t2_free(t->h);
    t2_free(t->shifted);
    t2_free(t->align);
    t2_free(t->hypothesis_errors);
    t2_free(t->reference_errors);
    t2_free(t);
}

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

static void reserve_words(struct ev_ter *t)
{
    size_t n = larger(t->n_h, t->n_r) + 1;

    if (n > t->words_capacity) {
        n += n / 2;
        t->words_capacity = n;
        t->h = t2_realloc(t->h, n, sizeof *t->h);
        t->shifted = t2_realloc(t->shifted, n, sizeof *t->shifted);
        t->align = t2_realloc(t->align, n, sizeof *t->align);
        t->hypothesis_errors = t2_realloc(t->hypothesis_errors, n, sizeof *t->hypothesis_errors);
        t->reference_errors = t2_realloc(t->reference_errors, n, sizeof *t->reference_errors);
    }
    n = t->n_h + 1;
    if (n > t->rows_capacity) {
        n += n / 2;
        t->rows_capacity = n;
        t->from = t2_realloc(t->from, n, sizeof *t->from);
        t->to = t2_realloc(t->to, n, sizeof *t->to);
        t->offset = t2_realloc(t->offset, n, sizeof *t->offset);
    }
    n = t->n_r + 3;
    if (n > t->columns_capacity) {
        n += n / 2;
        t->columns_capacity = n;
        t->above = t2_realloc(t->above, n, sizeof *t->above);
        t->row = t2_realloc(t->row, n, sizeof *t->row);
        t->row_op = t2_realloc(t->row_op, n, sizeof *t->row_op);
    }
}

/* The bands, and room for their cells. */
static void lay_out(struct ev_ter *t)
{
    double ratio = t->n_h ? (double) t->n_r / (double) t->n_h : 1;
    double beam = BEAM < ratio / 2 ? ceil(ratio / 2 + BEAM) : BEAM;
    size_t n_cells = 0;

    for (size_t i = 0; i <= t->n_h; i++) {
        double diagonal = floor((double) i * ratio);

        t->from[i] = i > 0 && diagonal > beam ? (size_t) (diagonal - beam) : 0;
        t->to[i] = t->n_r + 1;
        if (i > 0 && i < t->n_h)
            t->to[i] = smaller(t->to[i], (size_t) (diagonal + beam));
        t->offset[i] = n_cells;
        n_cells += t->to[i] - t->from[i];
    }
    if (n_cells > t->cells_capacity) {
        t->cells_capacity = n_cells + n_cells / 2;
        t->cost = t2_realloc(t->cost, t->cells_capacity, sizeof *t->cost);
        t->op = t2_realloc(t->op, t->cells_capacity, sizeof *t->op);
    }
}

/*
 * Row i, whose word is given, into t->row from t->above, row i - 1; ops too, unless NULL.  Of equal
 * costs the first counts: substitution, deletion, insertion.
 */
static void fill_row(struct ev_ter *t, size_t i, uint32_t word, uint8_t *ops)
{
    int32_t *above = t->above + 1, *row = t->row + 1, left = INFINITE;
    const uint32_t *r = t->r;
    size_t j = t->from[i], to = t->to[i];

    /* What the row above does not have. */
    if (t->from[i - 1] > 0)
        above[t->from[i - 1] - 1] = INFINITE;
    for (size_t k = t->to[i - 1]; k < to; k++)
        above[k] = INFINITE;
    if (j == 0) {
        left = above[0] + 1;
        row[0] = left;
        if (ops)
            ops[0] = OP_DELETE;
        j++;
    }
    for (; j < to; j++) {
        bool same = word == r[j - 1];
        int32_t best = above[j - 1] + !same, other = above[j] + 1;
        uint8_t op = same ? OP_SAME : OP_SUBSTITUTE;

        if (other < best) {
            best = other;
            op = OP_DELETE;
        }
        other = left + 1;
        if (other < best) {
            best = other;
            op = OP_INSERT;
        }
        if (best >= INFINITE) {
            best = INFINITE;
            op = OP_NONE;
        }
        row[j] = left = best;
        if (ops)
            ops[j] = op;
    }
}

static void swap_rows(struct ev_ter *t)
{
    int32_t *row = t->row;

    t->row = t->above;
    t->above = row;
}

/* All rows of the hypothesis in hand; returns its distance. */
static int64_t fill_rows(struct ev_ter *t)
{
    for (size_t j = 0; j <= t->n_r; j++) {
        t->cost[j] = t->above[j + 1] = (int32_t) j;
        t->op[j] = OP_INSERT;
    }
    for (size_t i = 1; i <= t->n_h; i++) {
        size_t width = t->to[i] - t->from[i];

        fill_row(t, i, t->h[i - 1], t->row_op);
        memcpy(t->cost + t->offset[i], t->row + 1 + t->from[i], width * sizeof *t->cost);
        memcpy(t->op + t->offset[i], t->row_op + t->from[i], width);
        swap_rows(t);
    }
    return t->above[t->n_r + 1];
}

/* Where each word of the reference stands in the hypothesis (a missing one: in front of what comes
 * next), and sums of errors in front of each word. */
static void align(struct ev_ter *t)
{
    size_t i = t->n_h, j = t->n_r;
    uint32_t errors = 0;

    while (i > 0 || j > 0) {
        uint8_t op = t->op[t->offset[i] + j - t->from[i]];
        bool wrong = op != OP_SAME;

        if (i == 0 || (op == OP_INSERT && j > 0)) {
            j--;
            t->align[j] = (int64_t) i - 1;
            t->reference_errors[j] = 1;
        } else if (j == 0 || op == OP_DELETE || op == OP_NONE) {
            i--;
            t->hypothesis_errors[i] = 1;
        } else {
            i--;
            j--;
            t->align[j] = (int64_t) i;
            t->reference_errors[j] = t->hypothesis_errors[i] = wrong;
        }
    }
    for (i = 0; i < t->n_h; i++) {
        errors += t->hypothesis_errors[i];
        t->hypothesis_errors[i] = errors - t->hypothesis_errors[i];
    }
    t->hypothesis_errors[t->n_h] = errors;
    errors = 0;
    for (j = 0; j < t->n_r; j++) {
        errors += t->reference_errors[j];
        t->reference_errors[j] = errors - t->reference_errors[j];
    }
    t->reference_errors[t->n_r] = errors;
}

/* Into t->shifted: the hypothesis with `length` words from `start` moved in front of `target`. */
static void move_words(struct ev_ter *t, size_t start, size_t length, size_t target)
{
    uint32_t *to = t->shifted;
    const uint32_t *h = t->h;
    size_t end = start + length;

    memcpy(to, h, t->n_h * sizeof *to);
    if (target < start) {
        memcpy(to + target, h + start, length * sizeof *to);
        memcpy(to + target + length, h + target, (start - target) * sizeof *to);
    } else {
        /* Within the run itself the target counts from its end. */
        size_t behind = target > end ? target : smaller(target + length, t->n_h);

        memcpy(to + start, h + end, (behind - end) * sizeof *to);
        memcpy(to + start + behind - end, h + start, length * sizeof *to);
    }
}

/* The most that a text with t->row as row i can gain on the hypothesis in hand, when the words
 * behind i are the same. */
static int64_t most_gain(const struct ev_ter *t, size_t i)
{
    const int32_t *cost = t->cost + t->offset[i], *row = t->row + 1 + t->from[i];
    int32_t most = -INFINITE;

    for (size_t k = 0; k < t->to[i] - t->from[i]; k++)
        most = cost[k] - row[k] > most ? cost[k] - row[k] : most;
    return most;
}

/* What t->shifted gains on the hypothesis in hand, if it is `needed` (> 0) or more; else less. */
static int64_t gain_of_shifted(struct ev_ter *t, int64_t distance, int64_t needed)
{
    size_t first = 0, last = t->n_h;

    while (first < last && t->shifted[first] == t->h[first])
        first++;
    while (last > first && t->shifted[last - 1] == t->h[last - 1])
        last--;
    if (first == last)
        return 0;
    memcpy(t->above + 1 + t->from[first], t->cost + t->offset[first],
           (t->to[first] - t->from[first]) * sizeof *t->above);
    for (size_t i = first + 1; i <= t->n_h; i++) {
        fill_row(t, i, t->shifted[i - 1], NULL);
        if (i >= last && most_gain(t, i) < needed)
            return 0;
        swap_rows(t);
    }
    return distance - t->above[t->n_r + 1];
}

static bool is_better(const struct shift *a, const struct shift *b)
{
    if (a->gain != b->gain)
        return a->gain > b->gain;
    if (a->length != b->length)
        return a->length > b->length;
    if (a->start != b->start)
        return a->start < b->start;
    return a->target < b->target;
}

/* Moves of the run of `length` words at `start` to where the reference has it, from `at` on. */
static void try_run(struct ev_ter *t, int64_t distance, size_t start, size_t at, size_t length,
                    struct shift *best)
{
    size_t last_target = SIZE_MAX;

    if (t->hypothesis_errors[start] == t->hypothesis_errors[start + length] ||
        t->reference_errors[at] == t->reference_errors[at + length])
        return; /* right already, here or there */
    if ((int64_t) start <= t->align[at] && t->align[at] < (int64_t) (start + length))
        return;
    for (size_t k = 0; k <= length; k++) {
        size_t target = at + k == 0 ? 0 : (size_t) (t->align[at + k - 1] + 1);
        struct shift s = {0, length, start, target};

        if (target == last_target)
            continue;
        last_target = target;
        move_words(t, start, length, target);
        s.gain = gain_of_shifted(t, distance, best->gain > 1 ? best->gain : 1);
        if (s.gain > 0 && is_better(&s, best))
            *best = s;
        t->n_candidates++;
    }
}

/* The best move; gain 0 when none helps. */
static struct shift find_shift(struct ev_ter *t, int64_t distance)
{
    struct shift best = {0, 0, 0, 0};

    for (size_t start = 0; start < t->n_h; start++) {
        size_t at = start > MAX_SHIFT_DISTANCE ? start - MAX_SHIFT_DISTANCE : 0;
        size_t end = smaller(t->n_r, start + MAX_SHIFT_DISTANCE + 1);

        for (; at < end; at++) {
            for (size_t k = 0; k < MAX_SHIFT_WORDS && start + k < t->n_h && at + k < t->n_r; k++) {
                if (t->h[start + k] != t->r[at + k])
                    break;
                try_run(t, distance, start, at, k + 1, &best);
                if (t->n_candidates >= MAX_CANDIDATES)
                    return best;
            }
        }
    }
    return best;
}

uint64_t ev_ter_edits(struct ev_ter *t, const uint32_t *hypothesis, size_t n_hypothesis,
                      const uint32_t *reference, size_t n_reference)
{
    uint64_t n_shifts = 0;
    int64_t distance;

    T2_ASSERT(n_hypothesis <= EV_TER_MAX_WORDS && n_reference <= EV_TER_MAX_WORDS);
    if (n_reference == 0)
        return n_hypothesis;
    t->r = reference;
    t->n_h = n_hypothesis;
    t->n_r = n_reference;
    t->n_candidates = 0;
    reserve_words(t);
    lay_out(t);
    if (n_hypothesis > 0)
        memcpy(t->h, hypothesis, n_hypothesis * sizeof *t->h);
    for (;;) {
        struct shift s;

        distance = fill_rows(t);
        align(t);
        s = find_shift(t, distance);
        if (t->n_candidates >= MAX_CANDIDATES || s.gain <= 0)
            return n_shifts + (uint64_t) distance;
        move_words(t, s.start, s.length, s.target);
        memcpy(t->h, t->shifted, n_hypothesis * sizeof *t->h);
        n_shifts++;
    }
}
