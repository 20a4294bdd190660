/*
 * bench/bench_image_step.c - positions per second of training steps of the Image Transformer on
 * made-up images.
 *
 *   bench_image_step --batch=2 --layers=2 --steps=3
 *
 * imagetransformer_cifar10_base (512 wide, 4 heads, local attention in blocks of 256, images of 32
 * x 32 x 3 numbers), of so many layers.  Prints one JSON object; bench_image_step.py pairs it with
 * PyTorch and the original.
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/alloc.h"
#include "base/rng.h"
#include "bench/bench_main.h"
#include "train/models/model.h"
#include "train/optim/optimizer.h"

enum { SIDE = 32, CHANNELS = 3, LENGTH = SIDE * SIDE * CHANNELS, VALUES = 256 };

static int64_t batch = 2, layers = 2, steps = 3, warm = 1;

static const struct t2_flag flags[] = {
    {NULL, T2_FLAG_GROUP, NULL, NULL, "What runs", NULL},
    {"batch", T2_FLAG_INT, &batch, "N", "images", NULL},
    {"layers", T2_FLAG_INT, &layers, "N", "layers of the decoder", NULL},
    {"steps", T2_FLAG_INT, &steps, "N", "timed steps", NULL},
    {"warm", T2_FLAG_INT, &warm, "N", "steps before", NULL},
};

/* Of all threads: what else runs on the machine changes it least. */
static double processor_s(void)
{
    struct timespec t;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double) t.tv_sec + 1e-9 * (double) t.tv_nsec;
}

static enum t2_status run(struct t2_err *err)
{
    const struct mdl_problem problem = {.has_inputs = true,
                                        .inputs_vocab = 10,
                                        .targets_vocab = VALUES,
                                        .loss_multiplier = 1.0,
                                        .pixels = {SIDE, SIDE, CHANNELS}};
    int32_t *values = t2_alloc((size_t) (batch * LENGTH), sizeof *values);
    int32_t *labels = t2_alloc((size_t) batch, sizeof *labels);
    double *seconds = t2_alloc((size_t) steps + 1, sizeof *seconds);
    struct mdl_batch b = {.batch = (int32_t) batch,
                          .all_rows = (int32_t) batch,
                          .inputs_length = 1,
                          .targets_length = LENGTH,
                          .inputs = labels,
                          .targets = values};
    struct mdl_hparams *hp = NULL;
    struct opt_optimizer *o = NULL;
    struct dev *dev = NULL;
    struct mdl *m = NULL;
    struct opt_report report;
    struct bench_result out;
    struct mdl_loss loss = {0};
    struct t2_rng rng;
    enum t2_status st;

    memset(labels, 0, (size_t) batch * sizeof *labels);
    t2_rng_init(&rng, 1, T2_RNG_DATA, 0, 0);
    for (int64_t i = 0; i < batch * LENGTH; i++)
        values[i] = (int32_t) t2_rng_below(&rng, VALUES);
    T2_GOTO(st, out, mdl_hparams_new("imagetransformer_cifar10_base", &hp, err));
    mdl_hp_set_int(hp, "num_decoder_layers", layers);
    T2_GOTO(st, out, dev_open("cpu", t2_flags_num_threads(), &dev, err));
    T2_GOTO(st, out, mdl_new("imagetransformer", dev, hp, &problem, MDL_TRAIN, &m, err));
    T2_GOTO(st, out, mdl_initialise(m, 1, err));
    T2_GOTO(st, out, opt_new(hp, mdl_params(m), &o, err));
    for (int64_t i = 0; i < warm + steps; i++) {
        double start = processor_s();

        T2_GOTO(st, out, opt_queue_whole_step(o, m, &b, 1, i, 1000, err));
        T2_GOTO(st, out, mdl_take_loss(m, &loss, err));
        T2_GOTO(st, out, opt_take_step(o, &report, err));
        if (i >= warm)
            seconds[i - warm] = processor_s() - start;
    }
    bench_result_begin(&out, (double) (batch * LENGTH) / bench_median(seconds, steps),
                       "positions a processor's second", dev);
    t2_json_kv_double(&out.json, "loss", loss.numerator / loss.denominator);
    t2_json_kv_u64(&out.json, "values", (uint64_t) gr_params_count(mdl_params(m)));
    bench_result_end(&out);
out:
    opt_free(o);
    mdl_free(m);
    dev_close(dev);
    mdl_hparams_free(hp);
    t2_free(seconds);
    t2_free(labels);
    t2_free(values);
    return st;
}

int main(int argc, char **argv)
{
    const struct t2_tool tool = {.name = "bench_image_step",
                                 .usage = "[flags]",
                                 .summary = "Times training steps of the Image Transformer.",
                                 .examples = "  bench_image_step --layers=12 --batch=1\n",
                                 .flags = flags,
                                 .n_flags = sizeof flags / sizeof *flags};

    return bench_main(&tool, argc, argv, run);
}
