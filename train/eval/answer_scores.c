/*
 * train/eval/answer_scores.c - see the header.
 *
 * Texts are compared in lower case, without punctuation, without the words a, an and the, and with
 * one blank between words.
 */
#include "train/eval/answer_scores.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/map.h"
#include "tokenizer/unicode.h"

/* string.punctuation */
static bool is_dropped(uint8_t c)
{
    return (c >= '!' && c <= '/') || (c >= ':' && c <= '@') || (c >= '[' && c <= '`') ||
           (c >= '{' && c <= '~');
}

static bool is_article(struct t2_slice word)
{
    return t2_slice_eq(word, t2_slice_of("a")) || t2_slice_eq(word, t2_slice_of("an")) ||
           t2_slice_eq(word, t2_slice_of("the"));
}

/* Letters, digits and numbers of all scripts are of a word, for Python's \b. */
static size_t run_length(struct t2_slice text, bool *in_word)
{
    size_t at = 0;

    while (at < text.len_bytes) {
        uint32_t c;
        bool valid;
        size_t n = tok_utf8_decode(text.data + at, text.len_bytes - at, &c, &valid);

        if (at == 0)
            *in_word = tok_is_alnum(c);
        else if (tok_is_alnum(c) != *in_word)
            break;
        at += n;
    }
    return at;
}

/* Blanks of all kinds part words; a blank stands for an article. */
static void put_words(struct t2_slice text, struct t2_buf *out)
{
    bool between = false;

    for (size_t i = 0, n; i < text.len_bytes; i += n) {
        uint32_t c;
        bool valid;

        n = tok_utf8_decode(text.data + i, text.len_bytes - i, &c, &valid);
        if (tok_is_space(c)) {
            between = out->len_bytes > 0;
            continue;
        }
        if (between)
            t2_buf_push(out, ' ');
        between = false;
        t2_buf_append(out, text.data + i, n);
    }
}

static void normalise(const char *text, struct t2_buf *out)
{
    struct t2_buf lower = {0}, kept = {0};

    tok_lower(&lower, (const uint8_t *) text, strlen(text));
    for (size_t i = 0; i < lower.len_bytes; i++)
        if (!is_dropped(lower.data[i]))
            t2_buf_push(&kept, lower.data[i]);
    t2_buf_clear(&lower);
    for (struct t2_slice rest = t2_buf_slice(&kept); rest.len_bytes > 0;) {
        bool in_word;
        struct t2_slice run = {rest.data, run_length(rest, &in_word)};

        if (in_word && is_article(run))
            t2_buf_push(&lower, ' ');
        else
            t2_buf_append(&lower, run.data, run.len_bytes);
        rest.data += run.len_bytes;
        rest.len_bytes -= run.len_bytes;
    }
    put_words(t2_buf_slice(&lower), out);
    t2_buf_release(&lower);
    t2_buf_release(&kept);
}

bool ev_answer_is_exact(const char *found, const char *given)
{
    struct t2_buf a = {0}, b = {0};
    bool same;

    normalise(found, &a);
    normalise(given, &b);
    same = strcmp(t2_buf_cstr(&a), t2_buf_cstr(&b)) == 0;
    t2_buf_release(&a);
    t2_buf_release(&b);
    return same;
}

/* Calls the map's count of each word of a normal text; returns how many there are. */
static size_t count_words(const struct t2_buf *text, struct t2_map *counts, bool take,
                          size_t *common)
{
    size_t n = 0;

    for (size_t at = 0; at < text->len_bytes;) {
        const uint8_t *blank = memchr(text->data + at, ' ', text->len_bytes - at);
        size_t end = blank ? (size_t) (blank - text->data) : text->len_bytes;
        uint64_t *count;

        if (take) {
            count = t2_map_find(counts, text->data + at, end - at);
            *common += count && *count > 0;
            if (count && *count > 0)
                --*count;
        } else {
            count = t2_map_at(counts, text->data + at, end - at, NULL);
            ++*count;
        }
        n++;
        at = end + 1;
    }
    return n;
}

double ev_answer_f1(const char *found, const char *given)
{
    struct t2_buf a = {0}, b = {0};
    struct t2_map *counts = t2_map_new();
    size_t n_found, n_given, common = 0;
    double precision, recall;

    normalise(found, &a);
    normalise(given, &b);
    n_given = count_words(&b, counts, false, &common);
    n_found = count_words(&a, counts, true, &common);
    t2_map_free(counts);
    t2_buf_release(&a);
    t2_buf_release(&b);
    if (common == 0)
        return 0.0;
    precision = (double) common / (double) n_found;
    recall = (double) common / (double) n_given;
    return 2.0 * precision * recall / (precision + recall);
}

/* The better one of each score. */
static void take_better(struct ev_answer_sums *best, double exact, double f1)
{
    best->exact = exact > best->exact ? exact : best->exact;
    best->f1 = f1 > best->f1 ? f1 : best->f1;
}

static void add_score(struct ev_answer_sums *sums, const struct ev_answer_sums *one)
{
    sums->exact += one->exact;
    sums->f1 += one->f1;
    sums->n++;
}

void ev_answer_add(struct ev_answer_sums *sums, const struct tok_question *q, const char *found)
{
    size_t n = t2_json_size(q->answers);
    struct ev_answer_sums best = {0};

    if (n == 0) {
        sums->n_unknown++;
        return;
    }
    for (size_t i = 0; i < n; i++) {
        const char *given = tok_answer(q, i);

        take_better(&best, ev_answer_is_exact(found, given) ? 1.0 : 0.0,
                    ev_answer_f1(found, given));
    }
    add_score(sums, &best);
}

/* ---- SQuAD 2.0 ---- */

static bool is_nothing(const char *text)
{
    return ev_answer_is_exact(text, "");
}

/* Answers without words are none; of a question with no other the answer is "". */
static struct ev_answer_sums score_negative(const struct tok_question *q, const char *found)
{
    struct ev_answer_sums best = {0};
    bool is_answered = false;

    for (size_t i = 0; i < t2_json_size(q->answers); i++) {
        const char *given = tok_answer(q, i);

        if (is_nothing(given))
            continue;
        is_answered = true;
        take_better(&best, ev_answer_is_exact(found, given) ? 1.0 : 0.0,
                    ev_answer_f1(found, given));
    }
    if (!is_answered && is_nothing(found))
        take_better(&best, 1.0, 1.0);
    return best;
}

void ev_negative_add(struct ev_negative_scores *s, const struct tok_question *q, const char *found,
                     double null_odds)
{
    bool has_answer = t2_json_size(q->answers) > 0;
    struct ev_answer_sums one;

    if (!q->answers && !q->is_impossible) {
        s->all.n_unknown++;
        return;
    }
    one = score_negative(q, found);
    add_score(&s->all, &one);
    add_score(has_answer ? &s->answered : &s->unanswered, &one);
    if (s->n == s->capacity) {
        s->capacity = 2 * s->capacity + 64;
        s->items = t2_realloc(s->items, s->capacity, sizeof *s->items);
    }
    s->items[s->n] = (struct ev_negative_score){.null_odds = null_odds,
                                                .exact = one.exact,
                                                .f1 = one.f1,
                                                .has_answer = has_answer,
                                                .is_text = *found != '\0',
                                                .number = s->n};
    s->n++;
}

void ev_negative_release(struct ev_negative_scores *s)
{
    t2_free(s->items);
    *s = (struct ev_negative_scores){0};
}

static int by_odds(const void *a, const void *b)
{
    const struct ev_negative_score *x = a, *y = b;

    if (x->null_odds != y->null_odds)
        return x->null_odds < y->null_odds ? -1 : 1;
    return x->number < y->number ? -1 : x->number > y->number;
}

/* As _find_best_thresh: first all are "", then one question after the other has its answer. */
struct ev_best_threshold ev_negative_best(struct ev_negative_scores *s, enum ev_answer_score score)
{
    double sum = (double) s->unanswered.n;
    struct ev_best_threshold best = {sum, 0.0};

    if (s->n > 0)
        qsort(s->items, s->n, sizeof *s->items, by_odds);
    for (size_t i = 0; i < s->n; i++) {
        const struct ev_negative_score *one = &s->items[i];

        if (one->has_answer)
            sum += score == EV_ANSWER_F1 ? one->f1 : one->exact;
        else if (one->is_text)
            sum -= 1.0;
        if (sum > best.sum)
            best = (struct ev_best_threshold){sum, one->null_odds};
    }
    return best;
}
