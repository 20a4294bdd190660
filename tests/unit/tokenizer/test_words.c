#include "tokenizer/words.h"

#include <string.h>

#include "base/alloc.h"
#include "tests/support/t.h"
#include "tests/unit/tokenizer/scan_texts.h"
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

static void test_split_random(void **state)
{
    struct t2_buf ours, plain;

    (void) state;
    t2_buf_init(&ours);
    t2_buf_init(&plain);
    for (uint64_t seed = 0; seed < 4000; seed++) {
        size_t room = 4 + seed % 300;
        uint8_t *end = t_guarded_alloc(room), *text = end;
        size_t n = st_random_text(seed, text, room, seed % 2);

        /* so that the text ends where memory does */
        memmove(end + room - n, text, n);
        text = end + room - n;
        t2_buf_clear(&ours);
        t2_buf_clear(&plain);
        tok_split_words(text, n, collect, &ours);
        st_split_plainly(text, n, collect, &plain);
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
    for (size_t before = 1; before < 140; before++) {
        memset(text, 'a', before - 1);
        text[before - 1] = '\t';
        memcpy(text + before, line, sizeof line - 1);
        t2_buf_clear(&out);
        t2_buf_clear(&want);
        tok_split_words(text, before + sizeof line - 1, collect, &out);
        st_split_plainly(text, before + sizeof line - 1, collect, &want);
        assert_string_equal(t2_buf_cstr(&out), t2_buf_cstr(&want));
    }
    t2_buf_release(&want);
    t2_buf_release(&out);
}

static void add_word(void *arg, const uint8_t *word, size_t len_bytes)
{
    struct t2_buf *list = arg;
    struct t2_slice s = {word, len_bytes};

    t2_buf_append(list, &s, sizeof s);
}

/* The original's inverse: a blank between two neighbours that both begin alphanumeric. */
static void join(const struct t2_slice *words, size_t n, struct t2_buf *text)
{
    bool last = false;

    for (size_t i = 0; i < n; i++) {
        uint32_t c = 0;
        bool valid, alnum;

        tok_utf8_decode(words[i].data, words[i].len_bytes, &c, &valid);
        alnum = tok_is_alnum(c);
        if (i > 0 && last && alnum)
            t2_buf_push(text, ' ');
        t2_buf_append(text, words[i].data, words[i].len_bytes);
        last = alnum;
    }
}

/* Joining inverts splitting for every string: no byte is lost but the blanks that it puts back. */
static void test_join(void **state)
{
    uint8_t text[300];
    struct t2_buf list, out;

    (void) state;
    t2_buf_init(&list);
    t2_buf_init(&out);
    for (uint64_t seed = 0; seed < 2000; seed++) {
        size_t n = st_random_text(seed, text, 4 + seed % 290, 1);

        t2_buf_clear(&list);
        t2_buf_clear(&out);
        tok_split_words(text, n, add_word, &list);
        join((const struct t2_slice *) (const void *) list.data,
             list.len_bytes / sizeof(struct t2_slice), &out);
        assert_int_equal(out.len_bytes, n);
        if (n > 0)
            assert_memory_equal(out.data, text, n);
    }
    t2_buf_release(&list);
    t2_buf_release(&out);
}

T_MAIN(cmocka_unit_test(test_split), cmocka_unit_test(test_split_random),
       cmocka_unit_test(test_split_at_every_offset), cmocka_unit_test(test_join))
