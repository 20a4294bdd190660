/*
 * train/trained/serve_trained.h - a trained model that answers requests (train/serve/serve.h), and
 * the newer checkpoints of its run.
 */
#ifndef TR_SERVE_TRAINED_H
#define TR_SERVE_TRAINED_H

#include "train/decode/translator.h"
#include "train/serve/serve.h"
#include "train/trained/trained.h"

/*
 * Serves until a signal comes.  `service` says how; its name may be "" for that of the model;
 * its `listening` is called with NULL and the address; what else it calls is set here.  A newer
 * checkpoint of the run takes the place of *t and *translator, which the caller owns as before;
 * there is none for a model file, or a checkpoint that was asked for.  What cannot be taken up is
 * warned of once.
 */
T2_MUST_CHECK enum t2_status tr_serve(const struct tr_trained_options *opened, struct tr_trained *t,
                                      struct dec_translator **translator,
                                      const struct dec_parts *parts,
                                      const struct srv_options *service, struct t2_err *err);
/* The same of a model of images: batches are of up to batch_size. */
T2_MUST_CHECK enum t2_status tr_serve_images(const struct tr_trained_options *opened,
                                             struct tr_trained *t, int64_t batch_size,
                                             const struct srv_options *service, struct t2_err *err);

#endif
