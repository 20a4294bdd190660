/*
 * train/tune/hparam_range.h - a range: the hparams that a study varies, and which values they take.
 *
 * tensor2tensor/layers/common_hparams.py, RangedHParams (set_float, set_int, set_discrete,
 * set_categorical); spec t2t-trainer.md §11.  A range is a mapping of YAML:
 *
 *     learning_rate: {float: [0.3, 3.0], scale: log}
 *     num_hidden_layers: {int: [1, 6]}
 *     hidden_size: {discrete: [256, 512]}
 *     optimizer: {categorical: [adam, adafactor]}
 *
 * `scale` is linear, log or reverse_log; of `discrete` it says how the points lie, and changes
 * nothing here, as without it.  A file with an hparams set (a key `base`) has the mapping under
 * `ranges`.
 */
#ifndef TUNE_HPARAM_RANGE_H
#define TUNE_HPARAM_RANGE_H

#include <stddef.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/str.h"

enum tune_kind { TUNE_FLOAT, TUNE_INT, TUNE_DISCRETE, TUNE_CATEGORICAL };
enum tune_scale { TUNE_NO_SCALE, TUNE_LINEAR, TUNE_LOG, TUNE_REVERSE_LOG };

struct tune_param {
    char *name; /* of the hparam */
    enum tune_kind kind;
    enum tune_scale scale;
    double min, max;       /* TUNE_FLOAT, TUNE_INT; both belong to the range */
    struct t2_strs values; /* TUNE_DISCRETE, TUNE_CATEGORICAL: as they stand in the file */
};

struct tune_range {
    struct tune_param *params; /* in the order of the file */
    size_t n;
};

/*
 * A range in YAML.  T2_EFORMAT names origin, line and what may stand there: bounds that are no
 * numbers or the wrong way round, a logarithm of 0 or less, values that --hparams cannot hold (with
 * one of `,[]=`, or blanks at an end), a hparam without values.  *range is owned by the caller.
 */
T2_MUST_CHECK enum t2_status tune_range_parse(const char *text, size_t len_bytes,
                                              const char *origin, struct tune_range **range,
                                              struct t2_err *err);
/* A registered one by its name, or a file whose name ends in .yaml or .yml.  T2_EUSAGE: unknown,
 * with the nearest. */
T2_MUST_CHECK enum t2_status tune_range_open(const char *name, struct tune_range **range,
                                             struct t2_err *err);
void tune_range_free(struct tune_range *range);
/* Appends the registered names, sorted. */
void tune_list_ranges(struct t2_strs *names);
/* Appends it as one line of YAML, which tune_range_parse gives back. */
void tune_range_text(const struct tune_range *range, struct t2_buf *text);

#endif
