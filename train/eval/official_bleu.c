/*
 * train/eval/official_bleu.c - str.strip() and str.splitlines(), then BLEU line by line.
 */
#include "train/eval/official_bleu.h"

#include <inttypes.h>
#include <string.h>

#include "base/text.h"
#include "tokenizer/unicode.h"
#include "train/eval/bleu.h"

/* Bytes of the line end at s; 0: there is none.  LF CR CRLF VT FF 1C 1D 1E, U+0085, U+2028,
 * U+2029. */
static size_t line_end_bytes(const uint8_t *s, size_t n)
{
    if (s[0] == '\r')
        return n > 1 && s[1] == '\n' ? 2 : 1;
    if ((s[0] >= '\n' && s[0] <= '\f') || (s[0] >= 0x1C && s[0] <= 0x1E))
        return 1;
    if (n > 1 && s[0] == 0xC2 && s[1] == 0x85)
        return 2;
    if (n > 2 && s[0] == 0xE2 && s[1] == 0x80 && (s[2] == 0xA8 || s[2] == 0xA9))
        return 3;
    return 0;
}

/* Takes the first line off *text, which LF ends or, with `any`, all of them; false when nothing is
 * left. */
static bool next_line(struct t2_slice *text, bool any, struct t2_slice *line)
{
    size_t n = 0, end = 0;

    if (text->len_bytes == 0)
        return false;
    for (; n < text->len_bytes && end == 0; n += end == 0)
        end = any ? line_end_bytes(text->data + n, text->len_bytes - n) : text->data[n] == '\n';
    *line = (struct t2_slice){text->data, n};
    *text = (struct t2_slice){text->data + n + end, text->len_bytes - n - end};
    return true;
}

static uint64_t count_lines(struct t2_slice text, bool any)
{
    struct t2_slice line;
    uint64_t n = 0;

    while (next_line(&text, any, &line))
        n++;
    return n;
}

static double score_of(struct t2_slice texts[2], bool any, bool lower_case)
{
    struct ev_bleu_sum *sum = ev_bleu_sum_new(lower_case);
    struct t2_slice lines[2];
    struct ev_bleu bleu;

    while (next_line(&texts[0], any, &lines[0]) && next_line(&texts[1], any, &lines[1]))
        ev_bleu_sum_add(sum, lines[0], lines[1]);
    ev_bleu_sum_score(sum, &bleu);
    ev_bleu_sum_free(sum);
    return bleu.score;
}

enum t2_status ev_official_bleu(struct t2_slice hypotheses, struct t2_slice references,
                                const char *const names[2], bool lower_case, double *score,
                                struct t2_err *err)
{
    struct t2_slice whole[2] = {hypotheses, references}, stripped[2];

    for (int i = 0; i < 2; i++) {
        size_t bad = t2_utf8_invalid_at(whole[i].data, whole[i].len_bytes);

        if (bad < whole[i].len_bytes)
            return t2_fail(err, T2_EFORMAT, "'%s': not UTF-8 at byte %zu", names[i], bad + 1);
        stripped[i] = tok_stripped(whole[i]);
    }
    if (count_lines(stripped[0], true) == count_lines(stripped[1], true)) {
        *score = score_of(stripped, true, lower_case);
        return T2_OK;
    }
    if (count_lines(whole[0], false) != count_lines(whole[1], false))
        return t2_fail(err, T2_EFORMAT,
                       "'%s' has %" PRIu64 " lines, '%s' has %" PRIu64 ": they have no partners",
                       names[0], count_lines(whole[0], false), names[1],
                       count_lines(whole[1], false));
    *score = score_of(whole, false, lower_case);
    return T2_OK;
}
