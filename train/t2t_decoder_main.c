/*
 * train/t2t_decoder_main.c - t2t-decoder: opens a trained model, and does with it what the flags
 * say (train/trained/ways.h): translates files, or line by line; says what is on images; scores;
 * serves.
 */
#include <inttypes.h>
#include <stdio.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/log.h"
#include "base/memory_available.h"
#include "base/run_tool.h"
#include "train/decode/decode_typed.h"
#include "train/exchange/model_file.h"
#include "train/models/search_graphs.h"
#include "train/runs/launch.h"
#include "train/runs/memory_plan.h"
#include "train/runs/plugins.h"
#include "train/trained/decoder_flags.h"
#include "train/trained/ensemble.h"
#include "train/trained/predict_values.h"
#include "train/trained/ways.h"

/* The processes that mpirun or srun have started with this one; one that is silent for so long is
 * lost. */
enum { RANK_TIMEOUT_S = 20 };
static struct dist *ranks;

static struct tr_trained_options trained_options(void)
{
    return (struct tr_trained_options){tr_decoder_flags.output_dir,
                                       tr_decoder_flags.checkpoint_path,
                                       tr_decoder_flags.average_checkpoints,
                                       tr_decoder_flags.data_dir,
                                       tr_decoder_flags.problem,
                                       tr_decoder_flags.model,
                                       tr_decoder_flags.hparams_set,
                                       tr_decoder_flags.hparams,
                                       tr_decoder_flags.device,
                                       tr_launch_threads(ranks, t2_flags_num_threads()),
                                       xch_is_model_file(tr_decoder_flags.model)
                                           ? tr_decoder_flags.model
                                           : "",
                                       tr_decoder_flags.precision};
}

static void describe(const struct tr_trained *t, const struct dec_hparams *hp)
{
    t2_info("%s, %s of problem %s, step %" PRId64 "%s in '%s'", t->state.model,
            t->state.hparams_set, t->state.problem, t->state.step,
            tr_decoder_flags.average_checkpoints > 1 ? " and before, averaged," : "", t->dir);
    t2_info("%s; %s", t->dev->describe(t->dev),
            t->data.problem.class_labels        ? "labels, or values"
            : t->data.problem.pixels.height > 0 ? "images"
            : hp->beam_size > 1                 ? "beam search"
                                                : "greedy");
}

/* What batches may take when nobody says it: of what is left when the rest of the program has what
 * it will take, three quarters.  The fourth is for the lines of the file, and for address space
 * that threads and libraries reserve and do not use, where that is what is limited (ulimit -v).
 * Ranks of one machine share it. */
static uint64_t left_for_batches(const struct tr_trained *t)
{
    uint64_t left = t2_memory_available() / (uint64_t) ranks->n_here;
    uint64_t later = tr_program_bytes(t->dev, 0, !mdl_searches_pack(t->m));

    return left > later ? (left - later) / 4 * 3 + 1 : 1;
}

static void report_memory(const struct dev *dev, uint64_t before_bytes,
                          const struct dec_translator *t)
{
    const double mib = 1024.0 * 1024.0;
    struct dev_bytes batch = dec_planned_bytes(t);

    if (!dev->host_memory)
        t2_info("device memory: batch %.1f MiB, of %.1f MiB", (double) batch.device / mib,
                (double) dev->memory(dev).limit_bytes / mib);
    t2_info("memory: %.1f MiB = batch %.1f, model and program %.1f; at most %.1f MiB were used",
            (double) (batch.host + before_bytes) / mib, (double) batch.host / mib,
            (double) before_bytes / mib, (double) t2_memory_peak() / mib);
}

static enum t2_status decode(struct tr_trained *t, const struct tr_ensemble *others,
                             const struct dec_vocabulary_map *map, const struct dec_hparams *hp,
                             struct t2_err *err)
{
    struct dec_parts parts = {.m = t->m,
                              .inputs = t->inputs,
                              .targets = t->targets,
                              .hp = hp,
                              .seed = tr_decoder_flags.given_seed
                                          ? (uint64_t) tr_decoder_flags.random_seed
                                          : t->state.seed,
                              .max_memory = tr_decoder_flags.max_memory
                                                ? tr_decoder_flags.max_memory
                                                : left_for_batches(t),
                              .context_separator = t->data.view->context_separator,
                              .keep_ids = tr_decoder_flags.serve[0] != '\0',
                              .map = map,
                              .others = others->models,
                              .n_others = others->n,
                              .dist = ranks};
    uint64_t before_bytes =
        tr_program_bytes(t->dev, t2_memory_resident(), !mdl_searches_pack(t->m));
    const struct tr_trained_options opened = trained_options();
    struct dec_translator *translator = NULL;
    enum t2_status st;

    if (tr_decoder_flags.score_file[0])
        return tr_way_score(t, &parts, err);
    tr_way_name_unread(t, hp);
    if (t->data.view->is_images || tr_has_values(&t->data.problem)) {
        describe(t, hp);
        return tr_decoder_flags.serve[0] ? tr_way_serve(&opened, t, NULL, &parts, err)
                                         : tr_way_media(t, NULL, &parts, err);
    }
    if (t->data.problem.sentences == MDL_SENTENCES_ANSWERED)
        return tr_way_answers(t, &parts, err);
    T2_TRY(dist_agree(ranks, dec_translator_new(&parts, &translator, err), err));
    describe(t, hp);
    if (t->data.view->is_speech || t->data.problem.describes)
        st = tr_way_media(t, translator, &parts, err);
    else if (tr_decoder_flags.serve[0])
        st = tr_way_serve(&opened, t, &translator, &parts, err);
    else
        st = tr_decoder_flags.decode_interactive
                 ? dec_decode_typed(translator, hp, tr_decoder_flags.max_memory, stdout, err)
             : tr_decoder_decodes_set() ? tr_way_set(t, translator, &parts, err)
                                        : tr_way_file(t, translator, &parts, err);
    if (st == T2_OK && !tr_decoder_flags.decode_interactive)
        report_memory(t->dev, before_bytes, translator);
    dec_translator_free(translator);
    return st;
}

static enum t2_status check_model_file(struct t2_err *err)
{
    if (tr_decoder_flags.output_dir[0] || tr_decoder_flags.checkpoint_path[0] ||
        tr_decoder_flags.average_checkpoints > 1)
        return t2_fail(err, T2_EUSAGE,
                       "--model=%s is a model that stands alone: --output_dir, --checkpoint_path "
                       "and --average_checkpoints are for runs",
                       tr_decoder_flags.model);
    if (tr_decoder_flags.keep_timestamp)
        return t2_fail(err, T2_EUSAGE, "--keep_timestamp is for checkpoints of runs");
    if (tr_decoder_flags.data_dir[0])
        t2_warn("--data_dir means nothing beside a model that stands alone");
    return T2_OK;
}

/* The model, and what is wanted of it. */
static enum t2_status open_model(struct dec_hparams *hp, struct tr_trained *t, struct t2_err *err)
{
    bool of_file = xch_is_model_file(tr_decoder_flags.model);
    struct tr_trained_options o;

    T2_TRY(dec_hparams_parse(tr_decoder_flags.decode_hparams, hp, err));
    T2_TRY(tr_decoder_join_flags(hp, err));
    T2_TRY(tr_decoder_check_flags(err));
    o = trained_options();
    if (of_file)
        T2_TRY(check_model_file(err));
    T2_TRY(tr_need_plugins(tr_decoder_flags.t2t_usr_dir, err));
    T2_TRY(tr_trained_open(&o, t, err));
    if (of_file) {
        T2_TRY(dec_hparams_join(t->decode_hparams, tr_decoder_flags.decode_hparams, hp, err));
        T2_TRY(tr_decoder_join_flags(hp, err));
    }
    if (t->task_id > 0 && hp->multiproblem_task_id < 0)
        hp->multiproblem_task_id = t->task_id;
    return tr_way_check(t, ranks, err);
}

static enum t2_status open_others(const struct tr_trained *t, struct tr_ensemble *others,
                                  struct t2_err *err)
{
    const struct tr_trained_options o = trained_options();

    return tr_ensemble_open(&o, tr_decoder_flags.ensemble, t, others, err);
}

static enum t2_status open_map(const struct tr_trained *t, struct dec_vocabulary_map **map,
                               struct t2_err *err)
{
    char *path = t2_path_expand(tr_decoder_flags.shortlist);
    enum t2_status st = dec_vocabulary_map_load(path, t->inputs, t->targets, map, err);

    t2_free(path);
    return st;
}

static enum t2_status run(struct t2_err *err)
{
    struct tr_trained t = {.dir = NULL};
    struct dec_vocabulary_map *map = NULL;
    struct tr_ensemble others = {.n = 0};
    struct dec_hparams hp;
    enum t2_status st;

    T2_TRY(tr_launch_open(RANK_TIMEOUT_S, &ranks, err));
    st = dist_agree(ranks, open_model(&hp, &t, err), err);
    if (st == T2_OK)
        st = tr_trained_check_alike(&t, ranks, &tr_decoder_tool, err);
    if (st == T2_OK && tr_decoder_flags.ensemble[0])
        st = dist_agree(ranks, open_others(&t, &others, err), err);
    if (st == T2_OK && tr_decoder_flags.shortlist[0])
        st = dist_agree(ranks, open_map(&t, &map, err), err);
    if (st == T2_OK)
        st = decode(&t, &others, map, &hp, err);
    dec_vocabulary_map_free(map);
    tr_ensemble_close(&others);
    tr_trained_close(&t);
    return st;
}

int main(int argc, char **argv)
{
    struct t2_err err = T2_ERR_INIT;
    enum t2_status st;

    t2_begin_tool(tr_decoder_tool.name);
    st = t2_try_tool(&tr_decoder_tool, argc, argv, run, &err);
    return tr_launch_end(ranks, st, &err);
}
