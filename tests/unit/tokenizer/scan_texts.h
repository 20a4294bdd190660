/*
 * tests/unit/tokenizer/scan_texts.h - texts to scan, and the definition of a scan.
 */
#ifndef T2_TESTS_UNIT_TOKENIZER_SCAN_TEXTS_H
#define T2_TESTS_UNIT_TOKENIZER_SCAN_TEXTS_H

#include "tests/support/t.h"
#include "tokenizer/unicode.h"
#include "tokenizer/word_scan.h"
#include "tokenizer/words.h"

/* At most room bytes of mixed characters, some of them broken; feeds 0: no line feed among them. */
static inline size_t st_random_text(uint64_t seed, uint8_t *text, size_t room, uint64_t feeds)
{
    static const uint32_t some[] = {' ',   ' ',    'a',     'b',     '9',  '.',    '_',    0xE9,
                                    0x301, 0x6771, 0x1F600, 0x20000, 0xA0, 0xD800, 0x2028, 0};
    size_t n = 0;

    for (uint64_t i = 0; n + 4 <= room; i++) {
        uint64_t h = t_hash64(seed * 1000003 + i);
        uint32_t c = h % 11 == 0 ? (uint32_t) (h >> 32) % TOK_CODE_POINTS : some[(h >> 8) % 16];

        if (h % 97 == 0)
            text[n++] = (uint8_t) (h >> 16); /* perhaps not UTF-8 */
        else if (feeds > 0 && (h >> 40) % 16 < feeds * 2)
            text[n++] = '\n';
        else
            n += tok_utf8_encode(c, text + n);
    }
    return n;
}

/* The definition, one code point after another. */
static inline void st_split_plainly(const uint8_t *s, size_t n, tok_word_fn fn, void *arg)
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
                fn(arg, s + start, at - start);
            start = at;
        }
        last = alnum;
        at += len;
    }
}

static inline void st_check_classify(const struct tok_scan_ops *ops)
{
    for (size_t n = 1; n <= TOK_BLOCK; n++) {
        uint8_t *s = t_guarded_alloc(n);

        for (uint64_t seed = 0; seed < 32; seed++) {
            struct tok_classes k;

            for (size_t i = 0; i < n; i++)
                s[i] = (uint8_t) (t_hash64(seed * 64 + i) % (seed % 2 ? 256 : 48));
            k = ops->classify(s, n);
            for (size_t i = 0; i < TOK_BLOCK; i++) {
                uint8_t b = i < n ? s[i] : 0;

                assert_int_equal(k.alnum >> i & 1, b < 0x80 && tok_is_alnum(b));
                assert_int_equal(k.space >> i & 1, b == ' ');
                assert_int_equal(k.feed >> i & 1, b == '\n');
                assert_int_equal(k.high >> i & 1, b >= 0x80);
            }
        }
        t_guarded_free(s, n);
    }
    for (unsigned b = 0; b < 256; b++) {
        uint8_t byte = (uint8_t) b;
        struct tok_classes k = ops->classify(&byte, 1);

        assert_int_equal(k.alnum, b < 0x80 && tok_is_alnum(b));
        assert_int_equal(k.space, b == ' ');
        assert_int_equal(k.feed, b == '\n');
        assert_int_equal(k.high, b >= 0x80);
    }
}

#endif
