/*
 * train/eval/answer_spans.c - see the header.
 */
#include "train/eval/answer_spans.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/map.h"
#include "tokenizer/unicode.h"

void ev_spans_begin(struct ev_spans *s)
{
    for (size_t i = 0; i < s->n; i++)
        t2_free(s->items[i].text);
    s->n = s->n_spans = 0;
    s->answer = NULL;
    s->has_null = false;
    s->null_begin = s->null_end = s->null_odds = 0.0;
}

void ev_spans_release(struct ev_spans *s)
{
    ev_spans_begin(s);
    t2_free(s->items);
    t2_free(s->spans);
    t2_free(s->order[0]);
    t2_free(s->order[1]);
    *s = (struct ev_spans){0};
}

/* ---- pairs ---- */

/* Moves the n places of the highest logits to the front, of equal ones the first; NaN is below all.
 */
static void take_best(const float *logits, size_t length, size_t n, size_t *places)
{
    size_t filled = 0;

    for (size_t i = 0; i < length; i++) {
        float x = isnan(logits[i]) ? -HUGE_VALF : logits[i];
        size_t at = filled;

        while (at > 0 && (isnan(logits[places[at - 1]]) ? -HUGE_VALF : logits[places[at - 1]]) < x)
            at--;
        if (at == n)
            continue;
        filled += filled < n;
        memmove(places + at + 1, places + at, (filled - at - 1) * sizeof *places);
        places[at] = i;
    }
}

static void add_span(struct ev_spans *s, size_t k, size_t begin, size_t end, double begin_logit,
                     double end_logit)
{
    if (s->n_spans == s->capacity) {
        s->capacity = 2 * s->capacity + 64;
        s->spans = t2_realloc(s->spans, s->capacity, sizeof *s->spans);
    }
    s->spans[s->n_spans] = (struct ev_span){.window = k,
                                            .begin = begin,
                                            .end = end,
                                            .number = s->n_spans,
                                            .begin_logit = begin_logit,
                                            .end_logit = end_logit};
    s->n_spans++;
}

/* A question has no answer if no window has one: the window that says so least counts. */
static double null_score(const struct ev_spans *s)
{
    const double unlikely = 1e6; /* the original's, of a question without a window */

    return s->has_null ? s->null_begin + s->null_end : unlikely;
}

static void add_null(struct ev_spans *s, double begin_logit, double end_logit)
{
    if (!(begin_logit + end_logit < null_score(s)))
        return;
    s->has_null = true;
    s->null_begin = begin_logit;
    s->null_end = end_logit;
}

void ev_spans_add(struct ev_spans *s, const struct ev_answer_rules *rules,
                  const struct tok_asked *asked, size_t k, const float *begins, const float *ends,
                  size_t length)
{
    size_t n = (size_t) rules->n_best < length ? (size_t) rules->n_best : length, first;
    size_t pieces = tok_window(asked, k, &first), place = tok_window_place(asked);

    if (n > s->order_capacity) {
        for (int i = 0; i < 2; i++)
            s->order[i] = t2_realloc(s->order[i], n, sizeof *s->order[i]);
        s->order_capacity = n;
    }
    if (rules->with_negative)
        add_null(s, (double) begins[0], (double) ends[0]);
    take_best(begins, length, n, s->order[0]);
    take_best(ends, length, n, s->order[1]);
    for (size_t i = 0; i < n; i++) {
        size_t begin = s->order[0][i];

        if (begin < place || begin >= place + pieces ||
            !tok_window_is_best(asked, k, first + begin - place))
            continue;
        for (size_t j = 0; j < n; j++) {
            size_t end = s->order[1][j];

            if (end >= begin && end < place + pieces && end - begin < (size_t) rules->most_pieces)
                add_span(s, k, begin, end, (double) begins[begin], (double) ends[end]);
        }
    }
}

static int by_sum(const void *a, const void *b)
{
    const struct ev_span *x = a, *y = b;
    double of_x = x->begin_logit + x->end_logit, of_y = y->begin_logit + y->end_logit;

    if (of_x != of_y)
        return of_x > of_y ? -1 : 1;
    return x->number < y->number ? -1 : x->number > y->number;
}

/* ---- the text of an answer ---- */

/* A text's code points, those that are no blanks, and where each of these stands. */
struct chars {
    uint32_t *all, *solid;
    size_t *place; /* (n_solid): in all */
    size_t *byte;  /* (n + 1) */
    size_t n, n_solid;
};

static void read_chars(struct chars *c, const char *text)
{
    const uint8_t *s = (const uint8_t *) text;
    size_t bytes = strlen(text);

    *c = (struct chars){.all = t2_alloc(bytes + 1, sizeof *c->all),
                        .solid = t2_alloc(bytes + 1, sizeof *c->solid),
                        .place = t2_alloc(bytes + 1, sizeof *c->place),
                        .byte = t2_alloc(bytes + 1, sizeof *c->byte)};
    for (size_t at = 0; at < bytes;) {
        uint32_t code_point;
        bool valid;

        c->byte[c->n] = at;
        at += tok_utf8_decode(s + at, bytes - at, &code_point, &valid);
        c->all[c->n] = code_point;
        if (code_point != ' ') {
            c->place[c->n_solid] = c->n;
            c->solid[c->n_solid++] = code_point;
        }
        c->n++;
    }
    c->byte[c->n] = bytes;
}

static void release_chars(struct chars *c)
{
    t2_free(c->all);
    t2_free(c->solid);
    t2_free(c->place);
    t2_free(c->byte);
}

/* The number of the character `place` of c.all among those that are no blanks. */
static bool solid_at(const struct chars *c, size_t place, size_t *number)
{
    size_t low = 0, high = c->n_solid;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (c->place[middle] < place)
            low = middle + 1;
        else
            high = middle;
    }
    *number = low;
    return low < c->n_solid && c->place[low] == place;
}

/* Characters are taken to be the same, one by one, where both have as many without blanks. */
static bool project(const char *pieces, const struct chars *spelt, const char *words,
                    const struct chars *original, size_t *from, size_t *to)
{
    const char *found = strstr(words, pieces);
    size_t begin = 0, n = 0, first, last;

    if (!found || !*pieces || spelt->n_solid != original->n_solid)
        return false;
    for (const char *s = words; s < found; s++)
        begin += (*s & 0xC0) != 0x80;
    for (const char *s = pieces; *s; s++)
        n += (*s & 0xC0) != 0x80;
    if (!solid_at(spelt, begin, &first) || !solid_at(spelt, begin + n - 1, &last))
        return false;
    *from = original->byte[original->place[first]];
    *to = original->byte[original->place[last] + 1];
    return true;
}

enum t2_status ev_final_text(struct tok_wordpiece *w, const char *pieces, const char *original,
                             struct t2_buf *text, struct t2_err *err)
{
    struct t2_buf words = {0};
    struct chars spelt, own;
    size_t from = 0, to = strlen(original);

    T2_TRY(tok_wordpiece_words(w, t2_slice_of(original), &words, err));
    read_chars(&spelt, t2_buf_cstr(&words));
    read_chars(&own, original);
    (void) project(pieces, &spelt, t2_buf_cstr(&words), &own, &from, &to);
    t2_buf_append(text, original + from, to - from);
    release_chars(&spelt);
    release_chars(&own);
    t2_buf_release(&words);
    return T2_OK;
}

/* The text of a span, in the spelling of the paragraph. */
static enum t2_status text_of(const struct ev_span *span, const struct tok_asked *a,
                              struct tok_wordpiece *w, struct t2_buf *text, struct t2_err *err)
{
    const struct tok_paragraph *p = &a->of->paragraphs[a->of->items[a->number].paragraph];
    size_t first, place = tok_window_place(a), begin, end;
    struct t2_buf pieces = {0}, words = {0};
    enum t2_status st;

    (void) tok_window(a, span->window, &first);
    begin = first + span->begin - place;
    end = first + span->end - place;
    tok_wordpiece_text(w, a->text.items + begin, end - begin + 1, &pieces);
    for (size_t i = a->word_of[begin]; i <= a->word_of[end]; i++) {
        struct t2_slice word = a->of->words[p->first_word + i];

        if (i > a->word_of[begin])
            t2_buf_push(&words, ' ');
        t2_buf_append(&words, word.data, word.len_bytes);
    }
    st = ev_final_text(w, t2_buf_cstr(&pieces), t2_buf_cstr(&words), text, err);
    t2_buf_release(&pieces);
    t2_buf_release(&words);
    return st;
}

/* ---- answers ---- */

static void add_answer(struct ev_spans *s, char *text, double begin, double end)
{
    s->items = t2_realloc(s->items, s->n + 1, sizeof *s->items);
    s->items[s->n++] = (struct ev_answer){text, 0.0, begin, end};
}

/* Softmax of the sums, the first of which is the largest. */
static void settle_probabilities(struct ev_spans *s)
{
    double sum = 0.0;

    for (size_t i = 0; i < s->n; i++) {
        struct ev_answer *a = &s->items[i];

        a->probability = exp(a->begin + a->end - (s->items[0].begin + s->items[0].end));
        sum += a->probability;
    }
    for (size_t i = 0; i < s->n; i++)
        s->items[i].probability /= sum;
}

/* An answer for each text that was not there before; that of [CLS] is "", and always one. */
static enum t2_status take_span(struct ev_spans *s, const struct ev_span *span,
                                const struct tok_asked *asked, struct tok_wordpiece *w,
                                struct t2_map *seen, struct t2_err *err)
{
    struct t2_buf text = {0};
    bool is_new = false, is_null = span->begin == 0;
    enum t2_status st = is_null ? T2_OK : text_of(span, asked, w, &text, err);

    if (st == T2_OK)
        (void) t2_map_at(seen, t2_buf_cstr(&text), text.len_bytes, &is_new);
    if (st == T2_OK && (is_new || is_null))
        add_answer(s, t2_strdup(t2_buf_cstr(&text)), span->begin_logit, span->end_logit);
    t2_buf_release(&text);
    return st;
}

/* "" or the likeliest text, by the threshold. */
static void choose(struct ev_spans *s, const struct ev_answer_rules *rules)
{
    size_t i = 0;

    while (i < s->n && s->items[i].text[0] == '\0')
        i++;
    s->null_odds = null_score(s);
    if (i < s->n)
        s->null_odds = s->null_odds - s->items[i].begin - s->items[i].end;
    s->answer = i == s->n || s->null_odds > rules->null_threshold ? "" : s->items[i].text;
}

enum t2_status ev_spans_end(struct ev_spans *s, const struct ev_answer_rules *rules,
                            const struct tok_asked *asked, struct tok_wordpiece *w,
                            struct t2_err *err)
{
    struct t2_map *seen = t2_map_new();
    enum t2_status st = T2_OK;

    if (rules->with_negative)
        add_span(s, 0, 0, 0, s->null_begin, s->null_end);
    if (s->n_spans > 0)
        qsort(s->spans, s->n_spans, sizeof *s->spans, by_sum);
    for (size_t i = 0; i < s->n_spans && s->n < (size_t) rules->n_best && st == T2_OK; i++)
        st = take_span(s, &s->spans[i], asked, w, seen, err);
    if (rules->with_negative && !t2_map_find(seen, "", 0))
        add_answer(s, t2_strdup(""), s->null_begin, s->null_end);
    t2_map_free(seen);
    if (s->n == 0)
        add_answer(s, t2_strdup("empty"), 0.0, 0.0);
    settle_probabilities(s);
    if (rules->with_negative)
        choose(s, rules);
    else
        s->answer = s->items[0].text;
    return st;
}
