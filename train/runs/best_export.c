/*
 * train/runs/best_export.c - see the header.
 */
#include "train/runs/best_export.h"

#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/json_writer.h"
#include "base/log.h"
#include "train/ckpt/checkpoint_state.h"
#include "train/runs/rank_saves.h"
#include "train/runs/ranks.h"
#include "train/runs/shared_optimizer.h"
#include "train/tune/trial_metrics.h"

enum { INDENT = 4 };

enum { OF_ANY = -1 };

static const struct metric {
    const char *garden, *key;
    int sentences; /* of BERT on such rows alone (enum mdl_sentences) */
} metrics[] = {{"validation_loss", "loss", OF_ANY},
               {"accuracy", "accuracy", OF_ANY},
               {"top_5_accuracy", "accuracy_top5", OF_ANY},
               {"cls_accuracy", "accuracy", MDL_SENTENCES_LABELLED},
               {"masked_lm_accuracy", "accuracy", MDL_SENTENCES_MASKED},
               {"sacrebleu_score", "sacrebleu_score", OF_ANY},
               {NULL, NULL, OF_ANY}};

const char *tr_garden_metric_key(const char *garden)
{
    const struct metric *m = metrics;

    while (m->garden && strcmp(m->garden, garden) != 0)
        m++;
    return m->key;
}

static char *folder(const struct tr_run *r)
{
    return t2_path_join(r->output_dir, r->options.best_subdir);
}

static bool is_exported(const struct tr_run *r)
{
    char *dir = folder(r), *info = t2_path_join(dir, "info.json");
    char *state = ckpt_path(dir, "state", r->state.step);
    bool is = t2_exists(state) && t2_exists(info);

    t2_free(dir);
    t2_free(info);
    t2_free(state);
    return is;
}

enum t2_status tr_best_is_here(const struct tr_run *r, bool *is, struct t2_err *err)
{
    const struct tr_options *o = &r->options;
    struct tune_point *points = NULL;
    size_t n = 0;

    *is = false;
    if (!o->best_subdir)
        return T2_OK;
    T2_TRY(
        tune_metric_curve(r->output_dir, tr_garden_metric_key(o->best_metric), &points, &n, err));
    *is = n > 0 && points[n - 1].step == r->state.step && !is_exported(r);
    for (size_t i = 0; i + 1 < n; i++)
        *is = *is && (o->best_is_lower ? points[n - 1].value < points[i].value
                                       : points[n - 1].value > points[i].value);
    t2_free(points);
    return T2_OK;
}

/* json.dumps(indent=4) of all metrics that the evaluation has, and the step as a float. */
static enum t2_status write_info(const struct tr_run *r, const char *dir, struct t2_err *err)
{
    char *path = t2_path_join(dir, "info.json");
    struct t2_buf text = {0};
    struct t2_json j;
    enum t2_status st;

    t2_json_init(&j, &text, INDENT);
    t2_json_object(&j);
    for (const struct metric *m = metrics; m->garden; m++) {
        struct t2_err none = T2_ERR_INIT; /* texts have no top 5 */
        double value;

        if (m->sentences != OF_ANY && m->sentences != (int) r->data.problem.sentences)
            continue;
        if (tune_metric_at(r->output_dir, m->key, r->state.step, &value, &none) == T2_OK)
            t2_json_kv_double(&j, m->garden, value);
    }
    t2_json_kv_double(&j, "best_ckpt_global_step", (double) r->state.step);
    t2_json_end_object(&j);
    t2_buf_puts(&text, "\n");
    st = t2_write_file(path, text.data, text.len_bytes, err);
    t2_buf_release(&text);
    t2_free(path);
    return st;
}

/* Rank 0.  info.json comes last: without it the checkpoint is written again. */
static enum t2_status complete(const struct tr_run *r, const char *dir, struct t2_err *err)
{
    T2_TRY(write_info(r, dir, err));
    t2_info("step %" PRId64 "  has the best %s so far: saved to '%s'", r->state.step,
            r->options.best_metric, dir);
    return T2_OK;
}

enum t2_status tr_export_best(struct tr_run *r, struct t2_err *err)
{
    char *dir = folder(r);
    enum t2_status st = tr_share_check_finite(r, err);

    if (st == T2_OK)
        st = tr_rank_save(r, dir, 1, err);
    if (st == T2_OK)
        st = dist_agree(r->dist, tr_ranks_writes(r) ? complete(r, dir, err) : T2_OK, err);
    t2_free(dir);
    return st;
}
