/*
 * train/trained/ways.h - what t2t-decoder does with a trained model, by its flags
 * (train/trained/decoder_flags.h): a file each way.
 *
 * `parts` are those of the translator, which is NULL for models that make no texts.
 */
#ifndef TR_WAYS_H
#define TR_WAYS_H

#include "train/decode/translator.h"
#include "train/trained/trained.h"

/* --decode_from_file with lines of text: the translation, its score, --json. */
T2_MUST_CHECK enum t2_status tr_way_file(const struct tr_trained *t,
                                         struct dec_translator *translator,
                                         const struct dec_parts *parts, struct t2_err *err);
/* None of the flags below: the samples of the data set. */
T2_MUST_CHECK enum t2_status tr_way_set(const struct tr_trained *t,
                                        struct dec_translator *translator,
                                        const struct dec_parts *parts, struct t2_err *err);
/* --score_file. */
T2_MUST_CHECK enum t2_status tr_way_score(const struct tr_trained *t, const struct dec_parts *parts,
                                          struct t2_err *err);
/* --serve, of texts or images; a newer checkpoint, opened in the same way, takes the place of *t
 * and *translator. */
T2_MUST_CHECK enum t2_status tr_way_serve(const struct tr_trained_options *opened,
                                          struct tr_trained *t, struct dec_translator **translator,
                                          const struct dec_parts *parts, struct t2_err *err);
/* --decode_from_file with questions: answers, and their scores. */
T2_MUST_CHECK enum t2_status tr_way_answers(const struct tr_trained *t,
                                            const struct dec_parts *parts, struct t2_err *err);
/* --decode_from_file with images, sounds or rows of values; --draw_images. */
T2_MUST_CHECK enum t2_status tr_way_media(const struct tr_trained *t,
                                          struct dec_translator *translator,
                                          const struct dec_parts *parts, struct t2_err *err);

/* Checks the flags against the kind of problem that the model was trained on. */
T2_MUST_CHECK enum t2_status tr_way_check(const struct tr_trained *t, const struct dist *ranks,
                                          struct t2_err *err);
/* Names flags and keys that this model, or this way, does not read. */
void tr_way_name_unread(const struct tr_trained *t, const struct dec_hparams *hp);

#endif
