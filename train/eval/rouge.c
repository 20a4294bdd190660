/*
 * train/eval/rouge.c - see the header.
 */
#include "train/eval/rouge.h"

#include <stdint.h>
#include <string.h>

#include "base/alloc.h"
#include "train/eval/common_subsequence.h"
#include "train/eval/mteval_rules.h"
#include "train/eval/ngram_match.h"
#include "train/eval/porter_stemmer.h"
#include "train/eval/word_ids.h"

enum { STEM_FROM_BYTES = 4 }; /* shorter words stay */

struct side {
    struct t2_buf tokens;
    struct ev_ids ids;
};

struct ev_rouge {
    enum ev_rouge_variant variant;
    struct ev_words *words;
    struct ev_ngrams *ngrams[2]; /* up to order 1, 2 */
    struct ev_lcs *lcs;
    struct side prediction, target;
};

struct ev_rouge *ev_rouge_new(enum ev_rouge_variant variant)
{
    struct ev_rouge *r = t2_alloc(1, sizeof *r);

    r->variant = variant;
    r->words = ev_words_new();
    r->ngrams[0] = ev_ngrams_new(1);
    r->ngrams[1] = ev_ngrams_new(2);
    r->lcs = ev_lcs_new();
    return r;
}

static void side_release(struct side *s)
{
    t2_buf_release(&s->tokens);
    ev_ids_release(&s->ids);
}

void ev_rouge_free(struct ev_rouge *r)
{
    if (!r)
        return;
    ev_words_free(r->words);
    ev_ngrams_free(r->ngrams[0]);
    ev_ngrams_free(r->ngrams[1]);
    ev_lcs_free(r->lcs);
    side_release(&r->prediction);
    side_release(&r->target);
    t2_free(r);
}

/* Letters and digits of ASCII as they are in lower case, else 0.  Two other characters have one in
 * their lower case: the Kelvin sign, and I with a dot, whose dot ends the word; *len_bytes is
 * set. */
static char lower_alnum(const uint8_t *s, size_t left, size_t *len_bytes)
{
    uint8_t c = *s;

    *len_bytes = 1;
    if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'))
        return (char) c;
    if (c >= 'A' && c <= 'Z')
        return (char) (c - 'A' + 'a');
    if (c == 0xe2 && left >= 3 && s[1] == 0x84 && s[2] == 0xaa) {
        *len_bytes = 3;
        return 'k';
    }
    if (c == 0xc4 && left >= 2 && s[1] == 0xb0)
        return 'i'; /* what is left of the two bytes ends the word */
    return 0;
}

/* Words of letters and digits of ASCII in lower case, joined by blanks. */
static void cut_alnum(struct t2_slice line, bool stems, struct t2_buf *out)
{
    /* A byte gives at most itself and a blank, a word one letter more. */
    char *to = (char *) t2_buf_reserve(out, 3 * line.len_bytes + 1), *begin = to, *word;

    for (size_t i = 0, n; i < line.len_bytes;) {
        char c = lower_alnum(line.data + i, line.len_bytes - i, &n);

        if (!c) {
            i += n;
            continue;
        }
        if (to > begin)
            *to++ = ' ';
        word = to;
        while (i < line.len_bytes &&
               (c = lower_alnum(line.data + i, line.len_bytes - i, &n)) != 0) {
            *to++ = c;
            i += n;
        }
        if (stems && to - word >= STEM_FROM_BYTES)
            to = word + ev_porter_stem(word, (size_t) (to - word));
    }
    *to = '\0';
    out->len_bytes = (size_t) (to - begin);
}

static void cut(struct ev_rouge *r, struct t2_slice line, struct side *s)
{
    t2_buf_clear(&s->tokens);
    if (r->variant == EV_ROUGE_T2T)
        ev_split_join(line, &s->tokens);
    else
        cut_alnum(line, r->variant == EV_ROUGE_SCORE_STEMS, &s->tokens);
    s->ids.n = 0;
    ev_words_cut(r->words, t2_buf_slice(&s->tokens), &s->ids);
}

static double ratio(uint64_t a, uint64_t b)
{
    return b ? (double) a / (double) b : 0;
}

struct ev_rouge_score ev_rouge_t2t_n(uint64_t n_both, uint64_t n_prediction, uint64_t n_target)
{
    double p = ratio(n_both, n_prediction), r = ratio(n_both, n_target);

    return (struct ev_rouge_score){p, r, 2.0 * (p * r / (p + r + 1e-8))};
}

struct ev_rouge_score ev_rouge_t2t_l(uint64_t n_both, uint64_t n_prediction, uint64_t n_target)
{
    double p = ratio(n_both, n_prediction), r = ratio(n_both, n_target);
    double b = p / (r + 1e-12);

    return (struct ev_rouge_score){p, r, (1 + b * b) * r * p / (r + b * b * p + 1e-12)};
}

static struct ev_rouge_score package_score(uint64_t n_both, uint64_t n_prediction,
                                           uint64_t n_target)
{
    double p = ratio(n_both, n_prediction), r = ratio(n_both, n_target);

    return (struct ev_rouge_score){p, r, p + r > 0 ? 2 * p * r / (p + r) : 0};
}

void ev_rouge_line(struct ev_rouge *r, struct t2_slice prediction, struct t2_slice target,
                   struct ev_rouge_score scores[EV_N_ROUGE])
{
    const struct ev_ids *p = &r->prediction.ids, *t = &r->target.ids;
    bool t2t = r->variant == EV_ROUGE_T2T;
    uint64_t lcs;

    ev_words_start(r->words);
    cut(r, prediction, &r->prediction);
    cut(r, target, &r->target);
    lcs = ev_lcs(r->lcs, p->items, p->n, t->items, t->n);
    for (int k = t2t ? 0 : 1; k < 2; k++) {
        ev_ngrams_start(r->ngrams[k]);
        ev_ngrams_reference(r->ngrams[k], t->items, t->n);
    }
    if (t2t) {
        for (int k = 0; k < 2; k++) {
            struct ev_ngram_sets s;

            ev_ngrams_sets(r->ngrams[k], p->items, p->n, &s);
            scores[k] = ev_rouge_t2t_n(s.n_both, s.n_hypothesis, s.n_reference);
        }
        scores[EV_ROUGE_L] = ev_rouge_t2t_l(lcs, p->n, t->n);
    } else {
        uint64_t matches[2];

        ev_ngrams_match(r->ngrams[1], p->items, p->n, matches);
        for (int k = 0; k < 2; k++)
            scores[k] = package_score(matches[k], ev_ngrams_possible(p->n, k + 1),
                                      ev_ngrams_possible(t->n, k + 1));
        scores[EV_ROUGE_L] = package_score(lcs, p->n, t->n);
    }
}
