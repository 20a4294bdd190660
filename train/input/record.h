/*
 * train/input/record.h - from the bytes of one record to the two id sequences of a sample, or to
 * its image and label.
 *
 * T2T's preprocess_example and what stands around it (spec t2t-trainer.md §2.3): which feature is
 * which side, truncation, prepended inputs, and the check that every id is in its vocabulary.
 */
#ifndef IN_RECORD_H
#define IN_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "tfrecord/example.h"
#include "train/input/image_recipe.h"
#include "train/input/speech_recipe.h"
#include "train/models/hparams.h"
#include "train/models/model.h"

/* Packing on the fly (pack.h). */
enum in_packing { IN_PACK_NONE, IN_PACK_LATEST, IN_PACK_QUEUE };

/* How records become samples. */
struct in_recipe {
    const char *inputs_feature;  /* "inputs"; "targets" for _rev problems; NULL: no inputs */
    const char *targets_feature; /* "targets"; "inputs" for _rev and _copy problems */
    int32_t inputs_vocab, targets_vocab; /* number of ids */
    int32_t max_inputs, max_targets;     /* cut to so many ids; 0 = no limit */
    /* Inputs get this id and the feature "context" behind them, uncut; 0 = no. */
    int32_t context_separator;
    bool prepend;            /* targets become inputs, 0, targets */
    int32_t split;           /* cut into samples of so many ids; 0 = not */
    enum in_packing packing; /* on the fly */
    int32_t packed_length;   /* L of a row, when packing */
    bool packed;             /* records are packed rows, with segmentation and position */
    bool targets_mask;       /* feature "targets_mask" has 1 for each target that counts, else 0 */
    /* NULL: ids.  Else records are images, targets_vocab is the number of classes, and the first
     * class is called first_label. */
    const struct in_image_recipe *images;
    int32_t first_label;
    bool describes; /* of images: targets are ids of a text, and none is a class */
    /* NULL: not of speech.  Else records are waveforms and ids of targets. */
    const struct in_speech_recipe *speech;
    /* Inputs are so many floats a record; 0: they are ids, or there are none. */
    int32_t n_numbers;
    /* Of values targets are targets_vocab floats, or ids of the labels that hold, and become so
     * many floats. */
    enum mdl_target_kind target;
    /* Model Garden's records of sentences; lists have max_inputs and max_targets ids then, padding
     * included, which is cut off. */
    enum mdl_sentences sentences;
    int32_t types_vocab;
    bool sentence_label;
    uint64_t max_corrupt; /* so many damaged records are passed over (shard_reader.h) */
    /*
     * One of several problems; task_id 0: of one.  Where the model has inputs, the id stands in
     * place of their last one, EOS.  Else (task_joins) targets become inputs without their last id,
     * the task's id, targets, as T2T's MultiProblem.normalize_example.
     */
    int32_t task_id;
    bool task_joins;
    int32_t task_label_offset;                 /* added to targets that are labels of classes */
    int32_t task_max_inputs, task_max_targets; /* before they are joined; 0 = no limit */
    int32_t task_fixed_length; /* targets are cut or padded to so many ids; 0 = not */
};

/* Fills what hparams say.  `packed` is the caller's.  T2_EUSAGE for what does not go together,
 * T2_EUNSUPPORTED for split_targets_chunk_length, which belongs to models that are not there. */
T2_MUST_CHECK enum t2_status in_recipe_set(struct in_recipe *recipe, const struct mdl_hparams *hp,
                                           struct t2_err *err);

/* Is a side values in place of ids? */
static inline bool in_recipe_has_values(const struct in_recipe *r)
{
    return r->n_numbers > 0 || r->target != MDL_TARGET_IDS;
}

/* One record's sample, or its pieces.  Zero-initialise, reuse, release.  One thread each. */
struct in_sample {
    int32_t n_pieces; /* samples that the record is cut into by recipe->split; else 1 */
    int32_t inputs_length, targets_length; /* of a piece; inputs_length 0 when there are none */
    int32_t *inputs;                       /* (n_pieces * inputs_length) */
    int32_t *targets;                      /* (n_pieces * targets_length) */
    /* When the recipe says packed: which of the row's samples, from 1 on, and the place in it. */
    int32_t *inputs_segmentation, *inputs_position;   /* (inputs_length) */
    int32_t *targets_segmentation, *targets_position; /* (targets_length) */
    int32_t *targets_mask; /* (targets_length), 0 or 1, when the recipe says so */
    /* Of sentences, which have their types in inputs_segmentation and the masked positions in
     * targets_position: whether the second text is any. */
    int32_t sentence_label;
    /* Of an image, borrowed from the record; its label is the target.  Of one that is described
     * inputs_length is its height, what T2T buckets by. */
    struct in_image image;
    float *numbers, *target_values; /* (n_numbers), (targets_vocab); lengths are 1 then */
    /* Of speech, borrowed likewise; inputs_length is frames times bands, what T2T buckets by. */
    const struct tfr_view *waveform;
    /* private */
    struct tfr_example example;
    int64_t *values;         /* (values_capacity): a feature before its ids are checked */
    struct aug_image pixels; /* of in_sample_check_image */
    size_t values_capacity, inputs_capacity, targets_capacity, extra_capacity[4];
    size_t numbers_capacity, target_values_capacity, mask_capacity;
};
void in_sample_release(struct in_sample *s);

/*
 * With recipe->split inputs and targets hold all pieces, one behind the other, and the lengths are
 * those of one piece.
 *
 * T2_EFORMAT: the message has neither file nor record, the caller puts them in front.
 */
T2_MUST_CHECK enum t2_status in_sample_parse(struct in_sample *s, const struct in_recipe *recipe,
                                             struct t2_slice record, struct t2_err *err);

/* Decodes the whole image of a sample that was parsed.  T2_EFORMAT, T2_EUNSUPPORTED: it cannot be
 * (aug_is_refusal); other errors say nothing about it. */
T2_MUST_CHECK enum t2_status in_sample_check_image(struct in_sample *s,
                                                   const struct in_recipe *recipe,
                                                   struct t2_err *err);

/* Where piece i of a record that was split begins, in inputs and targets. */
static inline size_t in_sample_piece(const struct in_recipe *recipe, uint32_t i)
{
    return (size_t) i * (size_t) recipe->split;
}
/* Does the record have features "<targets>_segmentation"?  False when it cannot be read. */
bool in_record_is_packed(const char *targets_feature, struct t2_slice record);

#endif
