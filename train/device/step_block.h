/*
 * train/device/step_block.h - what changes from one step to the next, and the masks of dropout that
 * are drawn from it; a part of kernels.h.
 */
#ifndef DEV_STEP_BLOCK_H
#define DEV_STEP_BLOCK_H

#include <stdint.h>

/*
 * What changes from one step to the next, in device memory: kernels read it there when they run, so
 * the calls of a step are the same calls in every step, and can be recorded once and replayed.
 */
struct dev_step {
    /* t2_rng_key of T2_RNG_DROPOUT, T2_RNG_BRANCH, T2_RNG_SYMBOL */
    uint32_t dropout_key[2], branch_key[2], symbol_key[2];
    uint32_t dropout_step[2]; /* low, high: the layout of t2_rng_init */
    int32_t first_row;        /* of the batch of all ranks: what is drawn for row r is number
                                 first_row + r's */
    float grad_scale;         /* of the loss: multiplier loss_scale / number of targets */
    float loss_scale; /* of --precision=float16, otherwise 1: gradients are that too large */
    int32_t position; /* decoding: index of the current target */
    int32_t all_rows; /* of the batch of all ranks */
    int32_t none;     /* 0, where there would be padding: copies have the same bytes */
    /* Of each row, where rows have begun apart (in device memory); NULL: of all `position`. */
    const int32_t *positions;
};

/*
 * A dropout mask: element i of site `site` in step `step` of a run with `key` is kept when its 16
 * random bits are not below `threshold`; kept values are multiplied by `scale` = 1 / (1 - rate).
 * threshold 0 keeps everything.  The bits come from Philox (see dropout_bits.h), so a backward pass
 * draws the mask again instead of storing it.
 */
struct dev_dropout {
    const struct dev_step *step; /* key and step; NULL where nothing is dropped */
    uint32_t site;
    uint32_t threshold; /* round(rate * 65536) */
    float scale;
    /* A mask over (rows, shared_cols) of which shared_rows consecutive rows (the positions of a
     * sequence) share one: there element (r, c) is number
     * r / shared_rows * round_up(shared_cols, 128) + c.  0: every element has its own. */
    int64_t shared_rows, shared_cols;
    /* Numbers that a row of the batch has in the mask: the element called 0 is number
     * step->first_row * row_numbers, so a rank draws what one process draws for its rows.  0: no
     * rows of a batch. */
    int64_t row_numbers;
};

/* *to = value: what the runs of a graph that follow read. */
struct dev_set_step_args {
    struct dev_step value;
    struct dev_step *to;
};

/* The dropout of a rate; keyed when the graph runs.  T2T: every kept value is divided by 1 -
 * rate. */
static inline uint32_t dev_dropout_threshold(double rate)
{
    return rate <= 0.0 ? 0 : (uint32_t) (rate * 65536.0 + 0.5);
}

#endif
