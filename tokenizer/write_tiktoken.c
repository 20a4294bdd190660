/*
 * tokenizer/write_tiktoken.c - conversion of byte-level BPE (tokenizer.json) to tiktoken's ranks.
 */
#include <inttypes.h>

#include "base/alloc.h"
#include "base/base64.h"
#include "tokenizer/convert_kinds.h"
#include "tokenizer/hf_tokenizer.h"

/* Entries that no merge makes, but two neighbours can make up once ids are ranks. */
static size_t count_made_by_ids(const struct tok_hf_order *o)
{
    int64_t *ranks = t2_alloc(o->n, sizeof *ranks);
    const struct tok_ranked ranked = {o->tokens, ranks, o->n, false};
    struct tok_splits by_id;
    size_t n;

    for (size_t i = 0; i < o->n; i++)
        ranks[i] = (int64_t) i;
    tok_splits_init(&by_id, &ranked);
    n = by_id.n_wrong;
    for (size_t i = 0; i < o->n; i++)
        n += by_id.items[i].left >= 0 && o->ranks[i] == TOK_NO_RANK;
    tok_splits_release(&by_id);
    t2_free(ranks);
    return n;
}

/* tiktoken merges by id, so ids must rise with the merges that make them. */
static void check_order(const struct tok_hf_order *o, bool ignore_merges, struct tok_conversion *c)
{
    size_t n_early = 0, n_never = 0, n_made = count_made_by_ids(o);
    int64_t last = TOK_NO_RANK;

    for (size_t i = 0; i < o->n; i++) {
        if (o->ranks[i] == TOK_NO_RANK) {
            n_never += o->tokens[i].len_bytes > 1;
            continue;
        }
        n_early += o->ranks[i] < last;
        if (o->ranks[i] > last)
            last = o->ranks[i];
    }
    if (n_early > 0)
        tok_differs(c,
                    "merges: %zu entries have a higher id than others that are merged after them; "
                    "tiktoken merges in the order of ids",
                    n_early);
    if (n_made > 0)
        tok_differs(c,
                    "merges: %zu entries are not merged so here; tiktoken merges any two "
                    "neighbours that make one up",
                    n_made);
    if (n_never > 0 && !ignore_merges)
        tok_differs(c,
                    "pieces: %zu entries are made by no merge; tiktoken takes them where they are "
                    "a whole piece",
                    n_never);
}

static void check_parts(const struct tok_hf_tokenizer *h, const struct tok_encoder *e,
                        struct tok_conversion *c)
{
    enum tok_pattern read_as = tok_tiktoken_pattern(e->n);
    const struct tok_hf_added *a = &h->added;

    if (h->normalizer.n > 0)
        tok_differs(c, "normalizer: tiktoken has none");
    if (h->pre.add_prefix_space)
        tok_differs(c, "blanks: tiktoken puts none in front of a text (add_prefix_space)");
    if (h->n_before + h->n_after > 0)
        tok_differs(c, "ends: the ids that the post-processor puts around a text are left out");
    if (a->n > 0)
        tok_differs(c,
                    "added tokens: %zu (the first is '%.*s', id %" PRId32
                    ") are not in a rank file: text that spells one is text, and their ids are "
                    "given to tiktoken apart (special_tokens)",
                    a->n,
                    (int) (a->items[0].content.len_bytes < 100 ? a->items[0].content.len_bytes
                                                               : 100),
                    (const char *) a->items[0].content.data, a->items[0].id);
    if (h->pre.pattern != read_as)
        tok_differs(c,
                    "pattern: a rank file has none, and one of %" PRId32
                    " ranks is read with another here (give tiktoken pat_str=%s)",
                    e->n, tok_pattern_regex(h->pre.pattern));
    else
        tok_note(c, "rank files do not hold their pattern: give tiktoken pat_str=%s",
                 tok_pattern_regex(h->pre.pattern));
}

enum t2_status tok_tiktoken_from_hf(const struct tok_encoder *e, struct tok_conversion *c,
                                    struct t2_err *err)
{
    const struct tok_hf_tokenizer *h = tok_hf_model_of(e);
    struct tok_hf_order o;

    if (h->model.type != TOK_HF_BPE || !h->pre.is_byte_level)
        return t2_fail(err, T2_EUNSUPPORTED,
                       "'%s' is not byte-level BPE, which alone has tiktoken's form",
                       e->kind->name);
    for (int b = 0; b < 256; b++)
        if (h->model.bpe.bytes[b] < 0)
            return t2_fail(err, T2_EUNSUPPORTED,
                           "the byte 0x%02X has no token, which tiktoken needs", (unsigned) b);
    check_parts(h, e, c);
    tok_hf_order_init(&o, e, h, c);
    check_order(&o, h->model.ignore_merges, c);
    for (size_t i = 0; i < o.n; i++) {
        if (o.tokens[i].len_bytes == 0)
            continue;
        t2_base64_encode(o.tokens[i], &c->file);
        t2_buf_printf(&c->file, " %zu\n", i);
    }
    tok_hf_order_release(&o);
    return T2_OK;
}
