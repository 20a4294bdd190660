/*
 * tokenizer/vocab_builder.c - word counts to vocabulary: alphabet, symbols, the size search.
 *
 * Follows SubwordTextEncoder.build_to_target_size and build_from_token_counts of
 * tensor2tensor/data_generators/text_encoder.py, and _generate_subtokens_with_target_vocab_size of
 * official/nlp/transformer/utils/tokenizer.py, which differs in messages, reserved entries and when
 * a size is near enough; how a probe finds the same strings without counting substrings is in
 * subword_tree.h.
 *
 *   counts --make_alphabet--> code points with ranks --make_words--> symbols of all escaped words
 *          --make_tree--> tree of substrings --probe(min_count)--> kept strings, their number
 *          --search: bisection over min_count until the number is near the target--> make_encoder
 *
 * One tree serves all probes.  With max_memory it is made pruned, for the probes that are likely.
 */
#include "tokenizer/vocab_builder.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/signals.h"
#include "tokenizer/counts.h"
#include "tokenizer/escape.h"
#include "tokenizer/subword_tree.h"
#include "tokenizer/unicode.h"
#include "tokenizer/vocab_builder_memory.h"

enum {
    MIN_COUNT_MAX = 1000,
    DEFAULT_ITERATIONS = 4,
    PRUNED_ROOM = 4 /* a pruned tree is good for probes down to a quarter of what asked for it */
};

static const char *const default_reserved[] = {"<pad>", "<EOS>"};

struct alphabet {
    struct tok_alphabet set;
    uint32_t *before;      /* by 64 code points: how many of the alphabet are smaller */
    uint32_t *code_points; /* by rank */
    uint32_t n;
};

struct build {
    const struct tok_build_options *options;
    const char *const *reserved;
    size_t n_reserved;
    int iterations;
    bool is_official;
    struct alphabet alphabet;
    struct tok_words words;
    struct tok_tree tree;
    size_t *sizes; /* per round */
    uint64_t counts_bytes;
    bool is_pruned;        /* the tree has only what probes so far have needed */
    struct t2_err failure; /* of a probe */
};

/* A string of the vocabulary: symbols[at ..]; of depth 1: symbol `at`. */
struct entry {
    uint64_t count;
    uint32_t at, depth;
    uint32_t rank; /* strings fall as it rises */
};

/* What one probe of the search found. */
struct found {
    struct entry *kept;
    size_t n_kept;
    int64_t size;
};

/* ---- input ---- */

/* Occurrences of a code point. */
struct occurrences {
    uint64_t n;
    uint32_t code_point;
};

/* Falling counts, then rising code points. */
static int compare_occurrences(const void *a, const void *b)
{
    const struct occurrences *x = a, *y = b;

    if (x->n != y->n)
        return x->n < y->n ? 1 : -1;
    return (x->code_point > y->code_point) - (x->code_point < y->code_point);
}

/* The most frequent characters of the words, as many as cover the share that is asked for. */
static void add_covering(struct tok_alphabet *set, const struct tok_counts *counts, double share)
{
    uint64_t *by_code_point = t2_alloc(TOK_CODE_POINTS, sizeof *by_code_point);
    struct occurrences *all;
    struct t2_slice word;
    size_t cursor = 0, n_all = 0;
    uint64_t n, total = 0, covered = 0;

    while (tok_counts_next(counts, &cursor, &word, &n))
        for (size_t at = 0; at < word.len_bytes; total += n) {
            uint32_t c;
            bool valid;

            at += tok_utf8_decode(word.data + at, word.len_bytes - at, &c, &valid);
            n_all += by_code_point[c] == 0;
            by_code_point[c] += n;
        }
    all = t2_alloc(n_all, sizeof *all);
    n_all = 0;
    for (uint32_t c = 0; c < TOK_CODE_POINTS; c++)
        if (by_code_point[c] > 0)
            all[n_all++] = (struct occurrences){by_code_point[c], c};
    qsort(all, n_all, sizeof *all, compare_occurrences);
    for (size_t i = 0; i < n_all && (double) covered < share * (double) total; i++) {
        covered += all[i].n;
        set->bits[all[i].code_point / 64] |= (uint64_t) 1 << all[i].code_point % 64;
    }
    t2_free(all);
    t2_free(by_code_point);
}

static void make_alphabet(struct build *b, const struct tok_counts *counts)
{
    struct alphabet *a = &b->alphabet;
    double share = b->options->character_coverage;
    struct t2_slice word;
    size_t cursor = 0;
    uint64_t n;

    tok_alphabet_init(&a->set);
    if (share > 0 && share < 1)
        add_covering(&a->set, counts, share);
    else
        while (tok_counts_next(counts, &cursor, &word, &n))
            tok_alphabet_add(&a->set, word.data, word.len_bytes);
    for (size_t i = 0; i < b->n_reserved; i++) {
        struct t2_slice s = t2_slice_of(b->reserved[i]);

        tok_alphabet_add(&a->set, s.data, s.len_bytes);
    }
    a->before = t2_alloc(TOK_CODE_POINTS / 64, sizeof *a->before);
    for (uint32_t i = 0; i < TOK_CODE_POINTS / 64; i++) {
        a->before[i] = a->n;
        a->n += (uint32_t) __builtin_popcountll(a->set.bits[i]);
    }
    a->code_points = t2_alloc(a->n, sizeof *a->code_points);
    for (uint32_t i = 0, rank = 0; i < TOK_CODE_POINTS / 64; i++)
        for (uint64_t bits = a->set.bits[i]; bits != 0; bits &= bits - 1)
            a->code_points[rank++] = i * 64 + (uint32_t) __builtin_ctzll(bits);
}

/*
 * The rank of a code point: the number of smaller ones in the alphabet, by blocks of 64 and a
 * population count.
 */
static uint32_t rank_of(const struct alphabet *a, uint32_t c)
{
    uint64_t smaller = ((uint64_t) 1 << c % 64) - 1;

    return a->before[c / 64] + (uint32_t) __builtin_popcountll(a->set.bits[c / 64] & smaller);
}

/* Appends the symbols of an escaped word at to, or only counts them when to is NULL (tok_escape, in
 * symbols). */
static size_t escape_symbols(const struct alphabet *a, const uint8_t *word, size_t len_bytes,
                             uint32_t *to)
{
    size_t n = 0, at = 0;

    while (at <= len_bytes) {
        char number[16] = "";
        const char *s = number;
        uint32_t c = '_';
        bool valid;

        if (at == len_bytes)
            at++;
        else {
            at += tok_utf8_decode(word + at, len_bytes - at, &c, &valid);
            if (c == '\\')
                s = "\\\\";
            else if (c == '_')
                s = "\\u";
            else if (c == '\n' || !tok_alphabet_has(&a->set, c))
                snprintf(number, sizeof number, "\\%" PRIu32 ";", c);
        }
        if (*s == 0) {
            if (to)
                to[n] = rank_of(a, c);
            n++;
        }
        for (; *s != 0; s++, n++)
            if (to)
                to[n] = rank_of(a, (uint8_t) *s);
    }
    return n;
}

static enum t2_status make_words(struct build *b, const struct tok_counts *counts,
                                 struct t2_err *err)
{
    struct tok_words *w = &b->words;
    struct t2_slice word;
    size_t cursor = 0, total = 0;
    uint64_t n;

    while (tok_counts_next(counts, &cursor, &word, &n))
        total += escape_symbols(&b->alphabet, word.data, word.len_bytes, NULL);
    if (total == 0)
        return t2_fail(err, T2_EFORMAT, "no word to build a vocabulary from");
    if (total >= INT32_MAX)
        return t2_fail(err, T2_EUNSUPPORTED,
                       "the distinct words have %zu characters in all; a vocabulary can be built "
                       "from fewer than %" PRId32,
                       total, INT32_MAX);
    w->n_words = (uint32_t) tok_counts_distinct(counts);
    w->n_symbols = (uint32_t) total;
    w->n_kinds = b->alphabet.n;
    w->last = rank_of(&b->alphabet, '_');
    w->symbols = t2_alloc(total, sizeof *w->symbols);
    w->starts = t2_alloc((size_t) w->n_words + 1, sizeof *w->starts);
    w->counts = t2_alloc(w->n_words, sizeof *w->counts);
    cursor = total = 0;
    for (uint32_t k = 0; tok_counts_next(counts, &cursor, &word, &n); k++) {
        w->counts[k] = n;
        total += escape_symbols(&b->alphabet, word.data, word.len_bytes, w->symbols + total);
        w->starts[k + 1] = (uint32_t) total;
    }
    return T2_OK;
}

/* min_count: of all probes; when the tree is not pruned it is for any. */
static void make_tree(struct build *b, int64_t min_count)
{
    struct tok_symbols *reserved = t2_alloc(b->n_reserved, sizeof *reserved);
    uint32_t **items = t2_alloc(b->n_reserved, sizeof *items);
    int longest = b->options->max_subtoken_length;

    for (size_t i = 0; i < b->n_reserved; i++) {
        struct t2_slice s = t2_slice_of(b->reserved[i]);
        size_t n = escape_symbols(&b->alphabet, s.data, s.len_bytes, NULL);

        items[i] = t2_alloc(n, sizeof **items);
        escape_symbols(&b->alphabet, s.data, s.len_bytes, items[i]);
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
    int threads = o->pool ? t2_pool_threads(o->pool) : 1;
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
    make_tree(b, with_room > 1 ? with_room : 1);
}

/* The kept nodes as strings: the tree may be another one when they are asked for. */
static void resolve(const struct build *b, const struct tok_kept *kept, struct found *f)
{
    f->kept = t2_alloc(f->n_kept, sizeof *f->kept);
    for (size_t i = 0; i < f->n_kept; i++)
        f->kept[i] = (struct entry){kept[i].count, b->tree.at[kept[i].node],
                                    b->tree.depth[kept[i].node], (uint32_t) i};
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
                   b->sizes, &kept, &f.n_kept);
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

/* By falling count, then falling string, which is the order of the nodes. */
static int compare_kept(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;

    if (x->count != y->count)
        return x->count < y->count ? 1 : -1;
    return (x->rank > y->rank) - (x->rank < y->rank);
}

static void append_code_point(struct t2_buf *text, uint32_t c)
{
    uint8_t bytes[4];

    t2_buf_append(text, bytes, tok_utf8_encode(c, bytes));
}

static void append_string(const struct build *b, const struct entry *e, struct t2_buf *text)
{
    const uint32_t *code_points = b->alphabet.code_points;

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
    qsort(f->kept, f->n_kept, sizeof *f->kept, compare_kept);
    for (size_t i = 0; i < n; i++) {
        if (i < b->n_reserved) {
            struct t2_slice s = t2_slice_of(b->reserved[i]);

            if (b->is_official)
                t2_buf_append(&text, s.data, s.len_bytes);
            else
                tok_escape(&b->alphabet.set, s.data, s.len_bytes, &text);
        } else {
            append_string(b, &f->kept[i - b->n_reserved], &text);
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
    make_alphabet(&b, counts);
    T2_GOTO(st, out, make_words(&b, counts, err));
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
    tok_tree_release(&b.tree);
    tok_words_release(&b.words);
    tok_alphabet_release(&b.alphabet.set);
    t2_free(b.alphabet.before);
    t2_free(b.alphabet.code_points);
    t2_free(b.sizes);
    return st;
}
