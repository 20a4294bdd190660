/*
 * train/runs/data_set.c - problem and vocabularies of a run, and their comparison with checkpoint
 * and shards by hashes, so that a model is not continued on ids of another vocabulary.
 */
#include "train/runs/data_set.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/log.h"
#include "tokenizer/encoder.h"
#include "train/input/speech_recipe.h"
#include "train/runs/run_tasks.h"

/* ---- vocabularies ---- */

/* A manifest of shards from elsewhere knows counts, but no vocabulary. */
static bool manifest_knows_vocabs(const struct dg_view *v)
{
    return v->manifest && !v->manifest->is_foreign;
}

static const struct dg_vocab_info *vocab_in_manifest(const struct dg_manifest *m,
                                                     const struct dg_side *side)
{
    return strcmp(side->feature, "inputs") == 0 ? &m->inputs_vocab : &m->targets_vocab;
}

static enum t2_status load_vocab(const struct dg_side *side, int32_t *size, char sha256[65],
                                 struct t2_err *err)
{
    struct tok_encoder *e;

    T2_TRY(dg_side_encoder(side, &e, err));
    *size = side->vocab_kind == DG_VOCAB_NUMBERS ? (int32_t) side->size : tok_size(e);
    if (side->vocab_file)
        tok_sha256(e, sha256);
    tok_free(e);
    return T2_OK;
}

static enum t2_status check_vocab(const struct dg_view *v, const struct dg_side *side, int32_t size,
                                  const char *sha256, struct t2_err *err)
{
    const struct dg_vocab_info *said;

    if (!manifest_knows_vocabs(v))
        return T2_OK;
    said = vocab_in_manifest(v->manifest, side);
    if (said->size == size && (said->sha256[0] == '\0' || strcmp(said->sha256, sha256) == 0))
        return T2_OK;
    return t2_fail(err, T2_EFORMAT,
                   "vocabulary '%s' has %" PRId32 " entries and SHA-256 %.12s..., but '%s."
                   "manifest.json' says that the data were made with one of %" PRId64
                   " entries and SHA-256 %.12s...: put that one back, or generate the data again",
                   side->vocab_file ? side->vocab_file : "bytes", size, sha256, v->base_name,
                   said->size, said->sha256);
}

static enum t2_status open_side(const struct dg_view *v, const struct dg_side *side, int32_t *size,
                                char sha256[65], struct t2_err *err)
{
    enum t2_status st = load_vocab(side, size, sha256, err);

    if (st == T2_ENOTFOUND && !manifest_knows_vocabs(v))
        return t2_wrap(err, "no data of problem '%s' there; t2t-datagen --problem=%s makes them",
                       v->base_name, v->base_name);
    if (st != T2_OK)
        return st;
    return check_vocab(v, side, *size, sha256, err);
}

/* Once a process: continuous evaluation opens the same data set again and again. */
static void say_assumed(const struct dg_view *v)
{
    static bool said;

    if (v->assumed && !said)
        t2_warn("%s", v->assumed);
    said = said || v->assumed;
}

/* T2T's SpeechRecognitionProblem.hparams: bytes of UTF-8 give no more ids. */
static void settle_speech(struct mdl_problem *p)
{
    enum { TARGETS_VOCAB = 256, MARKS = 2 };

    p->speech = true;
    p->loss_multiplier = 1.0;
    p->inputs_vocab = MARKS;
    p->targets_vocab = TARGETS_VOCAB;
    p->image = (struct mdl_image){.width = AUD_MEL_BANDS, .channels = AUD_MEL_CHANNELS};
}

/* A side of values has as many as the manifest says, and no vocabulary. */
static enum t2_status check_values(const struct dg_view *v, const struct dg_side *side,
                                   struct t2_err *err)
{
    enum { MOST = 1 << 24 };

    if (side->size < 1 || side->size > MOST)
        return t2_fail(err, T2_EFORMAT,
                       "'%s': the %s have %" PRId64 " values a sample, not 1 to %d", v->name,
                       side->feature, side->size, MOST);
    return T2_OK;
}

/* Inputs: rows of numbers are images of one pixel; else ids. */
static enum t2_status open_inputs(struct tr_data_set *d, struct t2_err *err)
{
    const struct dg_view *v = d->view;
    struct mdl_problem *p = &d->problem;

    if (!v->has_inputs || v->is_speech)
        return T2_OK;
    if (v->inputs.vocab_kind != DG_VOCAB_REALS)
        return open_side(v, &v->inputs, &p->inputs_vocab, d->inputs_vocab_sha256, err);
    T2_TRY(check_values(v, &v->inputs, err));
    p->has_inputs = false;
    p->table = true;
    p->image = (struct mdl_image){1, 1, (int32_t) v->inputs.size};
    return T2_OK;
}

static enum t2_status open_targets(struct tr_data_set *d, struct t2_err *err)
{
    const struct dg_side *side = &d->view->targets;
    struct mdl_problem *p = &d->problem;

    if (side->vocab_kind != DG_VOCAB_REALS && side->vocab_kind != DG_VOCAB_LABEL_SETS)
        return open_side(d->view, side, &p->targets_vocab, d->targets_vocab_sha256, err);
    T2_TRY(check_values(d->view, side, err));
    p->target = side->vocab_kind == DG_VOCAB_REALS ? MDL_TARGET_REALS : MDL_TARGET_SET;
    p->targets_vocab = (int32_t) side->size;
    p->class_labels = true;
    return T2_OK;
}

/* It is of feature targets, so that a reversed problem, whose targets are the inputs, has none. */
static bool has_mask(const struct tr_data_set *d)
{
    const struct dg_view *v = d->view;

    return v->has_targets_mask && strcmp(v->targets.feature, "targets") == 0 && !v->is_images &&
           !v->describes_images && !v->is_speech && !v->is_sentences &&
           d->problem.target == MDL_TARGET_IDS && !d->problem.class_labels;
}

static enum t2_status open_one(const char *problem, const char *data_dir, struct tr_data_set *d,
                               struct t2_err *err)
{
    struct dg_view *v = NULL;
    enum t2_status st;

    *d = (struct tr_data_set){0};
    T2_TRY(dg_view_open(problem, data_dir, &v, err));
    d->view = v;
    if (v->describes_images && (v->was_reversed || v->was_copy || !v->has_inputs)) {
        st = t2_fail(err, T2_EUNSUPPORTED,
                     "problem '%s': texts of images are written, not read (docs/images.md)",
                     v->name);
        goto out;
    }
    d->problem.describes = v->describes_images;
    d->problem.has_inputs = v->has_inputs;
    d->problem.input_space_id = v->inputs.space_id;
    d->problem.target_space_id = v->targets.space_id;
    /* As T2T's Text2TextProblem.hparams for characters. */
    d->problem.loss_multiplier =
        v->targets.vocab_kind == DG_VOCAB_BYTES && !v->describes_images ? 2.0 : 1.0;
    d->problem.class_labels = v->targets.is_label;
    T2_GOTO(st, out, open_inputs(d, err));
    T2_GOTO(st, out, open_targets(d, err));
    if (v->is_speech)
        settle_speech(&d->problem);
    d->problem.targets_mask = has_mask(d);
    if (v->manifest)
        snprintf(d->data_sha256, sizeof d->data_sha256, "%s", v->manifest->data_sha256);
    say_assumed(v);
    return T2_OK;
out:
    tr_data_set_release(d);
    return st;
}

enum t2_status tr_data_set_open(const char *problem, const char *data_dir, struct tr_data_set *d,
                                struct t2_err *err)
{
    char *primary = tr_tasks_primary(problem);
    enum t2_status st = open_one(primary ? primary : problem, data_dir, d, err);

    if (st == T2_OK && primary) {
        st = tr_tasks_open(problem, data_dir, d, err);
        if (st != T2_OK)
            tr_data_set_release(d);
    }
    t2_free(primary);
    return st;
}

/* ---- images ---- */

/* tensorflow/tpu: 1001 classes are ImageNet's and the background, and labels stay as stored. */
static enum t2_status settle_classes(struct tr_data_set *d, const struct mdl_hparams *hp,
                                     struct t2_err *err)
{
    int64_t wanted, classes = d->view->targets.size;

    d->problem.targets_vocab = (int32_t) classes;
    d->first_label = d->view->first_label;
    if (!mdl_hp_has(hp, "num_label_classes"))
        return T2_OK;
    wanted = mdl_hp_int(hp, "num_label_classes");
    if (wanted == 0 || wanted == classes)
        return T2_OK;
    if (wanted != classes + 1)
        return t2_fail(err, T2_EUSAGE,
                       "hparam num_label_classes=%" PRId64 ", but '%s' has %" PRId64
                       " classes: give these, or one more for the "
                       "background",
                       wanted, d->view->name, classes);
    d->problem.targets_vocab = (int32_t) wanted;
    d->first_label = d->view->first_label - 1;
    return T2_OK;
}

/* The classes are what the model reads, if it is conditional, or a smaller image. */
static enum t2_status settle_pixels(struct tr_data_set *d, const struct mdl_hparams *hp,
                                    struct t2_err *err)
{
    enum { LEVELS = 256 };
    struct mdl_problem *p = &d->problem;

    T2_TRY(in_image_recipe_made(d->view->base_name, hp, &d->images, err));
    p->loss_multiplier = d->images.loss_multiplier;
    p->pixels = (struct mdl_image){d->images.size, d->images.size, d->images.channels};
    p->class_labels = false;
    p->has_inputs = true;
    p->inputs_vocab = d->images.source_size > 0 ? LEVELS : (int32_t) d->view->targets.size;
    p->targets_vocab = LEVELS;
    if (d->images.source_size > 0)
        p->source =
            (struct mdl_image){d->images.source_size, d->images.source_size, d->images.channels};
    d->first_label = d->view->first_label;
    return T2_OK;
}

/* Inputs are images of a size, and T2T's 256 values of a pixel are their ids. */
static enum t2_status settle_described(struct tr_data_set *d, const struct mdl_hparams *hp,
                                       struct t2_err *err)
{
    enum { LEVELS = 256 };

    T2_TRY(in_image_recipe_described(d->view->base_name, hp, &d->images, &d->text_feature, err));
    d->problem.inputs_vocab = LEVELS;
    d->problem.image = (struct mdl_image){d->images.size, d->images.size, d->images.channels};
    return T2_OK;
}

/* Which ids there are is the model's to say: its table of words has them. */
static enum t2_status settle_sentences(struct tr_data_set *d, const struct mdl_hparams *hp,
                                       struct t2_err *err)
{
    struct mdl_problem *p = &d->problem;
    int64_t vocab = mdl_hp_has(hp, "vocab_size") ? mdl_hp_int(hp, "vocab_size") : 0;
    int64_t types = mdl_hp_has(hp, "type_vocab_size") ? mdl_hp_int(hp, "type_vocab_size") : 0;
    int64_t classes = mdl_hp_has(hp, "num_label_classes") ? mdl_hp_int(hp, "num_label_classes") : 0;

    if (vocab < 1 || vocab > INT32_MAX || types < 1 || types > INT32_MAX ||
        !mdl_hp_has(hp, "use_sentence_label"))
        return t2_fail(err, T2_EUSAGE,
                       "'%s' are records of sentences for BERT: --model=%s --hparams_set="
                       "mg_bert_base, with hparams vocab_size and type_vocab_size",
                       d->view->name,
                       d->view->is_masked     ? "mg_bert_pretrainer"
                       : d->view->is_answered ? "mg_bert_span_labeler"
                                              : "mg_bert_classifier");
    p->sentences = d->view->is_masked     ? MDL_SENTENCES_MASKED
                   : d->view->is_answered ? MDL_SENTENCES_ANSWERED
                                          : MDL_SENTENCES_LABELLED;
    p->sentence_label = d->view->is_masked && mdl_hp_bool(hp, "use_sentence_label");
    if (p->sentence_label && !d->view->has_sentence_label)
        return t2_fail(err, T2_EUSAGE,
                       "'%s' has no next_sentence_labels: --hparams=use_sentence_label=false, or "
                       "task.train_data.use_next_sentence_label=false of an experiment",
                       d->view->name);
    p->inputs_vocab = (int32_t) vocab;
    p->types_vocab = (int32_t) types;
    if (d->view->is_masked)
        p->targets_vocab = (int32_t) vocab;
    if (d->view->is_answered) /* positions of a row */
        p->targets_vocab = (int32_t) mdl_hp_int(hp, "max_position_embeddings");
    if (d->view->is_masked || d->view->is_answered || classes == 0)
        return T2_OK;
    if (classes < d->view->targets.size || classes > DG_MOST_CLASS_IDS)
        return t2_fail(err, T2_EUSAGE,
                       "hparam num_label_classes=%" PRId64 ", but '%s' has labels up to %" PRId64,
                       classes, d->view->name, d->view->targets.size - 1);
    p->targets_vocab = (int32_t) classes;
    return T2_OK;
}

enum t2_status tr_data_set_images(struct tr_data_set *d, const struct mdl_hparams *hp,
                                  struct t2_err *err)
{
    if (d->view->is_sentences)
        return settle_sentences(d, hp, err);
    if (d->view->describes_images)
        return settle_described(d, hp, err);
    if (!d->view->is_images)
        return T2_OK;
    if (d->view->was_reversed || in_image_has_source(d->view->base_name))
        return settle_pixels(d, hp, err);
    T2_TRY(in_image_recipe_of(d->view->base_name, hp, &d->images, err));
    d->problem.loss_multiplier = d->images.loss_multiplier;
    d->problem.image = (struct mdl_image){.height = d->images.size,
                                          .width = d->images.size,
                                          .channels = d->images.channels};
    return settle_classes(d, hp, err);
}

const char *tr_data_set_class(const struct tr_data_set *d, int32_t label)
{
    int32_t background = d->view->first_label - d->first_label;

    if (label < background)
        return "background";
    return d->view->targets.labels ? d->view->targets.labels[label - background] : NULL;
}

void tr_data_set_release(struct tr_data_set *d)
{
    tr_tasks_release(d);
    dg_view_free(d->view);
    *d = (struct tr_data_set){0};
}

/* ---- against the checkpoint ---- */

static enum t2_status same_hash(const char *what, const char *where, const char *ours,
                                const char *theirs, const char *output_dir, int64_t step,
                                struct t2_err *err)
{
    if (strcmp(ours, theirs) == 0)
        return T2_OK;
    return t2_fail(err, T2_EFORMAT,
                   "%s '%s' has SHA-256 %.12s%s, but the run in '%s' (step %" PRId64
                   ") was trained with one of SHA-256 %.12s%s: give the --data_dir of that run, or "
                   "another --output_dir",
                   what, where, ours[0] != '\0' ? ours : "(none)", ours[0] != '\0' ? "..." : "",
                   output_dir, step, theirs[0] != '\0' ? theirs : "(none)",
                   theirs[0] != '\0' ? "..." : "");
}

static const char *file_of(const struct dg_side *side)
{
    return side->vocab_file ? side->vocab_file : "bytes";
}

/* Compares by SHA-256, so a vocabulary with the same name and other words is found. */
enum t2_status tr_data_set_check_state(const struct tr_data_set *d, const struct ckpt_state *s,
                                       const char *output_dir, struct t2_err *err)
{
    const struct dg_view *v = d->view;
    char manifest[300];

    if (strcmp(v->name, s->problem) != 0)
        return t2_fail(err, T2_EUSAGE,
                       "the run in '%s' (step %" PRId64
                       ") trains on problem '%s', not on '%s': give another --output_dir",
                       output_dir, s->step, s->problem, v->name);
    if (v->has_inputs)
        T2_TRY(same_hash("inputs vocabulary", file_of(&v->inputs), d->inputs_vocab_sha256,
                         s->inputs_vocab_sha256, output_dir, s->step, err));
    T2_TRY(same_hash("targets vocabulary", file_of(&v->targets), d->targets_vocab_sha256,
                     s->targets_vocab_sha256, output_dir, s->step, err));
    if (s->manifest_sha256[0] == '\0') /* trained on a data set that had no manifest then */
        return T2_OK;
    snprintf(manifest, sizeof manifest, "%s.manifest.json", v->base_name);
    return same_hash("the data set of", manifest, d->data_sha256, s->manifest_sha256, output_dir,
                     s->step, err);
}

static void copy_hash(char to[65], const char *from)
{
    snprintf(to, 65, "%s", from);
}

void tr_data_set_to_state(const struct tr_data_set *d, struct ckpt_state *s)
{
    snprintf(s->problem, sizeof s->problem, "%s", d->view->name);
    copy_hash(s->inputs_vocab_sha256, d->inputs_vocab_sha256);
    copy_hash(s->targets_vocab_sha256, d->targets_vocab_sha256);
    copy_hash(s->manifest_sha256, d->data_sha256);
}

/* ---- against the shards ---- */

/* Shards that were added, lost or cut since the manifest was written change the numbers here. */
enum t2_status tr_data_set_check_split(const struct dg_view *v, enum dg_split split,
                                       const struct in_stats *s, uint64_t max_lost,
                                       struct t2_err *err)
{
    const struct tfr_manifest_split *said;
    uint64_t said_bytes = 0;

    if (!v->manifest)
        return T2_OK;
    said = &v->manifest->splits[split];
    for (size_t i = 0; i < said->n_shards; i++)
        said_bytes += said->shards[i].bytes;
    if (said->n_shards == s->n_shards && said->n_records == s->n_records &&
        said_bytes == s->n_bytes)
        return T2_OK;
    if (max_lost > 0 && said->n_shards == s->n_shards && said->n_records >= s->n_records) {
        if (said->n_records - s->n_records <= max_lost)
            return T2_OK;
        return t2_fail(err, T2_EFORMAT,
                       "%" PRIu64 " of the %" PRIu64 " records that '%s.manifest.json' knows are "
                       "missing in the damaged %s shards, more than --max_corrupt=%" PRIu64,
                       said->n_records - s->n_records, said->n_records, v->base_name,
                       dg_split_name(split), max_lost);
    }
    return t2_fail(err, T2_EFORMAT,
                   "the %s shards hold %" PRIu64 " records in %" PRIu64 " files of %" PRIu64
                   " bytes together, but '%s.manifest.json' says %" PRIu64 " records in %zu files "
                   "of %" PRIu64 " bytes: generate the data again",
                   dg_split_name(split), s->n_records, s->n_shards, s->n_bytes, v->base_name,
                   said->n_records, said->n_shards, said_bytes);
}
