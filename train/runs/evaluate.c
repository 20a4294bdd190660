/*
 * train/runs/evaluate.c - see the header.
 */
#include "train/runs/evaluate.h"

#include <math.h>

#include "base/alloc.h"
#include "base/progress.h"
#include "base/signals.h"
#include "datagen/problem.h"
#include "tokenizer/encoder.h"
#include "train/eval/text_counts.h"
#include "train/runs/eval_bleu.h"
#include "train/runs/next_batch.h"
#include "train/runs/predicted.h"
#include "train/runs/problem_metrics.h"
#include "train/runs/ranks.h"
#include "train/runs/sample_images.h"
#include "train/runs/sample_texts.h"
#include "train/runs/shared_optimizer.h"
#include "train/runs/summaries.h"

/* What an evaluation adds up. */
struct evaluation {
    struct ev_sums sums;
    struct ev_id_scorer *ids;    /* NULL: the problem has no such scores */
    struct ev_value_sums values; /* of targets that are no ids */
    struct tr_predicted predicted;
    struct ev_text_counter text; /* without an encoder: of no language model */
};

/* How the targets of a language model are read; NULL of other problems, of several, and of ids
 * without a vocabulary. */
static enum t2_status open_text(const struct tr_run *r, struct tok_encoder **e, struct t2_err *err)
{
    *e = NULL;
    if (!tr_is_language_model(r) || r->data.n_others > 0 ||
        r->data.view->targets.vocab_kind == DG_VOCAB_NUMBERS)
        return T2_OK;
    return dg_side_encoder(&r->data.view->targets, e, err);
}

/* Of all ranks, which come here together. */
static enum t2_status sum_texts(struct tr_run *r, struct ev_text_counts *counts, struct t2_err *err)
{
    size_t n = (size_t) dist_size(r->dist);
    struct ev_text_counts *all = t2_alloc(n, sizeof *all), sum = {0};
    enum t2_status st = dist_all_gather(r->dist, counts, sizeof *counts, all, err);

    for (size_t i = 0; i < n && st == T2_OK; i++) {
        sum.words += all[i].words;
        sum.bytes += all[i].bytes;
    }
    *counts = sum;
    t2_free(all);
    return st;
}

/* Labels of classes are no ids of a vocabulary, whose ends a graph would have. */
static enum t2_status evaluate_batch(struct tr_run *r, struct evaluation *e,
                                     struct mdl_batch *batch, enum t2_status st, struct t2_err *err)
{
    bool labels = r->data.problem.class_labels;
    bool values = r->data.problem.target != MDL_TARGET_IDS, wanted = values || (e->ids && !labels);
    struct mdl_loss loss;

    T2_TRY(tr_ranks_evaluate(r, batch, st, &loss, wanted ? &e->predicted : NULL, err));
    ev_sums_add(&e->sums, &loss, batch);
    if (values)
        tr_predicted_add_values(&e->predicted, &e->values);
    if (!e->ids)
        return T2_OK;
    if (labels)
        tr_predicted_labels(&e->predicted, batch->batch, loss.n_correct);
    return ev_id_scorer_add(e->ids,
                            &(struct ev_id_rows){.rows = e->predicted.rows,
                                                 .length = e->predicted.length,
                                                 .inputs_length = e->predicted.inputs_length,
                                                 .predictions = e->predicted.ids,
                                                 .labels = e->predicted.labels,
                                                 .inputs = e->predicted.inputs},
                            err);
}

static enum t2_status evaluate_batches(struct tr_run *r, struct evaluation *e,
                                       struct t2_progress *progress, struct t2_err *err)
{
    while ((int64_t) e->sums.n_batches < r->options.eval_steps) {
        struct mdl_batch batch;
        uint64_t samples;
        enum t2_status st;

        st = t2_check_interrupt(err);
        if (st == T2_OK)
            st = tr_next_batch(r->eval, r->model, &batch, &samples, err);
        if (st == T2_OK && e->text.e)
            ev_text_counter_add(&e->text, &batch);
        if (st == T2_OK && e->sums.n_batches == 0 && tr_ranks_writes(r))
            st = tr_summaries_images(r->summaries, r, &batch, err);
        st = evaluate_batch(r, e, &batch, st, err);
        if (st == T2_EOF)
            break;
        if (st != T2_OK)
            return st;
        t2_progress_update(progress, e->sums.n_batches);
    }
    return T2_OK;
}

/* What is said of ids means nothing; whole sets can be right. */
static void settle_values(const struct ev_value_sums *sums, struct ev_scores *s)
{
    s->values = ev_value_sums_means(sums);
    s->accuracy_top5 = s->neg_log_perplexity = s->perplexity = (double) NAN;
    if (s->values.kind == EV_REALS)
        s->accuracy = s->accuracy_per_sequence = (double) NAN;
}

/*
 * With moving averages these are evaluated: they change places with the variables and back again.
 */
enum t2_status tr_evaluate(struct tr_run *r, struct ev_scores *scores, struct t2_err *err)
{
    double since = t2_now_s();
    unsigned of_ids = r->id_scores & ~(unsigned) EV_OF_CALLER;
    struct evaluation e = {.ids = of_ids ? ev_id_scorer_new(of_ids) : NULL,
                           .values = {.kind = tr_value_kind(r->data.problem.target),
                                      .asked = r->value_scores},
                           .predicted = {.wants_inputs = (of_ids & EV_APPROX_SARI) != 0}};
    double bleu = (double) NAN;
    struct ev_eval_line line;
    struct t2_progress progress;
    struct tok_encoder *text = NULL;
    struct t2_err swap_err = T2_ERR_INIT;
    enum t2_status st, swapped;

    T2_ASSERT(r->eval);
    mdl_forget_sent(r->model); /* also the next batch of training, which is sent again */
    T2_GOTO(st, out, in_rewind(r->eval, 0, err));
    T2_GOTO(st, out, open_text(r, &text, err));
    e.text = (struct ev_text_counter){.e = text};
    T2_GOTO(st, out, tr_share_swap_averages(r, err));
    t2_progress_start(&progress, "evaluating", "batches",
                      (uint64_t) fmin((double) r->options.eval_steps,
                                      ceil(in_stats_of(r->eval).batches_per_epoch)));
    st = evaluate_batches(r, &e, &progress, err);
    e.sums.text = ev_text_counter_take(&e.text);
    if (st == T2_OK && text)
        st = sum_texts(r, &e.sums.text, err);
    mdl_forget_evaluation(r->model);
    t2_progress_end(&progress);
    if (st == T2_OK && r->options.train && tr_ranks_writes(r))
        st = tr_sample_texts(r, err);
    if (st == T2_OK && tr_ranks_writes(r))
        st = tr_sample_images(r, err);
    if (st == T2_OK && r->id_scores & EV_SACREBLEU)
        st = tr_eval_bleu(r, &bleu, err);
    swapped = tr_share_swap_averages(r, &swap_err);
    if (st == T2_OK && swapped != T2_OK) {
        *err = swap_err;
        st = swapped;
    }
    if (st != T2_OK)
        goto out;
    *scores = ev_sums_scores(&e.sums);
    scores->ids = ev_id_scorer_means(e.ids);
    scores->ids.wanted |= r->id_scores & EV_OF_CALLER;
    scores->ids.disc_mol_neg_log_perplexity = scores->neg_log_perplexity;
    scores->ids.sacrebleu_score = bleu;
    scores->ids.masked_neg_log_perplexity = scores->masked_neg_log_perplexity;
    if (e.values.kind != EV_NO_VALUES)
        settle_values(&e.values, scores);
    if (!tr_ranks_writes(r))
        goto out;
    line = (struct ev_eval_line){.step = r->state.step,
                                 .split = dg_split_name(r->eval_split),
                                 .scores = *scores,
                                 .images = mdl_classifies_images(&r->data.problem),
                                 .pixels = r->data.problem.pixels.height > 0,
                                 .seconds = t2_now_s() - since};
    T2_GOTO(st, out, tr_summaries_eval(r->summaries, r, &line, err));
    st = ev_report_eval(r->report, &line, err);
out:
    tok_free(text);
    ev_id_scorer_free(e.ids);
    tr_predicted_release(&e.predicted);
    return st;
}
