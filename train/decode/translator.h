/*
 * train/decode/translator.h - texts in, texts out: encode, search in batches, decode.
 */
#ifndef DEC_TRANSLATOR_H
#define DEC_TRANSLATOR_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "tokenizer/encoder.h"
#include "train/decode/decode_hparams.h"
#include "train/decode/vocabulary_map.h"
#include "train/dist/dist.h"
#include "train/models/model.h"

struct dec_translator; /* belongs to one thread; keeps its caches from batch to batch */

/* The parts of a translator; all borrowed for its life. */
struct dec_parts {
    struct mdl *m;
    const struct tok_encoder *inputs, *targets;
    const struct dec_hparams *hp;
    uint64_t seed; /* of what is drawn (hparam sampling_method=random) */
    /* Bytes that batches may take: of the host's memory; 0 = what t2_memory_available says.  Of a
     * device's own they may take all that is left when the translator is made. */
    uint64_t max_memory;
    /* Not 0: sources are question, TAB, context; this id stands between their ids, as in
     * training. */
    int32_t context_separator;
    /* Ranks that share the work, each with a translator of the same parts, which are made together;
     * NULL: this process alone.  All have the least memory of one. */
    struct dist *dist;
    bool keep_ids;                        /* hypotheses have their ids, too */
    const struct dec_vocabulary_map *map; /* NULL: hypotheses may have all ids */
    /* An ensemble: further models of the same vocabularies, on the same device or others; every
     * step chooses by the mean of all logits (mdl_decoder_choose_mean). */
    struct mdl *const *others; /* (n_others); borrowed */
    int n_others;
};

/* T2_EUSAGE: an ensemble whose models do not belong together, T2_EUNSUPPORTED: one of class labels.
 *
 * With hparam sampling_method=random what is drawn is a function of seed, the ids of the source and
 * the position, so equal sources have equal translations; it needs beam_size=1 (T2_EUSAGE).
 *
 * With a map hypotheses consist of what their own source may have by it, and scores are of these
 * alone; T2_EUNSUPPORTED of ensembles, of models without inputs or caches, and class labels.
 *
 * A language model (without inputs) continues texts; they are encoded with `targets`, and `inputs`
 * is not looked at. */
T2_MUST_CHECK enum t2_status dec_translator_new(const struct dec_parts *parts,
                                                struct dec_translator **t, struct t2_err *err);
void dec_translator_free(struct dec_translator *t);

/*
 * From now on places that become free in a batch are filled again (dec_translate_run), for which
 * batches are planned.  It costs a graph more for each shape, so it is for those who have more
 * sources than a batch.
 */
void dec_translator_refill(struct dec_translator *t, bool refills);
enum { DEC_RUN_BATCHES = 8 };
/* How many sources a run of so many places may have; `places`, where they are not filled again: in
 * small batches, of models without caches, of ensembles, with skip_eos_postprocess. */
int32_t dec_run_sources(const struct dec_translator *t, int32_t places);

/* Called before every step of a search with what is done of it, so that somebody sees life in a
 * long one; NULL: nobody. */
typedef void (*dec_step_fn)(void *context, int32_t step, int32_t max_steps);
void dec_translator_on_step(struct dec_translator *t, dec_step_fn fn, void *context);

/* From now on sources are the repetition-th ones of the same (from 0): other ids are drawn. */
void dec_translator_repeat(struct dec_translator *t, uint64_t repetition);
/* A language model: texts are continued. */
bool dec_continues(const struct dec_translator *t);

/* The longest sources that the model was trained on, in ids; 0: any. */
int64_t dec_trained_length(const struct dec_translator *t);
/* How many steps a search takes at most beyond the length of its longest source. */
int32_t dec_extra_length(const struct dec_translator *t);

/* Those that share the work; NULL: nobody. */
struct dist *dec_dist(const struct dec_translator *t);

/*
 * Appends the ids of a text, stripped, with EOS (multiproblem_task_id) unless it is to be
 * continued; then a space stands behind punctuation at its end, as in the original.  Empty for a
 * text of white space only. *n_cut: ids left out because of max_input_size or because not even one
 * such source fits into memory; 0 otherwise.  With a context, T2_EFORMAT for a text without
 * TAB.
 */
T2_MUST_CHECK enum t2_status dec_encode(struct dec_translator *t, struct t2_slice text,
                                        struct tok_ids *ids, size_t *n_cut, struct t2_err *err);

/*
 * The same of ids that somebody else made of a text, EOS included; a list that is too long loses
 * those in front of its last.  T2_EFORMAT for an id that the vocabulary does not have.
 */
T2_MUST_CHECK enum t2_status dec_take_ids(struct dec_translator *t, const int32_t *items, size_t n,
                                          struct tok_ids *ids, size_t *n_cut, struct t2_err *err);

/* Of n_wanted sources of up to n_ids ids, how many fit into memory at once, by the plan of
 * their graphs; at least 1. */
T2_MUST_CHECK enum t2_status dec_fit(struct dec_translator *t, size_t n_ids, int32_t n_wanted,
                                     int32_t *n, struct t2_err *err);
/* Makes what all batches share, for sources of up to n_ids ids, so that what fits does not depend
 * on which batches this rank has had. */
T2_MUST_CHECK enum t2_status dec_reserve(struct dec_translator *t, size_t n_ids,
                                         struct t2_err *err);
/* The plan of the largest batch so far: graphs, caches and the search itself, by memory. */
struct dev_bytes dec_planned_bytes(const struct dec_translator *t);
/* How many graphs the decoder has built: none for a batch of a shape that comes again. */
int64_t dec_n_graphs_built(const struct dec_translator *t);

struct dec_hypothesis {
    struct t2_buf text; /* without line ends, unless there is another delimiter */
    double score;
    int32_t n_ids; /* EOS included */
    int32_t *ids;  /* (n_ids) with keep_ids, else NULL; owned by the caller, as the text */
};

/*
 * Translates n sources (none empty) as one batch into out, (n, dec_n_best) zeroed hypotheses; their
 * texts are owned by the caller.  Where the targets are class labels, they are the most likely
 * ones. Otherwise decode_length of each is its own source plus extra_length; of the official
 * Transformer at least 97 plus extra_length.  A source that hypotheses begin with (language models;
 * with prepend_mode the source and a 0) is not part of the result, but T2T counts it in
 * decode_length and in the length penalty, so that it counts here. T2_EINTERRUPTED after a signal.
 */
T2_MUST_CHECK enum t2_status dec_translate(struct dec_translator *t, const struct tok_ids *sources,
                                           int32_t n, struct dec_hypothesis *out,
                                           struct t2_err *err);
/* The same of n sources, at most dec_run_sources, in so many places of a batch: who has ended
 * leaves its place to the next.  Results are those of batches, to the bit. */
T2_MUST_CHECK enum t2_status dec_translate_run(struct dec_translator *t,
                                               const struct tok_ids *sources, int32_t n,
                                               int32_t places, struct dec_hypothesis *out,
                                               struct t2_err *err);
/* Sources that come while others are translated. */
struct dec_stream {
    void *context;
    size_t longest; /* ids that one of them may have */
    int32_t places; /* sources that are translated at once: dec_fit of the longest */
    /*
     * Before every step, while so many places are free: gives up to n sources, none empty, their
     * ids borrowed until they have ended, and a number for each.  Returns how many; with 0 and
     * nobody left the stream ends.
     */
    int32_t (*more)(void *context, int32_t n, struct tok_ids *sources, size_t *numbers);
    /* One of them has ended: dec_n_best hypotheses, whose memory is the callee's. */
    void (*ended)(void *context, size_t number, const struct dec_hypothesis *h);
};
/* Can it be done?  Only of a translator that refills (dec_translator_refill). */
bool dec_can_stream(const struct dec_translator *t, int32_t places);
/* Each gets what dec_translate gives for it, to the bit.  After a failure those that had not ended
 * have nothing. */
T2_MUST_CHECK enum t2_status dec_translate_stream(struct dec_translator *t,
                                                  const struct dec_stream *s, struct t2_err *err);
/* dec_translate of one utterance for a model of speech, whose features (mdl_speech_rows(positions),
 * W, C) are given; parts.inputs is not looked at. */
T2_MUST_CHECK enum t2_status dec_transcribe(struct dec_translator *t, const float *features,
                                            int32_t positions, struct dec_hypothesis *out,
                                            struct t2_err *err);
/* The same of an image (H, W, C) for a model that describes images.  The original counts as many
 * ids of source as there are rows in it, so that texts have up to extra_length more. */
T2_MUST_CHECK enum t2_status dec_describe(struct dec_translator *t, const float *image,
                                          struct dec_hypothesis *out, struct t2_err *err);
/* Appends the text of ids of a side, as results have it: of identity_output the ids; else a line
 * stays a line, and a column a column. */
void dec_put_text(const struct dec_translator *t, bool of_inputs, const int32_t *ids, size_t n,
                  struct t2_buf *text);
/* dec_n_best of its hparams. */
int32_t dec_n_best_of(const struct dec_translator *t);

#endif
