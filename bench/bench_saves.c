/*
 * bench/bench_saves.c - what the checkpoints of transformer_base cost a run that trains on.
 *
 *   bench_saves --dir=/tmp/saves --saves=5
 *
 * Prints one JSON object: "value", the seconds for which steps stop at a save (median), "first_s"
 * for the first one, "thread_s", processor seconds of the thread that writes, and what both are of
 * the processors' time when a run saves every 60 and every 600 seconds.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/progress.h"
#include "bench/bench_main.h"
#include "train/ckpt/saver.h"
#include "train/models/model.h"
#include "train/optim/optimizer.h"

static const char *dir = "saves";
static int64_t saves = 5, vocab = 32768;

static const struct t2_flag flags[] = {
    {NULL, T2_FLAG_GROUP, NULL, NULL, "What runs", NULL},
    {"dir", T2_FLAG_STRING, &dir, "DIR", "where checkpoints go; the last two stay", NULL},
    {"saves", T2_FLAG_INT, &saves, "N", "how many", NULL},
    {"vocab", T2_FLAG_INT, &vocab, "N", "ids", NULL},
};

static double processor_s(void)
{
    struct rusage u;

    (void) getrusage(RUSAGE_SELF, &u);
    return (double) (u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
           1e-6 * (double) (u.ru_utime.tv_usec + u.ru_stime.tv_usec);
}

struct times {
    double first_s, *stop_s, thread_s;
};

static enum t2_status save(const struct mdl_hparams *hp, struct mdl *m,
                           const struct opt_optimizer *o, struct times *t, struct t2_err *err)
{
    struct ckpt_state state = {.model = "transformer", .hparams_set = "transformer_base"};
    struct ckpt_saver *s = NULL;
    enum t2_status st =
        ckpt_saver_new(dir, 2, mdl_params(m), o, (struct opt_share){0, 1}, true, &s, err);

    sleep(2); /* steps before the first save */
    for (int64_t i = 0; i <= saves && st == T2_OK; i++) {
        double since = t2_now_s(), stop_s;

        state.step = i + 1;
        ckpt_saver_begin(s, &state, hp);
        stop_s = t2_now_s() - since;
        if (i == 0)
            t->first_s = stop_s;
        else
            t->stop_s[i - 1] = stop_s;
        since = processor_s();
        st = ckpt_saver_wait(s, err);
        t->thread_s += (processor_s() - since) / (double) (saves + 1);
    }
    ckpt_saver_free(s);
    return st;
}

static void print_result(struct mdl *m, const struct opt_optimizer *o, const struct dev *dev,
                         const struct times *t)
{
    double stop_s = bench_median(t->stop_s, saves), n_threads = dev_host_threads(dev);
    struct bench_result out;

    bench_result_begin(&out, stop_s, "s", dev);
    t2_json_kv_u64(&out.json, "bytes",
                   ckpt_draft_bytes(mdl_params(m), o, (struct opt_share){0, 1}));
    t2_json_kv_double(&out.json, "first_s", t->first_s);
    t2_json_kv_double(&out.json, "least_s", t->stop_s[0]);
    t2_json_kv_double(&out.json, "most_s", t->stop_s[saves - 1]);
    t2_json_kv_double(&out.json, "thread_s", t->thread_s);
    t2_json_kv_double(&out.json, "stopped_of_60", stop_s / 60);
    t2_json_kv_double(&out.json, "all_of_60", (stop_s + t->thread_s / n_threads) / 60);
    t2_json_kv_double(&out.json, "all_of_600", (stop_s + t->thread_s / n_threads) / 600);
    bench_result_end(&out);
}

static enum t2_status run(struct t2_err *err)
{
    const int32_t ids[8] = {5, 6, 7, 8, 5, 6, 7, 8};
    const struct mdl_batch batch = {
        .batch = 1, .inputs_length = 4, .targets_length = 4, .inputs = ids, .targets = ids + 4};
    struct mdl_problem problem = {.loss_multiplier = 1.0,
                                  .has_inputs = true,
                                  .inputs_vocab = (int32_t) vocab,
                                  .targets_vocab = (int32_t) vocab};
    struct times t = {.stop_s = t2_alloc((size_t) saves + 1, sizeof *t.stop_s)};
    struct mdl_hparams *hp = NULL;
    struct opt_optimizer *o = NULL;
    struct opt_report report;
    struct dev *dev = NULL;
    struct mdl *m = NULL;
    struct mdl_loss loss;
    enum t2_status st;

    T2_GOTO(st, out, mdl_hparams_new("transformer_base", &hp, err));
    T2_GOTO(st, out, dev_open("cpu", t2_flags_num_threads(), &dev, err));
    T2_GOTO(st, out, mdl_new("transformer", dev, hp, &problem, MDL_TRAIN, &m, err));
    T2_GOTO(st, out, mdl_initialise(m, 1, err));
    T2_GOTO(st, out, opt_new(hp, mdl_params(m), &o, err));
    T2_GOTO(st, out, mdl_train_step(m, &batch, 1, 0, &loss, err));
    T2_GOTO(st, out, opt_step(o, 0, 1000, &report, err)); /* which fills the slots */
    T2_GOTO(st, out, save(hp, m, o, &t, err));
    print_result(m, o, dev, &t);
out:
    opt_free(o);
    mdl_free(m);
    dev_close(dev);
    mdl_hparams_free(hp);
    t2_free(t.stop_s);
    return st;
}

int main(int argc, char **argv)
{
    const struct t2_tool tool = {.name = "bench_saves",
                                 .usage = "[flags]",
                                 .summary = "Times checkpoints that are written beside the steps.",
                                 .examples = "  bench_saves --dir=/tmp/saves\n",
                                 .flags = flags,
                                 .n_flags = sizeof flags / sizeof *flags};

    return bench_main(&tool, argc, argv, run);
}
