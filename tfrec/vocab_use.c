/*
 * tfrec/vocab_use.c - ids of records seen through a vocabulary.
 */
#include "tfrec/vocab_use.h"

#include <string.h>

#include "base/alloc.h"
#include "tfrec/open_vocab.h"
#include "tokenizer/encoder.h"

/* Where in an escape the text stands after a piece. */
enum state { PLAIN, BACKSLASH, DIGITS, N_STATES };

/* What a piece does, for each state before it. */
enum { STATE_MASK = 3, TOUCHES = 4, STARTED_BEFORE = 8 };

struct rec_vocab {
    int64_t n;
    int64_t unknown; /* id; -1: none */
    int64_t pad, eos;
    uint8_t *steps; /* N_STATES per id; NULL unless subwords */
};

static bool is_digit(uint8_t c)
{
    return c >= '0' && c <= '9';
}

static uint8_t step(struct t2_slice piece, enum state state)
{
    enum state first = state;
    uint8_t does = 0;

    for (size_t i = 0; i < piece.len_bytes; i++) {
        uint8_t c = piece.data[i];
        if (state == DIGITS) {
            does |= TOUCHES;
            state = is_digit(c) ? DIGITS : PLAIN; /* the semicolon */
        } else if (state == BACKSLASH) {
            if (is_digit(c))
                does |=
                    (uint8_t) (i == 0 && first == BACKSLASH ? TOUCHES | STARTED_BEFORE : TOUCHES);
            state = is_digit(c) ? DIGITS : PLAIN; /* \\ and \u are known characters */
        } else if (c == '\\') {
            state = BACKSLASH;
        }
    }
    return (uint8_t) (does | state);
}

struct rec_vocab *rec_vocab_new(const struct tok_encoder *e)
{
    struct rec_vocab *v = t2_alloc(1, sizeof *v);

    v->n = tok_size(e);
    v->unknown = tok_special(e).unknown;
    rec_vocab_ends(e, &v->pad, &v->eos);
    if (strcmp(tok_kind(e), "subwords") != 0)
        return v;
    v->steps = t2_alloc((size_t) v->n * N_STATES, sizeof *v->steps);
    for (int32_t id = 0; id < v->n; id++) {
        for (int s = 0; s < N_STATES; s++)
            v->steps[id * N_STATES + s] = step(tok_entry(e, id), (enum state) s);
    }
    return v;
}

void rec_vocab_free(struct rec_vocab *v)
{
    if (!v)
        return;
    t2_free(v->steps);
    t2_free(v);
}

void rec_vocab_see(const struct rec_vocab *v, const int64_t *ids, size_t n,
                   struct rec_vocab_use *use)
{
    unsigned state = PLAIN;
    bool counted = false; /* was the piece before counted as unknown? */

    for (size_t i = 0; i < n; i++) {
        if (ids[i] < 0 || ids[i] >= v->n) {
            use->n_out_of_range++;
            state = PLAIN;
        } else if (ids[i] == v->pad || ids[i] == v->eos) {
            use->n_special++;
            state = PLAIN;
        } else if (v->steps) {
            unsigned does = v->steps[ids[i] * N_STATES + state];
            if (does & STARTED_BEFORE && !counted)
                use->n_unknown++;
            counted = (does & TOUCHES) != 0;
            use->n_unknown += counted;
            state = does & STATE_MASK;
        } else {
            use->n_unknown += ids[i] == v->unknown;
        }
    }
    use->n_ids += n;
}

void rec_vocab_join(struct rec_vocab_use *into, const struct rec_vocab_use *from)
{
    into->n_ids += from->n_ids;
    into->n_unknown += from->n_unknown;
    into->n_out_of_range += from->n_out_of_range;
    into->n_special += from->n_special;
}
