/*
 * datagen/vocabs/problem_vocab.c - the vocabularies of a problem.
 */
#include "datagen/vocabs/problem_vocab.h"

#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/log.h"
#include "tokenizer/tokens.h"

const struct dg_vocab_spec *dg_vocab_spec_of(const struct dg_problem *p, enum dg_side_index side)
{
    return side == DG_INPUTS && p->has_inputs && !p->shared_vocab ? &p->inputs_vocab
                                                                  : &p->targets_vocab;
}

bool dg_vocab_is_of_text(enum dg_vocab_kind kind)
{
    return kind < DG_VOCAB_CLASSES;
}

const struct dg_problem *dg_vocab_owner(const struct dg_problem *p, enum dg_side_index side)
{
    const struct dg_vocab_spec *spec = dg_vocab_spec_of(p, side);

    while (p && spec->of_problem) {
        p = dg_find(spec->of_problem);
        spec = p ? dg_vocab_spec_of(p, side) : spec;
    }
    return p;
}

static bool has_two_texts(const struct dg_problem *p)
{
    return p->has_inputs && dg_vocab_is_of_text(p->inputs_vocab.kind) &&
           dg_vocab_is_of_text(p->targets_vocab.kind);
}

char *dg_vocab_file_name(const struct dg_problem *p, enum dg_side_index side)
{
    const struct dg_vocab_spec *spec = dg_vocab_spec_of(p, side);
    const struct dg_problem *owner = dg_vocab_owner(p, side);
    const char *suffix = p->shared_vocab || !has_two_texts(p) ? ""
                         : side == DG_INPUTS                  ? ".source"
                                                              : ".target";

    if (owner && owner != p)
        return dg_vocab_file_name(owner, side);
    if (spec->file)
        return t2_strdup(spec->file);
    switch (spec->kind) {
    case DG_VOCAB_SUBWORDS:
        return t2_asprintf("vocab.%s.%" PRId64 ".subwords%s", dg_problem_stem(p), spec->approx_size,
                           suffix);
    case DG_VOCAB_TOKENS:
        return t2_asprintf("vocab.%s.tokens%s", dg_problem_stem(p), suffix);
    case DG_VOCAB_MODEL:
        return t2_asprintf("vocab.%s.%" PRId64 ".%s%s", dg_problem_stem(p), spec->approx_size,
                           spec->suffix, suffix);
    case DG_VOCAB_BYTES:
    case DG_VOCAB_CLASSES:
    case DG_VOCAB_NUMBERS:
    case DG_VOCAB_REALS:
    case DG_VOCAB_LABEL_SETS:
        break;
    }
    return NULL;
}

void dg_vocab_release(struct dg_vocab *v)
{
    tok_free(v->encoder);
    memset(v, 0, sizeof *v);
}

enum dg_vocab_kind dg_vocab_kind_of(const struct tok_encoder *e)
{
    static const enum dg_vocab_kind own[] = {DG_VOCAB_SUBWORDS, DG_VOCAB_TOKENS, DG_VOCAB_BYTES};

    for (size_t i = 0; i < sizeof own / sizeof *own; i++) {
        if (strcmp(tok_kind(e), dg_vocab_kind_name(own[i])) == 0)
            return own[i];
    }
    return DG_VOCAB_MODEL;
}

enum t2_status dg_vocab_open(const char *path, enum dg_vocab_kind kind, struct tok_encoder **e,
                             struct t2_err *err)
{
    enum t2_status st;

    *e = NULL;
    if (kind == DG_VOCAB_BYTES) {
        *e = tok_bytes_new();
        return T2_OK;
    }
    T2_TRY(tok_load(path, e, err));
    tok_shift(*e);
    if (dg_vocab_kind_of(*e) == kind)
        return T2_OK;
    st = t2_fail(err, T2_EFORMAT, "'%s' is a vocabulary of %s, not of %s", path, tok_kind(*e),
                 kind == DG_VOCAB_MODEL ? "another program" : dg_vocab_kind_name(kind));
    tok_free(*e);
    *e = NULL;
    return st;
}

enum t2_status dg_vocab_replace(const char *path, struct tok_encoder *e, const char *oov_token,
                                struct t2_err *err)
{
    if (dg_vocab_kind_of(e) != DG_VOCAB_TOKENS)
        return T2_OK;
    return tok_tokens_replace(e, oov_token, err) == T2_OK ? T2_OK : t2_wrap(err, "'%s'", path);
}

enum t2_status dg_vocab_load(const char *path, const struct dg_vocab_spec *spec, struct dg_vocab *v,
                             struct t2_err *err)
{
    enum t2_status st;

    *v = (struct dg_vocab){.kind = spec->kind, .oov_token = spec->oov_token};
    if (!dg_vocab_is_of_text(spec->kind)) {
        v->size = spec->approx_size;
        return T2_OK;
    }
    T2_TRY(dg_vocab_open(path, spec->kind, &v->encoder, err));
    st = dg_vocab_replace(path, v->encoder, spec->oov_token, err);
    v->size = tok_size(v->encoder);
    if (st != T2_OK)
        dg_vocab_release(v);
    return st;
}

enum t2_status dg_vocab_encode(const struct dg_vocab *v, struct tok_cache *cache,
                               struct t2_slice text, struct tok_ids *ids, struct t2_err *err)
{
    return tok_encode(v->encoder, cache, text.data, text.len_bytes, ids, err);
}

/* ---- taking ---- */

/* Appends the bytes that the file of the data set shall have. */
static enum t2_status bytes_to_keep(const char *from, struct t2_buf *bytes, struct t2_err *err)
{
    struct tok_encoder *e = NULL, *with_reserved;
    struct t2_slice *words;

    T2_TRY(t2_read_file(from, 0, bytes, err));
    T2_TRY(tok_parse(from, bytes->data, bytes->len_bytes, &e, err));
    if (dg_vocab_kind_of(e) == DG_VOCAB_TOKENS && !tok_tokens_reserved(e)) {
        words = t2_alloc((size_t) tok_size(e), sizeof *words);
        for (int32_t i = 0; i < tok_size(e); i++)
            words[i] = tok_entry(e, i);
        with_reserved = tok_tokens_of_list(words, (size_t) tok_size(e));
        t2_buf_clear(bytes);
        tok_write(with_reserved, bytes);
        tok_free(with_reserved);
        t2_free(words);
    }
    tok_free(e);
    return T2_OK;
}

enum t2_status dg_vocab_take(const char *from, const char *to, struct t2_err *err)
{
    struct t2_buf there = {0}, wanted = {0};
    enum t2_status st = bytes_to_keep(from, &wanted, err);

    if (st == T2_OK && t2_exists(to)) {
        st = t2_read_file(to, 0, &there, err);
        if (st == T2_OK && !t2_slice_eq(t2_buf_slice(&wanted), t2_buf_slice(&there)))
            st = t2_fail(err, T2_EFORMAT,
                         "'%s' exists and differs from '%s'; choose another --data_dir or --name, "
                         "or replace it with --overwrite",
                         to, from);
    } else if (st == T2_OK) {
        st = t2_write_file(to, wanted.data, wanted.len_bytes, err);
    }
    t2_buf_release(&wanted);
    t2_buf_release(&there);
    return st;
}

/* ---- building ---- */

/* The messages of the search for the size. */
struct search_log {
    bool at_one;  /* the probe that runs has min_count 1: every word gets in */
    int64_t most; /* size that probe had; 0: there was none */
    int64_t size; /* after the last iteration; 0: no probe is open */
};

static void probe_ends(struct search_log *log)
{
    if (log->size)
        t2_info("vocab_size = %" PRId64, log->size);
    if (log->at_one)
        log->most = log->size;
    log->size = 0;
}

/* Shows, of the original's lines, "Trying min_count 500" and the size at the end of the probe. */
static void log_line(void *arg, const char *line)
{
    static const char probe[] = "Trying min_count ", size[] = "vocab_size = ";
    struct search_log *log = arg;

    if (t2_starts_with(line, probe)) {
        probe_ends(log);
        log->at_one = strcmp(line + strlen(probe), "1") == 0;
        t2_info("%s", line);
        return;
    }
    if (t2_starts_with(line, size))
        (void) t2_parse_i64(line + strlen(size), &log->size);
    t2_debug("%s", line);
}

static void warn_of_size(const struct tok_counts *counts, int64_t size, int64_t wanted,
                         int64_t most)
{
    if (size * 100 < wanted * 99 && size == most)
        t2_warn("the vocabulary has %" PRId64 " entries, %" PRId64
                " were asked for: the text has no more to give (%zu distinct words); a smaller "
                "vocabulary size may serve better",
                size, wanted, tok_counts_distinct(counts));
    else if (size * 100 < wanted * 99 || size * 100 > wanted * 101)
        t2_warn("the vocabulary has %" PRId64 " entries, %" PRId64
                " were asked for: the nearest that the size search of the original finds",
                size, wanted);
}

/* <pad>, <EOS> and what the problem wants after them. */
static struct t2_strs reserved_tokens(const struct dg_vocab_spec *spec)
{
    struct t2_strs all = {0};

    t2_strs_push(&all, "<pad>");
    t2_strs_push(&all, "<EOS>");
    for (size_t i = 0; spec->reserved && spec->reserved[i]; i++)
        t2_strs_push(&all, spec->reserved[i]);
    return all;
}

static struct tok_build_options build_options(const struct dg_vocab_spec *spec,
                                              const struct t2_strs *reserved, struct t2_pool *pool)
{
    return (struct tok_build_options){.target_size = spec->approx_size,
                                      .max_subtoken_length = spec->any_length ? 0 : 200,
                                      .reserved = (const char *const *) reserved->items,
                                      .n_reserved = reserved->n,
                                      .pool = pool};
}

uint64_t dg_vocab_build_memory(struct tok_counts *counts, const struct dg_vocab_spec *spec,
                               struct t2_pool *pool, uint64_t max_memory)
{
    struct t2_strs reserved = reserved_tokens(spec);
    struct tok_build_options options = build_options(spec, &reserved, pool);
    uint64_t need;

    options.max_memory = max_memory;
    options.spent = counts;
    need = tok_build_memory(counts, &options);
    t2_strs_release(&reserved);
    return need;
}

enum t2_status dg_vocab_build(struct tok_counts *counts, const struct dg_vocab_spec *spec,
                              struct t2_pool *pool, uint64_t max_memory, const char *path,
                              struct t2_err *err)
{
    struct t2_strs reserved = reserved_tokens(spec);
    struct search_log log = {0};
    struct tok_build_options options = build_options(spec, &reserved, pool);
    struct tok_encoder *e = NULL;
    enum t2_status st;

    options.max_memory = max_memory;
    options.spent = counts;
    options.log = log_line;
    options.log_arg = &log;
    t2_info("Generating vocab file: %s", path);
    st = tok_build(counts, &options, &e, err);
    t2_strs_release(&reserved);
    if (st != T2_OK)
        return st;
    probe_ends(&log);
    warn_of_size(counts, tok_size(e), spec->approx_size, log.most);
    st = tok_save(e, path, err);
    tok_free(e);
    return st;
}
