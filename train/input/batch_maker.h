/*
 * train/input/batch_maker.h - a maker: from the members of a batch to its bytes.  A table of
 * functions for each kind: samples that have a row each, rows packed on the fly, images.
 *
 * A maker is given the members of the batch of all ranks and which rows are this rank's.  It reads
 * the samples of these rows alone (of images that are mixed, their partners', too), but whatever
 * depends on the batch - the length of its rows, random numbers - depends on the whole one, so that
 * the rows of all ranks, one behind the other, are the batch of one process, bit for bit.
 */
#ifndef IN_BATCH_MAKER_H
#define IN_BATCH_MAKER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "train/input/batch_item.h"
#include "train/input/members.h"
#include "train/input/rank.h"

struct in_maker_kind {
    /* Fills item->batch but for what in_batch_maker_make does. */
    enum t2_status (*make)(void *state, const struct in_members *m, struct in_span rows,
                           struct in_item *item, struct t2_err *err);
    void (*free)(void *state);
};

struct in_batch_maker {
    const struct in_maker_kind *kind; /* NULL: none */
    void *state;
};

/* Fills item with these rows of the batch.  T2_EFORMAT names the shard that has changed, or the
 * damaged image; T2_ENOMEM: of the item's memory. */
T2_MUST_CHECK enum t2_status in_batch_maker_make(struct in_batch_maker *k,
                                                 const struct in_members *m, struct in_span rows,
                                                 struct in_item *item, struct t2_err *err);
void in_batch_maker_free(struct in_batch_maker *k);

/* index and recipe are borrowed by all makers.  fixed_length: of all rows; 0: as long as the
 * longest of the batch. */
void in_text_maker(const struct in_index *index, const struct in_recipe *recipe,
                   int32_t fixed_length, struct in_batch_maker *maker);
void in_packed_maker(const struct in_index *index, const struct in_recipe *recipe,
                     struct in_batch_maker *maker);
/* Of a recipe that has values (in_recipe_has_values): images of one pixel, or ids; values, or class
 * labels. */
void in_value_maker(const struct in_index *index, const struct in_recipe *recipe,
                    struct in_batch_maker *maker);
/* Of recipe->sentences: as long as the longest of the batch. */
void in_sentence_maker(const struct in_index *index, const struct in_recipe *recipe,
                       struct in_batch_maker *maker);
/* Utterances: recipe->speech; training: with its masks.  n_threads 0: all CPUs allowed. */
void in_speech_maker(const struct in_index *index, const struct in_recipe *recipe, bool training,
                     uint64_t seed, int n_threads, struct in_batch_maker *maker);
/* training: augmented, and mixed where the recipe says so.  as_bytes: where the pipeline ends in
 * whole numbers (in_image_has_bytes) and nothing is mixed, images are bytes (mdl_batch). */
struct in_image_rule {
    bool training, as_bytes;
    uint64_t seed;
    int num_threads;
};
/* Are its batches of bytes? */
bool in_image_rule_bytes(const struct in_image_recipe *recipe, const struct in_image_rule *rule);
void in_image_maker(const struct in_index *index, const struct in_recipe *recipe,
                    const struct in_image_rule *rule, struct in_batch_maker *maker);
/* Of a recipe->images whose pipelines give whole numbers from 0 to 255: targets are these, inputs
 * the label. */
void in_pixel_maker(const struct in_index *index, const struct in_recipe *recipe,
                    const struct in_image_rule *rule, struct in_batch_maker *maker);

#endif
