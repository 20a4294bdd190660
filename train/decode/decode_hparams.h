/*
 * train/decode/decode_hparams.h - the values of --decode_hparams (spec t2t-trainer.md §7.5).
 */
#ifndef DEC_DECODE_HPARAMS_H
#define DEC_DECODE_HPARAMS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"

enum { DEC_MAX_DELIMITER = 64, DEC_MAX_PATH = 1024 };

struct dec_hparams {
    int64_t beam_size;            /* 4; 1 = greedy */
    double alpha;                 /* 0.6 */
    int64_t extra_length;         /* ids more than the source has may come; -1 = 100, of
                                   * the official Transformer 50 */
    int64_t no_repeat_ngram_size; /* 0 = ids may repeat (decode.h) */
    int64_t batch_size;           /* 0 = 32 for files */
    int64_t max_input_size;       /* -1 = no limit; N keeps N - 1 ids and EOS */
    bool return_beams;            /* all hypotheses, joined by TAB */
    bool write_beam_scores;       /* each followed by TAB and its score */
    bool identity_output;         /* ids instead of text */
    int64_t multiproblem_task_id; /* in place of EOS behind a source; -1 = EOS */
    bool skip_eos_postprocess;    /* ids behind EOS stay, as many as the batch took steps */
    bool force_decode_length;     /* greedy: all steps are taken, whatever has ended */
    /* Of data sets. */
    int64_t num_samples;   /* sentences; -1: all */
    bool decode_in_memory; /* nothing is written where no name is given */
    /* Of files. */
    int64_t num_decodes;               /* language models: the whole list so many times */
    char delimiter[DEC_MAX_DELIMITER]; /* "\n": between records, and behind each of the output */
    char decode_to_file[DEC_MAX_PATH], decode_reference[DEC_MAX_PATH]; /* "": the flag says it */
    int64_t shards, shard_id, shards_start_offset;
    bool shard_google_format;
    int64_t padded_length; /* not a key; the official Transformer's decode_max_length: sources count
                            * as so long at least; 0 = 97 */
    bool save_images;      /* of images that are classified: each becomes a file */
    /* Of questions about texts. */
    int64_t n_best_size, max_answer_length; /* answers of each; pieces of one */
    int64_t doc_stride, query_length;       /* tokenizer/question_rows.h */
    bool do_lower_case;
    bool version_2_with_negative; /* eval/answer_spans.h */
    double null_score_diff_threshold;
    char vocab_file[DEC_MAX_PATH];
    uint64_t set; /* a bit for each key with another value than its default */
};

/* The kind of data that is decoded; a set: the sentences of an evaluation (t2t-trainer); samples:
 * those of a data set (t2t-decoder). */
enum dec_use {
    DEC_USE_FILE,
    DEC_USE_TYPED,
    DEC_USE_IMAGES,
    DEC_USE_QUESTIONS,
    DEC_USE_SET,
    DEC_USE_SAMPLES
};

/*
 * Defaults, then "beam_size=4,alpha=0.6" over them.
 *
 * T2_EUSAGE: unknown key (with the nearest one), a key given twice, a value of another type or out
 * of range.  T2_EUNSUPPORTED: a key of the original that would change the result and cannot be
 * served, with another value than its default.
 */
T2_MUST_CHECK enum t2_status dec_hparams_parse(const char *clauses, struct dec_hparams *hp,
                                               struct t2_err *err);
/* Likewise the clauses `kept` of a model file, but for those whose keys `given` has, and these. */
T2_MUST_CHECK enum t2_status dec_hparams_join(const char *kept, const char *given,
                                              struct dec_hparams *hp, struct t2_err *err);

/* Warns of each key that was set and that this use does not read: a batch of what is typed, the
 * length penalty of a greedy search. */
void dec_hparams_name_unread(const struct dec_hparams *hp, enum dec_use use);

/* Those that decoding a data set reads; the others have their defaults. */
struct dec_hparams dec_hparams_of_set(const struct dec_hparams *hp);

/* Appends the table of keys to a Markdown document. */
void dec_hparams_markdown(struct t2_buf *out);

/* Images, rows of values, or rows of questions, of a batch: batch_size, or its default. */
int64_t dec_image_batch(const struct dec_hparams *hp);

/* Hypotheses per source: beam_size with return_beams, else 1. */
int32_t dec_n_best(const struct dec_hparams *hp);

#endif
