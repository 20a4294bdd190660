/*
 * bench/bench_net.c - training steps of image nets on made-up images: images per second.
 *
 *   bench_net --net=resnet50 --batch=16
 *
 * The nets are those of peer_train.py, layer by layer: torchvision's resnet50 at 224, and the shape
 * of the short CIFAR-10 record nets.  Prints one JSON object: "value" (median of the steps),
 * "check" (shape of the work), with --profile the share of time per operator.  bench_cnn.py pairs
 * it with the peers.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/progress.h"
#include "base/rng.h"
#include "bench/bench_main.h"
#include "train/device/gemm_times.h"
#include "train/graph/profile.h"
#include "train/ops/batch_norm.h"
#include "train/ops/class_loss.h"
#include "train/ops/conv2d.h"
#include "train/ops/elementwise.h"
#include "train/ops/linear.h"
#include "train/ops/pooling.h"
#include "train/optim/optimizer.h"

static const char *net = "resnet50", *device = "cpu", *precision = "float32";
static int64_t batch = 16, steps = 3, warm = 1;
static bool profile;

static const struct t2_flag flags[] = {
    {NULL, T2_FLAG_GROUP, NULL, NULL, "What runs", NULL},
    {"net", T2_FLAG_STRING, &net, "NAME", "resnet50 or record_net", NULL},
    {"batch", T2_FLAG_INT, &batch, "N", "images", NULL},
    {"steps", T2_FLAG_INT, &steps, "N", "timed steps", NULL},
    {"warm", T2_FLAG_INT, &warm, "N", "steps before", NULL},
    {"device", T2_FLAG_STRING, &device, "NAME", "cpu or reference", NULL},
    {"precision", T2_FLAG_STRING, &precision, "NAME", "float32 or bfloat16", NULL},
    {"profile", T2_FLAG_BOOL, &profile, NULL, "time per operator and shape of a product", NULL},
};

/* ---- nets ---- */

struct builder {
    struct gr_graph *g;
    int n; /* variables so far: their names */
};

static struct gr_tensor *variable(struct builder *b, int rank, const int64_t *dims,
                                  enum gr_init init)
{
    char name[24];

    snprintf(name, sizeof name, "v%d", b->n++);
    return gr_param(b->g, name, rank, dims, 0, init, 0.05);
}

static struct gr_tensor *vector(struct builder *b, int64_t n, enum gr_init init)
{
    return variable(b, 1, &n, init);
}

static struct gr_tensor *state(struct builder *b, int64_t n, enum gr_init init)
{
    char name[24];

    snprintf(name, sizeof name, "s%d", b->n++);
    return gr_state(b->g, name, 1, &n, init, 0.0);
}

static struct gr_tensor *conv(struct builder *b, struct gr_tensor *x, int64_t filters, int64_t size,
                              int64_t stride)
{
    const int64_t dims[] = {size, size, x->dims[3], filters};
    struct nn_conv2d how = {.stride = stride, .padding = size == 2 ? NN_VALID : NN_SYMMETRIC};

    return nn_conv2d(b->g, x, variable(b, 4, dims, GR_INIT_NORMAL),
                     size == 2 ? vector(b, filters, GR_INIT_ZEROS) : NULL, &how);
}

static struct gr_tensor *norm(struct builder *b, struct gr_tensor *x, struct gr_tensor *residual,
                              bool relu)
{
    struct nn_batch_norm how = {.momentum = 0.9, .epsilon = 1e-5, .relu = relu};
    int64_t C = x->dims[3];

    return nn_batch_norm(b->g, x, vector(b, C, GR_INIT_ONES), vector(b, C, GR_INIT_ZEROS),
                         state(b, C, GR_INIT_ZEROS), state(b, C, GR_INIT_ONES), residual, &how);
}

static struct gr_tensor *bottleneck(struct builder *b, struct gr_tensor *x, int64_t filters,
                                    int64_t stride)
{
    struct gr_tensor *residual = x;

    if (stride != 1 || x->dims[3] != 4 * filters)
        residual = norm(b, conv(b, x, 4 * filters, 1, stride), NULL, false);
    x = norm(b, conv(b, x, filters, 1, 1), NULL, true);
    x = norm(b, conv(b, x, filters, 3, stride), NULL, true);
    return norm(b, conv(b, x, 4 * filters, 1, 1), residual, true);
}

static struct gr_tensor *resnet50(struct builder *b, struct gr_tensor *x)
{
    static const int64_t blocks[] = {3, 4, 6, 3};

    x = norm(b, conv(b, x, 64, 7, 2), NULL, true);
    x = nn_max_pool(b->g, x, 3, 2, NN_SYMMETRIC);
    for (int64_t group = 0; group < 4; group++)
        for (int64_t i = 0; i < blocks[group]; i++)
            x = bottleneck(b, x, 64 << group, group > 0 && i == 0 ? 2 : 1);
    return nn_global_mean(b->g, x);
}

static struct gr_tensor *record_net(struct builder *b, struct gr_tensor *x)
{
    static const int64_t filters[] = {64, 256, 256};

    x = nn_gelu(b->g, conv(b, x, 24, 2, 1));
    for (int i = 0; i < 3; i++) {
        x = nn_max_pool(b->g, conv(b, x, filters[i], 3, 1), 2, 2, NN_VALID);
        x = nn_gelu(b->g, norm(b, x, NULL, false));
        x = nn_gelu(b->g, norm(b, conv(b, x, filters[i], 3, 1), NULL, false));
    }
    return nn_flatten(b->g, nn_max_pool(b->g, x, 3, 3, NN_VALID));
}

static const struct net {
    const char *name;
    int64_t size, classes;
    bool bias; /* of the last layer */
    struct gr_tensor *(*build)(struct builder *b, struct gr_tensor *x);
} nets[] = {{"resnet50", 224, 1000, true, resnet50}, {"record_net", 32, 10, false, record_net}};

/* ---- steps ---- */

struct run {
    const struct net *net;
    struct dev *dev;
    struct gr_params params;
    struct gr_graph *g;
    struct gr_tensor *images, *labels, *row_stats;
    struct mdl_hparams *hp;
    struct opt_optimizer *optimizer;
    struct gr_profile times;
    void *arena;
};

static enum t2_status build(struct run *r, struct t2_err *err)
{
    const int64_t dims[] = {batch, r->net->size, r->net->size, 3}, labels[] = {batch, 1};
    struct builder b = {0};
    struct gr_tensor *x, *w;
    struct gr_node *loss;

    gr_params_init(&r->params, r->dev);
    b.g = r->g = gr_new(r->dev, &r->params, true);
    r->images = gr_floats(r->g, 4, dims);
    r->labels = gr_ids(r->g, 2, labels);
    x = r->net->build(&b, r->images);
    w = variable(&b, 2, (const int64_t[]){x->dims[1], r->net->classes}, GR_INIT_NORMAL);
    x = nn_linear(r->g, x, w, r->net->bias ? vector(&b, r->net->classes, GR_INIT_ZEROS) : NULL,
                  false, 0.0);
    loss = nn_class_loss(r->g, x, r->labels, 0.0, &r->row_stats);
    T2_TRY(gr_finish(r->g, loss, &r->row_stats, 1, err));
    T2_TRY(gr_params_freeze(&r->params, err));
    r->arena = r->dev->alloc(r->dev, r->g->arena_bytes);
    if (!r->arena)
        return t2_fail(err, T2_ENOMEM, "no memory for %zu bytes", r->g->arena_bytes);
    gr_bind(r->g, r->arena);
    return gr_params_initialise(&r->params, "uniform", 1.0, 1, err);
}

static void fill(struct run *r)
{
    float *x = t2_alloc((size_t) r->images->n, sizeof *x);
    int32_t *labels = t2_alloc((size_t) batch, sizeof *labels);
    struct t2_rng rng;

    t2_rng_init(&rng, 1, T2_RNG_DATA, 0, 0);
    for (int64_t i = 0; i < r->images->n; i++)
        x[i] = 4.0f * t2_rng_uniform(&rng) - 2.0f;
    for (int64_t i = 0; i < batch; i++)
        labels[i] = (int32_t) t2_rng_below(&rng, (uint64_t) r->net->classes);
    r->dev->upload_now(r->dev, r->images->value, x, (size_t) r->images->n * sizeof *x);
    r->dev->upload_now(r->dev, r->labels->ids, labels, (size_t) batch * sizeof *labels);
    t2_free(x);
    t2_free(labels);
}

static enum t2_status take_steps(struct run *r, double *seconds, double *loss, struct t2_err *err)
{
    float *stats = t2_alloc((size_t) r->row_stats->n, sizeof *stats);
    struct opt_report report;
    enum t2_status st = T2_OK;

    for (int64_t i = 0; i < warm + steps && st == T2_OK; i++) {
        struct gr_context context = {.step = (uint64_t) i, .grad_scale = 1.0f / (float) batch};
        double start = t2_now_s();

        context.profile = profile && i >= warm ? &r->times : NULL;
        if (i == warm && profile)
            (void) dev_gemm_times_start(r->dev);
        gr_run_forward(r->g, &context);
        gr_run_backward(r->g, &context);
        r->dev->download(r->dev, stats, r->row_stats->value,
                         (size_t) r->row_stats->n * sizeof *stats);
        st = opt_step(r->optimizer, i, 1000, &report, err);
        if (i >= warm)
            seconds[i - warm] = t2_now_s() - start;
    }
    *loss = 0.0;
    for (int64_t i = 0; i < batch; i++)
        *loss += (double) stats[4 * i] / (double) batch;
    t2_free(stats);
    return st;
}

/* Milliseconds of a step by operator, on stderr by shape of a product. */
static void put_profile(struct t2_json *j, const struct run *r)
{
    const struct dev_gemm_times *t = r->dev->gemm_times;

    for (int i = 0; i < r->times.n; i++) {
        char key[64];

        snprintf(key, sizeof key, "%s_forward_ms", r->times.op[i]);
        t2_json_kv_double(j, key, 1e3 * r->times.forward_s[i] / (double) steps);
        snprintf(key, sizeof key, "%s_backward_ms", r->times.op[i]);
        t2_json_kv_double(j, key, 1e3 * r->times.backward_s[i] / (double) steps);
    }
    for (int i = 0; t && i < t->n; i++) {
        const struct dev_gemm_time *p = &t->items[i];

        fprintf(stderr, "%s%s %8lld x %5lld x %8lld %4lld calls %8.2f ms %7.1f GFLOP/s\n",
                p->trans_a ? "T" : "-", p->trans_b ? "T" : "-", (long long) p->M, (long long) p->N,
                (long long) p->K, (long long) p->calls, 1e3 * p->seconds / (double) steps,
                2e-9 * p->multiply_adds / p->seconds);
    }
}

static void print_result(const struct run *r, double seconds, double loss)
{
    struct bench_result out;
    char check[80];

    snprintf(check, sizeof check, "%s %lld of %lld", net, (long long) batch,
             (long long) r->net->size);
    bench_result_begin(&out, (double) batch / seconds, "img/s", r->dev);
    t2_json_kv_string(&out.json, "check", check);
    t2_json_kv_double(&out.json, "loss", loss);
    t2_json_kv_double(&out.json, "arena_gib", (double) r->g->arena_bytes / 0x1p30);
    put_profile(&out.json, r);
    bench_result_end(&out);
}

static enum t2_status run(struct t2_err *err)
{
    double *seconds = t2_alloc((size_t) steps + 1, sizeof *seconds), loss;
    struct run r = {0};
    enum t2_status st;

    for (size_t i = 0; i < sizeof nets / sizeof *nets; i++)
        if (strcmp(nets[i].name, net) == 0)
            r.net = &nets[i];
    if (!r.net) {
        t2_free(seconds);
        return t2_fail(err, T2_EUSAGE, "unknown net '%s'; known: resnet50, record_net", net);
    }
    T2_GOTO(st, out, dev_open(device, t2_flags_num_threads(), &r.dev, err));
    T2_GOTO(st, out, dev_set_precision(r.dev, precision, err));
    T2_GOTO(st, out, build(&r, err));
    fill(&r);
    T2_GOTO(st, out, mdl_hparams_new("resnet_50", &r.hp, err));
    mdl_hp_set_float(r.hp, "weight_decay", 0.0);
    T2_GOTO(st, out, opt_new(r.hp, &r.params, &r.optimizer, err));
    T2_GOTO(st, out, take_steps(&r, seconds, &loss, err));
    print_result(&r, bench_median(seconds, steps), loss);
out:
    opt_free(r.optimizer);
    mdl_hparams_free(r.hp);
    gr_profile_release(&r.times);
    if (r.dev) {
        dev_gemm_times_stop(r.dev);
        r.dev->free(r.dev, r.arena);
        gr_free(r.g);
        gr_params_release(&r.params);
    }
    dev_close(r.dev);
    t2_free(seconds);
    return st;
}

int main(int argc, char **argv)
{
    const struct t2_tool tool = {
        .name = "bench_net",
        .usage = "[flags]",
        .summary = "Times training steps of image nets.",
        .examples =
            "  bench_net --net=resnet50\n  bench_net --net=record_net --batch=512 --profile\n",
        .flags = flags,
        .n_flags = sizeof flags / sizeof *flags};

    return bench_main(&tool, argc, argv, run);
}
