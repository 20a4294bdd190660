/*
 * train/ckpt/average_all.c - every mean of n consecutive checkpoints.
 *
 * Polls the folder: each pass lists the checkpoints, writes the means that are not there yet and
 * waits, until no new checkpoint has come for wait_seconds.  The model is not built: the variables
 * are those that the first checkpoint's file names.
 */
#include "train/ckpt/average_all.h"

#include <inttypes.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/follow.h"
#include "base/progress.h"
#include "base/signals.h"
#include "train/ckpt/checkpoint.h"
#include "train/ckpt/checkpoint_state.h"
#include "train/ckpt/safetensors.h"
#include "train/device/device.h"
#include "train/graph/params.h"

/* One variable per tensor of a file of variables. */
static enum t2_status declare_variables(const char *path, struct gr_params *params,
                                        struct t2_err *err)
{
    struct ckpt_file *f = NULL;
    enum t2_status st;

    T2_TRY(ckpt_open(path, &f, err));
    params->values_only = true;
    st = T2_OK;
    for (size_t i = 0; i < ckpt_count(f) && st == T2_OK; i++) {
        const struct ckpt_tensor *t = ckpt_at(f, i);

        if (t->type != CKPT_F32 || t->rank < 1 || t->rank > GR_MAX_RANK)
            st = t2_fail(err, T2_EFORMAT, "'%s': '%s' is no variable (type %s, %d dimensions)",
                         path, t->name, ckpt_type_name(t->type), t->rank);
        else
            gr_params_get(params, t->name, t->rank, t->dims, 0, GR_INIT_ZEROS, 0.0);
    }
    ckpt_close(f);
    return st == T2_OK ? gr_params_freeze(params, err) : st;
}

/* The time of a file of the newest checkpoint onto the mean's: what reports order by. */
static enum t2_status copy_time(const struct ckpt_average_all *a, const char *kind, int64_t step,
                                struct t2_err *err)
{
    char *from = ckpt_path(a->model_dir, kind, step), *to = ckpt_path(a->output_dir, kind, step);
    enum t2_status st = t2_copy_file_time(from, to, err);

    t2_free(from);
    t2_free(to);
    return st;
}

static enum t2_status write_mean(const struct ckpt_average_all *a, int64_t first, int64_t last,
                                 struct gr_params *params, struct t2_err *err)
{
    struct ckpt_state state;
    struct mdl_hparams *hp = NULL;
    enum t2_status st;

    T2_TRY(t2_check_interrupt(err));
    T2_TRY(ckpt_load_state(a->model_dir, last, &state, &hp, err));
    T2_GOTO(st, out, ckpt_restore_average(a->model_dir, last, a->n, params, err));
    T2_GOTO(st, out, ckpt_save(a->output_dir, &state, hp, params, NULL, 0, err));
    T2_GOTO(st, out, copy_time(a, "model", last, err));
    T2_GOTO(st, out, copy_time(a, "state", last, err));
    if (a->written)
        a->written(a->context, first, last);
out:
    mdl_hparams_free(hp);
    return st;
}

/* All means whose last checkpoint is after step *done; *seen counts checkpoints from min_steps
 * on. */
static enum t2_status write_new(const struct ckpt_average_all *a, int64_t *done, size_t *seen,
                                struct gr_params *params, struct t2_err *err)
{
    int64_t *steps = NULL, *from;
    struct t2_progress progress;
    size_t n = 0;
    enum t2_status st;

    T2_TRY(ckpt_list_own(a->model_dir, &steps, &n, err));
    from = steps;
    while (n > 0 && *from < a->min_steps) {
        from++;
        n--;
    }
    *seen = n;
    st = T2_OK;
    t2_progress_start(&progress, "averaging", "means",
                      n >= (size_t) a->n ? (uint64_t) (n + 1) - (uint64_t) a->n : 0);
    for (size_t i = (size_t) a->n - 1; i < n && st == T2_OK; i++) {
        if (from[i] <= *done)
            continue;
        if (!params->frozen) {
            char *path = ckpt_path(a->model_dir, "model", from[i]);

            st = declare_variables(path, params, err);
            t2_free(path);
        }
        if (st == T2_OK)
            st = write_mean(a, from[i + 1 - (size_t) a->n], from[i], params, err);
        *done = from[i];
        t2_progress_update(&progress, (uint64_t) i + 2 - (uint64_t) a->n);
    }
    t2_progress_end(&progress);
    t2_free(steps);
    return st;
}

/* The run's flags go with its checkpoints. */
static enum t2_status copy_flags(const struct ckpt_average_all *a, struct t2_err *err)
{
    char *from = t2_path_join(a->model_dir, "flags.txt");
    char *to = t2_path_join(a->output_dir, "flags.txt");
    enum t2_status st = t2_copy_file_once(from, to, err);

    t2_free(from);
    t2_free(to);
    return st;
}

struct averaging {
    const struct ckpt_average_all *asked;
    struct gr_params params;
    int64_t done; /* the step of the last mean; -1: none */
    size_t seen;
};

static enum t2_status look(void *context, bool *found, struct t2_err *err)
{
    struct averaging *g = context;
    int64_t before = g->done;
    enum t2_status st = write_new(g->asked, &g->done, &g->seen, &g->params, err);

    *found = g->done != before;
    return st;
}

enum t2_status ckpt_average_all(const struct ckpt_average_all *a, struct t2_err *err)
{
    struct averaging g = {.asked = a, .done = -1};
    struct dev *dev = NULL;
    enum t2_status st;

    T2_ASSERT(a->n >= 1);
    T2_TRY(dev_open("reference", 1, &dev, err));
    gr_params_init(&g.params, dev);
    T2_GOTO(st, out, t2_follow(look, &g, a->wait_seconds, err));
    if (g.done < 0)
        st = t2_fail(err, T2_ENOTFOUND,
                     "'%s' has %zu checkpoints%s; a mean of %d needs as many (how many a training "
                     "run keeps: t2t-trainer --keep_checkpoint_max)",
                     a->model_dir, g.seen, a->min_steps > 0 ? " from --min_steps on" : "", a->n);
    else
        st = copy_flags(a, err);
out:
    gr_params_release(&g.params);
    dev_close(dev);
    return st;
}
