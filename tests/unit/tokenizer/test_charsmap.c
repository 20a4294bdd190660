/*
 * tests/unit/tokenizer/test_charsmap.c - what is written is what SentencePiece's reader finds.
 */
#include "tokenizer/charsmap.h"

#include <stdio.h>
#include <string.h>

#include "tests/support/t.h"
#include "tokenizer/sentencepiece.h"
#include "tokenizer/unicode.h"

static void check(const struct tok_sp_normalizer *map, uint32_t c, const char *want)
{
    uint8_t bytes[8] = {0};
    size_t n = tok_utf8_encode(c, bytes);
    struct t2_slice to;

    bytes[n] = 'x'; /* what follows does not matter */
    if (!want) {
        assert_int_equal(tok_sp_map_shortest(map, bytes, n + 1, &to), 0);
        return;
    }
    assert_int_equal(tok_sp_map_shortest(map, bytes, n + 1, &to), n);
    assert_true(t2_slice_eq(to, t2_slice_of(want)));
}

static bool is_mapped(uint32_t c)
{
    return c > 0 && (c < 0x300 || c % 7 == 0) && !(c >= 0xD800 && c <= 0xDFFF);
}

static void test_many(void **state)
{
    struct tok_charsmap m = {.units = NULL};
    struct tok_sp_normalizer map;
    struct t2_buf file = {NULL, 0, 0};
    char want[16];

    (void) state;
    for (uint32_t c = 0; c < TOK_CODE_POINTS; c++) {
        if (!is_mapped(c))
            continue;
        snprintf(want, sizeof want, "\\%u;", (unsigned) c);
        tok_charsmap_add(&m, c, t2_slice_of(want));
    }
    tok_charsmap_write(&m, &file);
    assert_true(tok_sp_map_of(t2_buf_slice(&file), &map));
    assert_int_equal(map.units.len_bytes % 1024, 0);
    for (uint32_t c = 1; c < TOK_CODE_POINTS; c++) {
        if (c >= 0xD800 && c <= 0xDFFF)
            continue;
        snprintf(want, sizeof want, "\\%u;", (unsigned) c);
        check(&map, c, is_mapped(c) ? want : NULL);
    }
    t2_buf_release(&file);
    tok_charsmap_release(&m);
}

static void test_none(void **state)
{
    struct tok_charsmap m = {.units = NULL};
    struct tok_sp_normalizer map;
    struct t2_buf file = {NULL, 0, 0};

    (void) state;
    tok_charsmap_write(&m, &file);
    assert_true(tok_sp_map_of(t2_buf_slice(&file), &map));
    check(&map, 'a', NULL);
    check(&map, 0x1F600, NULL);
    t2_buf_release(&file);
    tok_charsmap_release(&m);
}

T_MAIN(cmocka_unit_test(test_many), cmocka_unit_test(test_none))
