/*
 * datagen/problem_vocab.c - the vocabularies of a problem.
 */
#include "datagen/problem_vocab.h"

#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "base/log.h"
#include "base/map.h"
#include "tokenizer/unicode.h"

const struct dg_vocab_wish *dg_vocab_wish_of(const struct dg_problem *p, enum dg_side_index side)
{
    return side == DG_INPUTS && !p->shared_vocab ? &p->inputs_vocab : &p->targets_vocab;
}

char *dg_vocab_file_name(const struct dg_problem *p, enum dg_side_index side)
{
    const struct dg_vocab_wish *wish = dg_vocab_wish_of(p, side);
    const char *suffix = p->shared_vocab || !p->has_inputs ? ""
                         : side == DG_INPUTS               ? ".source"
                                                           : ".target";

    switch (wish->kind) {
    case DG_VOCAB_SUBWORDS:
        return t2_asprintf("vocab.%s.%" PRId64 ".subwords%s", dg_problem_stem(p), wish->approx_size,
                           suffix);
    case DG_VOCAB_TOKENS:
        return t2_asprintf("vocab.%s.tokens%s", dg_problem_stem(p), suffix);
    case DG_VOCAB_BYTES:
        break;
    }
    return NULL;
}

void dg_vocab_release(struct dg_vocab *v)
{
    tok_free(v->encoder);
    t2_map_free(v->words);
    memset(v, 0, sizeof *v);
}

/* Word -> id, the later of equal entries winning, as in the original's reverse map. */
static enum t2_status index_words(const char *path, const struct dg_vocab_wish *wish,
                                  struct dg_vocab *v, struct t2_err *err)
{
    int32_t id, size = tok_size(v->encoder);
    const uint64_t *oov;

    v->words = t2_map_new();
    for (id = 0; id < size; ++id) {
        struct t2_slice entry = tok_entry(v->encoder, id);
        *t2_map_at(v->words, entry.data, entry.len_bytes, NULL) = (uint64_t) id;
    }
    if (!wish->oov_token)
        return T2_OK;
    oov = t2_map_find(v->words, wish->oov_token, strlen(wish->oov_token));
    if (!oov)
        return t2_fail(err, T2_EFORMAT, "'%s' has no entry '%s' for unknown words", path,
                       wish->oov_token);
    v->has_oov = true;
    v->oov_id = (int32_t) *oov;
    return T2_OK;
}

enum t2_status dg_vocab_load(const char *path, const struct dg_vocab_wish *wish, struct dg_vocab *v,
                             struct t2_err *err)
{
    memset(v, 0, sizeof *v);
    v->kind = wish->kind;
    if (wish->kind == DG_VOCAB_BYTES) {
        v->encoder = tok_bytes_new();
        return T2_OK;
    }
    T2_TRY(tok_load(path, &v->encoder, err));
    if (wish->kind == DG_VOCAB_TOKENS) {
        enum t2_status st = index_words(path, wish, v, err);
        if (st != T2_OK)
            dg_vocab_release(v);
        return st;
    }
    if (strcmp(tok_kind(v->encoder), "subwords") != 0) {
        enum t2_status st = t2_fail(err, T2_EFORMAT, "'%s' is a vocabulary of %s, not of subwords",
                                    path, tok_kind(v->encoder));
        dg_vocab_release(v);
        return st;
    }
    return T2_OK;
}

static enum t2_status push_word(const struct dg_vocab *v, const uint8_t *word, size_t len_bytes,
                                struct tok_ids *ids, struct t2_err *err)
{
    const uint64_t *id = t2_map_find(v->words, word, len_bytes);

    if (id) {
        tok_ids_push(ids, (int32_t) *id);
        return T2_OK;
    }
    if (!v->has_oov)
        return t2_fail(err, T2_EFORMAT, "word '%.*s' is not in the vocabulary",
                       len_bytes > 200 ? 200 : (int) len_bytes, (const char *) word);
    tok_ids_push(ids, v->oov_id);
    return T2_OK;
}

/* Words between blanks (spec §4.10, token encoder). */
static enum t2_status encode_words(const struct dg_vocab *v, struct t2_slice text,
                                   struct tok_ids *ids, struct t2_err *err)
{
    size_t at = 0, word = 0;

    while (at < text.len_bytes) {
        uint32_t code_point;
        bool valid;
        size_t len = tok_utf8_decode(text.data + at, text.len_bytes - at, &code_point, &valid);
        if (tok_is_space(code_point)) {
            if (at > word)
                T2_TRY(push_word(v, text.data + word, at - word, ids, err));
            word = at + len;
        }
        at += len;
    }
    if (at > word)
        T2_TRY(push_word(v, text.data + word, at - word, ids, err));
    return T2_OK;
}

enum t2_status dg_vocab_encode(const struct dg_vocab *v, struct tok_cache *cache,
                               struct t2_slice text, struct tok_ids *ids, struct t2_err *err)
{
    if (v->words)
        return encode_words(v, text, ids, err);
    return tok_encode(v->encoder, cache, text.data, text.len_bytes, ids, err);
}

/* What the search of the size says on its way. */
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

/* Of the original's lines, "Trying min_count 500" and the size at the end of the probe are shown. */
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

enum t2_status dg_vocab_build(const struct tok_counts *counts, int64_t approx_size,
                              struct t2_pool *pool, const char *path, struct t2_err *err)
{
    struct tok_build_options options = {0};
    struct search_log log = {0};
    struct tok_encoder *e = NULL;
    enum t2_status st;

    t2_info("Generating vocab file: %s", path);
    options.target_size = approx_size;
    options.max_subtoken_length = 200;
    options.pool = pool;
    options.log = log_line;
    options.log_arg = &log;
    T2_TRY(tok_build(counts, &options, &e, err));
    probe_ends(&log);
    warn_of_size(counts, tok_size(e), approx_size, log.most);
    st = tok_save(e, path, err);
    tok_free(e);
    return st;
}
