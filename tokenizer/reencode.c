/*
 * tokenizer/reencode.c - ids, their text, and ids again.
 */
#include "tokenizer/reencode.h"

#include <string.h>

/* Shares in percent; of Multi30k's texts 24 to 65 come back through a vocabulary of a part of them,
 * through their own 100. */
enum { LEAST_TEXTS = 20, SAME_PERCENT = 95, ANOTHER_PERCENT = 85 };

void tok_reencode(const struct tok_encoder *e, struct tok_cache *cache, const int64_t *ids,
                  size_t n, struct tok_reencoded *r)
{
    struct tok_ids before = {0}, after = {0};
    struct t2_err ignored = T2_ERR_INIT;
    struct t2_buf text = {0};

    while (n > 0 && (ids[n - 1] == TOK_PAD || ids[n - 1] == TOK_EOS))
        n--;
    for (size_t i = 0; i < n; i++)
        tok_ids_push(&before, ids[i] >= 0 && ids[i] < tok_size(e) ? (int32_t) ids[i] : -1);
    tok_decode(e, before.items, before.n, &text);
    if (tok_encode(e, cache, (const uint8_t *) t2_buf_cstr(&text), text.len_bytes, &after,
                   &ignored) == T2_OK)
        r->n_same += after.n == n &&
                     (n == 0 || memcmp(before.items, after.items, n * sizeof *after.items) == 0);
    r->n_texts++;
    t2_buf_release(&text);
    tok_ids_release(&before);
    tok_ids_release(&after);
}

double tok_reencoded_share(const struct tok_reencoded *r)
{
    return r->n_texts > 0 ? 100.0 * (double) r->n_same / (double) r->n_texts : 0;
}

static bool can_report(const struct tok_reencoded *usual, const struct tok_reencoded *r)
{
    return usual->n_texts >= LEAST_TEXTS && r->n_texts >= LEAST_TEXTS &&
           tok_reencoded_share(usual) >= SAME_PERCENT;
}

bool tok_is_same(const struct tok_reencoded *usual, const struct tok_reencoded *r)
{
    return can_report(usual, r) && tok_reencoded_share(r) >= SAME_PERCENT;
}

bool tok_is_another(const struct tok_reencoded *usual, const struct tok_reencoded *r)
{
    return can_report(usual, r) && tok_reencoded_share(r) < ANOTHER_PERCENT;
}
