/*
 * train/decode/decode_file.h - translates a file of lines (tensor2tensor/utils/decoding.py,
 * decode_from_file; spec t2t-trainer.md §7.6).
 *
 * Lines are records of any delimiter (decode_hparams).  Output line n belongs to input line n,
 * whatever it holds; unlike the original nothing is lost: an empty line gives an empty line, and a
 * last line needs no line end.  Ranks (dec_parts.dist) write together what a process alone writes,
 * to the byte; rank 0 reads and writes.
 */
#ifndef DEC_DECODE_FILE_H
#define DEC_DECODE_FILE_H

#include <stdint.h>

#include "base/err.h"
#include "train/decode/translator.h"

struct dec_file_report {
    uint64_t n_lines, n_empty; /* empty: nothing but white space */
    uint64_t n_cut;            /* sources that were too long */
    uint64_t n_target_ids;     /* of the best hypotheses */
    uint64_t n_batches;
    double seconds;
};

/*
 * Reads `from` (plain or gzip, "-": stdin), translates it in batches of lines of similar length,
 * and writes `to` ("-": stdout), which appears when all is done.
 *
 * T2_EFORMAT: a line is not UTF-8 (file, line and byte are named) or there is no line.  Sources
 * that are cut are warned of by line, and once how many are longer than the samples the model was
 * trained on.  A line may have a share of max_memory (t2_in_limit_line).  On several ranks all call
 * it; the report of rank 0 is of all.
 */
T2_MUST_CHECK enum t2_status dec_file(struct dec_translator *t, const struct dec_hparams *hp,
                                      const char *from, const char *to, uint64_t max_memory,
                                      struct dec_file_report *report, struct t2_err *err);

/* The name that --decode_from_file or --decode_to_file stands for when there are several shards:
 * with the shard's number. */
char *dec_shard_name(const char *name, const struct dec_hparams *hp);
/* "<from>.<model>.<set>.<problem>.beam4.alpha0.6.decodes"; owned by the caller. */
char *dec_output_name(const char *from, const char *model, const char *hparams_set,
                      const char *problem, const struct dec_hparams *hp);

#endif
