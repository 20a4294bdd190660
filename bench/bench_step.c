/*
 * bench/bench_step.c - target tokens per second of Transformer training steps on made-up ids.
 *
 *   bench_step --size=base --batch=32 --length=32 --steps=6
 *
 * Prints one JSON object: "value" (median of the steps), "check" (shape of the work), the loss of
 * the last step, the share of time per operator.  bench_step.py pairs it with the peers.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/alloc.h"
#include "base/progress.h"
#include "base/rng.h"
#include "bench/bench_main.h"
#include "train/graph/profile.h"
#include "train/models/model.h"
#include "train/optim/optimizer.h"

static const char *size = "base", *device = "cpu", *precision = "float32";
static int64_t batch = 32, length = 32, steps = 6, warm = 2;
static double dropout = 0.1;
static bool profile, cpu_time;

static const struct t2_flag flags[] = {
    {NULL, T2_FLAG_GROUP, NULL, NULL, "What runs", NULL},
    {"size", T2_FLAG_STRING, &size, "NAME",
     "base, big, small256, small128 or gpt2 (peer_train.py's sizes)", NULL},
    {"batch", T2_FLAG_INT, &batch, "N", "sentences", NULL},
    {"length", T2_FLAG_INT, &length, "N", "ids per sentence, source and target", NULL},
    {"steps", T2_FLAG_INT, &steps, "N", "timed steps", NULL},
    {"warm", T2_FLAG_INT, &warm, "N", "steps before", NULL},
    {"dropout", T2_FLAG_DOUBLE, &dropout, "RATE", "all three rates", NULL},
    {"device", T2_FLAG_STRING, &device, "NAME", "cpu or reference", NULL},
    {"precision", T2_FLAG_STRING, &precision, "NAME", "float32, tf32 or bfloat16", NULL},
    {"profile", T2_FLAG_BOOL, &profile, NULL, "time per operator", NULL},
    {"cpu_time", T2_FLAG_BOOL, &cpu_time, NULL,
     "processor time instead of the clock's: for a machine that others use", NULL},
};

struct size {
    const char *name;
    int64_t hidden, filter, heads, layers;
    int32_t vocab;
    bool has_inputs; /* false: a language model, with ReLU where GPT-2 has GELU */
};

static const struct size sizes[] = {{"base", 512, 2048, 8, 6, 32768, true},
                                    {"big", 1024, 4096, 16, 6, 32768, true},
                                    {"small256", 256, 1024, 4, 4, 8192, true},
                                    {"small128", 128, 512, 4, 2, 8192, true},
                                    {"gpt2", 768, 3072, 12, 12, 50257, false}};

static enum t2_status configure(struct mdl_hparams **hp, struct mdl_problem *problem,
                                struct t2_err *err)
{
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        const struct size *s = &sizes[i];

        if (strcmp(s->name, size) != 0)
            continue;
        T2_TRY(mdl_hparams_new("transformer_base", hp, err));
        mdl_hp_set_int(*hp, "hidden_size", s->hidden);
        mdl_hp_set_int(*hp, "filter_size", s->filter);
        mdl_hp_set_int(*hp, "num_heads", s->heads);
        mdl_hp_set_int(*hp, "num_hidden_layers", s->layers);
        mdl_hp_set_float(*hp, "layer_prepostprocess_dropout", dropout);
        mdl_hp_set_float(*hp, "attention_dropout", dropout);
        mdl_hp_set_float(*hp, "relu_dropout", dropout);
        problem->has_inputs = s->has_inputs;
        problem->inputs_vocab = problem->targets_vocab = s->vocab;
        return T2_OK;
    }
    return t2_fail(err, T2_EUSAGE, "unknown size '%s'; known: base, small256, small128, gpt2",
                   size);
}

/* The device's own memory: what was allocated before the first step, which is the plan, and what is
 * no longer free behind the last, recordings and what libraries keep among it. */
struct memory {
    struct dev_memory opened, planned, after;
};

static void print_memory(struct bench_result *out, const struct memory *m)
{
    if (m->opened.limit_bytes == 0)
        return;
    t2_json_kv_u64(&out->json, "planned_bytes", m->planned.used_bytes - m->opened.used_bytes);
    t2_json_kv_u64(&out->json, "taken_bytes",
                   m->opened.limit_bytes - m->opened.used_bytes -
                       (m->after.limit_bytes - m->after.used_bytes));
}

static double seconds_now(void)
{
    struct timespec t;

    if (!cpu_time)
        return t2_now_s();
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double) t.tv_sec + 1e-9 * (double) t.tv_nsec;
}

static void print_result(double seconds, const struct mdl_loss *loss, const struct dev *dev,
                         const struct gr_profile *p, const struct memory *memory)
{
    struct bench_result out;
    char check[80];
    double total = 0.0;

    for (int i = 0; i < p->n; i++)
        total += p->forward_s[i] + p->backward_s[i];
    snprintf(check, sizeof check, "%s %lldx%lld", size, (long long) batch, (long long) length);
    bench_result_begin(&out, (double) (batch * length) / seconds, "target tok/s", dev);
    t2_json_kv_string(&out.json, "check", check);
    t2_json_kv_double(&out.json, "loss", loss->numerator / loss->denominator);
    print_memory(&out, memory);
    for (int i = 0; i < p->n; i++) {
        char key[64];

        snprintf(key, sizeof key, "%s_forward", p->op[i]);
        t2_json_kv_double(&out.json, key, p->forward_s[i] / total);
        snprintf(key, sizeof key, "%s_backward", p->op[i]);
        t2_json_kv_double(&out.json, key, p->backward_s[i] / total);
    }
    bench_result_end(&out);
}

/* As the trainer makes it, but that it is waited for. */
static enum t2_status step(struct mdl *m, struct opt_optimizer *o, const struct mdl_batch *b,
                           int64_t i, struct mdl_loss *loss, struct t2_err *err)
{
    struct opt_report report;

    if (profile) {
        T2_TRY(mdl_train_step(m, b, 1, (uint64_t) i, loss, err));
        return opt_step(o, i, 1000, &report, err);
    }
    T2_TRY(opt_queue_whole_step(o, m, b, 1, i, 1000, err));
    T2_TRY(mdl_take_loss(m, loss, err));
    return opt_take_step(o, &report, err);
}

static enum t2_status run(struct t2_err *err)
{
    int32_t *ids = t2_alloc((size_t) (2 * batch * length), sizeof *ids);
    double *seconds = t2_alloc((size_t) steps + 1, sizeof *seconds);
    struct gr_profile times = {0};
    struct mdl_batch b = {.batch = (int32_t) batch,
                          .inputs_length = (int32_t) length,
                          .targets_length = (int32_t) length,
                          .inputs = ids,
                          .targets = ids + batch * length};
    struct mdl_problem problem = {.loss_multiplier = 1.0};
    struct mdl_hparams *hp = NULL;
    struct opt_optimizer *o = NULL;
    struct dev *dev = NULL;
    struct mdl *m = NULL;
    struct memory memory = {.opened = {0}};
    struct mdl_shape shape;
    struct mdl_loss loss;
    struct t2_rng rng;
    enum t2_status st;

    T2_GOTO(st, out, configure(&hp, &problem, err));
    if (!problem.has_inputs)
        b.inputs_length = 0;
    shape = (struct mdl_shape){.batch = b.batch,
                               .inputs_length = b.inputs_length,
                               .targets_length = b.targets_length};
    t2_rng_init(&rng, 1, T2_RNG_DATA, 0, 0);
    for (int64_t i = 0; i < 2 * batch * length; i++)
        ids[i] = (int32_t) (2 + t2_rng_below(&rng, (uint64_t) problem.targets_vocab - 2));
    T2_GOTO(st, out, dev_open(device, t2_flags_num_threads(), &dev, err));
    T2_GOTO(st, out, dev_set_precision(dev, precision, err));
    memory.opened = dev->memory(dev);
    T2_GOTO(st, out, mdl_new("transformer", dev, hp, &problem, MDL_TRAIN, &m, err));
    T2_GOTO(st, out, mdl_initialise(m, 1, err));
    T2_GOTO(st, out, opt_new(hp, mdl_params(m), &o, err));
    T2_GOTO(st, out, mdl_plan(m, &shape, 1, NULL, err));
    memory.planned = dev->memory(dev);
    for (int64_t i = 0; i < warm + steps; i++) {
        double start = seconds_now();

        if (i == warm && profile)
            mdl_set_profile(m, &times);
        T2_GOTO(st, out, step(m, o, &b, i, &loss, err));
        if (i >= warm)
            seconds[i - warm] = seconds_now() - start;
    }
    memory.after = dev->memory(dev);
    print_result(bench_median(seconds, steps), &loss, dev, &times, &memory);
out:
    opt_free(o);
    gr_profile_release(&times);
    mdl_free(m);
    dev_close(dev);
    mdl_hparams_free(hp);
    t2_free(seconds);
    t2_free(ids);
    return st;
}

int main(int argc, char **argv)
{
    const struct t2_tool tool = {.name = "bench_step",
                                 .usage = "[flags]",
                                 .summary = "Times Transformer training steps.",
                                 .examples =
                                     "  bench_step --size=small256\n  bench_step --profile\n",
                                 .flags = flags,
                                 .n_flags = sizeof flags / sizeof *flags};

    return bench_main(&tool, argc, argv, run);
}
