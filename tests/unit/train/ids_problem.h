/*
 * tests/unit/train/ids_problem.h - the data of id_shards.h as a registered problem "ids": bytes on
 * both sides (258 ids), so no vocabulary file is needed.
 */
#ifndef T2_TESTS_UNIT_TRAIN_IDS_PROBLEM_H
#define T2_TESTS_UNIT_TRAIN_IDS_PROBLEM_H

#include "tests/unit/train/id_shards.h"
#include "train/runs/run.h"

static inline enum t2_status ids_open(const struct dg_problem *p, const struct dg_options *options,
                                      enum dg_split split, struct dg_stream **stream,
                                      struct t2_err *err)
{
    (void) p;
    (void) options;
    (void) split;
    *stream = NULL;
    return t2_fail(err, T2_EUNSUPPORTED, "never generated");
}

static inline void ids_register(void)
{
    static const struct dg_problem problem = {
        .name = "ids",
        .summary = "Made-up ids.",
        .has_inputs = true,
        .shared_vocab = true,
        .inputs_vocab = {.kind = DG_VOCAB_BYTES},
        .targets_vocab = {.kind = DG_VOCAB_BYTES},
        .n_shards = {2, 1, 0},
        .open = ids_open,
    };
    struct t2_err err = T2_ERR_INIT;

    if (!dg_find("ids") && dg_register(&problem, &err) != T2_OK)
        fail_msg("%s", err.message);
}

/* What all small runs have in common; the rest stays at zeros. */
static inline struct tr_options small_run_options(const char *data_dir, const char *output_dir)
{
    return (struct tr_options){
        .data_dir = data_dir,
        .output_dir = output_dir,
        .device = "cpu",
        .schedule = "train",
        .train = true,
        .evaluate = true,
        .resume = true,
        .random_seed = 5,
        .local_eval_frequency = 1000,
        .log_step_count_steps = 100,
        .keep_checkpoint_max = 5,
        .num_threads = 1,
    };
}

/* A run of a very small Transformer on it. */
static inline struct tr_options ids_options(const char *data_dir, const char *output_dir)
{
    struct tr_options o = small_run_options(data_dir, output_dir);

    ids_register();
    ids_write(data_dir, "train", 200, 2, 40);
    ids_write(data_dir, "dev", 30, 1, 40);
    o.problem = "ids";
    o.hparams_set = "transformer_tiny";
    o.hparams = "hidden_size=16,filter_size=24,num_heads=2,num_hidden_layers=1,batch_size=100,"
                "max_length=32";
    o.train_steps = 4;
    o.eval_steps = 100;
    return o;
}

#endif
