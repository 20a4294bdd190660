/*
 * train/eval/scores_text.h - scores as t2t-trainer prints them: a line "step 7 dev: loss = ...",
 * and one more for language models.
 */
#ifndef EV_SCORES_TEXT_H
#define EV_SCORES_TEXT_H

#include <stdbool.h>

#include "base/buf.h"
#include "train/eval/report.h"

/* Added to text; images: of classes of images, else of symbols. */
void ev_scores_text(const struct ev_scores *s, int64_t step, const char *split, bool images,
                    struct t2_buf *text);

#endif
