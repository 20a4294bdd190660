/*
 * tests/unit/train/test_evaluate.c - scores of ids at evaluation are those of the largest logits of
 * its batches.
 */
#include "train/runs/evaluate.h"

#include <math.h>

#include "tests/unit/train/small_run.h"
#include "train/models/model_parts.h"
#include "train/runs/next_batch.h"

static int32_t argmax(const float *x)
{
    int32_t best = 0;

    for (int32_t i = 1; i < IDS_VOCAB; i++)
        best = x[i] > x[best] ? i : best;
    return best;
}

/* The scores of one batch after the other, from logits. */
static struct ev_id_means by_hand(struct tr_run *r, unsigned wanted)
{
    struct ev_id_scorer *s = ev_id_scorer_new(wanted);
    struct ev_id_means means;
    struct mdl_batch b;
    struct t2_err end = T2_ERR_INIT;
    uint64_t samples;
    enum t2_status st;

    SMALL_OK(in_rewind(r->eval, 0, err));
    while ((st = tr_next_batch(r->eval, r->model, &b, &samples, &end)) == T2_OK) {
        size_t n = (size_t) b.batch * (size_t) b.targets_length;
        float *logits = t2_alloc(n * IDS_VOCAB, sizeof *logits);
        int32_t *ids = t2_alloc(n, sizeof *ids);

        SMALL_OK(mdl_logits(r->model, &b, logits, err));
        for (size_t i = 0; i < n; i++)
            ids[i] = argmax(logits + i * IDS_VOCAB);
        SMALL_OK(ev_id_scorer_add(
            s, &(struct ev_id_rows){b.batch, b.targets_length, 0, ids, b.targets, NULL}, err));
        t2_free(logits);
        t2_free(ids);
    }
    assert_int_equal(st, T2_EOF);
    means = ev_id_scorer_means(s);
    ev_id_scorer_free(s);
    return means;
}

static void test_scores_of_ids(void **state)
{
    const char *data = t_tmp_path("data"), *dir = t_tmp_path("run");
    struct tr_run *r;
    struct ev_scores scores;
    struct ev_id_means m;

    (void) state;
    small_data(data);
    r = small_run(data, dir, "", 4, 1);
    SMALL_OK(tr_evaluate(r, &scores, err));
    assert_int_equal(scores.ids.wanted, 0);
    mdl_drop_graphs(r->model);
    mdl_set_predicts(r->model, true);
    r->id_scores = EV_APPROX_BLEU | EV_ROUGE_IDS | EV_EDIT_DISTANCE;
    SMALL_OK(tr_evaluate(r, &scores, err));
    m = by_hand(r, r->id_scores);
    assert_true(scores.ids.approx_bleu_score == m.approx_bleu_score);
    assert_true(scores.ids.rouge_2_fscore == m.rouge_2_fscore);
    assert_true(scores.ids.rouge_L_fscore == m.rouge_L_fscore);
    assert_true(scores.ids.edit_distance == m.edit_distance);
    assert_true(scores.ids.rouge_L_fscore > 0 && scores.ids.edit_distance > 0);
    assert_true(isnan(scores.ids.word_error_rate));
    tr_run_free(r);
}

T_MAIN(cmocka_unit_test(test_scores_of_ids))
