/*
 * train/eval/bleu_watch.h - BLEU of each translation that appears in a folder, as events for
 * TensorBoard: t2t_bleu.py with --translations_dir, bleu_hook.stepfiles_iterator (spec
 * t2t-datagen.md §10.3, §10.5).
 */
#ifndef EV_BLEU_WATCH_H
#define EV_BLEU_WATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

enum { EV_BLEU_VARIANTS = 2 };

/* Which scores, in the order of the original: uncased, cased. */
struct ev_bleu_variants {
    bool lower_case[EV_BLEU_VARIANTS];
    int n;
};
const char *ev_bleu_variant_name(bool lower_case); /* "BLEU_uncased" */

/* A score of 0 at step 0: never, always, or when the first step that counts is 0. */
enum ev_report_zero { EV_ZERO_NEVER, EV_ZERO_ALWAYS, EV_ZERO_AT_START };

struct ev_bleu_watch {
    const char *translations_dir, *event_dir, *reference, *tag_suffix;
    struct ev_bleu_variants variants;
    int64_t min_steps; /* -1: what last_evaluated_step.txt of event_dir says, else 0 */
    int64_t wait_minutes;
    enum ev_report_zero report_zero;
};

/*
 * Scores the files <anything>-<steps> of the folder, by ascending steps, and goes on for new ones
 * until none has come for wait_minutes since the last.  Each score is one event of the file
 * events.out.tfevents.<seconds>.<host> in event_dir, at the file's time, and is logged;
 * last_evaluated_step.txt has its step.
 */
T2_MUST_CHECK enum t2_status ev_bleu_watch(const struct ev_bleu_watch *w, struct t2_err *err);

#endif
