/*
 * tests/unit/train/small_run.h - a run of a very small Transformer on made-up ids, put together by
 * hand: what tr_run_open does, without a problem.
 */
#ifndef T2_TESTS_UNIT_TRAIN_SMALL_RUN_H
#define T2_TESTS_UNIT_TRAIN_SMALL_RUN_H

#include "tests/unit/train/id_shards.h"
#include "train/runs/next_batch.h"
#include "train/runs/ranks.h"
#include "train/runs/saves.h"

#define SMALL_OK(expression)                                                                       \
    do {                                                                                           \
        struct t2_err small_err = T2_ERR_INIT;                                                     \
        struct t2_err *err = &small_err;                                                           \
                                                                                                   \
        if ((expression) != T2_OK)                                                                 \
            fail_msg("%s", err->message);                                                          \
    } while (0)

static inline void small_data(const char *data_dir)
{
    ids_write(data_dir, "train", 300, 2, 20);
    ids_write(data_dir, "dev", 41, 1, 20);
}

static inline struct mdl_hparams *small_hparams(const char *overrides)
{
    struct mdl_hparams *hp = NULL;

    SMALL_OK(mdl_hparams_new("transformer_tiny", &hp, err));
    SMALL_OK(mdl_hparams_override(hp,
                                  "hidden_size=16,filter_size=24,num_heads=2,num_hidden_layers=1,"
                                  "batch_size=100,max_length=32,learning_rate_warmup_steps=4",
                                  err));
    SMALL_OK(mdl_hparams_override(hp, overrides, err));
    return hp;
}

static inline struct in_input *small_input(const struct tr_run *r, const char *split, bool training)
{
    const struct in_options o = {.data_dir = r->data_dir,
                                 .dataset = "ids",
                                 .split = split,
                                 .inputs_feature = "inputs",
                                 .targets_feature = "targets",
                                 .inputs_vocab = IDS_VOCAB,
                                 .targets_vocab = IDS_VOCAB,
                                 .training = training,
                                 .seed = 3,
                                 .first_sample = r->state.samples,
                                 .num_threads = 1,
                                 .memory = &r->batch_memory};
    struct in_input *in = NULL;

    SMALL_OK(in_new(&o, r->hp, &in, err));
    return in;
}

/* Continues what output_dir holds. */
static inline struct tr_run *small_run(const char *data_dir, const char *output_dir,
                                       const char *overrides, int64_t train_steps, int num_threads)
{
    const struct mdl_problem problem = {.has_inputs = true,
                                        .inputs_vocab = IDS_VOCAB,
                                        .targets_vocab = IDS_VOCAB,
                                        .loss_multiplier = 1.0};
    struct tr_run *r = t2_alloc(1, sizeof *r);
    struct t2_err none = T2_ERR_INIT;
    struct mdl_shape *shapes;
    size_t n_shapes;

    r->options = (struct tr_options){.schedule = "train",
                                     .train = true,
                                     .evaluate = true,
                                     .train_steps = train_steps,
                                     .eval_steps = 100,
                                     .local_eval_frequency = 4,
                                     .log_step_count_steps = 2,
                                     .keep_checkpoint_max = 3};
    r->n_shards = 1;
    SMALL_OK(tr_ranks_open(r, err));
    r->output_dir = t2_strdup(output_dir);
    r->data_dir = t2_strdup(data_dir);
    r->hp = small_hparams(overrides);
    r->saved_step = r->saving_step = -1;
    r->eval_split = DG_DEV;
    SMALL_OK(t2_make_dirs(output_dir, err));
    if (ckpt_load_state(output_dir, -1, &r->state, NULL, &none) == T2_OK) {
        r->restored = true;
        r->saved_step = r->state.step;
    } else {
        r->state = (struct ckpt_state){.seed = 3,
                                       .model = "transformer",
                                       .hparams_set = "transformer_tiny",
                                       .problem = "ids"};
    }
    SMALL_OK(dev_open("cpu", num_threads, &r->dev, err));
    SMALL_OK(mdl_new("transformer", r->dev, r->hp, &problem, MDL_TRAIN, &r->model, err));
    SMALL_OK(opt_new(r->hp, mdl_params(r->model), &r->opt, err));
    SMALL_OK(tr_saves_open(r, err));
    r->batch_memory = tr_batch_memory(&r->dev);
    r->train = small_input(r, "train", true);
    r->eval = small_input(r, "dev", false);
    SMALL_OK(in_shapes(r->train, r->hp, &shapes, &n_shapes, err));
    SMALL_OK(mdl_plan(r->model, shapes, n_shapes, &r->plan.arena, err));
    t2_free(shapes);
    if (r->restored)
        SMALL_OK(ckpt_restore(output_dir, r->state.step, mdl_params(r->model), r->opt, err));
    else
        SMALL_OK(mdl_initialise(r->model, 3, err));
    SMALL_OK(ev_report_open(output_dir, r->state.step, NULL, NULL, &r->report, err));
    return r;
}

#endif
