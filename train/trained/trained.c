/*
 * train/trained/trained.c - a trained model for use: checkpoint, data set, vocabularies, device,
 * variables (or their mean over several checkpoints).
 */
#include "train/trained/trained.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/io.h"
#include "base/log.h"
#include "base/remote_path.h"
#include "base/str.h"
#include "base/version.h"
#include "train/exchange/model_file.h"
#include "train/runs/launch.h"
#include "train/runs/model_text.h"
#include "train/runs/run_tasks.h"

/* "…/state-1200.json", "…/model-1200.safetensors", "…/model.ckpt-1200" -> 1200. */
static bool step_in_name(const char *name, int64_t *step)
{
    const char *dash = strrchr(name, '-');
    size_t n = dash ? strspn(dash + 1, "0123456789") : 0;
    char *digits;
    bool ok;

    if (n == 0 || (dash[1 + n] != '\0' && dash[1 + n] != '.'))
        return false;
    digits = t2_strndup(dash + 1, n);
    ok = t2_parse_i64(digits, step);
    t2_free(digits);
    return ok;
}

/* --checkpoint_path is a step, a folder (its newest checkpoint), or the name of one of a
 * checkpoint's files, also of TensorFlow's form "model.ckpt-1200". */
enum t2_status tr_find_checkpoint(const char *output_dir, const char *checkpoint_path, char **dir,
                                  int64_t *step, struct t2_err *err)
{
    const char *base = t2_path_base(checkpoint_path);

    *dir = NULL;
    *step = -1;
    if (checkpoint_path[0] != '\0' && !t2_parse_i64(checkpoint_path, step)) {
        char *path = t2_path_expand(checkpoint_path);
        struct t2_file_info at;
        enum t2_status st = t2_look_at(path, &at, err);

        if (st != T2_OK) {
            t2_free(path);
            return st;
        }
        if (at.kind == T2_FILE_DIR) { /* its newest */
            *dir = path;
            return T2_OK;
        }
        if (!step_in_name(base, step)) {
            t2_free(path);
            return t2_fail(err, T2_EUSAGE,
                           "--checkpoint_path='%s': neither a step nor a file such as "
                           "'run/state-1000.json'",
                           checkpoint_path);
        }
        *dir = strchr(path, '/') || output_dir[0] == '\0' ? t2_path_dir(path)
                                                          : t2_path_expand(output_dir);
        t2_free(path);
        return T2_OK;
    }
    if (*step < -1)
        return t2_fail(err, T2_EUSAGE, "--checkpoint_path=%" PRId64 ": steps begin at 0", *step);
    if (output_dir[0] == '\0')
        return t2_fail(err, T2_EUSAGE,
                       "--output_dir (of the training run) or --checkpoint_path is needed");
    *dir = t2_path_expand(output_dir);
    return T2_OK;
}

/* A flag may repeat what the checkpoint says, and must not contradict it. */
static enum t2_status same(const char *flag, const char *value, const char *theirs,
                           const struct tr_trained *t, struct t2_err *err)
{
    if (value[0] == '\0' || theirs[0] == '\0' || strcmp(value, theirs) == 0)
        return T2_OK;
    return t2_fail(err, T2_EUSAGE,
                   "--%s=%s, but the checkpoint in '%s' (step %" PRId64
                   ") has '%s': leave the flag out, or give the folder of the other run",
                   flag, value, t->dir, t->state.step, theirs);
}

/* A layer file has to say what the run's says. */
static enum t2_status same_model(const struct tr_trained_options *o, const struct mdl_hparams *hp,
                                 const struct tr_trained *t, struct t2_err *err)
{
    const char *model = o->model;
    char *text = NULL;
    enum t2_status st = tr_model_text_read(&model, &text, err);

    if (st == T2_OK)
        st = same("model", model, t->state.model, t, err);
    if (st == T2_OK)
        st = tr_model_text_check(text, model, hp, t->dir, err);
    t2_free(text);
    return st;
}

/* What the files of a run of TensorFlow's do not tell comes from the flags. */
static enum t2_status adopt_names(const struct tr_trained_options *o, struct tr_trained *t,
                                  struct mdl_hparams **hp, struct t2_err *err)
{
    struct {
        const char *flag, *value;
        char *theirs;
        size_t n_bytes;
    } names[] = {{"model", o->model, t->state.model, sizeof t->state.model},
                 {"hparams_set", o->hparams_set, t->state.hparams_set, sizeof t->state.hparams_set},
                 {"problem", o->problem, t->state.problem, sizeof t->state.problem}};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (names[i].theirs[0] == '\0' && names[i].value[0] == '\0')
            return t2_fail(err, T2_EUSAGE,
                           "--%s is needed: the files of TensorFlow's run in '%s' do not name it",
                           names[i].flag, t->dir);
        if (names[i].theirs[0] == '\0')
            snprintf(names[i].theirs, names[i].n_bytes, "%s", names[i].value);
    }
    if (!*hp)
        T2_TRY(ckpt_tf_hparams(t->dir, t->state.hparams_set, hp, err));
    return *hp ? T2_OK : mdl_hparams_new(t->state.hparams_set, hp, err);
}

static enum t2_status open_data(const struct tr_trained_options *o, struct tr_trained *t,
                                struct t2_err *err)
{
    char *data_dir;
    enum t2_status st;
    int task;

    if (o->data_dir[0] == '\0')
        return t2_fail(err, T2_EUSAGE, "--data_dir (with the vocabulary of '%s') is needed",
                       t->state.problem);
    data_dir = t2_path_expand(o->data_dir);
    task = tr_tasks_index(t->state.problem, o->problem);
    st = tr_data_set_open(o->problem[0] && task < 0 ? o->problem : t->state.problem, data_dir,
                          &t->data, err);
    t2_free(data_dir);
    T2_TRY(st);
    if (t->data.n_others > 0 && (task >= 0 || t->data.problem.has_inputs))
        t->task_id = t->data.first_task_id + (task > 0 ? task : 0);
    if (!t->state.of_tensorflow)
        T2_TRY(tr_data_set_check_state(&t->data, &t->state, t->dir, err));
    if (t->data.view->is_images)
        return T2_OK; /* no texts */
    if (t->data.view->has_inputs && !t->data.view->is_speech && !t->data.problem.describes &&
        !t->data.problem.table)
        T2_TRY(dg_side_encoder(&t->data.view->inputs, &t->inputs, err));
    if (t->data.problem.target != MDL_TARGET_IDS)
        return T2_OK;
    return dg_side_encoder(&t->data.view->targets, &t->targets, err);
}

/* There must be as many checkpoints as the mean is to be made of. */
static enum t2_status check_average(const struct tr_trained *t, int64_t n, struct t2_err *err)
{
    int64_t *steps, n_there = 0;
    size_t n_steps;

    T2_TRY(ckpt_list(t->dir, &steps, &n_steps, err));
    for (size_t i = 0; i < n_steps; i++)
        n_there += steps[i] <= t->state.step;
    t2_free(steps);
    if (n_there >= n)
        return T2_OK;
    return t2_fail(err, T2_ENOTFOUND,
                   "--average_checkpoints=%" PRId64 ", but '%s' has only %" PRId64
                   " up to step %" PRId64
                   ": ask for fewer, or train with a larger --keep_checkpoint_max",
                   n, t->dir, n_there, t->state.step);
}

/* Before anything is read: a device whose memory is too small for the variables alone. */
static enum t2_status check_memory(const struct tr_trained *t, struct t2_err *err)
{
    const struct gr_params *params = mdl_params(t->m);
    uint64_t values = (uint64_t) params->n_floats * sizeof(float) + gr_rounded_bytes(params);
    uint64_t needed = values + mdl_small_bytes(t->m), left = dev_memory_left(t->dev);
    char human[32], there[32], parameters[32];

    if (t->dev->host_memory || needed <= left)
        return T2_OK;
    return t2_fail(
        err, T2_ENOMEM,
        "the model needs %s of the memory of device %s before the first batch, and there "
        "are %s; --device=cpu goes by the host's; the plan: parameters %s",
        t2_human_bytes(needed, human, sizeof human), t->dev->name,
        t2_human_bytes(left, there, sizeof there),
        t2_human_bytes(values, parameters, sizeof parameters));
}

static enum t2_status open_device(const struct tr_trained_options *o, struct tr_trained *t,
                                  struct t2_err *err)
{
    T2_TRY(dev_open(o->device[0] ? o->device : "auto", o->num_threads, &t->dev, err));
    if (!o->precision || strcmp(o->precision, "") == 0 || strcmp(o->precision, "float32") == 0)
        return T2_OK;
    if (strcmp(o->precision, "int8") != 0 && strcmp(o->precision, "bfloat16") != 0)
        return t2_fail(err, T2_EUSAGE, "--precision=%s: float32, bfloat16 or int8", o->precision);
    return dev_set_decoding_precision(t->dev, o->precision, err);
}

/* Weights are packed by searches with caches alone; else the flag would be taken and not read. */
static enum t2_status check_packed(const struct tr_trained *t, struct t2_err *err)
{
    if (t->dev->weights == DEV_FLOAT32 || mdl_searches_by_steps(t->m))
        return T2_OK;
    return t2_fail(err, T2_EUNSUPPORTED,
                   "--precision=%s is for models that make texts step by step, and '%s' does not",
                   dev_type_name(t->dev->weights), t->state.model);
}

static enum t2_status open_model(const struct tr_trained_options *o, int64_t step,
                                 struct mdl_hparams *hp, struct tr_trained *t, struct t2_err *err)
{
    mdl_hparams_for_eval(hp);
    T2_TRY(tr_data_set_images(&t->data, hp, err));
    T2_TRY(tr_tasks_settle(&t->data, hp, err));
    T2_TRY(open_device(o, t, err));
    T2_TRY(mdl_describe(t->state.model, t->dev, hp, &t->data.problem, MDL_EVAL, &t->m, err));
    T2_TRY(check_packed(t, err));
    T2_TRY(check_memory(t, err));
    T2_TRY(mdl_place(t->m, err));
    if (o->average > 1)
        return ckpt_restore_average(t->dir, step, (int) o->average, mdl_params(t->m), err);
    return ckpt_restore_for_use(t->dir, t->state.step, hp, mdl_params(t->m), err);
}

/* ---- models that stand alone ---- */

/* What of a data set a model file tells: texts of these vocabularies. */
static void make_view(struct tr_trained *t, const struct xch_model_file *f)
{
    struct dg_view *v = t2_alloc(1, sizeof *v);

    v->name = t2_strdup(f->state.problem);
    v->base_name = t2_strdup(f->state.problem);
    v->has_inputs = f->problem.has_inputs;
    v->context_separator = f->context_separator;
    v->inputs.feature = "inputs";
    v->targets.feature = "targets";
    t->data.view = v;
    t->data.problem = f->problem;
}

static enum t2_status open_model_file(const struct tr_trained_options *o, struct tr_trained *t,
                                      struct t2_err *err)
{
    char *path = t2_path_expand(o->model_file);
    struct mdl_hparams *written = NULL; /* without the flags' changes */
    struct xch_model_file f;
    enum t2_status st;

    T2_GOTO(st, out, xch_model_file_open(path, &f, err));
    t->dir = t2_strdup(path);
    t->state = f.state;
    t->decode_hparams = t2_strdup(f.decode_hparams);
    make_view(t, &f);
    T2_GOTO(st, out, same("problem", o->problem, t->state.problem, t, err));
    T2_GOTO(st, out, same("hparams_set", o->hparams_set, t->state.hparams_set, t, err));
    written = mdl_hparams_copy(f.hp);
    mdl_hparams_for_eval(written);
    if (o->hparams[0])
        T2_GOTO(st, out, mdl_hparams_override(f.hp, o->hparams, err));
    t->hp = mdl_hparams_copy(f.hp);
    mdl_hparams_for_eval(f.hp);
    T2_GOTO(st, out, open_device(o, t, err));
    T2_GOTO(st, out, mdl_new(t->state.model, t->dev, f.hp, &f.problem, MDL_EVAL, &t->m, err));
    T2_GOTO(st, out, check_packed(t, err));
    if (xch_model_file_restore(&f, mdl_params(t->m), err) != T2_OK) {
        st = t2_wrap(err, "'%s'", path);
        goto out;
    }
    T2_GOTO(st, out, mdl_hparams_name_unread(f.hp, written, err));
    t->inputs = f.inputs;
    t->targets = f.targets;
    f.inputs = f.targets = NULL;
out:
    mdl_hparams_free(written);
    xch_model_file_close(&f);
    t2_free(path);
    if (st != T2_OK)
        tr_trained_close(t);
    return st;
}

enum t2_status tr_trained_open(const struct tr_trained_options *o, struct tr_trained *t,
                               struct t2_err *err)
{
    struct mdl_hparams *hp = NULL, *trained = NULL; /* with the flags' changes, and without */
    int64_t step;
    enum t2_status st;

    *t = (struct tr_trained){0};
    if (o->model_file && o->model_file[0] != '\0')
        return open_model_file(o, t, err);
    if (o->average > 1000)
        return t2_fail(err, T2_EUSAGE, "--average_checkpoints=%" PRId64 " is too many", o->average);
    T2_TRY(tr_find_checkpoint(o->output_dir, o->checkpoint_path, &t->dir, &step, err));
    T2_GOTO(st, out, ckpt_load_state(t->dir, step, &t->state, &hp, err));
    T2_GOTO(st, out, same_model(o, hp, t, err));
    T2_GOTO(st, out, same("hparams_set", o->hparams_set, t->state.hparams_set, t, err));
    if (tr_tasks_index(t->state.problem, o->problem) < 0)
        T2_GOTO(st, out, same("problem", o->problem, t->state.problem, t, err));
    if (t->state.of_tensorflow)
        T2_GOTO(st, out, adopt_names(o, t, &hp, err));
    if (o->average > 1)
        T2_GOTO(st, out, check_average(t, o->average, err));
    T2_GOTO(st, out, open_data(o, t, err));
    trained = mdl_hparams_copy(hp);
    mdl_hparams_for_eval(trained);
    if (o->hparams[0])
        T2_GOTO(st, out, mdl_hparams_override(hp, o->hparams, err));
    t->hp = mdl_hparams_copy(hp);
    T2_GOTO(st, out, open_model(o, step, hp, t, err));
    st = mdl_hparams_name_unread(hp, trained, err);
out:
    mdl_hparams_free(trained);
    mdl_hparams_free(hp);
    if (st != T2_OK)
        tr_trained_close(t);
    return st;
}

void tr_trained_close(struct tr_trained *t)
{
    mdl_free(t->m);
    if (t->dev)
        dev_close(t->dev);
    tok_free(t->targets);
    tok_free(t->inputs);
    tr_data_set_release(&t->data);
    mdl_hparams_free(t->hp);
    t2_free(t->decode_hparams);
    t2_free(t->dir);
    *t = (struct tr_trained){0};
}

enum t2_status tr_trained_check_alike(const struct tr_trained *t, struct dist *ranks,
                                      const struct t2_tool *tool, struct t2_err *err)
{
    struct t2_buf b = {NULL, 0, 0};
    enum t2_status st;

    if (dist_size(ranks) == 1)
        return T2_OK;
    t2_buf_printf(&b, "version %s\n", t2_version());
    tr_launch_put_device(t->dev, &b);
    tr_launch_put_flags(tool, &b);
    t2_buf_printf(&b, "the checkpoint of step %" PRId64 "\n", t->state.step);
    t2_buf_printf(&b, "inputs vocabulary %s\ntargets vocabulary %s\n", t->state.inputs_vocab_sha256,
                  t->state.targets_vocab_sha256);
    t2_buf_printf(&b, "values of variables with checksum %08" PRIx32 "\n",
                  tr_launch_checksum(t->dev, mdl_params(t->m)));
    st = dist_same_lines(ranks, t2_buf_cstr(&b), err);
    t2_buf_release(&b);
    return st;
}

enum t2_status tr_trained_set_time(const struct tr_trained *t, const char *to, struct t2_err *err)
{
    char *state = t2_asprintf("%s/state-%" PRId64 ".json", t->dir, t->state.step);
    enum t2_status st = t2_copy_file_time(state, to, err);

    t2_free(state);
    return st;
}
