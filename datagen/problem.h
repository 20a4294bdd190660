/*
 * datagen/problem.h - what a problem (data set + task) is: registry, reading side, manifest.
 *
 * The public header: train/ includes only this one of datagen/, plug-ins define problems with it.
 * How samples are produced is in stream.h, how a problem becomes shards in generate.h.
 */
#ifndef DG_PROBLEM_H
#define DG_PROBLEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"
#include "tfrecord/manifest.h"

enum dg_split { DG_TRAIN, DG_DEV, DG_TEST };
enum { DG_N_SPLITS = 3 };
/* "train", "dev", "test": as in file names. */
const char *dg_split_name(enum dg_split split);

/*
 * DG_VOCAB_MODEL: a vocabulary of another program, its kind found by content (tokenizer/encoder.h),
 * its ids raised so that 0 and 1 are <pad> and <EOS> (tok_shift).
 * DG_VOCAB_CLASSES, DG_VOCAB_NUMBERS: no text at all, but class labels 0 .. size-1, or numbers that
 * a program makes, below size; DG_VOCAB_REALS: floats, so many a sample as size says;
 * DG_VOCAB_LABEL_SETS: of labels 0 .. size-1 any number a sample.  They have no file.
 */
enum dg_vocab_kind {
    DG_VOCAB_SUBWORDS,
    DG_VOCAB_TOKENS,
    DG_VOCAB_BYTES,
    DG_VOCAB_MODEL,
    DG_VOCAB_CLASSES,
    DG_VOCAB_NUMBERS,
    DG_VOCAB_REALS,
    DG_VOCAB_LABEL_SETS,
};
enum { DG_N_VOCAB_KINDS = DG_VOCAB_LABEL_SETS + 1 };
/* "subwords", "tokens", "bytes", "model", "classes", "numbers", "reals", "label_sets". */
const char *dg_vocab_kind_name(enum dg_vocab_kind kind);
/* Does text become ids with it (and does the encoder of tokenizer/ exist)? */
bool dg_vocab_is_of_text(enum dg_vocab_kind kind);

/* The texts of a sample.  The first two are the sides of a problem, with a vocabulary each; the
 * context of a question is encoded with that of the inputs. */
enum dg_side_index { DG_INPUTS, DG_TARGETS, DG_CONTEXT };
enum { DG_N_SIDES = 2, DG_N_TEXTS = 3 };

/* T2T's problem.SpaceID, as far as text goes. */
enum {
    DG_SPACE_GENERIC = 0,
    DG_SPACE_EN_CHARACTERS = 2,
    DG_SPACE_EN_TOKENS = 3,
    DG_SPACE_DE_TOKENS = 8,
    DG_SPACE_DIGIT_0 = 10,
    DG_SPACE_DIGIT_1 = 11
};

/* ---- registry: problems that can be generated ---------------------------------------------- */

struct dg_stream;
struct dg_options;
struct dg_fetch_options;
struct dg_refusals;
struct dg_record;
struct dg_shard_maker;
struct dg_texts;
struct dg_input_sizes;
struct dg_layout;
struct dg_problem;
struct dg_source_file;
struct t2_buf;
struct t2_mt;
struct t2_pool;

/* The vocabulary that is wanted for a side. */
struct dg_vocab_spec {
    enum dg_vocab_kind kind;
    int64_t approx_size;    /* subwords: target of the size search, part of the file name; classes,
                               numbers: how many there are */
    const char *file;       /* name of the file; NULL: vocab.<stem>..., see dg_vocab_file_name */
    const char *of_problem; /* the problem whose vocabulary it is: its file, made of its data */
    const char *ready_file; /* an existing vocabulary to take; NULL: built from the TRAIN samples */
    const char *suffix;     /* model: of the file name, see tok_file_suffix */
    const char *oov_token; /* tokens: stands for words that are not listed; NULL: they are errors */
    uint64_t max_samples;  /* built from so many TRAIN samples at most; 0: all */
    const char *const *reserved; /* entries after <pad> and <EOS>, NULL-ended; NULL: none */
    const char *const *classes;  /* names of the labels, approx_size of them; NULL: just numbers */
    bool raw_ids;    /* numbers: are ids as they are; else ids less 2, as T2T's TextEncoder
                                    writes them */
    bool any_length; /* no longest subtoken; else 200, as T2T's text problems */
};

/* What becomes of the context of a sample. */
enum dg_context_use {
    DG_CONTEXT_NONE,
    DG_CONTEXT_FEATURE, /* feature "context", EOS at its end (QuestionAndContext2Text) */
    DG_CONTEXT_JOINED   /* inputs, first id of "$", context, EOS: one feature (TextConcat2Class) */
};

/* Steps of making a data set, in this order. */
enum dg_step { DG_STEP_VOCAB, DG_STEP_RECORDS };

/* ---- stages: what only some problems need; zero: the stage does nothing ---------------------- */

/* Vocabularies that are not counted in the TRAIN samples. */
struct dg_vocab_stage {
    /* The texts that the vocabulary of a side is built from: each text of a sample counts.  *stream
     * is owned by the caller.  NULL: the TRAIN samples. */
    enum t2_status (*open_text)(const struct dg_problem *p, const struct dg_options *options,
                                enum dg_side_index side, struct dg_stream **stream,
                                struct t2_err *err);
    /* For vocabularies that the problem makes itself (tokens): writes the file `path`. */
    enum t2_status (*make)(const struct dg_problem *p, const struct dg_options *options,
                           enum dg_side_index side, const char *path, struct t2_err *err);
    /* The file that `make` makes it of, to distinguish it from another; owned by the caller.  NULL:
     * it is made of no file. */
    char *(*source)(const struct dg_problem *p, const struct dg_options *options);
};

/* How texts become ids (spec t2t-datagen.md §2.3, §5.4). */
struct dg_text_stage {
    enum dg_context_use context;
    int context_separator;   /* the reader joins inputs, this id and context; 0: they stay apart */
    bool no_eos[DG_N_SIDES]; /* ids without EOS at their end */
    bool targets_are_labels; /* a class label, though by a vocabulary of text: one id without EOS */
    const char *prefix[DG_N_SIDES]; /* text in front of the text; not in the vocabulary's counts */
};

/* What a record is beside the ids of its texts. */
struct dg_record_stage {
    /* Adds to or changes the record of a sample after its texts became ids; called by several
     * threads.  Sides whose vocabulary is not of text are its business unless the sample brings
     * their numbers.  r->drop leaves the record out.  NULL: nothing to do. */
    enum t2_status (*finish)(const struct dg_problem *p, const struct dg_texts *texts,
                             struct dg_record *r, struct t2_err *err);
    const char *const *more_fields; /* that finish adds, "embed_code int64", NULL-ended */
    bool replaces_sides; /* finish makes its fields of inputs and targets, which are not in records
                          */
};

/* Targets of a shard, one after the other, are cut into records of `length` ids, no EOS; samples
 * name their shards.  record.finish gets each record, without texts. */
struct dg_chopping_stage {
    int length;      /* 0: records are samples */
    bool drops_rest; /* the last, shorter piece of a shard is left out; else filled up with 0 */
};

/* Several records joined into one (spec t2t-datagen.md §2.5, pack_records.h). */
struct dg_packing_stage {
    int length, spacing; /* ids of a record, 0: not packed; zeros between two sequences */
};

/* Which shard a record goes to, and where in it (spec t2t-datagen.md §2.4). */
struct dg_sharding_stage {
    bool one_stream;       /* the samples of TRAIN go round all shards of all splits */
    bool already_shuffled; /* records stay in the order of the samples */
    bool unshuffled_test;  /* those of TEST do; they draw nothing */
    /* Where the original drew from Python's generator before it shuffles: the same draws from *mt,
     * which is seeded with random_seed.  NULL: it drew nothing. */
    enum t2_status (*before_shuffle)(const struct dg_problem *p, const struct dg_options *options,
                                     struct t2_mt *mt, struct t2_err *err);
    /* In place of open: each shard is made by itself, with the vocabulary (shard_maker.h). */
    const struct dg_shard_maker *maker;
};

/* Constant; strings and context live as long as the problem does. */
struct dg_problem {
    const char *name;             /* snake case, not ending in _rev or _copy */
    const char *summary;          /* one line */
    const char *dataset_filename; /* stem of shards and vocabulary; NULL: the name */
    bool has_inputs;              /* false: language model, only targets */
    bool shared_vocab;            /* one vocabulary (that of targets) for both sides */
    struct dg_vocab_spec inputs_vocab, targets_vocab;
    int n_shards[DG_N_SPLITS]; /* 0: the problem has no such split */
    int input_space_id, target_space_id;
    const char *revision; /* of samples or rules of this program; NULL: nothing to say */

    /* Where the data come from: files for tmp_dir (base/remote/http.h), NULL: none. */
    const struct dg_source_file *const *sources; /* NULL-ended */
    bool can_be_edited;  /* its name does not say what its sources are: a problem file */
    const char *licence; /* of the data, as its makers say; NULL: not known */
    /* Before anything was prepared: describes what a split is made from (input_sizes.h).  NULL:
     * open says it. */
    enum t2_status (*describe)(const struct dg_problem *p, const struct dg_options *options,
                               enum dg_split split, struct dg_input_sizes *sizes,
                               struct t2_err *err);
    /* Brings sources into tmp_dir and prepares them; before any other function.  NULL: nothing to
     * do. */
    enum t2_status (*prepare)(const struct dg_problem *p, const struct dg_options *options,
                              struct t2_err *err);
    /* Before a step of the work.  NULL: nothing to do. */
    enum t2_status (*before)(const struct dg_problem *p, const struct dg_options *options,
                             enum dg_step step, struct t2_err *err);

    /* Opens the samples of one split.  *stream is owned by the caller (dg_stream_free).  NULL:
     * sharding.maker, members or refusal stands in its place. */
    enum t2_status (*open)(const struct dg_problem *p, const struct dg_options *options,
                           enum dg_split split, struct dg_stream **stream, struct t2_err *err);
    const char *const *members; /* a mixture: the problems that are made instead, NULL-ended */
    const char *refusal;        /* why this program cannot make it, and what to do */

    /* The stages, in the order in which samples go through them. */
    struct dg_vocab_stage vocab;
    struct dg_text_stage text;
    struct dg_chopping_stage chopping;
    struct dg_record_stage record;
    struct dg_sharding_stage sharding;
    struct dg_packing_stage packing;
    const char *text_files[DG_N_SIDES]; /* dev and test also as <stem>.<split>.<this> in data_dir,
                                           "en" and "de"; NULL: not */
    const struct dg_layout *layout;     /* layout.h; NULL: T2T's */
    const void *context;
};

/* What becomes of bytes that are not UTF-8: the run fails, each broken part becomes U+FFFD, or the
 * sample is left out (and reported). */
enum dg_invalid { DG_INVALID_FAIL, DG_INVALID_REPLACE, DG_INVALID_DROP };

/* What a problem sees of the command line. */
struct dg_options {
    const char *data_dir; /* expanded, exists */
    const char *tmp_dir;
    uint64_t random_seed;
    uint64_t max_cases;                   /* of the train split; 0 = all */
    bool zero_based_labels;               /* of data sets that the original stores from 1 on */
    const struct dg_fetch_options *fetch; /* see fetch/fetch_files.h; NULL: defaults */
    struct t2_pool *pool;                 /* for what a problem does by itself; NULL: one thread */
    uint64_t max_memory;                  /* of the whole program; 0: no limit */
    enum dg_invalid invalid;
    const struct dg_refusals
        *refusals; /* of bad images (images/refused_image.h); NULL: they are errors */
};

const char *dg_problem_stem(const struct dg_problem *p); /* dataset_filename or name */

/* Problems of one kind, as they are listed together. */
struct dg_family {
    const char *title; /* "Translation" */
    const struct dg_problem *problems;
    size_t n;
};

/* T2_EUSAGE when the name is taken or may not be used.  p is borrowed for the life of the process.
 * Not thread-safe: before threads start. */
T2_MUST_CHECK enum t2_status dg_register(const struct dg_problem *p, struct t2_err *err);
/* By exact base name; NULL when unknown. */
const struct dg_problem *dg_find(const char *base_name);
/* Names of all registered problems, sorted. */
void dg_names(struct t2_strs *names);

/*
 * Splits "translate_x_copy_rev" into its base name and what the suffixes say; each suffix at most
 * once, any order (spec t2t-datagen.md §1.8).  *base is owned by the caller.
 */
void dg_parse_name(const char *name, char **base, bool *was_reversed, bool *was_copy);

/* ---- manifest: what <data_dir>/<name>.manifest.json says ------------------------------------ */

struct dg_vocab_info {
    enum dg_vocab_kind kind;
    char *model; /* what kind of model it is, "SentencePiece BPE"; NULL of other kinds */
    char *file;  /* name relative to data_dir; NULL for bytes */
    int64_t size;
    int64_t id_offset;     /* model, numbers: added to its own ids */
    char *oov_token;       /* tokens: stands for words that are not listed; NULL: none */
    char sha256[65];       /* of the file; "" for bytes */
    bool is_label;         /* one id an example, a class label; always of kind classes */
    struct t2_strs labels; /* classes, label sets: names of the labels; empty: they have none */
};

struct dg_manifest {
    char *problem;
    char *dataset_filename;
    char *command;
    char *version; /* of the program that wrote it */
    uint64_t random_seed;
    bool has_inputs;
    int input_space_id, target_space_id;
    int context_separator;                            /* as in dg_problem */
    struct dg_vocab_info inputs_vocab, targets_vocab; /* equal when shared */
    /* Made by `tfrec index` of shards from elsewhere: what is above, but problem, is not known. */
    bool is_foreign;
    struct t2_strs image_labels; /* by jpeg-to-tfrecord: the classes; the first is label 1 */
    struct tfr_manifest_split splits[DG_N_SPLITS]; /* without names */
    struct tfr_manifest_feature *features;
    size_t n_features;
    uint64_t n_dropped;
    size_t n_edits; /* by `tfrec append`, `remove`, `relabel` since it was made */
    /* Of shards and vocabularies: the same wherever and however often the set is made.  This is
     * what a checkpoint remembers. */
    char data_sha256[65];
    char sha256[65]; /* of the manifest file itself */
};

/* Reads a manifest.  T2_ENOTFOUND when the file is absent; T2_EFORMAT names the key that is missing
 * or wrong.  *m is owned by the caller. */
T2_MUST_CHECK enum t2_status dg_manifest_load(const char *path, struct dg_manifest **m,
                                              struct t2_err *err);
void dg_manifest_free(struct dg_manifest *m);
/* "<data_dir>/<name>.manifest.json"; owned by the caller. */
char *dg_manifest_path(const char *data_dir, const char *base_name);

/* ---- reading side: a problem as the trainer and the decoder see it --------------------------- */

struct dg_side {
    const char *feature; /* which feature of a record this side is: "inputs" or "targets" */
    enum dg_vocab_kind vocab_kind;
    char *vocab_file;          /* path, data_dir included; NULL for bytes */
    char *oov_token;           /* tokens: as in dg_vocab_info */
    int64_t size;              /* of kinds that are not of text: number of ids */
    bool raw_ids;              /* numbers: as in dg_vocab_spec */
    bool is_label;             /* one id an example, a class label */
    const char *const *labels; /* names of classes, borrowed from the view; NULL: they have none */
    int space_id;
};

enum { DG_MOST_CLASS_IDS = 1 << 24 };

/* After _rev and _copy: inputs is what the model reads, targets what it learns to write. */
struct dg_view {
    char *name;      /* as asked for: "translate_x_rev" */
    char *base_name; /* "translate_x" */
    char *dataset_filename;
    bool was_reversed, was_copy;
    bool has_inputs;
    int context_separator; /* inputs are inputs, this id, context; 0: inputs alone */
    /* Records are images of classes: image/encoded, image/class/label; targets are the classes,
     * there are no inputs.  Reversed the sides are the same, and the images are what is learned. */
    bool is_images;
    bool describes_images; /* records have image/encoded, and targets are no classes: captions */
    bool is_speech;        /* inputs are waveforms; the side `inputs` is none */
    /* Model Garden's records of BERT: padded ids, segment_ids, input_mask; targets are label_ids,
     * the ids of masked positions, and then, where has_sentence_label, next_sentence_labels, or
     * where in the row an answer is. */
    bool is_sentences, is_masked, has_sentence_label, is_answered;
    bool has_targets_mask; /* feature targets_mask says which ids of feature targets count */
    int first_label;       /* what records call the first class */
    struct dg_side inputs, targets;
    struct dg_manifest *manifest; /* NULL for a data set that was made elsewhere, or is_foreign */
    char *assumed; /* told from the shards alone (problem_shards.h): what was taken for granted */
};

/*
 * Finds a problem by name (suffixes allowed): by the manifest in data_dir, else in the registry,
 * else by shards of that name in data_dir (problem_shards.h). data_dir may be NULL: only the
 * registry, vocabulary names without a folder.
 *
 * T2_ENOTFOUND when neither knows it: the message lists what data_dir holds and the nearest name.
 * A problem that is registered but has no manifest in data_dir is T2_OK with manifest NULL: the
 * caller finds the shards by name (tfrecord/shards.h).  A problem of images then takes the set that
 * jpeg-to-tfrecord made there, if it did.  *v is owned by the caller.
 */
T2_MUST_CHECK enum t2_status dg_view_open(const char *name, const char *data_dir,
                                          struct dg_view **v, struct t2_err *err);
void dg_view_free(struct dg_view *v);
/* Shards of a split are "<*stem>-<split>-NNNNN-of-MMMMM", with the split that is returned; NULL:
 * "<*stem>-NNNNN-of-MMMMM", as jpeg-to-tfrecord writes them.  Borrowed. */
const char *dg_view_shards(const struct dg_view *v, enum dg_split split, const char **stem);

struct tok_encoder;
/* Opens the vocabulary of a side as the records were made with it: ids raised where it is a model;
 * labels of classes by their names, ID_0, ID_1, ... when they have none.  T2_EFORMAT when the file
 * is of another kind, T2_EUNSUPPORTED for numbers.  *e is owned by the caller (tok_free). */
T2_MUST_CHECK enum t2_status dg_side_encoder(const struct dg_side *side, struct tok_encoder **e,
                                             struct t2_err *err);

#endif
