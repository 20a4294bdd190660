/*
 * train/eval/bleu_files.c - BLEU of one file against another, line by line: files are read once for
 * all scores, and two of different length are an error that names the first line without a partner.
 */
#include <inttypes.h>

#include "base/signals.h"
#include "base/text.h"
#include "train/eval/bleu.h"

enum { MAX_SCORES = 4 };

static enum t2_status check_utf8(const struct t2_in *in, struct t2_slice line, struct t2_err *err)
{
    size_t bad = t2_utf8_invalid_at(line.data, line.len_bytes);

    if (bad == line.len_bytes)
        return T2_OK;
    return t2_fail(err, T2_EFORMAT, "'%s': line %" PRIu64 ", byte %zu: not UTF-8 (0x%02x)",
                   t2_in_path(in), t2_in_line_number(in), bad + 1, line.data[bad]);
}

/* `shorter` has ended behind n lines, `longer` still gave one: counts the rest. */
static enum t2_status fail_counts(struct t2_in *longer, const struct t2_in *shorter, uint64_t n,
                                  struct t2_err *err)
{
    uint64_t n_longer = n + 1;
    struct t2_slice line;
    enum t2_status st;

    while ((st = t2_in_line(longer, &line, err)) == T2_OK)
        n_longer++;
    if (st != T2_EOF)
        return st;
    return t2_fail(err, T2_EFORMAT,
                   "'%s' has %" PRIu64 " line%s, '%s' has %" PRIu64 ": line %" PRIu64
                   " of '%s' is the first without a partner",
                   t2_in_path(longer), n_longer, n_longer == 1 ? "" : "s", t2_in_path(shorter), n,
                   n + 1, t2_in_path(longer));
}

static enum t2_status add_lines(struct t2_in *hypotheses, struct t2_in *references,
                                struct ev_bleu_sum **sums, int n_sums, struct t2_err *err)
{
    for (uint64_t n = 0;; n++) {
        struct t2_slice hypothesis, reference;
        enum t2_status h = t2_in_line(hypotheses, &hypothesis, err), r;

        if (h != T2_OK && h != T2_EOF)
            return h;
        r = t2_in_line(references, &reference, err);
        if (r != T2_OK && r != T2_EOF)
            return r;
        if (h != r)
            return h == T2_OK ? fail_counts(hypotheses, references, n, err)
                              : fail_counts(references, hypotheses, n, err);
        if (h == T2_EOF)
            return n > 0 ? T2_OK
                         : t2_fail(err, T2_EFORMAT, "'%s' and '%s' are empty: nothing to score",
                                   t2_in_path(hypotheses), t2_in_path(references));
        T2_TRY(check_utf8(hypotheses, hypothesis, err));
        T2_TRY(check_utf8(references, reference, err));
        for (int i = 0; i < n_sums; i++)
            ev_bleu_sum_add(sums[i], hypothesis, reference);
        if (n % 1024 == 0)
            T2_TRY(t2_check_interrupt(err));
    }
}

enum t2_status ev_bleu_files(const char *hypothesis_path, const char *reference_path,
                             const bool *lower_case, int n_scores, struct ev_bleu *bleu,
                             struct t2_err *err)
{
    struct t2_in *hypotheses = NULL, *references = NULL;
    struct ev_bleu_sum *sums[MAX_SCORES] = {NULL};
    enum t2_status st;

    T2_ASSERT(n_scores >= 0 && n_scores <= MAX_SCORES);
    T2_GOTO(st, out, t2_in_new(hypothesis_path, &hypotheses, err));
    T2_GOTO(st, out, t2_in_new(reference_path, &references, err));
    for (int i = 0; i < n_scores; i++)
        sums[i] = ev_bleu_sum_new(lower_case[i]);
    T2_GOTO(st, out, add_lines(hypotheses, references, sums, n_scores, err));
    for (int i = 0; i < n_scores; i++)
        ev_bleu_sum_score(sums[i], &bleu[i]);
out:
    for (int i = 0; i < MAX_SCORES; i++)
        ev_bleu_sum_free(sums[i]);
    t2_in_free(references);
    t2_in_free(hypotheses);
    return st;
}
