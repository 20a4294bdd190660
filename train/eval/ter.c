/*
 * train/eval/ter.c - see the header; the search is in ter_edits.c.
 */
#include "train/eval/ter.h"

#include "base/alloc.h"
#include "train/eval/ter_edits.h"
#include "train/eval/word_ids.h"

enum { EDITS, REFERENCE_LENGTH, N_STATS };

struct ter {
    struct ev_metric metric;
    struct ev_ter_options options;
};

struct work {
    struct ev_ter_scratch scratch;
    struct ev_words *numbers;
    struct ev_ter *edits;
    struct t2_buf hypothesis, reference, once;
    struct ev_ids hypothesis_ids, reference_ids;
};

static const struct ter *of(const struct ev_metric *m)
{
    return (const struct ter *) m;
}

static void *work_new(const struct ev_metric *m)
{
    struct work *w = t2_alloc(1, sizeof *w);

    (void) m;
    w->numbers = ev_words_new();
    w->edits = ev_ter_edits_new();
    return w;
}

static void work_free(void *work)
{
    struct work *w = work;

    if (!w)
        return;
    ev_ter_scratch_release(&w->scratch);
    ev_words_free(w->numbers);
    ev_ter_edits_free(w->edits);
    t2_buf_release(&w->hypothesis);
    t2_buf_release(&w->reference);
    t2_buf_release(&w->once);
    ev_ids_release(&w->hypothesis_ids);
    ev_ids_release(&w->reference_ids);
    t2_free(w);
}

static enum t2_status number(struct work *w, const struct t2_buf *tokens, struct ev_ids *ids,
                             struct t2_err *err)
{
    ids->n = 0;
    ev_words_cut(w->numbers, t2_buf_slice(tokens), ids);
    if (ids->n > EV_TER_MAX_WORDS)
        return t2_fail(err, T2_EFORMAT,
                       "a line of %zu words: TER compares %d at most; cut the line, or leave TER "
                       "out",
                       ids->n, EV_TER_MAX_WORDS);
    return T2_OK;
}

/* sacreBLEU tokenizes references twice, which only the normalisation notices: 's in front of white
 * space that is no blank is a possessive to the second pass. */
static void tokenize_reference(const struct ev_ter_options *o, struct work *w,
                               struct t2_slice reference)
{
    t2_buf_clear(&w->reference);
    ev_tokenize_ter(o, &w->scratch, reference, &w->reference);
    if (!o->normalized)
        return;
    t2_buf_clear(&w->once);
    t2_buf_append(&w->once, w->reference.data, w->reference.len_bytes);
    t2_buf_clear(&w->reference);
    ev_tokenize_ter(o, &w->scratch, t2_buf_slice(&w->once), &w->reference);
}

static enum t2_status segment(const struct ev_metric *m, void *work, const struct ev_segment *s,
                              double *stats, struct t2_err *err)
{
    const struct ev_ter_options *o = &of(m)->options;
    struct work *w = work;
    uint64_t fewest = UINT64_MAX, n_words = 0;

    t2_buf_clear(&w->hypothesis);
    ev_tokenize_ter(o, &w->scratch, s->hypothesis, &w->hypothesis);
    for (int i = 0; i < s->n_references; i++) {
        uint64_t n;

        tokenize_reference(o, w, s->references[i]);
        ev_words_start(w->numbers);
        T2_TRY(number(w, &w->hypothesis, &w->hypothesis_ids, err));
        T2_TRY(number(w, &w->reference, &w->reference_ids, err));
        n = ev_ter_edits(w->edits, w->hypothesis_ids.items, w->hypothesis_ids.n,
                         w->reference_ids.items, w->reference_ids.n);
        fewest = n < fewest ? n : fewest;
        n_words += w->reference_ids.n;
    }
    stats[EDITS] = (double) fewest;
    stats[REFERENCE_LENGTH] = (double) n_words / s->n_references;
    return T2_OK;
}

static struct ev_number score(const struct ev_metric *m, const double *stats, enum ev_sums sums)
{
    struct ev_number edits = {stats[EDITS], sums == EV_SUMS_FLOAT32};
    struct ev_number length = {stats[REFERENCE_LENGTH], sums == EV_SUMS_FLOAT32};

    (void) m;
    if (length.v > 0)
        return ev_multiply(ev_python(100), ev_divide(edits, length));
    return ev_python(edits.v > 0 ? 100 : 0);
}

static void name(const struct ev_metric *m, struct t2_buf *out)
{
    (void) m;
    t2_buf_puts(out, "TER");
}

static void signature(const struct ev_metric *m, bool is_short, struct t2_buf *out)
{
    const struct ev_ter_options *o = &of(m)->options;

    t2_buf_printf(out,
                  is_short ? "c:%s|t:tercom|nr:%s|pn:%s|as:%s|"
                           : "case:%s|tok:tercom|norm:%s|punct:%s|asian:%s|",
                  o->case_sensitive ? "mixed" : "lc", ev_yes(o->normalized), ev_yes(!o->no_punct),
                  ev_yes(o->asian_support));
}

static void put_json(const struct ev_metric *m, const double *stats, struct t2_json *json)
{
    (void) m;
    t2_json_kv_u64(json, "edits", (uint64_t) stats[EDITS]);
    t2_json_key(json, "reference_length");
    t2_json_float9(json, stats[REFERENCE_LENGTH]);
}

static void free_metric(struct ev_metric *m)
{
    t2_free(m);
}

struct ev_metric *ev_ter_new(const struct ev_ter_options *options)
{
    static const struct ev_metric_kind kind = {"ter", work_new,  work_free, segment,  score,
                                               name,  signature, NULL,      put_json, free_metric};
    struct ter *t = t2_alloc(1, sizeof *t);

    t->metric = (struct ev_metric){&kind, N_STATS};
    t->options = *options;
    return &t->metric;
}
