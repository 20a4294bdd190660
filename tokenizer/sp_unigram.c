/*
 * tokenizer/sp_unigram.c - unigram::Model::EncodeOptimized: the best way through the pieces.
 *
 * All sums are float, and the first of equal sums wins, as in the library since 0.2.1 (before,
 * candidates were double and rounded when they won: ties such as "00 0" and "0 00" went the other
 * way now and then).
 *
 * Viterbi over the bytes: best[i] (len_bytes + 1) is the best path that ends at byte i, as (score,
 * last piece, where it began).  From each character on, a walk down the trie offers every piece
 * that begins there to the place where it ends; a character that no piece covers alone is offered
 * as unknown.  The path is read backwards from the end.  Time is bytes times the length of the
 * longest piece.
 */
#include "base/alloc.h"
#include "tokenizer/sentencepiece.h"

static const float UNKNOWN_PENALTY = 10;
/* A user-defined piece has this for each byte but the first, whatever the other scores, so that
 * long ones win (measured with 0.2.3; 0.1.x gave the largest of FLT_MIN and the scores for each
 * byte, less 0.1). */
static const float USER_BONUS = 0.1F;

/* The best path that ends here. */
struct best {
    float score;
    int32_t id;
    int64_t from; /* -1: none ends here yet */
};

static void offer(struct best *b, float score, int32_t id, size_t from)
{
    if (b->from >= 0 && !(score > b->score))
        return;
    b->score = score;
    b->from = (int64_t) from;
    b->id = id;
}

/* All pieces that begin at `from`. */
static void offer_pieces(const struct tok_sp_model *m, const uint8_t *text, size_t len_bytes,
                         size_t from, struct best *best)
{
    const struct tok_trie_cell *cells = m->trie.cells;
    size_t char_bytes = tok_sp_char_bytes(text + from, len_bytes - from);
    bool has_single = false;
    uint32_t node = 0;

    for (size_t i = from; i < len_bytes; i++) {
        uint32_t next = cells[node].base ^ text[i];
        int32_t id;
        float score;

        if (cells[next].parent != node)
            break;
        node = next;
        id = cells[node].id;
        if (id < 0 || m->types[id] == TOK_SP_UNUSED)
            continue;
        score = m->scores[id];
        if (m->types[id] == TOK_SP_USER_DEFINED)
            score = USER_BONUS * (float) (i + 1 - from) - USER_BONUS;
        offer(&best[i + 1], score + best[from].score, id, from);
        has_single |= i + 1 - from == char_bytes;
    }
    if (!has_single) {
        float score = m->min_score - UNKNOWN_PENALTY + best[from].score;
        offer(&best[from + char_bytes], score, m->unknown, from);
    }
}

void tok_sp_cut_unigram(const struct tok_sp_model *m, const uint8_t *text, size_t len_bytes,
                        struct tok_sp_cut *cut)
{
    struct best *best = t2_alloc(len_bytes + 1, sizeof *best);
    size_t n = 0;

    for (size_t i = 1; i <= len_bytes; i++)
        best[i].from = -1;
    for (size_t at = 0; at < len_bytes; at += tok_sp_char_bytes(text + at, len_bytes - at))
        offer_pieces(m, text, len_bytes, at, best);
    for (size_t end = len_bytes; end > 0; end = (size_t) best[end].from)
        n++;
    tok_ids_reserve(&cut->ids, n);
    tok_ids_reserve(&cut->lengths, n);
    cut->ids.n += n;
    cut->lengths.n += n;
    for (size_t end = len_bytes, k = 1; end > 0; end = (size_t) best[end].from, k++) {
        cut->ids.items[cut->ids.n - k] = best[end].id;
        cut->lengths.items[cut->lengths.n - k] = (int32_t) (end - (size_t) best[end].from);
    }
    t2_free(best);
}
