/*
 * bench/bench_cnn.c - convolutions of image models, shape by shape: GFLOP/s of the three passes.
 *
 *   bench_cnn --layers=resnet50 --batch=16
 *
 * Prints one JSON object per shape and pass and one with "value", GFLOP/s of all together as the
 * model uses them.  bench_cnn.py pairs whole training steps with the peers (bench_net.c).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/alloc.h"
#include "base/rng.h"
#include "bench/bench_main.h"
#include "train/device/kernels.h"
#include "train/ops/conv2d.h"

static const char *layers = "resnet50", *device = "cpu", *precision = "float32";
static int64_t batch = 16, repeats = 5;
static bool cpu_time;

static const struct t2_flag flags[] = {
    {NULL, T2_FLAG_GROUP, NULL, NULL, "What runs", NULL},
    {"layers", T2_FLAG_STRING, &layers, "NAME", "resnet50 (224 x 224), record_net or resnet_cifar",
     NULL},
    {"batch", T2_FLAG_INT, &batch, "N", "images", NULL},
    {"repeats", T2_FLAG_INT, &repeats, "N", "the fastest of so many runs counts", NULL},
    {"cpu_time", T2_FLAG_BOOL, &cpu_time, NULL,
     "count the processor's seconds (a busy machine, one thread)", NULL},
    {"device", T2_FLAG_STRING, &device, "NAME", "cpu or reference", NULL},
    {"precision", T2_FLAG_STRING, &precision, "NAME", "float32 or bfloat16", NULL},
};

/* Square images and kernels; `times` as often in the model.  The first of a model reads images,
 * which need no gradient. */
struct layer {
    int64_t size, channels, filters, kernel, stride, times;
    enum nn_padding padding;
};

static const struct layer resnet50[] = {
    {224, 3, 64, 7, 2, 1, NN_SYMMETRIC},     {56, 64, 64, 1, 1, 1, NN_SAME},
    {56, 64, 64, 3, 1, 3, NN_SAME},          {56, 64, 256, 1, 1, 4, NN_SAME},
    {56, 256, 64, 1, 1, 2, NN_SAME},         {56, 256, 128, 1, 1, 1, NN_SAME},
    {56, 128, 128, 3, 2, 1, NN_SYMMETRIC},   {28, 128, 512, 1, 1, 4, NN_SAME},
    {56, 256, 512, 1, 2, 1, NN_SYMMETRIC},   {28, 512, 128, 1, 1, 3, NN_SAME},
    {28, 128, 128, 3, 1, 3, NN_SAME},        {28, 512, 256, 1, 1, 1, NN_SAME},
    {28, 256, 256, 3, 2, 1, NN_SYMMETRIC},   {14, 256, 1024, 1, 1, 6, NN_SAME},
    {28, 512, 1024, 1, 2, 1, NN_SYMMETRIC},  {14, 1024, 256, 1, 1, 5, NN_SAME},
    {14, 256, 256, 3, 1, 5, NN_SAME},        {14, 1024, 512, 1, 1, 1, NN_SAME},
    {14, 512, 512, 3, 2, 1, NN_SYMMETRIC},   {7, 512, 2048, 1, 1, 3, NN_SAME},
    {14, 1024, 2048, 1, 2, 1, NN_SYMMETRIC}, {7, 2048, 512, 1, 1, 2, NN_SAME},
    {7, 512, 512, 3, 1, 2, NN_SAME},         {0}};
static const struct layer record_net[] = {{32, 3, 24, 2, 1, 1, NN_VALID},
                                          {31, 24, 64, 3, 1, 1, NN_SAME},
                                          {15, 64, 64, 3, 1, 1, NN_SAME},
                                          {15, 64, 256, 3, 1, 1, NN_SAME},
                                          {7, 256, 256, 3, 1, 2, NN_SAME},
                                          {3, 256, 256, 3, 1, 1, NN_SAME},
                                          {0}};
static const struct layer resnet_cifar[] = {{32, 3, 16, 3, 1, 1, NN_SAME},
                                            {32, 16, 16, 3, 1, 10, NN_SAME},
                                            {16, 32, 32, 3, 1, 9, NN_SAME},
                                            {8, 64, 64, 3, 1, 9, NN_SAME},
                                            {32, 64, 64, 3, 1, 4, NN_SAME},
                                            {16, 128, 128, 3, 1, 3, NN_SAME},
                                            {0}};

static const struct {
    const char *name;
    const struct layer *layers;
} sets[] = {{"resnet50", resnet50}, {"record_net", record_net}, {"resnet_cifar", resnet_cifar}};

static struct dev_conv2d conv_of(const struct layer *l)
{
    struct dev_conv2d a = {.B = batch,
                           .H = l->size,
                           .W = l->size,
                           .C = l->channels,
                           .kh = l->kernel,
                           .kw = l->kernel,
                           .N = l->filters,
                           .stride = l->stride,
                           .dilation = 1};

    nn_conv2d_axis(l->padding, a.H, a.kh, a.stride, 1, &a.Ho, &a.top);
    nn_conv2d_axis(l->padding, a.W, a.kw, a.stride, 1, &a.Wo, &a.left);
    return a;
}

static float *filled(struct dev *d, int64_t n)
{
    float *x = d->alloc(d, (size_t) n * sizeof *x);
    struct t2_rng rng;

    T2_ASSERT(x && d->host_memory);
    t2_rng_init(&rng, 1, T2_RNG_DATA, 0, 0);
    for (int64_t i = 0; i < n; i++)
        x[i] = (float) t2_rng_uniform(&rng) - 0.5f;
    return x;
}

static double now(void)
{
    struct timespec t;

    clock_gettime(cpu_time ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC, &t);
    return (double) t.tv_sec + 1e-9 * (double) t.tv_nsec;
}

/* Seconds of the fastest run of a pass. */
static double seconds_of(struct dev *d, struct dev_conv2d *a, enum dev_conv2d_pass pass)
{
    const struct dev_kernels *k = d->kernels;
    float *x = filled(d, a->B * a->H * a->W * a->C), *y = filled(d, a->B * a->Ho * a->Wo * a->N);
    float *w = filled(d, a->kh * a->kw * a->C * a->N);
    double best = 1e30;

    a->scratch = d->alloc(d, (size_t) k->conv2d_scratch_floats(d, a, pass) * sizeof(float) + 64);
    T2_ASSERT(a->scratch);
    for (int64_t i = 0; i <= repeats; i++) { /* the first makes what is kept */
        double start = now();

        a->x = x;
        a->w = w;
        if (pass == DEV_CONV2D_FORWARD)
            k->conv2d(d, &(struct dev_conv2d_args){.of = *a, .y = y});
        else if (pass == DEV_CONV2D_DATA)
            k->conv2d_bwd_data(d, &(struct dev_conv2d_bwd_data_args){
                                      .of = *a, .dy = y, .accumulate = false, .dx = x});
        else
            k->conv2d_bwd_weights(d, &(struct dev_conv2d_bwd_weights_args){
                                         .of = *a, .dy = y, .accumulate = false, .dw = w});
        d->sync(d);
        if (i > 0 && now() - start < best)
            best = now() - start;
    }
    d->free(d, x);
    d->free(d, y);
    d->free(d, w);
    d->free(d, a->scratch);
    return best;
}

static void print(const char *what, const char *pass, double gflop, double seconds,
                  const struct dev *d)
{
    struct bench_result r;

    bench_result_begin(&r, gflop / seconds, "GFLOP/s", d);
    t2_json_kv_string(&r.json, "layer", what);
    t2_json_kv_string(&r.json, "pass", pass);
    t2_json_kv_double(&r.json, "ms", seconds * 1e3);
    bench_result_end(&r);
}

static enum t2_status run(struct t2_err *err)
{
    static const char *const passes[] = {"forward", "data", "weights"};
    const struct layer *set = NULL;
    double all_gflop = 0.0, all_seconds = 0.0;
    struct dev *dev = NULL;
    enum t2_status st;

    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++)
        if (strcmp(sets[i].name, layers) == 0)
            set = sets[i].layers;
    if (!set)
        return t2_fail(err, T2_EUSAGE,
                       "unknown layers '%s'; known: resnet50, record_net, "
                       "resnet_cifar",
                       layers);
    T2_TRY(dev_open(device, t2_flags_num_threads(), &dev, err));
    T2_GOTO(st, out, dev_set_precision(dev, precision, err));
    for (const struct layer *l = set; l->size > 0; l++)
        for (int pass = 0; pass < 3; pass++) {
            struct dev_conv2d a = conv_of(l);
            double gflop = 2e-9 * (double) (a.B * a.Ho * a.Wo) * (double) (a.kh * a.kw * a.C * a.N);
            double seconds;
            char what[96];

            if (pass == DEV_CONV2D_DATA && l == set)
                continue;
            seconds = seconds_of(dev, &a, (enum dev_conv2d_pass) pass);
            snprintf(what, sizeof what, "%dx%dx%d->%d %dx%d/%d x%d", (int) l->size, (int) l->size,
                     (int) l->channels, (int) l->filters, (int) l->kernel, (int) l->kernel,
                     (int) l->stride, (int) l->times);
            print(what, passes[pass], gflop, seconds, dev);
            all_gflop += gflop * (double) l->times;
            all_seconds += seconds * (double) l->times;
        }
    print(layers, "all", all_gflop, all_seconds, dev);
out:
    dev_close(dev);
    return st;
}

int main(int argc, char **argv)
{
    const struct t2_tool tool = {.name = "bench_cnn",
                                 .usage = "[flags]",
                                 .summary = "Times convolutions of image models.",
                                 .examples = "  bench_cnn --layers=resnet50\n"
                                             "  bench_cnn --layers=record_net --batch=512\n",
                                 .flags = flags,
                                 .n_flags = sizeof flags / sizeof *flags};

    return bench_main(&tool, argc, argv, run);
}
