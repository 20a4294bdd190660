/*
 * train/runs/run.h - everything a run of the trainer needs, opened and checked before step 0.
 *
 * tr_run_open finds the newest checkpoint, chooses the hparams, opens data and device, builds the
 * model, plans its memory, and restores or draws the variables.  What can go wrong goes wrong here;
 * the loop (loop.h) only trains.
 */
#ifndef TR_RUN_H
#define TR_RUN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/dir_lock.h"
#include "base/json_writer.h"
#include "train/ckpt/checkpoint.h"
#include "train/dist/tree_sum.h"
#include "train/eval/report.h"
#include "train/graph/watch.h"
#include "train/input/input.h"
#include "train/models/model.h"
#include "train/optim/optimizer.h"
#include "train/runs/data_set.h"

/* The largest batch size whose plan fits; a run that is continued keeps its own. */
#define TR_BATCH_SIZE_AUTO (-1)

/* Whose places and tags event files have (summaries.h). */
enum tr_tags { TR_TAGS_T2T, TR_TAGS_GARDEN, TR_TAGS_OFFICIAL, TR_TAGS_TPU_RESNET };

struct dec_hparams;

/* What a step that is not finite does to the run. */
enum tr_on_nan { TR_NAN_STOP, TR_NAN_SKIP, TR_NAN_ROLLBACK };

/* Strings are borrowed for the life of the run. */
struct tr_options {
    const char *problem, *data_dir, *output_dir;
    const char *model, *hparams_set; /* NULL: those of the run that is continued */
    const char *hparams;             /* overrides; may be NULL */
    const char *freeze;              /* hparam frozen_variables; NULL = the run's */
    const char *order;               /* hparam sample_order: "shuffled", "reference"; may be NULL */
    int64_t batch_size;              /* overrides hparam batch_size; 0 = not, TR_BATCH_SIZE_AUTO */
    bool profile;                    /* time operators and products of the training steps */
    bool remat;                      /* compute layers again in the backward pass */
    bool dry_run;                    /* nothing is trained: initial values need not be drawn */
    uint64_t max_memory;             /* bytes; 0 = what is available */
    const char *device;              /* "cpu" */
    const char *precision;           /* dev_set_precision; NULL = the run's, or the hparams' */
    const char *schedule;            /* for hparams.json only */
    bool train;                      /* false: only evaluate what is there */
    bool evaluate;
    bool eval_use_test_set, eval_on_train_data; /* not both: which split; else dev */
    bool resume;               /* continue what output_dir holds; else refuse to overwrite it */
    bool allow_hparams_change; /* run_hparams.h */
    bool seed_given;
    uint64_t random_seed;
    int64_t train_steps, eval_steps;
    const char *warm_start_from; /* initial values of a new run (ckpt/warm_start.h); may be NULL */
    enum tr_on_nan on_nan;
    int64_t max_corrupt;   /* so many damaged records of a split are passed over */
    int64_t replay_step;   /* of step_replay.h: the checkpoint before it is opened; 0: the newest */
    int64_t pause_at_step; /* stop there already; 0: at train_steps */
    int64_t eval_samples;  /* sentences that evaluations translate, images that they
                            * draw (sample_texts.h, sample_images.h) */
    /* eval_steps is for text with inputs; images and language models are evaluated all */
    bool eval_all;
    int64_t local_eval_frequency, log_step_count_steps, save_checkpoints_secs;
    int64_t save_checkpoints_steps; /* 0: at evaluations, or by the clock */
    int keep_checkpoint_max;
    int64_t keep_checkpoint_best, keep_every_n_hours; /* milestones.h; 0: not */
    int64_t early_stopping_steps;                     /* 0: not */
    const char *early_stopping_metric;                /* NULL: loss */
    const struct dec_hparams *decodes; /* how evaluations translate; NULL: as usual, unwritten */
    const char *eval_metrics;          /* beside the problem's (problem_metrics.h); NULL: none */
    double early_stopping_delta;
    bool early_stopping_maximize;
    int num_threads;  /* of kernels on the host's processor; 0 = all CPUs allowed */
    int host_threads; /* of the host, beside the device; 0 = num_threads */
    /* The processes that train together; NULL: this one alone.  Borrowed. */
    struct dist *dist;
    int64_t data_shards;       /* of this rank's part of a batch, --worker_gpu; 0 = 1 */
    bool data_shards_given;    /* by the user, for whom another number is no surprise */
    enum dist_number exchange; /* how gradients travel */
    bool shard_optimizer;      /* each rank keeps a part of its state */
    bool global_batch_size;    /* hparam batch_size is of all shards, else of one */
    const char *flag_lines; /* "--name=value\n" of the flags that ranks must have alike, or NULL */
    bool tensorboard;       /* write event files (summaries.h) */
    enum tr_tags tags;
    /* Of Model Garden's trainer: folder of events of evaluations, NULL: "validation";
     * best_export.h, NULL: not; a mean loss of a report line that is above loss_bound from
     * bound_begin_steps on is as one that is not finite, 0: none is; steps of either kind that the
     * process survives, 0: not_finite.h's. */
    const char *validation_subdir, *best_subdir, *best_metric;
    bool best_is_lower;
    double loss_bound;
    int64_t bound_begin_steps, max_recoveries;
    bool summary_histograms; /* with histograms of variables and gradients */
    ev_emit_fn emit;         /* gets the lines of metrics.jsonl; may be NULL */
    void *emit_context;
};

/* Bytes that depend on the size of batches. */
struct tr_batch_plan {
    uint64_t arena;        /* of the largest */
    uint64_t sent;         /* on a device with memory of its own: batches on their way */
    int32_t positions;     /* of the longest */
    uint64_t convolutions; /* what their library keeps for itself; 0: there are none */
};

struct tr_run {
    struct tr_options options;
    char *output_dir, *data_dir; /* expanded */
    char *model_text;            /* of a layer file that --model named; NULL: none */
    struct ckpt_state state;     /* what a checkpoint made now would say */
    bool restored;               /* state.step is in output_dir */
    int64_t saved_step;          /* of the newest checkpoint; -1 = none */
    int64_t saving_step;         /* of the one that is being written (saves.h); -1 = none */
    double saved_wall_seconds;   /* state.wall_seconds of the newest that is there or on its way */
    bool saves_aside;            /* with a copy */
    struct ckpt_saver *saver;    /* NULL: no training */
    bool parts_missing; /* of saving_step: ranks write their parts, rank 0 has not met them */
    bool all_written;   /* no rank wrote anything in front of this step (saves.h) */
    bool said_alone;    /* that rank 0 writes checkpoints alone; once is enough */
    struct ckpt_runs saving_runs; /* of all ranks' parts */
    struct mdl_hparams *hp;
    struct tr_data_set data;
    struct dev *dev;
    struct mdl *model;
    struct opt_optimizer *opt;     /* NULL when only evaluating */
    struct in_input *train, *eval; /* NULL when not wanted */
    struct in_memory batch_memory; /* of their batches */
    enum dg_split eval_split;
    struct tr_batch_plan plan;
    struct opt_bytes optimizer_bytes;
    uint64_t program_bytes; /* before the model was made, without plan.convolutions */
    struct dev_bytes limit; /* of the device, when it has memory of its own; of the host */
    /* What evaluation says of ids and of values (eval/id_scores.h, eval/value_scores.h). */
    unsigned id_scores, value_scores;
    struct tr_profile *profile; /* run_profile.h; NULL: not wanted */
    int n_recoveries;           /* not_finite.h, since the last checkpoint */
    struct gr_watch watch;      /* of tr_plant */
    bool planted;               /* in the batch behind so many samples: */
    uint64_t planted_sample;
    struct dist *dist, *alone;      /* options.dist, or `alone`, which is the run's */
    int n_shards;                   /* of a batch, on all ranks (shards.h) */
    struct tr_shards *shards;       /* NULL: one shard on one rank, or no training */
    bool saves_now;                 /* the clock of rank 0 says so */
    bool said_padding;              /* that a batch was nothing but that; once is enough */
    struct ev_report *report;       /* NULL until tr_run_begin */
    struct tr_summaries *summaries; /* NULL: not wanted, or not begun */
    struct t2_lock lock;            /* of output_dir; held from tr_run_begin when training */
};

/* Text without inputs. */
bool tr_is_language_model(const struct tr_run *run);
/* Does batch_size count samples, as of images and tables, and not ids? */
static inline bool tr_counts_rows(const struct tr_run *run)
{
    return run->data.view->is_images || run->data.problem.table;
}

/* Writes nothing.  *run is owned by the caller. */
T2_MUST_CHECK enum t2_status tr_run_open(const struct tr_options *options, struct tr_run **run,
                                         struct t2_err *err);
void tr_run_free(struct tr_run *run);

/* Makes output_dir, writes hparams.json, opens metrics.jsonl. */
T2_MUST_CHECK enum t2_status tr_run_begin(struct tr_run *run, struct t2_err *err);

/* The description of the run: device, model, data, memory, first step.  As lines of text; as keys
 * of the object that is open. */
void tr_run_text(const struct tr_run *run, struct t2_buf *text);
void tr_run_json(const struct tr_run *run, struct t2_json *json);

/* What a dry run says beside it: the batches of each bucket of training, the disk that checkpoints
 * take. */
T2_MUST_CHECK enum t2_status tr_forecast_text(const struct tr_run *run, struct t2_buf *text,
                                              struct t2_err *err);
T2_MUST_CHECK enum t2_status tr_forecast_json(const struct tr_run *run, struct t2_json *json,
                                              struct t2_err *err);

#endif
