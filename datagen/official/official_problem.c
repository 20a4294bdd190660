/*
 * datagen/official/official_problem.c - the steps of data_download as the functions of a problem.
 */
#include "datagen/official/official_problem.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/dir_lock.h"
#include "base/file.h"
#include "base/log.h"
#include "datagen/official/official_raw.h"
#include "datagen/official/official_sources.h"
#include "datagen/official/official_stream.h"
#include "datagen/official/official_text.h"
#include "datagen/problem_registry.h"
#include "datagen/stream.h"

#define DEFAULT_REVISION "official, min_count 6, 1000000 characters of each file"

/* A problem that is not the registered one as it stands. */
struct official {
    struct dg_problem problem;
    struct dg_text_parts parts[DG_N_SPLITS]; /* of text of one's own; else empty */
    bool search;
    uint64_t budget;
    char *vocab_file;
    char revision[128];
};

static bool is_own_text(const struct dg_problem *p)
{
    const struct official *o = p->context;

    return o && o->parts[DG_TRAIN].n > 0;
}

/* ---- sources ---- */

/* The files of a split, of one's own or found below raw_dir; released by the caller, also on
 * failure. */
static enum t2_status parts_of(const struct dg_problem *p, const struct dg_options *options,
                               enum dg_split split, struct dg_text_parts *parts, struct t2_err *err)
{
    const struct dg_official_source *sources;
    size_t n;

    if (!is_own_text(p)) {
        sources = dg_official_sources(split, &n);
        return dg_official_find(options->tmp_dir, sources, n, parts, err);
    }
    for (size_t i = 0; i < ((const struct official *) p->context)->parts[split].n; i++) {
        const struct dg_text_part *part =
            &((const struct official *) p->context)->parts[split].items[i];
        dg_text_parts_add(parts, part->inputs, part->targets);
    }
    return T2_OK;
}

static enum t2_status official_open(const struct dg_problem *p, const struct dg_options *options,
                                    enum dg_split split, struct dg_stream **stream,
                                    struct t2_err *err)
{
    struct dg_text_parts parts = {0};
    enum t2_status st = parts_of(p, options, split, &parts, err);

    if (st == T2_OK)
        *stream = dg_official_stream_new(&parts);
    dg_text_parts_release(&parts);
    return st;
}

static enum t2_status official_describe(const struct dg_problem *p,
                                        const struct dg_options *options, enum dg_split split,
                                        struct dg_input_sizes *sizes, struct t2_err *err)
{
    const struct dg_official_source *sources;
    struct dg_stream *stream = NULL;
    enum t2_status st;
    size_t n;

    if (!is_own_text(p)) {
        sources = dg_official_sources(split, &n);
        T2_TRY(dg_official_describe(options->tmp_dir, sources, n, options->fetch, sizes, err));
        if (split == DG_TRAIN)
            return T2_OK;
        t2_buf_puts(&sizes->text, "  test: text in data_dir from\n");
        sources = dg_official_sources(DG_TEST, &n);
        return dg_official_describe(options->data_dir, sources, n, options->fetch, sizes, err);
    }
    T2_TRY(official_open(p, options, split, &stream, err));
    st = dg_stream_describe(stream, sizes, err);
    dg_stream_free(stream);
    return st;
}

/* Two runs may share raw_dir; only one at a time writes to it. */
static enum t2_status lock_raw(const char *raw_dir, struct t2_lock *lock, struct t2_err *err)
{
    *lock = (struct t2_lock){-1, NULL};
    return t2_lock_take(raw_dir, DG_OFFICIAL_NAME "-raw", "bringing the sources", lock, err);
}

/* Train and dev at once, so that all archives are downloaded at the same time. */
static enum t2_status get_training(const struct dg_options *options, struct t2_err *err)
{
    struct dg_official_source all[16];
    const struct dg_official_source *sources;
    size_t n_all = 0, n;

    for (int split = DG_TRAIN; split <= DG_DEV; split++) {
        sources = dg_official_sources((enum dg_split) split, &n);
        T2_ASSERT(n_all + n <= sizeof all / sizeof *all);
        for (size_t i = 0; i < n; i++)
            all[n_all++] = sources[i];
    }
    return dg_official_get(options->tmp_dir, all, n_all, options->fetch, options->pool, err);
}

static enum t2_status get_all(const struct dg_options *options, struct t2_err *err)
{
    const struct dg_official_source *sources;
    size_t n;

    t2_info("Step 1/5: Downloading test data");
    sources = dg_official_sources(DG_TEST, &n);
    T2_TRY(dg_official_get(options->data_dir, sources, n, options->fetch, options->pool, err));
    t2_info("Step 2/5: Downloading data from source");
    return get_training(options, err);
}

static enum t2_status official_prepare(const struct dg_problem *p, const struct dg_options *options,
                                       struct t2_err *err)
{
    struct t2_lock lock;
    enum t2_status st;

    T2_TRY(t2_make_dirs(options->tmp_dir, err));
    if (is_own_text(p))
        return T2_OK;
    T2_TRY(lock_raw(options->tmp_dir, &lock, err));
    st = get_all(options, err);
    t2_lock_give(&lock);
    return st;
}

/* ---- vocabulary ---- */

static void log_line(void *arg, const char *line)
{
    (void) arg;
    t2_info("%s", line);
}

static enum t2_status build(const struct dg_problem *p, struct tok_counts *counts,
                            const struct dg_options *wanted, const char *path, struct t2_err *err)
{
    const struct official *o = p->context;
    const struct tok_build_options options = {
        .dialect = TOK_DIALECT_OFFICIAL,
        .target_size = p->targets_vocab.approx_size,
        .min_count = o && o->search ? 0 : TOK_OFFICIAL_MIN_COUNT,
        .pool = wanted->pool,
        .max_memory = wanted->max_memory,
        .spent = wanted->max_memory ? counts : NULL,
        .log = log_line,
    };
    struct tok_encoder *e = NULL;
    enum t2_status st;

    T2_TRY(tok_build(counts, &options, &e, err));
    st = tok_save(e, path, err);
    tok_free(e);
    return st;
}

static enum t2_status official_vocab(const struct dg_problem *p, const struct dg_options *options,
                                     enum dg_side_index side, const char *path, struct t2_err *err)
{
    const struct tok_tally_limits limits = {.max_memory = options->max_memory / 3, .beside = path};
    const struct official *o = p->context;
    struct tok_counts *counts = NULL;
    struct dg_text_parts parts = {0};
    enum t2_status st;

    (void) side;
    t2_info("Begin steps to create subtoken vocabulary...");
    st = parts_of(p, options, DG_TRAIN, &parts, err);
    if (st == T2_OK)
        st = dg_official_count(&parts, o ? o->budget : DG_OFFICIAL_BUDGET, &limits, options->pool,
                               &counts, err);
    if (st == T2_OK)
        st = build(p, counts, options, path, err);
    tok_counts_free(counts);
    dg_text_parts_release(&parts);
    return st;
}

/* ---- compiled text ---- */

static enum t2_status compile(const struct dg_problem *p, const struct dg_options *options,
                              enum dg_split split, struct t2_err *err)
{
    const char *tag = dg_split_name(split);
    struct dg_text_parts parts = {0};
    char *paths[2];
    enum t2_status st;

    t2_info("Compiling files with tag %s.", tag);
    for (size_t i = 0; i < 2; i++) {
        char *name = t2_asprintf("%s-%s.lang%zu", p->name, tag, i + 1);
        paths[i] = t2_path_join(options->tmp_dir, name);
        t2_free(name);
    }
    st = parts_of(p, options, split, &parts, err);
    for (size_t i = 0; i < parts.n; i++)
        t2_info("Reading files %s and %s.", parts.items[i].inputs, parts.items[i].targets);
    if (st == T2_OK)
        st = dg_official_compile(&parts, paths, options->pool, err);
    dg_text_parts_release(&parts);
    t2_free(paths[0]);
    t2_free(paths[1]);
    return st;
}

static enum t2_status compile_all(const struct dg_problem *p, const struct dg_options *options,
                                  struct t2_err *err)
{
    struct t2_lock lock;
    enum t2_status st;

    T2_TRY(lock_raw(options->tmp_dir, &lock, err));
    st = compile(p, options, DG_TRAIN, err);
    if (st == T2_OK && p->n_shards[DG_DEV])
        st = compile(p, options, DG_DEV, err);
    t2_lock_give(&lock);
    return st;
}

static enum t2_status official_before(const struct dg_problem *p, const struct dg_options *options,
                                      enum dg_step step, struct t2_err *err)
{
    char *vocab;

    if (step == DG_STEP_VOCAB) {
        t2_info("Step 3/5: Creating subtokenizer and building vocabulary");
        return T2_OK;
    }
    vocab = t2_path_join(options->data_dir, p->targets_vocab.file);
    t2_info("Initializing Subtokenizer from file %s.", vocab);
    t2_free(vocab);
    t2_info("Step 4/5: Compiling training and evaluation data");
    T2_TRY(compile_all(p, options, err));
    t2_info("Step 5/5: Preprocessing and saving data");
    return T2_OK;
}

/* ---- problems ---- */

const struct dg_problem dg_problem_wmt32k = {
    .name = DG_OFFICIAL_NAME,
    .summary = "English to German, as data_download of the official Transformer",
    .has_inputs = true,
    .shared_vocab = true,
    .targets_vocab = {.kind = DG_VOCAB_SUBWORDS,
                      .approx_size = DG_OFFICIAL_VOCAB_SIZE,
                      .file = DG_OFFICIAL_VOCAB},
    .n_shards = {DG_OFFICIAL_TRAIN_SHARDS, DG_OFFICIAL_DEV_SHARDS, 0},
    .is_official = true,
    .sources = dg_official_archives,
    .prepare = official_prepare,
    .before = official_before,
    .describe = official_describe,
    .input_space_id = DG_SPACE_EN_TOKENS,
    .target_space_id = DG_SPACE_DE_TOKENS,
    .revision = DEFAULT_REVISION,
    .open = official_open,
    .make_vocab = official_vocab,
};

static const struct dg_problem *const problems[] = {&dg_problem_wmt32k};
const struct dg_family dg_family_official = {"The official Transformer's data_download", problems,
                                             1};

static enum t2_status parse_files(struct official *o, const struct dg_official_spec *spec,
                                  struct t2_err *err)
{
    for (int split = DG_TRAIN; split <= DG_DEV; split++) {
        const char *name = dg_split_name((enum dg_split) split);
        if (spec->files[split][0] == '\0') {
            o->problem.n_shards[split] = 0;
            continue;
        }
        T2_TRY(dg_text_parts_parse(name, spec->files[split], &o->parts[split], err));
        T2_TRY(dg_text_parts_expand(&o->parts[split], err));
        for (size_t i = 0; i < o->parts[split].n; i++) {
            if (!o->parts[split].items[i].targets)
                return t2_fail(err, T2_EUSAGE,
                               "--%s='%s': --layout=official takes pairs of files, no TSV", name,
                               o->parts[split].items[i].inputs);
        }
    }
    return T2_OK;
}

static enum t2_status own_text(struct official *o, const struct dg_official_spec *spec,
                               struct t2_err *err)
{
    int64_t size = spec->vocab_size ? spec->vocab_size : DG_OFFICIAL_VOCAB_SIZE;

    if (spec->files[DG_TRAIN][0] == '\0')
        return t2_fail(err, T2_EUSAGE, "--name, --dev and --test need --train");
    if (spec->files[DG_TEST][0])
        return t2_fail(err, T2_EUSAGE,
                       "--test: --layout=official has no shards for a test split; translate the "
                       "text file itself");
    if (size < 1 || size > INT32_MAX)
        return t2_fail(err, T2_EUSAGE, "--vocab_size=%" PRId64 ": must be positive", size);
    T2_TRY(dg_check_name(spec->name, err));
    if (dg_find(spec->name))
        return t2_fail(err, T2_EUSAGE, "--name='%s' is a problem of its own; choose another name",
                       spec->name);
    o->vocab_file = t2_asprintf("vocab.%s.%" PRId64, spec->name, size);
    o->problem.name = spec->name;
    o->problem.sources = NULL;
    o->problem.summary = "text of your own, as data_download of the official Transformer";
    o->problem.targets_vocab.approx_size = size;
    o->problem.targets_vocab.file = o->vocab_file;
    o->problem.input_space_id = o->problem.target_space_id = DG_SPACE_GENERIC;
    return parse_files(o, spec, err);
}

enum t2_status dg_official_new(const struct dg_official_spec *spec, struct dg_problem **p,
                               struct t2_err *err)
{
    struct official *o = t2_alloc(1, sizeof *o);
    enum t2_status st = T2_OK;

    o->problem = dg_problem_wmt32k;
    o->problem.context = o;
    o->search = spec->search;
    o->budget = spec->budget ? spec->budget : DG_OFFICIAL_BUDGET;
    snprintf(o->revision, sizeof o->revision,
             "official, min_count %s, %" PRIu64 " characters of each file",
             o->search ? "searched" : "6", o->budget);
    o->problem.revision = o->revision;
    if (spec->name)
        st = own_text(o, spec, err);
    *p = &o->problem;
    if (st != T2_OK) {
        dg_official_free(*p);
        *p = NULL;
    }
    return st;
}

void dg_official_free(struct dg_problem *p)
{
    struct official *o = (struct official *) p;

    if (!o)
        return;
    for (int split = 0; split < DG_N_SPLITS; split++)
        dg_text_parts_release(&o->parts[split]);
    t2_free(o->vocab_file);
    t2_free(o);
}

static enum t2_status make_folder(const char *dir, struct t2_err *err)
{
    if (!t2_exists(dir))
        t2_info("Creating directory %s", dir);
    return t2_make_dirs(dir, err);
}

enum t2_status dg_official_folders(const struct dg_options *options, struct t2_err *err)
{
    T2_TRY(make_folder(options->tmp_dir, err));
    return make_folder(options->data_dir, err);
}
