/*
 * train/trained/decode_set.h - the samples of a data set are decoded
 * (tensor2tensor/utils/decoding.py, decode_from_dataset; spec t2t-trainer.md §7.6).
 *
 * Samples come in the order of their shards, as in the original where decode_hparams say a
 * batch_size (without one it goes by its buckets).
 */
#ifndef TR_DECODE_SET_H
#define TR_DECODE_SET_H

#include "datagen/problem.h"
#include "train/decode/decode_file.h"
#include "train/trained/trained.h"

struct tr_set_options {
    const char *data_dir;
    enum dg_split split;
    const char *to; /* what names are made of; "": the folder of the run */
};

/*
 * Three files, a line for each sample (of each hypothesis, with return_beams): NAME.decodes, and
 * beside it NAME.targets and NAME.inputs, what records say.  With `to` the first is
 * <to>.<model>.<set>.<problem>.beam4.alpha0.6.decodes (dec_output_name), else
 * decode_00000/<problem>-<step>.decodes in the run's folder, and of num_decodes so many folders;
 * with decode_in_memory none then.  hp.shards: the samples of one shard, hp.shard_id.  Inputs that
 * are all padding are passed over.
 *
 * *stem: of the first three files, owned by the caller; NULL: none.  T2_EUNSUPPORTED: no problem
 * that turns texts into texts or classes; T2_EUSAGE: no such shard, num_decodes with `to`.  Ranks
 * call it together.
 */
T2_MUST_CHECK enum t2_status tr_decode_set(const struct tr_trained *t, struct dec_translator *d,
                                           const struct dec_hparams *hp,
                                           const struct tr_set_options *o,
                                           struct dec_file_report *report, char **stem,
                                           struct t2_err *err);

#endif
