/*
 * datagen/runs/generate.c - a problem becomes a data set.
 */
#include "datagen/runs/generate.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/dir_lock.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/log.h"
#include "base/progress.h"
#include "base/remote_hooks.h"
#include "base/signals.h"
#include "base/version.h"
#include "datagen/passes/shard_maker.h"
#include "datagen/runs/forecast.h"
#include "datagen/runs/generate_run.h"
#include "datagen/runs/join_parts.h"
#include "datagen/shards/layout.h"
#include "datagen/shards/shard_shuffle.h"
#include "tfrecord/shards.h"

enum { MAX_SHARDS = 100000 };

/* ---- the plan ---- */

static enum t2_status check_options(const struct dg_run *r, struct t2_err *err)
{
    for (int split = 0; split < DG_N_SPLITS; split++) {
        int n = dg_n_shards(r->p, r->g, (enum dg_split) split);
        if (r->g->n_shards[split] && !r->p->n_shards[split])
            return t2_fail(err, T2_EUSAGE, "--%s_shards: '%s' has no %s split",
                           dg_split_name((enum dg_split) split), r->p->name,
                           dg_split_name((enum dg_split) split));
        if (n < 0 || n > MAX_SHARDS)
            return t2_fail(err, T2_EUSAGE, "%d shards for %s: must be 1 to %d", n,
                           dg_split_name((enum dg_split) split), MAX_SHARDS);
    }
    return T2_OK;
}

static bool vocab_needs_words(const struct dg_run *r, int side)
{
    const struct dg_vocab_spec *spec = dg_vocab_spec_of(r->p, (enum dg_side_index) side);

    return dg_has_own_vocab(r->p, side) && spec->kind == DG_VOCAB_SUBWORDS && !spec->ready_file &&
           !spec->of_problem && !r->p->vocab.open_text && !r->p->vocab.make &&
           (r->g->overwrite || !r->vocab_is_there[side]);
}

static enum t2_status scan_all(struct dg_run *r, struct t2_err *err)
{
    bool count;

    T2_TRY(dg_look_at_vocabs(r, err));
    count = vocab_needs_words(r, DG_INPUTS) || vocab_needs_words(r, DG_TARGETS);
    for (int split = 0; split < DG_N_SPLITS; split++) {
        if (r->p->n_shards[split] == 0 || (r->p->sharding.one_stream && split != DG_TRAIN))
            continue;
        T2_TRY(dg_scan_split(r->p, &r->g->options, (enum dg_split) split, count, r->g->pool,
                             &r->scan, err));
        t2_debug("%s: %" PRIu64 " samples", dg_split_name((enum dg_split) split),
                 r->scan.n_samples[split]);
    }
    return T2_OK;
}

static const char *origin_of(const struct dg_run *r, int side)
{
    const struct dg_vocab_spec *spec = dg_vocab_spec_of(r->p, (enum dg_side_index) side);

    if (!r->vocab_paths[side])
        return "none";
    if (spec->ready_file)
        return "given";
    if (r->p->vocab.make)
        return "made";
    return r->vocab_is_there[side] ? "found" : "built";
}

static enum t2_status write_plan(struct dg_run *r, const char *path, struct t2_err *err)
{
    struct t2_buf text = {0};
    struct t2_json json;
    enum t2_status st;

    t2_json_init(&json, &text, 1);
    t2_json_object(&json);
    dg_made_from_write(&r->made_from, "made_from", &json);
    dg_made_from_write(&r->vocab_origin, "vocab_origin", &json);
    t2_json_end_object(&json);
    t2_buf_push(&text, '\n');
    st = t2_write_file(path, text.data, text.len_bytes, err);
    t2_buf_release(&text);
    return st;
}

/* Notes the plan, so that a stopped run is continued; then a manifest of lost files may go. */
static enum t2_status begin(struct dg_run *r, enum dg_there there, struct t2_err *err)
{
    char *plan = dg_plan_path(r->g->options.data_dir, r->p->name);
    char *manifest = dg_manifest_path(r->g->options.data_dir, r->p->name);
    enum t2_status st;

    st = dg_look_at_vocabs(r, err);
    if (st == T2_OK && there == DG_THERE_NOTHING) {
        for (int side = 0; side < DG_N_SIDES; side++) {
            if (dg_has_own_vocab(r->p, side))
                dg_made_from_add(&r->vocab_origin, dg_side_name[side], "%s", origin_of(r, side));
        }
    }
    if (st == T2_OK)
        st = write_plan(r, plan, err);
    if (st == T2_OK)
        st = t2_remove(manifest, err);
    t2_free(manifest);
    t2_free(plan);
    return st;
}

/* ---- records ---- */

static struct dg_text_file *add_text_file(struct dg_run *r, int split, int side)
{
    struct dg_text_file *f = &r->text_files[r->n_text_files++];

    f->split = (enum dg_split) split;
    f->side = side;
    f->file = t2_asprintf("%s.%s.%s", dg_problem_stem(r->p), dg_split_name(f->split),
                          r->p->text_files[side]);
    return f;
}

/* dev and test of a problem that has no text files of its own are written down for translating. */
static enum t2_status encode_split(struct dg_run *r, int split, size_t first_bin, size_t n_bins,
                                   struct t2_err *err)
{
    struct t2_out *text[DG_N_SIDES] = {NULL, NULL};
    struct dg_text_file *files[DG_N_SIDES] = {NULL, NULL};
    bool write_text =
        r->p->text_files[DG_TARGETS] && split != DG_TRAIN && dg_owns_shard(&r->g->share, 0);
    enum t2_status st = T2_OK;

    for (int side = 0; side < DG_N_SIDES && write_text && st == T2_OK; side++) {
        char *path;
        files[side] = add_text_file(r, split, side);
        path = t2_path_join(r->g->options.data_dir, files[side]->file);
        st = t2_out_new(path, &text[side], err);
        if (st == T2_OK)
            t2_out_hash_on(text[side]);
        t2_free(path);
    }
    if (st == T2_OK)
        st = dg_encode_split(&r->encode, (enum dg_split) split, first_bin, n_bins,
                             r->scan.n_samples[split], &r->scan.kept[split], &r->scan.drops[split],
                             text, err);
    for (int side = 0; side < DG_N_SIDES; side++) {
        if (st != T2_OK || !text[side]) {
            t2_out_abort(text[side]);
            continue;
        }
        files[side]->bytes = t2_out_bytes(text[side]);
        t2_out_sha256(text[side], files[side]->sha256);
        st = t2_out_commit(text[side], err);
    }
    return st;
}

static enum t2_status make_split(struct dg_run *r, int split, size_t first_bin, size_t n_bins,
                                 struct t2_err *err)
{
    return dg_make_shards(&r->encode, (enum dg_split) split, first_bin, n_bins,
                          r->shard_states + first_bin, &r->scan.drops[split],
                          &r->scan.n_replaced[split], err);
}

static enum t2_status encode_all(struct dg_run *r, struct t2_err *err)
{
    size_t first_bin = 0;

    r->encode.problem = r->p;
    r->encode.options = &r->g->options;
    r->encode.pool = r->g->pool;
    r->encode.deal_at_random = r->g->shuffle == DG_SHUFFLE_GLOBAL;
    r->encode.cache_bytes = r->memory.cache_bytes;
    r->encode.hashes = r->g->share.n == 0 ? r->hashes : NULL;
    for (int split = 0; split < DG_N_SPLITS; split++)
        r->encode.n_bins[split] = (size_t) dg_n_shards(r->p, r->g, (enum dg_split) split);
    for (int split = 0; split < DG_N_SPLITS; split++) {
        size_t n_bins = (size_t) dg_n_shards(r->p, r->g, (enum dg_split) split);
        if (n_bins == 0)
            continue;
        if (r->p->sharding.one_stream)
            return encode_split(r, DG_TRAIN, 0, r->shard_paths.n, err);
        T2_TRY(r->p->sharding.maker ? make_split(r, split, first_bin, n_bins, err)
                                    : encode_split(r, split, first_bin, n_bins, err));
        first_bin += n_bins;
    }
    return T2_OK;
}

static struct t2_strs scratch_paths(const struct dg_run *r)
{
    char *stem = t2_asprintf("%s-unshuffled", dg_problem_stem(r->p));
    struct t2_strs paths = {0};

    for (int split = 0; split < DG_N_SPLITS; split++) {
        int n = dg_n_shards(r->p, r->g, (enum dg_split) split);
        for (int i = 0; i < n; i++) {
            char *path =
                tfr_shard_path(r->g->options.data_dir, stem, dg_split_name((enum dg_split) split),
                               i + dg_layout_of(r->p)->first_shard, n);
            t2_strs_take(&paths, dg_owns_shard(&r->g->share, paths.n)
                                     ? t2_asprintf("%s.incomplete", path)
                                     : t2_strdup(""));
            t2_free(path);
        }
    }
    t2_free(stem);
    return paths;
}

/* Shards of the manifest, all in one array in shuffle order; the splits point into it. */
static struct tfr_manifest_shard *shard_infos(struct dg_run *r)
{
    struct tfr_manifest_shard *infos = t2_alloc(r->shard_paths.n, sizeof *infos);

    for (size_t i = 0; i < r->shard_paths.n; i++) {
        infos[i].file = t2_strdup(t2_path_base(r->shard_paths.items[i]));
        memset(infos[i].sha256, '0', sizeof infos[i].sha256 - 1); /* of shards of other tasks */
    }
    return infos;
}

static void hand_out_infos(struct dg_run *r, const struct tfr_manifest_shard *infos)
{
    for (int split = 0; split < DG_N_SPLITS; split++) {
        struct tfr_manifest_split *s = &r->m->splits[split];
        s->n_shards = (size_t) dg_n_shards(r->p, r->g, (enum dg_split) split);
        s->shards = t2_alloc(s->n_shards, sizeof *s->shards);
        for (size_t i = 0; i < s->n_shards; i++) {
            s->shards[i] = *infos++;
            s->n_records += s->shards[i].n_records;
        }
    }
}

static size_t n_shuffled(const struct dg_run *r)
{
    if (r->g->shuffle == DG_SHUFFLE_NONE ||
        (r->p->sharding.already_shuffled && r->g->shuffle == DG_SHUFFLE_T2T))
        return 0;
    if (dg_layout_of(r->p)->shuffles_only_train)
        return (size_t) dg_n_shards(r->p, r->g, DG_TRAIN);
    if (r->p->sharding.unshuffled_test && r->g->shuffle == DG_SHUFFLE_T2T)
        return r->shard_paths.n - (size_t) dg_n_shards(r->p, r->g, DG_TEST);
    return r->shard_paths.n;
}

static enum t2_status shuffle(struct dg_run *r, struct tfr_manifest_shard *infos,
                              struct t2_err *err)
{
    const struct dg_packing packing = {r->p->packing.length, r->p->packing.spacing,
                                       r->p->has_inputs};
    bool pack = packing.length && !r->p->sharding.maker; /* that packs before */
    struct dg_shuffle how = {.n = n_shuffled(r),
                             .share = r->g->share,
                             .bin_records = r->encode.bin_records,
                             .memory_bytes = r->memory.shuffle_bytes,
                             .says = &dg_layout_of(r->p)->says,
                             .packing = pack ? &packing : NULL,
                             .of_shard = r->shard_states,
                             .stats = &r->encode.stats};
    enum t2_status st;

    t2_mt_seed_python(&how.mt, r->g->options.random_seed);
    if (r->p->sharding.before_shuffle)
        T2_TRY(r->p->sharding.before_shuffle(r->p, &r->g->options, &how.mt, err));
    t2_remote_unordered(true);
    st = dg_shuffle_shards(r->encode.bins, &r->shard_paths, &how, r->g->pool, infos, err);
    t2_remote_unordered(false);
    return st;
}

static bool encodes_own(const struct dg_run *r)
{
    bool own = r->g->share.n > 0;

    for (int split = 0; split < DG_N_SPLITS; split++)
        own &= dg_encodes_own(r->p, &r->scan.kept[split]);
    return own;
}

static enum t2_status write_shards(struct dg_run *r, struct t2_err *err)
{
    struct t2_strs scratch = scratch_paths(r);
    struct tfr_manifest_shard *infos = shard_infos(r);
    enum t2_status st = dg_bins_new(&scratch, r->memory.bins_bytes, &r->encode.bins, err);

    r->encode.bin_records = t2_alloc(scratch.n, sizeof *r->encode.bin_records);
    r->encode.share = r->g->share;
    r->encode.only_own = r->p->sharding.maker || encodes_own(r);
    if (r->p->sharding.maker)
        r->shard_states = t2_alloc(scratch.n, sizeof *r->shard_states);
    if (st == T2_OK)
        st = encode_all(r, err);
    if (st == T2_OK)
        st = shuffle(r, infos, err);
    dg_bins_free(r->encode.bins);
    r->encode.bins = NULL;
    hand_out_infos(r, infos);
    t2_free(r->encode.bin_records);
    t2_free(r->shard_states);
    t2_free(infos);
    t2_strs_release(&scratch);
    return st;
}

/* ---- the manifest ---- */

static void note_vocab(const struct dg_run *r, int side, struct dg_vocab_info *info)
{
    const struct dg_vocab *v = r->encode.vocabs[side];
    const struct dg_vocab_spec *spec = dg_vocab_spec_of(r->p, (enum dg_side_index) side);
    const char *path = r->vocab_paths[side];

    info->kind = v->kind;
    info->size = v->size;
    info->is_label =
        v->kind == DG_VOCAB_CLASSES || (side == DG_TARGETS && r->p->text.targets_are_labels);
    for (int64_t i = 0; spec->classes && i < spec->approx_size; i++)
        t2_strs_push(&info->labels, spec->classes[i]);
    if (v->kind == DG_VOCAB_NUMBERS)
        info->id_offset = spec->raw_ids ? 0 : 2;
    if (!v->encoder)
        return;
    info->id_offset = tok_offset(v->encoder);
    if (v->kind == DG_VOCAB_MODEL)
        info->model = t2_strdup(tok_kind(v->encoder));
    if (v->oov_token)
        info->oov_token = t2_strdup(v->oov_token);
    if (path) {
        info->file = t2_strdup(t2_path_base(path));
        tok_sha256(v->encoder, info->sha256);
    }
}

/* Lengths and values; a task that has encoded everything leaves them to the first one. */
static void note_features(struct dg_run *r)
{
    static const char *const kinds[] = {"none", "bytes", "float", "int64"};

    r->m->features = t2_alloc(DG_MAX_FEATURES, sizeof *r->m->features);
    if (!r->encode.only_own && !r->p->packing.length && !dg_owns_shard(&r->g->share, 0))
        return;
    for (size_t i = 0; i < r->encode.stats.n; i++) {
        const struct dg_feature_stats *s = &r->encode.stats.items[i];
        struct tfr_manifest_feature *f = &r->m->features[r->m->n_features++];
        f->name = t2_strdup(s->name);
        f->kind = t2_strdup(kinds[s->kind]);
        f->min_length = s->min_length;
        f->max_length = s->max_length;
        f->n_values = s->n_values;
        f->min_value = s->min_value;
        f->max_value = s->max_value;
    }
}

static void warn_of_drops(const struct dg_run *r)
{
    for (int split = 0; split < DG_N_SPLITS; split++) {
        if (r->scan.n_replaced[split])
            t2_warn("%" PRIu64 " texts of the %s samples were not UTF-8; what was broken is U+FFFD "
                    "now",
                    r->scan.n_replaced[split], dg_split_name((enum dg_split) split));
        for (size_t i = 0; i < r->scan.drops[split].n; i++) {
            const struct dg_drop *d = &r->scan.drops[split].items[i];
            char line[32] = "";
            if (d->examples[0].line) /* not of a file as a whole */
                snprintf(line, sizeof line, " line %" PRIu64, d->examples[0].line);
            t2_warn("%" PRIu64 " of the %s samples left out: %s (first: '%s'%s)", d->n,
                    dg_split_name((enum dg_split) split), d->reason, d->examples[0].path, line);
            r->m->n_dropped += d->n;
        }
    }
}

static bool has_same_file(const struct dg_run *r, const struct dg_shared *s, const char **path)
{
    const struct dg_input_files *a = &r->scan.files[s->in], *b = &r->scan.files[s->of];

    for (size_t i = 0; i < a->n; i++) {
        for (size_t k = 0; k < b->n; k++) {
            *path = a->items[i].path;
            if (a->items[i].bytes > 0 && strcmp(a->items[i].sha256, b->items[k].sha256) == 0)
                return true;
        }
    }
    return false;
}

/* Splits that have samples in common, and why when that is easily said. */
static void report_shared(const struct dg_run *r)
{
    dg_report_shared(r->shared);
    for (int i = 0; i < DG_N_SHARED; i++) {
        const struct dg_shared *s = &r->shared[i];
        const char *path;

        if (dg_shares_much(s) && has_same_file(r, s, &path))
            t2_warn("'%s' is given for %s and for %s", path, dg_split_name(s->of),
                    dg_split_name(s->in));
    }
}

/* Are records samples, so that who reads the shards finds the same number? */
static bool records_are_samples(const struct dg_run *r)
{
    return !r->p->sharding.maker && !r->p->packing.length && !r->p->chopping.length;
}

/* What the work is done for is there: the note of unfinished work goes, also one that a run left
 * which was killed between its manifest and this. */
static enum t2_status remove_plan(const struct dg_run *r, struct t2_err *err)
{
    char *plan = dg_plan_path(r->g->options.data_dir, r->p->name);
    enum t2_status st = t2_remove(plan, err);

    t2_free(plan);
    return st;
}

static enum t2_status finish(struct dg_run *r, const char *manifest_path, struct t2_err *err)
{
    struct dg_manifest_notes notes = {.made_from = &r->made_from,
                                      .scan = &r->scan,
                                      .vocab_origin = &r->vocab_origin,
                                      .text_files = r->text_files,
                                      .n_text_files = r->n_text_files,
                                      .drops_of_task = r->p->sharding.maker && r->g->share.n > 0,
                                      .shared = records_are_samples(r) ? r->shared : NULL,
                                      .shared_of_task = r->g->share.n > 0};

    r->m->problem = t2_strdup(r->p->name);
    r->m->dataset_filename = t2_strdup(dg_problem_stem(r->p));
    r->m->command = t2_strdup(r->g->command ? r->g->command : "");
    r->m->version = t2_strdup(t2_version());
    r->m->random_seed = r->g->options.random_seed;
    r->m->has_inputs = r->p->has_inputs;
    r->m->input_space_id = r->p->input_space_id;
    r->m->target_space_id = r->p->target_space_id;
    r->m->context_separator = r->p->text.context_separator;
    if (r->p->has_inputs)
        note_vocab(r, DG_INPUTS, &r->m->inputs_vocab);
    note_vocab(r, DG_TARGETS, &r->m->targets_vocab);
    note_features(r);
    warn_of_drops(r);
    dg_count_shared(r->hashes, r->shared);
    report_shared(r);
    dg_manifest_hash_data(r->m);
    return dg_manifest_write(manifest_path, r->m, &notes, err);
}

/* ---- all together ---- */

/* What is there already, the note of the work, the vocabularies: one process at a time. */
static enum t2_status begin_and_vocabs(struct dg_run *r, enum dg_there *there, struct t2_err *err)
{
    if (r->g->overwrite)
        T2_TRY(dg_existing_set_clear(r->p, r->g, err));
    else
        T2_TRY(dg_existing_set(r->p, r->g, &r->made_from, there, &r->vocab_origin, err));
    if (*there == DG_THERE_ALL)
        return T2_OK;
    if (*there == DG_THERE_PART && r->g->share.n == 0)
        t2_info("Continuing a run that was stopped.");
    T2_TRY(begin(r, *there, err));
    if (r->p->before)
        T2_TRY(r->p->before(r->p, &r->g->options, DG_STEP_VOCAB, err));
    T2_TRY(dg_provide_vocabs(r, err));
    if (r->p->before)
        T2_TRY(r->p->before(r->p, &r->g->options, DG_STEP_RECORDS, err));
    return T2_OK;
}

static enum t2_status was_complete(struct dg_run *r, struct dg_report *report, struct t2_err *err)
{
    report->outcome = DG_WAS_COMPLETE;
    dg_layout_of(r->p)->says.was_complete();
    t2_info("'%s' is complete, nothing to do: %s", r->p->name, report->manifest_path);
    return remove_plan(r, err);
}

/* What cannot fit is refused before it is downloaded or read; what cannot be said is no reason. */
static enum t2_status check_forecast(const struct dg_run *r, struct t2_err *err)
{
    struct t2_err ignored = T2_ERR_INIT;
    struct dg_input_sizes sizes = {0};
    struct dg_forecast f;

    ignored.status = dg_describe_inputs(r->p, r->g, &sizes, &ignored);
    f = dg_forecast_of(r->p, r->g, &sizes);
    dg_input_sizes_release(&sizes);
    return dg_forecast_check(&f, r->g, err);
}

/* Known before anything is prepared or read. */
static bool is_complete_already(struct dg_run *r)
{
    struct t2_err ignored = T2_ERR_INIT;
    bool complete = !r->g->overwrite && !dg_layout_of(r->p)->prepares_always &&
                    dg_describe_run(r, &ignored) == T2_OK &&
                    dg_existing_set_is_complete(r->p, r->g, &r->made_from);

    dg_made_from_release(&r->made_from);
    return complete;
}

/*
 * The order of all passes:
 *   1. complete already, or continued, or refused with the difference (existing_set.c)
 *   2. forecast of disk and memory; what cannot fit is refused
 *   3. first reading of all splits (scan_pass.c), so that a broken input is found before anything
 *     is written
 *   4. the plan file: inputs, flags, hashes; a stopped run continues only with the same ones
 *   5. vocabularies (problem_vocab.c), then the second reading into bins (encode_pass.c)
 *   6. bins become shuffled shards (shard_shuffle.c)
 *   7. the manifest, which makes the set complete; then the plan goes
 * One of many tasks makes its own shards only and writes a part, of which join_parts.c makes the
 * manifest.
 */
static enum t2_status make(struct dg_run *r, struct dg_report *report, struct t2_err *err)
{
    enum dg_there there = DG_THERE_NOTHING;

    if (is_complete_already(r))
        return was_complete(r, report, err);
    T2_TRY(check_forecast(r, err));
    if (r->p->prepare)
        T2_TRY(r->p->prepare(r->p, &r->g->options, err));
    T2_TRY(scan_all(r, err));
    T2_TRY(dg_describe_run(r, err));
    T2_TRY(begin_and_vocabs(r, &there, err));
    if (there == DG_THERE_ALL)
        return was_complete(r, report, err);
    if (there == DG_THERE_PART)
        report->outcome = DG_CONTINUED;
    T2_TRY(write_shards(r, err));
    T2_TRY(finish(r, report->manifest_path, err));
    return remove_plan(r, err);
}

/* The records of a task, unless they are there, and the note of them. */
static enum t2_status write_part(struct dg_run *r, struct t2_err *err)
{
    char *name = dg_part_file(r->p->name, &r->g->share);
    char *path = t2_path_join(r->g->options.data_dir, name);
    bool is_made = false;
    enum t2_status st = dg_part_is_made(path, &r->made_from, r->g->options.data_dir, &is_made, err);

    if (st == T2_OK && !is_made)
        st = write_shards(r, err);
    if (st == T2_OK && !is_made)
        st = finish(r, path, err);
    if (st == T2_OK)
        t2_info("The shards of this task are made: %s", path);
    t2_free(path);
    t2_free(name);
    return st;
}

/* The same of one task of many: they wait for each other only where files are shared. */
static enum t2_status make_part(struct dg_run *r, struct dg_report *report, struct t2_err *err)
{
    const char *dir = r->g->options.data_dir;
    struct t2_lock shared = {-1, NULL};
    enum dg_there there = DG_THERE_NOTHING;
    enum t2_status st = T2_OK;

    if (is_complete_already(r))
        return was_complete(r, report, err);
    T2_TRY(check_forecast(r, err));
    T2_TRY(t2_lock_wait(dir, r->p->name, "preparing", &shared, err));
    if (r->p->prepare)
        st = r->p->prepare(r->p, &r->g->options, err);
    t2_lock_give(&shared);
    T2_TRY(st);
    T2_TRY(scan_all(r, err));
    T2_TRY(dg_describe_run(r, err));
    T2_TRY(t2_lock_wait(dir, r->p->name, "preparing", &shared, err));
    st = begin_and_vocabs(r, &there, err);
    t2_lock_give(&shared);
    T2_TRY(st);
    return there == DG_THERE_ALL ? was_complete(r, report, err) : write_part(r, err);
}

static void run_release(struct dg_run *r)
{
    dg_scan_release(&r->scan);
    for (size_t i = 0; i < DG_N_SPLITS; i++)
        dg_hashes_release(&r->hashes[i]);
    dg_made_from_release(&r->made_from);
    dg_made_from_release(&r->vocab_origin);
    for (size_t i = 0; i < DG_N_SIDES; i++) {
        dg_vocab_release(&r->vocabs[i]);
        t2_free(r->vocab_paths[i]);
    }
    for (size_t i = 0; i < r->n_text_files; i++)
        t2_free(r->text_files[i].file);
    t2_strs_release(&r->shard_paths);
    t2_free(r->beside);
    dg_manifest_free(r->m);
}

static char *vocab_path(const struct dg_problem *p, const char *data_dir, int side)
{
    char *file = dg_vocab_file_name(p, (enum dg_side_index) side);
    char *path = file ? t2_path_join(data_dir, file) : NULL;

    t2_free(file);
    return path;
}

static enum t2_status locked(struct dg_run *r, struct dg_report *report, struct t2_err *err)
{
    bool is_part = r->g->share.n > 0;
    char *name = is_part ? dg_part_file(r->p->name, &r->g->share) : t2_strdup(r->p->name);
    char *doing = t2_asprintf("making '%s'", name);
    struct t2_lock lock = {-1, NULL};
    enum t2_status st = t2_lock_take(r->g->options.data_dir, name, doing, &lock, err);

    if (st == T2_OK) {
        st = is_part ? make_part(r, report, err) : make(r, report, err);
        t2_lock_give(&lock);
    }
    t2_free(doing);
    t2_free(name);
    return st;
}

enum t2_status dg_generate(const struct dg_problem *p, const struct dg_generate *g,
                           struct dg_report *report, struct t2_err *err)
{
    struct dg_run r = {.p = p, .g = g};
    double start = t2_now_s();
    enum t2_status st;

    if (p->refusal)
        return t2_fail(err, T2_EUNSUPPORTED, "'%s': %s", p->name, p->refusal);
    T2_ASSERT(!p->members); /* the caller makes those */
    dg_layout_of(p)->says.begins(p->name);
    report->outcome = DG_MADE;
    report->manifest_path = dg_manifest_path(g->options.data_dir, p->name);
    r.m = t2_alloc(1, sizeof *r.m);
    r.memory = dg_memory_plan_of(g, dg_encodes_lines(p));
    r.beside = t2_path_join(g->options.data_dir, p->name);
    r.scan.limits = r.memory.scan;
    r.scan.limits.beside = r.beside;
    for (int side = 0; side < DG_N_SIDES; side++)
        r.vocab_paths[side] = vocab_path(p, g->options.data_dir, side);
    dg_shard_paths(p, g, &r.shard_paths);
    st = check_options(&r, err);
    if (st == T2_OK)
        st = dg_memory_check(g, err);
    if (st == T2_OK)
        st = t2_make_dirs(g->options.data_dir, err);
    if (st == T2_OK)
        st = locked(&r, report, err);
    if (st == T2_OK && (g->share.n == 0 || report->outcome == DG_WAS_COMPLETE))
        st = dg_manifest_load(report->manifest_path, &report->manifest, err);
    report->text_bytes = r.encode.n_bytes;
    report->seconds = t2_now_s() - start;
    run_release(&r);
    return st;
}
