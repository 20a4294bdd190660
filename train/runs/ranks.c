/*
 * train/runs/ranks.c - see the header.
 */
#include "train/runs/ranks.h"

#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "base/log.h"
#include "base/signals.h"
#include "base/str.h"
#include "base/version.h"
#include "train/ckpt/saver.h"
#include "train/dist/comm.h"
#include "train/runs/launch.h"
#include "train/runs/next_batch.h"

enum t2_status tr_ranks_open(struct tr_run *r, struct t2_err *err)
{
    struct dist_comm comm;

    r->dist = r->options.dist;
    if (r->dist)
        return T2_OK;
    dist_comm_one(&comm);
    T2_TRY(dist_new(&comm, "", &r->alone, err));
    r->dist = r->alone;
    return T2_OK;
}

/* ---- shards ---- */

enum t2_status tr_ranks_settle_shards(struct tr_run *r, struct t2_err *err)
{
    int64_t here = r->options.data_shards > 0 ? r->options.data_shards : 1;
    int64_t n = here * dist_size(r->dist),
            old = r->state.data_shards > 1 ? r->state.data_shards : 1;

    if (here > CKPT_MOST_SHARDS || n > CKPT_MOST_SHARDS)
        return t2_fail(err, T2_EUSAGE, "there are at most %d data shards, not %" PRId64,
                       CKPT_MOST_SHARDS, n);
    if (r->restored && n != old && r->options.data_shards_given)
        return t2_fail(err, T2_EUSAGE,
                       "the run in '%s' has batches of %" PRId64 " data shards, and %" PRId64
                       " (--worker_gpu, --gradient_accumulation) on %d ranks is %" PRId64
                       ": leave the flag out, or give another --output_dir",
                       r->output_dir, old, here, dist_size(r->dist), n);
    if (r->restored && n != old) {
        n = old;
        if (tr_ranks_writes(r))
            t2_info("the run has batches of %" PRId64 " data shard%s, on %d rank%s", n,
                    n == 1 ? "" : "s", dist_size(r->dist), dist_size(r->dist) == 1 ? "" : "s");
    }
    if (n < dist_size(r->dist) && tr_ranks_writes(r))
        t2_warn("%d ranks have nothing to do, as a batch has %" PRId64 " data shard%s",
                dist_size(r->dist) - (int) n, n, n == 1 ? "" : "s");
    r->n_shards = (int) n;
    r->state.data_shards = n;
    r->state.global_batch_size |= r->options.global_batch_size;
    return T2_OK;
}

struct dist_span tr_ranks_shards(const struct tr_run *r)
{
    return dist_tree_of_rank(r->n_shards, dist_rank(r->dist), dist_size(r->dist));
}

void tr_ranks_make_shards(struct tr_run *r)
{
    if (r->options.train && (r->n_shards > 1 || dist_size(r->dist) > 1))
        r->shards = tr_shards_new(r->dist, r->dev, r->model, r->n_shards, r->options.exchange);
}

/* ---- alike ---- */

/* Of variables and slots; without these where each rank has others. */
static uint32_t checksum_of_values(const struct tr_run *r)
{
    uint32_t crc = tr_launch_checksum(r->dev, mdl_params(r->model));

    for (size_t i = 0; r->opt && opt_share_of(r->opt).n == 1 && i < opt_slot_count(r->opt); i++) {
        struct opt_slot s = opt_slot_at(r->opt, i);

        crc = tr_launch_checksum_more(r->dev, s.values, s.n, crc);
    }
    return crc;
}

static void put_data(const char *name, const struct in_input *in, struct t2_buf *b)
{
    struct in_stats s;

    if (!in)
        return;
    s = in_stats_of(in);
    t2_buf_printf(b, "%s data of %" PRIu64 " records (%" PRIu64 " bytes, %" PRIu64 " kept)\n", name,
                  s.n_records, s.n_bytes, s.n_kept);
}

static void put_hparams(const struct mdl_hparams *hp, struct t2_buf *b)
{
    struct t2_buf text = {0};
    struct t2_json json;

    t2_json_init(&json, &text, 1);
    mdl_hparams_write_json(hp, &json);
    t2_buf_printf(b, "%s\n", t2_buf_cstr(&text));
    t2_buf_release(&text);
}

enum t2_status tr_ranks_check_alike(struct tr_run *r, struct t2_err *err)
{
    const struct ckpt_state *s = &r->state;
    struct t2_buf b = {0};
    enum t2_status st;

    if (dist_size(r->dist) == 1)
        return T2_OK;
    t2_buf_printf(&b, "version %s\n", t2_version());
    tr_launch_put_device(r->dev, &b);
    if (r->options.flag_lines)
        t2_buf_puts(&b, r->options.flag_lines);
    t2_buf_printf(&b, "problem %s\nmodel %s\n--random_seed=%" PRIu64 "\nprecision %s\n", s->problem,
                  s->model, s->seed, s->precision);
    t2_buf_printf(&b, "inputs vocabulary %s\ntargets vocabulary %s\ndata set %s\n",
                  s->inputs_vocab_sha256, s->targets_vocab_sha256, s->manifest_sha256);
    put_data("training", r->train, &b);
    put_data("evaluation", r->eval, &b);
    put_hparams(r->hp, &b);
    if (r->restored)
        t2_buf_printf(&b, "the checkpoint of step %" PRId64 "\n", s->step);
    else
        t2_buf_puts(&b, "no checkpoint in the output_dir\n");
    t2_buf_printf(&b, "data shards %d\nvalues of variables with checksum %08" PRIx32 "\n",
                  r->n_shards, checksum_of_values(r));
    st = dist_same_lines(r->dist, t2_buf_cstr(&b), err);
    t2_buf_release(&b);
    return st;
}

/* ---- batches ---- */

enum t2_status tr_ranks_next_batch(struct tr_run *r, bool wants_save, struct mdl_batch *batch,
                                   uint64_t *samples, int64_t *n_targets, struct t2_err *err)
{
    enum t2_status st = tr_next_batch(r->train, r->model, batch, samples, err);
    struct tr_word word = {.stops = st == T2_EINTERRUPTED || t2_interrupted(),
                           .saves = wants_save,
                           .writes = r->saver && !ckpt_saver_done(r->saver)};

    *n_targets = 0;
    if (!r->shards || (st != T2_OK && st != T2_EINTERRUPTED))
        return st;
    if (st == T2_OK)
        word.n_targets = mdl_count_targets(r->model, batch);
    T2_TRY(tr_shards_agree(r->dist, &word, &word, err));
    *n_targets = word.n_targets;
    r->saves_now = word.saves;
    r->all_written = !word.writes;
    return word.stops ? t2_fail(err, T2_EINTERRUPTED, "interrupted") : T2_OK;
}

enum t2_status tr_ranks_evaluate(struct tr_run *r, struct mdl_batch *batch, enum t2_status st,
                                 struct mdl_loss *loss, struct tr_predicted *predicted,
                                 struct t2_err *err)
{
    if (r->n_shards == 1 && dist_size(r->dist) == 1) {
        if (st == T2_OK)
            st = mdl_evaluate(r->model, batch, loss, err);
        if (st != T2_OK || !predicted)
            return st;
        tr_predicted_start(predicted, batch);
        return tr_predicted_take(predicted, r->model, batch, err);
    }
    T2_TRY(tr_shards_evaluate(r->dist, r->model, r->n_shards, batch, st, loss, predicted, err));
    batch->batch = batch->all_rows;
    return T2_OK;
}

/* ---- writing ---- */

bool tr_ranks_writes(const struct tr_run *r)
{
    return dist_rank(r->dist) == 0;
}

char *tr_ranks_path(const struct tr_run *r, const char *kind, int64_t step)
{
    if (dist_size(r->dist) == 1)
        return t2_asprintf("%s/%s-%" PRId64 ".json", r->output_dir, kind, step);
    return t2_asprintf("%s/%s-%" PRId64 "-rank-%d.json", r->output_dir, kind, step,
                       dist_rank(r->dist));
}
