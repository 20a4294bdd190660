/*
 * datagen/problems/translate.c - a translation problem: compiled text, samples, text for the
 * vocabulary.
 */
#include "datagen/problems/translate.h"

#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "base/dir_lock.h"
#include "base/file.h"
#include "base/log.h"
#include "base/mt19937.h"
#include "base/text.h"
#include "datagen/problems/translate_sources.h"
#include "datagen/source/drop_report.h"
#include "datagen/source/vocab_lines.h"
#include "datagen/stream.h"
#include "datagen/vocabs/problem_vocab.h"

/* ---- compiled text ---- */

static char *compiled_path(const struct dg_problem *p, const struct dg_options *options,
                           enum dg_split split, int lang)
{
    const struct dg_translate *t = p->context;
    const char *tag = split == DG_TRAIN ? "train" : "dev";
    char *name = t->compiled ? t2_asprintf("%s%s.lang%d", t->compiled, tag, lang)
                             : t2_asprintf("%s-compiled-%s.lang%d", p->name, tag, lang);
    char *path = t2_path_join(options->tmp_dir, name);

    t2_free(name);
    return path;
}

/* The path of the report about lines that were left out while compiling. */
static char *left_out_path(const struct dg_problem *p, const struct dg_options *options,
                           enum dg_split split)
{
    char *lang1 = compiled_path(p, options, split, 1);
    char *path = t2_asprintf("%.*sleft-out.json", (int) (strlen(lang1) - strlen("lang1")), lang1);

    t2_free(lang1);
    return path;
}

static bool is_compiled(const struct dg_problem *p, const struct dg_options *options,
                        enum dg_split split)
{
    char *lang1 = compiled_path(p, options, split, 1), *lang2 = compiled_path(p, options, split, 2);
    const struct dg_translate *t = p->context;
    bool is = !t->is_ready && t2_exists(lang1) && t2_exists(lang2);

    t2_free(lang1);
    t2_free(lang2);
    return is;
}

static const struct dg_parallel_source *table_of(const struct dg_problem *p, enum dg_split split)
{
    const struct dg_translate *t = p->context;

    return split == DG_TRAIN ? t->train : t->dev;
}

/* The parts that a list of sources becomes; paths are owned by `paths`. */
struct parts {
    struct dg_compile_part *items;
    size_t n;
    struct t2_strs paths;
};

static void add_part(struct parts *parts, const struct dg_parallel_source *s, bool clean,
                     char *lang1, char *lang2)
{
    parts->items = t2_realloc(parts->items, parts->n + 1, sizeof *parts->items);
    parts->items[parts->n++] = (struct dg_compile_part){.kind = s->kind,
                                                        .lang1 = lang1,
                                                        .lang2 = lang2,
                                                        .column1 = s->column1,
                                                        .column2 = s->column2,
                                                        .clean = clean};
    t2_strs_take(&parts->paths, lang1);
    if (lang2)
        t2_strs_take(&parts->paths, lang2);
}

static enum t2_status parts_of(const struct dg_parallel_list *sources, const struct dg_translate *t,
                               bool is_train, const struct dg_options *options, struct parts *parts,
                               struct t2_err *err)
{
    for (size_t i = 0; i < sources->n; i++) {
        const struct dg_parallel_source *s = sources->items[i];
        struct t2_strs files = {0};
        enum t2_status st;
        switch (s->kind) {
        case DG_PARALLEL_TSV:
            st = dg_tsv_files(s, options, &files, err);
            for (size_t k = 0; k < files.n && st == T2_OK; k++)
                add_part(parts, s, false, t2_strdup(files.items[k]), NULL);
            t2_strs_release(&files);
            T2_TRY(st);
            break;
        case DG_PARALLEL_TMX:
            add_part(parts, s, is_train && t->clean_tmx, dg_tmx_file(s, options), NULL);
            break;
        case DG_PARALLEL_PAIR:
        case DG_PARALLEL_SGM:
            add_part(parts, s, is_train && t->clean_text, dg_member_path(s->lang1, options),
                     dg_member_path(s->lang2, options));
            break;
        }
    }
    return T2_OK;
}

static void report_compiled(const struct dg_compile_report *r, const char *lang1)
{
    t2_info("Compiled %" PRIu64 " of %" PRIu64 " pairs: %s", r->n_written, r->n_read, lang1);
    if (r->n_replaced)
        t2_warn("%" PRIu64 " texts held bytes that are not UTF-8, now U+FFFD", r->n_replaced);
    for (size_t i = 0; i < r->drops.n; i++) {
        const struct dg_drop *d = &r->drops.items[i];
        t2_info("left out %" PRIu64 ": %s (first: '%s' line %" PRIu64 ")", d->n, d->reason,
                d->examples[0].path, d->examples[0].line);
    }
}

static enum t2_status compile(const struct dg_problem *p, const struct dg_options *options,
                              enum dg_split split, const struct dg_parallel_list *sources,
                              struct t2_err *err)
{
    char *lang1 = compiled_path(p, options, split, 1), *lang2 = compiled_path(p, options, split, 2);
    /* a sample may be asked for by a thread of the other pool */
    struct t2_pool *pool = t2_pool_new(t2_pool_threads(options->pool));
    struct dg_compile_report report = {0};
    char *left_out = left_out_path(p, options, split);
    struct parts parts = {0};
    enum t2_status st = parts_of(sources, p->context, split == DG_TRAIN, options, &parts, err);

    if (st == T2_OK)
        st = dg_compile(parts.items, parts.n, lang1, lang2, left_out, options->invalid,
                        options->max_memory, pool, &report, err);
    if (st == T2_OK)
        report_compiled(&report, lang1);
    dg_drops_release(&report.drops);
    t2_strs_release(&parts.paths);
    t2_free(parts.items);
    t2_pool_free(pool);
    t2_free(left_out);
    t2_free(lang1);
    t2_free(lang2);
    return st;
}

/* One run at a time compiles; who waited finds it done. */
static enum t2_status compile_alone(const struct dg_problem *p, const struct dg_options *options,
                                    enum dg_split split, const struct dg_parallel_list *sources,
                                    struct t2_err *err)
{
    const struct dg_translate *t = p->context;
    struct t2_lock lock = {-1, NULL};
    char *name =
        t2_asprintf("%scompiling-%s", t->compiled ? t->compiled : p->name, dg_split_name(split));
    enum t2_status st = t2_lock_wait(options->tmp_dir, name, "compiling text", &lock, err);

    if (st == T2_OK) {
        if (!is_compiled(p, options, split))
            st = compile(p, options, split, sources, err);
        t2_lock_give(&lock);
    }
    t2_free(name);
    return st;
}

static enum t2_status ensure_compiled(const struct dg_problem *p, const struct dg_options *options,
                                      enum dg_split split, struct t2_err *err)
{
    const struct dg_translate *t = p->context;
    struct dg_parallel_list sources = {0};
    enum t2_status st;

    if (is_compiled(p, options, split))
        return T2_OK;
    dg_parallel_add(&sources, table_of(p, split), options);
    st = dg_parallel_provide(&sources, options, err);
    if (st == T2_OK && !t->is_ready)
        st = compile_alone(p, options, split, &sources, err);
    t2_free(sources.items);
    return st;
}

/* ---- before anything else ---- */

/* Will a vocabulary be built from the sources of p? */
static bool needs_vocab_text(const struct dg_problem *p, const struct dg_options *options)
{
    bool needs = false;

    for (int side = 0; side < DG_N_SIDES; side++) {
        const struct dg_vocab_spec *spec = dg_vocab_spec_of(p, (enum dg_side_index) side);
        char *file = dg_vocab_file_name(p, (enum dg_side_index) side);
        char *path = file ? t2_path_join(options->data_dir, file) : NULL;
        needs |= path && !spec->of_problem && !spec->ready_file && !t2_exists(path);
        t2_free(path);
        t2_free(file);
    }
    return needs;
}

static void say_compiled(const struct dg_problem *p, const struct dg_options *options,
                         enum dg_split split)
{
    char *lang1 = compiled_path(p, options, split, 1), *lang2 = compiled_path(p, options, split, 2);

    t2_info("Skipping compile data, found files:\n%s\n%s", lang1, lang2);
    t2_free(lang1);
    t2_free(lang2);
}

/* All downloads at once; what is compiled and has its vocabulary needs no sources. */
enum t2_status dg_translate_prepare(const struct dg_problem *p, const struct dg_options *options,
                                    struct t2_err *err)
{
    struct dg_parallel_list sources = {0};
    enum t2_status st;

    for (int split = DG_TRAIN; split <= DG_DEV; split++) {
        bool found = is_compiled(p, options, (enum dg_split) split);
        if (found)
            say_compiled(p, options, (enum dg_split) split);
        if (!found || (split == DG_TRAIN && needs_vocab_text(p, options)))
            dg_parallel_add(&sources, table_of(p, (enum dg_split) split), options);
    }
    st = dg_parallel_provide(&sources, options, err);
    t2_free(sources.items);
    return st;
}

/* ---- samples ---- */

/* Compiles when the first sample is asked for: a dry run only describes. */
struct translate_stream {
    struct dg_stream base;
    const struct dg_problem *p;
    struct dg_options options;
    enum dg_split split;
    struct dg_stream *lines;
    struct t2_mt mt; /* of n_sampled */
    uint64_t n_taken;
    bool second_pass;
};

static void add_compiled(struct dg_text_parts *parts, const struct dg_problem *p,
                         const struct dg_options *options, enum dg_split split)
{
    const struct dg_translate *t = p->context;
    const struct dg_parallel_source *first = table_of(p, split);
    char *lang1 =
        t->is_ready ? dg_member_path(first->lang1, options) : compiled_path(p, options, split, 1);
    char *lang2 =
        t->is_ready ? dg_member_path(first->lang2, options) : compiled_path(p, options, split, 2);

    dg_text_parts_add(parts, lang1, lang2);
    t2_free(lang1);
    t2_free(lang2);
}

/* Blocks: a synthetic pair of files, then all of the authentic text, and again. */
static void parts_of_split(const struct dg_problem *p, const struct dg_options *options,
                           enum dg_split split, struct dg_text_parts *parts)
{
    const struct dg_translate *t = p->context;

    if (split != DG_TRAIN || !t->synthetic) {
        add_compiled(parts, p, options, split);
        return;
    }
    for (size_t i = 0; t->synthetic[i][0]; i++) {
        char *inputs = t2_path_join(options->tmp_dir, t->synthetic[i][0]);
        char *targets = t2_path_join(options->tmp_dir, t->synthetic[i][1]);
        dg_text_parts_add(parts, inputs, targets);
        add_compiled(parts, p, options, split);
        t2_free(inputs);
        t2_free(targets);
    }
}

static enum t2_status open_lines(struct translate_stream *s, struct t2_err *err)
{
    struct dg_text_parts parts = {0};
    enum t2_status st;

    parts_of_split(s->p, &s->options, s->split, &parts);
    parts.max_memory = s->options.max_memory;
    st = dg_text_stream_new(&parts, true, &s->lines, err);
    dg_text_parts_release(&parts);
    if (st == T2_OK)
        s->lines->hash_on = s->base.hash_on && !s->second_pass;
    return st;
}

/* Notes the lines that the compiled text lacks. */
static enum t2_status note_left_out(struct translate_stream *s, struct t2_err *err)
{
    const struct dg_translate *t = s->p->context;
    char *path = left_out_path(s->p, &s->options, s->split);
    enum t2_status st = T2_OK;

    if (!t->is_ready && !s->base.left_out) {
        s->base.left_out = t2_alloc(1, sizeof *s->base.left_out);
        st = dg_drops_load(path, s->base.left_out, err);
    }
    t2_free(path);
    return st;
}

static enum t2_status next_line(struct translate_stream *s, struct dg_sample *sample,
                                struct t2_err *err)
{
    enum t2_status st;

    if (!s->lines) {
        T2_TRY(ensure_compiled(s->p, &s->options, s->split, err));
        T2_TRY(open_lines(s, err));
    }
    st = s->lines->next(s->lines, sample, err);
    s->base.drop_blank = s->lines->drop_blank;
    if (st == T2_EOF && s->base.files.n == 0) {
        s->base.files = s->lines->files;
        memset(&s->lines->files, 0, sizeof s->lines->files);
        if (s->base.hash_on)
            T2_TRY(note_left_out(s, err));
    }
    return st;
}

/* T2T's draws: a pair is taken with probability n_sampled / n_expected, until there are enough. */
static bool is_drawn(const struct dg_translate *t, struct t2_mt *mt)
{
    return t2_mt_random(mt) <= (double) t->n_sampled / (double) t->n_expected;
}

static enum t2_status next_drawn(struct translate_stream *s, struct dg_sample *sample,
                                 struct t2_err *err)
{
    const struct dg_translate *t = s->p->context;
    enum t2_status st;

    for (;;) {
        st = next_line(s, sample, err);
        if (st == T2_EOF && !s->second_pass && s->n_taken < t->n_sampled) {
            s->second_pass = true;
            dg_stream_free(s->lines);
            s->lines = NULL;
            continue;
        }
        if (st != T2_OK)
            return st;
        /* the original draws until one too many is taken; the lines behind are still read, for
         * their hash */
        if (s->n_taken <= t->n_sampled && is_drawn(t, &s->mt) && ++s->n_taken <= t->n_sampled)
            return T2_OK;
        memset(sample, 0, sizeof *sample);
    }
}

static enum t2_status translate_next(struct dg_stream *base, struct dg_sample *sample,
                                     struct t2_err *err)
{
    struct translate_stream *s = (struct translate_stream *) base;
    const struct dg_translate *t = s->p->context;

    return t->n_sampled && s->split == DG_TRAIN ? next_drawn(s, sample, err)
                                                : next_line(s, sample, err);
}

static enum t2_status translate_describe(struct dg_stream *base, struct dg_input_sizes *sizes,
                                         struct t2_err *err)
{
    struct translate_stream *s = (struct translate_stream *) base;
    const struct dg_translate *t = s->p->context;
    struct dg_parallel_list sources = {0};

    (void) err;
    if (is_compiled(s->p, &s->options, s->split)) {
        struct dg_stream *lines = NULL;
        struct dg_text_parts parts = {0};
        enum t2_status st;
        parts_of_split(s->p, &s->options, s->split, &parts);
        parts.max_memory = s->options.max_memory;
        st = dg_text_stream_new(&parts, true, &lines, err);
        dg_text_parts_release(&parts);
        if (st == T2_OK)
            st = dg_stream_describe(lines, sizes, err);
        dg_stream_free(lines);
        return st;
    }
    dg_parallel_add(&sources, table_of(s->p, s->split), &s->options);
    dg_parallel_describe(&sources, &s->options, !t->is_ready, sizes);
    t2_free(sources.items);
    return T2_OK;
}

static void translate_free(struct dg_stream *base)
{
    struct translate_stream *s = (struct translate_stream *) base;

    dg_stream_free(s->lines);
    t2_free(s);
}

enum t2_status dg_translate_open(const struct dg_problem *p, const struct dg_options *options,
                                 enum dg_split split, struct dg_stream **stream, struct t2_err *err)
{
    struct translate_stream *s = t2_alloc(1, sizeof *s);

    (void) err;
    s->base.next = translate_next;
    s->base.free = translate_free;
    s->base.describe = translate_describe;
    s->p = p;
    s->options = *options;
    s->split = split;
    t2_mt_seed_python(&s->mt, options->random_seed);
    *stream = &s->base;
    return T2_OK;
}

static enum t2_status count_lines(const char *path, const struct dg_options *options, uint64_t *n,
                                  struct t2_err *err)
{
    struct t2_slice line;
    struct t2_in *in = NULL;
    enum t2_status st;

    *n = 0;
    T2_TRY(t2_in_new(path, &in, err));
    t2_in_limit_line(in, options->max_memory);
    while ((st = t2_in_line(in, &line, err)) == T2_OK)
        ++*n;
    t2_in_free(in);
    return st == T2_EOF ? T2_OK : st;
}

enum t2_status dg_translate_before_shuffle(const struct dg_problem *p,
                                           const struct dg_options *options, struct t2_mt *mt,
                                           struct t2_err *err)
{
    const struct dg_translate *t = p->context;
    char *path = compiled_path(p, options, DG_TRAIN, 1);
    uint64_t n_lines, n_taken = 0;
    enum t2_status st = count_lines(path, options, &n_lines, err);

    t2_free(path);
    for (int pass = 0; pass < 2 && n_taken < t->n_sampled && st == T2_OK; pass++) {
        for (uint64_t i = 0; i < n_lines && n_taken <= t->n_sampled; i++)
            n_taken += is_drawn(t, mt);
    }
    return st;
}

/* ---- text for the vocabulary ---- */

/* Whole raw files, of one side or of both in turn; in place of TSV and TMX the compiled text. */
static enum t2_status vocab_paths(const struct dg_problem *p, const struct dg_options *options,
                                  const struct dg_parallel_list *sources, enum dg_side_index side,
                                  struct t2_strs *paths, struct t2_err *err)
{
    for (size_t i = 0; i < sources->n; i++) {
        const struct dg_parallel_source *s = sources->items[i];
        bool is_pair = s->kind == DG_PARALLEL_PAIR || s->kind == DG_PARALLEL_SGM;
        if (!is_pair)
            T2_TRY(ensure_compiled(p, options, DG_TRAIN, err));
        for (int lang = 1; lang <= 2; lang++) {
            if (!p->shared_vocab && (lang == 1) != (side == DG_INPUTS))
                continue;
            t2_strs_take(paths, is_pair ? dg_member_path(lang == 1 ? s->lang1 : s->lang2, options)
                                        : compiled_path(p, options, DG_TRAIN, lang));
        }
    }
    return T2_OK;
}

/* The original's line, a Python list. */
static void say_vocab_sources(const struct dg_parallel_list *sources)
{
    struct t2_buf text = {0};

    for (size_t i = 0; i < sources->n; i++) {
        const struct dg_parallel_source *s = sources->items[i];
        t2_buf_printf(&text, "%s['%s', ('%s'%s%s%s)]", i ? ", " : "",
                      s->file->urls ? s->file->urls[0] : s->file->name, s->lang1 ? s->lang1 : "tmx",
                      s->lang2 ? ", '" : "", s->lang2 ? s->lang2 : "", s->lang2 ? "'" : "");
    }
    t2_info("Generating vocab from: [%s]", t2_buf_cstr(&text));
    t2_buf_release(&text);
}

enum t2_status dg_translate_open_vocab_text(const struct dg_problem *p,
                                            const struct dg_options *options,
                                            enum dg_side_index side, struct dg_stream **stream,
                                            struct t2_err *err)
{
    const struct dg_translate *t = p->context;
    struct dg_parallel_list sources = {0};
    struct t2_strs paths = {0};
    enum t2_status st;

    dg_parallel_add(&sources, t->train, options);
    say_vocab_sources(&sources);
    st = dg_parallel_provide(&sources, options, err);
    if (st == T2_OK)
        st = vocab_paths(p, options, &sources, side, &paths, err);
    if (st == T2_OK)
        st = dg_vocab_lines_new(&paths, t->vocab_budget ? t->vocab_budget : DG_VOCAB_BUDGET,
                                options->max_memory, stream, err);
    t2_strs_release(&paths);
    t2_free(sources.items);
    return st;
}
