/*
 * tokenizer/vocab_builder.c - word counts to vocabulary: the search for its size.
 *
 * Follows SubwordTextEncoder.build_to_target_size and build_from_token_counts of
 * tensor2tensor/data_generators/text_encoder.py, and _generate_subtokens_with_target_vocab_size of
 * official/nlp/transformer/utils/tokenizer.py, which differs in messages, reserved entries and when
 * a size is near enough; how a probe finds the same strings without counting substrings is in
 * subword_tree.h.
 *
 *   counts --vocab_words.h--> code points with ranks, symbols of all escaped words
 *          --make_tree--> tree of substrings --probe(min_count)--> kept strings, their number
 *          --search: bisection over min_count until the number is near the target--> make_encoder
 *
 * One tree serves all probes.  With max_memory it is made pruned, for the probes that are likely.
 */
#include "tokenizer/vocab_builder.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/radix_sort.h"
#include "base/signals.h"
#include "tokenizer/counts.h"
#include "tokenizer/escape.h"
#include "tokenizer/subword_tree.h"
#include "tokenizer/unicode.h"
#include "tokenizer/vocab_builder_memory.h"
#include "tokenizer/vocab_words.h"

enum {
    MIN_COUNT_MAX = 1000,
    DEFAULT_ITERATIONS = 4,
    PRUNED_ROOM = 4 /* a pruned tree is good for probes down to a quarter of what asked for it */
};

static const char *const default_reserved[] = {"<pad>", "<EOS>"};

struct build {
    const struct tok_build_options *options;
    const char *const *reserved;
    size_t n_reserved;
    int iterations;
    bool is_official;
    struct tok_ranks ranks;
    struct tok_words words;
    struct tok_tree tree;
    struct tok_probe_arrays arrays;
    size_t *sizes; /* per round */
    uint64_t counts_bytes;
    bool is_pruned;        /* the tree has only what probes so far have needed */
    struct t2_err failure; /* of a probe */
};

/* A string of the vocabulary: symbols[at ..]; of depth 1: symbol `at`. */
struct entry {
    uint64_t count;
    uint32_t at, depth;
};

/* What one probe of the search found. */
struct found {
    struct entry *kept;
    size_t n_kept;
    int64_t size;
};

/* ---- tree ---- */

/* min_count: of all probes; when the tree is not pruned it is for any. */
static void make_tree(struct build *b, int64_t min_count)
{
    struct tok_symbols *reserved = t2_alloc(b->n_reserved, sizeof *reserved);
    uint32_t **items = t2_alloc(b->n_reserved, sizeof *items);
    int longest = b->options->max_subtoken_length;

    for (size_t i = 0; i < b->n_reserved; i++) {
        struct t2_slice s = t2_slice_of(b->reserved[i]);
        size_t n = tok_escape_symbols(&b->ranks, s.data, s.len_bytes, NULL);

        items[i] = t2_alloc(n, sizeof **items);
        tok_escape_symbols(&b->ranks, s.data, s.len_bytes, items[i]);
        reserved[i] = (struct tok_symbols){items[i], (uint32_t) n};
    }
    /* The original counts strings shorter than the maximum, not up to it. */
    if (b->is_pruned)
        tok_tree_init_pruned(&b->tree, &b->words,
                             longest > 0 ? (uint32_t) longest - 1 : TOK_PRUNED_LIMIT, reserved,
                             b->n_reserved, (uint64_t) min_count);
    else
        tok_tree_init(&b->tree, &b->words, longest > 0 ? (uint32_t) longest - 1 : UINT32_MAX,
                      reserved, b->n_reserved, b->options->pool);
    for (size_t i = 0; i < b->n_reserved; i++)
        t2_free(items[i]);
    t2_free(items);
    t2_free(reserved);
}

/* ---- probes ---- */

static void log_line(const struct build *b, const char *format, ...) T2_PRINTF(2, 3);
static void log_line(const struct build *b, const char *format, ...)
{
    char line[128];
    va_list args;

    if (!b->options->log)
        return;
    va_start(args, format);
    vsnprintf(line, sizeof line, format, args);
    va_end(args);
    b->options->log(b->options->log_arg, line);
}

/* Once the tree is made the memory of a probe is known exactly; one beyond max_memory fails. */
static bool fits(struct build *b, int64_t min_count)
{
    const struct tok_build_options *o = b->options;
    struct tok_build_size z = {.n_words = b->words.n_words,
                               .n_symbols = b->words.n_symbols,
                               .n_nodes = b->tree.n_nodes};
    int threads = t2_pool_threads(o->pool);
    uint64_t need;

    if (o->max_memory == 0)
        return true;
    for (uint32_t i = 0; i < b->tree.n_nodes; i++)
        z.n_kept_nodes += b->tree.count[i] >= (uint64_t) min_count;
    need = (b->is_pruned ? tok_pruned_tree_bytes(&z, threads) : tok_tree_bytes(&z, threads)) +
           b->counts_bytes;
    if (need <= o->max_memory)
        return true;
    (void) t2_fail(&b->failure, T2_ENOMEM,
                   "trying min_count %" PRId64 " takes %" PRIu64 " bytes, %" PRIu64 " are allowed",
                   min_count, need, o->max_memory);
    return false;
}

/* A pruned tree that has what a probe needs, and some of what the next ones will. */
static void provide_tree(struct build *b, int64_t min_count)
{
    bool is_only = b->options->target_size == 0 || (b->is_official && b->options->min_count > 0);
    int64_t with_room = is_only ? min_count : min_count / PRUNED_ROOM;

    if (b->tree.n_nodes > 0 && (uint64_t) min_count >= b->tree.min_count)
        return;
    tok_tree_release(&b->tree);
    tok_probe_arrays_release(&b->arrays);
    make_tree(b, with_room > 1 ? with_room : 1);
}

/* The kept nodes as strings: the tree may be another one when they are asked for. */
static void resolve(const struct build *b, const struct tok_kept *kept, struct found *f)
{
    f->kept = t2_alloc(f->n_kept, sizeof *f->kept);
    for (size_t i = 0; i < f->n_kept; i++)
        f->kept[i] =
            (struct entry){kept[i].count, b->tree.at[kept[i].node], b->tree.depth[kept[i].node]};
}

/*
 * One attempt with a min_count: `iterations` rounds of counting on the tree, each from the strings
 * that the round before has kept.
 */
static struct found probe(struct build *b, int64_t min_count)
{
    struct tok_kept *kept;
    struct found f = {0};

    min_count = min_count > 1 ? min_count : 1;
    provide_tree(b, min_count);
    if (!fits(b, min_count))
        return f;
    tok_tree_probe(&b->tree, &b->words, (uint64_t) min_count, b->iterations, b->options->pool,
                   &b->arrays, b->sizes, &kept, &f.n_kept);
    resolve(b, kept, &f);
    t2_free(kept);
    for (int i = 0; i < b->iterations; i++) {
        log_line(b, b->is_official ? "\tGenerating subtokens: iteration %d" : "Iteration %d", i);
        log_line(b, b->is_official ? "\tVocab size: %zu" : "vocab_size = %zu",
                 b->sizes[i] + b->n_reserved);
    }
    f.size = (int64_t) (f.n_kept + b->n_reserved);
    return f;
}

static int64_t distance(int64_t a, int64_t b)
{
    return a > b ? a - b : b - a;
}

/*
 * T2T accepts a size within 1 % of the target, the official Transformer within a number of
 * entries.
 */
static bool is_near(const struct build *b, int64_t size)
{
    int64_t target = b->options->target_size, threshold = b->options->threshold;

    if (b->is_official)
        return distance(size, target) < (threshold > 0 ? threshold : TOK_OFFICIAL_THRESHOLD);
    return distance(size, target) <= (target - 1) / 100;
}

/* The originals' bisect() over min_count in [1, 1000]: at most ten levels deep.  Of the sizes on
 * the way the nearest one wins, and the deeper one only when it is strictly nearer, as there. */
static struct found search(struct build *b, int64_t low, int64_t high)
{
    int64_t target = b->options->target_size, middle = (low + high) / 2;
    struct found f, other;

    if (b->is_official)
        log_line(b, "Binary search: trying min_count=%" PRId64 " (%" PRId64 " %" PRId64 ")", middle,
                 low, high);
    else
        log_line(b, "Trying min_count %" PRId64, middle);
    f = probe(b, middle);
    if (b->is_official)
        log_line(b, "Binary search: min_count=%" PRId64 " resulted in %" PRId64 " tokens", middle,
                 f.size);
    if (is_near(b, f.size) || low >= high || middle < 2 || t2_interrupted() ||
        b->failure.status != T2_OK)
        return f;
    other = f.size > target ? search(b, middle + 1, high) : search(b, low, middle - 1);
    if (distance(other.size, target) < distance(f.size, target)) {
        t2_free(f.kept);
        return other;
    }
    t2_free(other.kept);
    return f;
}

/* With a search or without, as the options say. */
static struct found find(struct build *b)
{
    const struct tok_build_options *o = b->options;
    struct found f;

    if (!b->is_official)
        return o->target_size > 0 ? search(b, 1, MIN_COUNT_MAX) : probe(b, o->min_count);
    if (o->min_count > 0) {
        log_line(b, "Using min_count=%" PRId64 " to generate vocab with target size %" PRId64,
                 o->min_count, o->target_size);
        f = probe(b, o->min_count);
    } else {
        log_line(b, "Finding best min_count to get target size of %" PRId64, o->target_size);
        f = search(b, 1, MIN_COUNT_MAX);
    }
    log_line(b, "Generated vocabulary with %" PRId64 " subtokens.", f.size);
    return f;
}

/* ---- result ---- */

/* By falling count; equal ones stay in the order of their nodes, which is that of falling
 * strings. */
static void sort_kept(struct found *f)
{
    struct entry *spare = t2_realloc(NULL, f->n_kept + 1, sizeof *spare);

    for (size_t i = 0; i < f->n_kept; i++)
        f->kept[i].count = ~f->kept[i].count;
    t2_radix_sort(f->kept, f->n_kept, sizeof *f->kept, spare);
    for (size_t i = 0; i < f->n_kept; i++)
        f->kept[i].count = ~f->kept[i].count;
    t2_free(spare);
}

static void append_code_point(struct t2_buf *text, uint32_t c)
{
    uint8_t bytes[4];

    t2_buf_append(text, bytes, tok_utf8_encode(c, bytes));
}

/* Strings lie anywhere in the symbols, one seldom in the cache: e + AHEAD is asked for. */
static void append_string(const struct build *b, const struct entry *e, const struct entry *end,
                          struct t2_buf *text)
{
    enum { AHEAD = 16 };
    const uint32_t *code_points = b->ranks.code_points;

    if (end - e > AHEAD && e[AHEAD].depth > 1)
        __builtin_prefetch(b->words.symbols + e[AHEAD].at);
    if (e->depth == 1) {
        append_code_point(text, code_points[e->at]);
        return;
    }
    for (uint32_t i = 0; i < e->depth; i++)
        append_code_point(text, code_points[b->words.symbols[e->at + i]]);
}

static struct tok_encoder *make_encoder(const struct build *b, struct found *f)
{
    size_t n = b->n_reserved + f->n_kept;
    size_t *ends = t2_alloc(n, sizeof *ends);
    struct t2_slice *entries = t2_alloc(n, sizeof *entries);
    struct t2_buf text;
    struct tok_encoder *e;

    t2_buf_init(&text);
    sort_kept(f);
    for (size_t i = 0; i < n; i++) {
        if (i < b->n_reserved) {
            struct t2_slice s = t2_slice_of(b->reserved[i]);

            if (b->is_official)
                t2_buf_append(&text, s.data, s.len_bytes);
            else
                tok_escape(&b->ranks.set, s.data, s.len_bytes, &text);
        } else {
            append_string(b, &f->kept[i - b->n_reserved], f->kept + f->n_kept, &text);
        }
        ends[i] = text.len_bytes;
    }
    for (size_t i = 0; i < n; i++) {
        size_t start = i > 0 ? ends[i - 1] : 0;

        entries[i] = (struct t2_slice){text.data + start, ends[i] - start};
    }
    e = tok_subwords_new(entries, n);
    t2_buf_release(&text);
    t2_free(entries);
    t2_free(ends);
    return e;
}

enum t2_status tok_build_check(const struct tok_build_options *o, struct t2_err *err)
{
    if (o->target_size < 0)
        return t2_fail(err, T2_EUSAGE, "target vocabulary size %" PRId64 " is not positive",
                       o->target_size);
    if (o->iterations < 0)
        return t2_fail(err, T2_EUSAGE, "%d iterations: at least one is needed", o->iterations);
    if (o->max_subtoken_length < 0)
        return t2_fail(err, T2_EUSAGE, "maximum subtoken length %d is negative",
                       o->max_subtoken_length);
    if (!(o->character_coverage >= 0 && o->character_coverage <= 1))
        return t2_fail(err, T2_EUSAGE, "character coverage %g is no share: 0 to 1",
                       o->character_coverage);
    if (o->dialect == TOK_DIALECT_OFFICIAL && o->max_subtoken_length > 0)
        return t2_fail(err, T2_EUSAGE, "the official dialect knows no longest subtoken");
    if (o->dialect == TOK_DIALECT_OFFICIAL && o->min_count <= 0 && o->target_size == 0)
        return t2_fail(err, T2_EUSAGE, "either a target size or a minimum count is needed");
    if (!o->reserved)
        return T2_OK;
    for (size_t i = 0; i < 2; i++)
        if (i >= o->n_reserved || strcmp(o->reserved[i], default_reserved[i]) != 0)
            return t2_fail(err, T2_EUSAGE, "reserved tokens must begin with '<pad>', '<EOS>'");
    for (size_t i = 0; i < o->n_reserved; i++) {
        struct t2_slice s = t2_slice_of(o->reserved[i]);

        if (s.len_bytes == 0 || tok_utf8_invalid_at(s.data, s.len_bytes) != s.len_bytes)
            return t2_fail(err, T2_EUSAGE, "reserved token %zu is empty or not UTF-8", i + 1);
    }
    return T2_OK;
}

enum t2_status tok_build(const struct tok_counts *counts, const struct tok_build_options *options,
                         struct tok_encoder **e, struct t2_err *err)
{
    struct build b = {.options = options,
                      .reserved = options->reserved,
                      .is_official = options->dialect == TOK_DIALECT_OFFICIAL};
    struct found f = {0};
    enum t2_status st;

    *e = NULL;
    T2_TRY(tok_build_check(options, err));
    b.n_reserved = options->n_reserved;
    if (!b.reserved) {
        b.reserved = default_reserved;
        b.n_reserved = 2;
    }
    b.iterations = options->iterations > 0 ? options->iterations : DEFAULT_ITERATIONS;
    b.sizes = t2_alloc((size_t) b.iterations, sizeof *b.sizes);
    b.is_pruned = tok_build_is_pruned(counts, options);
    if (b.is_pruned && options->spent)
        tok_counts_pack(options->spent);
    tok_ranks_init(&b.ranks, counts, b.reserved, b.n_reserved, options->character_coverage,
                   options->pool);
    T2_GOTO(st, out, tok_words_init(&b.words, &b.ranks, counts, options->pool, err));
    if (b.is_pruned && options->spent)
        tok_counts_clear(options->spent);
    b.counts_bytes = tok_counts_memory(counts);
    f = find(&b);
    T2_GOTO(st, out, t2_check_interrupt(err));
    if (b.failure.status != T2_OK) {
        *err = b.failure;
        st = err->status;
    } else if (f.size > INT32_MAX)
        st = t2_fail(err, T2_EUNSUPPORTED, "the vocabulary would have %" PRId64 " entries", f.size);
    else
        *e = make_encoder(&b, &f);
out:
    t2_free(f.kept);
    tok_probe_arrays_release(&b.arrays);
    tok_tree_release(&b.tree);
    tok_words_release(&b.words);
    tok_ranks_release(&b.ranks);
    t2_free(b.sizes);
    return st;
}
