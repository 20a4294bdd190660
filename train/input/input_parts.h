/*
 * train/input/input_parts.h - inside of struct in_input; for input.c and input_shapes.c only.
 */
#ifndef IN_INPUT_PARTS_H
#define IN_INPUT_PARTS_H

#include "train/input/image_batch.h"
#include "train/input/index.h"
#include "train/input/input.h"
#include "train/input/order.h"
#include "train/input/pack.h"
#include "train/input/prefetch.h"
#include "train/input/reference.h"
#include "train/input/reference_rows.h"
#include "train/input/sample_reader.h"

struct in_input {
    /* fixed after in_new */
    char *strings[2]; /* the features of the recipe */
    struct in_recipe recipe;
    struct in_image_recipe image_recipe; /* where recipe.images points */
    struct in_scheme scheme;
    struct in_index index; /* in training its places are sorted by bucket */
    int n_buckets;
    uint64_t *counts; /* samples of a bucket */
    uint64_t *starts; /* training: first place of a bucket */
    bool training;
    uint64_t seed;
    int n_ahead;
    int32_t fixed_length;           /* of all rows; 0: as long as the longest of a batch */
    int32_t n_rows;                 /* of a batch that is packed on the fly */
    double rows_per_epoch;          /* estimated; when packing */
    struct in_order order;          /* training */
    struct in_pass pass;            /* evaluation */
    struct in_packer *packer;       /* rows packed on the fly; then neither of the two */
    struct in_reference *reference; /* training in the original's order; NULL when not */
    struct in_reference_rows *reference_rows; /* the same of packer's rows */

    /* of the thread, while it runs */
    struct in_sample_reader *reader;
    struct in_images *images;        /* then in place of the reader */
    uint64_t *epochs;                /* of members; only of images */
    struct in_cursor cursor;         /* training */
    uint64_t next_batch;             /* evaluation */
    uint64_t samples;                /* evaluation: given so far */
    const struct in_place **members; /* of the batch that is being made, row after row */
    size_t *begins;                  /* of its rows in members; only when packing */
    size_t n_members, members_capacity;

    struct in_prefetch *prefetch; /* NULL until the first in_next */
    double wait_s;
};

#endif
