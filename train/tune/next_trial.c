/*
 * train/tune/next_trial.c - the rules of random search, successive halving and ASHA.
 */
#include "train/tune/next_trial.h"

static bool has_finished(const struct tune_trial *trial, int rung)
{
    return trial->n_values > rung;
}

/* Claimed, and without a result. */
static bool is_open(const struct tune_trial *trial)
{
    return !trial->is_failed && trial->n_values <= trial->entered;
}

/* The best trial that has finished the rung and may go on from it; -1: none. */
static int64_t best_to_go_on(const struct tune_trials *t, int rung)
{
    int64_t best = -1;

    for (int64_t i = 0; i < t->n; i++) {
        const struct tune_trial *x = &t->items[i];

        if (has_finished(x, rung) && x->entered == rung && !x->is_stopped && !x->is_failed &&
            (best < 0 ||
             tune_study_better(&t->study, x->values[rung], t->items[best].values[rung])))
            best = i;
    }
    return best;
}

/* How many of the rung are better than this trial, ties by number. */
static int64_t place_of(const struct tune_trials *t, int rung, int64_t trial)
{
    double value = t->items[trial].values[rung];
    int64_t place = 0;

    for (int64_t i = 0; i < t->n; i++) {
        if (has_finished(&t->items[i], rung) &&
            (tune_study_better(&t->study, t->items[i].values[rung], value) ||
             (t->items[i].values[rung] == value && i < trial)))
            place++;
    }
    return place;
}

static int64_t count_finished(const struct tune_trials *t, int rung)
{
    int64_t n = 0;

    for (int64_t i = 0; i < t->n; i++)
        n += has_finished(&t->items[i], rung);
    return n;
}

static int64_t count_entered(const struct tune_trials *t, int rung)
{
    int64_t n = 0;

    for (int64_t i = 0; i < t->n; i++)
        n += t->items[i].entered >= rung;
    return n;
}

/* A trial that is in the best 1 / reduction of its rung; from the highest rung down. */
static bool next_of_asha(const struct tune_trials *t, struct tune_job *job)
{
    for (int rung = t->study.n_rungs - 2; rung >= 0; rung--) {
        int64_t trial = best_to_go_on(t, rung);

        if (trial >= 0 && place_of(t, rung, trial) < count_finished(t, rung) / t->study.reduction) {
            *job = (struct tune_job){trial, rung + 1};
            return true;
        }
    }
    return false;
}

/* Of the first rung in which all have ended and not enough have gone on. */
static bool next_of_halving(const struct tune_trials *t, struct tune_job *job)
{
    for (int rung = 0; rung < t->study.n_rungs - 1; rung++) {
        for (int64_t i = 0; i < t->n; i++)
            if (t->items[i].entered == rung && is_open(&t->items[i]) && !t->items[i].is_stopped)
                return false;
        if (count_entered(t, rung + 1) < tune_study_at_rung(&t->study, rung + 1)) {
            int64_t trial = best_to_go_on(t, rung);

            *job = (struct tune_job){trial, rung + 1};
            return trial >= 0;
        }
    }
    return false;
}

/* When all is done and nothing has finished the last rung. */
static bool next_of_best(const struct tune_trials *t, struct tune_job *job)
{
    if (count_finished(t, t->study.n_rungs - 1) > 0)
        return false;
    for (int rung = t->study.n_rungs - 2; rung >= 0; rung--) {
        int64_t trial = best_to_go_on(t, rung);
        if (trial >= 0) {
            *job = (struct tune_job){trial, rung + 1};
            return true;
        }
    }
    return false;
}

static bool depends_on_results(const struct tune_study *s)
{
    return s->algorithm == TUNE_ASHA || s->sampler != TUNE_DRAW;
}

enum tune_turn tune_next(const struct tune_trials *t, tune_life_fn life_of, void *context,
                         struct tune_job *job)
{
    bool someone_works = false, someone_ends = false;

    for (int64_t i = 0; i < t->n; i++) {
        enum tune_life life;

        if (!is_open(&t->items[i]))
            continue;
        life = life_of(context, i);
        someone_works |= life != TUNE_GONE;
        someone_ends |= life == TUNE_ENDING;
        if (life == TUNE_GONE && !t->items[i].is_stopped) {
            *job = (struct tune_job){i, t->items[i].entered};
            return TUNE_JOB;
        }
    }
    if (someone_ends && depends_on_results(&t->study))
        return TUNE_WAIT;
    if (t->study.algorithm == TUNE_ASHA && next_of_asha(t, job))
        return TUNE_JOB;
    if (t->n < tune_study_trials(&t->study)) {
        *job = (struct tune_job){t->n, 0};
        return TUNE_JOB;
    }
    if (t->study.algorithm == TUNE_HALVING && next_of_halving(t, job))
        return TUNE_JOB;
    if (someone_works)
        return TUNE_WAIT;
    return next_of_best(t, job) ? TUNE_JOB : TUNE_OVER;
}
