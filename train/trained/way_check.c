/*
 * train/trained/way_check.c - flags of t2t-decoder that the model has no use for.
 */
#include <string.h>

#include "base/log.h"
#include "train/decode/draw_id.h"
#include "train/runs/launch.h"
#include "train/trained/decoder_flags.h"
#include "train/trained/predict_values.h"
#include "train/trained/ways.h"

/* What only one process does. */
static enum t2_status check_ranks(const struct tr_trained *t, const struct dist *ranks,
                                  struct t2_err *err)
{
    const char *what = t->data.view->is_images || t->data.problem.describes ? "decoding of images"
                       : t->data.view->is_answered                          ? "answering"
                       : t->data.view->is_speech                            ? "decoding of speech"
                       : tr_decoder_flags.decode_interactive                ? "--decode_interactive"
                       : tr_decoder_flags.serve[0]                          ? "--serve"
                                                                            : NULL;

    if (!what || dist_size(ranks) == 1)
        return T2_OK;
    return tr_launch_check_alone(what, "start it without mpirun or srun", err);
}

/* Sources are images or sounds. */
static bool is_media(const struct tr_trained *t)
{
    return t->data.view->is_images || t->data.view->is_speech || t->data.problem.describes;
}

enum t2_status tr_way_check(const struct tr_trained *t, const struct dist *ranks,
                            struct t2_err *err)
{
    bool makes = t->data.problem.pixels.height > 0;
    bool other = tr_decoder_flags.decode_interactive || tr_decoder_flags.serve[0] ||
                 tr_decoder_flags.decode_reference[0] || tr_decoder_flags.keep_timestamp ||
                 dist_size(ranks) > 1; /* than a file, by one process */

    T2_TRY(check_ranks(t, ranks, err));
    if (tr_decoder_flags.shortlist[0] &&
        (!t->inputs || !t->targets || is_media(t) || tr_has_values(&t->data.problem) ||
         tr_decoder_flags.score_file[0]))
        return t2_fail(err, T2_EUSAGE, "--shortlist is for translations, and '%s' %s",
                       t->state.problem,
                       tr_decoder_flags.score_file[0] ? "is scored" : "is not of texts");
    if (tr_decoder_flags.score_file[0])
        return T2_OK;
    if (makes != (tr_decoder_flags.draw_images > 0))
        return t2_fail(err, T2_EUSAGE,
                       "--draw_images is for models that make images; that of '%s' %s",
                       t->state.problem, makes ? "does, and needs it" : "does not");
    if (makes)
        return T2_OK;
    if (tr_decoder_decodes_set() &&
        (is_media(t) || t->data.view->is_answered || tr_has_values(&t->data.problem)))
        return t2_fail(
            err, T2_EUSAGE,
            "'%s' is not of texts alone, so the samples of its data set are not decoded: "
            "--decode_from_file says what is",
            t->state.problem);
    if (tr_decoder_flags.ensemble[0] && is_media(t))
        return t2_fail(err, T2_EUNSUPPORTED, "--ensemble: '%s' is not of texts", t->state.problem);
    if (tr_decoder_flags.serve[0] && (t->data.view->is_speech || t->data.problem.describes))
        return t2_fail(err, T2_EUNSUPPORTED, "--serve: '%s' is of %s; use --decode_from_file",
                       t->state.problem,
                       t->data.view->is_speech ? "speech" : "images and their texts");
    if (t->data.view->is_speech &&
        (tr_decoder_flags.decode_interactive ||
         strcmp(tr_decoder_flags.decode_from_file, "-") == 0 ||
         tr_decoder_flags.decode_reference[0] || tr_decoder_flags.keep_timestamp))
        return t2_fail(err, T2_EUSAGE,
                       "'%s' is of speech: --decode_from_file is a sound file, a folder or a list, "
                       "whose lines may say behind a tab what is said; --decode_interactive, "
                       "--decode_reference and --keep_timestamp are for text",
                       t->state.problem);
    T2_TRY(tr_check_of_values(t, other, err));
    if (t->data.view->is_answered && (other || tr_decoder_flags.ensemble[0] ||
                                      strcmp(tr_decoder_flags.decode_from_file, "-") == 0))
        return t2_fail(err, T2_EUSAGE,
                       "'%s' is of questions: --decode_from_file is a file of SQuAD's JSON; "
                       "--decode_interactive, --serve, --decode_reference, --keep_timestamp and "
                       "--ensemble are for text",
                       t->state.problem);
    if (!t->data.view->is_images && !t->data.problem.describes) {
        if (tr_decoder_flags.contact_sheet[0])
            return t2_fail(err, T2_EUSAGE, "--contact_sheet is for images, and '%s' is not of them",
                           t->state.problem);
        return T2_OK;
    }
    if (t->data.problem.describes && tr_decoder_flags.contact_sheet[0])
        return t2_fail(err, T2_EUNSUPPORTED, "--contact_sheet is for images with classes");
    if (tr_decoder_flags.decode_interactive || strcmp(tr_decoder_flags.decode_from_file, "-") == 0)
        return t2_fail(err, T2_EUSAGE,
                       "'%s' is of images: --decode_from_file is an image, a folder, a list or a "
                       "shard",
                       t->state.problem);
    if (tr_decoder_flags.decode_reference[0] || tr_decoder_flags.keep_timestamp)
        return t2_fail(err, T2_EUSAGE,
                       "--decode_reference and --keep_timestamp are for text, and '%s' is of "
                       "pictures",
                       t->state.problem);
    return T2_OK;
}

void tr_way_name_unread(const struct tr_trained *t, const struct dec_hparams *hp)
{
    bool is_images = t->data.view->is_images || tr_has_values(&t->data.problem);

    dec_hparams_name_unread(hp, t->data.view->is_answered             ? DEC_USE_QUESTIONS
                                : is_images                           ? DEC_USE_IMAGES
                                : tr_decoder_flags.decode_interactive ? DEC_USE_TYPED
                                : tr_decoder_decodes_set()            ? DEC_USE_SAMPLES
                                                                      : DEC_USE_FILE);
    if (tr_decoder_flags.eval_use_test_set && !tr_decoder_decodes_set())
        t2_warn("--eval_use_test_set means nothing here: it is about the samples of the data set, "
                "and other flags say what to decode");
    if (tr_decoder_flags.given_seed &&
        ((is_images && tr_decoder_flags.draw_images == 0) || !dec_draws(mdl_hparams_of(t->m))))
        t2_warn("--random_seed means nothing here: nothing is drawn without hparam "
                "sampling_method=random");
    if (is_images && tr_decoder_flags.max_memory > 0)
        t2_warn("--max_memory means nothing here; --decode_hparams=batch_size=N does");
}
