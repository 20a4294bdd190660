/*
 * train/eval/chrf.c - see the header.
 */
#include "train/eval/chrf.h"

#include <stdint.h>
#include <string.h>

#include "base/alloc.h"
#include "tokenizer/unicode.h"
#include "train/eval/mteval_rules.h"
#include "train/eval/ngram_match.h"
#include "train/eval/word_ids.h"

enum { MAX_STATS = 3 * 2 * EV_CHRF_MAX_ORDER };

struct chrf {
    struct ev_metric metric;
    struct ev_chrf_options options;
};

/* A line in both forms; bytes of words stay as long as the line. */
struct side {
    struct t2_buf lower, text;
    struct ev_ids chars, words;
};

struct work {
    struct ev_ngrams *chars, *words;
    struct ev_words *numbers;
    struct side hypothesis, reference;
};

static const struct chrf *of(const struct ev_metric *m)
{
    return (const struct chrf *) m;
}

static void *work_new(const struct ev_metric *m)
{
    struct work *w = t2_alloc(1, sizeof *w);

    w->chars = ev_ngrams_new(of(m)->options.char_order);
    w->words = ev_ngrams_new(of(m)->options.word_order);
    w->numbers = ev_words_new();
    return w;
}

static void side_release(struct side *s)
{
    t2_buf_release(&s->lower);
    t2_buf_release(&s->text);
    ev_ids_release(&s->chars);
    ev_ids_release(&s->words);
}

static void work_free(void *work)
{
    struct work *w = work;

    if (!w)
        return;
    ev_ngrams_free(w->chars);
    ev_ngrams_free(w->words);
    ev_words_free(w->numbers);
    side_release(&w->hypothesis);
    side_release(&w->reference);
    t2_free(w);
}

/* A word, cut in two at a punctuation mark of ASCII: the last character if it is one, else the
 * first.  A single character stays. */
static void put_word(struct ev_words *numbers, struct t2_slice word, struct ev_ids *ids)
{
    static const char marks[] = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~";
    size_t n = word.len_bytes;
    size_t cut = 0; /* bytes of the first part; 0: all */
    bool valid;
    uint32_t c;

    if (tok_utf8_decode(word.data, n, &c, &valid) < n) {
        if (memchr(marks, word.data[n - 1], sizeof marks - 1))
            cut = n - 1;
        else if (memchr(marks, word.data[0], sizeof marks - 1))
            cut = 1;
    }
    if (cut > 0)
        ev_ids_push(ids, ev_words_id(numbers, (struct t2_slice){word.data, cut}));
    ev_ids_push(ids, ev_words_id(numbers, (struct t2_slice){word.data + cut, n - cut}));
}

static void put_words(struct ev_words *numbers, struct t2_slice line, struct ev_ids *ids)
{
    size_t start = 0, i = 0;

    while (i < line.len_bytes) {
        size_t n = ev_space_bytes(line.data + i, line.len_bytes - i);

        if (n == 0) {
            i++;
            continue;
        }
        if (i > start)
            put_word(numbers, (struct t2_slice){line.data + start, i - start}, ids);
        i += n;
        start = i;
    }
    if (i > start)
        put_word(numbers, (struct t2_slice){line.data + start, i - start}, ids);
}

static void read_side(const struct ev_chrf_options *o, struct ev_words *numbers,
                      struct t2_slice line, struct side *s)
{
    if (o->lower_case) {
        t2_buf_clear(&s->lower);
        tok_lower(&s->lower, line.data, line.len_bytes);
        line = t2_buf_slice(&s->lower);
    }
    s->words.n = 0;
    if (o->word_order > 0)
        put_words(numbers, line, &s->words);
    if (!o->whitespace) {
        t2_buf_clear(&s->text);
        ev_without_space(line, &s->text);
        line = t2_buf_slice(&s->text);
    }
    s->chars.n = 0;
    ev_ids_of_text(&s->chars, line);
}

/* Statistics of `order` orders. */
static void count(struct ev_ngrams *g, int order, const struct ev_ids *hypothesis,
                  const struct ev_ids *reference, double *stats)
{
    uint64_t matches[EV_CHRF_MAX_ORDER];

    ev_ngrams_start(g);
    ev_ngrams_reference(g, reference->items, reference->n);
    ev_ngrams_match(g, hypothesis->items, hypothesis->n, matches);
    for (int k = 0; k < order; k++) {
        uint64_t n_reference = ev_ngrams_possible(reference->n, k + 1);

        stats[3 * k] = n_reference ? (double) ev_ngrams_possible(hypothesis->n, k + 1) : 0;
        stats[3 * k + 1] = (double) n_reference;
        stats[3 * k + 2] = (double) matches[k];
    }
}

static struct ev_number score(const struct ev_metric *m, const double *stats, enum ev_sums sums)
{
    const struct ev_chrf_options *o = &of(m)->options;
    struct ev_number factor = ev_python((double) o->beta * o->beta), eps = ev_python(1e-16);
    struct ev_number plus = ev_python(1 + factor.v);
    struct ev_number f = ev_python(0), precision = ev_python(0), recall = ev_python(0);
    int n_orders = m->n_stats / 3, n_effective = 0;

    for (int i = 0; i < n_orders; i++) {
        struct ev_number hypothesis = {stats[3 * i], sums == EV_SUMS_FLOAT32};
        struct ev_number reference = {stats[3 * i + 1], sums == EV_SUMS_FLOAT32};
        struct ev_number matches = {stats[3 * i + 2], sums == EV_SUMS_FLOAT32};
        struct ev_number p = hypothesis.v > 0 ? ev_divide(matches, hypothesis) : eps;
        struct ev_number r = reference.v > 0 ? ev_divide(matches, reference) : eps;
        struct ev_number below = ev_add(ev_multiply(factor, p), r);

        f = ev_add(f, below.v > 0 ? ev_divide(ev_multiply(ev_multiply(plus, p), r), below) : eps);
        if (hypothesis.v > 0 && reference.v > 0) {
            precision = ev_add(precision, p);
            recall = ev_add(recall, r);
            n_effective++;
        }
    }
    if (o->eps_smoothing)
        return ev_divide(ev_multiply(ev_python(100), f), ev_python(n_orders));
    if (n_effective == 0)
        return ev_python(0);
    precision = ev_divide(precision, ev_python(n_effective));
    recall = ev_divide(recall, ev_python(n_effective));
    if (ev_add(precision, recall).v == 0)
        return ev_python(0);
    f = ev_multiply(ev_multiply(plus, precision), recall);
    f = ev_divide(f, ev_add(ev_multiply(factor, precision), recall));
    return ev_multiply(ev_python(100), f);
}

static enum t2_status segment(const struct ev_metric *m, void *work, const struct ev_segment *s,
                              double *stats, struct t2_err *err)
{
    const struct ev_chrf_options *o = &of(m)->options;
    struct work *w = work;
    double best = -1, here[MAX_STATS];

    (void) err;
    ev_words_start(w->numbers);
    read_side(o, w->numbers, s->hypothesis, &w->hypothesis);
    for (int i = 0; i < s->n_references; i++) {
        double f;

        /* Words of earlier references are gone with their buffer; the hypothesis' stay. */
        if (i > 0) {
            ev_words_start(w->numbers);
            read_side(o, w->numbers, s->hypothesis, &w->hypothesis);
        }
        read_side(o, w->numbers, s->references[i], &w->reference);
        count(w->chars, o->char_order, &w->hypothesis.chars, &w->reference.chars, here);
        count(w->words, o->word_order, &w->hypothesis.words, &w->reference.words,
              here + 3 * o->char_order);
        f = score(m, here, EV_SUMS_PYTHON).v;
        if (f > best) {
            best = f;
            memcpy(stats, here, (size_t) m->n_stats * sizeof *stats);
        }
    }
    return T2_OK;
}

static void name(const struct ev_metric *m, struct t2_buf *out)
{
    t2_buf_printf(out, "chrF%d", of(m)->options.beta);
    for (int i = 0; i < of(m)->options.word_order; i++)
        t2_buf_push(out, '+');
}

static void signature(const struct ev_metric *m, bool is_short, struct t2_buf *out)
{
    const struct ev_chrf_options *o = &of(m)->options;

    t2_buf_printf(out,
                  is_short ? "c:%s|e:%s|nc:%d|nw:%d|s:%s|" : "case:%s|eff:%s|nc:%d|nw:%d|space:%s|",
                  o->lower_case ? "lc" : "mixed", ev_yes(!o->eps_smoothing), o->char_order,
                  o->word_order, ev_yes(o->whitespace));
}

static void put_json(const struct ev_metric *m, const double *stats, struct t2_json *json)
{
    static const char *const keys[] = {"hypothesis_ngrams", "reference_ngrams", "matches"};

    for (int i = 0; i < 3; i++) {
        t2_json_key(json, keys[i]);
        t2_json_array(json);
        for (int k = i; k < m->n_stats; k += 3)
            t2_json_u64(json, (uint64_t) stats[k]);
        t2_json_end_array(json);
    }
}

static void free_metric(struct ev_metric *m)
{
    t2_free(m);
}

struct ev_metric *ev_chrf_new(const struct ev_chrf_options *options)
{
    static const struct ev_metric_kind kind = {"chrf", work_new,  work_free, segment,  score,
                                               name,   signature, NULL,      put_json, free_metric};
    struct chrf *c = t2_alloc(1, sizeof *c);

    c->metric = (struct ev_metric){&kind, 3 * (options->char_order + options->word_order)};
    c->options = *options;
    return &c->metric;
}
