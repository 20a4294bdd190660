/*
 * train/trained/decoder_flags.h - the flags of t2t-decoder: values, defaults, table; and what one
 * flag, or the key of --decode_hparams of the same meaning, says of another.
 */
#ifndef TR_DECODER_FLAGS_H
#define TR_DECODER_FLAGS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/flags.h"
#include "train/decode/decode_hparams.h"

struct tr_decoder_flags {
    const char *problem, *data_dir, *output_dir, *model, *hparams_set, *hparams, *t2t_usr_dir;
    const char *checkpoint_path, *decode_hparams, *decode_from_file, *decode_to_file;
    const char *decode_reference, *device, *precision, *contact_sheet, *score_file, *serve;
    const char *serve_name, *ensemble, *shortlist;
    int64_t average_checkpoints, random_seed, decode_shards, worker_id, draw_images;
    int64_t serve_instances, serve_ids, serve_queue, serve_timeout;
    uint64_t max_memory, serve_body;
    bool decode_interactive, eval_use_test_set, keep_timestamp, json;
    bool given_shards, given_worker, given_seed;
};

extern struct tr_decoder_flags tr_decoder_flags;
extern const struct t2_tool tr_decoder_tool;

/* What flags and --decode_hparams both may say: the flag counts, as in the original.  T2_EUSAGE: no
 * such shard. */
T2_MUST_CHECK enum t2_status tr_decoder_join_flags(struct dec_hparams *hp, struct t2_err *err);
/* No flag says what to decode: the samples of the data set are. */
bool tr_decoder_decodes_set(void);
/* T2_EUSAGE: flags of two ways to use a model, or one without which its way does not go. */
T2_MUST_CHECK enum t2_status tr_decoder_check_flags(struct t2_err *err);

#endif
