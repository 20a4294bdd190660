/*
 * datagen/generate.c - a problem becomes a data set.
 */
#include "datagen/generate.h"

#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "base/dir_lock.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/log.h"
#include "base/progress.h"
#include "base/signals.h"
#include "base/version.h"
#include "datagen/encode_pass.h"
#include "datagen/existing_set.h"
#include "datagen/manifest_write.h"
#include "datagen/memory_shares.h"
#include "datagen/shard_shuffle.h"
#include "tfrecord/shards.h"

enum { MAX_SHARDS = 100000, MAX_TEXT_FILES = DG_N_SPLITS * DG_N_SIDES };

/* One run of dg_generate. */
struct run {
    const struct dg_problem *p;
    const struct dg_generate *g;
    struct dg_memory_plan memory;
    char *beside; /* of scratch files of words */
    struct dg_scan scan;
    struct dg_made_from made_from, vocab_origin;
    char *vocab_paths[DG_N_SIDES]; /* NULL for bytes; shared: both the same text */
    struct dg_vocab vocabs[DG_N_SIDES];
    struct dg_encode encode;
    struct t2_strs shard_paths;
    struct dg_manifest *m;
    struct dg_text_file text_files[MAX_TEXT_FILES];
    size_t n_text_files;
};

static const char *const side_names[DG_N_SIDES] = {"inputs", "targets"};

int dg_n_shards(const struct dg_problem *p, const struct dg_generate *g, enum dg_split split)
{
    return p->n_shards[split] && g->n_shards[split] ? g->n_shards[split] : p->n_shards[split];
}

void dg_shard_paths(const struct dg_problem *p, const struct dg_generate *g, struct t2_strs *paths)
{
    int split, i;

    for (split = 0; split < DG_N_SPLITS; ++split) {
        int n = dg_n_shards(p, g, (enum dg_split) split);
        for (i = 0; i < n; ++i)
            t2_strs_take(paths, tfr_shard_path(g->options.data_dir, dg_problem_stem(p),
                                               dg_split_name((enum dg_split) split),
                                               i + p->is_official, n));
    }
}

/* Which sides have a vocabulary of their own: targets always, inputs when they do not share it. */
static bool has_own_vocab(const struct dg_problem *p, int side)
{
    return side == DG_TARGETS || (p->has_inputs && !p->shared_vocab);
}

/* ---- the plan --------------------------------------------------------------------------------------- */

static enum t2_status check_options(const struct run *r, struct t2_err *err)
{
    int split;

    for (split = 0; split < DG_N_SPLITS; ++split) {
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

static bool vocab_needs_words(const struct run *r, int side)
{
    const struct dg_vocab_wish *wish = dg_vocab_wish_of(r->p, (enum dg_side_index) side);

    return has_own_vocab(r->p, side) && wish->kind == DG_VOCAB_SUBWORDS && !wish->ready_file &&
           !wish->of_problem && !r->p->open_vocab_text && !r->p->make_vocab &&
           (r->g->overwrite || !t2_exists(r->vocab_paths[side]));
}

static enum t2_status scan_all(struct run *r, struct t2_err *err)
{
    bool count = vocab_needs_words(r, DG_INPUTS) || vocab_needs_words(r, DG_TARGETS);
    int split;

    for (split = 0; split < DG_N_SPLITS; ++split) {
        if (r->p->n_shards[split] == 0 || (r->p->one_stream && split != DG_TRAIN))
            continue;
        T2_TRY(dg_scan_split(r->p, &r->g->options, (enum dg_split) split, count, r->g->pool,
                             &r->scan, err));
        t2_debug("%s: %" PRIu64 " samples", dg_split_name((enum dg_split) split),
                 r->scan.n_samples[split]);
    }
    return T2_OK;
}

static enum t2_status add_file_hash(struct run *r, const char *key, const char *what,
                                    const char *path, struct t2_err *err)
{
    char sha256[65];
    uint64_t bytes;

    T2_TRY(t2_sha256_file(path, sha256, &bytes, err));
    dg_made_from_add(&r->made_from, key, "%s with SHA-256 %.16s...", what, sha256);
    return T2_OK;
}

static enum t2_status describe_vocab(struct run *r, int side, struct t2_err *err)
{
    const struct dg_vocab_wish *wish = dg_vocab_wish_of(r->p, (enum dg_side_index) side);
    const char *kind = dg_vocab_kind_name(wish->kind);
    char *key = t2_asprintf("%s vocabulary", r->p->shared_vocab ? "shared" : side_names[side]);
    enum t2_status st = T2_OK;

    if (wish->ready_file) {
        st = add_file_hash(r, key, "the given file", wish->ready_file, err);
        if (wish->oov_token) {
            t2_free(key);
            key = t2_asprintf("%s unknown words", r->p->shared_vocab ? "shared" : side_names[side]);
            dg_made_from_add(&r->made_from, key, "%s", wish->oov_token);
        }
    } else if (r->p->vocab_source) {
        char *source = r->p->vocab_source(r->p, &r->g->options);
        st = add_file_hash(r, key, "a word list", source, err);
        t2_free(source);
    } else if (wish->of_problem) {
        dg_made_from_add(&r->made_from, key, "that of '%s'", wish->of_problem);
    } else if (wish->kind == DG_VOCAB_SUBWORDS) {
        dg_made_from_add(&r->made_from, key, "%s, %" PRId64 " wanted", kind, wish->approx_size);
    } else if (!dg_vocab_is_of_text(wish->kind)) {
        dg_made_from_add(&r->made_from, key, "%" PRId64 " %s", wish->approx_size, kind);
    } else {
        dg_made_from_add(&r->made_from, key, "%s", kind);
    }
    t2_free(key);
    return st;
}

static void describe_split(struct run *r, int split)
{
    const struct dg_input_files *files = &r->scan.files[split];
    const char *name = dg_split_name((enum dg_split) split);
    char *key = t2_asprintf("%s shards", name);
    size_t i;

    dg_made_from_add(&r->made_from, key, "%d", dg_n_shards(r->p, r->g, (enum dg_split) split));
    t2_free(key);
    for (i = 0; i < files->n; ++i) {
        const struct dg_input_file *f = &files->items[i];
        key = t2_asprintf("%s file %zu (%s)", name, i + 1, f->role);
        dg_made_from_add(&r->made_from, key, "%" PRIu64 " bytes with SHA-256 %.16s...", f->bytes,
                         f->sha256);
        t2_free(key);
    }
}

static enum t2_status describe(struct run *r, struct t2_err *err)
{
    int i;

    dg_made_from_add(&r->made_from, "problem", "%s", r->p->name);
    if (r->p->revision)
        dg_made_from_add(&r->made_from, r->p->is_official ? "layout" : "samples", "%s",
                         r->p->revision);
    dg_made_from_add(&r->made_from, "random_seed", "%" PRIu64, r->g->options.random_seed);
    dg_made_from_add(&r->made_from, "max_cases", "%" PRIu64, r->g->options.max_cases);
    if (r->g->shuffle != DG_SHUFFLE_T2T)
        dg_made_from_add(&r->made_from, "shuffle", "%s",
                         r->g->shuffle == DG_SHUFFLE_GLOBAL ? "global" : "none");
    if (r->g->options.invalid != DG_INVALID_FAIL)
        dg_made_from_add(&r->made_from, "not UTF-8", "%s",
                         r->g->options.invalid == DG_INVALID_DROP ? "drop" : "replace");
    if (r->g->options.zero_based_labels)
        dg_made_from_add(&r->made_from, "zero_based_labels", "yes");
    for (i = 0; i < DG_N_SIDES; ++i) {
        if (has_own_vocab(r->p, i))
            T2_TRY(describe_vocab(r, i, err));
    }
    for (i = 0; i < DG_N_SPLITS; ++i) {
        if (r->p->n_shards[i])
            describe_split(r, i);
    }
    return T2_OK;
}

static const char *origin_of(const struct run *r, int side)
{
    const struct dg_vocab_wish *wish = dg_vocab_wish_of(r->p, (enum dg_side_index) side);

    if (!r->vocab_paths[side])
        return "none";
    if (wish->ready_file)
        return "given";
    if (r->p->make_vocab)
        return "made";
    return t2_exists(r->vocab_paths[side]) ? "found" : "built";
}

static enum t2_status write_plan(struct run *r, const char *path, struct t2_err *err)
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
static enum t2_status begin(struct run *r, enum dg_there there, struct t2_err *err)
{
    char *plan = dg_plan_path(r->g->options.data_dir, r->p->name);
    char *manifest = dg_manifest_path(r->g->options.data_dir, r->p->name);
    enum t2_status st;
    int side;

    if (there == DG_THERE_NOTHING) {
        for (side = 0; side < DG_N_SIDES; ++side) {
            if (has_own_vocab(r->p, side))
                dg_made_from_add(&r->vocab_origin, side_names[side], "%s", origin_of(r, side));
        }
    }
    st = write_plan(r, plan, err);
    if (st == T2_OK)
        st = t2_remove(manifest, err);
    t2_free(manifest);
    t2_free(plan);
    return st;
}

/* ---- vocabularies ----------------------------------------------------------------------------------- */

/* The words of the TRAIN split of another problem. */
static enum t2_status count_words_of(const struct run *r, const struct dg_problem *owner, int side,
                                     struct tok_counts **counts, struct t2_err *err)
{
    struct dg_options options = r->g->options;
    struct dg_scan scan = {.limits = r->scan.limits};
    int i = owner->shared_vocab || !owner->has_inputs ? DG_TARGETS : side;
    enum t2_status st;

    options.max_cases = 0;
    scan.limits.keep_bytes = 0;
    st = dg_scan_split(owner, &options, DG_TRAIN, true, r->g->pool, &scan, err);
    *counts = scan.counts[i];
    scan.counts[i] = NULL;
    dg_scan_release(&scan);
    return st;
}

static void forget_kept_text(struct run *r)
{
    int split;

    for (split = 0; split < DG_N_SPLITS; ++split)
        dg_kept_release(&r->scan.kept[split]);
}

/* The text that is kept goes when the vocabulary needs its place; what does not fit is refused now. */
static enum t2_status make_room_to_build(struct run *r, struct tok_counts *counts,
                                         const struct dg_problem *owner, int side,
                                         struct t2_err *err)
{
    const struct dg_vocab_wish *wish = dg_vocab_wish_of(owner, (enum dg_side_index) side);
    uint64_t limit = r->memory.scan.build_bytes, other = 0, need, kept = 0;
    char human[32], human_limit[32];
    int i;

    if (limit == 0)
        return T2_OK;
    for (i = 0; i < DG_N_SIDES; ++i)
        other += r->scan.counts[i] ? tok_counts_memory(r->scan.counts[i]) : 0;
    for (i = 0; i < DG_N_SPLITS; ++i)
        kept += r->scan.kept[i].bytes;
    other = other < limit ? other : limit - 1;
    if (dg_vocab_build_memory(counts, wish, r->g->pool, 0) + other + kept > limit)
        forget_kept_text(r);
    r->memory.scan.build_bytes = limit - other;
    need = dg_vocab_build_memory(counts, wish, r->g->pool, limit - other) + other;
    if (need <= limit)
        return T2_OK;
    return t2_fail(
        err, T2_ENOMEM,
        "building a vocabulary from %zu distinct words takes about %s, --max_memory is %s: "
        "raise it, or build the vocabulary from a part of the text (t2t-vocab build "
        "--file_byte_budget) and give it by --vocab",
        tok_counts_distinct(counts), t2_human_bytes(need, human, sizeof human),
        t2_human_bytes(limit, human_limit, sizeof human_limit));
}

/* Builds the vocabulary that a problem owns, as if it were made itself. */
static enum t2_status build_vocab(struct run *r, const struct dg_problem *owner, int side,
                                  struct t2_err *err)
{
    const struct dg_options *options = &r->g->options;
    struct tok_counts *counts = NULL;
    enum t2_status st;

    if (owner != r->p && owner->prepare)
        T2_TRY(owner->prepare(owner, options, err));
    if (owner->make_vocab)
        return owner->make_vocab(owner, options, (enum dg_side_index) side, r->vocab_paths[side],
                                 err);
    if (owner->open_vocab_text) {
        st = dg_scan_vocab_text(owner, options, (enum dg_side_index) side, &r->scan.limits,
                                r->g->pool, &counts, err);
    } else if (owner != r->p) {
        st = count_words_of(r, owner, side, &counts, err);
    } else {
        counts = r->scan.counts[side];
        r->scan.counts[side] = NULL;
        st = T2_OK;
    }
    if (st == T2_OK)
        st = make_room_to_build(r, counts, owner, side, err);
    if (st == T2_OK)
        st = dg_vocab_build(counts, dg_vocab_wish_of(owner, (enum dg_side_index) side), r->g->pool,
                            r->memory.scan.build_bytes, r->vocab_paths[side], err);
    r->memory.scan.build_bytes = r->g->max_memory;
    tok_counts_free(counts);
    return st;
}

static enum t2_status provide_vocab(struct run *r, int side, struct t2_err *err)
{
    const struct dg_vocab_wish *wish = dg_vocab_wish_of(r->p, (enum dg_side_index) side);
    const struct dg_problem *owner = dg_vocab_owner(r->p, (enum dg_side_index) side);
    const char *path = r->vocab_paths[side];

    if (!path)
        return T2_OK;
    if (wish->ready_file)
        return dg_vocab_take(wish->ready_file, path, err);
    if (t2_exists(path)) {
        t2_info(r->p->is_official ? "Vocab file already exists (%s)" : "Found vocab file: %s",
                path);
        return T2_OK;
    }
    if (!owner)
        return t2_fail(err, T2_ENOTFOUND,
                       "'%s' uses the vocabulary of '%s', which is not a problem; put it at '%s'",
                       r->p->name, wish->of_problem, path);
    return build_vocab(r, owner, side, err);
}

static enum t2_status provide_vocabs(struct run *r, struct t2_err *err)
{
    int side;

    for (side = DG_N_SIDES - 1; side >= 0; --side) {
        if (!has_own_vocab(r->p, side))
            continue;
        T2_TRY(t2_check_interrupt(err));
        T2_TRY(provide_vocab(r, side, err));
        tok_counts_free(r->scan.counts[side]);
        r->scan.counts[side] = NULL;
        T2_TRY(dg_vocab_load(r->vocab_paths[side],
                             dg_vocab_wish_of(r->p, (enum dg_side_index) side), &r->vocabs[side],
                             err));
    }
    r->encode.vocabs[DG_TARGETS] = &r->vocabs[DG_TARGETS];
    r->encode.vocabs[DG_INPUTS] =
        &r->vocabs[has_own_vocab(r->p, DG_INPUTS) ? DG_INPUTS : DG_TARGETS];
    return T2_OK;
}

/* ---- records ---------------------------------------------------------------------------------------- */

static struct dg_text_file *add_text_file(struct run *r, int split, int side)
{
    struct dg_text_file *f = &r->text_files[r->n_text_files++];

    f->split = (enum dg_split) split;
    f->side = side;
    f->file = t2_asprintf("%s.%s.%s", dg_problem_stem(r->p), dg_split_name(f->split),
                          r->p->text_suffix[side]);
    return f;
}

/* dev and test of a problem that has no text files of its own are written down for translating. */
static enum t2_status encode_split(struct run *r, int split, size_t first_bin, size_t n_bins,
                                   struct t2_err *err)
{
    struct t2_out *text[DG_N_SIDES] = {NULL, NULL};
    struct dg_text_file *files[DG_N_SIDES] = {NULL, NULL};
    bool write_text = r->p->write_text && split != DG_TRAIN;
    enum t2_status st = T2_OK;
    int side;

    for (side = 0; side < DG_N_SIDES && write_text && st == T2_OK; ++side) {
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
    for (side = 0; side < DG_N_SIDES; ++side) {
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

static enum t2_status encode_all(struct run *r, struct t2_err *err)
{
    size_t first_bin = 0;
    int split;

    r->encode.problem = r->p;
    r->encode.options = &r->g->options;
    r->encode.pool = r->g->pool;
    r->encode.deal_at_random = r->g->shuffle == DG_SHUFFLE_GLOBAL;
    r->encode.cache_bytes = r->memory.cache_bytes;
    for (split = 0; split < DG_N_SPLITS; ++split) {
        size_t n_bins = (size_t) dg_n_shards(r->p, r->g, (enum dg_split) split);
        if (n_bins == 0)
            continue;
        if (r->p->one_stream)
            return encode_split(r, DG_TRAIN, 0, r->shard_paths.n, err);
        T2_TRY(encode_split(r, split, first_bin, n_bins, err));
        first_bin += n_bins;
    }
    return T2_OK;
}

static struct t2_strs scratch_paths(const struct run *r)
{
    char *stem = t2_asprintf("%s-unshuffled", dg_problem_stem(r->p));
    struct t2_strs paths = {0};
    int split, i;

    for (split = 0; split < DG_N_SPLITS; ++split) {
        int n = dg_n_shards(r->p, r->g, (enum dg_split) split);
        for (i = 0; i < n; ++i) {
            char *path =
                tfr_shard_path(r->g->options.data_dir, stem, dg_split_name((enum dg_split) split),
                               i + r->p->is_official, n);
            t2_strs_take(&paths, t2_asprintf("%s.incomplete", path));
            t2_free(path);
        }
    }
    t2_free(stem);
    return paths;
}

/* Shards of the manifest, all in one array in shuffle order; the splits point into it. */
static struct tfr_manifest_shard *shard_infos(struct run *r)
{
    struct tfr_manifest_shard *infos = t2_alloc(r->shard_paths.n, sizeof *infos);
    size_t i;

    for (i = 0; i < r->shard_paths.n; ++i)
        infos[i].file = t2_strdup(t2_path_base(r->shard_paths.items[i]));
    return infos;
}

static void hand_out_infos(struct run *r, const struct tfr_manifest_shard *infos)
{
    size_t i;
    int split;

    for (split = 0; split < DG_N_SPLITS; ++split) {
        struct tfr_manifest_split *s = &r->m->splits[split];
        s->n_shards = (size_t) dg_n_shards(r->p, r->g, (enum dg_split) split);
        s->shards = t2_alloc(s->n_shards, sizeof *s->shards);
        for (i = 0; i < s->n_shards; ++i) {
            s->shards[i] = *infos++;
            s->n_records += s->shards[i].n_records;
        }
    }
}

static size_t n_shuffled(const struct run *r)
{
    if (r->g->shuffle == DG_SHUFFLE_NONE ||
        (r->p->already_shuffled && r->g->shuffle == DG_SHUFFLE_T2T))
        return 0;
    return r->p->is_official ? (size_t) dg_n_shards(r->p, r->g, DG_TRAIN) : r->shard_paths.n;
}

static enum t2_status shuffle(struct run *r, struct tfr_manifest_shard *infos, struct t2_err *err)
{
    const struct dg_packing packing = {r->p->packed_length, r->p->packed_spacing, r->p->has_inputs};
    struct dg_shuffle how = {.n = n_shuffled(r),
                             .memory_bytes = r->memory.shuffle_bytes,
                             .is_official = r->p->is_official,
                             .packing = packing.length ? &packing : NULL,
                             .stats = &r->encode.stats};

    t2_mt_seed_python(&how.mt, r->g->options.random_seed);
    if (r->p->before_shuffle)
        T2_TRY(r->p->before_shuffle(r->p, &r->g->options, &how.mt, err));
    return dg_shuffle_shards(r->encode.bins, &r->shard_paths, &how, r->g->pool, infos, err);
}

static enum t2_status write_shards(struct run *r, struct t2_err *err)
{
    struct t2_strs scratch = scratch_paths(r);
    struct tfr_manifest_shard *infos = shard_infos(r);
    enum t2_status st = dg_bins_new(&scratch, r->memory.bins_bytes, &r->encode.bins, err);

    if (st == T2_OK)
        st = encode_all(r, err);
    if (st == T2_OK)
        st = shuffle(r, infos, err);
    dg_bins_free(r->encode.bins);
    r->encode.bins = NULL;
    hand_out_infos(r, infos);
    t2_free(infos);
    t2_strs_release(&scratch);
    return st;
}

/* ---- the manifest ------------------------------------------------------------------------------------ */

static void note_vocab(const struct run *r, int side, struct dg_vocab_info *info)
{
    const struct dg_vocab *v = r->encode.vocabs[side];
    const struct dg_vocab_wish *wish = dg_vocab_wish_of(r->p, (enum dg_side_index) side);
    const char *path = r->vocab_paths[side];
    int64_t i;

    info->kind = v->kind;
    info->size = v->size;
    info->is_label =
        v->kind == DG_VOCAB_CLASSES || (side == DG_TARGETS && r->p->targets_are_labels);
    for (i = 0; wish->classes && i < wish->approx_size; ++i)
        t2_strs_push(&info->labels, wish->classes[i]);
    if (v->kind == DG_VOCAB_NUMBERS)
        info->id_offset = wish->raw_ids ? 0 : 2;
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

static void note_features(struct run *r)
{
    static const char *const kinds[] = {"none", "bytes", "float", "int64"};
    size_t i;

    r->m->features = t2_alloc(DG_MAX_FEATURES, sizeof *r->m->features);
    for (i = 0; i < r->encode.stats.n; ++i) {
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

static void warn_of_drops(const struct run *r)
{
    int split;
    size_t i;

    for (split = 0; split < DG_N_SPLITS; ++split) {
        if (r->scan.n_replaced[split])
            t2_warn("%" PRIu64 " texts of the %s samples were not UTF-8; what was broken is U+FFFD "
                    "now",
                    r->scan.n_replaced[split], dg_split_name((enum dg_split) split));
        for (i = 0; i < r->scan.drops[split].n; ++i) {
            const struct dg_drop *d = &r->scan.drops[split].items[i];
            t2_warn("%" PRIu64 " of the %s samples left out: %s (first: '%s' line %" PRIu64 ")",
                    d->n, dg_split_name((enum dg_split) split), d->reason, d->examples[0].path,
                    d->examples[0].line);
            r->m->n_dropped += d->n;
        }
    }
}

/* What the work is done for is there: the note of unfinished work goes, also one that a run left which was
 * killed between its manifest and this. */
static enum t2_status remove_plan(const struct run *r, struct t2_err *err)
{
    char *plan = dg_plan_path(r->g->options.data_dir, r->p->name);
    enum t2_status st = t2_remove(plan, err);

    t2_free(plan);
    return st;
}

static enum t2_status finish(struct run *r, const char *manifest_path, struct t2_err *err)
{
    struct dg_manifest_notes notes = {&r->made_from, &r->scan, &r->vocab_origin, r->text_files,
                                      r->n_text_files};

    r->m->problem = t2_strdup(r->p->name);
    r->m->dataset_filename = t2_strdup(dg_problem_stem(r->p));
    r->m->command = t2_strdup(r->g->command ? r->g->command : "");
    r->m->version = t2_strdup(t2_version());
    r->m->random_seed = r->g->options.random_seed;
    r->m->has_inputs = r->p->has_inputs;
    r->m->input_space_id = r->p->input_space_id;
    r->m->target_space_id = r->p->target_space_id;
    if (r->p->has_inputs)
        note_vocab(r, DG_INPUTS, &r->m->inputs_vocab);
    note_vocab(r, DG_TARGETS, &r->m->targets_vocab);
    note_features(r);
    warn_of_drops(r);
    dg_manifest_hash_data(r->m);
    T2_TRY(dg_manifest_write(manifest_path, r->m, &notes, err));
    return remove_plan(r, err);
}

/* ---- all together ------------------------------------------------------------------------------------ */

static enum t2_status make(struct run *r, struct dg_report *report, struct t2_err *err)
{
    enum dg_there there = DG_THERE_NOTHING;

    if (r->p->prepare)
        T2_TRY(r->p->prepare(r->p, &r->g->options, err));
    T2_TRY(scan_all(r, err));
    T2_TRY(describe(r, err));
    if (r->g->overwrite)
        T2_TRY(dg_existing_set_clear(r->p, r->g, err));
    else
        T2_TRY(dg_existing_set(r->p, r->g, &r->made_from, &there, &r->vocab_origin, err));
    if (there == DG_THERE_ALL) {
        report->outcome = DG_WAS_COMPLETE;
        if (r->p->is_official)
            t2_info("Files with tag %s already exist.", dg_split_name(DG_TRAIN));
        t2_info("'%s' is complete, nothing to do: %s", r->p->name, report->manifest_path);
        return remove_plan(r, err);
    }
    if (there == DG_THERE_PART) {
        report->outcome = DG_CONTINUED;
        t2_info("Continuing a run that was stopped.");
    }
    T2_TRY(begin(r, there, err));
    if (r->p->before)
        T2_TRY(r->p->before(r->p, &r->g->options, DG_STEP_VOCAB, err));
    T2_TRY(provide_vocabs(r, err));
    if (r->p->before)
        T2_TRY(r->p->before(r->p, &r->g->options, DG_STEP_RECORDS, err));
    T2_TRY(write_shards(r, err));
    return finish(r, report->manifest_path, err);
}

static void run_release(struct run *r)
{
    size_t i;

    dg_scan_release(&r->scan);
    dg_made_from_release(&r->made_from);
    dg_made_from_release(&r->vocab_origin);
    for (i = 0; i < DG_N_SIDES; ++i) {
        dg_vocab_release(&r->vocabs[i]);
        t2_free(r->vocab_paths[i]);
    }
    for (i = 0; i < r->n_text_files; ++i)
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

static enum t2_status locked(struct run *r, struct dg_report *report, struct t2_err *err)
{
    struct t2_lock lock = {-1, NULL};
    char *doing = t2_asprintf("making '%s'", r->p->name);
    enum t2_status st;

    st = t2_lock_take(r->g->options.data_dir, r->p->name, doing, &lock, err);
    t2_free(doing);
    if (st != T2_OK)
        return st;
    st = make(r, report, err);
    t2_lock_give(&lock);
    return st;
}

enum t2_status dg_generate(const struct dg_problem *p, const struct dg_generate *g,
                           struct dg_report *report, struct t2_err *err)
{
    struct run r = {.p = p, .g = g};
    double start = t2_now_s();
    enum t2_status st;
    int side;

    if (p->refusal)
        return t2_fail(err, T2_EUNSUPPORTED, "'%s': %s", p->name, p->refusal);
    T2_ASSERT(!p->members); /* the caller makes those */
    if (!p->is_official)
        t2_info("Generating data for %s.", p->name);
    report->outcome = DG_MADE;
    report->manifest_path = dg_manifest_path(g->options.data_dir, p->name);
    r.m = t2_alloc(1, sizeof *r.m);
    r.memory = dg_memory_plan_of(g, dg_encodes_lines(p));
    r.beside = t2_path_join(g->options.data_dir, p->name);
    r.scan.limits = r.memory.scan;
    r.scan.limits.beside = r.beside;
    for (side = 0; side < DG_N_SIDES; ++side)
        r.vocab_paths[side] = vocab_path(p, g->options.data_dir, side);
    dg_shard_paths(p, g, &r.shard_paths);
    st = check_options(&r, err);
    if (st == T2_OK)
        st = dg_memory_check(g, err);
    if (st == T2_OK)
        st = t2_make_dirs(g->options.data_dir, err);
    if (st == T2_OK)
        st = locked(&r, report, err);
    if (st == T2_OK)
        st = dg_manifest_load(report->manifest_path, &report->manifest, err);
    report->text_bytes = r.encode.n_bytes;
    report->seconds = t2_now_s() - start;
    run_release(&r);
    return st;
}
