/*
 * bench/bench_optimizer.c - parameters per second of an optimizer's step, on made-up gradients.
 *
 *   bench_optimizer --optimizer=adam --hparams=clip_grad_norm=1 --num_threads=2
 *
 * The variables are those of a Transformer: an embedding table in shards, square and oblong
 * matrices, biases and scales.  Prints one JSON object: "value" (of the median step).
 */
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/progress.h"
#include "base/str.h"
#include "bench/bench_main.h"
#include "train/models/hparams.h"
#include "train/optim/optimizer.h"

static const char *optimizer = "adam", *hparams = "clip_grad_norm=1", *device = "cpu";
static int64_t layers = 6, width = 512, vocab = 32768, steps = 20, warm = 2;

static const struct t2_flag flags[] = {
    {NULL, T2_FLAG_GROUP, NULL, NULL, "What runs", NULL},
    {"optimizer", T2_FLAG_STRING, &optimizer, "NAME", "as in hparam optimizer", NULL},
    {"hparams", T2_FLAG_STRING, &hparams, "LIST", "overrides, after a constant rate", NULL},
    {"layers", T2_FLAG_INT, &layers, "N", "of 12 width^2 values", NULL},
    {"width", T2_FLAG_INT, &width, "N", "columns of the table", NULL},
    {"vocab", T2_FLAG_INT, &vocab, "N", "rows of the table", NULL},
    {"steps", T2_FLAG_INT, &steps, "N", "timed steps", NULL},
    {"warm", T2_FLAG_INT, &warm, "N", "steps before", NULL},
    {"device", T2_FLAG_STRING, &device, "NAME", "cpu or reference", NULL},
};

static void add(struct gr_params *p, int64_t layer, const char *name, int64_t rows, int64_t cols)
{
    const int64_t dims[] = {rows, cols};
    char *full = t2_asprintf("body/layer_%lld/%s", (long long) layer, name);

    (void) gr_params_get(p, full, rows == 1 ? 1 : 2, rows == 1 ? dims + 1 : dims, 0,
                         GR_INIT_UNIFORM, 0.05);
    t2_free(full);
}

static void add_all(struct gr_params *p)
{
    const int64_t table[] = {vocab, width};

    (void) gr_params_get(p, "symbol_modality/shared/weights", 2, table, 16, GR_INIT_UNIFORM, 0.05);
    for (int64_t i = 0; i < layers; i++) {
        add(p, i, "q/kernel", width, width);
        add(p, i, "k/kernel", width, width);
        add(p, i, "v/kernel", width, width);
        add(p, i, "output/kernel", width, width);
        add(p, i, "layer_norm_scale", 1, width);
        add(p, i, "layer_norm_bias", 1, width);
        add(p, i, "conv1/kernel", width, 4 * width);
        add(p, i, "conv1/bias", 1, 4 * width);
        add(p, i, "conv2/kernel", 4 * width, width);
        add(p, i, "conv2/bias", 1, width);
    }
}

static enum t2_status configure(struct mdl_hparams **hp, struct t2_err *err)
{
    T2_TRY(mdl_hparams_new("transformer_base", hp, err));
    T2_TRY(mdl_hparams_override(*hp,
                                "learning_rate_schedule=constant,learning_rate_constant=1e-5,"
                                "optimizer_multistep_accumulate_steps=2",
                                err));
    mdl_hp_set_string(*hp, "optimizer", optimizer);
    return mdl_hparams_override(*hp, hparams, err);
}

static enum t2_status run(struct t2_err *err)
{
    double *seconds = t2_alloc((size_t) steps + 1, sizeof *seconds);
    struct opt_optimizer *o = NULL;
    struct mdl_hparams *hp = NULL;
    struct gr_params params = {0};
    struct opt_report report;
    struct bench_result out;
    struct dev *dev = NULL;
    enum t2_status st;

    T2_GOTO(st, out, configure(&hp, err));
    T2_GOTO(st, out, dev_open(device, t2_flags_num_threads(), &dev, err));
    gr_params_init(&params, dev);
    add_all(&params);
    T2_GOTO(st, out, gr_params_freeze(&params, err));
    T2_GOTO(st, out, gr_params_initialise(&params, "uniform", 1.0, 2, err));
    dev->copy(dev, params.grads, params.values, (size_t) params.n_floats * sizeof(float));
    T2_GOTO(st, out, gr_params_initialise(&params, "uniform", 1.0, 1, err));
    T2_GOTO(st, out, opt_new(hp, &params, &o, err));
    for (int64_t i = 0; i < warm + steps; i++) {
        double start = t2_now_s();

        T2_GOTO(st, out, opt_step(o, i, 1000, &report, err));
        if (i >= warm)
            seconds[i - warm] = t2_now_s() - start;
    }
    bench_result_begin(&out, (double) gr_params_count(&params) / bench_median(seconds, steps),
                       "parameters/s", dev);
    t2_json_kv_string(&out.json, "check", optimizer);
    t2_json_kv_double(&out.json, "gradient_norm", report.gradient_norm);
    bench_result_end(&out);
out:
    opt_free(o);
    if (dev)
        gr_params_release(&params);
    dev_close(dev);
    mdl_hparams_free(hp);
    t2_free(seconds);
    return st;
}

int main(int argc, char **argv)
{
    const struct t2_tool tool = {.name = "bench_optimizer",
                                 .usage = "[flags]",
                                 .summary = "Times steps of an optimizer.",
                                 .examples = "  bench_optimizer --optimizer=lars\n",
                                 .flags = flags,
                                 .n_flags = sizeof flags / sizeof *flags};

    return bench_main(&tool, argc, argv, run);
}
