/*
 * datagen/problems/problem_wiki_revision.c - pairs of an old and a new text out of the page
 * histories of Wikipedia (T2T's wiki_revision.py, for correcting grammar).
 *
 * Dump i of the sorted list makes shard i mod (train + dev shards).  As T2T's tasks do, each shard
 * draws with random.seed(123), from its first page to its shuffle.
 */
#include "datagen/problems/problem_wiki_revision.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/log.h"
#include "base/match_files.h"
#include "datagen/fetch/fetch_files.h"
#include "datagen/input_sizes.h"
#include "datagen/passes/shard_maker.h"
#include "datagen/problem_registry.h"
#include "datagen/problems/page_histories.h"
#include "datagen/problems/revision_pairs.h"
#include "datagen/problems/revision_report.h"
#include "datagen/problems/revision_text.h"
#include "tfrecord/shards.h"
#include "tokenizer/unicode.h"

enum { SEED = 123, TOOL_SEED = 429459, MAX_LENGTH = 256, VOCAB_SIZE = 32768 };
enum { VOCAB_PAGES = VOCAB_SIZE / 3 + 1, CACHE_BYTES = 16 << 20 };
/* MediaWiki takes no text of more than 2 MiB. */
enum { MOST_REVISION_BYTES = 4 << 20 };

/* ---- dumps ---- */

/* All dumps, sorted.  Without a prefix: what lies in tmp_dir under the names that Wikipedia gives
 * them. */
static enum t2_status find_dumps(const struct dg_revision_spec *w, const struct dg_options *options,
                                 struct t2_strs *paths, struct t2_err *err)
{
    char *pattern = w->data_prefix[0] ? t2_asprintf("%s*", w->data_prefix)
                                      : t2_path_join(options->tmp_dir, "*pages-meta-history*");
    char *dir = t2_path_dir(pattern);
    struct t2_file_info at;
    enum t2_status st = t2_look_at(dir, &at, err);

    if (st == T2_OK && at.kind == T2_FILE_DIR)
        st = t2_match_files(pattern, paths, err);
    if (st == T2_OK && paths->n == 0)
        st = t2_fail(
            err, T2_ENOTFOUND,
            "there are no files '%s': put dumps of page histories there "
            "(<wiki>-<date>-pages-meta-history*.xml*.7z of dumps.wikimedia.org; .bz2, .gz and "
            ".xml are read too), or say where they are with --wiki_revision_data_prefix",
            pattern);
    t2_free(dir);
    t2_free(pattern);
    return st;
}

static size_t n_shards(const struct dg_problem *p)
{
    return (size_t) p->n_shards[DG_TRAIN] + (size_t) p->n_shards[DG_DEV];
}

static bool is_of_split(const struct dg_problem *p, enum dg_split split, size_t file)
{
    bool is_train = file % n_shards(p) < (size_t) p->n_shards[DG_TRAIN];

    return is_train == (split == DG_TRAIN);
}

/* The files of a split, or of one of its shards (-1: all). */
static enum t2_status dumps_of(const struct dg_problem *p, const struct dg_options *options,
                               enum dg_split split, int shard, struct t2_strs *paths,
                               struct t2_err *err)
{
    size_t index = (size_t) shard + (split == DG_DEV ? (size_t) p->n_shards[DG_TRAIN] : 0);
    struct t2_strs all = {0};
    enum t2_status st = find_dumps(p->context, options, &all, err);

    for (size_t i = 0; i < all.n && st == T2_OK; i++) {
        if (is_of_split(p, split, i) && (shard < 0 || i % n_shards(p) == index))
            t2_strs_push(paths, all.items[i]);
    }
    t2_strs_release(&all);
    return st;
}

static enum t2_status open_dump(const struct dg_revision_spec *w, const char *path,
                                struct dg_drops *drops, struct dg_histories **h, struct t2_err *err)
{
    t2_info("Reading from %s", path);
    return dg_histories_open(path, UINT64_C(1) << w->max_page_size_exp, w->max_unpacked, drops, h,
                             err);
}

/* ---- texts ---- */

/* Treats a text that is not UTF-8 as --invalid asks for; *is_good false: it is left out. */
static enum t2_status mend_text(const struct dg_options *options, struct t2_buf *text,
                                uint64_t *n_replaced, bool *is_good, struct t2_err *err)
{
    size_t at = t2_utf8_invalid_at(text->data, text->len_bytes);
    struct t2_buf mended = {0};

    *is_good = true;
    if (at == text->len_bytes)
        return T2_OK;
    if (options->invalid == DG_INVALID_FAIL)
        return t2_fail(err, T2_EFORMAT,
                       "byte 0x%02X of the text of a revision is not valid UTF-8; see --invalid",
                       text->data[at]);
    *is_good = options->invalid == DG_INVALID_REPLACE;
    if (!*is_good)
        return T2_OK;
    tok_utf8_replace(&mended, text->data, text->len_bytes);
    t2_buf_release(text);
    *text = mended;
    ++*n_replaced;
    return T2_OK;
}

/* ---- shards ---- */

struct shard {
    struct dg_shard_job *job;
    const struct dg_revision_spec *w;
    const char *path;
    struct dg_pairs pairs;
    struct dg_revision_report report;
    struct dg_revision_scratch scratch;
    struct t2_buf texts[2], with_errors;
    struct tok_ids old_ids, new_ids;
    struct tok_cache *cache;
    struct dg_record record;
};

static void shard_release(struct shard *s)
{
    dg_pairs_release(&s->pairs);
    dg_revision_scratch_release(&s->scratch);
    t2_buf_release(&s->texts[0]);
    t2_buf_release(&s->texts[1]);
    t2_buf_release(&s->with_errors);
    tok_ids_release(&s->old_ids);
    tok_ids_release(&s->new_ids);
    tok_cache_free(s->cache);
    dg_record_release(&s->record);
    t2_strs_release(&s->report.files);
}

static void add_ids(struct dg_record *r, const char *name, const int32_t *ids, size_t n)
{
    struct dg_feature *f = dg_record_add(r, name, TFR_INT64);

    dg_feature_append_ids(f, ids, n);
    dg_feature_push(f, TOK_EOS);
}

static enum t2_status put_pair(void *context, const int32_t *source, size_t n_source,
                               const int32_t *target, size_t n_target, struct t2_err *err)
{
    struct shard *s = context;

    dg_record_clear(&s->record);
    add_ids(&s->record, "inputs", source, n_source);
    add_ids(&s->record, "targets", target, n_target);
    return dg_shard_put(s->job, &s->record, err);
}

/* The text of a revision; *is_good false: it is left out. */
static enum t2_status take_text(struct shard *s, struct t2_slice revision, struct t2_buf *text,
                                bool *is_good, struct t2_err *err)
{
    *is_good = false;
    if (revision.len_bytes > MOST_REVISION_BYTES) {
        dg_drops_add(&s->job->drops, "a revision of more than 4 MiB", s->path, 0, NULL);
        return T2_OK;
    }
    T2_TRY(dg_revision_text(revision, &s->scratch, text, err));
    T2_TRY(mend_text(s->job->options, text, &s->job->n_replaced, is_good, err));
    if (!*is_good)
        dg_drops_add(&s->job->drops, "a revision that is not UTF-8", s->path, 0, NULL);
    return T2_OK;
}

static enum t2_status encode(struct shard *s, const struct t2_buf *text, struct tok_ids *ids,
                             struct t2_err *err)
{
    ids->n = 0;
    s->job->n_bytes += text->len_bytes;
    return dg_vocab_encode(s->job->vocabs[DG_TARGETS], s->cache, t2_buf_slice(text), ids, err);
}

static enum t2_status cut_pair(struct shard *s, const struct t2_buf *old_text,
                               const struct t2_buf *new_text, struct t2_err *err)
{
    if (s->w->introduce_errors) {
        dg_pairs_bring_errors(&s->pairs, t2_buf_slice(old_text), &s->with_errors);
        old_text = &s->with_errors;
    }
    T2_TRY(encode(s, old_text, &s->old_ids, err));
    T2_TRY(encode(s, new_text, &s->new_ids, err));
    return dg_pairs_cut(&s->pairs, &s->old_ids, &s->new_ids, put_pair, s, err);
}

/* Each revision that counts beside the next one that does. */
static enum t2_status take_page(struct shard *s, const struct dg_page_history *page,
                                struct t2_err *err)
{
    size_t n = 0;
    bool is_good = false;

    s->report.pages++;
    s->report.revisions += page->n_revisions;
    for (size_t i = 0; i < page->n_revisions && page->n_revisions >= 2; i++) {
        if (!dg_revision_counts(i, s->w->revision_skip_factor) && i + 1 < page->n_revisions)
            continue;
        T2_TRY(take_text(s, page->revisions[i], &s->texts[n % 2], &is_good, err));
        if (!is_good)
            continue;
        if (n > 0)
            T2_TRY(cut_pair(s, &s->texts[(n + 1) % 2], &s->texts[n % 2], err));
        n++;
    }
    s->report.revisions_admitted += n;
    return T2_OK;
}

static bool has_enough(const struct shard *s)
{
    return s->w->max_examples_per_shard &&
           s->pairs.counts.pairs >= (uint64_t) s->w->max_examples_per_shard;
}

static enum t2_status read_dump(struct shard *s, struct t2_err *err)
{
    struct dg_histories *h = NULL;
    struct dg_page_history page;
    enum t2_status st = T2_OK;

    T2_TRY(open_dump(s->w, s->path, &s->job->drops, &h, err));
    while (!has_enough(s) && (st = dg_histories_next(h, &page, err)) == T2_OK) {
        st = take_page(s, &page, err);
        if (st != T2_OK && st != T2_EINTERRUPTED)
            (void) t2_wrap(err, "'%s': page at offset %" PRIu64 " of the text", s->path,
                           page.offset);
        if (st != T2_OK)
            break;
    }
    dg_histories_free(h);
    return st == T2_EOF ? T2_OK : st;
}

static enum t2_status write_report(struct shard *s, struct t2_err *err)
{
    const struct dg_shard_job *job = s->job;
    char *shard = tfr_shard_path("", dg_problem_stem(job->problem), dg_split_name(job->split),
                                 job->shard, job->problem->n_shards[job->split]);
    char *name = t2_asprintf("stats_%s", t2_path_base(shard));
    char *path = t2_path_join(job->options->data_dir, name);
    struct t2_buf text = {0};
    enum t2_status st;

    s->report.counts = s->pairs.counts;
    dg_revision_report_put(&s->report, &text);
    st = t2_write_file(path, text.data, text.len_bytes, err);
    t2_buf_release(&text);
    t2_free(path);
    t2_free(name);
    t2_free(shard);
    return st;
}

static enum t2_status make_shard(struct dg_shard_job *job, struct t2_err *err)
{
    const struct dg_revision_spec *w = job->problem->context;
    uint64_t seed = job->options->random_seed;
    struct shard s = {.job = job,
                      .w = w,
                      .pairs = {.max_length = MAX_LENGTH,
                                .percent_identical = w->percent_identical_examples,
                                .max_equal_to_diff = w->max_equal_to_diff_ratio},
                      .report = {.spec = w}};
    enum t2_status st;

    t2_mt_seed_python(&s.pairs.mt, seed == TOOL_SEED ? SEED : seed);
    s.cache = tok_cache_new(job->vocabs[DG_TARGETS]->encoder, CACHE_BYTES);
    st = dumps_of(job->problem, job->options, job->split, job->shard, &s.report.files, err);
    for (size_t i = 0; i < s.report.files.n && st == T2_OK; i++) {
        s.path = s.report.files.items[i];
        st = read_dump(&s, err);
    }
    if (st == T2_OK)
        st = write_report(&s, err);
    job->mt = s.pairs.mt;
    shard_release(&s);
    return st;
}

static enum t2_status note_inputs(const struct dg_problem *p, const struct dg_options *options,
                                  enum dg_split split, struct dg_input_files *files,
                                  struct t2_err *err)
{
    struct t2_strs paths = {0};
    char sha256[65];
    uint64_t bytes;
    enum t2_status st = dumps_of(p, options, split, -1, &paths, err);

    for (size_t i = 0; i < paths.n && st == T2_OK; i++) {
        st = t2_sha256_file(paths.items[i], sha256, &bytes, err);
        if (st == T2_OK)
            dg_input_files_add(files, paths.items[i], "revisions", bytes, 0, sha256);
    }
    t2_strs_release(&paths);
    return st;
}

/* A page twice (its buffer grows by doubling), 7z's dictionary, and what becomes of two
 * revisions. */
static uint64_t shard_memory(const struct dg_problem *p)
{
    const struct dg_revision_spec *w = p->context;
    enum { DICTIONARY_BYTES = 64 << 20, TIMES_A_REVISION = 48 };

    return (UINT64_C(2) << w->max_page_size_exp) + DICTIONARY_BYTES + CACHE_BYTES +
           (uint64_t) TIMES_A_REVISION * MOST_REVISION_BYTES;
}

static const struct dg_shard_maker maker = {note_inputs, make_shard, shard_memory};

/* ---- the vocabulary: the last revisions of the last pages ---- */

struct vocab_stream {
    struct dg_stream base;
    const struct dg_revision_spec *w;
    struct dg_options options;
    struct t2_strs paths;
    size_t n_left; /* files that were not opened yet, the last first */
    struct dg_histories *h;
    size_t n_pages;
    struct dg_revision_scratch scratch;
    struct t2_buf text;
    uint64_t n_replaced;
};

static enum t2_status next_page(struct vocab_stream *s, struct dg_page_history *page,
                                struct t2_err *err)
{
    enum t2_status st;

    for (;;) {
        if (!s->h) {
            if (s->n_left == 0)
                return T2_EOF;
            T2_TRY(open_dump(s->w, s->paths.items[--s->n_left], NULL, &s->h, err));
        }
        st = dg_histories_next(s->h, page, err);
        if (st != T2_EOF)
            return st;
        dg_histories_free(s->h);
        s->h = NULL;
    }
}

static enum t2_status vocab_next(struct dg_stream *base, struct dg_sample *sample,
                                 struct t2_err *err)
{
    struct vocab_stream *s = (struct vocab_stream *) base;
    struct dg_page_history page;
    bool is_good = false;

    while (!is_good) {
        if (s->n_pages == VOCAB_PAGES)
            return T2_EOF;
        T2_TRY(next_page(s, &page, err));
        if (page.n_revisions == 0 ||
            page.revisions[page.n_revisions - 1].len_bytes > MOST_REVISION_BYTES)
            continue;
        if (dg_revision_text(page.revisions[page.n_revisions - 1], &s->scratch, &s->text, err) !=
                T2_OK ||
            mend_text(&s->options, &s->text, &s->n_replaced, &is_good, err) != T2_OK)
            return t2_wrap(err, "'%s': page at offset %" PRIu64 " of the text",
                           s->paths.items[s->n_left], page.offset);
    }
    s->n_pages++;
    sample->targets = t2_buf_slice(&s->text);
    sample->inputs_origin.path = sample->targets_origin.path = s->paths.items[s->n_left];
    return T2_OK;
}

static void vocab_free(struct dg_stream *base)
{
    struct vocab_stream *s = (struct vocab_stream *) base;

    dg_histories_free(s->h);
    dg_revision_scratch_release(&s->scratch);
    t2_buf_release(&s->text);
    t2_strs_release(&s->paths);
    t2_free(s);
}

static enum t2_status open_vocab(const struct dg_problem *p, const struct dg_options *options,
                                 enum dg_side_index side, struct dg_stream **stream,
                                 struct t2_err *err)
{
    struct vocab_stream *s = t2_alloc(1, sizeof *s);
    enum t2_status st;

    (void) side;
    s->base = (struct dg_stream){.next = vocab_next, .free = vocab_free, .is_clean = true};
    s->w = p->context;
    s->options = *options;
    st = find_dumps(s->w, options, &s->paths, err);
    s->n_left = s->paths.n;
    if (st != T2_OK) {
        vocab_free(&s->base);
        return st;
    }
    *stream = &s->base;
    return T2_OK;
}

/* ---- problems ---- */

static enum t2_status check_memory(const struct dg_problem *p, const struct dg_options *options,
                                   struct t2_err *err)
{
    char human[32], human_need[32];
    uint64_t need = shard_memory(p);

    if (options->max_memory == 0 || options->max_memory >= need)
        return T2_OK;
    return t2_fail(err, T2_EUSAGE,
                   "--max_memory=%s: making one shard of '%s' takes up to %s; a smaller "
                   "--wiki_revision_max_page_size_exp leaves larger pages out, and takes less",
                   t2_human_bytes(options->max_memory, human, sizeof human), p->name,
                   t2_human_bytes(need, human_need, sizeof human_need));
}

static enum t2_status prepare(const struct dg_problem *p, const struct dg_options *options,
                              struct t2_err *err)
{
    struct t2_strs all = {0};
    enum t2_status st = check_memory(p, options, err);

    if (st == T2_OK)
        st = find_dumps(p->context, options, &all, err);
    if (st == T2_OK && all.n < n_shards(p))
        t2_warn("%zu dump%s for %zu shards: those behind them will be empty%s; see "
                "--wiki_revision_num_train_shards",
                all.n, all.n == 1 ? "" : "s", n_shards(p),
                all.n <= (size_t) p->n_shards[DG_TRAIN] && p->n_shards[DG_DEV]
                    ? ", and nothing is left to evaluate on"
                    : "");
    t2_strs_release(&all);
    return st;
}

static enum t2_status describe(const struct dg_problem *p, const struct dg_options *options,
                               enum dg_split split, struct dg_input_sizes *sizes,
                               struct t2_err *err)
{
    struct t2_strs paths = {0};
    enum t2_status st = dumps_of(p, options, split, -1, &paths, err);

    for (size_t i = 0; i < paths.n; i++) {
        t2_buf_printf(&sizes->text, "    '%s'\n", paths.items[i]);
        dg_sizes_add_file(sizes, paths.items[i], 0);
    }
    if (st == T2_OK && paths.n == 0)
        t2_buf_puts(&sizes->text, "    nothing: there are fewer dumps than shards\n");
    t2_strs_release(&paths);
    return st;
}

static const struct dg_revision_spec defaults = DG_REVISION_SPEC_INIT;
/* clang-format off */
#define LICENCE "CC BY-SA (Wikipedia)"
static const struct dg_source_file dump_file = {
    .name = "pages-meta-history.xml.7z", .licence = LICENCE,
    .gone = "the dumps are yours to choose: any *pages-meta-history*.xml*.7z of dumps.wikimedia.org, or what "
            "--wiki_revision_data_prefix says"};

#define PROBLEM(name_, summary_, ...)                                                               \
    {                                                                                               \
        .name = name_, .summary = summary_, .has_inputs = true, .shared_vocab = true,               \
        .n_shards = {50, 1, 0}, .input_space_id = DG_SPACE_GENERIC,                                 \
        .targets_vocab = {.kind = DG_VOCAB_SUBWORDS, .approx_size = VOCAB_SIZE,                     \
                          .file = "vocab.wiki_revision.strip.32768", .any_length = true},           \
        .sources = (const struct dg_source_file *const[]){&dump_file, NULL}, .licence = LICENCE,    \
        .prepare = prepare, .describe = describe,                                                   \
        .vocab.open_text = open_vocab, .sharding.maker = &maker, __VA_ARGS__ .context = &defaults}

static const struct dg_problem problems[] = {
    PROBLEM("wiki_revision", "old and new versions of sentences, with errors brought in",),
    PROBLEM("wiki_revision_packed1k", "the same, packed to 1024", .packing.length = 1024,),
    PROBLEM("wiki_revision_packed256", "the same, packed to 256", .packing.length = 256,),
};
/* clang-format on */
const struct dg_family dg_family_wiki_revision = {"Page histories of Wikipedia", problems,
                                                  sizeof problems / sizeof *problems};

/* ---- as the flags want it ---- */

bool dg_is_revision_problem(const struct dg_problem *p)
{
    return p->sharding.maker == &maker;
}

static enum t2_status check_number(const char *flag, double value, double least, double most,
                                   struct t2_err *err)
{
    if (value >= least && value <= most) /* not NaN */
        return T2_OK;
    return t2_fail(err, T2_EUSAGE, "--wiki_revision_%s=%g: must be %.16g to %.16g", flag, value,
                   least, most);
}

static enum t2_status check_spec(const struct dg_revision_spec *w, struct t2_err *err)
{
    enum { MOST_SHARDS = 100000, LEAST_EXP = 10, MOST_EXP = 31 };

    T2_TRY(check_number("num_train_shards", (double) w->num_train_shards, 1, MOST_SHARDS, err));
    T2_TRY(check_number("num_dev_shards", (double) w->num_dev_shards, 0, MOST_SHARDS, err));
    T2_TRY(
        check_number("max_examples_per_shard", (double) w->max_examples_per_shard, 0, 1e15, err));
    T2_TRY(
        check_number("max_page_size_exp", (double) w->max_page_size_exp, LEAST_EXP, MOST_EXP, err));
    T2_TRY(check_number("max_equal_to_diff_ratio", w->max_equal_to_diff_ratio, 0, 1e9, err));
    T2_TRY(check_number("revision_skip_factor", w->revision_skip_factor, 0, 1e9, err));
    return check_number("percent_identical_examples", w->percent_identical_examples, 0, 1, err);
}

/* All that decides which records there are, for the manifest. */
static char *report_rules(const struct dg_revision_spec *w)
{
    struct t2_buf text = {0};

    t2_buf_printf(&text, "pages below 2^%" PRId64 " bytes, skip factor ", w->max_page_size_exp);
    dg_put_python_float(w->revision_skip_factor, &text);
    t2_buf_puts(&text, ", identical pairs ");
    dg_put_python_float(w->percent_identical_examples, &text);
    t2_buf_puts(&text, ", different to equal ");
    dg_put_python_float(w->max_equal_to_diff_ratio, &text);
    t2_buf_printf(&text, ", %s, %" PRId64 " pairs a shard",
                  w->introduce_errors ? "errors brought in" : "no errors",
                  w->max_examples_per_shard);
    return t2_buf_detach(&text);
}

struct made_problem {
    struct dg_problem problem;
    struct dg_revision_spec spec;
    char *rules;
};

enum t2_status dg_revision_problem_new(const struct dg_problem *p,
                                       const struct dg_revision_spec *spec,
                                       struct dg_problem **sizes, struct t2_err *err)
{
    struct made_problem *t;

    T2_TRY(check_spec(spec, err));
    t = t2_alloc(1, sizeof *t);
    t->problem = *p;
    t->spec = *spec;
    t->rules = report_rules(spec);
    t->problem.context = &t->spec;
    t->problem.revision = t->rules;
    t->problem.n_shards[DG_TRAIN] = (int) spec->num_train_shards;
    t->problem.n_shards[DG_DEV] = (int) spec->num_dev_shards;
    if (spec->vocab_file[0])
        t->problem.targets_vocab.ready_file = spec->vocab_file;
    *sizes = &t->problem;
    return T2_OK;
}

void dg_revision_problem_free(struct dg_problem *sizes)
{
    struct made_problem *t = (struct made_problem *) sizes;

    if (!t)
        return;
    t2_free(t->rules);
    t2_free(t);
}
