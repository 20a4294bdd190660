/*
 * tokenizer/question_rows.c - see the header.
 */
#include "tokenizer/question_rows.h"

#include <string.h>

#include "base/alloc.h"
#include "tokenizer/unicode.h"

enum { SPECIALS = 3, MOST_LENGTH = 1 << 16 }; /* [CLS], [SEP], [SEP] */

enum t2_status tok_row_form_check(const struct tok_row_form *f, struct t2_err *err)
{
    if (f->length < 1 || f->length > MOST_LENGTH || f->stride < 1 || f->most_question < 0)
        return t2_fail(err, T2_EUSAGE,
                       "rows of %d ids with windows every %d and questions of up to %d: the first "
                       "must be 1 to %d, the second at least 1, the last not negative",
                       f->length, f->stride, f->most_question, MOST_LENGTH);
    if (f->length - SPECIALS > f->most_question)
        return T2_OK;
    return t2_fail(err, T2_EUSAGE,
                   "rows of %d ids have no place for a text beside a question of %d and 3 marks",
                   f->length, f->most_question);
}

static void *grown(void *p, size_t *capacity, size_t n, size_t size)
{
    if (n < *capacity)
        return p;
    *capacity = 2 * n + 64;
    return t2_realloc(p, *capacity, size);
}

static enum t2_status cut_paragraph(struct tok_asked *a, const struct tok_paragraph *p,
                                    struct tok_wordpiece *w, struct t2_err *err)
{
    a->text.n = 0;
    a->piece_of = grown(a->piece_of, &a->piece_capacity, p->n_words + 1, sizeof *a->piece_of);
    for (size_t i = 0; i < p->n_words; i++) {
        a->piece_of[i] = a->text.n;
        T2_TRY(tok_wordpiece_ids(w, a->of->words[p->first_word + i], &a->text, err));
        for (size_t k = a->piece_of[i]; k < a->text.n; k++) {
            a->word_of = grown(a->word_of, &a->word_capacity, k, sizeof *a->word_of);
            a->word_of[k] = i;
        }
    }
    a->piece_of[p->n_words] = a->text.n;
    return T2_OK;
}

enum t2_status tok_ask(struct tok_asked *a, const struct tok_questions *q, size_t number,
                       struct tok_wordpiece *w, const struct tok_row_form *form, struct t2_err *err)
{
    const struct tok_question *asked = &q->items[number];

    T2_ASSERT(form->length - SPECIALS > form->most_question && form->stride > 0);
    a->number = number;
    a->question.n = 0;
    T2_TRY(tok_wordpiece_ids(w, t2_slice_of(asked->text), &a->question, err));
    if (a->question.n > (size_t) form->most_question)
        a->question.n = (size_t) form->most_question;
    if (a->of != q || a->paragraph != asked->paragraph + 1) { /* questions of a text follow */
        a->of = q;
        a->paragraph = 0;
        T2_TRY(cut_paragraph(a, &q->paragraphs[asked->paragraph], w, err));
        a->paragraph = asked->paragraph + 1;
    }
    a->most = (size_t) form->length - SPECIALS - a->question.n;
    a->step = (size_t) form->stride < a->most ? (size_t) form->stride : a->most;
    a->n_windows = a->text.n == 0         ? 0
                   : a->text.n <= a->most ? 1
                                          : 1 + (a->text.n - a->most + a->step - 1) / a->step;
    return T2_OK;
}

void tok_asked_release(struct tok_asked *a)
{
    tok_ids_release(&a->question);
    tok_ids_release(&a->text);
    t2_free(a->word_of);
    t2_free(a->piece_of);
    *a = (struct tok_asked){0};
}

size_t tok_window(const struct tok_asked *a, size_t k, size_t *first)
{
    T2_ASSERT(k < a->n_windows);
    *first = k * a->step;
    return a->text.n - *first < a->most ? a->text.n - *first : a->most;
}

static void put(int32_t *ids, int32_t *parts, size_t *n, int32_t id, int32_t part)
{
    ids[*n] = id;
    parts[(*n)++] = part;
}

size_t tok_window_row(const struct tok_asked *a, size_t k, const struct tok_wordpiece *w,
                      int32_t *ids, int32_t *parts)
{
    size_t first, n = 0, pieces = tok_window(a, k, &first);

    put(ids, parts, &n, w->cls, 0);
    for (size_t i = 0; i < a->question.n; i++)
        put(ids, parts, &n, a->question.items[i], 0);
    put(ids, parts, &n, w->sep, 0);
    for (size_t i = 0; i < pieces; i++)
        put(ids, parts, &n, a->text.items[first + i], 1);
    put(ids, parts, &n, w->sep, 1);
    return n;
}

/* The score is the original's: the smaller side, and a little for the window's length; of equal
 * ones the first window counts. */
bool tok_window_is_best(const struct tok_asked *a, size_t k, size_t piece)
{
    size_t from = piece < a->most ? 0 : (piece - a->most) / a->step, best = k;
    double highest = -1.0;

    for (size_t i = from; i < a->n_windows && i * a->step <= piece; i++) {
        size_t first, n = tok_window(a, i, &first), before = piece - first, behind;
        double score;

        if (piece >= first + n)
            continue;
        behind = first + n - 1 - piece;
        score = (double) (before < behind ? before : behind) + 0.01 * (double) n;
        if (score > highest) {
            highest = score;
            best = i;
        }
    }
    return best == k;
}

/* ---- the answer ---- */

/* The word that character `at` of the text is of, or that stands before it. */
static bool word_at(const struct tok_asked *a, int64_t at, size_t *word)
{
    const struct tok_paragraph *p = &a->of->paragraphs[a->paragraph - 1];
    const uint8_t *s = (const uint8_t *) p->text;
    size_t n = 0;

    for (int64_t chars = 0; *s && (chars < at || (*s & 0xC0) == 0x80); s++)
        chars += (s[1] & 0xC0) != 0x80;
    if (!*s)
        return false;
    while (n < p->n_words && a->of->words[p->first_word + n].data <= s)
        n++;
    *word = n - 1;
    return n > 0;
}

/* Appends words as Python's split parts them, a blank between two. */
static void put_split(struct t2_slice text, struct t2_buf *out)
{
    bool between = out->len_bytes > 0;

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

static bool words_hold(const struct tok_asked *a, size_t first, size_t last, const char *answer)
{
    const struct tok_paragraph *p = &a->of->paragraphs[a->paragraph - 1];
    struct t2_buf words = {0}, cleaned = {0};
    bool hold;

    for (size_t i = first; i <= last; i++) {
        struct t2_slice word = a->of->words[p->first_word + i];

        if (i > first)
            t2_buf_push(&words, ' ');
        t2_buf_append(&words, word.data, word.len_bytes);
    }
    put_split(t2_slice_of(answer), &cleaned);
    hold = strstr(t2_buf_cstr(&words), t2_buf_cstr(&cleaned)) != NULL;
    t2_buf_release(&words);
    t2_buf_release(&cleaned);
    return hold;
}

/* The longest run from the earliest begin that is the answer's own pieces, as the original looks
 * for it. */
static void improve(const struct tok_asked *a, const struct tok_ids *answer, size_t *first,
                    size_t *last)
{
    size_t n = answer->n;

    for (size_t at = *first; n > 0 && at + n <= *last + 1; at++)
        if (memcmp(a->text.items + at, answer->items, n * sizeof *answer->items) == 0) {
            *first = at;
            *last = at + n - 1;
            return;
        }
}

static int64_t count_chars(const char *s)
{
    int64_t n = 0;

    for (; *s; s++)
        n += (*s & 0xC0) != 0x80;
    return n;
}

enum t2_status tok_asked_answer(const struct tok_asked *a, struct tok_wordpiece *w, bool *is_there,
                                size_t *first, size_t *last, struct t2_err *err)
{
    const struct tok_question *q = &a->of->items[a->number];
    const char *answer = tok_answer(q, 0);
    int64_t begin = t2_json_as_i64(t2_json_get(t2_json_item(q->answers, 0), "answer_start"), -1);
    struct tok_ids own = {0};
    size_t words[2];
    enum t2_status st;

    *is_there = false;
    if (t2_json_size(q->answers) != 1)
        return t2_fail(err, T2_EFORMAT, "question '%s' has %zu answers; one is learned", q->id,
                       t2_json_size(q->answers));
    if (begin < 0 || begin > INT32_MAX || !*answer || !word_at(a, begin, &words[0]) ||
        !word_at(a, begin + count_chars(answer) - 1, &words[1]))
        return t2_fail(err, T2_EFORMAT,
                       "question '%s': an answer of %zu bytes at character %lld is not in the text",
                       q->id, strlen(answer), (long long) begin);
    if (!words_hold(a, words[0], words[1], answer))
        return T2_OK;
    *first = a->piece_of[words[0]];
    *last = a->piece_of[words[1] + 1] - 1;
    if (a->piece_of[words[1] + 1] <= *first) /* words of characters that are dropped */
        return T2_OK;
    st = tok_wordpiece_ids(w, t2_slice_of(answer), &own, err);
    if (st == T2_OK)
        improve(a, &own, first, last);
    tok_ids_release(&own);
    *is_there = st == T2_OK;
    return st;
}

void tok_window_answer(const struct tok_asked *a, size_t k, size_t first, size_t last,
                       int64_t *begin, int64_t *end)
{
    size_t from, n = tok_window(a, k, &from);
    bool is_there = first >= from && last < from + n;

    *begin = is_there ? (int64_t) (first - from + tok_window_place(a)) : 0;
    *end = is_there ? (int64_t) (last - from + tok_window_place(a)) : 0;
}
