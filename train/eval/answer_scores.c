/*
 * train/eval/answer_scores.c - see the header.
 *
 * Texts are compared in lower case, without punctuation, without the words a, an and the, and with
 * one blank between words.
 */
#include "train/eval/answer_scores.h"

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

void ev_answer_add(struct ev_answer_sums *sums, const struct tok_question *q, const char *found)
{
    size_t n = t2_json_size(q->answers);
    double exact = 0.0, f1 = 0.0;

    if (n == 0) {
        sums->n_unknown++;
        return;
    }
    for (size_t i = 0; i < n; i++) {
        const char *given = tok_answer(q, i);
        double one = ev_answer_f1(found, given);

        if (ev_answer_is_exact(found, given))
            exact = 1.0;
        f1 = one > f1 ? one : f1;
    }
    sums->exact += exact;
    sums->f1 += f1;
    sums->n++;
}
