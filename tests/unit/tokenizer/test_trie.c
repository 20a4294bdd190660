#include "tokenizer/trie.h"

#include <stdlib.h>
#include <string.h>

#include "tests/support/t.h"

/* The definition: the longest entry that is a prefix; of equal ones the last. */
static int32_t longest_plainly(const struct t2_slice *entries, size_t n, const uint8_t *s,
                               size_t len_bytes, size_t *matched)
{
    int32_t best = -1;

    for (size_t i = 0; i < n; i++) {
        size_t len = entries[i].len_bytes;

        if (len == 0 || len > len_bytes || memcmp(entries[i].data, s, len) != 0)
            continue;
        if (best < 0 || len >= *matched) {
            best = (int32_t) i;
            *matched = len;
        }
    }
    return best;
}

static void assert_finds(const struct tok_trie *t, const struct t2_slice *entries, size_t n,
                         const uint8_t *s, size_t len_bytes)
{
    size_t ours = 0, plain = 0;
    int32_t id = tok_trie_longest(t, s, len_bytes, &ours);

    assert_int_equal(id, longest_plainly(entries, n, s, len_bytes, &plain));
    assert_int_equal(ours, plain);
}

static void test_small(void **state)
{
    struct t2_slice entries[] = {t2_slice_of("a"),   t2_slice_of("abc"), t2_slice_of(""),
                                 t2_slice_of("b"),   t2_slice_of("a"),   t2_slice_of("abcd"),
                                 t2_slice_of("\xFF")};
    struct tok_trie t;
    size_t n = 0;

    (void) state;
    tok_trie_init(&t, entries, 7);
    assert_int_equal(tok_trie_longest(&t, (const uint8_t *) "abx", 3, &n), 4); /* the later "a" */
    assert_int_equal(n, 1);
    assert_int_equal(tok_trie_longest(&t, (const uint8_t *) "abcde", 5, &n), 5);
    assert_int_equal(n, 4);
    assert_int_equal(tok_trie_longest(&t, (const uint8_t *) "abcde", 3, &n), 1);
    assert_int_equal(tok_trie_longest(&t, (const uint8_t *) "x", 1, &n), -1);
    assert_int_equal(tok_trie_longest(&t, (const uint8_t *) "", 0, &n), -1);
    assert_int_equal(tok_trie_longest(&t, (const uint8_t *) "\xFF", 1, &n), 6);
    tok_trie_release(&t);
    tok_trie_init(&t, NULL, 0);
    assert_int_equal(tok_trie_longest(&t, (const uint8_t *) "a", 1, &n), -1);
    assert_int_equal(tok_trie_longest(&t, (const uint8_t *) "\0", 1, &n), -1);
    tok_trie_release(&t);
}

/* No byte leads from the root of any trie to itself. */
static void test_every_first_byte(void **state)
{
    (void) state;
    for (unsigned b = 0; b < 256; b++) {
        uint8_t byte = (uint8_t) b;
        struct t2_slice entry = {&byte, 1};
        struct tok_trie t;

        tok_trie_init(&t, &entry, 1);
        for (unsigned c = 0; c < 256; c++) {
            uint8_t text[2] = {(uint8_t) c, (uint8_t) b};
            size_t n = 0;

            assert_int_equal(tok_trie_longest(&t, text, 2, &n), c == b ? 0 : -1);
        }
        tok_trie_release(&t);
    }
}

static void random_entries(uint64_t seed, size_t n, unsigned n_letters, size_t longest,
                           uint8_t *room, struct t2_slice *entries)
{
    for (size_t i = 0; i < n; i++) {
        size_t len = t_hash64(seed + i * 3) % (longest + 1);

        for (size_t k = 0; k < len; k++)
            room[k] = (uint8_t) (t_hash64(seed + i * 1009 + k) % n_letters * (255 / n_letters));
        entries[i] = (struct t2_slice){room, len};
        room += len;
    }
}

static void test_random(void **state)
{
    static const unsigned letters[] = {2, 3, 20, 255};

    (void) state;
    for (size_t round = 0; round < 40; round++) {
        size_t n = 1 + t_hash64(round) % 600, longest = 1 + round % 12;
        uint8_t *room = calloc(n, longest), text[16];
        struct t2_slice *entries = calloc(n, sizeof *entries);
        struct tok_trie t;

        assert_non_null(room);
        assert_non_null(entries);
        random_entries(round * 7919, n, letters[round % 4], longest, room, entries);
        tok_trie_init(&t, entries, n);
        for (size_t i = 0; i < 500; i++) {
            for (size_t k = 0; k < sizeof text; k++)
                text[k] = (uint8_t) (t_hash64(i * 31 + k) % letters[round % 4] *
                                     (255 / letters[round % 4]));
            assert_finds(&t, entries, n, text, i % 16);
        }
        for (size_t i = 0; i < n; i++)
            assert_finds(&t, entries, n, entries[i].data, entries[i].len_bytes);
        tok_trie_release(&t);
        free(entries);
        free(room);
    }
}

/* A long entry is one cell a byte; many entries that fill blocks. */
static void test_large(void **state)
{
    enum { LONG = 200000, MANY = 40000 };
    uint8_t *text = malloc(LONG);
    struct t2_slice *entries = calloc(MANY, sizeof *entries);
    struct tok_trie t;
    size_t n = 0;

    (void) state;
    assert_non_null(text);
    assert_non_null(entries);
    memset(text, 'a', LONG);
    entries[0] = (struct t2_slice){text, LONG};
    entries[1] = (struct t2_slice){text, LONG / 2};
    tok_trie_init(&t, entries, 2);
    assert_int_equal(tok_trie_longest(&t, text, LONG, &n), 0);
    assert_int_equal(tok_trie_longest(&t, text, LONG - 1, &n), 1);
    assert_true(t.n_cells < LONG + LONG / 4);
    tok_trie_release(&t);
    for (size_t i = 0; i < MANY; i++) {
        uint64_t h = t_hash64(i);

        memcpy(text + i * 4, &h, 4);
        entries[i] = (struct t2_slice){text + i * 4, 1 + i % 4};
    }
    tok_trie_init(&t, entries, MANY);
    for (size_t i = 0; i < MANY; i += 97)
        assert_finds(&t, entries, MANY, text + i * 4, 4);
    tok_trie_release(&t);
    free(entries);
    free(text);
}

T_MAIN(cmocka_unit_test(test_small), cmocka_unit_test(test_every_first_byte),
       cmocka_unit_test(test_random), cmocka_unit_test(test_large))
