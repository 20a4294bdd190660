/*
 * train/eval/word_error.c - see the header.
 *
 * Distances are Levenshtein's, bit-parallel (Hyyrö 2003): a row of the table, one word of the
 * hypothesis, is kept as the bits where it steps up (+1) or down (-1) from word to word of the
 * reference.  From the kept rows one alignment is read backwards, with the preferences of rapidfuzz
 * (deletion, insertion, then substitution), which jiwer asks.
 */
#include "train/eval/word_error.h"

#include <string.h>

#include "base/alloc.h"
#include "tokenizer/unicode.h"
#include "train/eval/mteval_rules.h"
#include "train/eval/occurrences.h"
#include "train/eval/word_ids.h"

struct ev_error {
    struct ev_words *words;
    struct ev_ids hypothesis, reference;
    struct ev_occurrences places;
    uint64_t *up, *down; /* (rows, blocks) */
    size_t capacity;
};

struct ev_error *ev_error_new(void)
{
    struct ev_error *e = t2_alloc(1, sizeof *e);

    e->words = ev_words_new();
    return e;
}

void ev_error_free(struct ev_error *e)
{
    if (!e)
        return;
    ev_words_free(e->words);
    ev_ids_release(&e->hypothesis);
    ev_ids_release(&e->reference);
    ev_occurrences_release(&e->places);
    t2_free(e->up);
    t2_free(e->down);
    t2_free(e);
}

double ev_error_rate(const struct ev_edits *e)
{
    uint64_t n_errors = e->substitutions + e->deletions + e->insertions;
    uint64_t n = e->hits + e->substitutions + e->deletions;

    return n ? (double) n_errors / (double) n : (double) e->insertions;
}

/* Words stand apart by a blank, or by white space of two characters or more; one other white space
 * character is part of a word. */
static void cut_words(struct ev_words *words, struct t2_slice line, struct ev_ids *ids)
{
    size_t start = 0, i = 0;

    while (i < line.len_bytes) {
        size_t n = 0, n_spaces = 0, n_here;

        while (i + n < line.len_bytes &&
               (n_here = ev_space_bytes(line.data + i + n, line.len_bytes - i - n)) > 0) {
            n += n_here;
            n_spaces++;
        }
        if (n_spaces > 1 || (n_spaces == 1 && line.data[i] == ' ')) {
            if (i > start)
                ev_ids_push(ids,
                            ev_words_id(words, (struct t2_slice){line.data + start, i - start}));
            start = i + n;
        }
        i += n ? n : 1;
    }
    if (i > start)
        ev_ids_push(ids, ev_words_id(words, (struct t2_slice){line.data + start, i - start}));
}

static void cut_characters(struct ev_words *words, struct t2_slice line, struct ev_ids *ids)
{
    for (size_t i = 0; i < line.len_bytes;) {
        uint32_t c;
        bool valid;
        size_t n = tok_utf8_decode(line.data + i, line.len_bytes - i, &c, &valid);

        ev_ids_push(ids, ev_words_id(words, (struct t2_slice){line.data + i, n}));
        i += n;
    }
}

/* All rows, from that of the first word of h on. */
static void fill_rows(struct ev_error *e, const uint32_t *h, size_t n_h, size_t n_blocks)
{
    for (size_t row = 0; row < n_h; row++) {
        const uint64_t *up_before = row ? e->up + (row - 1) * n_blocks : NULL;
        const uint64_t *down_before = row ? e->down + (row - 1) * n_blocks : NULL;
        const struct ev_place *p = ev_first_place(&e->places, h[row]);
        uint64_t up_in = 1, down_in = 0; /* what steps from row to row in front of the block */

        for (size_t b = 0; b < n_blocks; b++) {
            uint64_t vp = row ? up_before[b] : ~UINT64_C(0), vn = row ? down_before[b] : 0;
            uint64_t eq = 0, x, d0, hp, hn;

            if (p && p->block == b) {
                eq = p->mask;
                p = ev_next_place(&e->places, p);
            }
            x = eq | down_in;
            d0 = (((x & vp) + vp) ^ vp) | x | vn;
            hp = vn | ~(d0 | vp);
            hn = d0 & vp;
            x = hp << 1 | up_in;
            up_in = hp >> 63;
            hp = x;
            x = hn << 1 | down_in;
            down_in = hn >> 63;
            e->up[row * n_blocks + b] = x | ~(d0 | hp);
            e->down[row * n_blocks + b] = hp & d0;
        }
    }
}

static bool bit(const uint64_t *rows, size_t n_blocks, size_t row, size_t i)
{
    return rows[row * n_blocks + i / 64] >> i % 64 & 1;
}

/* Reads the alignment of r (columns) and h (rows) backwards. */
static void count_edits(const struct ev_error *e, const uint32_t *r, size_t n_r, const uint32_t *h,
                        size_t n_h, struct ev_edits *edits)
{
    size_t n_blocks = (n_r + 63) / 64;

    while (n_r > 0 && n_h > 0) {
        if (bit(e->up, n_blocks, n_h - 1, n_r - 1)) {
            edits->deletions++;
            n_r--;
            continue;
        }
        n_h--;
        if (n_h > 0 && bit(e->down, n_blocks, n_h - 1, n_r - 1)) {
            edits->insertions++;
            continue;
        }
        n_r--;
        if (r[n_r] == h[n_h])
            edits->hits++;
        else
            edits->substitutions++;
    }
    edits->deletions += n_r;
    edits->insertions += n_h;
}

static enum t2_status align(struct ev_error *e, const uint32_t *r, size_t n_r, const uint32_t *h,
                            size_t n_h, size_t n_words, struct ev_edits *edits, struct t2_err *err)
{
    size_t n_blocks = (n_r + 63) / 64;

    if (n_r > 0 && n_h > EV_MAX_ALIGNED / n_r)
        return t2_fail(err, T2_EFORMAT,
                       "%zu of the hypothesis against %zu of the reference are too many to align; "
                       "cut the line",
                       n_h, n_r);
    if (n_h * n_blocks > e->capacity) {
        e->capacity = n_h * n_blocks;
        e->up = t2_realloc(e->up, e->capacity, sizeof *e->up);
        e->down = t2_realloc(e->down, e->capacity, sizeof *e->down);
    }
    if (n_r > 0 && n_h > 0) {
        ev_occurrences_set(&e->places, r, n_r, n_words);
        fill_rows(e, h, n_h, n_blocks);
    }
    count_edits(e, r, n_r, h, n_h, edits);
    return T2_OK;
}

enum t2_status ev_error_ids(struct ev_error *e, const struct ev_ids *hypothesis,
                            const struct ev_ids *reference, struct ev_edits *edits,
                            struct t2_err *err)
{
    const uint32_t *h = hypothesis->items, *r = reference->items;
    size_t n_h = hypothesis->n, n_r = reference->n, n_same = 0, n_words = n_h + n_r;

    /* What is the same at both ends is aligned already. */
    while (n_same < n_h && n_same < n_r && h[n_same] == r[n_same])
        n_same++;
    while (n_h > n_same && n_r > n_same && h[n_h - 1] == r[n_r - 1]) {
        n_h--;
        n_r--;
        edits->hits++;
    }
    edits->hits += n_same;
    if (n_same > 0) {
        h += n_same;
        r += n_same;
        n_h -= n_same;
        n_r -= n_same;
    }
    return align(e, r, n_r, h, n_h, n_words, edits, err);
}

enum t2_status ev_error_line(struct ev_error *e, struct t2_slice hypothesis,
                             struct t2_slice reference, bool characters, struct ev_edits *edits,
                             struct t2_err *err)
{
    void (*cut)(struct ev_words *, struct t2_slice, struct ev_ids *) =
        characters ? cut_characters : cut_words;

    ev_words_start(e->words);
    e->hypothesis.n = e->reference.n = 0;
    cut(e->words, tok_stripped(reference), &e->reference);
    cut(e->words, tok_stripped(hypothesis), &e->hypothesis);
    return ev_error_ids(e, &e->hypothesis, &e->reference, edits, err);
}
