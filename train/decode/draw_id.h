/*
 * train/decode/draw_id.h - how ids are drawn (hparams sampling_*; the device draws them, struct
 * dev_draw_ids_args).
 *
 * common_layers.sample_with_temperature; spec t2t-trainer.md §7.3.
 */
#ifndef DEC_DRAW_ID_H
#define DEC_DRAW_ID_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "train/models/hparams.h"

struct dec_sampling {
    bool random;        /* false: argmax; so is a temperature of 0 */
    double temperature; /* hparam sampling_temp */
    int64_t keep_top_k; /* hparam sampling_keep_top_k; -1: all */
    double keep_top_p;  /* hparam sampling_keep_top_p, which the original does not have; 1: all */
    uint64_t seed;
};

/* True if ids are drawn, so that a seed has a meaning; also for hparams that dec_sampling_of
 * refuses. */
bool dec_draws(const struct mdl_hparams *hp);

/* T2_EUSAGE for values that mean nothing, T2_EUNSUPPORTED for
 * sampling_method=random_per_example. */
T2_MUST_CHECK enum t2_status dec_sampling_of(const struct mdl_hparams *hp, uint64_t seed,
                                             struct dec_sampling *s, struct t2_err *err);

/* What an id of a sentence is drawn with at a position, in [0, 1): whatever stands beside it in its
 * batch. */
double dec_draw(const struct dec_sampling *s, uint64_t sentence, int32_t position);

#endif
