/*
 * train/runs/summaries.h - what a run tells TensorBoard: events in the places and with the tags of
 * the original.
 *
 *   Tensor2Tensor (spec t2t-trainer.md §9.6): training in the run's folder, evaluation during
 *   training in eval/, by --schedule=evaluate in eval_eval/.
 *   Model Garden (spec formats-and-experiments.md D6): train/ and validation/.
 *   The official Transformer (spec official-transformer.md §8.1): summary/; evaluation, of which it
 *   writes nothing, in eval/.
 *   tensorflow/tpu's ResNet (resnet_main.py, host_call_fn, metric_fn): the run's folder and eval/.
 *
 * Beside the original's tags there are `t2t/...`: what only this program says.
 */
#ifndef TR_SUMMARIES_H
#define TR_SUMMARIES_H

#include "base/err.h"
#include "train/eval/report.h"
#include "train/runs/run.h"

struct tr_summaries;

/* Files of runs that this one continues are cut behind its step (eval/event_log.h). */
T2_MUST_CHECK enum t2_status tr_summaries_open(const struct tr_run *r, struct tr_summaries **s,
                                               struct t2_err *err);
void tr_summaries_close(struct tr_summaries *s);

/* The rest does nothing where s is NULL: no events are wanted. */

/* As of a report line; the batch is the one of its step, or has no rows, and nothing is said of it,
 * nor of gradients. */
T2_MUST_CHECK enum t2_status tr_summaries_train(struct tr_summaries *s, const struct tr_run *r,
                                                const struct ev_train_line *line,
                                                const struct mdl_batch *batch, struct t2_err *err);
/* Before the line is reported; of a step that was evaluated before nothing is added. */
T2_MUST_CHECK enum t2_status tr_summaries_eval(struct tr_summaries *s, const struct tr_run *r,
                                               const struct ev_eval_line *line, struct t2_err *err);

/* The first images of an evaluation's first batch (image_summaries.h). */
T2_MUST_CHECK enum t2_status tr_summaries_images(struct tr_summaries *s, const struct tr_run *r,
                                                 const struct mdl_batch *batch, struct t2_err *err);

/* A page of images that the model made, a PNG file. */
T2_MUST_CHECK enum t2_status tr_summaries_page(struct tr_summaries *s, const struct tr_run *r,
                                               struct t2_slice png, int32_t height, int32_t width,
                                               struct t2_err *err);

/* The i-th sample of an evaluation, as text. */
T2_MUST_CHECK enum t2_status tr_summaries_sample(struct tr_summaries *s, const struct tr_run *r,
                                                 int i, const char *source, const char *target,
                                                 const char *output, struct t2_err *err);

#endif
