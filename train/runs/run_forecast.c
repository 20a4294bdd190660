/*
 * train/runs/run_forecast.c - what a dry run says beside the run's description: batches per bucket,
 * and disk.
 */
#include <inttypes.h>

#include "base/alloc.h"
#include "base/str.h"
#include "train/runs/run.h"

/* Of one checkpoint, but for some kilobytes of names and states. */
static uint64_t checkpoint_bytes(const struct tr_run *r)
{
    const struct gr_params *p = mdl_params(r->model);
    uint64_t floats = 0;

    for (int i = 0; i < p->n_variables; i++)
        floats += (uint64_t) p->variables[i].n;
    for (size_t i = 0; r->opt && i < opt_slot_count(r->opt); i++)
        floats += (uint64_t) opt_slot_at(r->opt, i).n;
    return floats * sizeof(float);
}

/* The new one is there before the oldest goes; all stay without a limit. */
static uint64_t most_checkpoints(const struct tr_run *r)
{
    const struct tr_options *o = &r->options;
    int64_t every =
        o->save_checkpoints_steps > 0 ? o->save_checkpoints_steps : o->local_eval_frequency;
    int64_t n = o->train_steps / every + 1;

    if (o->keep_checkpoint_max > 0 && (o->save_checkpoints_secs > 0 || n > o->keep_checkpoint_max))
        n = o->keep_checkpoint_max + 1;
    return (uint64_t) n;
}

static void text_of_shape(const struct mdl_shape *s, double batches, struct t2_buf *b)
{
    t2_buf_printf(b, "%s%.1f of %" PRId32, b->len_bytes > 0 ? ", " : "", batches, s->batch);
    if (s->height > 0)
        t2_buf_printf(b, " images");
    else if (s->inputs_length > 0)
        t2_buf_printf(b, " x %" PRId32 "/%" PRId32, s->inputs_length, s->targets_length);
    else
        t2_buf_printf(b, " x %" PRId32, s->targets_length);
}

enum t2_status tr_forecast_text(const struct tr_run *r, struct t2_buf *text, struct t2_err *err)
{
    char one[32], all[32];
    struct mdl_shape *shapes;
    struct t2_buf line = {0};
    double *batches;
    size_t n;

    if (!r->train)
        return T2_OK;
    T2_TRY(in_buckets(r->train, r->hp, &shapes, &batches, &n, err));
    for (size_t i = 0; i < n; i++)
        text_of_shape(&shapes[i], batches[i], &line);
    t2_buf_printf(text, "batches of an epoch: %s\n", t2_buf_cstr(&line));
    t2_buf_release(&line);
    t2_free(shapes);
    t2_free(batches);
    t2_buf_printf(text, "disk: %s a checkpoint, up to %s for %" PRIu64 "\n",
                  t2_human_bytes(checkpoint_bytes(r), one, sizeof one),
                  t2_human_bytes(checkpoint_bytes(r) * most_checkpoints(r), all, sizeof all),
                  most_checkpoints(r));
    return T2_OK;
}

enum t2_status tr_forecast_json(const struct tr_run *r, struct t2_json *j, struct t2_err *err)
{
    struct mdl_shape *shapes;
    double *batches;
    size_t n;

    if (!r->train)
        return T2_OK;
    T2_TRY(in_buckets(r->train, r->hp, &shapes, &batches, &n, err));
    t2_json_key(j, "buckets");
    t2_json_array(j);
    for (size_t i = 0; i < n; i++) {
        t2_json_object(j);
        t2_json_kv_i64(j, "rows", shapes[i].batch);
        t2_json_kv_i64(j, "inputs_length", shapes[i].inputs_length);
        t2_json_kv_i64(j, "targets_length", shapes[i].targets_length);
        t2_json_key(j, "batches_per_epoch");
        t2_json_float9(j, batches[i]);
        t2_json_end_object(j);
    }
    t2_json_end_array(j);
    t2_free(shapes);
    t2_free(batches);
    t2_json_kv_u64(j, "checkpoint_bytes", checkpoint_bytes(r));
    t2_json_kv_u64(j, "disk_bytes", checkpoint_bytes(r) * most_checkpoints(r));
    return T2_OK;
}
