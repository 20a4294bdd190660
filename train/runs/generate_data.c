/*
 * train/runs/generate_data.c - t2t-datagen as a process, before training.
 *
 * The generator is a program of its own: the trainer knows of data sets only what problem.h says.
 */
#include "train/runs/generate_data.h"

#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/flags.h"
#include "base/log.h"
#include "base/run_program.h"
#include "base/str.h"
#include "datagen/problem.h"
#include "train/models/hparams.h"
#include "train/models/model.h"

static const char program[] = "t2t-datagen";

static enum t2_status check(const struct tr_generate *g, struct t2_err *err)
{
    struct mdl_hparams *hp = NULL;

    if (g->text && !t2_exists(g->text))
        return t2_fail(err, T2_ENOTFOUND, "--text: there is no file '%s'", g->text);
    if (!g->problem)
        return t2_fail(err, T2_EUSAGE,
                       "--generate_data needs --problem; t2t-datagen lists what there is");
    if (!g->data_dir)
        return t2_fail(err, T2_EUSAGE, "--generate_data needs --data_dir");
    if (g->model)
        T2_TRY(mdl_check_name(g->model, err));
    if (g->hparams_set)
        T2_TRY(mdl_hparams_new(g->hparams_set, &hp, err));
    mdl_hparams_free(hp);
    return T2_OK;
}

/* Flags of a problem that is one text. */
static enum t2_status push_text(const struct tr_generate *g, const char *name, struct t2_strs *argv,
                                struct t2_err *err)
{
    uint64_t bytes;

    T2_TRY(t2_file_size(g->text, &bytes, err));
    t2_strs_printf(argv, "--name=%s", name);
    t2_strs_push(argv, "--kind=text2self");
    t2_strs_printf(argv, "--train=%s", g->text);
    t2_strs_printf(argv, "--dev_percent=%.3g",
                   bytes > 20 * (uint64_t) TR_TEXT_DEV ? 100.0 * TR_TEXT_DEV / (double) bytes
                                                       : 5.0);
    t2_strs_printf(argv, "--packed_length=%d", TR_TEXT_ROW);
    t2_strs_printf(argv, "--vocab_size=%d", TR_TEXT_VOCAB);
    t2_strs_push(argv, "--train_shards=10");
    return T2_OK;
}

static enum t2_status generate_one(const struct tr_generate *g, const char *problem,
                                   struct t2_err *err)
{
    struct t2_strs argv = {0};
    bool reversed, copy;
    char *base = NULL, *dir = NULL, *manifest = NULL;
    enum t2_status st;

    dg_parse_name(problem, &base, &reversed, &copy);
    dir = t2_path_expand(g->data_dir);
    manifest = dg_manifest_path(dir, base);
    if (t2_exists(manifest) && (!g->text || g->n_ranks > 1)) {
        t2_info("--generate_data: '%s' is there already", manifest);
        st = T2_OK;
        goto out;
    }
    if (g->n_ranks > 1) {
        st = t2_fail(err, T2_EUSAGE,
                     "%s is for one process: run t2t-datagen for '%s' once, before "
                     "several are started",
                     g->text ? "--text" : "--generate_data", base);
        goto out;
    }
    t2_strs_push(&argv, program);
    if (!g->text)
        t2_strs_printf(&argv, "--problem=%s", base);
    else
        T2_GOTO(st, out, push_text(g, base, &argv, err));
    t2_strs_printf(&argv, "--data_dir=%s", dir);
    if (g->tmp_dir)
        t2_strs_printf(&argv, "--tmp_dir=%s", g->tmp_dir);
    if (g->t2t_usr_dir)
        t2_strs_printf(&argv, "--t2t_usr_dir=%s", g->t2t_usr_dir);
    if (g->num_threads > 0)
        t2_strs_printf(&argv, "--num_threads=%d", g->num_threads);
    if (t2_flags_quiet())
        t2_strs_push(&argv, "--quiet");
    st = t2_run_program(&argv, true, err); /* stdout is for what is trained */
out:
    t2_strs_release(&argv);
    t2_free(manifest);
    t2_free(dir);
    t2_free(base);
    return st;
}

enum t2_status tr_generate_data(const struct tr_generate *g, struct t2_err *err)
{
    T2_TRY(check(g, err));
    for (const char *at = g->problem; *at != '\0';) {
        size_t n = strcspn(at, "+");
        char *one = t2_strndup(at, n);
        enum t2_status st = generate_one(g, one, err);

        t2_free(one);
        T2_TRY(st);
        at += n + (at[n] == '+');
    }
    return T2_OK;
}
