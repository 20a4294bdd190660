/*
 * train/input/input.h - shards -> records -> filter -> order -> buckets -> batches, prefetched.
 *
 * An order says which samples make a batch (batch_order.h): shuffled, a pure function of (seed,
 * epoch, bucket, index); the original's (hparam sample_order); or one pass.  A maker turns them
 * into a batch (batch_maker.h): rows of ids, rows packed on the fly, images.  Bucket boundaries and
 * batch sizes are T2T's or the official Transformer's (scheme.h).  In all of them the number of
 * samples consumed is all that a checkpoint needs to continue with exactly the next batch.
 *
 * With several ranks each opens the same data with the same seed and gets its rows of every batch
 * (members.h).
 */
#ifndef IN_INPUT_H
#define IN_INPUT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"
#include "train/input/batch_item.h"
#include "train/input/scheme.h"
#include "train/input/shard_reader.h"
#include "train/models/hparams.h"
#include "train/models/model.h"

/* One of several problems that are trained on together (task_mix.h). */
struct in_task {
    const char *dataset, *split; /* as those of in_options, as what follows */
    const char *inputs_feature, *targets_feature;
    int32_t inputs_vocab, targets_vocab; /* of its records */
    int32_t id;                          /* marks its samples (in_recipe.task_id) */
    int32_t label_offset;                /* of its class labels; 0: it has none */
};

struct in_options {
    const char *data_dir;
    const char *dataset; /* dataset file name: stem of the shards */
    const char *split;   /* "train", "dev", "test"; NULL: dataset is the whole name of the split */
    /* "inputs"; "targets" for _rev problems; NULL: the model reads none */
    const char *inputs_feature;
    int32_t context_separator;            /* as in record.h */
    const char *targets_feature;          /* "targets"; "inputs" for _rev and _copy problems */
    int32_t inputs_vocab, targets_vocab;  /* an id outside is an error naming shard and record */
    const struct in_image_recipe *images; /* NULL: records are ids; copied */
    int32_t first_label;                  /* of images: what records call the first class */
    bool describes;    /* images have texts, ids of targets_feature; inputs_feature is NULL */
    bool pixels;       /* images are targets, and targets_vocab is of the labels, the inputs */
    int32_t n_numbers; /* inputs are so many floats; 0: ids, or none */
    enum mdl_target_kind target;
    enum mdl_sentences sentences; /* records are Model Garden's of BERT */
    int32_t types_vocab;
    bool sentence_label;
    bool targets_mask;     /* a feature of records of text says which targets count (record.h) */
    bool speech;           /* records are waveforms and ids of targets; inputs_feature is NULL */
    bool training;         /* shuffle, repeat, drop long samples; else one ordered pass */
    uint64_t seed;         /* of the order; training only */
    uint64_t first_sample; /* resume: number of samples consumed before; training only */
    int prefetch_batches;  /* 0 = 8 */
    uint64_t max_records;  /* 0 = all */
    uint64_t max_corrupt;  /* so many damaged records are passed over, of all shards */
    int num_threads;       /* for the scan, and for decoding images; 0 = all CPUs allowed */
    /* Which of how many processes; 0 of 0 is 0 of 1.  Positions (first_sample, in_next's) and
     * counts are those of all ranks. */
    int32_t rank, n_ranks;
    /* This process has as many of them, from `rank` on; 0 = 1. */
    int32_t n_here;
    /* For so many replicas are batches made: batch_size is of one where the original's is
     * (scheme.h); 0 = 1. */
    int32_t replicas;
    bool global_batch_size; /* of images: batch_size is of all replicas */
    /* Several problems, 2 to IN_MOST_TASKS, in place of dataset, split, features and vocabularies;
     * but inputs_feature NULL means that the model has no inputs: samples are joined into their
     * targets.  0: one. */
    int n_tasks;
    const struct in_task *tasks;    /* (n_tasks) */
    const struct in_memory *memory; /* of batches, borrowed; NULL: in_host_memory */
    /* Images come as bytes, a quarter of the copy, with what a byte stands for (mdl_batch), where
     * that gives the same floats: pipelines that end in whole numbers before they normalise, images
     * that are not mixed.  Elsewhere they are floats all the same. */
    bool image_bytes;
};

/* in_options.n_here of a process that gets no rows. */
enum { IN_NONE_HERE = -1 };

struct in_input;

/*
 * Opens and checks the shards: every record is read once, in parallel, for checksum, lengths and
 * ids.  Batches are prepared ahead by one thread of low priority, from the first in_next on.
 *
 * T2_EFORMAT names shard, record and offset (of more than max_corrupt the first); it is also the
 * status when no sample is left to train on.  Strings of options are copied.
 */
T2_MUST_CHECK enum t2_status in_new(const struct in_options *options, const struct mdl_hparams *hp,
                                    struct in_input **in, struct t2_err *err);
void in_free(struct in_input *in);

/*
 * This rank's rows of the next batch, borrowed until the following call; T2_EOF at the end of an
 * ordered pass (also on every later call, until in_rewind; for all ranks at the same call).
 * Sequences are padded with zeros to the longest of the batch of all ranks.  A batch of fewer rows
 * than ranks has none for some of them: theirs has batch 0.
 * *samples: position to resume behind this batch.
 */
T2_MUST_CHECK enum t2_status in_next(struct in_input *in, struct mdl_batch *batch,
                                     uint64_t *samples, struct t2_err *err);

/* The batch that in_next will give, when it is ready already, else NULL; borrowed until that call
 * is followed by another.  What mdl_send writes into it, in_next's copy has, too. */
struct mdl_batch *in_peek(struct in_input *in);

/* Begins the ordered pass again, or a training order at first_sample. */
T2_MUST_CHECK enum t2_status in_rewind(struct in_input *in, uint64_t first_sample,
                                       struct t2_err *err);

/* Where the rows of the batch that begins at `first_sample` come from, in their order, of all
 * ranks:
 * "'data/x-train-00001-of-00002': record 17 at offset 4711"; of a row that is packed the first.  Of
 * training, whose next batch in_rewind must name then. */
T2_MUST_CHECK enum t2_status in_name_rows(struct in_input *in, uint64_t first_sample,
                                          struct t2_strs *names, struct t2_err *err);

/* The longest sides of the largest batch of every bucket that the data fills, for mdl_plan: no
 * batch of one rank is larger in any dimension than the one of its bucket, and all ranks get the
 * same shapes.  hp: as given to in_new, or with
 * another batch_size, to know what that would need.  *shapes is owned by the caller. */
T2_MUST_CHECK enum t2_status in_shapes(const struct in_input *in, const struct mdl_hparams *hp,
                                       struct mdl_shape **shapes, size_t *n, struct t2_err *err);
/* The same, with the number of batches of each bucket in an epoch; both are the caller's. */
T2_MUST_CHECK enum t2_status in_buckets(const struct in_input *in, const struct mdl_hparams *hp,
                                        struct mdl_shape **shapes, double **batches, size_t *n,
                                        struct t2_err *err);

struct in_stats {
    uint64_t n_shards, n_bytes;
    uint64_t n_records, n_kept, n_too_long, n_too_short;
    int32_t min_length, max_length;            /* what is kept */
    uint64_t n_inputs_tokens, n_target_tokens; /* of an epoch, kept samples */
    uint64_t n_longer_tokens; /* of the longer side of each, as batch_size counts */
    bool has_targets;         /* some target is not padding */
    double batches_per_epoch;
    uint64_t memory_bytes; /* index, order, and images that are prepared ahead, of this rank */
    uint64_t later_bytes;  /* of them, what is taken with the first batch */
    double wait_s;         /* time in_next waited for data, since the start */
};
struct in_stats in_stats_of(const struct in_input *in);
/* The problems that are read: 0: one, that is not marked; 1: the second alone, in evaluations with
 * hparam multiproblem_target_eval_only. */
int in_n_tasks(const struct in_input *in);
/* The part of a problem: shards, bytes, records and kept samples, the rest is 0. */
struct in_stats in_task_stats(const struct in_input *in, int task);
/* What was passed over; borrowed. */
const struct in_corrupt *in_corrupt_of(const struct in_input *in);
/* What in_stats.later_bytes is with the batch_size of hp. */
uint64_t in_later_bytes(const struct in_input *in, const struct mdl_hparams *hp);

#endif
