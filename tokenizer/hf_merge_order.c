/*
 * tokenizer/hf_merge_order.c - compares a list of merges with ranks of the entries they make.
 *
 * A tokenizer.json orders merges (pairs); a tiktoken file orders entries.  Both give the same
 * pieces when, for each entry, the first merge that makes it is its split (bpe_order.h).  Further
 * pairs that make the same entry change nothing: with merges applied in order, their two sides
 * never stand next to each other.
 */
#include <inttypes.h>

#include "base/alloc.h"
#include "base/json.h"
#include "base/map.h"
#include "tokenizer/convert_kinds.h"
#include "tokenizer/hf_tokenizer.h"

/* Tokens of the vocabulary by id; those of added tokens alone are holes. */
static void find_tokens(struct tok_hf_order *o, const struct tok_hf_tokenizer *h)
{
    const struct t2_map *vocab = h->model.vocab;
    size_t *ends = t2_alloc(o->n, sizeof *ends), *starts = t2_alloc(o->n, sizeof *starts);

    for (size_t i = 0; i < t2_map_count(vocab); i++) {
        size_t id = (size_t) t2_map_value(vocab, i);
        struct t2_slice token = t2_map_key(vocab, i);
        starts[id] = o->text.len_bytes;
        if (!h->pre.is_byte_level)
            t2_buf_append(&o->text, token.data, token.len_bytes);
        else
            (void) tok_hf_bytes_of(token, &o->text);
        ends[id] = o->text.len_bytes;
    }
    for (size_t id = 0; id < o->n; id++)
        o->tokens[id] = (struct t2_slice){o->text.data + starts[id], ends[id] - starts[id]};
    t2_free(starts);
    t2_free(ends);
}

/* The id of what a merge makes, of its sides in *split. */
static int32_t made_by(const struct tok_hf_tokenizer *h, const struct t2_json_value *merge,
                       struct t2_buf *joined, struct tok_split *split)
{
    struct t2_slice left, right;
    const uint64_t *a, *b, *both;

    if (!tok_hf_merge_sides(merge, &left, &right))
        return -1;
    t2_buf_clear(joined);
    t2_buf_append(joined, left.data, left.len_bytes);
    t2_buf_append(joined, right.data, right.len_bytes);
    a = t2_map_find(h->model.vocab, left.data, left.len_bytes);
    b = t2_map_find(h->model.vocab, right.data, right.len_bytes);
    both = t2_map_find(h->model.vocab, joined->data, joined->len_bytes);
    if (!a || !b || !both)
        return -1;
    *split = (struct tok_split){(int32_t) *a, (int32_t) *b};
    return (int32_t) *both;
}

static void rank_merges(struct tok_hf_order *o, const struct tok_hf_tokenizer *h,
                        struct tok_split *first)
{
    const struct t2_json_value *merges =
        t2_json_get(t2_json_get(t2_json_root(h->doc), "model"), "merges");
    struct t2_buf joined = {NULL, 0, 0};

    for (size_t i = 0; i < t2_json_size(merges); i++) {
        struct tok_split split;
        int32_t id = made_by(h, t2_json_item(merges, i), &joined, &split);
        if (id < 0 || o->ranks[id] != TOK_NO_RANK)
            continue;
        o->ranks[id] = (int64_t) i;
        first[id] = split;
    }
    t2_buf_release(&joined);
}

/* Added tokens are found before merging; as entries they mean nothing unless a merge makes them. */
static void leave_out_added(struct tok_hf_order *o, const struct tok_hf_tokenizer *h)
{
    for (size_t i = 0; i < h->added.n; i++) {
        size_t id = (size_t) h->added.items[i].id;
        struct t2_slice *t = &o->tokens[id];
        if (o->ranks[id] == TOK_NO_RANK && t->len_bytes > 0 &&
            tok_symbol_bytes(*t, 0, !h->pre.is_byte_level) < t->len_bytes)
            *t = (struct t2_slice){NULL, 0};
    }
}

void tok_hf_order_init(struct tok_hf_order *o, const struct tok_encoder *e,
                       const struct tok_hf_tokenizer *h, struct tok_conversion *c)
{
    struct tok_split *first = t2_alloc((size_t) e->n, sizeof *first);
    struct tok_ranked ranked;
    size_t n_other = 0;

    *o = (struct tok_hf_order){.n = (size_t) e->n};
    o->tokens = t2_alloc(o->n, sizeof *o->tokens);
    o->ranks = t2_alloc(o->n, sizeof *o->ranks);
    for (size_t i = 0; i < o->n; i++)
        o->ranks[i] = TOK_NO_RANK;
    find_tokens(o, h);
    rank_merges(o, h, first);
    leave_out_added(o, h);
    ranked = (struct tok_ranked){o->tokens, o->ranks, o->n, !h->pre.is_byte_level};
    tok_splits_init(&o->splits, &ranked);
    tok_differs_by_splits(c, &o->splits);
    for (size_t i = 0; i < o->n; i++)
        n_other += o->splits.items[i].left >= 0 && (o->splits.items[i].left != first[i].left ||
                                                    o->splits.items[i].right != first[i].right);
    if (n_other > 0)
        tok_differs(c, "merges: %zu entries are not made first by the pair that their ranks give",
                    n_other);
    t2_free(first);
}

void tok_hf_order_release(struct tok_hf_order *o)
{
    tok_splits_release(&o->splits);
    t2_buf_release(&o->text);
    t2_free(o->tokens);
    t2_free(o->ranks);
}
