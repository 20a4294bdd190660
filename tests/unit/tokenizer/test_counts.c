#include "tokenizer/counts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "tests/support/t.h"
#include "tokenizer/words.h"

static void count_plainly(void *arg, const uint8_t *word, size_t len_bytes)
{
    ++*t2_map_at(arg, word, len_bytes, NULL);
}

static void assert_counts(const struct tok_counts *c, const struct t2_map *want, uint64_t times)
{
    struct t2_slice word;
    size_t cursor = 0, n_words = 0;
    uint64_t n;

    while (tok_counts_next(c, &cursor, &word, &n)) {
        const uint64_t *count = t2_map_find(want, word.data, word.len_bytes);

        assert_non_null(count);
        assert_true(n == *count * times);
        n_words++;
    }
    assert_int_equal(n_words, t2_map_count(want));
    assert_int_equal(tok_counts_distinct(c), n_words);
}

/* Words of 1 to 40 bytes, some of them often. */
static size_t random_line(uint64_t seed, char *line, size_t room)
{
    size_t n = 0;

    for (uint64_t k = 0; n + 48 < room; k++) {
        uint64_t word = t_hash64(seed * 64 + k) % 3 ? t_hash64(seed + k) % 50 : seed * 64 + k;
        size_t len = 1 + t_hash64(word) % 40;

        for (size_t i = 0; i < len; i++)
            line[n++] = "abcdefgh_. \t"[t_hash64(word * 41 + i) % (word % 5 == 0 ? 12 : 8)];
        line[n++] = ' ';
    }
    return n;
}

static void test_text(void **state)
{
    struct tok_counts *c = tok_counts_new();
    struct t2_map *want = t2_map_new();

    (void) state;
    assert_int_equal(tok_counts_distinct(c), 0);
    tok_counts_add_text(c, (const uint8_t *) "", 0);
    assert_int_equal(tok_counts_distinct(c), 0);
    for (uint64_t seed = 0; seed < 3000; seed++) {
        size_t room = 60 + seed % 200;
        char *line = t_guarded_alloc(room);
        size_t n = random_line(seed, line, room);

        memmove(line + room - n, line, n); /* up to the guard page */
        tok_counts_add_text(c, (uint8_t *) line + room - n, n);
        tok_split_words((uint8_t *) line + room - n, n, count_plainly, want);
        t_guarded_free(line, room);
    }
    assert_true(t2_map_count(want) > 2000);
    assert_counts(c, want, 1);
    assert_true(tok_counts_memory(c) > 32 * t2_map_count(want));
    t2_map_free(want);
    tok_counts_free(c);
}

static void test_merge(void **state)
{
    struct tok_counts *c = tok_counts_new(), *d = tok_counts_new(), *empty = tok_counts_new();
    struct t2_map *want = t2_map_new();

    (void) state;
    for (uint64_t seed = 0; seed < 2000; seed++) {
        char line[700];
        size_t n = random_line(seed, line, 40 + seed % 250);

        tok_counts_add_text(seed % 3 ? c : d, (uint8_t *) line, n);
        tok_split_words((uint8_t *) line, n, count_plainly, want);
        if (seed % 4 == 0) { /* two lines at once */
            line[n] = '\n';
            memmove(line + n + 1, line, n);
            tok_counts_add_lines(d, (uint8_t *) line, 2 * n + 1);
            tok_split_words((uint8_t *) line, n, count_plainly, want);
            tok_split_words((uint8_t *) line, n, count_plainly, want);
        }
    }
    tok_counts_merge(c, d);
    tok_counts_merge(c, empty);
    assert_counts(c, want, 1);
    tok_counts_merge(empty, c);
    assert_counts(empty, want, 1);
    tok_counts_merge(empty, c);
    assert_counts(empty, want, 2);
    t2_map_free(want);
    tok_counts_free(c);
    tok_counts_free(d);
    tok_counts_free(empty);
    tok_counts_free(NULL);
}

/* A quarter of a million words, taken over in the order of their hashes. */
static void test_merge_large(void **state)
{
    struct tok_counts *c = tok_counts_new(), *d = tok_counts_new();
    char word[32];

    (void) state;
    for (int i = 0; i < 250000; i++)
        tok_counts_add(d, (uint8_t *) word, (size_t) snprintf(word, sizeof word, "w%d", i), 3);
    tok_counts_merge(c, d);
    assert_int_equal(tok_counts_distinct(c), 250000);
    tok_counts_free(c);
    tok_counts_free(d);
}

static void test_add(void **state)
{
    struct tok_counts *c = tok_counts_new();
    struct t2_slice word;
    size_t cursor = 0, n_seen = 0;
    uint64_t n;

    (void) state;
    tok_counts_add(c, (const uint8_t *) "", 0, 5); /* no word */
    for (size_t len = 1; len <= 40; len++) {
        uint8_t text[40] = {0};

        tok_counts_add(c, text, len, (uint64_t) 1 << 40); /* words of NULs differ by length */
        tok_counts_add(c, text, len, len);
    }
    while (tok_counts_next(c, &cursor, &word, &n)) {
        assert_true(n == ((uint64_t) 1 << 40) + word.len_bytes);
        n_seen++;
    }
    assert_int_equal(n_seen, 40);
    tok_counts_free(c);
}

/* In order, whatever the words: zeros at their ends, the length of a slot, equal beginnings. */
static void test_sorted(void **state)
{
    (void) state;
    for (size_t n_words = 0; n_words < 5000; n_words = n_words * 3 + 1) {
        struct tok_counts *c = tok_counts_new();
        struct t2_map *want = t2_map_new();
        struct t2_slice word;
        uint8_t last[64], made[64];
        size_t cursor = 0, n = 0, n_last = 0;
        uint64_t count, n_characters = 0;

        for (size_t i = 0; i < n_words; i++) {
            size_t len = 1 + t_hash64(i) % 20;

            for (size_t k = 0; k < len; k++)
                made[k] = "\0a\377\303"[t_hash64(i * 64 + k) % 4];
            tok_counts_add(c, made, len, i + 1);
            *t2_map_at(want, made, len, NULL) += i + 1;
        }
        tok_counts_sort(c);
        tok_counts_sort(c);
        assert_counts(c, want, 1);
        while (tok_counts_next(c, &cursor, &word, &count)) {
            assert_true(n == 0 || t2_slice_cmp((struct t2_slice){last, n_last}, word) < 0);
            memcpy(last, word.data, n_last = word.len_bytes);
            for (size_t k = 0; k < word.len_bytes; k++)
                n_characters += (word.data[k] & 0xC0) != 0x80;
            n++;
        }
        assert_true(tok_counts_characters(c) == n_characters);
        tok_counts_clear(c);
        assert_int_equal(tok_counts_distinct(c), 0);
        assert_true(tok_counts_characters(c) == 0);
        cursor = 0;
        assert_false(tok_counts_next(c, &cursor, &word, &count));
        tok_counts_add(c, made, 1, 2);
        assert_int_equal(tok_counts_distinct(c), 1);
        tok_counts_free(c);
        t2_map_free(want);
    }
}

struct drained {
    struct t2_map *sums;
    size_t max_bytes, n_times;
    bool is_huge;
};

static void drain(void *arg, struct tok_counts *c)
{
    struct drained *d = arg;
    struct t2_slice word;
    size_t cursor = 0;
    uint64_t n;

    assert_true(tok_counts_memory(c) <= d->max_bytes / 2 * 3 || d->is_huge);
    while (tok_counts_next(c, &cursor, &word, &n))
        *t2_map_at(d->sums, word.data, word.len_bytes, NULL) += n;
    tok_counts_clear(c);
    d->n_times++;
}

static void test_limit(void **state)
{
    (void) state;
    for (size_t max_bytes = 200000; max_bytes < 3000000; max_bytes *= 3) {
        struct tok_counts *c = tok_counts_new();
        struct drained d = {t2_map_new(), max_bytes, 0, false};
        struct t2_map *want = t2_map_new();
        char *huge = calloc(1, 4000000);
        char line[300];

        tok_counts_limit(c, max_bytes, drain, &d);
        for (uint64_t seed = 0; seed < 12000; seed++) {
            size_t n = random_line(seed % 9000, line, sizeof line);

            tok_counts_add_text(c, (const uint8_t *) line, n);
            tok_split_words((uint8_t *) line, n, count_plainly, want);
        }
        d.is_huge = true;
        memset(huge, 'x', 4000000); /* fits into no table */
        tok_counts_add_text(c, (const uint8_t *) huge, 4000000);
        count_plainly(want, (const uint8_t *) huge, 4000000);
        assert_true(d.n_times > 1);
        drain(&d, c);
        assert_int_equal(t2_map_count(d.sums), t2_map_count(want));
        for (size_t i = 0; i < t2_map_count(want); i++) {
            struct t2_slice key = t2_map_key(want, i);

            assert_true(*t2_map_find(d.sums, key.data, key.len_bytes) == t2_map_value(want, i));
        }
        tok_counts_free(c);
        t2_map_free(d.sums);
        t2_map_free(want);
        free(huge);
    }
}

/* Packed and appended counts hold the same, in less memory; emptied, they can be used again. */
static void test_packed(void **state)
{
    struct tok_counts *c = tok_counts_new(), *appended = tok_counts_new();
    struct t2_slice word, other;
    size_t at = 0, at_other = 0, before;
    uint64_t n, n_other;

    (void) state;
    for (int i = 0; i < 30000; i++) {
        char text[64];
        int len =
            snprintf(text, sizeof text, "%s%d", i % 3 ? "w" : "longer than any short word ", i);

        tok_counts_add(c, (const uint8_t *) text, (size_t) len, (uint64_t) i + 1);
    }
    before = tok_counts_memory(c);
    tok_counts_pack(c);
    assert_true(tok_counts_memory(c) < before);
    while (tok_counts_next(c, &at, &word, &n))
        tok_counts_append(appended, word.data, word.len_bytes, n);
    assert_int_equal(tok_counts_distinct(appended), 30000);
    assert_int_equal(tok_counts_characters(appended), tok_counts_characters(c));
    at = 0;
    while (tok_counts_next(c, &at, &word, &n)) {
        assert_true(tok_counts_next(appended, &at_other, &other, &n_other));
        assert_true(t2_slice_eq(word, other));
        assert_int_equal(n, n_other);
    }
    tok_counts_clear(c);
    assert_int_equal(tok_counts_distinct(c), 0);
    tok_counts_add_text(c, (const uint8_t *) "a b a", 5);
    assert_int_equal(tok_counts_distinct(c), 2);
    tok_counts_free(c);
    tok_counts_free(appended);
}

T_MAIN(cmocka_unit_test(test_packed), cmocka_unit_test(test_sorted), cmocka_unit_test(test_limit),
       cmocka_unit_test(test_text), cmocka_unit_test(test_merge),
       cmocka_unit_test(test_merge_large), cmocka_unit_test(test_add))
