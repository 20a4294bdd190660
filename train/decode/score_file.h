/*
 * train/decode/score_file.h - the losses of given translations (tensor2tensor/bin/t2t_decoder.py,
 * score_file; spec t2t-trainer.md §1.5).
 */
#ifndef DEC_SCORE_FILE_H
#define DEC_SCORE_FILE_H

#include <stdint.h>

#include "base/err.h"
#include "tokenizer/encoder.h"
#include "train/dist/dist.h"
#include "train/models/model.h"

struct dec_score_report {
    uint64_t n_lines, n_target_ids; /* EOS included */
    double loss;                    /* of all ids, in nats an id */
};

/* A model for evaluation with its vocabularies; inputs NULL without. */
struct dec_scored {
    struct mdl *m;
    const struct tok_encoder *inputs, *targets;
    struct dist *dist; /* ranks that share the lines; NULL: this process alone */
};

/*
 * For each line of `from`, "input<TAB>target", or of a language model "target", both stripped and
 * with EOS behind: a line of `to` with the mean loss of its target's ids in nats, "%.6f", without
 * label smoothing.
 *
 * T2_EFORMAT: a line is not UTF-8 or has another number of tabs (file and line are named), or there
 * is no line.  T2_EUNSUPPORTED: the model's targets are class labels or hold the inputs
 * (prepend_mode).  T2_EINTERRUPTED after a signal.
 *
 * On several ranks all call it, rank 0 reads and writes, and has the report; the file is that of a
 * process alone.
 */
T2_MUST_CHECK enum t2_status dec_score_file(const struct dec_scored *s, const char *from,
                                            const char *to, uint64_t max_memory,
                                            struct dec_score_report *report, struct t2_err *err);

#endif
