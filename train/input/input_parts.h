/*
 * train/input/input_parts.h - inside of struct in_input; for input.c and input_shapes.c only.
 */
#ifndef IN_INPUT_PARTS_H
#define IN_INPUT_PARTS_H

#include "train/input/batch_maker.h"
#include "train/input/batch_order.h"
#include "train/input/chunks.h"
#include "train/input/index.h"
#include "train/input/input.h"
#include "train/input/prefetch.h"
#include "train/input/task_mix.h"

struct in_input {
    /* fixed after in_new */
    char *strings[2]; /* the features of the recipe */
    struct in_recipe recipe;
    struct in_image_recipe image_recipe;   /* where recipe.images points */
    bool image_bytes;                      /* images come as bytes */
    bool pixels;                           /* images are targets */
    struct in_speech_recipe speech_recipe; /* where recipe.speech points */
    struct in_recipe *task_recipes;        /* (n_tasks), of several problems, else NULL */
    struct in_task_mix mix;                /* of them, in training */
    struct in_scheme scheme;
    struct in_index index; /* the shuffled order of single samples has sorted it by bucket */
    bool training;
    struct in_rank rank; /* the first of n_here */
    int32_t n_here, replicas;
    int32_t image_replicas; /* by which batch_size is multiplied where it is of images */
    const struct in_memory *memory;
    int n_ahead;
    int32_t fixed_length; /* of all rows; 0: as long as the longest of a batch */
    bool packs;           /* rows on the fly: by this rule */
    struct in_packing_rule packing;

    /* of the thread, while it runs */
    struct in_batch_order order;
    struct in_batch_maker maker;
    struct in_members members; /* of the batch that is being made */
    struct in_chunks chunks;

    struct in_prefetch *prefetch; /* NULL until the first in_next */
    double wait_s;
};

#endif
