#include "tokenizer/words.h"

#include <string.h>

#include "base/alloc.h"
#include "tests/support/t.h"
#include "tokenizer/unicode.h"

static void collect(void *arg, const uint8_t *word, size_t len_bytes)
{
    struct t2_buf *out = arg;

    t2_buf_push(out, '[');
    t2_buf_append(out, word, len_bytes);
    t2_buf_push(out, ']');
}

static void assert_words(const char *text, size_t n, const char *want)
{
    struct t2_buf out;

    t2_buf_init(&out);
    tok_split_words((const uint8_t *) text, n, collect, &out);
    assert_string_equal(t2_buf_cstr(&out), want);
    t2_buf_release(&out);
}

#define WORDS(text, want) assert_words(text, sizeof(text) - 1, want)

/* The table of the specification, and what surrounds it. */
static void test_split(void **state)
{
    (void) state;
    WORDS("", "");
    WORDS(" ", "[ ]");
    WORDS("  ", "[  ]");
    WORDS("a", "[a]");
    WORDS("Dude - that's so cool.", "[Dude][ - ][that]['][s][so][cool][.]");
    WORDS("\xC5\x81ukasz est n\xC3\xA9 en 1981.", "[\xC5\x81ukasz][est][n\xC3\xA9][en][1981][.]");
    WORDS(" Spaces at the ends ", "[ ][Spaces][at][the][ends][ ]");
    WORDS("802.11b", "[802][.][11b]");
    WORDS("two. \nlines", "[two][. \n][lines]");
    WORDS("a  b", "[a][  ][b]");
    WORDS("3\xC2\xBD Stunden, \xE6\x9D\xB1\xE4\xBA\xAC.",
          "[3\xC2\xBD][Stunden][, ][\xE6\x9D\xB1\xE4\xBA\xAC][.]");
    WORDS("a_b\tc", "[a][_][b][\t][c]");
    WORDS("e\xCC\x81t", "[e][\xCC\x81][t]"); /* an accent splits */
    WORDS("a\xC2\xA0"
          "b",
          "[a][\xC2\xA0][b]"); /* only U+0020 is dropped */
    WORDS("a\xED\xA0\x80"
          "b",
          "[a][\xED\xA0\x80][b]");
}

/* The definition, one code point after another. */
static void split_plainly(const uint8_t *s, size_t n, struct t2_buf *out)
{
    size_t start = 0;
    bool last = false;

    for (size_t at = 0; at <= n;) {
        uint32_t c = 0;
        bool valid, alnum = false;
        size_t len = 1;

        if (at < n) {
            len = tok_utf8_decode(s + at, n - at, &c, &valid);
            alnum = tok_is_alnum(c);
        }
        if (at > 0 && (at == n || alnum != last)) {
            if (at - start != 1 || s[start] != ' ' || start == 0 || at == n)
                collect(out, s + start, at - start);
            start = at;
        }
        last = alnum;
        at += len;
    }
}

static size_t random_text(uint64_t seed, uint8_t *text, size_t room)
{
    static const uint32_t some[] = {' ',   ' ',    'a',     'b',     '9',  '.',    '_',    0xE9,
                                    0x301, 0x6771, 0x1F600, 0x20000, 0xA0, 0xD800, 0x2028, 0};
    size_t n = 0;

    for (uint64_t i = 0; n + 4 <= room; ++i) {
        uint64_t h = t_hash64(seed * 1000003 + i);
        uint32_t c = h % 11 == 0 ? (uint32_t) (h >> 32) % TOK_CODE_POINTS : some[(h >> 8) % 16];

        if (h % 97 == 0)
            text[n++] = (uint8_t) (h >> 16); /* perhaps not UTF-8 */
        else
            n += tok_utf8_encode(c, text + n);
    }
    return n;
}

static void test_split_random(void **state)
{
    struct t2_buf ours, plain;

    (void) state;
    t2_buf_init(&ours);
    t2_buf_init(&plain);
    for (uint64_t seed = 0; seed < 4000; ++seed) {
        size_t room = 4 + seed % 300;
        uint8_t *end = t_guarded_alloc(room), *text = end;
        size_t n = random_text(seed, text, room);

        /* so that the text ends where memory does */
        memmove(end + room - n, text, n);
        text = end + room - n;
        t2_buf_clear(&ours);
        t2_buf_clear(&plain);
        tok_split_words(text, n, collect, &ours);
        split_plainly(text, n, &plain);
        assert_true(t2_slice_eq(t2_buf_slice(&ours), t2_buf_slice(&plain)));
        t_guarded_free(end, room);
    }
    t2_buf_release(&ours);
    t2_buf_release(&plain);
}

/* Counts must not depend on where a text was cut: a line is split the same at every offset. */
static void test_split_at_every_offset(void **state)
{
    static const char line[] = "Gr\xC3\xBC\xC3\x9F"
                               "e, \xE6\x9D\xB1\xE4\xBA\xAC x_1 \xF0\x9F\x98\x80.";
    uint8_t text[256];
    struct t2_buf want, out;

    (void) state;
    t2_buf_init(&want);
    t2_buf_init(&out);
    collect(&want, (const uint8_t *) "", 0);
    for (size_t before = 1; before < 140; ++before) {
        memset(text, 'a', before - 1);
        text[before - 1] = '\t';
        memcpy(text + before, line, sizeof(line) - 1);
        t2_buf_clear(&out);
        t2_buf_clear(&want);
        tok_split_words(text, before + sizeof(line) - 1, collect, &out);
        split_plainly(text, before + sizeof(line) - 1, &want);
        assert_string_equal(t2_buf_cstr(&out), t2_buf_cstr(&want));
    }
    t2_buf_release(&want);
    t2_buf_release(&out);
}

static void test_classify(void **state)
{
    (void) state;
    for (size_t n = 0; n <= 64; ++n) {
        uint8_t *s = t_guarded_alloc(n + 1);

        for (uint64_t seed = 0; seed < 32; ++seed) {
            struct tok_classes k, plain;

            for (size_t i = 0; i < n; ++i)
                s[1 + i] = (uint8_t) (t_hash64(seed * 64 + i) % (seed % 2 ? 256 : 48));
            k = tok_classify(s + 1, n);
            plain = tok_classify_plain(s + 1, n);
            assert_true(k.alnum == plain.alnum && k.space == plain.space && k.high == plain.high);
        }
        t_guarded_free(s, n + 1);
    }
    for (unsigned b = 0; b < 256; ++b) {
        uint8_t byte = (uint8_t) b;
        struct tok_classes k = tok_classify(&byte, 1);

        assert_int_equal(k.alnum, b < 0x80 && tok_is_alnum(b));
        assert_int_equal(k.space, b == ' ');
        assert_int_equal(k.high, b >= 0x80);
    }
}

static void add_word(void *arg, const uint8_t *word, size_t len_bytes)
{
    struct t2_buf *list = arg;
    struct t2_slice s = {word, len_bytes};

    t2_buf_append(list, &s, sizeof(s));
}

/* Joining inverts splitting for every string. */
static void test_join(void **state)
{
    uint8_t text[300];
    struct t2_buf list, out;

    (void) state;
    t2_buf_init(&list);
    t2_buf_init(&out);
    tok_join_words(NULL, 0, &out);
    assert_int_equal(out.len_bytes, 0);
    for (uint64_t seed = 0; seed < 2000; ++seed) {
        size_t n = random_text(seed, text, 4 + seed % 290);

        t2_buf_clear(&list);
        t2_buf_clear(&out);
        tok_split_words(text, n, add_word, &list);
        tok_join_words((const struct t2_slice *) (const void *) list.data,
                       list.len_bytes / sizeof(struct t2_slice), &out);
        assert_int_equal(out.len_bytes, n);
        if (n > 0)
            assert_memory_equal(out.data, text, n);
    }
    t2_buf_release(&list);
    t2_buf_release(&out);
}

T_MAIN(cmocka_unit_test(test_split), cmocka_unit_test(test_split_random),
       cmocka_unit_test(test_split_at_every_offset), cmocka_unit_test(test_classify),
       cmocka_unit_test(test_join))
