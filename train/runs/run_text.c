/*
 * train/runs/run_text.c - the description of a run, for people and as JSON: banner and --dry_run.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "train/runs/memory_plan.h"

/* 1234567 -> "1,234,567" */
static const char *grouped(uint64_t v, char out[32])
{
    char digits[24];
    int n = snprintf(digits, sizeof digits, "%" PRIu64, v), k = 0;

    for (int i = 0; i < n; i++) {
        if (i > 0 && (n - i) % 3 == 0)
            out[k++] = ',';
        out[k++] = digits[i];
    }
    out[k] = '\0';
    return out;
}

static double mib(uint64_t bytes)
{
    return (double) bytes / (1024.0 * 1024.0);
}

static bool of_images(const struct tr_run *r)
{
    return mdl_classifies_images(&r->data.problem);
}

static void text_of_data(const struct tr_run *r, const char *split, const struct in_input *in,
                         bool training, struct t2_buf *b)
{
    const bool images = of_images(r);
    struct in_stats s = in_stats_of(in);
    char a[32], c[32];

    t2_buf_printf(b, "%s: %s %s in %" PRIu64 " shards", split, grouped(s.n_records, a),
                  images ? "images" : "records", s.n_shards);
    if (s.n_too_long + s.n_too_short > 0)
        t2_buf_printf(b,
                      ", %s kept (%" PRIu64 " longer than %" PRId32 ", %" PRIu64
                      " shorter than %" PRId32 ")",
                      grouped(s.n_kept, c), s.n_too_long, s.max_length, s.n_too_short,
                      s.min_length);
    if (in_corrupt_of(in)->n_records > 0)
        t2_buf_printf(b, ", %" PRIu64 " damaged and passed over", in_corrupt_of(in)->n_records);
    if (!images && !r->data.problem.table)
        t2_buf_printf(b, ", %s target tokens", grouped(s.n_target_tokens, a));
    t2_buf_printf(b, training ? ", %.1f steps per epoch\n" : ", %.0f batches\n",
                  s.batches_per_epoch);
}

static void text_of_start(const struct tr_run *r, struct t2_buf *b)
{
    if (!r->options.train)
        t2_buf_printf(b, "evaluates step %" PRId64 " of '%s'\n", r->state.step, r->output_dir);
    else if (r->restored)
        t2_buf_printf(b, "continues '%s' at step %" PRId64 " of %" PRId64 "\n", r->output_dir,
                      r->state.step, r->options.train_steps);
    else
        t2_buf_printf(b, "begins '%s', %" PRId64 " steps, random_seed %" PRIu64 "\n", r->output_dir,
                      r->options.train_steps, r->state.seed);
}

static void text_of_problem(const struct tr_run *r, struct t2_buf *b)
{
    const struct mdl_problem *p = &r->data.problem;

    static const char *const targets[] = {
        [MDL_TARGET_IDS] = "classes", [MDL_TARGET_REALS] = "numbers", [MDL_TARGET_SET] = "labels"};

    if (p->table || p->target != MDL_TARGET_IDS) {
        t2_buf_printf(b, p->table ? "%d numbers to %d %s\n" : "vocabulary %d to %d %s\n",
                      p->table ? p->image.channels : p->inputs_vocab, p->targets_vocab,
                      targets[p->target]);
        return;
    }
    if (p->describes) {
        t2_buf_printf(b, "images of %d x %d x %d (%s) to texts of %d ids\n", p->image.height,
                      p->image.width, p->image.channels, r->data.images.name, p->targets_vocab);
        return;
    }
    if (of_images(r)) {
        t2_buf_printf(b, "images of %d x %d x %d (%s) to %d classes\n", p->image.height,
                      p->image.width, p->image.channels, r->data.images.name, p->targets_vocab);
        return;
    }
    if (p->pixels.height > 0) {
        t2_buf_printf(b, "makes images of %d x %d x %d (%s), ", p->pixels.height, p->pixels.width,
                      p->pixels.channels, r->data.images.name);
        if (p->source.height > 0)
            t2_buf_printf(b, "from images of %d x %d\n", p->source.height, p->source.width);
        else
            t2_buf_printf(b, "%d classes\n", p->inputs_vocab);
        return;
    }
    t2_buf_printf(b, "vocabulary ");
    if (p->has_inputs && !p->speech)
        t2_buf_printf(b, "%" PRId32 " to ", p->inputs_vocab);
    t2_buf_printf(b, "%" PRId32 "\n", p->targets_vocab);
}

/* One line, or, where the device has memory of its own, one for each. */
static void text_of_memory(const struct tr_run *r, struct t2_buf *b)
{
    struct tr_memory m = tr_memory_of(r);
    char averages[32] = "", saves[32] = "";

    if (m.averages > 0)
        snprintf(averages, sizeof averages, "averages %.1f, ", mib(m.averages));
    if (m.saves > 0)
        snprintf(saves, sizeof saves, "saves %.1f, ", mib(m.saves));
    if (r->dev->host_memory) {
        t2_buf_printf(b,
                      "memory: %.1f MiB = parameters %.1f, gradients %.1f, optimizer %.1f, "
                      "%sactivations %.1f, data %.1f, %sprogram %.1f\n",
                      mib(m.sum), mib(m.parameters), mib(m.gradients), mib(m.optimizer), averages,
                      mib(m.activations), mib(m.data), saves, mib(m.program));
        return;
    }
    t2_buf_printf(b,
                  "device memory: %.1f of %.1f MiB = parameters %.1f, gradients %.1f, optimizer "
                  "%.1f, %sactivations %.1f, batches %.1f\n",
                  mib(m.both.device), mib(r->limit.device), mib(m.parameters), mib(m.gradients),
                  mib(m.optimizer), averages, mib(m.activations), mib(m.batches));
    t2_buf_printf(b, "memory: %.1f MiB = data %.1f, saves %.1f, program %.1f\n", mib(m.both.host),
                  mib(m.data), mib(m.saves), mib(m.program));
}

static int n_frozen(const struct gr_params *p)
{
    int n = 0;

    for (int i = 0; i < p->n_variables; i++)
        n += !p->variables[i].trainable && p->params[p->variables[i].param].trainable;
    return n;
}

void tr_run_text(const struct tr_run *r, struct t2_buf *text)
{
    const struct gr_params *p = mdl_params(r->model);
    char a[32];

    t2_buf_printf(text, "device: %s\n", r->dev->describe(r->dev));
    t2_buf_printf(text, "host: %d thread%s beside the device\n", dev_host_threads(r->dev),
                  dev_host_threads(r->dev) == 1 ? "" : "s");
    t2_buf_printf(text, "model: %s, %s, %s parameters in %d variables, ", r->state.model,
                  r->state.hparams_set, grouped((uint64_t) gr_params_count(p), a),
                  gr_params_count_variables(p));
    text_of_problem(r, text);
    if (mdl_hp_string(r->hp, "frozen_variables")[0] != '\0')
        t2_buf_printf(text, "frozen: %d variables, which stay as they are (%s)\n", n_frozen(p),
                      mdl_hp_string(r->hp, "frozen_variables"));
    if (r->train)
        text_of_data(r, "train", r->train, true, text);
    if (r->eval)
        text_of_data(r, dg_split_name(r->eval_split), r->eval, false, text);
    text_of_memory(r, text);
    text_of_start(r, text);
}

static void json_of_data(const char *key, const struct in_input *in, struct t2_json *j)
{
    struct in_stats s;

    t2_json_key(j, key);
    if (!in) {
        t2_json_null(j);
        return;
    }
    s = in_stats_of(in);
    t2_json_object(j);
    t2_json_kv_u64(j, "shards", s.n_shards);
    t2_json_kv_u64(j, "records", s.n_records);
    t2_json_kv_u64(j, "kept", s.n_kept);
    t2_json_kv_u64(j, "too_long", s.n_too_long);
    t2_json_kv_u64(j, "too_short", s.n_too_short);
    if (in_corrupt_of(in)->n_records > 0)
        t2_json_kv_u64(j, "damaged", in_corrupt_of(in)->n_records);
    t2_json_kv_u64(j, "inputs_tokens", s.n_inputs_tokens);
    t2_json_kv_u64(j, "target_tokens", s.n_target_tokens);
    t2_json_key(j, "batches_per_epoch");
    t2_json_float9(j, s.batches_per_epoch);
    t2_json_end_object(j);
}

void tr_run_json(const struct tr_run *r, struct t2_json *j)
{
    struct tr_memory m = tr_memory_of(r);

    t2_json_kv_string(j, "device", r->dev->describe(r->dev));
    t2_json_kv_i64(j, "host_threads", dev_host_threads(r->dev));
    t2_json_kv_string(j, "model", r->state.model);
    t2_json_kv_string(j, "hparams_set", r->state.hparams_set);
    t2_json_kv_string(j, "problem", r->state.problem);
    t2_json_kv_i64(j, "parameters", gr_params_count(mdl_params(r->model)));
    if (n_frozen(mdl_params(r->model)) > 0)
        t2_json_kv_i64(j, "frozen_variables", n_frozen(mdl_params(r->model)));
    t2_json_kv_i64(j, "inputs_vocab", r->data.problem.inputs_vocab);
    t2_json_kv_i64(j, "targets_vocab", r->data.problem.targets_vocab);
    if (of_images(r) || r->data.problem.describes) {
        t2_json_kv_string(j, "image_pipeline", r->data.images.name);
        t2_json_kv_i64(j, "image_size", r->data.images.size);
        t2_json_kv_i64(j, "image_channels", r->data.images.channels);
    }
    json_of_data("train", r->train, j);
    json_of_data("eval", r->eval, j);
    t2_json_key(j, "memory_bytes");
    t2_json_object(j);
    t2_json_kv_u64(j, "parameters", m.parameters);
    t2_json_kv_u64(j, "gradients", m.gradients);
    t2_json_kv_u64(j, "optimizer", m.optimizer);
    t2_json_kv_u64(j, "averages", m.averages);
    t2_json_kv_u64(j, "activations", m.activations);
    t2_json_kv_u64(j, "data", m.data);
    t2_json_kv_u64(j, "saves", m.saves);
    t2_json_kv_u64(j, "program", m.program);
    if (!r->dev->host_memory) {
        t2_json_kv_u64(j, "batches", m.batches);
        t2_json_kv_u64(j, "device", m.both.device);
        t2_json_kv_u64(j, "device_limit", r->limit.device);
        t2_json_kv_u64(j, "host", m.both.host);
    }
    t2_json_kv_u64(j, "sum", m.sum);
    t2_json_end_object(j);
    t2_json_kv_u64(j, "random_seed", r->state.seed);
    t2_json_kv_i64(j, "step", r->state.step);
    t2_json_kv_i64(j, "train_steps", r->options.train_steps);
}
