#include "tokenizer/word_scan.h"

#include <string.h>

#include "base/buf.h"
#include "tests/support/t.h"
#include "tests/unit/tokenizer/scan_texts.h"
#include "tokenizer/words.h"

static void collect(void *arg, const uint8_t *word, size_t len_bytes)
{
    struct t2_buf *out = arg;

    t2_buf_push(out, '[');
    t2_buf_append(out, word, len_bytes);
    t2_buf_push(out, ']');
}

/* Words in brackets, '$' at the end of each line. */
static void scan(const struct tok_scan_ops *ops, const uint8_t *text, size_t n, bool by_line,
                 struct t2_buf *out)
{
    struct tok_scan s;

    t2_buf_clear(out);
    tok_scan_init(&s, text, n, by_line);
    s.ops = ops;
    while (tok_scan_next(&s)) {
        size_t line = 0;

        assert_true(by_line || s.n_lines == 0);
        for (size_t i = 0; i <= s.n_words; i++) {
            for (; line < s.n_lines && s.lines[line] == i; line++)
                t2_buf_push(out, '$');
            if (i < s.n_words)
                collect(out, text + s.starts[i], (size_t) (s.ends[i] - s.starts[i]));
        }
        assert_int_equal(line, s.n_lines);
    }
    assert_false(tok_scan_next(&s));
}

/* The same, each line on its own. */
static void split_lines(const uint8_t *text, size_t n, struct t2_buf *out)
{
    t2_buf_clear(out);
    for (size_t at = 0; at < n;) {
        const uint8_t *feed = memchr(text + at, '\n', n - at);
        size_t to = feed ? (size_t) (feed - text) : n;

        tok_split_words(text + at, to - at, collect, out);
        t2_buf_push(out, '$');
        at = to + 1;
    }
}

static void test_lines(void **state)
{
    static const struct {
        const char *text, *want;
    } rows[] = {
        {"", ""},
        {"a", "[a]$"},
        {"a\n", "[a]$"},
        {"\n", "$"},
        {"\n\n\na", "$$$[a]$"},
        {"a\n\nb\n", "[a]$$[b]$"},
        {" a \n b c \n \n", "[ ][a][ ]$[ ][b][c][ ]$[ ]$"},
        {"a b\n b\nb \nb", "[a][b]$[ ][b]$[b][ ]$[b]$"},
        {"a.\n.b\r\n", "[a][.]$[.][b][\r]$"},
    };
    struct t2_buf out;

    (void) state;
    t2_buf_init(&out);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        scan(tok_scan_ops(), (const uint8_t *) rows[i].text, strlen(rows[i].text), true, &out);
        assert_string_equal(t2_buf_cstr(&out), rows[i].want);
    }
    t2_buf_release(&out);
}

/* Every variant (T2_CPU=generic chooses another), against lines split one by one; the text ends
 * where memory does. */
static void check_scans(const struct tok_scan_ops *ops)
{
    struct t2_buf out, want;

    t2_buf_init(&out);
    t2_buf_init(&want);
    for (uint64_t seed = 0; seed < 1500; seed++) {
        size_t room = 4 + (seed % 20 == 0 ? 3000 : seed % 300);
        uint8_t *memory = t_guarded_alloc(room), *text = memory;
        size_t n = st_random_text(seed, text, room, seed % 3);

        memmove(memory + room - n, text, n);
        text = memory + room - n;
        split_lines(text, n, &want);
        scan(ops, text, n, true, &out);
        assert_true(t2_slice_eq(t2_buf_slice(&out), t2_buf_slice(&want)));
        t2_buf_clear(&want);
        st_split_plainly(text, n, collect, &want);
        scan(ops, text, n, false, &out);
        assert_true(t2_slice_eq(t2_buf_slice(&out), t2_buf_slice(&want)));
        t_guarded_free(memory, room);
    }
    t2_buf_release(&want);
    t2_buf_release(&out);
}

static void test_scan(void **state)
{
    (void) state;
    check_scans(&tok_scan_plain);
    check_scans(tok_scan_ops());
#ifdef __SSE2__
    check_scans(&tok_scan_sse2);
#endif
}

static void test_classify(void **state)
{
    (void) state;
    st_check_classify(&tok_scan_plain);
    st_check_classify(tok_scan_ops());
#ifdef __SSE2__
    st_check_classify(&tok_scan_sse2);
#endif
}

/* Many lines without a word, many words without a line: a batch is full either way. */
static void test_batches(void **state)
{
    enum { MANY = 5000 };
    uint8_t text[2 * MANY];
    struct tok_scan s;
    size_t n = 0;

    (void) state;
    memset(text, '\n', MANY);
    tok_scan_init(&s, text, MANY, true);
    while (tok_scan_next(&s)) {
        assert_int_equal(s.n_words, 0);
        assert_true(s.n_lines > 0 && s.n_lines <= TOK_SCAN_MAX);
        n += s.n_lines;
    }
    assert_int_equal(n, MANY);
    for (size_t i = 0; i < MANY; i++)
        memcpy(text + 2 * i, "a.", 2);
    tok_scan_init(&s, text, sizeof text, true);
    n = 0;
    while (tok_scan_next(&s)) {
        assert_true(s.n_words > 0 && s.n_words <= TOK_SCAN_MAX);
        for (size_t i = 0; i < s.n_words; i++)
            assert_int_equal(s.ends[i] - s.starts[i], 1);
        n += s.n_words;
    }
    assert_int_equal(n, sizeof text);
}

T_MAIN(cmocka_unit_test(test_lines), cmocka_unit_test(test_scan), cmocka_unit_test(test_classify),
       cmocka_unit_test(test_batches))
