/*
 * train/exchange/tensorflow_checkpoint.c - a run folder as Tensor2Tensor's trainer leaves it.
 *
 * Besides variables and slots its graph for training has numbers of its own, without which it does
 * not restore: powers of Adam's betas, moving averages of losses (begun at 100), counts of steps by
 * problem.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/str.h"
#include "train/ckpt/bundle.h"
#include "train/ckpt/encoded_weights.h"
#include "train/exchange/exchange.h"

enum { N_NUMBERS = 8 };

static struct ckpt_tensor scalar(const char *name, enum ckpt_type type, const void *value)
{
    return (struct ckpt_tensor){name, type, 0, {0}, ckpt_type_bytes(type), value};
}

/* beta^(updates + 1), multiplied in float as TensorFlow does; from some point on 0. */
static float power(const struct mdl_hparams *hp, const char *beta, int64_t updates)
{
    double b = mdl_hp_has(hp, beta) ? mdl_hp_float(hp, beta) : 0.0;

    return (float) pow(b, (double) updates + 1.0);
}

static enum t2_status write_state(const char *dir, const char *name, struct t2_err *err)
{
    char *path = t2_path_join(dir, "checkpoint");
    char *text = t2_asprintf("model_checkpoint_path: \"%s\"\nall_model_checkpoint_paths: \"%s\"\n",
                             name, name);
    enum t2_status st = t2_write_file(path, text, strlen(text), err);

    t2_free(text);
    t2_free(path);
    return st;
}

/* What the run was, as the trainer's flags say it. */
static enum t2_status write_flags(const struct ckpt_state *s, const char *dir, struct t2_err *err)
{
    char *path = t2_path_join(dir, "flags_t2t.txt");
    char *text = t2_asprintf("--model=%s\n--hparams_set=%s\n--problem=%s\n", s->model,
                             s->hparams_set, s->problem);
    enum t2_status st = t2_write_file(path, text, strlen(text), err);

    t2_free(text);
    t2_free(path);
    return st;
}

/* Of a variable: its n floats as they are, or as hparam weight_dtype=bfloat16 keeps them. */
static struct ckpt_tensor variable(const struct gr_variable *v, float *values, bool is_encoded)
{
    struct ckpt_tensor t = {v->name, CKPT_F32, v->rank, {0}, (size_t) v->n * sizeof *values,
                            values};

    memcpy(t.dims, v->dims, (size_t) v->rank * sizeof *v->dims);
    if (is_encoded) {
        uint16_t *encoded = t2_alloc((size_t) v->n, sizeof *encoded);

        ckpt_encode_weights(values, (size_t) v->n, encoded);
        t.n_bytes = (size_t) v->n * sizeof *encoded;
        memcpy(values, encoded, t.n_bytes); /* where the floats were */
        t2_free(encoded);
        t.type = CKPT_BF16;
    }
    return t;
}

enum t2_status xch_write_tensorflow(const struct xch_model *m, const char *dir,
                                    const struct ckpt_tensor *slots, size_t n_slots,
                                    int64_t updates, struct t2_err *err)
{
    size_t n_variables = (size_t) m->params->n_variables, n = 0;
    struct ckpt_tensor *t = t2_alloc(n_variables + n_slots + N_NUMBERS, sizeof *t);
    float **copies = t2_alloc(n_variables, sizeof *copies);
    char *name = t2_asprintf("model.ckpt-%" PRId64, m->state->step), *prefix;
    const float average = 100.0F;
    const float beta1 = power(m->hp, "optimizer_adam_beta1", updates);
    const float beta2 = power(m->hp, "optimizer_adam_beta2", updates);
    const int64_t step = m->state->step;
    const int32_t problem_steps = (int32_t) (step < INT32_MAX ? step : INT32_MAX);
    enum t2_status st = T2_OK;

    prefix = t2_path_join(dir, name);
    for (; n < n_variables; n++) {
        const struct gr_variable *v = &m->params->variables[n];

        T2_GOTO(st, out, xch_variable(m, v, &copies[n], err));
        t[n] = variable(v, copies[n], m->params->encoded);
    }
    for (size_t i = 0; i < n_slots; i++)
        t[n++] = slots[i];
    t[n++] = scalar("global_step", CKPT_I64, &step);
    if (n_slots > 0) {
        t[n++] = scalar("training/beta1_power", CKPT_F32, &beta1);
        t[n++] = scalar("training/beta2_power", CKPT_F32, &beta2);
        t[n++] = scalar("losses_avg/problem_0/extra_loss", CKPT_F32, &average);
        t[n++] = scalar("losses_avg/problem_0/total_loss", CKPT_F32, &average);
        t[n++] = scalar("losses_avg/problem_0/training_loss", CKPT_F32, &average);
        t[n++] = scalar("train_stats/problem_0_steps", CKPT_I32, &problem_steps);
    }
    T2_GOTO(st, out, t2_make_dirs(dir, err));
    T2_GOTO(st, out, ckpt_write_bundle(prefix, t, n, err));
    T2_GOTO(st, out, write_flags(m->state, dir, err));
    st = write_state(dir, name, err);
out:
    for (size_t i = 0; i < n_variables; i++)
        t2_free(copies[i]);
    t2_free(copies);
    t2_free(prefix);
    t2_free(name);
    t2_free(t);
    return st;
}
