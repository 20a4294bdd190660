/*
 * train/runs/translate_all.c - polls the folder of a run: each pass lists the checkpoints and
 * translates with those that are new, until none has come for wait_seconds.
 */
#include "train/runs/translate_all.h"

#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/follow.h"
#include "base/log.h"
#include "base/run_program.h"
#include "train/ckpt/checkpoint.h"
#include "train/eval/bleu.h"

/* The words of decoder_command, with the decoder's flags in the place of {params}. */
static void add_command(const struct tr_translate_all *a, const struct t2_strs *params,
                        struct t2_strs *argv)
{
    const char *at = a->decoder_command;
    bool placed = false;

    while (*(at += strspn(at, " "))) {
        size_t n = strcspn(at, " ");
        bool is_place = n == strlen("{params}") && memcmp(at, "{params}", n) == 0;

        for (size_t i = 0; is_place && i < params->n; i++)
            t2_strs_push(argv, params->items[i]);
        if (!is_place)
            t2_strs_take(argv, t2_strndup(at, n));
        placed |= is_place;
        at += n;
    }
    for (size_t i = 0; !placed && i < params->n; i++)
        t2_strs_push(argv, params->items[i]);
}

static enum t2_status run_decoder(const struct tr_translate_all *a, int64_t step, const char *to,
                                  struct t2_err *err)
{
    struct t2_strs params = {0}, argv = {0};
    enum t2_status st;

    t2_strs_printf(&params, "--output_dir=%s", a->model_dir);
    t2_strs_printf(&params, "--checkpoint_path=%" PRId64, step);
    t2_strs_printf(&params, "--decode_from_file=%s", a->source);
    t2_strs_printf(&params, "--decode_to_file=%s", to);
    t2_strs_push(&params, "--keep_timestamp");
    for (size_t i = 0; i < a->params->n; i++)
        t2_strs_push(&params, a->params->items[i]);
    add_command(a, &params, &argv);
    st = argv.n == 0 ? t2_fail(err, T2_EUSAGE, "--decoder_command: there is no word in it")
                     : t2_run_program(&argv, true, err); /* stdout is for the table */
    t2_strs_release(&params);
    t2_strs_release(&argv);
    return st;
}

static enum t2_status is_there(const struct tr_translate_all *a, int64_t step, bool *there,
                               struct t2_err *err)
{
    int64_t *steps = NULL;
    size_t n = 0;

    *there = false;
    T2_TRY(ckpt_list(a->model_dir, &steps, &n, err));
    for (size_t i = 0; i < n; i++)
        *there |= steps[i] == step;
    t2_free(steps);
    return T2_OK;
}

/* *gone: the run has removed the checkpoint meanwhile. */
static enum t2_status translate(const struct tr_translate_all *a, int64_t step, const char *to,
                                bool *gone, struct t2_err *err)
{
    struct t2_err unused = T2_ERR_INIT;
    enum t2_status st = run_decoder(a, step, to, err);
    bool there;

    *gone = false;
    if (st != T2_EFORMAT || is_there(a, step, &there, &unused) != T2_OK || there)
        return st;
    *gone = true;
    t2_warn("the checkpoint of step %" PRId64 " was removed from '%s' before it was read", step,
            a->model_dir);
    return T2_OK;
}

static enum t2_status one(const struct tr_translate_all *a, const char *problem, int64_t step,
                          struct t2_err *err)
{
    static const bool lower_case[] = {true, false};
    char *name = t2_asprintf("%s-%" PRId64, problem, step);
    char *path = t2_path_join(a->translations_dir, name);
    struct tr_translated t = {.step = step, .path = path, .was_there = t2_exists(path)};
    struct ev_bleu bleu[2];
    enum t2_status st = T2_OK;
    bool gone = false;

    if (!t.was_there)
        st = translate(a, step, path, &gone, err);
    if (st == T2_OK && !gone && a->reference[0]) {
        st = ev_bleu_files(path, a->reference, lower_case, 2, bleu, err);
        t.uncased = bleu[0].score;
        t.cased = bleu[1].score;
    }
    if (st == T2_OK && !gone)
        a->translated(a->context, &t);
    t2_free(path);
    t2_free(name);
    return st;
}

/* Owned by the caller. */
static enum t2_status problem_of(const struct tr_translate_all *a, int64_t step, char **problem,
                                 struct t2_err *err)
{
    struct ckpt_state state;

    *problem = NULL;
    if (!a->problem[0]) {
        T2_TRY(ckpt_load_state(a->model_dir, step, &state, NULL, err));
        if (!state.problem[0])
            return t2_fail(err, T2_EUSAGE, "'%s' does not say of which problem it is: --problem",
                           a->model_dir);
    }
    *problem = t2_strdup(a->problem[0] ? a->problem : state.problem);
    return T2_OK;
}

/* The run's flags go with its translations. */
static enum t2_status copy_flags(const struct tr_translate_all *a, const char *problem,
                                 struct t2_err *err)
{
    char *name = t2_asprintf("%s-flags.txt", problem);
    char *from = t2_path_join(a->model_dir, "flags.txt");
    char *to = t2_path_join(a->translations_dir, name);
    enum t2_status st = t2_copy_file_once(from, to, err);

    t2_free(name);
    t2_free(from);
    t2_free(to);
    return st;
}

/* All checkpoints after step *done. */
static enum t2_status translate_new(const struct tr_translate_all *a, int64_t *done,
                                    struct t2_err *err)
{
    int64_t *steps = NULL;
    char *problem = NULL;
    size_t n = 0;
    enum t2_status st;

    T2_TRY(ckpt_list(a->model_dir, &steps, &n, err));
    st = T2_OK;
    for (size_t i = 0; i < n && st == T2_OK; i++) {
        if (steps[i] <= *done || steps[i] < a->min_steps)
            continue;
        if (!problem)
            T2_GOTO(st, out, problem_of(a, steps[i], &problem, err));
        T2_GOTO(st, out, copy_flags(a, problem, err));
        T2_GOTO(st, out, one(a, problem, steps[i], err));
        *done = steps[i];
    }
out:
    t2_free(problem);
    t2_free(steps);
    return st;
}

struct translating {
    const struct tr_translate_all *asked;
    int64_t done; /* the step of the last one; -1: none */
};

static enum t2_status look(void *context, bool *found, struct t2_err *err)
{
    struct translating *t = context;
    int64_t before = t->done;
    enum t2_status st = translate_new(t->asked, &t->done, err);

    *found = t->done != before;
    return st;
}

enum t2_status tr_translate_all(const struct tr_translate_all *a, struct t2_err *err)
{
    struct translating t = {.asked = a, .done = -1};

    T2_TRY(t2_make_dirs(a->translations_dir, err));
    T2_TRY(t2_follow(look, &t, a->wait_seconds, err));
    if (t.done < 0)
        return t2_fail(err, T2_ENOTFOUND, "'%s' has no checkpoint%s", a->model_dir,
                       a->min_steps > 0 ? " from --min_steps on" : "");
    return T2_OK;
}
