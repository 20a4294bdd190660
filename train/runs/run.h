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
#include "train/eval/report.h"
#include "train/input/input.h"
#include "train/models/model.h"
#include "train/optim/optimizer.h"
#include "train/runs/data_set.h"

/* The largest batch size whose plan fits; a run that is continued keeps its own. */
#define TR_BATCH_SIZE_AUTO (-1)

/* Strings are borrowed for the life of the run. */
struct tr_options {
    const char *problem, *data_dir, *output_dir;
    const char *model, *hparams_set; /* NULL: those of the run that is continued */
    const char *hparams;             /* overrides; may be NULL */
    const char *order;               /* hparam sample_order: "shuffled", "reference"; may be NULL */
    int64_t batch_size;              /* overrides hparam batch_size; 0 = not, TR_BATCH_SIZE_AUTO */
    bool profile;                    /* time operators and products of the training steps */
    bool remat;                      /* compute layers again in the backward pass */
    uint64_t max_memory;             /* bytes; 0 = what is available */
    const char *device;              /* "cpu" */
    const char *precision;           /* "float32", "bfloat16"; NULL = the run's, or float32 */
    const char *schedule;            /* for hparams.json only */
    bool train;                      /* false: only evaluate what is there */
    bool evaluate;
    bool eval_use_test_set;
    bool resume;               /* continue what output_dir holds; else refuse to overwrite it */
    bool allow_hparams_change; /* run_hparams.h */
    bool seed_given;
    uint64_t random_seed;
    int64_t train_steps, eval_steps;
    bool eval_all_images; /* eval_steps is for text; images are evaluated all */
    int64_t local_eval_frequency, log_step_count_steps, save_checkpoints_secs;
    int64_t save_checkpoints_steps; /* 0: at evaluations, or by the clock */
    int keep_checkpoint_max;
    int num_threads;
    ev_emit_fn emit; /* gets the lines of metrics.jsonl; may be NULL */
    void *emit_context;
};

struct tr_run {
    struct tr_options options;
    char *output_dir, *data_dir; /* expanded */
    struct ckpt_state state;     /* what a checkpoint made now would say */
    bool restored;               /* state.step is in output_dir */
    int64_t saved_step;          /* of the newest checkpoint; -1 = none */
    struct mdl_hparams *hp;
    struct tr_data_set data;
    struct dev *dev;
    struct mdl *model;
    struct opt_optimizer *opt;     /* NULL when only evaluating */
    struct in_input *train, *eval; /* NULL when not wanted */
    enum dg_split eval_split;
    uint64_t arena_bytes, optimizer_bytes;
    uint64_t program_bytes; /* before the model was made */
    uint64_t memory_limit;
    struct tr_profile *profile; /* run_profile.h; NULL: not wanted */
    bool said_padding;          /* that a batch was nothing but that; once is enough */
    struct ev_report *report;   /* NULL until tr_run_begin */
    struct t2_lock lock;        /* of output_dir; held from tr_run_begin when training */
};

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

#endif
