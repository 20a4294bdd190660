/*
 * train/eval/id_scores.c - see the header.
 *
 * The score of a batch is a float32 in the originals (numpy's mean of that type), and their mean
 * over batches has one as well.
 */
#include "train/eval/id_scores.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "train/eval/bleu.h"
#include "train/eval/common_subsequence.h"
#include "train/eval/ngram_match.h"
#include "train/eval/rouge.h"
#include "train/eval/sari.h"
#include "train/eval/word_error.h"
#include "train/eval/word_ids.h"

enum { BLEU_ORDER = 4, FIRST_BYTE = 2 };

struct ev_id_scorer {
    unsigned wanted;
    uint64_t n_batches;
    double bleu, rouge_2, rouge_l; /* sums over batches */
    double sari, n_rows;           /* sum over rows */
    double rmse, n_ids;            /* sum over batches, each as often as it has ids */
    struct ev_edits edits, word_edits;
    struct ev_words *words;
    struct ev_ngrams *four, *two; /* up to order 4, 2 */
    struct ev_lcs *lcs;
    struct ev_error *error;
    struct ev_ids prediction, label;
    struct t2_buf prediction_text, label_text;
};

struct ev_id_scorer *ev_id_scorer_new(unsigned wanted)
{
    struct ev_id_scorer *s = t2_alloc(1, sizeof *s);

    s->wanted = wanted;
    s->words = ev_words_new();
    s->four = ev_ngrams_new(BLEU_ORDER);
    s->two = ev_ngrams_new(2);
    s->lcs = ev_lcs_new();
    s->error = ev_error_new();
    return s;
}

void ev_id_scorer_free(struct ev_id_scorer *s)
{
    if (!s)
        return;
    ev_words_free(s->words);
    ev_ngrams_free(s->four);
    ev_ngrams_free(s->two);
    ev_lcs_free(s->lcs);
    ev_error_free(s->error);
    ev_ids_release(&s->prediction);
    ev_ids_release(&s->label);
    t2_buf_release(&s->prediction_text);
    t2_buf_release(&s->label_text);
    t2_free(s);
}

/* Numbers for the ids of a row (length), from 0 without gaps: equal ids, equal numbers. */
static void number_ids(struct ev_id_scorer *s, const int32_t *row, int32_t length, bool padding,
                       struct ev_ids *out)
{
    out->n = 0;
    for (int32_t i = 0; i < length; i++)
        if (padding || row[i] != 0)
            ev_ids_push(out, ev_words_id(s->words, (struct t2_slice){(const uint8_t *) &row[i],
                                                                     sizeof *row}));
}

static void number_both(struct ev_id_scorer *s, const int32_t *prediction, const int32_t *label,
                        int32_t length, bool padding)
{
    ev_words_start(s->words);
    number_ids(s, prediction, length, padding, &s->prediction);
    number_ids(s, label, length, padding, &s->label);
}

/* ---- of rows as they are ---- */

static void add_bleu(struct ev_id_scorer *s, struct ev_bleu *sum)
{
    uint64_t matches[BLEU_ORDER];

    ev_ngrams_start(s->four);
    ev_ngrams_reference(s->four, s->label.items, s->label.n);
    ev_ngrams_match(s->four, s->prediction.items, s->prediction.n, matches);
    sum->reference_length += s->label.n;
    sum->hypothesis_length += s->prediction.n;
    for (int k = 0; k < BLEU_ORDER; k++) {
        sum->matches[k] += matches[k];
        sum->possible[k] += ev_ngrams_possible(s->prediction.n, k + 1);
    }
}

static void add_rouge(struct ev_id_scorer *s, double *rouge_2, double *rouge_l)
{
    const struct ev_ids *p = &s->prediction, *l = &s->label;
    struct ev_ngram_sets sets;

    ev_ngrams_start(s->two);
    ev_ngrams_reference(s->two, l->items, l->n);
    ev_ngrams_sets(s->two, p->items, p->n, &sets);
    *rouge_2 += ev_rouge_t2t_n(sets.n_both, sets.n_hypothesis, sets.n_reference).f;
    *rouge_l += ev_rouge_t2t_l(ev_lcs(s->lcs, p->items, p->n, l->items, l->n), p->n, l->n).f;
}

static void add_rows(struct ev_id_scorer *s, int32_t rows, int32_t length,
                     const int32_t *predictions, const int32_t *labels)
{
    struct ev_bleu bleu = {0};
    double rouge_2 = 0, rouge_l = 0;

    for (int32_t r = 0; r < rows; r++) {
        int64_t at = (int64_t) r * length;

        number_both(s, predictions + at, labels + at, length, true);
        if (s->wanted & EV_APPROX_BLEU)
            add_bleu(s, &bleu);
        if (s->wanted & EV_ROUGE_IDS)
            add_rouge(s, &rouge_2, &rouge_l);
    }
    ev_bleu_of_counts(&bleu);
    s->bleu += (double) (float) (bleu.score / 100);
    s->rouge_2 += (double) (float) (rouge_2 / rows);
    s->rouge_l += (double) (float) (rouge_l / rows);
}

/* ---- error rates ---- */

/* The words of a row, joined by blanks: of ids of bytes, NUL and those below it are left out. */
static void put_words(const int32_t *row, int32_t length, struct t2_buf *text)
{
    bool blank = false;

    t2_buf_clear(text);
    for (int32_t i = 0; i < length; i++) {
        int32_t byte = row[i] - FIRST_BYTE;

        if (byte <= 0)
            continue;
        if (byte == ' ') {
            blank = text->len_bytes > 0;
            continue;
        }
        if (blank)
            t2_buf_push(text, ' ');
        blank = false;
        t2_buf_push(text, (uint8_t) (byte > UINT8_MAX ? UINT8_MAX : byte));
    }
}

static enum t2_status add_word_errors(struct ev_id_scorer *s, const int32_t *prediction,
                                      const int32_t *label, int32_t length, struct t2_err *err)
{
    put_words(prediction, length, &s->prediction_text);
    put_words(label, length, &s->label_text);
    ev_words_start(s->words);
    s->prediction.n = s->label.n = 0;
    ev_words_cut(s->words, t2_buf_slice(&s->prediction_text), &s->prediction);
    ev_words_cut(s->words, t2_buf_slice(&s->label_text), &s->label);
    return ev_error_ids(s->error, &s->prediction, &s->label, &s->word_edits, err);
}

static void add_sari(struct ev_id_scorer *s, const struct ev_id_rows *ids)
{
    for (int32_t r = 0; r < ids->rows; r++) {
        int64_t at = (int64_t) r * ids->length;

        s->sari += (double) (float) ev_sari(
            s->words,
            (struct ev_id_row){ids->inputs + (int64_t) r * ids->inputs_length, ids->inputs_length},
            (struct ev_id_row){ids->predictions + at, ids->length},
            (struct ev_id_row){ids->labels + at, ids->length});
    }
    s->n_rows += ids->rows;
}

static void add_image(struct ev_id_scorer *s, const struct ev_id_rows *ids)
{
    int64_t n = (int64_t) ids->rows * ids->length;
    double squares = 0.0;

    for (int64_t i = 0; i < n; i++) {
        double d = (double) ids->predictions[i] - (double) ids->labels[i];

        squares += d * d;
    }
    s->rmse += sqrt(squares / (double) n) * (double) n;
    s->n_ids += (double) n;
}

enum t2_status ev_id_scorer_add(struct ev_id_scorer *s, const struct ev_id_rows *ids,
                                struct t2_err *err)
{
    if (ids->rows <= 0)
        return T2_OK;
    s->n_batches++;
    if (s->wanted & (EV_APPROX_BLEU | EV_ROUGE_IDS))
        add_rows(s, ids->rows, ids->length, ids->predictions, ids->labels);
    if (s->wanted & EV_APPROX_SARI)
        add_sari(s, ids);
    if (s->wanted & EV_IMAGE_RMSE)
        add_image(s, ids);
    for (int32_t r = 0; r < ids->rows; r++) {
        int64_t at = (int64_t) r * ids->length;
        const int32_t *prediction = ids->predictions + at, *label = ids->labels + at;

        if (s->wanted & EV_EDIT_DISTANCE) {
            number_both(s, prediction, label, ids->length, false);
            T2_TRY(ev_error_ids(s->error, &s->prediction, &s->label, &s->edits, err));
        }
        if (s->wanted & EV_WORD_ERROR_RATE)
            T2_TRY(add_word_errors(s, prediction, label, ids->length, err));
    }
    return T2_OK;
}

/* ---- means ---- */

static double rate(const struct ev_edits *e)
{
    return e->hits + e->substitutions + e->deletions > 0 ? ev_error_rate(e) : (double) NAN;
}

struct ev_id_means ev_id_scorer_means(const struct ev_id_scorer *s)
{
    const double nan = (double) NAN;
    struct ev_id_means m = {s ? s->wanted : 0, nan, nan, nan, nan, nan, nan, nan, nan, nan, nan};
    double n = s ? (double) s->n_batches : 0;

    if (n > 0 && s->wanted & EV_APPROX_BLEU)
        m.approx_bleu_score = s->bleu / n;
    if (n > 0 && s->wanted & EV_ROUGE_IDS) {
        m.rouge_2_fscore = s->rouge_2 / n;
        m.rouge_L_fscore = s->rouge_l / n;
    }
    if (n > 0 && s->wanted & EV_EDIT_DISTANCE)
        m.edit_distance = rate(&s->edits);
    if (n > 0 && s->wanted & EV_WORD_ERROR_RATE)
        m.word_error_rate = rate(&s->word_edits);
    if (n > 0 && s->wanted & EV_APPROX_SARI)
        m.approx_sari_score = s->sari / s->n_rows;
    if (n > 0 && s->wanted & EV_IMAGE_RMSE)
        m.image_rmse = s->rmse / s->n_ids;
    return m;
}

/* ---- names ---- */

static const struct {
    unsigned of;
    const char *name;
    size_t at; /* in struct ev_id_means */
} scores[] = {
    {EV_APPROX_BLEU, "approx_bleu_score", offsetof(struct ev_id_means, approx_bleu_score)},
    {EV_ROUGE_IDS, "rouge_2_fscore", offsetof(struct ev_id_means, rouge_2_fscore)},
    {EV_ROUGE_IDS, "rouge_L_fscore", offsetof(struct ev_id_means, rouge_L_fscore)},
    {EV_EDIT_DISTANCE, "edit_distance", offsetof(struct ev_id_means, edit_distance)},
    {EV_WORD_ERROR_RATE, "word_error_rate", offsetof(struct ev_id_means, word_error_rate)},
    {EV_APPROX_SARI, "approx_sari_score", offsetof(struct ev_id_means, approx_sari_score)},
    {EV_IMAGE_RMSE, "image_rmse", offsetof(struct ev_id_means, image_rmse)},
    {EV_DMOL_PERPLEXITY, "disc_mol_neg_log_perplexity",
     offsetof(struct ev_id_means, disc_mol_neg_log_perplexity)},
    {EV_SACREBLEU, "sacrebleu_score", offsetof(struct ev_id_means, sacrebleu_score)},
    {EV_MASKED_PERPLEXITY, "masked_neg_log_perplexity",
     offsetof(struct ev_id_means, masked_neg_log_perplexity)},
};

unsigned ev_id_score_bit(const char *name)
{
    for (size_t k = 0; k < sizeof scores / sizeof *scores; k++)
        if (strcmp(scores[k].name, name) == 0)
            return scores[k].of;
    return 0;
}

const char *ev_id_score(const struct ev_id_means *m, int i, double *value)
{
    for (size_t k = 0; k < sizeof scores / sizeof *scores; k++) {
        if (!(m->wanted & scores[k].of) || i-- > 0)
            continue;
        memcpy(value, (const char *) m + scores[k].at, sizeof *value);
        return scores[k].name;
    }
    *value = (double) NAN;
    return NULL;
}
