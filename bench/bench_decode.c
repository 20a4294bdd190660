/*
 * bench/bench_decode.c - target tokens per second of a search with a Transformer of random weights,
 * which ends no sentence before its length.
 *
 *   bench_decode --beam=4 --sentences=64 --batch=32 --source=16 --target=45
 *
 * Prints one JSON object: "value" (median of the runs), "per_cpu_s" (the same by processor time of
 * all threads, which other programs disturb less), "check" (shape of the work), the first
 * translation's score, so that two builds can be compared.
 */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/alloc.h"
#include "base/progress.h"
#include "base/rng.h"
#include "bench/bench_main.h"
#include "train/decode/decode.h"

static const char *device = "cpu", *precision = "float32";
static int64_t beam = 4, sentences = 64, batch = 32, source = 16, target = 45, runs = 3;
static int64_t shortest;
static bool together;
static int64_t hidden = 512, layers = 6, vocab = 32768;

static const struct t2_flag flags[] = {
    {NULL, T2_FLAG_GROUP, NULL, NULL, "What runs", NULL},
    {"beam", T2_FLAG_INT, &beam, "N", "hypotheses a sentence; 1 is greedy", NULL},
    {"sentences", T2_FLAG_INT, &sentences, "N", "in all", NULL},
    {"batch", T2_FLAG_INT, &batch, "N", "sentences of a batch", NULL},
    {"source", T2_FLAG_INT, &source, "N", "ids of a source", NULL},
    {"target", T2_FLAG_INT, &target, "N", "ids of a translation", NULL},
    {"shortest", T2_FLAG_INT, &shortest, "N",
     "translations have so many ids to --target, drawn evenly; 0: --target", NULL},
    {"together", T2_FLAG_BOOL, &together, NULL,
     "none rests before all of its batch have ended, as in the originals", NULL},
    {"hidden", T2_FLAG_INT, &hidden, "N", "width; feed-forward layers have four times it", NULL},
    {"layers", T2_FLAG_INT, &layers, "N", "of each side", NULL},
    {"vocab", T2_FLAG_INT, &vocab, "N", "ids", NULL},
    {"runs", T2_FLAG_INT, &runs, "N", "timed runs, behind one that is not", NULL},
    {"device", T2_FLAG_STRING, &device, "NAME", "cpu or reference", NULL},
    {"precision", T2_FLAG_STRING, &precision, "NAME", "float32, bfloat16 or int8", NULL},
};

static enum t2_status choose(void *context, int32_t at, const int32_t *ids,
                             const struct dev_ask *asks, struct dev_candidate *best,
                             struct t2_err *err)
{
    return mdl_decoder_choose(context, at, ids, asks, best, err);
}

static enum t2_status reorder(void *context, const int32_t *from, struct t2_err *err)
{
    return mdl_decoder_reorder(context, from, err);
}

/* All sentences, batch after batch. */
static enum t2_status translate(struct mdl_decoder *d, const int32_t *ids, const int32_t *lengths,
                                double *score, int64_t *n_ids, struct t2_err *err)
{
    struct dec_options o = {.beam_size = (int32_t) beam,
                            .alpha = 0.6,
                            .max_length = (int32_t) target,
                            .n_best = 1,
                            .settle_together = together};

    *n_ids = 0;
    for (int64_t at = 0; at < sentences; at += batch) {
        int32_t n = (int32_t) (sentences - at < batch ? sentences - at : batch);
        struct mdl_search_shape shape = {n, (int32_t) beam, (int32_t) source, (int32_t) target, 0,
                                         0};
        struct dec_model model = {.context = d,
                                  .vocab = (int32_t) vocab,
                                  .choose = choose,
                                  .reorder = reorder};
        struct dec_result r;
        enum t2_status st;

        o.lengths = lengths + at;
        T2_TRY(mdl_decoder_begin(d, &shape, ids + at * source, err));
        st = dec_search(&model, n, &o, NULL, 0, &r, err);
        if (st == T2_OK && at == 0)
            *score = r.scores[0];
        for (int32_t i = 0; st == T2_OK && i < n; i++)
            *n_ids += lengths[at + i];
        dec_result_release(&r);
        T2_TRY(st);
    }
    return T2_OK;
}

static enum t2_status configure(struct mdl_hparams **hp, struct t2_err *err)
{
    T2_TRY(mdl_hparams_new("transformer_base", hp, err));
    mdl_hp_set_int(*hp, "hidden_size", hidden);
    mdl_hp_set_int(*hp, "filter_size", 4 * hidden);
    mdl_hp_set_int(*hp, "num_hidden_layers", layers);
    return T2_OK;
}

static void print_result(double *rates, double *cpu_rates, double score, const struct dev *dev)
{
    struct bench_result out;
    char check[120];

    snprintf(check, sizeof check, "%lldx%lld+%lldx%lld beam %lld, %lld sentences by %lld",
             (long long) layers, (long long) hidden, (long long) source, (long long) target,
             (long long) beam, (long long) sentences, (long long) batch);
    bench_result_begin(&out, bench_median(rates, runs), "target tok/s", dev);
    t2_json_kv_double(&out.json, "per_cpu_s", bench_median(cpu_rates, runs));
    t2_json_kv_string(&out.json, "check", check);
    t2_json_kv_double(&out.json, "score", score);
    bench_result_end(&out);
}

static enum t2_status run(struct t2_err *err)
{
    int32_t *ids = t2_alloc((size_t) (sentences * source), sizeof *ids);
    int32_t *lengths = t2_alloc((size_t) sentences, sizeof *lengths);
    double *rates = t2_alloc((size_t) runs + 1, sizeof *rates), score = 0;
    double *cpu_rates = t2_alloc((size_t) runs + 1, sizeof *cpu_rates);
    const struct dec_options o = {.beam_size = (int32_t) beam};
    struct mdl_problem problem = {.has_inputs = true,
                                  .inputs_vocab = (int32_t) vocab,
                                  .targets_vocab = (int32_t) vocab,
                                  .loss_multiplier = 1.0};
    struct mdl_choice choice = dec_choice(&o);
    struct mdl_hparams *hp = NULL;
    struct mdl_decoder *d = NULL;
    struct dev *dev = NULL;
    struct mdl *m = NULL;
    struct t2_rng rng;
    enum t2_status st;

    T2_GOTO(st, out, configure(&hp, err));
    t2_rng_init(&rng, 1, T2_RNG_DATA, 0, 0);
    for (int64_t i = 0; i < sentences * source; i++)
        ids[i] = (i + 1) % source ? (int32_t) (2 + t2_rng_below(&rng, (uint64_t) vocab - 2)) : 1;
    for (int64_t i = 0; i < sentences; i++)
        lengths[i] =
            (int32_t) (shortest > 0 && shortest < target
                           ? shortest +
                                 (int64_t) t2_rng_below(&rng, (uint64_t) (target - shortest + 1))
                           : target);
    T2_GOTO(st, out, dev_open(device, t2_flags_num_threads(), &dev, err));
    T2_GOTO(st, out, dev_set_decoding_precision(dev, precision, err));
    T2_GOTO(st, out, mdl_new("transformer", dev, hp, &problem, MDL_EVAL, &m, err));
    T2_GOTO(st, out, mdl_initialise(m, 1, err));
    T2_GOTO(st, out, mdl_decoder_new(m, NULL, &d, err));
    mdl_decoder_set_choice(d, &choice);
    for (int64_t i = 0; i <= runs; i++) {
        double start = t2_now_s(), cpu_start = (double) clock();
        int64_t n_ids;

        T2_GOTO(st, out, translate(d, ids, lengths, &score, &n_ids, err));
        if (i == 0)
            continue;
        rates[i - 1] = (double) n_ids / (t2_now_s() - start);
        cpu_rates[i - 1] = (double) n_ids * CLOCKS_PER_SEC / ((double) clock() - cpu_start);
    }
    print_result(rates, cpu_rates, score, dev);
out:
    mdl_decoder_free(d);
    mdl_free(m);
    dev_close(dev);
    mdl_hparams_free(hp);
    t2_free(rates);
    t2_free(cpu_rates);
    t2_free(lengths);
    t2_free(ids);
    return st;
}

static const struct t2_tool tool = {
    .name = "bench_decode",
    .usage = "[flags]",
    .summary = "Times searches with a Transformer of random weights.",
    .flags = flags,
    .n_flags = sizeof flags / sizeof *flags,
};

int main(int argc, char **argv)
{
    return bench_main(&tool, argc, argv, run);
}
