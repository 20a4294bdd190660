#include "tokenizer/vocab_builder.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/map.h"
#include "base/signals.h"
#include "base/str.h"
#include "tests/support/t.h"
#include "tests/support/texts.h"
#include "tokenizer/counts.h"
#include "tokenizer/escape.h"
#include "tokenizer/unicode.h"

/* ---- the definition, with strings ---- */

struct plain {
    struct t_texts words; /* escaped */
    uint64_t *counts;
    struct tok_alphabet alphabet;
    int64_t min_count;
    int max_length;
    const char *const *reserved;
    size_t n_reserved;
};

/* The next code point that may be in the alphabet. */
static uint32_t next_letter(const struct plain *p, uint32_t c)
{
    for (++c; c < TOK_CODE_POINTS && c % 64 == 0 && p->alphabet.bits[c / 64] == 0;)
        c += 64;
    return c;
}

static size_t char_bytes(const uint8_t *s, size_t left)
{
    uint32_t c;
    bool valid;

    return tok_utf8_decode(s, left, &c, &valid);
}

static size_t n_chars(struct t2_slice s)
{
    size_t n = 0;

    for (size_t at = 0; at < s.len_bytes; n++)
        at += char_bytes(s.data + at, s.len_bytes - at);
    return n;
}

static size_t longest_piece(const struct t2_map *v, const uint8_t *s, size_t left)
{
    size_t best = 0;

    for (size_t n = 0; n < left;) {
        n += char_bytes(s + n, left - n);
        if (t2_map_find(v, s, n))
            best = n;
    }
    assert_true(best > 0);
    return best;
}

static void count_word(const struct plain *p, const struct t2_map *v, struct t2_slice e,
                       uint64_t times, struct t2_map *c)
{
    for (size_t at = 0; at < e.len_bytes;) {
        int k = 0;

        for (size_t to = at; to < e.len_bytes;) {
            to += char_bytes(e.data + to, e.len_bytes - to);
            if (p->max_length > 0 && ++k >= p->max_length)
                break;
            *t2_map_at(c, e.data + at, to - at, NULL) += times;
        }
        at += longest_piece(v, e.data + at, e.len_bytes - at);
    }
}

struct entry {
    uint64_t count;
    struct t2_slice text;
};

static int compare_entries(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;

    if (x->count != y->count)
        return x->count < y->count ? 1 : -1;
    return t2_slice_cmp(y->text, x->text);
}

/* One round: the strings of c that are kept, sorted; then they are the next v. */
static void keep(const struct plain *p, struct t2_map *c, struct t2_map *v, struct t_texts *out)
{
    struct entry *kept = calloc(t2_map_count(c) + 2000, sizeof *kept);
    bool *candidate = calloc(t2_map_count(c) + 1, sizeof *candidate);
    size_t n = 0, longest = 0;
    uint64_t m = p->min_count > 1 ? (uint64_t) p->min_count : 1;

    assert_non_null(kept);
    assert_non_null(candidate);
    for (size_t i = 0; i < t2_map_count(c); i++) {
        size_t len = n_chars(t2_map_key(c, i));

        candidate[i] = t2_map_value(c, i) >= m;
        longest = len > longest ? len : longest;
    }
    for (size_t len = longest; len > 0; len--)
        for (size_t i = 0; i < t2_map_count(c); i++) {
            struct t2_slice s = t2_map_key(c, i);
            uint64_t count = t2_map_value(c, i);

            if (n_chars(s) != len || !candidate[i] || count < m)
                continue;
            if (len > 1)
                kept[n++] = (struct entry){count, s};
            for (size_t at = char_bytes(s.data, s.len_bytes); at < s.len_bytes;
                 at += char_bytes(s.data + at, s.len_bytes - at))
                *t2_map_find(c, s.data, at) -= count;
        }
    for (uint32_t a = 0; a < TOK_CODE_POINTS; a = next_letter(p, a)) {
        uint8_t bytes[4];

        if (tok_alphabet_has(&p->alphabet, a)) {
            size_t len = tok_utf8_encode(a, bytes), i;
            uint64_t *count = t2_map_find(c, bytes, len), value = count ? *count : 0;

            if (!count)
                t2_map_at(c, bytes, len, NULL);
            for (i = 0; !t2_slice_eq(t2_map_key(c, i), (struct t2_slice){bytes, len}); i++)
                ;
            kept[n++] = (struct entry){value, t2_map_key(c, i)};
        }
    }
    qsort(kept, n, sizeof *kept, compare_entries);
    t_texts_release(out);
    for (size_t i = 0; i < p->n_reserved; i++) {
        struct t2_buf e = {0};

        tok_escape(&p->alphabet, (const uint8_t *) p->reserved[i], strlen(p->reserved[i]), &e);
        t_texts_add(out, e.data, e.len_bytes);
        t2_buf_release(&e);
    }
    for (size_t i = 0; i < n; i++)
        t_texts_add(out, kept[i].text.data, kept[i].text.len_bytes);
    for (size_t i = 0; i < out->n; i++)
        t2_map_at(v, t_texts_at(out, i).data, t_texts_at(out, i).len_bytes, NULL);
    free(kept);
    free(candidate);
}

static void build_plainly(const struct tok_counts *counts, const struct tok_build_options *o,
                          int64_t min_count, struct t_texts *out, struct t2_buf *sizes)
{
    static const char *const standard[] = {"<pad>", "<EOS>"};
    struct plain p = {.min_count = min_count,
                      .max_length = o->max_subtoken_length,
                      .reserved = o->reserved ? o->reserved : standard,
                      .n_reserved = o->reserved ? o->n_reserved : 2};
    struct t2_map *v = t2_map_new();
    struct t2_slice word;
    size_t cursor = 0;
    uint64_t n;

    tok_alphabet_init(&p.alphabet);
    while (tok_counts_next(counts, &cursor, &word, &n))
        tok_alphabet_add(&p.alphabet, word.data, word.len_bytes);
    for (size_t i = 0; i < p.n_reserved; i++)
        tok_alphabet_add(&p.alphabet, (const uint8_t *) p.reserved[i], strlen(p.reserved[i]));
    p.counts = calloc(tok_counts_distinct(counts), sizeof *p.counts);
    for (cursor = 0; tok_counts_next(counts, &cursor, &word, &n);) {
        struct t2_buf e = {0};

        p.counts[p.words.n] = n;
        tok_escape(&p.alphabet, word.data, word.len_bytes, &e);
        t_texts_add(&p.words, e.data, e.len_bytes);
        t2_buf_release(&e);
    }
    for (uint32_t a = 0; a < TOK_CODE_POINTS; a = next_letter(&p, a)) {
        uint8_t bytes[4];

        if (tok_alphabet_has(&p.alphabet, a))
            t2_map_at(v, bytes, tok_utf8_encode(a, bytes), NULL);
    }
    for (int i = 0; i < (o->iterations ? o->iterations : 4); i++) {
        struct t2_map *c = t2_map_new();

        for (size_t k = 0; k < p.words.n; k++)
            count_word(&p, v, t_texts_at(&p.words, k), p.counts[k], c);
        t2_map_free(v);
        v = t2_map_new();
        keep(&p, c, v, out);
        t2_map_free(c);
        t2_buf_printf(sizes, " %zu", out->n);
    }
    t2_map_free(v);
    tok_alphabet_release(&p.alphabet);
    t_texts_release(&p.words);
    free(p.counts);
}

/* ---- ours against it ---- */

static void log_sizes(void *arg, const char *line)
{
    if (t2_starts_with(line, "vocab_size = "))
        t2_buf_printf(arg, " %s", line + strlen("vocab_size = "));
}

static void assert_as_defined(const struct tok_counts *counts, struct tok_build_options o)
{
    struct t_texts want = {0};
    struct t2_buf sizes = {0}, want_sizes = {0};
    struct t2_err err = T2_ERR_INIT;
    struct tok_encoder *e;

    o.log = log_sizes;
    o.log_arg = &sizes;
    if (tok_build(counts, &o, &e, &err) != T2_OK)
        fail_msg("%s", err.message);
    build_plainly(counts, &o, o.min_count, &want, &want_sizes);
    assert_string_equal(t2_buf_cstr(&sizes), t2_buf_cstr(&want_sizes));
    assert_int_equal(tok_size(e), want.n);
    for (size_t i = 0; i < want.n; i++)
        if (!t2_slice_eq(tok_entry(e, (int32_t) i), t_texts_at(&want, i)))
            fail_msg("entry %zu differs", i);
    tok_free(e);
    t_texts_release(&want);
    t2_buf_release(&sizes);
    t2_buf_release(&want_sizes);
}

/* Words of few letters, so that much repeats; with characters that are escaped. */
static struct tok_counts *random_counts(uint64_t seed)
{
    static const char *const letters[] = {
        "a", "b", "c",  "_",        "\\",           "u",
        ";", "1", "\n", "\xC3\xA9", "\xE6\x9D\xB1", "\xF0\x9F\x98\x80",
        " ", "0"};
    struct tok_counts *counts = tok_counts_new();
    size_t n_words = 1 + t_hash64(seed) % 40, n_letters = 1 + t_hash64(seed + 1) % 14;
    size_t longest = 1 + t_hash64(seed + 2) % 14;

    for (size_t i = 0; i < n_words; i++) {
        struct t2_buf word = {0};
        size_t len = 1 + t_hash64(seed * 31 + i) % longest;

        for (size_t k = 0; k < len; k++)
            t2_buf_puts(&word, letters[t_hash64(seed * 1009 + i * 31 + k) % n_letters]);
        tok_counts_add(counts, word.data, word.len_bytes, 1 + t_hash64(seed + i * 7) % 9);
        t2_buf_release(&word);
    }
    return counts;
}

static void test_random(void **state)
{
    static const char *const reserved[] = {"<pad>", "<EOS>", "ab", "\xE6\x9D\xB1", "a_\\", "a"};
    struct t2_pool *pool = t2_pool_new(3);

    (void) state;
    for (uint64_t seed = 0; seed < 400; seed++) {
        struct tok_counts *counts = random_counts(seed * 977);
        struct tok_build_options o = {.min_count = (int64_t) (t_hash64(seed) % 12),
                                      .iterations = (int) (seed % 6),
                                      .pool = seed % 3 == 0 ? pool : NULL};

        if (seed % 2 == 1)
            o.max_subtoken_length = (int) (1 + t_hash64(seed + 5) % 8);
        if (seed % 4 >= 2) {
            o.reserved = reserved;
            o.n_reserved = 2 + seed % 5;
        }
        assert_as_defined(counts, o);
        tok_counts_free(counts);
    }
    t2_pool_free(pool);
}

/* ---- golden vectors of the specification, section 12 ---- */

static void add_text(struct tok_counts *counts, const char *text)
{
    tok_counts_add_text(counts, (const uint8_t *) text, strlen(text));
}

static void assert_sha256(const struct tok_encoder *e, const char *want)
{
    char hex[65];

    tok_sha256(e, hex);
    assert_string_equal(hex, want);
}

static void assert_ids(const struct tok_encoder *e, const char *text, const char *want)
{
    struct t2_err err = T2_ERR_INIT;
    struct tok_ids ids = {0};
    struct t2_buf row = {0};

    assert_int_equal(tok_encode(e, NULL, (const uint8_t *) text, strlen(text), &ids, &err), T2_OK);
    for (size_t i = 0; i < ids.n; i++)
        t2_buf_printf(&row, "%s%" PRId32, i > 0 ? " " : "", ids.items[i]);
    assert_string_equal(t2_buf_cstr(&row), want);
    t2_buf_clear(&row);
    tok_decode(e, ids.items, ids.n, &row);
    assert_string_equal(t2_buf_cstr(&row), text);
    tok_ids_release(&ids);
    t2_buf_release(&row);
}

static void test_golden_counts(void **state)
{
    static const char *const texts[] = {
        "The quick brown fox jumps over the lazy dog.", "the dog wasn't amused - not at all!",
        "A quick_fix costs 25\\30 euros; the fox's den is over there.",
        "Gr\xC3\xB6\xC3\x9F"
        "e und Ma\xC3\x9F: 10 km, 3\xC2\xBD Stunden, "
        "\xE6\x9D\xB1\xE4\xBA\xAC\xE3\x82\xBF\xE3\x83\xAF\xE3\x83\xBC."};
    static const char *const first[] = {"<pad>_", "<EOS>_", "_",      "a",        "s_", "u",
                                        "the_",   "t_",     "t",      "s",        "m",  "l",
                                        "\\",     "._",     " _",     "\xC3\x9F", "w",  "und",
                                        "ro",     "r",      "quick_", "over_",    "o",  "n_",
                                        "i",      "he",     "fox_",   "en_",      "e_", "e"};
    static const int sizes[][2] = {{1, 107}, {2, 107}, {3, 107}, {4, 83}, {5, 83},
                                   {6, 83},  {7, 74},  {9, 74},  {13, 68}};
    struct tok_counts *counts = tok_counts_new();
    struct t2_err err = T2_ERR_INIT;
    struct tok_encoder *e;

    (void) state;
    for (size_t i = 0; i < 12; i++)
        add_text(counts, texts[i % 4]);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct tok_build_options o = {.min_count = sizes[i][0]};

        assert_int_equal(tok_build(counts, &o, &e, &err), T2_OK);
        assert_int_equal(tok_size(e), sizes[i][1]);
        if (o.min_count == 4) {
            assert_sha256(e, "fbdf067a224140919fc0d76a5e76959acff581318d8ebb1947804cf7a4ab3f66");
            for (int32_t k = 0; k < 30; k++)
                assert_true(t2_slice_eq(tok_entry(e, k), t2_slice_of(first[k])));
            assert_true(t2_slice_eq(tok_entry(e, 80), t2_slice_of(".")));
            assert_true(t2_slice_eq(tok_entry(e, 81), t2_slice_of(",")));
            assert_true(t2_slice_eq(tok_entry(e, 82), t2_slice_of("'")));
            assert_ids(e, "the dogs", "6 31 22 69 4");
            assert_ids(e, "quick_fix 25\\30", "20 12 5 2 50 24 45 2 61 60 2 12 12 2 32 33");
            assert_ids(e, "Zo\xC3\xAB!\n", "12 74 79 58 22 12 61 32 60 58 2 64 12 62 79 58 2");
            assert_ids(e, " a ", "14 3 2 14");
        }
        tok_free(e);
    }
    tok_counts_free(counts);
}

/* 20000 words of a linear congruential generator in lines of ten (§12.2). */
static void generated_lines(struct t_texts *lines)
{
    uint32_t x = 12345;
    struct t2_buf line = {0};

    for (int word = 0; word < 20000; word++) {
        uint32_t len;

        x = (1103515245u * x + 12345u) & 0x7FFFFFFF;
        len = (x >> 16) % 4 + 2;
        for (uint32_t k = 0; k < len; k++) {
            x = (1103515245u * x + 12345u) & 0x7FFFFFFF;
            t2_buf_push(&line, (uint8_t) ('a' + (x >> 16) % 26 * ((x >> 20) % 26) / 26));
        }
        if (word % 10 != 9) {
            t2_buf_push(&line, ' ');
            continue;
        }
        t_texts_add(lines, line.data, line.len_bytes);
        t2_buf_clear(&line);
    }
    t2_buf_release(&line);
}

static void log_probe(void *arg, const char *line)
{
    struct t2_buf *log = arg;
    const char *number = strrchr(line, ' ') + 1;

    if (t2_starts_with(line, "Trying min_count "))
        t2_buf_printf(log, "%s%s", log->len_bytes > 0 ? "\n" : "", number);
    else if (t2_starts_with(line, "vocab_size"))
        t2_buf_printf(log, " %s", number);
}

/* "500:69 250:98": min_count and the size after the last round. */
static void assert_probes(const char *log, const char *want)
{
    struct t2_strs lines = {0};
    struct t2_buf got = {0};

    t2_strs_split(&lines, log, '\n');
    for (size_t i = 0; i < lines.n; i++)
        t2_buf_printf(&got, "%s%.*s:%s", i > 0 ? " " : "", (int) strcspn(lines.items[i], " "),
                      lines.items[i], strrchr(lines.items[i], ' ') + 1);
    assert_string_equal(t2_buf_cstr(&got), want);
    t2_strs_release(&lines);
    t2_buf_release(&got);
}

static void test_golden_search(void **state)
{
    static const struct {
        int64_t target;
        const char *probes, *sha256, *ids;
    } golden[] = {{500, "500:69 250:98 125:162 62:275 31:474 15:821 23:594 27:526 29:495 28:512",
                   "6124fd50c5230856f1b7d8b99e2193c51a85b97caa5fdeaa0085e74ec00b6e8f",
                   "37 452 3 57 423 193 452 2 49 164 137 6 167 8 372 112 31 293 2"},
                  {2000, "500:69 250:98 125:162 62:275 31:474 15:821 7:1571 3:3482 5:2119 6:1793",
                   "2723bfcef85dd148aeb84eec31f0c7f70bd42d2f031f135e049d3c5429824229",
                   "23 322 3 958 6 2035 41 24 127 711 2 280 7 92 956 3 593"}};
    struct tok_counts *counts = tok_counts_new(), *half = tok_counts_new();
    struct t2_pool *pool = t2_pool_new(4);
    struct t_texts lines = {0};

    (void) state;
    generated_lines(&lines);
    assert_int_equal(lines.n, 2000);
    for (size_t i = 0; i < lines.n; i++)
        tok_counts_add_text(i % 2 ? half : counts, t_texts_at(&lines, i).data,
                            t_texts_at(&lines, i).len_bytes);
    tok_counts_merge(counts, half);
    assert_int_equal(tok_counts_distinct(counts), 12620);
    for (size_t i = 0; i < 4; i++) {
        struct t2_buf log = {0};
        struct t2_err err = T2_ERR_INIT;
        struct tok_build_options o = {.target_size = golden[i / 2].target,
                                      .max_subtoken_length = 200,
                                      .pool = i % 2 ? pool : NULL,
                                      .log = log_probe,
                                      .log_arg = &log};
        struct t2_slice line = t_texts_at(&lines, 0);
        char *first = t2_strndup((const char *) line.data, line.len_bytes);
        struct tok_encoder *e;

        assert_true(t2_starts_with(first, "ac abca gajd atabc ab bpapd eef fg gbba en"));
        assert_int_equal(tok_build(counts, &o, &e, &err), T2_OK);
        assert_probes(t2_buf_cstr(&log), golden[i / 2].probes);
        assert_sha256(e, golden[i / 2].sha256);
        assert_ids(e, first, golden[i / 2].ids);
        tok_free(e);
        t2_free(first);
        t2_buf_release(&log);
    }
    t_texts_release(&lines);
    t2_pool_free(pool);
    tok_counts_free(half);
    tok_counts_free(counts);
}

/* §12.5: lines of two files; the search ends at min_count 1. */
static void test_golden_text_pairs(void **state)
{
    struct tok_counts *counts = tok_counts_new();
    struct tok_build_options o = {.target_size = 32768};
    struct t2_buf log = {0};
    struct t2_err err = T2_ERR_INIT;
    struct tok_encoder *e;

    (void) state;
    for (int i = 0; i < 230; i++) {
        char line[64];

        snprintf(line, sizeof line, "a small test %d", i);
        add_text(counts, line);
        snprintf(line, sizeof line, "ein kleiner Test %d", i);
        add_text(counts, line);
    }
    o.log = log_probe;
    o.log_arg = &log;
    assert_int_equal(tok_build(counts, &o, &e, &err), T2_OK);
    assert_int_equal(tok_size(e), 270);
    assert_sha256(e, "b33be81fd137298ca2466a1969b9909e0697fb56d9e98a59e1d6b4ff88cb56d5");
    for (const char *at = t2_buf_cstr(&log),
                    *m = "500\000250\000125\00062\00031\00015\0007\0003\0001";
         at != NULL; m += strlen(m) + 1) {
        assert_int_equal(strncmp(at, m, strlen(m)), 0);
        assert_int_equal(at[strlen(m)], ' ');
        at = strchr(at, '\n');
        at = at ? at + 1 : NULL;
    }
    tok_free(e);
    t2_buf_release(&log);
    tok_counts_free(counts);
}

/* ---- limits ---- */

/* A word of 100 kB that repeats itself: the substrings are five thousand million, the nodes are
 * not. */
static void test_long_words(void **state)
{
    enum { LONG = 100000 };
    uint8_t *word = malloc(LONG);
    struct tok_counts *counts = tok_counts_new();
    struct tok_build_options o = {.target_size = 100};
    struct t2_err err = T2_ERR_INIT;
    struct tok_encoder *e;

    (void) state;
    assert_non_null(word);
    memset(word, 'a', LONG);
    tok_counts_add_text(counts, word, LONG);
    for (int i = 0; i < LONG; i++)
        word[i] = (uint8_t) ("xy"[i % 2]);
    tok_counts_add_text(counts, word, LONG);
    for (int i = 0; i < LONG; i++)
        word[i] = (uint8_t) ("ACGT"[t_hash64((uint64_t) i) % 4]);
    tok_counts_add_text(counts, word, LONG);
    assert_int_equal(tok_build(counts, &o, &e, &err), T2_OK);
    tok_free(e);
    o = (struct tok_build_options){.min_count = 1};
    assert_int_equal(tok_build(counts, &o, &e, &err), T2_OK);
    tok_free(e);
    o.max_subtoken_length = 200;
    assert_int_equal(tok_build(counts, &o, &e, &err), T2_OK);
    tok_free(e);
    tok_counts_free(counts);
    free(word);
}

static void assert_refused(const struct tok_counts *counts, struct tok_build_options o,
                           enum t2_status st, const char *message)
{
    struct t2_err err = T2_ERR_INIT;
    struct tok_encoder *e = (struct tok_encoder *) (void *) &err;

    assert_int_equal(tok_build(counts, &o, &e, &err), st);
    assert_null(e);
    assert_string_equal(err.message, message);
}

static void add_some(struct tok_counts *c, uint64_t seed)
{
    for (uint64_t i = 0; i < 4000; i++) {
        char word[32];
        int len = 0, n = 1 + (int) (t_hash64(seed + i) % 9);

        for (int k = 0; k < n; k++)
            word[len++] =
                "abcde_\\xyz"[t_hash64(seed * 77 + i * 13 + (uint64_t) k) % (uint64_t) (3 + i % 7)];
        tok_counts_add(c, (const uint8_t *) word, (size_t) len, 1 + t_hash64(i) % 40);
    }
}

/* A limit below what the whole tree takes: the same strings, the counts are emptied when that is
 * allowed. */
static void test_pruned(void **state)
{
    (void) state;
    for (uint64_t seed = 0; seed < 12; seed++) {
        struct tok_counts *c = tok_counts_new(), *spent = tok_counts_new();
        struct tok_build_options o = {.target_size = 40 + (int64_t) seed * 60,
                                      .max_subtoken_length = seed % 2 ? 200 : 0};
        struct tok_encoder *whole, *pruned;
        struct t2_err err = T2_ERR_INIT;
        char want[65], have[65];

        add_some(c, seed);
        add_some(spent, seed);
        assert_int_equal(tok_build(c, &o, &whole, &err), T2_OK);
        o.max_memory = 6 << 20; /* the program alone is said to take more */
        o.spent = seed % 3 ? spent : NULL;
        assert_int_equal(tok_build(spent, &o, &pruned, &err), T2_OK);
        assert_int_equal(tok_counts_distinct(spent) == 0, seed % 3 != 0);
        tok_sha256(whole, want);
        tok_sha256(pruned, have);
        assert_string_equal(want, have);
        tok_free(whole);
        tok_free(pruned);
        tok_counts_free(c);
        tok_counts_free(spent);
    }
}

static void test_errors(void **state)
{
    static const char *const wrong[] = {"<EOS>", "<pad>"};
    static const char *const empty[] = {"<pad>", "<EOS>", ""};
    static const char *const broken[] = {"<pad>", "<EOS>", "\xFF"};
    struct tok_counts *counts = tok_counts_new();

    (void) state;
    assert_refused(counts, (struct tok_build_options){.target_size = 100}, T2_EFORMAT,
                   "no word to build a vocabulary from");
    add_text(counts, "a");
    assert_refused(counts, (struct tok_build_options){.target_size = -1}, T2_EUSAGE,
                   "target vocabulary size -1 is not positive");
    assert_refused(counts, (struct tok_build_options){.iterations = -1}, T2_EUSAGE,
                   "-1 iterations: at least one is needed");
    assert_refused(counts, (struct tok_build_options){.max_subtoken_length = -2}, T2_EUSAGE,
                   "maximum subtoken length -2 is negative");
    assert_refused(counts, (struct tok_build_options){.reserved = wrong, .n_reserved = 2},
                   T2_EUSAGE, "reserved tokens must begin with '<pad>', '<EOS>'");
    assert_refused(counts, (struct tok_build_options){.reserved = empty, .n_reserved = 1},
                   T2_EUSAGE, "reserved tokens must begin with '<pad>', '<EOS>'");
    assert_refused(counts, (struct tok_build_options){.reserved = empty, .n_reserved = 3},
                   T2_EUSAGE, "reserved token 3 is empty or not UTF-8");
    assert_refused(counts, (struct tok_build_options){.reserved = broken, .n_reserved = 3},
                   T2_EUSAGE, "reserved token 3 is empty or not UTF-8");
    tok_counts_free(counts);
}

/* In a child, because a signal that came stays known. */
static void test_interrupted(void **state)
{
    pid_t child = fork();
    int status = 0;

    (void) state;
    assert_true(child >= 0);
    if (child == 0) {
        struct tok_build_options options = {.target_size = 100};
        struct tok_counts *counts = tok_counts_new();
        struct tok_encoder *e = NULL;
        struct t2_err err = T2_ERR_INIT;
        enum t2_status st;

        tok_counts_add(counts, (const uint8_t *) "word", 4, 3);
        t2_signals_install();
        (void) raise(SIGTERM);
        st = tok_build(counts, &options, &e, &err);
        _exit(st == T2_EINTERRUPTED && !e && strstr(err.message, "interrupted") ? 0 : 1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

T_MAIN(cmocka_unit_test(test_interrupted), cmocka_unit_test(test_random),
       cmocka_unit_test(test_golden_counts), cmocka_unit_test(test_golden_search),
       cmocka_unit_test(test_golden_text_pairs), cmocka_unit_test(test_long_words),
       cmocka_unit_test(test_pruned), cmocka_unit_test(test_errors))
