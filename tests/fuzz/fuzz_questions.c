/*
 * tests/fuzz/fuzz_questions.c - any bytes as SQuAD's JSON: questions, their rows, answers for
 * training, and answers of logits that the bytes choose, with and without one that is none.  Rows
 * are full of ids of the vocabulary, and every answer is a part of its text.
 */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/alloc.h"
#include "tests/fuzz/memory_file.h"
#include "train/eval/answer_scores.h"
#include "train/eval/answer_spans.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { LENGTH = 16, MOST_ROWS = 64 };

static const char vocab[] = "[PAD]\n[UNK]\n[CLS]\n[SEP]\nthe\nship\n##s\na\n##a\nb\n##b\n.\n#\n";
static const struct tok_row_form form = {.length = LENGTH, .stride = 3, .most_question = 4};
static struct t2_err err;

static void check_row(const struct tok_asked *a, const struct tok_wordpiece *w, size_t k)
{
    int32_t ids[LENGTH], parts[LENGTH];
    size_t n = tok_window_row(a, k, w, ids, parts);

    T2_ASSERT(n >= 4 && n <= LENGTH);
    for (size_t i = 0; i < n; i++)
        T2_ASSERT(ids[i] > 0 && ids[i] < tok_wordpiece_size(w) &&
                  parts[i] == (i >= tok_window_place(a)));
}

static void check_answer(const struct tok_asked *a, struct tok_wordpiece *w)
{
    size_t first, last;
    bool is_there;

    if (tok_asked_answer(a, w, &is_there, &first, &last, &err) == T2_OK && is_there)
        T2_ASSERT(first <= last && last < a->text.n);
}

/* "" is among the answers, and with an infinite threshold it is none while there is another. */
static void check_negative(const struct ev_spans *s, const struct tok_question *q)
{
    struct ev_negative_scores scores = {0};
    size_t n_texts = 0;

    for (size_t i = 0; i < s->n; i++)
        n_texts += s->items[i].text[0] != '\0';
    T2_ASSERT(n_texts < s->n && (s->answer[0] == '\0') == (n_texts == 0));
    ev_negative_add(&scores, q, s->answer, s->null_odds);
    ev_negative_add(&scores, q, "", -s->null_odds);
    for (int i = 0; i < 2; i++) {
        struct ev_best_threshold best = ev_negative_best(&scores, (enum ev_answer_score) i);

        T2_ASSERT(best.sum >= 0.0 && best.sum <= (double) scores.all.n + 1e-9);
    }
    ev_negative_release(&scores);
}

static void answer(struct tok_asked *a, struct tok_wordpiece *w, const uint8_t *data, size_t size,
                   bool with_negative)
{
    const struct ev_answer_rules rules = {.n_best = 4,
                                          .most_pieces = 5,
                                          .with_negative = with_negative,
                                          .null_threshold = HUGE_VAL};
    struct ev_spans s = {0};
    struct ev_answer_sums sums = {0};
    double sum = 0.0;

    for (size_t k = 0; k < a->n_windows && k < MOST_ROWS; k++) {
        float logits[2][LENGTH];

        for (size_t i = 0; i < 2 * (size_t) LENGTH; i++)
            logits[i / LENGTH][i % LENGTH] = (float) data[(i + k) % size];
        check_row(a, w, k);
        ev_spans_add(&s, &rules, a, k, logits[0], logits[1], LENGTH);
    }
    if (ev_spans_end(&s, &rules, a, w, &err) == T2_OK) {
        T2_ASSERT(s.n > 0 && s.n <= (size_t) rules.n_best + with_negative);
        for (size_t i = 0; i < s.n; i++)
            sum += s.items[i].probability;
        T2_ASSERT(sum > 0.999 && sum < 1.001);
        if (with_negative)
            check_negative(&s, &a->of->items[a->number]);
        ev_answer_add(&sums, &a->of->items[a->number], s.answer);
        T2_ASSERT(sums.f1 >= 0.0 && sums.f1 <= 1.0 + 1e-9 && sums.exact <= 1.0);
    }
    ev_spans_release(&s);
}

static void open_vocab(struct tok_wordpiece *w)
{
    char path[T_PATH_BYTES];
    int fd = t_memory_file(vocab, sizeof vocab - 1, path);
    enum t2_status st = tok_wordpiece_load(path, false, w, &err);

    T2_ASSERT(st == T2_OK);
    t_memory_file_close(fd);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct tok_wordpiece w;
    static bool is_open;
    struct tok_questions q;
    struct tok_asked a = {0};

    if (size == 0)
        return 0;
    if (!is_open)
        open_vocab(&w);
    is_open = true;
    if (tok_questions_parse("fuzz", (const char *) data, size, &q, &err) == T2_OK)
        for (size_t i = 0; i < q.n && i < MOST_ROWS; i++)
            if (tok_ask(&a, &q, i, &w, &form, &err) == T2_OK) {
                check_answer(&a, &w);
                answer(&a, &w, data, size, false);
                answer(&a, &w, data, size, true);
            }
    tok_asked_release(&a);
    tok_questions_release(&q);
    return 0;
}
