/*
 * train/runs/run_tasks.c - see the header.
 */
#include "train/runs/run_tasks.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "base/hash.h"
#include "base/str.h"
#include "tokenizer/encoder.h"
#include "train/input/task_mix.h"

char *tr_tasks_primary(const char *problem)
{
    size_t n = strcspn(problem, "+");

    return problem[n] == '\0' ? NULL : t2_strndup(problem, n);
}

int tr_tasks_index(const char *problem, const char *one)
{
    size_t n = strlen(one);
    int index = 0;

    if (n == 0 || !strchr(problem, '+'))
        return -1;
    for (const char *at = problem;; at++, index++) {
        size_t length = strcspn(at, "+");

        if (length == n && strncmp(at, one, n) == 0)
            return index;
        at += length;
        if (*at == '\0')
            return -1;
    }
}

const struct dg_view *tr_task_view(const struct tr_data_set *d, int i)
{
    return i == 0 ? d->view : d->others[i - 1];
}

/* ---- which go together ---- */

static enum t2_status refuse(const struct dg_view *v, const char *why, struct t2_err *err)
{
    return t2_fail(err, T2_EUSAGE, "problem '%s' cannot be trained on with others: %s", v->name,
                   why);
}

static enum t2_status check_kind(const struct dg_view *v, struct t2_err *err)
{
    if (v->is_images || v->describes_images || v->is_speech)
        return refuse(v, "it is not of text", err);
    if (v->targets.vocab_kind == DG_VOCAB_NUMBERS || v->targets.vocab_kind == DG_VOCAB_REALS)
        return refuse(v, "its targets are numbers", err);
    if (v->context_separator != 0)
        return refuse(v, "its inputs have a context", err);
    if (v->has_targets_mask)
        return refuse(v, "its records have a targets_mask", err);
    return T2_OK;
}

/* Are the ids of a side those of the primary problem's targets? */
static enum t2_status check_side(const struct dg_view *v, const struct dg_side *side,
                                 const struct tr_data_set *d, struct t2_err *err)
{
    struct tok_encoder *e;
    char sha256[65] = "";
    bool same;

    if (!dg_vocab_is_of_text(side->vocab_kind))
        return refuse(v, "its inputs are not of text", err);
    T2_TRY(dg_side_encoder(side, &e, err));
    if (side->vocab_file)
        tok_sha256(e, sha256);
    same = tok_size(e) == d->first_task_id && strcmp(sha256, d->targets_vocab_sha256) == 0;
    tok_free(e);
    if (same)
        return T2_OK;
    return t2_fail(err, T2_EUSAGE,
                   "problem '%s' has %s of another vocabulary ('%s') than '%s' ('%s'): problems "
                   "that are trained on together share one; t2t-datagen makes a data set with a "
                   "vocabulary that is there already",
                   v->name, side->feature, side->vocab_file ? side->vocab_file : "bytes",
                   d->view->base_name,
                   d->view->targets.vocab_file ? d->view->targets.vocab_file : "bytes");
}

static enum t2_status check_primary(const struct tr_data_set *d, struct t2_err *err)
{
    const struct dg_view *v = d->view;

    T2_TRY(check_kind(v, err));
    if (v->targets.is_label)
        return refuse(v, "the first one is of texts, whose vocabulary is everybody's", err);
    if (v->has_inputs)
        T2_TRY(check_side(v, &v->inputs, d, err));
    return T2_OK;
}

static enum t2_status check_other(const struct dg_view *v, struct tr_data_set *d,
                                  struct t2_err *err)
{
    T2_TRY(check_kind(v, err));
    if (d->view->has_inputs && (!v->has_inputs || v->targets.is_label))
        return refuse(v,
                      "behind a first problem with inputs there are only problems from texts to "
                      "texts; a language model as the first one takes all",
                      err);
    if (v->has_inputs)
        T2_TRY(check_side(v, &v->inputs, d, err));
    if (!v->targets.is_label)
        return check_side(v, &v->targets, d, err);
    if (v->targets.size > d->n_task_classes)
        d->n_task_classes = (int32_t) v->targets.size;
    return T2_OK;
}

/* ---- opening ---- */

/* The data are those of all problems; "" where one has no manifest. */
static void join_hashes(struct tr_data_set *d)
{
    struct t2_buf all = {0};
    bool known = true;

    for (int i = 0; i <= d->n_others; i++) {
        const struct dg_manifest *m = tr_task_view(d, i)->manifest;

        known = known && m && m->data_sha256[0] != '\0';
        t2_buf_printf(&all, "%s\n", known ? m->data_sha256 : "");
    }
    d->data_sha256[0] = '\0';
    if (known)
        t2_sha256_of(all.data, all.len_bytes, d->data_sha256);
    t2_buf_release(&all);
}

static enum t2_status open_other(const char *name, const char *data_dir, struct tr_data_set *d,
                                 struct t2_err *err)
{
    if (name[0] == '\0')
        return t2_fail(err, T2_EUSAGE, "--problem=%s: an empty name beside a '+'", d->view->name);
    if (d->n_others + 1 == IN_MOST_TASKS)
        return t2_fail(err, T2_EUSAGE, "--problem names more than %d problems", IN_MOST_TASKS);
    for (int i = 0; i <= d->n_others; i++)
        if (strcmp(i == 0 ? d->view->base_name : d->others[i - 1]->name, name) == 0)
            return t2_fail(err, T2_EUSAGE,
                           "--problem names '%s' twice; hparam multiproblem_per_task_threshold "
                           "gives it a larger share",
                           name);
    T2_TRY(dg_view_open(name, data_dir, &d->others[d->n_others], err));
    return check_other(d->others[d->n_others++], d, err);
}

enum t2_status tr_tasks_open(const char *problem, const char *data_dir, struct tr_data_set *d,
                             struct t2_err *err)
{
    struct ckpt_state state;

    if (strlen(problem) >= sizeof state.problem)
        return t2_fail(err, T2_EUSAGE, "--problem: names of more than %zu characters together",
                       sizeof state.problem - 1);
    t2_free(d->view->name);
    d->view->name = t2_strdup(problem);
    d->first_task_id = d->problem.targets_vocab;
    d->others = t2_alloc(IN_MOST_TASKS, sizeof(struct dg_view *));
    T2_TRY(check_primary(d, err));
    for (const char *at = strchr(problem, '+'); at; at = strchr(at + 1, '+')) {
        char *name = t2_strndup(at + 1, strcspn(at + 1, "+"));
        enum t2_status st = open_other(name, data_dir, d, err);

        t2_free(name);
        T2_TRY(st);
    }
    d->problem.targets_vocab += d->n_others + 1 + d->n_task_classes;
    if (d->problem.has_inputs)
        d->problem.inputs_vocab = d->problem.targets_vocab;
    join_hashes(d);
    return T2_OK;
}

void tr_tasks_release(struct tr_data_set *d)
{
    for (int i = 0; i < d->n_others; i++)
        dg_view_free(d->others[i]);
    t2_free(d->others);
}

/* What is in front of an id and behind it is told apart where both are in the targets. */
static enum t2_status settle_weights(struct tr_data_set *d, const struct mdl_hparams *hp,
                                     struct t2_err *err)
{
    double weight;

    if (!mdl_hp_bool(hp, "multiproblem_reweight_label_loss"))
        return T2_OK;
    if (d->problem.has_inputs)
        return t2_fail(err, T2_EUSAGE,
                       "hparam multiproblem_reweight_label_loss=true is for a first problem "
                       "without inputs, a language model: pairs have a loss of targets alone");
    weight = mdl_hp_float(hp, "multiproblem_label_weight");
    if (!(weight >= 0.0 && weight <= 1.0))
        return t2_fail(err, T2_EUSAGE,
                       "hparam multiproblem_label_weight=%g must lie between 0 and 1", weight);
    d->problem.tasks = (struct mdl_task_weights){d->first_task_id, d->n_others + 1, weight};
    return T2_OK;
}

enum t2_status tr_tasks_settle(struct tr_data_set *d, const struct mdl_hparams *hp,
                               struct t2_err *err)
{
    enum { MOST_IDS = 1 << 24 };
    int64_t wanted;

    if (d->n_others == 0)
        return T2_OK;
    if (!mdl_hp_has(hp, "multiproblem_mixing_schedule"))
        return t2_fail(err, T2_EUSAGE,
                       "several problems need a hparams set of Tensor2Tensor's, with hparams "
                       "multiproblem_*");
    T2_TRY(settle_weights(d, hp, err));
    wanted = mdl_hp_int(hp, "multiproblem_vocab_size");
    if (wanted < -1 || wanted > MOST_IDS)
        return t2_fail(err, T2_EUSAGE,
                       "hparam multiproblem_vocab_size=%" PRId64 " must lie between -1 and %d",
                       wanted, MOST_IDS);
    if (wanted > d->problem.targets_vocab)
        d->problem.targets_vocab = (int32_t) wanted;
    if (d->problem.has_inputs)
        d->problem.inputs_vocab = d->problem.targets_vocab;
    return T2_OK;
}

/* ---- for the input ---- */

int tr_tasks_of(const struct tr_data_set *d, enum dg_split split, struct in_task *tasks)
{
    if (d->n_others == 0)
        return 0;
    for (int i = 0; i <= d->n_others; i++) {
        const struct dg_view *v = tr_task_view(d, i);
        const char *stem, *part = dg_view_shards(v, split, &stem);

        tasks[i] =
            (struct in_task){.dataset = stem,
                             .split = part,
                             .inputs_feature = v->has_inputs ? v->inputs.feature : NULL,
                             .targets_feature = v->targets.feature,
                             .inputs_vocab = d->first_task_id,
                             .targets_vocab =
                                 v->targets.is_label ? (int32_t) v->targets.size : d->first_task_id,
                             .id = d->first_task_id + i,
                             .label_offset =
                                 v->targets.is_label ? d->first_task_id + d->n_others + 1 : 0};
    }
    return d->n_others + 1;
}
