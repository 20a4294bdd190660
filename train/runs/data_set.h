/*
 * train/runs/data_set.h - the data set of a run: problem, vocabularies, and whether all of it
 * belongs together (architecture D2).
 *
 * Three parties can disagree: the vocabulary file, the manifest of the shards, and the checkpoint
 * of the run.  A disagreement is refused, and the message names both sides.
 */
#ifndef TR_DATA_SET_H
#define TR_DATA_SET_H

#include "base/err.h"
#include "datagen/problem.h"
#include "train/ckpt/checkpoint.h"
#include "train/input/image_recipe.h"
#include "train/input/input.h"
#include "train/models/model.h"

struct tr_data_set {
    struct dg_view *view; /* of several problems the primary one's, with the name of all */
    /* The others, and where the ids behind their vocabulary begin (run_tasks.h). */
    struct dg_view **others; /* (n_others) */
    int n_others;
    int32_t first_task_id, n_task_classes;
    struct mdl_problem problem; /* for the model */
    /* When view->is_images or describes_images; after tr_data_set_images. */
    struct in_image_recipe images;
    const char *text_feature; /* of described images: of records, the ids of their texts */
    int32_t first_label;      /* of images: what records call the first class */
    char inputs_vocab_sha256[65], targets_vocab_sha256[65]; /* "" without such a vocabulary */
    char data_sha256[65];                                   /* of the manifest; "" without one */
};

/* Finds the problem, or several (run_tasks.h), loads its vocabularies, compares them with the
 * manifest.
 */
T2_MUST_CHECK enum t2_status tr_data_set_open(const char *problem, const char *data_dir,
                                              struct tr_data_set *d, struct t2_err *err);
void tr_data_set_release(struct tr_data_set *d);

/*
 * For a data set of sentences: how many ids and types hp says there are.  For one of images (else
 * nothing happens): how hp wants them, which makes the size of
 * images in problem.  hparam num_label_classes one above the classes: label 0 is the background, as
 * tensorflow/tpu's reader has it; another number than that or theirs is T2_EUSAGE.
 */
T2_MUST_CHECK enum t2_status tr_data_set_images(struct tr_data_set *d, const struct mdl_hparams *hp,
                                                struct t2_err *err);
/* The name of a class; NULL: it has none.  Borrowed. */
const char *tr_data_set_class(const struct tr_data_set *d, int32_t label);

/* T2_EFORMAT when the checkpoint in output_dir was trained on other data or vocabularies. */
T2_MUST_CHECK enum t2_status tr_data_set_check_state(const struct tr_data_set *d,
                                                     const struct ckpt_state *state,
                                                     const char *output_dir, struct t2_err *err);
/* T2_EFORMAT when the shards of a split do not hold what the manifest says; where something in them
 * is damaged (max_lost > 0), up to max_lost records may be missing, and any bytes. */
T2_MUST_CHECK enum t2_status tr_data_set_check_split(const struct dg_view *v, enum dg_split split,
                                                     const struct in_stats *s, uint64_t max_lost,
                                                     struct t2_err *err);
/* Fills what a checkpoint says of its data. */
void tr_data_set_to_state(const struct tr_data_set *d, struct ckpt_state *state);

#endif
